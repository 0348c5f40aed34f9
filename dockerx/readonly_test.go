package dockerx

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"hermes-sandbox/model"
)

// TestEveryCallHonoursReadOnly makes every call of the moby client that can be
// made at all, on a read-only client: only what reads reaches the engine.
func TestEveryCallHonoursReadOnly(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	reached := map[string]bool{}
	c := onSocket(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		reached[r.Method] = true
		w.Header().Set("Api-Version", "1.41")
		_, _ = io.WriteString(w, "{}")
	})
	c = clientFor(t, c.endpoint, ReadOnly())
	api := reflect.TypeFor[API]()
	refused := 0
	for method := range api.Methods() {
		arguments := []reflect.Value{}
		for i := range method.Type.NumIn() {
			kind := method.Type.In(i)
			switch {
			case kind == reflect.TypeFor[context.Context]():
				arguments = append(arguments, reflect.ValueOf(t.Context()))
			case kind.Kind() == reflect.String:
				arguments = append(arguments, reflect.ValueOf(sandboxID("a")))
			case !method.Type.IsVariadic() || i < method.Type.NumIn()-1:
				arguments = append(arguments, reflect.Zero(kind))
			}
		}
		for i := range method.Type.NumOut() {
			out := method.Type.Out(i)
			if out.Kind() == reflect.Func || out.Implements(reflect.TypeFor[net.Conn]()) || strings.Contains(out.Name(), "Hijack") || strings.Contains(out.Name(), "Attach") {
				t.Errorf("%s gives a connection of its own away", method.Name)
			}
		}
		answers := reflect.ValueOf(c.API()).MethodByName(method.Name).Call(arguments)
		if err, _ := answers[len(answers)-1].Interface().(error); errors.Is(err, ErrReadOnly) {
			refused++
		}
	}
	if delete(reached, http.MethodGet); len(reached) > 1 || len(reached) == 1 && !reached[http.MethodHead] {
		t.Errorf("reached the engine: %v", reached)
	}
	if refused < 9 { // some find fault with what they are given first
		t.Errorf("%d of %d calls were refused", refused, api.NumMethod())
	}
}

// TestNoConnectionPastReadOnly asks a read-only client for a raw connection and
// for what is made of one.
func TestNoConnectionPastReadOnly(t *testing.T) {
	t.Parallel()
	for name, scheme := range map[string]string{"socket": "unix://", "TCP": "tcp://", "TLS": "https://"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var dialled atomic.Int32
			host := scheme + "127.0.0.1:1"
			if scheme == "unix://" {
				host = scheme + filepath.Join(t.TempDir(), "s")
			}
			endpoint := Endpoint{Name: "test", Host: host, Dial: func(context.Context, string, string) (net.Conn, error) {
				dialled.Add(1)
				return nil, errBroken
			}}
			c := clientFor(t, endpoint, ReadOnly())
			if conn, err := c.Dial(t.Context()); conn != nil || !errors.Is(err, ErrReadOnly) {
				t.Errorf("Dial gives %v, %v", conn, err)
			}
			if conn, _, _, err := c.hijack(t.Context(), "test", "/v1.41/exec/x/start", nil); conn != nil || !errors.Is(err, ErrReadOnly) { //nolint:bodyclose // there is none
				t.Errorf("a taken-over connection: %v, %v", conn, err)
			}
			if shell, err := c.OpenShell(t.Context(), model.ID(sandboxID("a")), 24, 80); shell != nil || !errors.Is(err, ErrReadOnly) {
				t.Errorf("a shell: %v, %v", shell, err)
			}
			if count := dialled.Load(); count > 0 {
				t.Errorf("%d connections were opened", count)
			}
			if conn, err := clientFor(t, endpoint).Dial(t.Context()); conn != nil || err == nil || dialled.Load() != 1 {
				t.Errorf("without read-only: %v, %v, %d connections", conn, err, dialled.Load())
			}
		})
	}
}

// TestNobodyHoldsTheWholeClient reads the source: the moby client's own type, with
// its ways past our transport, is named nowhere, and no program is started, so
// that no text from outside can become a command line.
func TestNobodyHoldsTheWholeClient(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, folder := range []string{".", "../cmd", "../ui", "../egress", "../model", "../config"} {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "enginetest") {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			seen++
			for _, way := range []string{"client.Client", "client.APIClient", "client.CommonAPIClient", "HijackDialer", "DialHijack(", `"os/exec"`, "os.StartProcess", "syscall.Exec", "syscall.ForkExec"} {
				if strings.Contains(string(data), way) {
					t.Errorf("%s has %s", path, way)
				}
			}
			if strings.Contains(string(data), "client.New(") && path != "client.go" {
				t.Errorf("%s makes a moby client of its own", path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 100 {
		t.Errorf("%d files were read", seen)
	}
}
