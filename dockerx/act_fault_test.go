package dockerx

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

// faultyAction is one method with the call a fault hits, and how the engine
// itself tells that the aim was reached.
type faultyAction struct {
	method model.Method
	state  string // of the container before
	op     simengine.Operation
	// reached looks at the true state and networks after the action.
	reached func(state, attached string) bool
}

func faultyActions() map[string]faultyAction {
	is := func(wanted string) func(string, string) bool {
		return func(state, _ string) bool { return state == wanted }
	}
	on := func(wanted string) func(string, string) bool {
		return func(_, attached string) bool { return attached == wanted }
	}
	cut := func(_, attached string) bool { return attached == "none" || attached == "" }
	return map[string]faultyAction{
		"remove":             {model.MethodRemove, "exited", simengine.Remove, is("gone")},
		"remove by force":    {model.MethodRemoveForce, "running", simengine.Remove, is("gone")},
		"start":              {model.MethodStart, "exited", simengine.Start, is("running")},
		"stop":               {model.MethodStop, "running", simengine.Stop, is("exited")},
		"pause":              {model.MethodPause, "running", simengine.Pause, is("paused")},
		"unpause":            {model.MethodUnpause, "paused", simengine.Unpause, is("running")},
		"stop-remove, stop":  {model.MethodStopRemove, "running", simengine.Stop, is("gone")},
		"stop-remove":        {model.MethodStopRemove, "running", simengine.Remove, is("gone")},
		"stop-remove, exec":  {model.MethodStopRemove, "running", simengine.ExecInspect, is("gone")},
		"cut":                {model.MethodCut, "running", simengine.Disconnect, cut},
		"cut, latch":         {model.MethodCut, "running", simengine.Connect, cut},
		"cut, network list":  {model.MethodCut, "running", simengine.NetworkList, cut},
		"reconnect, connect": {model.MethodReconnectHot, "running", simengine.Connect, on("bridge")},
		"reconnect, unlatch": {model.MethodReconnectHot, "running", simengine.Disconnect, on("bridge")},
		"reconnect, stop":    {model.MethodReconnect, "running", simengine.Stop, on("bridge")},
		"move, leave":        {model.MethodMove, "running", simengine.Disconnect, on(listA)},
		"move, arrive":       {model.MethodMove, "running", simengine.Connect, on(listA)},
		"move, network list": {model.MethodMove, "running", simengine.NetworkList, on(listA)},
		"move, network":      {model.MethodMove, "running", simengine.NetworkInspect, on(listA)},
		"reconnect, start":   {model.MethodReconnect, "running", simengine.Start, func(state, attached string) bool { return state == "running" && attached == "bridge" }},
	}
}

// onePerMethod leaves out actions that differ only in the call a fault hits.
func onePerMethod() map[string]faultyAction {
	actions, seen := map[string]faultyAction{}, map[model.Method]bool{}
	for name, action := range faultyActions() {
		if !seen[action.method] {
			seen[action.method] = true
			actions[name] = action
		}
	}
	return actions
}

// actionFaults are all kinds of faults that end by themselves or with the client.
func actionFaults() map[string]simengine.Fault {
	faults := map[string]simengine.Fault{}
	for _, kind := range simengine.Kinds() {
		switch kind {
		case simengine.StatusCode, simengine.CutStream:
		case simengine.HugeBody:
			faults[string(kind)] = simengine.Fault{Kind: kind, Size: 9 << 20}
		case simengine.DeepNesting:
			faults[string(kind)] = simengine.Fault{Kind: kind, Size: 1000}
		case simengine.SlowBytes:
			faults[string(kind)] = simengine.Fault{Kind: kind, Delay: time.Microsecond}
		default:
			faults[string(kind)] = simengine.Fault{Kind: kind}
		}
	}
	faults["page not found"] = simengine.Fault{Kind: simengine.HTMLBody, Status: http.StatusNotFound}
	for _, status := range []int{400, 401, 403, 404, 409, 429, 500, 501, 502, 503, 504} {
		faults["status "+strconv.Itoa(status)] = simengine.Fault{Kind: simengine.StatusCode, Status: status, Message: "made up \x1b[31m"}
	}
	return faults
}

// TestActionFaultsDuringTheCall breaks the call itself in every way. Whatever the
// engine answered, what is reported must agree with what is true, or say that
// it is not known.
func TestActionFaultsDuringTheCall(t *testing.T) {
	for actionName, action := range faultyActions() {
		for faultName, fault := range actionFaults() {
			t.Run(actionName+"/"+faultName, func(t *testing.T) {
				t.Parallel()
				s := newFaultScene(t, action)
				s.engine.Faults().Set(action.op, fault)
				s.actAndJudge(t, false)
			})
		}
	}
}

// inspectFaults leaves out the one answer that is believed: an engine that says
// it has no such container.
func inspectFaults() map[string]simengine.Fault {
	faults := actionFaults()
	delete(faults, "status 404")
	return faults
}

