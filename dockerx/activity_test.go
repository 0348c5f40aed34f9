package dockerx

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

// execEvent is an event of a command in sandbox a, some seconds after noon.
func execEvent(action, exec, detail string, second int, more ...string) Event {
	event := Event{
		Type: "container", Action: action, Detail: model.NewText(detail), ID: sandboxID("a"),
		At:         time.Date(2026, 11, 30, 12, 0, second, 0, time.UTC),
		Attributes: map[string]model.Text{"hermes-agent": model.NewText("1"), "execID": model.NewText(exec)},
	}
	for i := 0; i+1 < len(more); i += 2 {
		event.Attributes[more[i]] = model.NewText(more[i+1])
	}
	return event
}

func keyA() model.Key { return model.Key{Engine: "e", ID: model.ID(sandboxID("a"))} }

// tell writes an activity's commands in short, newest first.
func tell(activity model.Activity) []string {
	var out []string
	for i := range activity.Commands {
		c := &activity.Commands[i]
		state := "runs"
		if c.Over {
			state = "over"
		}
		if c.ExitCode != nil {
			state = fmt.Sprint("exit ", *c.ExitCode)
		}
		took, _ := c.Took()
		out = append(out, fmt.Sprintf("%s: %s %s", c.Line, state, took))
	}
	return out
}

