package model

import "strings"

// identify says what a container with hermes-agent=1 belongs to: its labels,
// scope, generation, home and policy. Session, posture and verdicts are filled
// in by others.
func identify(c *Container, profiles []Profile) Sandbox {
	s := Sandbox{
		Container: c,
		Profile:   c.Labels.Value(LabelProfile),
		Task:      c.Labels.Value(LabelTask),
	}
	s.Foreign = s.Profile.Empty() || s.Task.Empty()
	s.Inherited = inheritedLabels(c)
	s.Generation = generationOf(&s)
	s.Scope = scopeOf(&s, profiles)
	settleHome(&s, profiles)
	s.Policy = policyOf(&s, profiles)
	return s
}

// inheritedLabels reports whether the hermes labels came with the image: it
// has hermes-agent=1 itself, and every hermes label equals its own. Committing
// a sandbox makes such an image.
func inheritedLabels(c *Container) bool {
	if !c.ImageLabelsKnown || !Member(c.ImageLabels) {
		return false
	}
	for key, value := range c.Labels {
		if !hermesLabel(key) {
			continue
		}
		if image, ok := c.ImageLabels[key]; !ok || image != value {
			return false
		}
	}
	return true
}

func hermesLabel(key Text) bool {
	return strings.HasPrefix(key.Raw(), "hermes-") || key.Raw() == LabelAllowlist
}

// generationOf reads the Hermes generation off the labels (contract 0.2).
// G1 stands for everything that shows no later mark.
func generationOf(s *Sandbox) Generation {
	has := func(key string) bool { _, ok := s.Labels.Get(key); return ok }
	switch {
	case has(LabelSpawn):
		return GenerationG5
	case has(LabelEnvironment):
		return GenerationG4
	case underSharedKey(s, nil):
		return GenerationG3G4
	case has(LabelTask) && has(LabelProfile) && has(LabelEgress):
		return GenerationG2G3
	default:
		return GenerationG1
	}
}

// underSharedKey reports whether a sandbox was made under a shared container
// key: its profile label is the identity of a key that a profile has, or both
// labels have the shape of one (contract 0.2, 1.1).
func underSharedKey(s *Sandbox, profiles []Profile) bool {
	if !sharedLabel(s.Profile.Raw()) {
		return false
	}
	return strings.HasPrefix(s.Task.Raw(), "shared_") || len(keyHolders(s.Profile, profiles)) > 0
}

// keyHolders returns the profiles whose shared container key hashes to a label.
func keyHolders(label Text, profiles []Profile) []*Profile {
	var holders []*Profile
	for i := range profiles {
		policy := profiles[i].Policy
		if policy == nil || policy.SharedContainerKey == nil || *policy.SharedContainerKey == "" {
			continue
		}
		if SharedIdentity(*policy.SharedContainerKey) == label.Raw() {
			holders = append(holders, &profiles[i])
		}
	}
	return holders
}

// policyOf returns the policy a sandbox is held to, nil when that is not known.
// A shared container answers to the profile whose key it bears; where several
// hold the key, to the one whose home it uses.
func policyOf(s *Sandbox, profiles []Profile) *Policy {
	if underSharedKey(s, profiles) {
		holders := keyHolders(s.Profile, profiles)
		for _, holder := range holders {
			if len(holders) == 1 || (s.Home != "" && samePath(holder.Home, s.Home)) {
				return holder.Policy
			}
		}
		return nil
	}
	if home := profileAt(s.Home, profiles); home != nil {
		return home.Policy
	}
	return nil
}

// profileAt returns the profile of a home, however that is written; nil when
// there is none.
func profileAt(home string, profiles []Profile) *Profile {
	if home == "" {
		return nil
	}
	for i := range profiles {
		if profiles[i].Home == home { // most often, and at once
			return &profiles[i]
		}
	}
	for i := range profiles {
		if samePath(profiles[i].Home, home) {
			return &profiles[i]
		}
	}
	return nil
}
