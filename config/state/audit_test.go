package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hermes-sandbox/model"

	"github.com/google/go-cmp/cmp"
)

func target(name string, method model.Method, outcome model.Outcome) model.Target {
	return model.Target{
		Engine: "e", ID: model.ID(strings.Repeat("a", 64)), Name: model.NewText(name), State: model.StateRunning,
		Decision: model.DecisionAct, Method: method, Outcome: outcome,
		Expect: model.Expect{Labels: model.Labels{model.NewText("token"): model.NewText("s3cret")}},
	}
}

func plan(action model.Action, targets ...model.Target) model.Plan {
	return model.Plan{Schema: 1, Action: action, Targets: targets}
}

func TestAuditIntentAndResults(t *testing.T) {
	s := open(t)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s.now, s.user = func() time.Time { return at }, "me"
	audit := s.Audit()
	cut := target("box\x1b[2J\u202e", model.MethodCut, model.OutcomePlanned)
	n, err := audit.Intent(plan(model.ActionLockdownOn, cut))
	if err != nil || n != 1 {
		t.Fatalf("n %d, error %v", n, err)
	}
	done := cut
	done.Outcome = model.OutcomeDone
	if err := audit.Result(n, model.ActionLockdownOn, done); err != nil {
		t.Fatal(err)
	}
	gone := target("other", model.MethodRemove, model.OutcomeDone)
	if n, err = audit.Intent(plan(model.ActionRemove, gone)); err != nil || n != 2 {
		t.Fatalf("n %d, error %v", n, err)
	}
	failed := target("other", model.MethodStop, model.OutcomeFailed)
	if err := audit.Result(n, model.ActionStop, failed); err != nil {
		t.Fatal(err)
	}

	entries, err := audit.Read()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintf("%d %s %s %s %s undo=%v %s", e.N, e.User, e.Action, e.Phase, e.Outcome, e.Undo, e.Time.Format(time.RFC3339)))
	}
	want := []string{
		"1 me lockdown-on intent planned undo=true 2026-01-02T03:04:05Z",
		"1 me lockdown-on result done undo=true 2026-01-02T03:04:05Z",
		"2 me remove intent planned undo=false 2026-01-02T03:04:05Z",
		"2 me stop result failed undo=false 2026-01-02T03:04:05Z",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries differ (-want +got):\n%s", diff)
	}
	if name := entries[0].Plan.Targets[0].Name; name != cut.Name {
		t.Errorf("name %q did not come back", name.Raw())
	}

	path := filepath.Join(s.Path(), auditName)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Count(data, []byte("\n")) != 4 || bytes.ContainsAny(data, "\x1b") || bytes.Contains(data, []byte("\u202e")) {
		t.Errorf("not one clean line per record: %q", data)
	}
	if bytes.Contains(data, []byte("s3cret")) {
		t.Error("labels are not for the audit")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
}

func TestPolicyEditCanBeUndone(t *testing.T) {
	s := open(t)
	if _, err := s.Audit().Intent(model.Plan{Action: model.ActionLockdownOff, Config: []model.ConfigEdit{{Key: "terminal.docker_network", Outcome: model.OutcomePlanned}}}); err != nil {
		t.Fatal(err)
	}
	entries, err := s.Audit().Read()
	if err != nil || len(entries) != 1 || !entries[0].Undo {
		t.Errorf("entries %v, error %v", entries, err)
	}
}

func TestAuditReadsAroundDamage(t *testing.T) {
	cases := map[string]struct {
		damage string
		next   int64
	}{
		"a torn line keeps its number": {`{"n":7,"time":"2026`, 8},
		"torn inside the number":       {`{"n":7`, 2},
		"no JSON":                      {"hello\n\x00\x00\n", 2},
		"another shape":                {"[1]\n{}\n{\"n\":\"x\"}\n", 2},
		"empty lines":                  {"\n\n", 2},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			audit := s.Audit()
			if _, err := audit.Intent(plan(model.ActionReap)); err != nil {
				t.Fatal(err)
			}
			file, err := os.OpenFile(filepath.Join(s.Path(), auditName), os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := file.WriteString(c.damage); err != nil {
				t.Fatal(err)
			}
			if err := file.Close(); err != nil {
				t.Fatal(err)
			}
			n, err := audit.Intent(plan(model.ActionStop))
			if err != nil || n != c.next {
				t.Fatalf("n %d, error %v; want %d", n, err, c.next)
			}
			entries, err := audit.Read()
			if err != nil || len(entries) != 2 || entries[1].Action != model.ActionStop {
				t.Errorf("entries %v, error %v", entries, err)
			}
		})
	}
}

