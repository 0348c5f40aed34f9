package ui

import (
	"fmt"
	"strings"

	"hermes-sandbox/model"
	"hermes-sandbox/ui/widget"
)

// writeMounts shows what the sandbox can reach of the host's files, and its
// environment with the values masked until asked for.
func (m *Model) writeMounts(p *page, s *model.Sandbox) {
	p.heading("Mounts")
	if len(s.Mounts) == 0 {
		p.paragraph("none", p.theme.Styles.Dim)
	}
	for i := range s.Mounts {
		m.writeMount(p, s, &s.Mounts[i])
	}
	if len(s.Host.Tmpfs) > 0 {
		p.heading("In memory")
		for _, at := range sortedTexts(s.Host.Tmpfs) {
			p.field("tmpfs", value(at)+"  "+value(s.Host.Tmpfs[at]))
		}
	}
	p.heading("Environment")
	if len(s.Env) == 0 {
		p.paragraph("none", p.theme.Styles.Dim)
		return
	}
	hint := "values are masked; " + m.keys.keyOf("reveal") + " shows them"
	if m.detail.reveal {
		hint = "values are shown; " + m.keys.keyOf("reveal") + " masks them"
	}
	p.paragraph(hint, p.theme.Styles.Dim)
	variables := s.Env
	if !m.detail.reveal {
		variables = model.MaskEnv(s.Env)
	}
	for _, variable := range variables {
		p.paragraph(value(variable), p.theme.Styles.Text)
	}
}

func (m *Model) writeMount(p *page, s *model.Sandbox, mount *model.Mount) {
	mode := "read-only"
	if mount.RW {
		mode = "writable"
	}
	source := value(mount.Source)
	if mount.Type.Raw() == "volume" {
		source = value(mount.Name)
		if mount.Anonymous {
			source = "anonymous " + widget.Clip(source, 16, m.theme.Glyphs.Ellipsis)
		}
	}
	p.field(value(mount.Type), source)
	p.field("", m.theme.Glyphs.Arrow+" "+value(mount.Destination)+", "+mode+insideHome(s, mount)+m.presence(s, mount))
}

// insideHome says whether a bind lies in the home's sandbox directory, which
// is where Hermes keeps a sandbox's files.
func insideHome(s *model.Sandbox, mount *model.Mount) string {
	if mount.Type.Raw() != "bind" || s.Home == "" {
		return ""
	}
	directory := strings.TrimSuffix(s.Home, "/") + "/sandboxes"
	if s.Policy != nil && s.Policy.SandboxDir != "" {
		directory = strings.TrimSuffix(s.Policy.SandboxDir, "/")
	}
	if strings.HasPrefix(mount.Source.Raw(), directory+"/") {
		return ", in the sandbox directory"
	}
	return ", outside the sandbox directory"
}

// writeGroup is the text about a group: a profile's policy, or what is in it.
func (m *Model) writeGroup(p *page, head *groupHead) {
	c := head.Counts
	p.field("sandboxes", fmt.Sprintf("%d, %d up", c.Total, c.Running))
	if c.Violations > 0 {
		p.styled("violations", plural(c.Violations, "violation", "violations"), p.theme.Styles.Alarm)
	}
	if c.Orphans > 0 {
		p.styled("orphans", plural(c.Orphans, "orphan", "orphans"), p.theme.Styles.Warn)
	}
	if c.Stranded > 0 {
		p.styled("stranded", plural(c.Stranded, "sandbox runs", "sandboxes run")+" without a session", p.theme.Styles.Warn)
	}
	if len(head.Homes) > 1 {
		p.styled("label", "the label alone does not tell whose sandbox it is: "+plural(len(head.Homes), "home uses", "homes use")+" it", p.theme.Styles.Warn)
	}
	if head.Odd {
		p.styled("label", "holds characters that Hermes never writes; it may pretend to be another", p.theme.Styles.Warn)
	}
	if head.Foreign {
		p.paragraph("Containers with the hermes-agent label but no profile or task. They are never acted on as a group, only when named alone.", p.theme.Styles.Text)
	}
	profile := head.Profile
	if profile == nil {
		return
	}
	p.blank()
	p.field("home", m.homePath(profile.Home))
	p.field("settings", m.homePath(profile.ConfigFile))
	if profile.Active {
		p.field("active", "a new Hermes command would use this profile")
	}
	for _, problem := range profile.Problems {
		p.styled("problem", safe(problem), p.theme.Styles.Warn)
	}
	if profile.Policy != nil {
		p.field("network", policyWords(profile.Policy))
	}
	m.writeAllowlist(p, profile)
	m.writePolicy(p, profile.Policy)
}
