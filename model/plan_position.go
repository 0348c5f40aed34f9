package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// positionEdits plans the changes of a profile's configuration that bring it to
// a position: docker_network first, then the entries of the allowlist. They
// belong together, so when one is refused all are. The list is that of the
// allowlist position, nil for the others. Notes are sentences for the plan.
func positionEdits(p *Profile, action Action, list []string) (edits []ConfigEdit, notes []string) {
	network, note := policyEdit(p, action)
	if note != "" {
		notes = append(notes, note)
	}
	edits = []ConfigEdit{network}
	if p.ConfigFile == "" || p.Policy == nil || network.Outcome == OutcomeRefused {
		return edits, notes
	}
	e := entryEdits{profile: p, list: list, wanted: action == ActionLockdownAllowlist}
	if e.wanted && e.hermesKeys() {
		notes = append(notes, p.Name.Display()+": container_network is only known to Hermes builds with the unreleased allowlist change; "+
			"another Hermes ignores it and makes open sandboxes: take the key out to have the network written to docker_extra_args instead")
	}
	edits = append(edits, e.all()...)
	if e.wanted {
		need, _ := EgressNames(list)
		for i := range edits {
			edits[i].Needs = need
		}
	}
	refuseTogether(edits)
	return edits, notes
}

// refuseTogether refuses all edits of a file when one of them is refused.
func refuseTogether(edits []ConfigEdit) {
	at := slices.IndexFunc(edits, func(edit ConfigEdit) bool { return edit.Outcome == OutcomeRefused })
	if at < 0 {
		return
	}
	for i := range edits {
		if edits[i].Outcome == OutcomePlanned {
			edits[i].Outcome, edits[i].Error = OutcomeRefused, "not written, since "+edits[at].Key+" cannot be: "+edits[at].Error
		}
	}
}

// entryEdits plans the entries of an allowlist in a profile's configuration:
// those of another position of ours go, foreign ones that contradict refuse.
type entryEdits struct {
	profile *Profile
	list    []string
	wanted  bool // the position is the allowlist
}

// hermesKeys reports whether the configuration has Hermes' own key for the
// allowlist, which then is used.
func (e entryEdits) hermesKeys() bool { return e.profile.Policy.ContainerNetwork != nil }

func (e entryEdits) all() []ConfigEdit {
	direct := e.wanted && !e.hermesKeys()
	edits := append(e.args(direct), e.variables(direct)...)
	if e.hermesKeys() {
		edits = append(edits, e.ownKeys()...)
	}
	return edits
}

func (e entryEdits) edit(key, from, to string) ConfigEdit {
	return ConfigEdit{
		Profile: e.profile.Name, File: e.profile.ConfigFile, Key: key, From: from, To: to, Outcome: OutcomePlanned,
	}
}

func (e entryEdits) refused(key, to, reason string) ConfigEdit {
	edit := e.edit(key, "", to)
	edit.Outcome, edit.Error = OutcomeRefused, reason
	return edit
}

// args plans the entries of docker_extra_args.
func (e entryEdits) args(wanted bool) []ConfigEdit {
	policy := e.profile.Policy
	arg, from := networkArg(e.list), ""
	present := false
	var edits []ConfigEdit
	for _, ours := range e.profile.Written.Args {
		switch {
		case !slices.Contains(policy.ExtraArgs, ours):
		case wanted && ours == arg:
			present = true
		case wanted && from == "":
			from = ours
		default:
			edits = append(edits, e.edit(ExtraArgsKey, strconv.Quote(ours), ""))
		}
	}
	if !wanted || present && len(foreignNetworks(e.profile)) == 0 {
		return edits
	}
	if reason := e.argsRefusal(); reason != "" {
		return append(edits, e.refused(ExtraArgsKey, strconv.Quote(arg), reason))
	}
	if from != "" {
		from = strconv.Quote(from)
	}
	return append(edits, e.edit(ExtraArgsKey, from, strconv.Quote(arg)))
}

// argsRefusal says why the network cannot be written to docker_extra_args;
// empty when it can.
func (e entryEdits) argsRefusal() string {
	policy := e.profile.Policy
	if foreign := foreignNetworks(e.profile); len(foreign) > 0 {
		return fmt.Sprintf("it asks for network %s, and Docker takes no second one; take it out first", NewText(foreign[0]))
	}
	return unheard("docker_extra_args", policy.Sources["extra_network"], len(policy.ExtraArgs) > 0)
}

