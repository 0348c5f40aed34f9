//go:build unix

package dockerx

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hermes-sandbox/dockerx/enginetest"
)

// TestShellOverEveryTransportOnARealEngine takes a shell through what stands
// between this program and an engine elsewhere: TLS with a certificate of the
// client's, and ssh.
func TestShellOverEveryTransportOnARealEngine(t *testing.T) {
	engine := enginetest.Require(t)
	socket, ok := strings.CutPrefix(engine.Host, "unix://")
	if !ok {
		t.Skipf("the engine at %s has no socket to stand in front of", engine.Host)
	}
	id := engine.Run(t, engine.Sandbox(engine.Mark, "transport"))
	t.Run("tls", func(t *testing.T) {
		endpoint, served := serveTLS(t, socket)
		talkToShell(t, clientFor(t, endpoint), string(id))
		if served.Load() == 0 {
			t.Error("nothing went over TLS")
		}
		stranger := endpoint
		stranger.TLS = endpoint.TLS.Clone()
		stranger.TLS.Certificates = nil
		if _, err := clientFor(t, stranger).OpenShell(t.Context(), "0", 24, 80); err == nil {
			t.Error("the listener takes clients without a certificate, so it proves nothing")
		}
	})
	t.Run("ssh", func(t *testing.T) {
		t.Setenv(dialMode, socket)
		note := fakeSSH(t, "exec "+os.Args[0])
		talkToShell(t, sshClient(t), string(id))
		if said, err := os.ReadFile(note); err != nil || !strings.Contains(string(said), "dial-stdio") {
			t.Errorf("ssh was called with %q, %v", said, err)
		}
	})
}

// talkToShell types into a shell, changes its size, and leaves it with a code.
func talkToShell(t *testing.T, client *Client, container string) {
	t.Helper()
	fleet := client.Snapshot(t.Context())
	for i := range fleet.Containers {
		c := fleet.Containers[i]
		if string(c.ID) != container {
			continue
		}
		shell, err := client.OpenShell(t.Context(), c.ID, 33, 101)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = shell.Close() }()
		said := make(chan string)
		go func() {
			text, _ := io.ReadAll(shell)
			said <- string(text)
		}()
		if _, err := io.WriteString(shell, "busybox stty size; echo first-$((6*7))\r"); err != nil {
			t.Fatal(err)
		}
		if err := shell.Resize(t.Context(), 40, 120); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(shell, "busybox stty size; exit 3\r"); err != nil {
			t.Fatal(err)
		}
		text := <-said
		for _, want := range []string{"first-42", "40 120"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in %q", want, text)
			}
		}
		if code, err := shell.ExitCode(t.Context()); code != 3 || err != nil {
			t.Errorf("exit code %d, %v", code, err)
		}
		return
	}
	t.Fatalf("the sandbox is not listed: %+v", fleet.Problems)
}

// serveTLS stands in front of a socket with TLS, for clients with a certificate
// alone, and returns where it is and how many connections were made.
func serveTLS(t *testing.T, socket string) (Endpoint, *atomic.Int64) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	pair := []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: pair, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert,
	})
	if err != nil {
		t.Fatal(err)
	}
	served := &atomic.Int64{}
	var relays sync.WaitGroup
	t.Cleanup(func() { _ = listener.Close(); relays.Wait() })
	relays.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			served.Add(1)
			relays.Go(func() { relay(conn.(*tls.Conn), socket) })
		}
	})
	return Endpoint{
		Name: "tls", Host: "tcp://" + listener.Addr().String(),
		TLS: &tls.Config{MinVersion: tls.VersionTLS12, Certificates: pair, RootCAs: pool},
	}, served
}

// relay connects a client with the socket until either side ends.
func relay(client *tls.Conn, socket string) {
	defer func() { _ = client.Close() }()
	engine, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	defer func() { _ = engine.Close() }()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(client, engine)
		_ = client.CloseWrite()
	}()
	_, _ = io.Copy(engine, client)
	_ = engine.(*net.UnixConn).CloseWrite()
	_ = client.Close()
	_ = engine.Close()
	<-done
}
