package dockerx

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

const stampText = "2026-11-30T12:00:00.000000001Z "

// message frames a text as the engine does.
func message(stream byte, text string) string {
	header := make([]byte, 8)
	header[0] = stream
	binary.BigEndian.PutUint32(header[4:], uint32(len(text)))
	return string(header) + text
}

func TestLogFrames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", LogLineLimit)
	cases := map[string]struct {
		in       string
		terminal bool
		want     []string
		fails    bool
	}{
		"two streams":             {message(1, stampText+"out\n") + message(2, stampText+"err\n"), false, []string{"stdout out", "stderr err"}, false},
		"streams between parts":   {message(1, stampText+"a") + message(2, stampText+"x\n") + message(1, stampText+"b\n"), false, []string{"stderr x", "stdout ab"}, false},
		"empty line":              {message(1, stampText+"\n"), false, []string{"stdout "}, false},
		"no line end":             {message(1, stampText+"last"), false, []string{"stdout last"}, false},
		"binary":                  {message(1, stampText+"\x00\xff\x1b[2J\n"), false, []string{`stdout \x00\xff\x1b[2J`}, false},
		"overlong":                {message(1, stampText+long+"yz\n") + message(1, stampText+"next\n"), false, []string{"stdout " + long + " (+2 B)", "stdout next"}, false},
		"overlong in many parts":  {message(1, stampText+long) + message(1, stampText+"y") + message(1, stampText+"z\n"), false, []string{"stdout " + long + " (+2 B)"}, false},
		"no times":                {message(1, "plain text\n"), false, []string{"stdout plain text"}, false},
		"terminal":                {stampText + "a\r\n" + stampText + "b\r\n", true, []string{"terminal a", "terminal b"}, false},
		"terminal with odd bytes": {stampText + "\x01\x00\x00\x00\x00\x00\x00\x05\n", true, []string{`terminal \x01\x00\x00\x00\x00\x00\x00\x05`}, false},
		"nothing":                 {"", false, nil, false},
		"text where frames are":   {"hello, this is no frame", false, nil, true},
		"broken header":           {"\x01\x00\x00", false, nil, true},
		"broken message":          {message(1, stampText+"whole\n") + message(1, stampText+"half\n")[:20], false, []string{"stdout whole"}, true},
		"error of the engine":     {message(3, "the driver \x1b[2Jfailed"), false, nil, true},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for kind, body := range map[string]*bufio.Reader{
				"at once": bufio.NewReader(strings.NewReader(tt.in)), "in drops": bufio.NewReader(iotest.OneByteReader(strings.NewReader(tt.in))),
			} {
				var got []string
				reader := &logReader{from: body, each: func(line model.LogLine) error {
					got = append(got, string(line.Stream)+" "+line.Display())
					return nil
				}}
				read := reader.readFrames
				if tt.terminal {
					read = reader.readTerminal
				}
				err := read()
				if (err != nil) != tt.fails {
					t.Errorf("%s: error %v", kind, err)
				}
				if err != nil && strings.ContainsRune(err.Error(), 0x1b) {
					t.Errorf("%s: the error is not safe: %q", kind, err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%.600s", kind, diff)
				}
			}
		})
	}
}

func TestLogLinesCarryTheirTime(t *testing.T) {
	t.Parallel()
	reader := &logReader{from: bufio.NewReader(strings.NewReader(message(1, stampText+"a\n") + message(1, "b\n"))), each: func(line model.LogLine) error {
		if known := line.Text.Raw() == "a"; known == line.At.IsZero() {
			t.Errorf("line %s at %s", line.Text, line.At)
		}
		return nil
	}}
	if err := reader.readFrames(); err != nil {
		t.Fatal(err)
	}
}

func FuzzLogFrames(f *testing.F) {
	f.Add([]byte(message(1, stampText+"a\n")+message(2, "b")), false)
	f.Add([]byte(stampText+"a\r\n"), true)
	f.Fuzz(func(t *testing.T, in []byte, terminal bool) {
		kept := 0
		reader := &logReader{from: bufio.NewReader(bytes.NewReader(in)), each: func(line model.LogLine) error {
			kept += len(line.Text.Raw())
			if len(line.Text.Raw()) > LogLineLimit {
				t.Fatalf("a line of %d bytes", len(line.Text.Raw()))
			}
			return nil
		}}
		read := reader.readFrames
		if terminal {
			read = reader.readTerminal
		}
		_ = read() // an error is as good as lines
		if kept > len(in) {
			t.Fatalf("%d bytes of lines from %d bytes", kept, len(in))
		}
	})
}

// onSimulated returns a simulated engine and a client for it.
func onSimulated(t *testing.T, options simengine.Options, connect ...ConnectOption) (*simengine.Engine, *Client) {
	t.Helper()
	engine := simengine.New(options)
	if err := engine.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	client, err := Connect(Endpoint{Name: "simulated", Host: engine.Host(), Chosen: "test"}, connect...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return engine, client
}

func TestLogsFollowUntilTheReaderLeaves(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"1.41", "1.44"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			engine, client := onSimulated(t, simengine.Options{APIVersion: version})
			id, err := engine.Add(simengine.Spec{Name: "box", Logs: []string{"one", "two", "three"}})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			var got []string
			err = client.Logs(ctx, model.ID(id), LogOptions{Follow: true, Tail: 2}, func(line model.LogLine) error {
				got = append(got, line.Display())
				switch line.Text.Raw() {
				case "three":
					return engine.Print("box", "four")
				case "four":
					cancel()
				}
				return nil
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("ended with %v", err)
			}
			if diff := cmp.Diff([]string{"two", "three", "four"}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLogsOfATerminalAreNotSplit(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"1.41", "1.44"} {
		engine, client := onSimulated(t, simengine.Options{APIVersion: version})
		id, err := engine.Add(simengine.Spec{Name: "box", Tty: true, Logs: []string{"one", "two"}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		err = client.Logs(t.Context(), model.ID(id), LogOptions{Tail: -1}, func(line model.LogLine) error {
			got = append(got, string(line.Stream)+" "+line.Display())
			return nil
		})
		if diff := cmp.Diff([]string{"terminal one", "terminal two"}, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", version, err, diff)
		}
	}
}

func TestLogsStopAtTheReadersError(t *testing.T) {
	t.Parallel()
	engine, client := onSimulated(t, simengine.Options{})
	id, err := engine.Add(simengine.Spec{Name: "box", Logs: []string{"one", "two"}})
	if err != nil {
		t.Fatal(err)
	}
	full, seen := fmt.Errorf("full"), 0
	err = client.Logs(t.Context(), model.ID(id), LogOptions{Tail: -1}, func(model.LogLine) error { seen++; return full })
	if !errors.Is(err, full) || seen != 1 {
		t.Errorf("%v after %d lines", err, seen)
	}
}

func TestLogsOfAContainerThatIsGone(t *testing.T) {
	t.Parallel()
	_, client := onSimulated(t, simengine.Options{})
	for _, id := range []model.ID{model.ID(strings.Repeat("a", 64)), "../../info"} {
		err := client.Logs(t.Context(), id, LogOptions{}, func(model.LogLine) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "read the log") {
			t.Errorf("%s: %v", id, err)
		}
	}
}
