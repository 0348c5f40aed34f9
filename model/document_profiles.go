package model

import "time"

// profilesDocument is what `profiles` and `lockdown status` print.
type profilesDocument struct {
	Schema      int               `json:"schema"`
	GeneratedAt *time.Time        `json:"generated_at"`
	Profiles    []profileStanding `json:"profiles"`
	Problems    []Problem         `json:"problems"`
}

// profileStanding is a profile with how its sandboxes stand to its policy.
type profileStanding struct {
	profileDocument
	Standing
}

// Standing counts the sandboxes of a profile by how they stand to its policy.
type Standing struct {
	InLine     int `json:"in_line"`
	Violations int `json:"violations"`
	Unknown    int `json:"unknown"`
}

// ProfilesDocument returns the profiles of the fleet with the counts of their
// sandboxes. Encode it with [MarshalJSON].
func ProfilesDocument(fleet *Fleet) any {
	doc := profilesDocument{
		Schema: Schema, GeneratedAt: documentTime(fleet.GeneratedAt),
		Profiles: make([]profileStanding, 0, len(fleet.Profiles)), Problems: present(fleet.Problems),
	}
	for i := range fleet.Profiles {
		p := &fleet.Profiles[i]
		doc.Profiles = append(doc.Profiles, profileStanding{newProfileDocument(p), StandingOf(fleet, p)})
	}
	return doc
}

// StandingOf counts the sandboxes of a profile: those of its home, or of its
// label when it has no known home.
func StandingOf(fleet *Fleet, p *Profile) Standing {
	var standing Standing
	for i := range fleet.Sandboxes {
		s := &fleet.Sandboxes[i]
		if !Belongs(s, p) {
			continue
		}
		switch {
		case s.Violation == nil:
			standing.Unknown++
		case *s.Violation:
			standing.Violations++
		default:
			standing.InLine++
		}
	}
	return standing
}

// Belongs reports whether a sandbox is a profile's own: of its home, or of its
// label when it has no known home.
func Belongs(s *Sandbox, p *Profile) bool {
	if p.Home != "" {
		return samePath(s.Home, p.Home)
	}
	return s.Home == "" && s.Profile == p.Name
}
