package main

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"hermes-sandbox/model"
)

func TestMetricsAddress(t *testing.T) {
	for text, want := range map[string]string{
		"127.0.0.1:9464": "127.0.0.1:9464", ":9464": "127.0.0.1:9464", "localhost:1": "127.0.0.1:1", "[::1]:9464": "[::1]:9464",
		"0.0.0.0:9464": "", "[::]:9464": "", "192.0.2.7:9464": "", "example.com:9464": "", "9464": "", "127.0.0.1:http": "",
	} {
		got, err := metricsAddress(text)
		if want == "" && err == nil || want != "" && (err != nil || got.String() != want) {
			t.Errorf("%s: %s, %v; want %q", text, got, err, want)
		}
	}
}

func TestMetricsAreServedToThisMachineOnly(t *testing.T) {
	var stderr bytes.Buffer
	a := &app{now: time.Now, stderr: &stderr}
	address, err := metricsAddress("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served, err := a.serveMetrics(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer served.stop()
	ask := func(method, path, host string) (int, string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, "http://"+served.listener.Addr().String()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(body)
	}
	if code, _ := ask(http.MethodGet, metricsPath, "localhost:9464"); code != http.StatusServiceUnavailable {
		t.Errorf("before the first look: status %d", code)
	}
	served.take(&model.Fleet{Engines: []model.Engine{{Name: "local", State: model.Live}}})
	if code, body := ask(http.MethodGet, metricsPath, ""); code != http.StatusOK || !strings.Contains(body, `hermes_sandbox_engine_up{engine="local"} 1`) {
		t.Errorf("status %d: %s", code, body)
	}
	for name, c := range map[string]struct {
		method, path, host string
		want               int
	}{
		"another site":   {http.MethodGet, metricsPath, "rebound.example:9464", http.StatusMisdirectedRequest},
		"another path":   {http.MethodGet, "/", "127.0.0.1", http.StatusNotFound},
		"another method": {http.MethodPost, metricsPath, "127.0.0.1", http.StatusMethodNotAllowed},
	} {
		if code, _ := ask(c.method, c.path, c.host); code != c.want {
			t.Errorf("%s: status %d, want %d", name, code, c.want)
		}
	}
}
