package model

import (
	"fmt"
	"slices"
	"time"
)

// defaultReapAfter is Hermes' reap age when nothing is configured: twice the
// default idle window (contract 4.1.3).
const defaultReapAfter = 10 * time.Minute

// choose looks through the classes a sandbox is of, in order, for the first
// that was chosen and takes it. Otherwise the reason is why it stays.
func (r *reapPlanner) choose(s *Sandbox) (class ReapClass, reason string, take bool) {
	var hint string
	for _, candidate := range classesOf(s) {
		if candidate != ClassExited && !slices.Contains(r.opts.Include, candidate) {
			if hint == "" {
				hint = string(candidate) + ": taken only when that class is included"
			}
			continue
		}
		why, old := r.age(s, candidate)
		if old {
			return candidate, why, true
		}
		if class == "" {
			class, reason = candidate, why
		}
	}
	switch {
	case reason != "" && hint != "" && class == ClassExited:
		return class, reason + "; " + hint, false
	case reason != "":
		return class, reason, false
	case hint != "":
		return "", hint, false
	default:
		return "", stateWord(s.State) + ": never reaped", false
	}
}

// classesOf are the classes a sandbox is of. Only states that go without force
// count, so paused, restarting and unknown ones are of none.
func classesOf(s *Sandbox) []ReapClass {
	var classes []ReapClass
	idle := hasState([]State{StateExited, StateCreated, StateDead}, s.State)
	add := func(class ReapClass, holds bool) {
		if holds {
			classes = append(classes, class)
		}
	}
	add(ClassExited, s.State == StateExited)
	add(ClassCreated, s.State == StateCreated)
	add(ClassDead, s.State == StateDead)
	add(ClassProbes, s.Scope == ScopeProbe && (idle || s.State == StateRunning))
	add(ClassStranded, s.Stranded && s.State == StateRunning)
	add(ClassDuplicates, s.Reuse.Verdict == ReuseShadowed && (idle || s.Stranded && s.State == StateRunning))
	return classes
}

// age says whether a sandbox is old enough for a class, and the reason.
func (r *reapPlanner) age(s *Sandbox, class ReapClass) (reason string, old bool) {
	switch class {
	case ClassExited:
		return r.exitedAge(s)
	case ClassStranded:
		if s.Session.LastActivityAt.IsZero() {
			return "stranded, but its session's last activity is not known", false
		}
		return r.ageSince(s, "stranded: session "+string(s.Session.State)+", silent for", r.now.Sub(s.Session.LastActivityAt))
	case ClassDead:
		return r.stampAge(s, "dead for", s.FinishedAt)
	case ClassProbes:
		return r.stampAge(s, "a probe Hermes left behind, made before", s.CreatedAt)
	case ClassDuplicates:
		return r.stampAge(s, "a duplicate Hermes does not choose, made before", s.CreatedAt)
	default: // created
		return r.stampAge(s, "never started, made before", s.CreatedAt)
	}
}

// exitedAge applies Hermes' own rule, as its verdict has it. A person can move
// the age; the other reasons to spare stand.
func (r *reapPlanner) exitedAge(s *Sandbox) (reason string, old bool) {
	limit, forced := r.exitedLimit(s)
	switch s.Reap.Reason {
	case ReapEligible:
	case ReapTooYoung:
		if !forced {
			return s.Reap.Detail, false
		}
	case ReapNoProfile:
		// The guard let it pass: either there is no known home, or its policy
		// cannot be read. Only the first may go by age alone.
		if s.Home != "" {
			return s.Reap.Detail, false
		}
	default:
		return s.Reap.Detail, false
	}
	age, problem := r.engineAge(s, s.FinishedAt)
	if problem != "" {
		return "exited, but " + problem, false
	}
	return judgeAge("exited for", age, limit)
}

// exitedLimit is the age exited sandboxes must have: Hermes' own, or a longer
// one a person gave, or any given one when it is forced.
func (r *reapPlanner) exitedLimit(s *Sandbox) (limit time.Duration, forced bool) {
	limit, known := r.limit(s)
	if !known {
		limit = defaultReapAfter
	}
	switch given := r.opts.OlderThan; {
	case given == nil:
		return limit, false
	case r.opts.ForceAge:
		return *given, true
	case *given < limit:
		r.raised = max(r.raised, limit)
		return limit, false
	default:
		return *given, false
	}
}

// stampAge judges the time since the engine's stamp.
func (r *reapPlanner) stampAge(s *Sandbox, what string, stamp Stamp) (reason string, old bool) {
	age, problem := r.engineAge(s, stamp)
	if problem != "" {
		return string(s.State) + ", but " + problem, false
	}
	return r.ageSince(s, what, age)
}

// ageSince judges an age by what was asked for, else by the profile's limit.
func (r *reapPlanner) ageSince(s *Sandbox, what string, age time.Duration) (reason string, old bool) {
	if r.opts.OlderThan != nil {
		return judgeAge(what, age, *r.opts.OlderThan)
	}
	limit, known := r.limit(s)
	if !known {
		return "the reap age of its profile is not known; give an age", false
	}
	return judgeAge(what, age, limit)
}

// limit is the age from which the sandbox's profile reaps.
func (r *reapPlanner) limit(s *Sandbox) (time.Duration, bool) {
	if limit, known := reapAfter(s.Policy); known {
		return limit, true
	}
	// A policy that holds the sandbox to nothing can still be that of its home.
	for _, p := range r.profiles {
		if samePath(p.Home, s.Home) {
			return reapAfter(p.Policy)
		}
	}
	return 0, false
}

func judgeAge(what string, age, limit time.Duration) (reason string, old bool) {
	if age < limit {
		return fmt.Sprintf("%s %s, under the age of %s", what, ShortAge(age), ShortAge(limit)), false
	}
	return fmt.Sprintf("%s %s, at the age of %s or over", what, ShortAge(age), ShortAge(limit)), true
}

// engineAge is the time since a stamp by the engine's clock, or why there is
// none to act on.
func (r *reapPlanner) engineAge(s *Sandbox, stamp Stamp) (age time.Duration, problem string) {
	engine := r.fleet.Engine(s.Engine)
	switch {
	case stamp.Problem != "":
		return 0, "its age cannot be read: " + stamp.Problem
	case !stamp.Known():
		return 0, "its age is not known"
	case engine == nil:
		return 0, "its engine is not known"
	}
	if engine.SkewKnown && engine.Skew.Abs() > maxSkew {
		return 0, "the engine's clock is " + ShortAge(engine.Skew.Abs()) + " off ours"
	}
	age = engine.Now(r.now).Sub(stamp.Time)
	if age < -clockGrain {
		return 0, "by the engine's clock that is " + ShortAge(-age) + " in the future"
	}
	return max(0, age), ""
}
