package dockerx

import (
	"flag"
	"io"
	"net"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// dialMode is the variable that makes the test program what runs at the other
// end of an ssh connection: `docker system dial-stdio`, to the socket it names.
const dialMode = "HERMES_SANDBOX_TEST_DIAL"

func TestMain(m *testing.M) {
	if socket := os.Getenv(dialMode); socket != "" {
		os.Exit(dialStdio(socket))
	}
	flag.Bool("update", false, "write golden files anew")
	goleak.VerifyTestMain(m)
}

// dialStdio connects input and output with a socket until the socket's side
// ends.
func dialStdio(socket string) int {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return 1
	}
	go func() {
		_, _ = io.Copy(conn, os.Stdin)
		_ = conn.(*net.UnixConn).CloseWrite()
	}()
	_, _ = io.Copy(os.Stdout, conn)
	return 0
}
