package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"hermes-sandbox/model"
)

// metricsPath is where Prometheus looks by itself.
const metricsPath = "/metrics"

// metricsServer serves the figures of the newest fleet. It knows nothing but
// counts and the names of engines.
type metricsServer struct {
	now      func() time.Time
	newest   atomic.Pointer[model.Fleet]
	listener net.Listener
	server   *http.Server
	done     chan struct{}
}

// metricsAddress checks where figures are to be served: on this machine only,
// since whoever reads them needs no password.
func metricsAddress(text string) (netip.AddrPort, error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("--metrics %s is no address; write one such as 127.0.0.1:9464", model.NewText(text))
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	address, err := netip.ParseAddrPort(net.JoinHostPort(host, port))
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("--metrics %s needs an IP address and a port, such as 127.0.0.1:9464", model.NewText(text))
	}
	if !address.Addr().IsLoopback() {
		return netip.AddrPort{}, fmt.Errorf("--metrics %s would answer to other machines; serve on a loopback address and put a proxy that asks who is there in front",
			model.NewText(text))
	}
	return address, nil
}

// serveMetrics begins to serve until stop is called.
func (a *app) serveMetrics(ctx context.Context, address netip.AddrPort) (*metricsServer, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address.String())
	if err != nil {
		return nil, fmt.Errorf("serve metrics: %w; name a free port with --metrics", err)
	}
	m := &metricsServer{now: a.now, listener: listener, done: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+metricsPath, m.answer)
	const patience = 10 * time.Second
	m.server = &http.Server{
		Handler: localOnly(mux), ReadHeaderTimeout: patience, ReadTimeout: patience, WriteTimeout: patience, IdleTimeout: time.Minute,
		MaxHeaderBytes: 16 << 10,
	}
	a.spawn(func() {
		defer close(m.done)
		if err := m.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			a.note("metrics are not served any more: %s", model.NewText(err.Error()))
		}
	})
	return m, nil
}

// localOnly refuses what a browser was sent by another site: its Host header
// names that site, whatever the address behind it is.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		address, err := netip.ParseAddr(host)
		if host != "localhost" && (err != nil || !address.IsLoopback()) {
			http.Error(w, "the host is not this machine", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// take makes a fleet the one that is served. It must not change any more.
func (m *metricsServer) take(fleet *model.Fleet) { m.newest.Store(fleet) }

func (m *metricsServer) answer(w http.ResponseWriter, _ *http.Request) {
	fleet := m.newest.Load()
	if fleet == nil {
		http.Error(w, "no engine has answered yet", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", model.MetricsType)
	_, _ = w.Write(model.Metrics(fleet, m.now()))
}

// stop ends serving and waits for it.
func (m *metricsServer) stop() {
	_ = m.server.Close()
	<-m.done
}
