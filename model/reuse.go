package model

import (
	"fmt"
	"strings"
)

// hermesVersion is a Hermes generation as one that looks for a sandbox, not as
// the one that made it.
type hermesVersion int

// The versions whose look-up differs (contract 3).
const (
	hermesG1 hermesVersion = iota + 1 // three labels, no guard
	hermesG3                          // egress label and network guard
	hermesG4                          // environment label and image guard
	hermesG5                          // one name per identity
)

// caveat stands behind every reason that rests on a fingerprint, since nobody
// but Hermes can compute one (contract C).
const caveat = " (if image, mounts and home are as when it was made)"

// reuseSubject is a sandbox as the next process of one home, with one Hermes
// version, would find it.
type reuseSubject struct {
	sandbox  *Sandbox
	version  hermesVersion
	asker    *asker
	group    *labelGroup
	position int // of the sandbox within its group
	// imageMissing asks what happens when a pinned image cannot be had.
	imageMissing bool
	// containerNetwork asks what a Hermes with container_network does.
	containerNetwork bool
}

// policy is the asker's; one that knows nothing when there is none.
func (r *reuseSubject) policy() *Policy {
	if r.asker.policy == nil {
		return &Policy{}
	}
	return r.asker.policy
}

type (
	reuseRule     = rule[*reuseSubject, ReuseVerdict]
	reuseDecision = decision[ReuseVerdict]
)

// matchRules are the rows of the reuse table that decide whether the look-up
// finds a sandbox at all (contract C.1 to C.4). They are asked of every sandbox
// with the same labels before one is chosen.
func matchRules() []reuseRule {
	return []reuseRule{
		{"kept across processes (C.1)", reusePersistent},
		{"profile and task labels (C.2)", reuseIdentity},
		{"egress label (C.2)", reuseEgress},
		{"environment label (C.3)", reuseEnvironment},
		{"name of the identity (C.13, 3.2)", reuseName},
		{"not reaped first (C.4)", reuseReapedFirst},
	}
}

// takeRules are the rows that decide what becomes of the one that was found
// (contract C.5 to C.13). What G5 refuses comes before the states, since it
// looks before it starts anything (contract 3.2.4).
func takeRules() []reuseRule {
	return []reuseRule{
		{"first of its labels (C.5)", reuseShadowed},
		{"network guard (C.6)", reuseNetworkGuard},
		{"image guard (C.7, C.8)", reuseImageGuard},
		{"running (C.9)", reuseRunning},
		{"no other writer (C.13)", reuseForeignHolder},
		{"startable (C.10)", reuseStartable},
		{"stuck (C.11)", reuseStuck},
		{"restarting (C.12)", reuseRestarting},
		{"state known (C)", reuseOtherState},
	}
}

func next(detail string) reuseDecision { return pass[ReuseVerdict](detail) }

// reusePersistent is C.1. The top-level task keeps the configured flag even
// when it is not persistent (contract 2).
func reusePersistent(r *reuseSubject) reuseDecision {
	s := r.sandbox
	if s.Scope == ScopeSession && s.Task.Raw() != defaultTask {
		return stop(ReuseNever, "it belongs to one session, and a session is never picked up by another process")
	}
	switch policy := r.policy(); {
	case policy.PersistAcrossProcesses == nil:
		if s.Foreign {
			return next("not known")
		}
		return stop(ReuseUnknown, r.asker.unknown())
	case !*policy.PersistAcrossProcesses:
		return stop(ReuseNever, r.asker.name+" keeps no sandbox across processes")
	}
	return next("yes")
}

// reuseIdentity is the part of C.2 about profile and task.
func reuseIdentity(r *reuseSubject) reuseDecision {
	s := r.sandbox
	switch {
	case !Member(s.Labels):
		return stop(ReuseUnmatched, "not labelled hermes-agent=1, so no look-up finds it")
	case s.Foreign:
		return stop(ReuseUnmatched, "without a profile and a task label no look-up finds it")
	case r.asker.label != s.Profile.Raw():
		return stop(ReuseUnmatched, fmt.Sprintf("labelled %s, but %s looks for %s",
			s.Profile, r.asker.name, NewText(r.asker.label)))
	}
	return next(s.Profile.Display() + ", " + s.Task.Display())
}

// reuseEgress is the part of C.2 about hermes-egress. G1 knew no such label;
// since #103645 a missing one is a mismatch.
func reuseEgress(r *reuseSubject) reuseDecision {
	if r.version == hermesG1 {
		return next("not looked at")
	}
	label, labelled := r.sandbox.Labels.Get(LabelEgress)
	wanted, known := r.asker.wantedEgress()
	switch {
	case !labelled:
		return stop(ReuseUnmatched, "it has no egress label, and Hermes looks for one")
	case !known:
		return stop(ReuseUnknown, "whether "+r.asker.name+" uses the egress proxy is not known")
	case wanted.Empty():
		return stop(ReuseUnmatched, r.asker.name+" uses the egress proxy, and this one was made without it")
	case label == wanted:
		return next(label.Display())
	}
	return stop(ReuseUnmatched, fmt.Sprintf("its egress label is %s, but %s looks for %s", label, r.asker.name, wanted))
}

