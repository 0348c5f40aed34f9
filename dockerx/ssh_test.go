//go:build unix

package dockerx

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/model"
)

// fakeSSH puts a script named ssh before all others and returns the file it
// writes its arguments and process id to.
func fakeSSH(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	note := filepath.Join(dir, "note")
	body := "#!/bin/sh\necho \"$$ $@\" > " + note + "\n" + script + "\n"
	if err := os.WriteFile(filepath.Join(dir, "ssh"), []byte(body), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return note
}

func sshClient(t *testing.T) *Client {
	t.Helper()
	endpoints, err := Resolve(Options{Hosts: []string{"ssh://user@box"}})
	if err != nil {
		t.Fatal(err)
	}
	return clientFor(t, endpoints[0])
}

func TestSSHNeverPrompts(t *testing.T) {
	note := fakeSSH(t, `echo "Host key verification failed." >&2; exit 255`)
	_, err := sshClient(t).connect(t.Context())
	wantReason(t, err, ReasonHelper, "Host key verification failed", "ssh user@box docker version")
	arguments, readErr := os.ReadFile(note)
	if readErr != nil {
		t.Fatal(readErr)
	}
	for _, part := range []string{"BatchMode=yes", "ConnectTimeout=8", "user", "box", "dial-stdio"} {
		if !strings.Contains(string(arguments), part) {
			t.Errorf("ssh was called with %s, without %s", arguments, part)
		}
	}
}

func TestSSHThatHangsIsEndedWithTheClient(t *testing.T) {
	note := fakeSSH(t, `exec sleep 1000`)
	client := sshClient(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := client.connect(ctx)
		done <- err
	}()
	pid := waitForProcess(t, note)
	cancel()
	if err := <-done; err == nil {
		t.Error("connect succeeded")
	}
	client.Close()
	waitUntil(t, "the ssh process has ended", func() bool {
		_, err := os.Stat(filepath.Join("/proc", pid))
		return os.IsNotExist(err)
	})
}

func TestSSHFailureMakesTheEngineDown(t *testing.T) {
	fakeSSH(t, `exit 255`)
	if snapshot := sshClient(t).Snapshot(t.Context()); snapshot.Engine.State != model.Down || snapshot.Engine.Local {
		t.Errorf("engine %+v", snapshot.Engine)
	}
}

// waitForProcess returns the process id the script noted.
func waitForProcess(t *testing.T, note string) string {
	t.Helper()
	var pid string
	waitUntil(t, "ssh has started", func() bool {
		data, err := os.ReadFile(note)
		if err != nil || !strings.Contains(string(data), " ") {
			return false
		}
		pid = strings.Fields(string(data))[0]
		return true
	})
	return pid
}

// waitUntil looks again and again until something outside this process holds.
func waitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(enginetest.Wait)
	for !holds() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("not so in time: %s", what)
		}
	}
}
