//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
)

// countingProxy stands between the program and an engine and counts the
// requests.
type countingProxy struct {
	host     string
	requests atomic.Int64
	listener net.Listener
	folder   string
}

func newCountingProxy(ctx context.Context, engine string) (*countingProxy, error) {
	folder, err := os.MkdirTemp("", "hermes-sandbox-bench-")
	if err != nil {
		return nil, fmt.Errorf("folder of the proxy: %w", err)
	}
	path := filepath.Join(folder, "docker.sock")
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("socket of the proxy: %w", err)
	}
	p := &countingProxy{host: "unix://" + path, listener: listener, folder: folder}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.carry(ctx, client, strings.TrimPrefix(engine, "unix://"))
		}
	}()
	return p, nil
}

// carry connects a client to the engine.
func (p *countingProxy) carry(ctx context.Context, client net.Conn, path string) {
	defer func() { _ = client.Close() }()
	var dialer net.Dialer
	engine, err := dialer.DialContext(ctx, "unix", path)
	if err != nil {
		return
	}
	defer func() { _ = engine.Close() }()
	go func() {
		_, _ = io.Copy(engine, io.TeeReader(client, &requestCounter{count: &p.requests}))
		_ = engine.Close()
	}()
	_, _ = io.Copy(client, engine)
}

func (p *countingProxy) close() {
	_ = p.listener.Close()
	_ = os.RemoveAll(p.folder)
}

// requestCounter counts the request lines that pass.
type requestCounter struct {
	count *atomic.Int64
	rest  []byte // the end of what passed, where a mark may begin
}

func (c *requestCounter) Write(data []byte) (int, error) {
	mark := []byte(" HTTP/1.1\r\n")
	all := slices.Concat(c.rest, data)
	c.count.Add(int64(bytes.Count(all, mark)))
	if at := bytes.LastIndex(all, mark); at >= 0 {
		all = all[at+len(mark):]
	}
	c.rest = bytes.Clone(all[max(0, len(all)-len(mark)+1):])
	return len(data), nil
}