// reuseEnvironment is C.3. Under a shared key G4 does not look at the label.
func reuseEnvironment(r *reuseSubject) reuseDecision {
	policy := r.policy()
	switch {
	case r.version < hermesG4:
		return next("not looked at")
	case r.version == hermesG4 && r.asker.shared():
		return next("not looked at under a shared key")
	case policy.SharedContainerKey == nil:
		return stop(ReuseUnknown, "whether "+r.asker.name+" shares its sandbox by a key is not known")
	}
	label, labelled := r.sandbox.Labels.Get(LabelEnvironment)
	if !labelled {
		return stop(ReuseUnmatched, "it has no environment label, and Hermes looks for one")
	}
	if !r.asker.shared() && !r.adopted() && r.pinnedImageDiffers() {
		return stop(ReuseUnmatched, fmt.Sprintf("superseded: its image is %s, but the configuration pins %s",
			r.sandbox.Image, NewText(*policy.Image)))
	}
	newest := r.group.newest(r.asker, r.version)
	if newest != nil && newest.Labels.Value(LabelEnvironment) != label {
		if r.version == hermesG5 && r.sandbox.Name == canonicalName(newest) {
			return next("another environment, under the name looked for")
		}
		return stop(ReuseUnmatched, fmt.Sprintf("superseded: the newer %s has another environment%s", nameOf(newest), caveat))
	}
	return next(label.Display())
}

// reuseName is the look-up of G5, which goes by the name alone (contract 3.2.1).
func reuseName(r *reuseSubject) reuseDecision {
	if r.version != hermesG5 {
		return next("not looked at")
	}
	newest := r.group.newest(r.asker, r.version)
	if newest == nil {
		return next("not known")
	}
	name := canonicalName(newest)
	switch same := newest.Labels.Value(LabelEnvironment) == r.sandbox.Labels.Value(LabelEnvironment); {
	case r.sandbox.Name != name:
		return stop(ReuseUnmatched, fmt.Sprintf("Hermes looks for the name %s%s", name, caveat))
	case !same:
		return stop(ReuseRefused, fmt.Sprintf("it holds the name of %s with another environment, so Hermes stops with an error", newest.ID.Short()))
	}
	return next(name.Display())
}

// reuseReapedFirst is C.4: the sweep comes before the look-up and spares
// nothing that is wanted (contract 4.3).
func reuseReapedFirst(r *reuseSubject) reuseDecision {
	if r.sandbox.State != StateExited {
		return next("not exited")
	}
	found := r.asker.reap(r.sandbox)
	if reason := found.value.reason; reason == ReapTooYoung || reason == ReapClockSkew {
		r.group.ticking = true
	}
	switch found.value.verdict {
	case ReapReaped:
		return stop(ReuseReapedFirst, "exited for longer than the reap age: the process that looks for it deletes it first")
	case ReapUnknown:
		return stop(ReuseUnknown, found.detail)
	case ReapSpared:
	}
	return next(found.detail)
}

// pinnedImageDiffers reports whether the configuration pins an image other than
// the sandbox's. False when that is not known.
func (r *reuseSubject) pinnedImageDiffers() bool {
	policy := r.policy()
	return policy.ImagePinned != nil && *policy.ImagePinned && r.imageDiffers()
}

// imageDiffers compares image references as strings, as Hermes does.
func (r *reuseSubject) imageDiffers() bool {
	image := r.policy().Image
	return image != nil && *image != r.sandbox.Image.Raw()
}

// adopted reports whether the sandbox is one that G5 took over by renaming it.
func (r *reuseSubject) adopted() bool { return adopted(r.sandbox) }

// adopted reports whether a sandbox of an older Hermes bears a G5 name, which
// is how G5 takes one over (contract 3.2.2).
func adopted(s *Sandbox) bool {
	digits, found := strings.CutPrefix(s.Name.Raw(), "hermes-")
	return s.Generation != GenerationG5 && found && hexDigits(digits, identityDigits)
}

// canonicalName is the name G5 looks for when it wants the environment of s:
// the name is made of the label's first digits; an adopted one keeps the label
// of the Hermes that made it, so there the name itself tells.
func canonicalName(s *Sandbox) Text {
	if adopted(s) {
		return s.Name
	}
	environment := s.Labels.Value(LabelEnvironment).Raw()
	return NewText("hermes-" + environment[:min(identityDigits, len(environment))])
}
