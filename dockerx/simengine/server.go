package simengine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
)

// call is one request as handlers see it.
type call struct {
	*http.Request
	body    []byte
	query   url.Values
	version apiVersion // the version asked for, else the engine's own
}

// decode reads the JSON body into value. An empty body leaves it as it is.
func (c *call) decode(value any) error {
	if len(c.body) == 0 {
		return nil
	}
	if err := json.Unmarshal(c.body, value); err != nil {
		return badBody(c, "request body: "+err.Error())
	}
	return nil
}

// badBody refuses a body; engines before API 1.42 take the blame themselves.
func badBody(c *call, message string) error {
	if c.version.atLeast(42) {
		return refuse(http.StatusBadRequest, "%s", message)
	}
	return refuse(http.StatusInternalServerError, "%s", message)
}

// flag reads a boolean of the query as the engine does: absent, 0, no, false
// and none are false.
func (c *call) flag(name string) bool {
	switch c.query.Get(name) {
	case "", "0", "no", "false", "none":
		return false
	}
	return true
}

// number reads an integer of the query; absent or odd is the fallback.
func (c *call) number(name string, fallback int) int {
	if n, err := strconv.Atoi(c.query.Get(name)); err == nil {
		return n
	}
	return fallback
}

// refusal is an answer of the engine that is not a success.
type refusal struct {
	status  int
	message string
}

func (r *refusal) Error() string { return r.message }

func refuse(status int, format string, args ...any) *refusal {
	return &refusal{status: status, message: fmt.Sprintf(format, args...)}
}

// versioned splits the API version off a path.
var versioned = regexp.MustCompile(`^/v([0-9]+\.[0-9]+)(/.*)$`)

// maxBody bounds a request's body; an image is the largest.
const maxBody = 512 << 20

// ServeHTTP answers one request. It is exported for tests that want the engine
// without a socket.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	served := e.version
	e.mu.Unlock()
	header := w.Header()
	header.Set("Api-Version", served.String())
	header.Set("Docker-Experimental", "false")
	header.Set("Ostype", "linux")
	header.Set("Server", "Docker/"+served.engine()+" (linux)")
	if e.podman {
		header.Set("Server", "Libpod/"+podmanVersion+" (linux)")
		header.Set("Libpod-Api-Version", podmanVersion)
	}
	header.Set("Date", e.now().Format(http.TimeFormat))

	asked := served
	if parts := versioned.FindStringSubmatch(r.URL.Path); parts != nil {
		asked = parseVersion(parts[1])
		switch {
		case served.less(asked):
			writeError(w, refuse(http.StatusBadRequest, "API version %s is newer than this engine serves; the newest is %s", asked, served))
			return
		case asked.less(served.minimum()):
			writeError(w, refuse(http.StatusBadRequest, "API version %s is older than this engine serves; the oldest is %s", asked, served.minimum()))
			return
		}
		r.URL.Path, r.URL.RawPath = parts[2], ""
	}
	e.mux.ServeHTTP(w, r.WithContext(withVersion(r.Context(), asked)))
}

// handler answers a request whose whole body has been read.
type handler func(c *call) (status int, body any, err error)

// state registers a handler that runs with mu held, its answer's encoding
// included, so that what it returns may point into the engine's state.
func (e *Engine) state(pattern string, operation Operation, handle handler) {
	e.stream(pattern, operation, func(w http.ResponseWriter, c *call) error {
		e.mu.Lock()
		status, body, err := handle(c)
		var data []byte
		if err == nil && body != nil {
			if data, err = json.Marshal(body); err != nil {
				err = fmt.Errorf("encode the answer: %w", err)
			}
		}
		e.mu.Unlock()
		if err != nil {
			return err
		}
		writeBody(w, status, data)
		return nil
	})
}

// stream registers a handler that writes its answer itself and takes mu when
// it needs it. An error it returns is written if nothing was before.
func (e *Engine) stream(pattern string, operation Operation, handle func(http.ResponseWriter, *call) error) {
	e.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			writeError(w, refuse(http.StatusBadRequest, "request body: %v", err))
			return
		}
		c := &call{Request: r, body: body, query: r.URL.Query(), version: versionOf(r.Context())}
		e.record.add(c, operation, e.now())
		defer e.record.done()
		e.faults.apply(w, c, operation, func(w http.ResponseWriter) {
			if err := handle(w, c); err != nil {
				writeError(w, err)
			}
		})
	})
}

func writeBody(w http.ResponseWriter, status int, data []byte) {
	if data == nil {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n'))
}

func writeError(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	var refused *refusal
	if errors.As(err, &refused) {
		status = refused.status
	}
	if status == http.StatusNotModified {
		w.WriteHeader(status)
		return
	}
	data, _ := json.Marshal(map[string]string{"message": err.Error()})
	writeBody(w, status, data)
}
