package manifest

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
)

// digestRounds makes one digest take a few milliseconds, so that a list of
// likely passwords takes too long to try.
const digestRounds = 20_000

// Digest returns a salted slow hash of fields, to tell later whether hidden
// content is still the same without keeping it: PBKDF2 with HMAC-SHA256
// (RFC 8018) over their JSON, written with its parameters. It takes a few
// milliseconds; whoever asks for many keeps the answers.
func Digest(salt []byte, fields Fields) (string, error) {
	content, err := marshal(fields)
	if err != nil {
		return "", fmt.Errorf("digest of hidden fields: %w", err)
	}
	key, err := pbkdf2.Key(sha256.New, content, salt, digestRounds, sha256.Size)
	if err != nil {
		return "", fmt.Errorf("digest of hidden fields: %w", err)
	}
	return fmt.Sprintf("pbkdf2-sha256:%d:%s", digestRounds, base64.RawStdEncoding.EncodeToString(key)), nil
}
