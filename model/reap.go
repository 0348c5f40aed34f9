package model

import (
	"fmt"
	"time"
)

// Limits of the reap verdict.
const (
	// maxSkew is how far an engine's clock may be off ours before ages on it
	// are not acted on: Hermes compares with its own host's clock (contract D).
	maxSkew = 60 * time.Second
	// clockGrain is how much a time of the engine may lie ahead of its clock,
	// which is read from a header that counts whole seconds.
	clockGrain = 2 * time.Second
	// minimumLifetime is the shortest idle window the reaper counts with, in
	// seconds (contract 4.1.3).
	minimumLifetime = 60
)

// reapValue is what a rule of the reap table stops with.
type reapValue struct {
	verdict   ReapVerdict
	reason    ReapReason
	inSeconds *int64
}

// reapSubject is a sandbox as one profile's reaper sees it.
type reapSubject struct {
	sandbox *Sandbox
	reaper  *Profile // whose process sweeps; nil: no profile with that label is known
	now     time.Time
	skew    time.Duration // engine minus ours; zero when not known
}

// age is the time since the sandbox finished, on the engine's clock.
func (r *reapSubject) age() time.Duration {
	age := r.now.Sub(r.sandbox.FinishedAt.Time)
	if age < 0 && age > -clockGrain {
		return 0
	}
	return age
}

// who names the profile that would sweep.
func (r *reapSubject) who() string { return r.reaper.Name.Display() }

type reapRule = rule[*reapSubject, reapValue]

// reapRules is the reaper's table (contract D) in its order, with the two
// questions of clocks and of an unreadable policy before the age.
func reapRules() []reapRule {
	return []reapRule{
		{"reaper on (D.1)", reapEnabled},
		{"label hermes-agent=1 (D.2)", reapMember},
		{"exited (D.3)", reapExited},
		{"profile label (D.4)", reapIdentity},
		{"finish time known (D.5)", reapFinished},
		{"clocks agree (D)", reapClocks},
		{"policy readable (D.1, D.6)", reapPolicy},
		{"old enough (D.6)", reapAge},
		{"left to the reaper (D.7)", reapTaken},
	}
}

func spare(reason ReapReason, detail string) decision[reapValue] {
	return stop(reapValue{verdict: ReapSpared, reason: reason}, detail)
}

func reapEnabled(r *reapSubject) decision[reapValue] {
	switch {
	case r.reaper == nil || r.reaper.Policy == nil || r.reaper.Policy.OrphanReaper == nil:
		return pass[reapValue]("not known")
	case !*r.reaper.Policy.OrphanReaper:
		return spare(ReapDisabled, "the orphan reaper of "+r.who()+" is off")
	}
	return pass[reapValue]("on")
}

func reapMember(r *reapSubject) decision[reapValue] {
	if !Member(r.sandbox.Labels) {
		return spare(ReapForeign, "not labelled hermes-agent=1, so the reaper does not see it")
	}
	return pass[reapValue]("labelled")
}

func reapExited(r *reapSubject) decision[reapValue] {
	if r.sandbox.State != StateExited {
		state := NewText(string(r.sandbox.State)).Display()
		return spare(ReapNotExited, state+": the reaper takes exited sandboxes only")
	}
	return pass[reapValue]("exited")
}

func reapIdentity(r *reapSubject) decision[reapValue] {
	switch label := r.sandbox.Profile; {
	case label.Empty():
		return spare(ReapForeign, "without a profile label no reaper looks for it")
	case r.reaper == nil:
		return stop(reapValue{verdict: ReapUnknown, reason: ReapNoProfile},
			fmt.Sprintf("no profile labelled %s is known here; a Hermes elsewhere that uses this label may delete it", label))
	case identityLabel(r.reaper) != label.Raw():
		return spare(ReapNoProfile, fmt.Sprintf("labelled %s, but %s looks for %s and no other profile is known here",
			label, r.who(), NewText(identityLabel(r.reaper))))
	}
	return pass[reapValue](r.who() + " looks for it")
}

func reapFinished(r *reapSubject) decision[reapValue] {
	finished := r.sandbox.FinishedAt
	switch {
	case finished.Known():
		return pass[reapValue](finished.Time.Format(time.RFC3339))
	case finished.Problem != "":
		return spare(ReapAgeUnknown, "its finish time cannot be read: "+finished.Problem)
	case r.sandbox.InspectError != "":
		return spare(ReapAgeUnknown, "it could not be inspected: "+r.sandbox.InspectError)
	}
	return spare(ReapAgeUnknown, "the engine gives no finish time")
}

func reapClocks(r *reapSubject) decision[reapValue] {
	switch age := r.age(); {
	case r.skew.Abs() > maxSkew:
		return stop(reapValue{verdict: ReapUnknown, reason: ReapClockSkew},
			fmt.Sprintf("the engine's clock is %s off ours, and Hermes goes by the clock of its own host", ShortAge(r.skew.Abs())))
	case age < 0:
		return spare(ReapClockSkew, fmt.Sprintf("it finished %s in the future by the engine's clock", ShortAge(-age)))
	}
	return pass[reapValue]("")
}

func reapPolicy(r *reapSubject) decision[reapValue] {
	_, known := reapAfter(r.reaper.Policy)
	if !known || r.reaper.Policy.OrphanReaper == nil {
		return stop(reapValue{verdict: ReapUnknown, reason: ReapNoProfile},
			"whether and when "+r.who()+" reaps is not known: its configuration could not be read")
	}
	return pass[reapValue]("")
}

func reapAge(r *reapSubject) decision[reapValue] {
	limit, _ := reapAfter(r.reaper.Policy)
	left := limit - r.age()
	if left > 0 {
		seconds := int64((left + time.Second - 1) / time.Second)
		value := reapValue{verdict: ReapSpared, reason: ReapTooYoung, inSeconds: &seconds}
		return stop(value, fmt.Sprintf("will be deleted when %s next starts, in %s",
			r.who(), ShortAge(time.Duration(seconds)*time.Second)))
	}
	return pass[reapValue](fmt.Sprintf("exited %s ago, the limit is %s", ShortAge(r.age()), ShortAge(limit)))
}

func reapTaken(r *reapSubject) decision[reapValue] {
	value := reapValue{verdict: ReapReaped, reason: ReapEligible, inSeconds: new(int64)}
	return stop(value, fmt.Sprintf("will be deleted when %s next starts: exited %s ago; bound directories stay",
		r.who(), ShortAge(r.age())))
}

// reapAfter is the age from which a policy's reaper takes an exited sandbox:
// twice the idle window, which counts as one minute at least (contract 4.1.3).
// Known is false when the policy does not tell.
func reapAfter(policy *Policy) (limit time.Duration, known bool) {
	switch {
	case policy == nil:
		return 0, false
	case policy.ReapAfterSeconds != nil:
		return time.Duration(*policy.ReapAfterSeconds) * time.Second, true
	case policy.LifetimeSeconds != nil:
		return 2 * time.Duration(max(minimumLifetime, *policy.LifetimeSeconds)) * time.Second, true
	}
	return 0, false
}