func TestActivityPairsEvents(t *testing.T) {
	t.Parallel()
	die := func(exec string, second int, code string) Event {
		return execEvent("exec_die", exec, "", second, "exitCode", code)
	}
	stranger := execEvent("exec_create", "9", "evil", 1)
	delete(stranger.Attributes, "hermes-agent")
	cases := map[string]struct {
		events []Event
		want   []string
	}{
		"one": {
			[]Event{execEvent("exec_create", "1", "ls", 1), execEvent("exec_start", "1", "ls", 2), die("1", 5, "2")},
			[]string{"ls: exit 2 3s"},
		},
		"two that overlap": {
			[]Event{execEvent("exec_create", "1", "a", 1), execEvent("exec_create", "2", "b", 2), die("2", 3, "0"), die("1", 4, "1")},
			[]string{"b: exit 0 1s", "a: exit 1 3s"},
		},
		"told twice": {
			[]Event{execEvent("exec_create", "1", "a", 1), die("1", 2, "0"), execEvent("exec_create", "1", "a", 1), die("1", 2, "0")},
			[]string{"a: exit 0 1s"},
		},
		"the past after the present": {
			[]Event{execEvent("exec_create", "2", "b", 5), execEvent("exec_create", "1", "a", 1), die("1", 2, "0")},
			[]string{"b: runs 0s", "a: exit 0 1s"},
		},
		"the sandbox stopped under it": {
			[]Event{execEvent("exec_create", "1", "a", 1), execEvent("die", "", "", 2)},
			[]string{"a: over 0s"},
		},
		"the sandbox is gone":  {[]Event{execEvent("exec_create", "1", "a", 1), execEvent("destroy", "", "", 2)}, nil},
		"the end alone":        {[]Event{die("1", 2, "0")}, []string{": exit 0 0s"}},
		"an odd exit code":     {[]Event{execEvent("exec_create", "1", "a", 1), die("1", 2, "x")}, []string{"a: over 1s"}},
		"hostile text":         {[]Event{execEvent("exec_create", "1", "a\x1b[2J: b", 1)}, []string{`a\x1b[2J: b: runs 0s`}},
		"no identifier":        {[]Event{execEvent("exec_create", "", "a", 1)}, nil},
		"no hermes container":  {[]Event{stranger}, nil},
		"another kind of news": {[]Event{execEvent("rename", "1", "a", 1)}, nil},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			book := NewActivityBook()
			for _, event := range tt.events {
				book.Note("e", event)
			}
			if diff := cmp.Diff(tt.want, tell(book.Of(keyA()))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestActivityIsBounded(t *testing.T) {
	t.Parallel()
	book := NewActivityBook()
	for i := range activityKept + 10 {
		book.Note("e", execEvent("exec_create", fmt.Sprint(i), strings.Repeat("x", activityLine+5), i))
	}
	activity := book.Of(keyA())
	if len(activity.Commands) != activityKept || activity.Dropped != 10 || activity.Commands[0].ExecID != fmt.Sprint(activityKept+9) {
		t.Errorf("%d kept, %d dropped, newest %s", len(activity.Commands), activity.Dropped, activity.Commands[0].ExecID)
	}
	if c := activity.Commands[0]; len(c.Line.Raw()) != activityLine || c.Cut != 5 {
		t.Errorf("a line of %d bytes, %d cut", len(c.Line.Raw()), c.Cut)
	}
	before := activity.Revision
	book.Note("e", execEvent("exec_create", "0", "old", 0))
	if after := book.Of(keyA()); after.Revision != before {
		t.Error("a command that was dropped came back")
	}
	for i := range activityBoxes + 5 {
		event := execEvent("exec_create", "1", "x", 1)
		event.ID = fmt.Sprintf("%064x", i)
		book.Note("e", event)
	}
	if len(book.boxes) > activityBoxes {
		t.Errorf("%d sandboxes are kept", len(book.boxes))
	}
}

func TestActivityWaitsForNews(t *testing.T) {
	t.Parallel()
	book := NewActivityBook()
	book.Note("e", execEvent("exec_create", "1", "a", 1))
	first, err := book.Wait(t.Context(), keyA(), 0)
	if err != nil || len(first.Commands) != 1 {
		t.Fatalf("%+v, %v", first, err)
	}
	news := make(chan model.Activity, 1)
	go func() {
		activity, _ := book.Wait(t.Context(), keyA(), first.Revision)
		news <- activity
	}()
	book.Note("other", execEvent("exec_create", "2", "b", 2))
	book.Note("e", execEvent("exec_die", "1", "", 2, "exitCode", "0"))
	if got := <-news; !got.Commands[0].Over {
		t.Errorf("%+v", got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := book.Wait(ended, keyA(), book.Of(keyA()).Revision); err == nil {
		t.Error("a wait that was ended has no error")
	}
}

func TestPastEventsFillTheBook(t *testing.T) {
	t.Parallel()
	engine, client := onSimulated(t, simengine.Options{})
	id, err := engine.Add(simengine.Spec{Name: "box", Labels: map[string]string{"hermes-agent": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	engine.SetClockOffset(-10 * time.Second) // the running second is left to the live stream
	exec, err := engine.Begin("box", "make", "test")
	if err != nil {
		t.Fatal(err)
	}
	engine.End(exec)
	engine.SetClockOffset(0)
	book := NewActivityBook()
	if _, err := client.PastEvents(t.Context(), func(event Event) { book.Note("e", event) }); err != nil {
		t.Fatal(err)
	}
	got := book.Of(model.Key{Engine: "e", ID: model.ID(id)})
	if len(got.Commands) != 1 || got.Commands[0].Line.Raw() != "make test" || got.Commands[0].ExitCode == nil {
		t.Errorf("%+v", got)
	}
}

func TestActivityTellsTheLastUse(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	at := func(second int) time.Time { return noon.Add(time.Duration(second) * time.Second) }
	running := model.Container{ID: model.ID(sandboxID("a")), State: model.StateRunning}
	cases := map[string]struct {
		events  []Event
		tracked []string
		state   model.State
		want    map[model.ID]model.Use
	}{
		"none":              {nil, nil, model.StateRunning, map[model.ID]model.Use{}},
		"one that ended":    {[]Event{execEvent("exec_create", "1", "a", 1), execEvent("exec_die", "1", "", 5, "exitCode", "0")}, nil, model.StateRunning, map[model.ID]model.Use{running.ID: {LastAt: at(5)}}},
		"one that runs":     {[]Event{execEvent("exec_create", "1", "a", 1), execEvent("exec_start", "1", "a", 2)}, []string{"1"}, model.StateRunning, map[model.ID]model.Use{running.ID: {Running: 1, LastAt: at(2)}}},
		"from before":       {nil, []string{"7"}, model.StateRunning, map[model.ID]model.Use{running.ID: {Running: 1}}},
		"ended since":       {[]Event{execEvent("exec_create", "1", "a", 1), execEvent("exec_die", "1", "", 5)}, []string{"1"}, model.StateRunning, map[model.ID]model.Use{running.ID: {LastAt: at(5)}}},
		"it does not run":   {[]Event{execEvent("exec_create", "1", "a", 1)}, []string{"1"}, model.StateExited, map[model.ID]model.Use{}},
		"of another engine": {nil, nil, model.StateRunning, map[model.ID]model.Use{}},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			book := NewActivityBook()
			for _, event := range tt.events {
				book.Note("e", event)
			}
			book.Note("other", execEvent("exec_create", "1", "a", 9))
			container := running
			container.State, container.ExecIDs = tt.state, tt.tracked
			if got := book.Use("e", []*model.Container{&container}); !got.From.IsZero() || !cmp.Equal(tt.want, got.Of) {
				t.Errorf("from %s: %s", got.From, cmp.Diff(tt.want, got.Of))
			}
			book.Caught("e", noon)
			if got := book.Use("e", nil).From; !got.Equal(noon) {
				t.Errorf("after the past was read nothing was missed since %s", got)
			}
			if book.Lost("e"); !book.Use("e", nil).From.IsZero() {
				t.Error("a broken stream has missed nothing")
			}
		})
	}
}

func TestActivityThatWasDroppedIsNoIdleness(t *testing.T) {
	t.Parallel()
	book := NewActivityBook()
	book.Caught("e", time.Date(2026, 11, 30, 11, 0, 0, 0, time.UTC))
	first := execEvent("exec_create", "1", "x", 30)
	book.Note("e", first)
	for i := range activityBoxes {
		event := execEvent("exec_create", "1", "x", 40)
		event.ID = fmt.Sprintf("%064x", i)
		book.Note("e", event)
	}
	if use := book.Use("e", []*model.Container{{ID: model.ID(first.ID), State: model.StateRunning}}); len(use.Of) != 0 || !use.From.Equal(first.At) {
		t.Errorf("after its commands were dropped: %+v", use)
	}
}
