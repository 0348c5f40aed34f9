package model

import "time"

// reap finds what Hermes' orphan reapers do with a sandbox. Every known
// profile that writes the sandbox's profile label sweeps it, whatever its home
// (contract 4.2); the sandbox's own home is asked first, and another one counts
// only when it would take what the own one leaves.
func (a *assessor) reap(s *Sandbox, engine Engine, now time.Time) Reap {
	subject := reapSubject{sandbox: s, now: engine.Now(now)}
	if engine.SkewKnown {
		subject.skew = engine.Skew
	}
	var chosen *Reap
	for _, reaper := range a.sweepers(s) {
		subject.reaper = reaper
		verdict := a.reapBy(&subject)
		if chosen == nil || verdict.Verdict == ReapReaped {
			chosen = &verdict
		}
		if verdict.Verdict == ReapReaped {
			break
		}
	}
	if chosen == nil {
		subject.reaper = a.byHome[s.Home]
		verdict := a.reapBy(&subject)
		chosen = &verdict
	}
	return *chosen
}

// sweepers are the profiles whose reaper looks for the sandbox's label, the
// sandbox's own home first.
func (a *assessor) sweepers(s *Sandbox) []*Profile {
	all := a.byIdentity[s.Profile.Raw()]
	for i, p := range all {
		if p.Home == s.Home && i > 0 {
			own := append([]*Profile{p}, all[:i]...)
			return append(own, all[i+1:]...)
		}
	}
	return all
}

// reapBy asks one profile's reaper, then looks whether our own reap must leave
// the sandbox alone whatever Hermes does.
func (a *assessor) reapBy(subject *reapSubject) Reap {
	found, trail := explain(a.reapRules, subject)
	reap := Reap{
		Verdict: found.value.verdict, Reason: found.value.reason, InSeconds: found.value.inSeconds,
		Detail: found.detail, Rules: trail.named(a.reapNames),
	}
	if reap.Reason != ReapEligible && reap.Reason != ReapTooYoung {
		return reap
	}
	if reason, why := reapGuard(subject.sandbox, subject.reaper); reason != "" {
		reap.Reason, reap.InSeconds = reason, nil
		reap.Detail += "; " + why
		reap.Rules = reap.Rules.with(RuleCheck{Rule: "ours to reap", Outcome: RuleFail, Detail: why})
		return reap
	}
	reap.Rules = reap.Rules.with(RuleCheck{Rule: "ours to reap", Outcome: RulePass})
	return reap
}

// reapGuard tells why our own reap leaves a sandbox alone that Hermes would
// take; the reason is empty when nothing speaks against it. Hermes' reaper
// knows none of this: it sees one label.
func reapGuard(s *Sandbox, reaper *Profile) (reason ReapReason, why string) {
	switch {
	case s.Inherited:
		return ReapInherited, "its hermes labels come from its image, so it may be nobody's sandbox"
	case s.Foreign:
		return ReapForeign, "it has no task label, so it may be nobody's sandbox"
	case s.Home == "":
		return ReapOtherHome, "several homes use its profile label, and which one it belongs to is not known"
	case s.Home != reaper.Home:
		return ReapOtherHome, "it belongs to another home than that of " + reaper.Name.Display()
	}
	return "", ""
}

// identityLabel is the value a profile's processes look for in hermes-profile:
// the shared identity under a shared key, else the profile's own label.
func identityLabel(p *Profile) string {
	if key := sharedKey(p.Policy); key != "" {
		return SharedIdentity(key)
	}
	return p.Label
}

// sharedKey is the policy's docker_shared_container_key, empty for none and
// for a policy that does not tell.
func sharedKey(policy *Policy) string {
	if policy == nil || policy.SharedContainerKey == nil {
		return ""
	}
	return *policy.SharedContainerKey
}
