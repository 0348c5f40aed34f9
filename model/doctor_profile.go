package model

import (
	"fmt"
	"slices"
	"strings"
)

// profile checks one profile's configuration.
func (d *doctor) profile(p *Profile) {
	subject := "profile " + p.Name.Display()
	if p.Home == "" {
		d.add(DiagnosisInfo, "profile-without-home", subject, "known from labels alone: no home on this machine has this profile",
			"name its home with --hermes-home, if it is on this machine")
		return
	}
	d.profileProblems(subject, p)
	if p.Policy == nil {
		return
	}
	for _, note := range p.Policy.Notes {
		d.add(noteLevel(note.Code), note.Code, subject, note.Detail, note.Remedy)
	}
	d.backend(subject, p.Policy)
	if off := p.Policy.OrphanReaper; off != nil && !*off {
		d.add(DiagnosisInfo, "reaper-off", subject, "docker_orphan_reaper is false, so stopped sandboxes pile up",
			"set terminal.docker_orphan_reaper to true, or run hermes-sandbox remove on them now and then")
	}
}

// profileProblems reports what is wrong with a home's files. Values that are
// not known because of it make it an error.
func (d *doctor) profileProblems(subject string, p *Profile) {
	level, code := DiagnosisWarning, "config"
	remedy := "see to what it says; hermes-sandbox profiles shows what holds now"
	unreadable := p.Policy == nil
	for _, source := range policySources(p.Policy) {
		unreadable = unreadable || source == SourceUnreadable || source == SourceBackup
	}
	if unreadable {
		level, code = DiagnosisError, "config-unreadable"
		remedy = "repair the file; until then its sandboxes may be held to other values than it seems to ask for"
	}
	for _, problem := range p.Problems {
		d.add(level, code, subject, problem, remedy)
	}
}

func policySources(policy *Policy) map[string]Source {
	if policy == nil {
		return nil
	}
	return policy.Sources
}

// noteLevel ranks an oddity of a configuration: Hermes refuses or fails with
// it, it means something else than it says, or it is only without effect.
func noteLevel(code string) DiagnosisLevel {
	switch code {
	case "network-conflict", "bad-number", "bad-list", "proxy-extra-args", "proxy-allowlist":
		return DiagnosisError
	case "container-network":
		return DiagnosisInfo
	default:
		return DiagnosisWarning
	}
}

// backend says when the profile makes no sandboxes at all.
func (d *doctor) backend(subject string, policy *Policy) {
	if policy.Backend == nil || *policy.Backend == backendDocker {
		return
	}
	level, detail := DiagnosisInfo, fmt.Sprintf("terminal.backend is %s, so it makes no sandboxes", NewText(*policy.Backend).Display())
	if policy.Position == PositionLocked || policy.Position == PositionAllowlist {
		level = DiagnosisWarning
		detail += fmt.Sprintf("; that it is %s means nothing for the commands it runs", policy.Position)
	}
	d.add(level, "backend-not-docker", subject, detail, "set terminal.backend to docker if its commands should run in a sandbox")
}

const backendDocker = "docker"

// identities looks for profiles that share sandboxes: by a shared container key,
// which is meant, or because two homes write the same label, which is not.
func (d *doctor) identities() {
	groups := map[string][]*Profile{}
	var order []string
	for i := range d.fleet.Profiles {
		p := &d.fleet.Profiles[i]
		label := identityLabel(p)
		if p.Home == "" || label == "" {
			continue
		}
		if groups[label] == nil {
			order = append(order, label)
		}
		groups[label] = append(groups[label], p)
	}
	for _, label := range order {
		members := groups[label]
		if !slices.ContainsFunc(members, d.coversProfile) {
			continue
		}
		if key := sharedKey(members[0].Policy); key != "" {
			d.sharedKey(key, members)
		} else if len(members) > 1 {
			d.add(DiagnosisWarning, "label-clash", "label "+NewText(label).Display(),
				"homes "+strings.Join(homesOf(members), " and ")+" write the same profile label, so each one's reaper takes the other's stopped sandboxes (#79816)",
				"give each installation an engine of its own, or use differently named profiles")
		}
	}
}

// sharedKey tells who shares a container and whether they agree on its network.
func (d *doctor) sharedKey(key string, members []*Profile) {
	names := make([]string, len(members))
	for i, p := range members {
		names[i] = p.Name.Display()
	}
	subject := "shared key " + NewText(key).Display()
	differ := slices.ContainsFunc(members, func(p *Profile) bool { return p.Policy.Position != members[0].Policy.Position })
	if differ {
		d.add(DiagnosisWarning, "shared-key", subject,
			"profiles "+strings.Join(names, ", ")+" share one sandbox but ask for different networks; the first to make it wins",
			"give them the same network policy, or different values of terminal.docker_shared_container_key")
		return
	}
	d.add(DiagnosisInfo, "shared-key", subject, "one sandbox serves "+strings.Join(names, ", ")+": what one profile leaves in it, the others see", "")
}

func homesOf(profiles []*Profile) []string {
	homes := make([]string, len(profiles))
	for i, p := range profiles {
		homes[i] = NewText(p.Home).Display()
	}
	return homes
}
