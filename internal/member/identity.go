package member

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/url"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"github.com/multicluster/terraform-provider-multicluster/internal/api"
)

// errAnonymous is why credentials that were sent count as failed.
var errAnonymous = errors.New("the member takes the request for an anonymous one")

// Identity returns what tells this cluster from every other, without the UID where the namespace kube-system may not be read
// or does not exist. It is asked for once in a run.
func (s *Session) Identity(ctx context.Context) (api.Identity, error) {
	return s.identity.get(ctx, struct{}{}, func(ctx context.Context) (api.Identity, error) { return s.identify(ctx, s.do) })
}

// identify returns the identity, which it asks for through send.
func (s *Session) identify(ctx context.Context, send func(context.Context, call) (answer, error)) (api.Identity, error) {
	uid, err := s.uid(ctx, send)
	if err != nil {
		return api.Identity{}, err
	}
	client, err := s.connect()
	if err != nil {
		return api.Identity{}, err
	}
	return api.Identity{UID: uid, Fingerprint: client.fingerprint}, nil
}

// uid asks for the UID, which is empty where it cannot be seen. It is the first request with credentials, and checks them.
func (s *Session) uid(ctx context.Context, send func(context.Context, call) (answer, error)) (string, error) {
	const path = "/api/v1/namespaces/kube-system"
	a, err := send(ctx, call{verb: "get", object: "namespaces kube-system", method: http.MethodGet, path: path})
	switch {
	case err == nil:
		return s.uidOf(a)
	case IsGone(err):
		return "", nil
	case !apierrors.IsForbidden(err):
		return "", err
	}
	// Everyone who is authenticated may ask for the groups. Who may not is either locked out or taken for anonymous, as
	// happens with a client certificate of another cluster.
	if _, err := send(ctx, call{verb: "get", object: "/api", method: http.MethodGet, path: "/api"}); err != nil {
		return "", err
	}
	if strings.Contains(err.Error(), `User "system:anonymous"`) {
		return "", &RequestError{Member: s.name, Verb: "get", Object: "namespaces kube-system", Err: errAnonymous, cause: causeCredentials}
	}
	return "", nil
}

// uidOf returns the UID of the namespace in a. What is no namespace comes from something that is no API server.
func (s *Session) uidOf(a answer) (string, error) {
	var namespace corev1.Namespace
	if err := json.Unmarshal(a.body, &namespace); err != nil {
		return "", s.garbled("get", "namespaces kube-system", err)
	}
	if namespace.Kind != "Namespace" || namespace.UID == "" {
		return "", s.garbled("get", "namespaces kube-system", errors.New("it is no Namespace with a UID"))
	}
	return string(namespace.UID), nil
}

// fingerprint returns a hash of the address and of the CA certificates, as sha256:...
func fingerprint(base *url.URL, cfg *rest.Config) string {
	hash := sha256.New()
	hash.Write([]byte(strings.ToLower(base.Host) + base.Path))
	for block, rest := pem.Decode(cfg.CAData); block != nil; block, rest = pem.Decode(rest) {
		hash.Write(block.Bytes)
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil))
}
