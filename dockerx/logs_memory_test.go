package dockerx

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"hermes-sandbox/model"
)

func TestHugeLogIsFollowedInBoundedMemory(t *testing.T) {
	const (
		size   = 100 << 20
		bounds = 60 << 20
		part   = 1 << 20
	)
	id := model.ID(strings.Repeat("a", 64))
	// Many short lines, then one line of a megabyte that comes in many parts.
	short := bytes.Repeat([]byte(message(1, stampText+strings.Repeat("s", 100)+"\n")), part/200)
	header := make([]byte, 8)
	header[0] = 2
	binary.BigEndian.PutUint32(header[4:], 16<<10)
	long := bytes.Repeat(append(header, bytes.Repeat([]byte("l"), 16<<10)...), part/(16<<10))
	long = append(long, message(2, "\n")...)
	engine := newMemoryEngine(t)
	engine.inspects[string(id)] = map[string]any{"Id": id, "Config": map[string]any{"Tty": false}}
	sent := make(chan int64, 1)
	engine.answers["/logs"] = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("follow") != "1" {
			http.Error(w, "not followed", http.StatusBadRequest)
			return
		}
		var written int64
		for written < size {
			for _, text := range [][]byte{short, long} {
				n, _ := io.Copy(w, bytes.NewReader(text))
				written += n
			}
		}
		sent <- written
	}
	client := engine.client(t)
	var lines, cut int
	var most uint64
	err := client.Logs(t.Context(), id, LogOptions{Follow: true, Tail: 10}, func(line model.LogLine) error {
		lines++
		if line.Cut > 0 {
			cut++
			if cut%10 == 1 {
				runtime.GC()
				var memory runtime.MemStats
				runtime.ReadMemStats(&memory)
				most = max(most, memory.HeapAlloc)
			}
			if len(line.Text.Raw()) > LogLineLimit {
				return fmt.Errorf("a line of %d bytes", len(line.Text.Raw()))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if written := <-sent; written < size || cut == 0 || lines < cut*part/200 {
		t.Errorf("%d bytes were sent; %d lines came, %d of them cut", written, lines, cut)
	}
	if most == 0 || most > bounds {
		t.Errorf("%d MB were in use", most>>20)
	}
	t.Logf("%d lines, at most %d MB in use", lines, most>>20)
}
