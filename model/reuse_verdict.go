package model

// reuse finds what the next Hermes process of the sandbox's home does with it,
// for the newest Hermes not older than the sandbox, and what other versions
// would do where that differs (contract C).
func (a *assessor) reuse(group *labelGroup, position int) Reuse {
	s := group.members[position]
	subject := reuseSubject{
		sandbox: s, version: hermesG4, asker: a.asker(group.index, s),
		group: group, position: position,
	}
	if s.Generation == GenerationG5 || adopted(s) {
		subject.version = hermesG5
	}
	table := a.reuseRules
	found, trail := explain(table, &subject)
	reuse := Reuse{Verdict: found.value, Reason: found.detail, Rules: trail.named(a.reuseNames), Alternatives: []Alternative{}}
	for _, other := range otherVersions(s.Generation, subject.version) {
		variant := subject
		variant.version = other.version
		reuse.addAlternative(table, &variant, other.when)
	}
	if reuse.Verdict == ReuseReplaced {
		variant := subject
		variant.imageMissing = true
		reuse.addAlternative(table, &variant, "the pinned image cannot be had")
	}
	if policy := subject.policy(); policy.ContainerNetwork != nil && policy.DockerNetwork != nil && *policy.DockerNetwork {
		variant := subject
		variant.containerNetwork = true
		reuse.addAlternative(table, &variant, "Hermes has container_network (#58601)")
	}
	return reuse
}

// addAlternative evaluates a variant and keeps it if its verdict differs.
func (r *Reuse) addAlternative(table []reuseRule, variant *reuseSubject, when string) {
	found := decide(table, variant)
	if found.stopped && found.value != r.Verdict {
		r.Alternatives = append(r.Alternatives, Alternative{When: when, Verdict: found.value, Reason: found.detail})
	}
}

// versionCase is a Hermes version with the words it is told apart by.
type versionCase struct {
	version hermesVersion
	when    string
}

// otherVersions are the versions that may run instead of the newest one: those
// that could have made the sandbox.
func otherVersions(made Generation, assumed hermesVersion) []versionCase {
	if assumed == hermesG5 {
		return nil
	}
	older := versionCase{hermesG3, "Hermes is a version without environment labels (G3)"}
	switch made {
	case GenerationG1:
		return []versionCase{older, {hermesG1, "Hermes is a version without egress labels (G1)"}}
	case GenerationG2G3, GenerationG3G4:
		return []versionCase{older}
	case GenerationG4, GenerationG5:
	}
	return nil
}

// asker returns who looks for the sandbox next: the profile its policy comes
// from, else its home.
func (a *assessor) asker(index *engineIndex, s *Sandbox) *asker {
	profile := a.byHome[s.Home]
	if s.Policy != nil {
		profile = a.byPolicy[s.Policy]
	}
	if profile == nil {
		return &asker{
			engine: index, policy: s.Policy, home: s.Home, label: s.Profile.Raw(),
			name: "profile " + s.Profile.Display(),
		}
	}
	if found := index.askers[profile]; found != nil {
		return found
	}
	found := &asker{
		engine: index, profile: profile, policy: profile.Policy, home: profile.Home,
		label: identityLabel(profile), name: profile.Name.Display(),
	}
	index.askers[profile] = found
	return found
}