// unheard says why a list in config.yaml would not count, or would put aside
// what counts now (contract 5.1); empty when it is fine.
func unheard(key string, source Source, set bool) string {
	switch {
	case source == SourceManaged:
		return "the administrator's managed settings pin " + key + ", and config.yaml does not count against them"
	case source == SourceUnreadable || source == SourceBackup:
		return key + " cannot be read; run doctor for the reason"
	case set && source != SourceConfig && source != SourceDefault && source != "":
		return key + " comes from " + string(source) + ", which the file would put aside; move it to config.yaml first"
	}
	return ""
}

// foreignNetworks are the networks of docker_extra_args that this program did
// not write.
func foreignNetworks(p *Profile) []string {
	left := slices.Clone(p.Policy.ExtraArgs)
	for _, ours := range p.Written.Args {
		if i := slices.Index(left, ours); i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
	}
	return NetworkFlags(left)
}

// variables plans the entries of docker_env.
func (e entryEdits) variables(wanted bool) []ConfigEdit {
	policy := e.profile.Policy
	var edits []ConfigEdit
	if !wanted {
		for _, ours := range e.profile.Written.Env {
			if value, set := policy.DockerEnv[ours.Name]; set && value == ours.Value {
				edits = append(edits, e.edit(DockerEnvKey+"."+ours.Name, strconv.Quote(ours.Value), ""))
			}
		}
		return edits
	}
	refusal := unheard("docker_env", policy.EnvSource, len(policy.DockerEnv) > 0)
	for _, setting := range EgressEnv() {
		key, to := DockerEnvKey+"."+setting.Name, strconv.Quote(setting.Value)
		value, set := policy.DockerEnv[setting.Name]
		ours := slices.Contains(e.profile.Written.Env, EnvSetting{setting.Name, value})
		switch {
		case set && value == setting.Value:
		case refusal != "":
			return append(edits, e.refused(key, to, refusal))
		case set && !ours:
			return append(edits, e.refused(key, to, "it is set to something else already, and the allowlist needs the proxy variables; take it out first"))
		case set:
			edits = append(edits, e.edit(key, strconv.Quote(value), to))
		default:
			edits = append(edits, e.edit(key, "", to))
		}
	}
	return edits
}

// ownKeys plans Hermes' own keys of the allowlist (contract 6.2).
func (e entryEdits) ownKeys() []ConfigEdit {
	policy := e.profile.Policy
	mode := *policy.ContainerNetwork
	if !e.wanted {
		if mode != string(PositionAllowlist) {
			return nil
		}
		return []ConfigEdit{e.edit(ContainerNetworkKey, mode, strconv.Quote("on"))}
	}
	var edits []ConfigEdit
	if reason := unheard("container_network", policy.Sources["container_network"], true); reason != "" {
		return []ConfigEdit{e.refused(ContainerNetworkKey, mode, reason)}
	}
	if mode != string(PositionAllowlist) {
		edits = append(edits, e.edit(ContainerNetworkKey, mode, strconv.Quote(string(PositionAllowlist))))
	}
	if !slices.Equal(canonicalAllowlist(policy.Allowlist), e.list) {
		edits = append(edits, e.edit(ContainerAllowlistKey, writtenList(policy.Allowlist), writtenList(e.list)))
	}
	return edits
}

// WrittenBy returns what is to be kept of a profile's allowlist once the edits
// of a plan are made: entries that are gone are forgotten, new ones remembered.
func WrittenBy(before WrittenAllowlist, file string, edits []ConfigEdit, list []string) WrittenAllowlist {
	after := WrittenAllowlist{Allow: before.Allow, Args: slices.Clone(before.Args), Env: slices.Clone(before.Env)}
	if list != nil {
		after.Allow = canonicalAllowlist(list)
	}
	for _, edit := range edits {
		if edit.File != file || edit.Outcome != OutcomeDone {
			continue
		}
		from, to := unquoted(edit.From), unquoted(edit.To)
		name, variable := strings.CutPrefix(edit.Key, DockerEnvKey+".")
		switch {
		case edit.Key == ExtraArgsKey:
			after.Args = slices.DeleteFunc(after.Args, func(arg string) bool { return arg == from || arg == to })
			if to != "" {
				after.Args = append(after.Args, to)
			}
		case variable:
			after.Env = slices.DeleteFunc(after.Env, func(s EnvSetting) bool { return s.Name == name })
			if to != "" {
				after.Env = append(after.Env, EnvSetting{name, to})
			}
		}
	}
	return after
}

func unquoted(written string) string {
	if text, err := strconv.Unquote(written); err == nil {
		return text
	}
	return written
}