func TestAuditRotates(t *testing.T) {
	s := open(t)
	audit := s.Audit()
	audit.limit = 2000
	const count = 60
	for want := int64(1); want <= count; want++ {
		n, err := audit.Intent(plan(model.ActionRemove, target("box", model.MethodRemove, model.OutcomePlanned)))
		if err != nil || n != want {
			t.Fatalf("n %d, error %v; want %d", n, err, want)
		}
	}
	names, err := filepath.Glob(filepath.Join(s.Path(), auditName+"*"))
	if err != nil || len(names) != 1+auditKept {
		t.Errorf("files %q, error %v", names, err)
	}
	entries, err := audit.Read()
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) == count || entries[len(entries)-1].N != count {
		t.Errorf("%d entries, last %d: the oldest should be gone and the newest there", len(entries), entries[len(entries)-1].N)
	}
	if !slices.IsSortedFunc(entries, func(a, b model.AuditEntry) int { return int(a.N - b.N) }) {
		t.Error("entries are out of order")
	}
}

func TestNoIntentInAFolderThatCannotBeWritten(t *testing.T) {
	s := open(t)
	// Root may write anywhere, so the folder is taken away instead of closed.
	if err := os.RemoveAll(s.Path()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Audit().Intent(plan(model.ActionRemove)); err == nil {
		t.Error("an intent without a folder")
	}
	s = open(t)
	if err := os.Mkdir(filepath.Join(s.Path(), auditName), 0o700); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Audit().Intent(plan(model.ActionRemove)); err == nil || n != 0 {
		t.Errorf("an intent into a folder: n %d, error %v", n, err)
	}
	s = open(t)
	if err := os.Symlink("/dev/full", filepath.Join(s.Path(), auditName)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Audit().Intent(plan(model.ActionRemove)); err == nil {
		t.Error("an intent through a link")
	}
}

// TestMain lets the test binary stand in for a second instance.
func TestMain(m *testing.M) {
	if dir := os.Getenv("AUDIT_WRITER_DIR"); dir != "" {
		os.Exit(writeIntents(dir))
	}
	os.Exit(m.Run())
}

const intentsEach = 15

func writeIntents(dir string) int {
	s, err := Open(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for range intentsEach {
		n, err := s.Audit().Intent(plan(model.ActionReap))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		if _, err := fmt.Fprintln(os.Stdout, n); err != nil {
			return 1
		}
	}
	return 0
}

func TestNumbersAreUniqueAcrossProcesses(t *testing.T) {
	s := open(t)
	const processes = 4
	outputs := make([]bytes.Buffer, processes)
	var group sync.WaitGroup
	for i := range processes {
		group.Go(func() {
			command := exec.Command(os.Args[0])
			command.Env = append(os.Environ(), "AUDIT_WRITER_DIR="+s.Path())
			command.Stdout, command.Stderr = &outputs[i], os.Stderr
			if err := command.Run(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	seen := map[int64]bool{}
	for i := range outputs {
		for line := range strings.Lines(outputs[i].String()) {
			n, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			if seen[n] {
				t.Errorf("number %d was given twice", n)
			}
			seen[n] = true
		}
	}
	if len(seen) != processes*intentsEach {
		t.Errorf("%d numbers, want %d", len(seen), processes*intentsEach)
	}
}

// FuzzAuditRead feeds arbitrary files: reading never fails, and the next
// number is never one that a readable entry has.
func FuzzAuditRead(f *testing.F) {
	line, err := json.Marshal(model.AuditEntry{N: 3, Action: model.ActionReap, Phase: model.PhaseIntent})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add([]byte("{\"n\":5,\n{\"n\":-1,}\n{\"n\":9223372036854775807,\"action\":\"x\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := open(t)
		if err := os.WriteFile(filepath.Join(s.Path(), auditName), data, 0o600); err != nil {
			t.Fatal(err)
		}
		entries, err := s.Audit().Read()
		if err != nil {
			t.Fatal(err)
		}
		n, err := s.Audit().Intent(plan(model.ActionReap))
		if err != nil {
			return
		}
		for _, entry := range entries {
			if entry.N == n {
				t.Errorf("number %d was given again", n)
			}
		}
	})
}
