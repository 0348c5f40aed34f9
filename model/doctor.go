package model

import (
	"cmp"
	"slices"
)

// DiagnosisLevel ranks a diagnosis.
type DiagnosisLevel string

// Levels of a diagnosis, worst first: something is broken, something is not as
// it should be, something is worth knowing.
const (
	DiagnosisError   DiagnosisLevel = "error"
	DiagnosisWarning DiagnosisLevel = "warning"
	DiagnosisInfo    DiagnosisLevel = "info"
)

// DiagnosisViolation is the code of a sandbox that breaks its profile's policy.
const DiagnosisViolation = "violation"

// Diagnosis is one thing that a check of the whole machine found. Its texts are
// safe to show.
type Diagnosis struct {
	Code    string         `json:"code"`
	Level   DiagnosisLevel `json:"level"`
	Subject string         `json:"subject"` // kind and name, such as "sandbox hermes-3f2a91c0"
	Detail  string         `json:"detail"`
	Remedy  string         `json:"remedy"` // what to do about it; empty when nothing is to be done
}

// DoctorInput is what a check looks at beside the fleet.
type DoctorInput struct {
	Inventories []Inventory     // of every engine of the fleet
	Folders     []SandboxFolder // of every known home
	// HomeProblems are homes that could not be looked at, FolderProblems
	// folders of sandboxes that could not be listed.
	HomeProblems   []Problem
	FolderProblems []Problem
	// Cuts are the records of sandboxes that were cut off: what they come back
	// to is not unused.
	Cuts []CutRecord
	// Profiles narrows the check to the profiles with these names or labels;
	// empty means everything. Engines are always looked at; what belongs to no
	// profile only without it.
	Profiles []Text
}

// doctor gathers diagnoses.
type doctor struct {
	fleet *Fleet
	in    DoctorInput
	found []Diagnosis
}

func (d *doctor) add(level DiagnosisLevel, code, subject, detail, remedy string) {
	d.found = append(d.found, Diagnosis{Code: code, Level: level, Subject: subject, Detail: detail, Remedy: remedy})
}

// Diagnose checks engines, profiles, sandboxes, their folders and what is left
// over, and says what to do about each. Errors come first, then warnings; within
// a level the order is that of the fleet. The result is never nil.
func Diagnose(fleet *Fleet, in DoctorInput) []Diagnosis {
	d := &doctor{fleet: fleet, in: in, found: []Diagnosis{}}
	for i := range fleet.Engines {
		d.engine(&fleet.Engines[i])
	}
	d.problems()
	for i := range fleet.Profiles {
		if p := &fleet.Profiles[i]; d.coversProfile(p) {
			d.profile(p)
		}
	}
	d.identities()
	for i := range fleet.Sandboxes {
		if s := &fleet.Sandboxes[i]; d.coversSandbox(s) {
			d.sandbox(s)
		}
	}
	d.folders()
	if len(in.Profiles) == 0 {
		for i := range in.Inventories {
			d.leftovers(&in.Inventories[i])
		}
	}
	rank := map[DiagnosisLevel]int{DiagnosisError: 0, DiagnosisWarning: 1, DiagnosisInfo: 2}
	slices.SortStableFunc(d.found, func(a, b Diagnosis) int { return cmp.Compare(rank[a.Level], rank[b.Level]) })
	return d.found
}

// problems reports what could not be read.
func (d *doctor) problems() {
	for _, problem := range d.in.HomeProblems {
		d.add(DiagnosisError, "home-unreadable", problem.Part, problem.Error, "check HERMES_HOME and --hermes-home")
	}
	incomplete := slices.Concat(d.fleet.Problems, d.in.FolderProblems)
	for i := range d.in.Inventories {
		inventory := &d.in.Inventories[i]
		for _, problem := range inventory.Problems {
			incomplete = append(incomplete, Problem{Part: engineSubject(inventory.Engine) + ": " + problem.Part, Error: problem.Error})
		}
	}
	for _, problem := range incomplete {
		d.add(DiagnosisWarning, "incomplete", problem.Part, problem.Error, "what depends on it is unknown; run the check again once it can be read")
	}
}

func (d *doctor) inventory(engine string) *Inventory {
	for i := range d.in.Inventories {
		if d.in.Inventories[i].Engine == engine {
			return &d.in.Inventories[i]
		}
	}
	return nil
}

// coversProfile reports whether a profile is one that was asked for.
func (d *doctor) coversProfile(p *Profile) bool {
	return len(d.in.Profiles) == 0 || slices.Contains(d.in.Profiles, p.Name) || slices.Contains(d.in.Profiles, NewText(p.Label))
}

// coversSandbox reports whether a sandbox belongs to a profile that was asked
// for, by its label or by its home.
func (d *doctor) coversSandbox(s *Sandbox) bool {
	return len(d.in.Profiles) == 0 || slices.Contains(d.in.Profiles, s.Profile) || s.Home != "" && d.coversHome(s.Home)
}

func (d *doctor) coversHome(home string) bool {
	return slices.ContainsFunc(d.fleet.Profiles, func(p Profile) bool { return samePath(p.Home, home) && d.coversProfile(&p) })
}

func engineSubject(name string) string { return "engine " + NewText(name).Display() }

// containerName is a container's name, or the beginning of its ID.
func containerName(c *Container) string {
	if c.Name.Empty() {
		return c.ID.Short()
	}
	return c.Name.Display()
}

// doctorDocument is what `doctor` prints.
type doctorDocument struct {
	Schema   int         `json:"schema"`
	Findings []Diagnosis `json:"findings"`
}

// DoctorDocument returns the diagnoses as a document. Encode it with
// [MarshalJSON].
func DoctorDocument(found []Diagnosis) any {
	return doctorDocument{Schema: Schema, Findings: present(found)}
}
