package model

import (
	"cmp"
	"fmt"
	"slices"
)

// twinFindings tells of sandboxes that Hermes cannot tell apart: several with
// the same labels on one engine, also of different tasks or homes that the
// labels fold together (contract 1.1, 2), and one profile label used by several
// homes, whose reapers delete each other's sandboxes (contract 4.2).
func twinFindings(index *engineIndex) {
	homes := map[Text]int{}
	for label, sandboxes := range index.byProfile {
		homes[label] = distinct(sandboxes, homeOf)
	}
	for i := range index.groups {
		group := &index.groups[i]
		key := group.key
		if key.profile.Empty() || key.task.Empty() || key.task.Raw() == probeTask {
			continue
		}
		detail := twinDetail(group.members, homes[key.profile])
		if detail == "" {
			continue
		}
		for _, s := range group.members {
			addFinding(s, Finding{Code: "twin", Severity: SeverityWeak, Detail: detail})
		}
	}
}

// twinDetail says what is ambiguous about a group; empty when nothing is.
func twinDetail(members []*Sandbox, labelHomes int) string {
	detail := ""
	if len(members) > 1 {
		detail = fmt.Sprintf("%d sandboxes have these profile and task labels", len(members))
		if homes := distinct(members, homeOf); homes > 1 {
			detail += fmt.Sprintf(", of %d homes", homes)
		} else if dirs := distinct(members, rootOf); dirs > 1 {
			detail += fmt.Sprintf(", with %d directories at /root: different tasks under one label", dirs)
		}
	} else if labelHomes > 1 {
		detail = fmt.Sprintf("%d homes use this profile label, and the reaper of each deletes the others' sandboxes", labelHomes)
	}
	return detail
}

// distinct counts the values of sandboxes that are not empty, each once. Most
// often there is one.
func distinct(sandboxes []*Sandbox, value func(*Sandbox) string) int {
	var first string
	var others map[string]bool
	for _, s := range sandboxes {
		switch found := value(s); {
		case found == "" || found == first:
		case first == "":
			first = found
		default:
			if others == nil {
				others = map[string]bool{first: true}
			}
			others[found] = true
		}
	}
	if others == nil && first != "" {
		return 1
	}
	return len(others)
}

func homeOf(s *Sandbox) string { return s.Home }

// rootOf is the host directory that is the home of what runs in a sandbox.
func rootOf(s *Sandbox) string { return bindSource(s.Container, "/root") }

// holderFindings surfaces the pairs that make a Hermes with fixed names refuse
// to start (contract 3.2.6): a sandbox of G5 that is not running, and a running
// one that writes to the same host path.
func holderFindings(index *engineIndex) {
	told := map[ID]bool{}
	for i := range index.sandboxes {
		s := &index.sandboxes[i]
		if s.Generation != GenerationG5 && !adopted(s) || s.State == StateRunning {
			continue
		}
		holder, path := index.foreignHolder(s)
		if holder == nil {
			continue
		}
		addFinding(s, Finding{Code: "foreign-holder", Severity: SeverityWeak, Detail: fmt.Sprintf(
			"%s is running and also writes to %s: Hermes refuses to start this one beside it", nameOf(holder), path)})
		if told[holder.ID] {
			continue
		}
		told[holder.ID] = true
		addFinding(holder, Finding{Code: "foreign-holder", Severity: SeverityWeak, Detail: fmt.Sprintf(
			"it writes to %s, and so does %s: Hermes refuses to start that one while this one runs", path, nameOf(s))})
	}
}

// addFinding adds a finding, worst first.
func addFinding(s *Sandbox, finding Finding) {
	s.Findings = append(s.Findings, finding)
	slices.SortStableFunc(s.Findings, func(a, b Finding) int { return cmp.Compare(a.Severity.Rank(), b.Severity.Rank()) })
}

// Siblings returns the other sandboxes on the same engine with the same profile
// and task label, in list order. A sandbox without one of the labels has none.
func Siblings(fleet *Fleet, s *Sandbox) []*Sandbox {
	if s.Foreign {
		return nil
	}
	var siblings []*Sandbox
	for i := range fleet.Sandboxes {
		other := &fleet.Sandboxes[i]
		if other.Engine == s.Engine && other.ID != s.ID && other.Profile == s.Profile && other.Task == s.Task {
			siblings = append(siblings, other)
		}
	}
	return siblings
}

// RecoveryWarning says what a removal would lead a live Hermes to: when its
// container vanishes it searches by labels and attaches without the network
// guard (contract 7), so a more open sandbox with the same labels takes the
// place of a closed one. Empty when there is no such danger.
func RecoveryWarning(fleet *Fleet, s *Sandbox) string {
	level := s.Posture.Effective
	if level != LevelAirGapped && level != LevelCutOff {
		return ""
	}
	if s.Reuse.Verdict == ReuseNever || s.Generation == GenerationG5 {
		return ""
	}
	for _, other := range Siblings(fleet, s) {
		if Openness(other.Posture.Effective) <= Openness(LevelCutOff) || !recoverable(s, other) {
			continue
		}
		return fmt.Sprintf("a live Hermes would go on in %s, which is %s: after a removal it takes any sandbox with the same labels and skips the network guard",
			nameOf(other), other.Posture.Effective.Word())
	}
	return ""
}

// recoverable reports whether the search for a vanished sandbox finds the other
// one: the labels that take part are equal, and it can be attached or started.
func recoverable(s, other *Sandbox) bool {
	for _, key := range []string{LabelEgress, LabelEnvironment} {
		if label, ok := s.Labels.Get(key); ok && other.Labels.Value(key) != label {
			return false
		}
	}
	switch other.State {
	case StateRunning, StateExited, StateCreated:
		return true
	default:
		return false
	}
}
