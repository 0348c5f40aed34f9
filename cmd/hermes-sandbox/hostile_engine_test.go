package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hermes-sandbox/dockerx/simengine"
)

// rawBytes stands, in the text of a JSON body, where bytes belong that are no
// UTF-8: no encoder writes them.
const rawBytes = "RAWBYTES"

// hostileText would take a terminal over, draw over other lines, or pass for
// another text, in every way this program knows of.
const hostileText = "\x1b[2J\x1b[?1049l\x1b]0;pwned\x07\x1b]52;c;cHduCg==\x07\x1b]8;;http://evil\x1b\\link\x1bP+q\x1b\\\x1bc\r\n\t\b\x00\x7f" +
	"\u009b31m\u009d0;pwned\u009c\u0085\u2028\u2029\u202eevil\u2066\u200f\u061c\u200b\u200d\u2060\ufeff\u00ad\u034f\u3164\u115f\ufe0f" +
	"e\u0301\u0301\u0301\u0301\u0301\U000e0041\U000e007f\ufff9\uffff\ue000 [red]%s%d%!{{.ID}}\\x1b[2J\"'<>&$(touch pwned)`" + rawBytes + "界"

// asBytes is the text as it comes over a wire that allows any byte.
func asBytes(text string) string {
	return strings.ReplaceAll(text, rawBytes, "\xff\xfe\xc0\x9b31m\x9d0;x\x9c\x90")
}

// hostileEngine serves a simulated engine through a hand that puts hostile text
// into every string of every answer, keys of objects and error messages
// included, but for what it takes to be found and to be told its age.
type hostileEngine struct {
	engine *simengine.Engine
	// matching leaves what ties a sandbox to a profile and to its home.
	matching bool
	// odd spoils even the words that the engine itself chooses, such as states.
	odd bool
	// broken refuses every request but those for a version.
	broken bool
}

// serveHostile returns the address of a hostile engine.
func serveHostile(t *testing.T, h *hostileEngine) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "hostile-") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "unix", filepath.Join(folder, "s"))
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		_ = os.RemoveAll(folder)
	})
	return "unix://" + filepath.Join(folder, "s")
}

func (h *hostileEngine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	switch {
	case h.broken && !strings.HasSuffix(path, "/_ping"):
		body, _ := json.Marshal(map[string]string{"message": "broken" + hostileText})
		w.Header().Set("Content-Type", "application/json\x9b31m")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, asBytes(string(body)))
	case strings.HasSuffix(path, "/logs"), strings.HasSuffix(path, "/start") && strings.Contains(path, "/exec/"):
		h.engine.ServeHTTP(w, r) // no JSON
	case strings.HasSuffix(path, "/events"), strings.HasSuffix(path, "/stats"):
		h.engine.ServeHTTP(&hostileLines{ResponseWriter: w, h: h}, r)
	default:
		answer := httptest.NewRecorder()
		h.engine.ServeHTTP(answer, r)
		for key, values := range answer.Header() {
			w.Header()[key] = values
		}
		w.Header().Set("Server", w.Header().Get("Server")+" \x9b31m\xff")
		w.Header().Del("Content-Length")
		w.WriteHeader(answer.Code)
		_, _ = w.Write(h.spoil(answer.Body.Bytes()))
	}
}

// hostileLines spoils a stream of JSON, line by line.
type hostileLines struct {
	http.ResponseWriter
	h    *hostileEngine
	rest []byte
}

func (l *hostileLines) Write(data []byte) (int, error) {
	l.rest = append(l.rest, data...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			return len(data), nil
		}
		l.rest = rest
		if _, err := l.ResponseWriter.Write(append(l.h.spoil(line), '\n')); err != nil {
			return 0, err
		}
	}
}

func (l *hostileLines) Unwrap() http.ResponseWriter { return l.ResponseWriter }

func (l *hostileLines) Flush() { _ = http.NewResponseController(l.ResponseWriter).Flush() }

// spoil puts hostile text into a JSON document; what is none stays as it is.
func (h *hostileEngine) spoil(body []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var document any
	if decoder.Decode(&document) != nil {
		return body
	}
	out, err := json.Marshal(h.spoiled("", document))
	if err != nil {
		return body
	}
	return []byte(asBytes(string(out)))
}

func (h *hostileEngine) spoiled(key string, value any) any {
	switch value := value.(type) {
	case string:
		if h.spared(key, value) {
			return value
		}
		return value + hostileText
	case []any:
		for i := range value {
			value[i] = h.spoiled(key, value[i])
		}
		return value
	case map[string]any:
		out := make(map[string]any, len(value))
		for name, inner := range value {
			if free(key) && !strings.HasPrefix(name, "hermes") {
				out[name+hostileText] = h.spoiled(key, inner)
			} else {
				out[name] = h.spoiled(name, inner)
			}
		}
		if key == "Labels" {
			out[hostileText] = hostileText
		}
		return out
	default:
		return value
	}
}

// free reports whether the keys of an object are chosen by whoever made a
// container, an image or a network.
func free(key string) bool {
	switch key {
	case "Labels", "Networks", "Tmpfs", "Options", "Volumes", "Sysctls", "Ports", "PortBindings", "ExposedPorts", "StorageOpt":
		return true
	default:
		return false
	}
}

// spared are what must stay so that a container is found, taken for a sandbox
// and put in time.
func (h *hostileEngine) spared(key, value string) bool {
	switch key {
	case "Id", "ID", "id", "container", "execID", "ContainerID", "NetworkID", "EndpointID", "SandboxID", "ApiVersion", "MinAPIVersion", "hermes-agent", "hermes.egress":
		return true
	case "Created", "StartedAt", "FinishedAt", "SystemTime", "read", "preread", "CreatedAt":
		return true
	case "State", "Status", "NetworkMode", "Type", "Action", "status", "Driver", "Scope", "type":
		return !h.odd
	case "IPAddress", "Gateway", "Subnet", "Env":
		return !h.odd && value != ""
	case "hermes-profile", "hermes-task-id", "Source", "Binds":
		return h.matching
	default:
		return false
	}
}