// TestActionFaultsBeforeTheCall breaks the re-inspect: nothing may be sent unless the
// answer could be read.
func TestActionFaultsBeforeTheCall(t *testing.T) {
	for actionName, action := range onePerMethod() {
		for faultName, fault := range inspectFaults() {
			t.Run(actionName+"/"+faultName, func(t *testing.T) {
				t.Parallel()
				s := newFaultScene(t, action)
				s.engine.Faults().Set(simengine.Inspect, fault)
				s.actAndJudge(t, harmful(fault))
			})
		}
	}
}

// harmful reports whether an answer with this fault cannot be relied upon.
func harmful(fault simengine.Fault) bool {
	switch fault.Kind {
	case simengine.Latency, simengine.SlowBytes, simengine.DuplicateKeys:
		return false
	default:
		return true
	}
}

// TestActionFaultsAfterTheCall breaks the inspects that look at what came of it.
func TestActionFaultsAfterTheCall(t *testing.T) {
	for actionName, action := range onePerMethod() {
		for faultName, fault := range inspectFaults() {
			t.Run(actionName+"/"+faultName, func(t *testing.T) {
				t.Parallel()
				s := newFaultScene(t, action)
				var inspects atomic.Int32
				fault.When = func(simengine.Request) bool { return inspects.Add(1) > 1 }
				s.engine.Faults().Set(simengine.Inspect, fault)
				s.actAndJudge(t, false)
			})
		}
	}
}

// faultScene is one container on a simulated engine with a plan for it.
type faultScene struct {
	engine *simengine.Engine
	rig    *rig
	action faultyAction
	actor  *Actor
	plan   model.Plan
	id     model.ID
}

func newFaultScene(t *testing.T, action faultyAction) *faultScene {
	t.Helper()
	engine, e := simulation(t)
	id, err := engine.Add(simengine.Spec{
		Name: "target", State: action.state, Image: e.Image, Labels: map[string]string{"hermes-agent": "1"},
		Execs: [][]string{},
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Connect(Endpoint{Name: "test", Host: engine.Host()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	store := newFakeStore()
	actor := NewActor(map[string]*Client{"test": c}, &fakeJournal{engine: newFakeEngine()}, ActorOptions{
		Cuts: store, CallTimeout: 300 * time.Millisecond, Own: func(model.ID) bool { return false },
	})
	s := &faultScene{engine: engine, rig: e, action: action, actor: actor, id: model.ID(id)}
	switch action.method {
	case model.MethodReconnect, model.MethodReconnectHot:
		patient := NewActor(map[string]*Client{"test": c}, &fakeJournal{engine: newFakeEngine()}, ActorOptions{
			Cuts: store, Own: func(model.ID) bool { return false },
		})
		if cut := act(t, patient, c, model.ActionLockdownOn, model.MethodCut, s.id)[0]; cut.Outcome != model.OutcomeDone {
			t.Fatalf("it could not be cut first: %s", cut.Error)
		}
	case model.MethodStopRemove:
		exec, err := engine.Begin(id, "true")
		if err != nil {
			t.Fatal(err)
		}
		engine.End(exec)
	default:
	}
	s.plan = planFor(model.ActionRemove, action.method, inspected(t, c, s.id)...)
	if action.method == model.MethodMove {
		engine.AddImage(egressTestImage, simengine.Config{Entrypoint: []string{"/hermes-sandbox", "egress-proxy"}})
		if _, err := connectTo(t, e.Engine).EnsureEgress(t.Context(), EgressSpec{Allow: allowlistOf(listA), Image: egressTestImage}); err != nil {
			t.Fatal(err)
		}
		s.plan.Targets[0].Allowlist = allowlistOf(listA)
	}
	engine.ForgetRequests()
	return s
}

// actAndJudge carries the plan out and compares the report with the truth.
func (s *faultScene) actAndJudge(t *testing.T, nothingSent bool) {
	t.Helper()
	result, err := s.actor.Execute(t.Context(), s.plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	target := result.Targets[0]
	s.engine.Faults().Clear()
	state, attached := stateOf(t, s.rig, s.id), ""
	if state != "gone" {
		attached = attachedOf(t, s.rig, s.id)
	}
	reached := s.action.reached(state, attached)
	switch target.Outcome {
	case model.OutcomeDone:
		if !reached {
			t.Errorf("reported as done (%v), but it is %s on %q", target.Warnings, state, attached)
		}
	case model.OutcomeFailed, model.OutcomeSkipped, model.OutcomeRefused:
		if reached {
			t.Errorf("reported as %s (%s), but it is %s on %q", target.Outcome, target.Error, state, attached)
		}
	case model.OutcomePartial:
		if reached {
			t.Errorf("reported as partial (%s), but it is %s on %q", target.Error, state, attached)
		}
	case model.OutcomeUnknown:
	default:
		t.Errorf("outcome %q", target.Outcome)
	}
	if target.Outcome != model.OutcomeDone && target.Error == "" {
		t.Error("no explanation")
	}
	if strings.ContainsRune(target.Error, 0x1b) {
		t.Errorf("raw control characters in %q", target.Error)
	}
	if nothingSent {
		for _, request := range s.engine.Requests() {
			if request.Method != http.MethodGet && request.Method != http.MethodHead {
				t.Errorf("sent %s %s after an answer that could not be read", request.Method, request.Path)
			}
		}
	}
}
