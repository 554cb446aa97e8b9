package testfleet

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// The ports of the fleet lie below the range that Linux and macOS give to outgoing connections, so that
// a server that is down for a while finds its port free again.
const (
	firstPort = 20000
	lastPort  = 32000
)

// freePort returns a loopback address on which nobody listens.
func freePort() (string, error) {
	var last error
	for range 50 {
		address := fmt.Sprintf("127.0.0.1:%d", firstPort+rand.IntN(lastPort-firstPort))
		listener, err := net.Listen("tcp", address)
		if err != nil {
			last = err
			continue
		}
		if err := listener.Close(); err != nil {
			return "", err
		}
		return address, nil
	}
	return "", fmt.Errorf("no free port on 127.0.0.1 between %d and %d: %w", firstPort, lastPort, last)
}
