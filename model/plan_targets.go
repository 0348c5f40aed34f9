package model

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"
)

// newPlan returns an empty plan of an action.
func newPlan(action Action) Plan {
	return Plan{Schema: Schema, Action: action, Config: []ConfigEdit{}, Targets: []Target{}}
}

// MarshalJSON writes the plan with empty arrays instead of null.
func (p Plan) MarshalJSON() ([]byte, error) {
	type plain Plan
	p.Config, p.Targets = present(p.Config), present(p.Targets)
	return json.Marshal(plain(p)) //nolint:wrapcheck // the caller's encoder says what it encodes
}

// MarshalJSON writes the target with empty arrays instead of null.
func (t Target) MarshalJSON() ([]byte, error) {
	type plain Target
	t.Loses, t.Warnings = present(t.Loses), present(t.Warnings)
	return json.Marshal(plain(t)) //nolint:wrapcheck // the caller's encoder says what it encodes
}

// newTarget is the row of a sandbox before anything is decided, with the
// identity it must still have when the call is made.
func newTarget(s *Sandbox) Target {
	return Target{
		Engine: s.Engine, ID: s.ID, Name: s.Name, Profile: s.Profile, Task: s.Task, State: s.State,
		Method: MethodNone, Loses: []Loss{}, Warnings: []string{},
		Expect: Expect{
			CreatedAt: s.CreatedAt.Time, StartedAt: s.StartedAt.Time, State: s.State, Labels: maps.Clone(s.Labels),
		},
	}
}

func (t *Target) act(method Method, reason string) {
	t.Decision, t.Method, t.Reason, t.Outcome = DecisionAct, method, reason, OutcomePlanned
}

func (t *Target) skip(reason string) {
	t.Decision, t.Method, t.Reason, t.Outcome = DecisionSkip, MethodNone, reason, OutcomeSkipped
	t.Loses, t.Warnings = []Loss{}, []string{}
}

func (t *Target) refuse(reason string) {
	t.skip(reason)
	t.Decision, t.Outcome = DecisionRefuse, OutcomeRefused
}

// rowDecision fills in the row of a sandbox that actions may touch.
type rowDecision func(index *planIndex, s *Sandbox, target *Target)

// planEach makes a plan with one row per key, in the order of the keys, each
// once. Rows that no action may touch are refused before decide sees them.
// Alone tells that the person named one sandbox and nothing else.
func planEach(fleet *Fleet, action Action, keys []Key, alone bool, decide rowDecision) Plan {
	plan, index := newPlan(action), newPlanIndex(fleet)
	seen := map[Key]bool{}
	for _, key := range keys {
		if seen[key] {
			continue
		}
		seen[key] = true
		s := index.sandboxes[key]
		if s == nil {
			gone := Target{Engine: key.Engine, ID: key.ID}
			gone.refuse("it is no longer there")
			plan.Targets = append(plan.Targets, gone)
			continue
		}
		target := newTarget(s)
		reason := untouchable(fleet, s)
		if reason == "" && s.Foreign && !alone {
			reason = "foreign: without a profile or task label it is only acted on when named alone"
		}
		if reason != "" {
			target.refuse(reason)
		} else {
			decide(index, s, &target)
		}
		plan.Targets = append(plan.Targets, target)
	}
	return plan
}

// untouchable says why no action may touch a sandbox at all, empty when one
// may: what is shown of it must be young, whole and of a known identity.
func untouchable(fleet *Fleet, s *Sandbox) string {
	engine := fleet.Engine(s.Engine)
	switch {
	case engine == nil:
		return "its engine is not known"
	case engine.State == Down && engine.Error != "":
		return "its engine is down: " + engine.Error
	case engine.State != Live:
		return "its engine is " + string(engine.State) + ": what is shown may be out of date"
	case !s.ID.Valid():
		return "its ID is not one an engine gives"
	case s.Problem != "":
		return "what the engine says of it could not be read: " + s.Problem
	case s.InspectError != "":
		return "it could not be inspected: " + s.InspectError
	case !s.Inspected:
		return "it has not been inspected yet; try again in a moment"
	}
	return ""
}

// stateWord is a state for a sentence, safe to show.
func stateWord(state State) string {
	if state == "" {
		return "in no known state"
	}
	return NewText(string(state)).Display()
}

// plural writes a count with its noun.
func plural(count int, one, many string) string {
	if count == 1 {
		return "1 " + one
	}
	return strconv.Itoa(count) + " " + many
}

// displayAll returns the display form of texts.
func displayAll(texts []Text) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = text.Display()
	}
	return out
}

// hasProcesses reports whether there are processes in a sandbox.
func hasProcesses(state State) bool {
	return hasState([]State{StateRunning, StatePaused, StateRestarting}, state)
}

func hasState(states []State, state State) bool { return slices.Contains(states, state) }

// seconds writes a number of whole seconds as an age.
func seconds(count int) string { return ShortAge(time.Duration(count) * time.Second) }
