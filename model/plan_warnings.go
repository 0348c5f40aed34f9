package model

import (
	"slices"
	"strings"
)

// sessionBreaks is the warning about a sandbox that holds the files of one
// session in memory (contract E). A session known to be over has but its files
// to lose.
func sessionBreaks(s *Sandbox) string {
	if s.Session.State == SessionEnded && !s.Session.TurnRunning {
		return "/root is on tmpfs: all the files of its session, which is over, are lost"
	}
	return "/root is on tmpfs: this breaks a live session, which does not recover, and all its files are lost"
}

// useWarnings are the signs that somebody uses a sandbox now. None of them
// proves the contrary: Hermes leaves no lease on a container (contract E).
func useWarnings(index *planIndex, s *Sandbox) []string {
	var warnings []string
	if s.Session.TurnRunning {
		warnings = append(warnings, "an agent turn is running in its session"+sessionName(s))
	} else if s.Session.State == SessionLive {
		warnings = append(warnings, "its session"+sessionName(s)+" is live")
	}
	if s.Scope == ScopeSession && s.Session.State == SessionUnknown && hasProcesses(s.State) {
		warnings = append(warnings, "whether its session is live is not known")
	}
	if count := len(s.ExecIDs); count > 0 && hasProcesses(s.State) {
		warnings = append(warnings, plural(count, "command", "commands")+" may be running in it (the engine still tracks them)")
	}
	if guests := index.guests[s.Key()]; len(guests) > 0 && hasProcesses(s.State) {
		warnings = append(warnings, "its network is shared with "+strings.Join(guests, ", "))
	}
	return warnings
}

// originWarnings say that a sandbox may not be what its labels claim, or that
// it serves more than one profile.
func originWarnings(fleet *Fleet, s *Sandbox) []string {
	var warnings []string
	if s.Foreign {
		warnings = append(warnings, "foreign: without a profile or task label it may not be Hermes' own")
	}
	if s.Inherited {
		warnings = append(warnings, "its hermes labels come from its image, so Hermes may not have made it")
	}
	if s.Scope == ScopeShared {
		warning := "shared by several profiles; this affects all of them"
		if members := sharedMembers(fleet, s); len(members) > 0 {
			warning = "shared under one key; this affects the profiles " + strings.Join(members, ", ")
		}
		warnings = append(warnings, warning)
	}
	return warnings
}

func sessionName(s *Sandbox) string {
	switch {
	case !s.Session.Title.Empty():
		return ` "` + s.Session.Title.Display() + `"`
	case !s.Session.ID.Empty():
		return " " + s.Session.ID.Display()
	default:
		return ""
	}
}

// removalWarnings are what a person should know before a removal (contract 7
// and E).
func removalWarnings(index *planIndex, s *Sandbox, volumes bool) []string {
	warnings := append(originWarnings(index.fleet, s), useWarnings(index, s)...)
	if hasProcesses(s.State) {
		warnings = append(warnings, aftermath(s)...)
	}
	if warning := index.recoveryWarning(s); warning != "" {
		warnings = append(warnings, warning)
	}
	if count := anonymousVolumes(s); count > 0 && !volumes {
		warnings = append(warnings, plural(count, "anonymous volume", "anonymous volumes")+" will stay behind without an owner")
	}
	return warnings
}

// aftermath says what Hermes does once a sandbox with processes is gone.
func aftermath(s *Sandbox) []string {
	switch {
	case s.Scope == ScopeProbe, s.Foreign:
		return nil
	case rootOnTmpfs(s.Container):
		return []string{sessionBreaks(s)}
	}
	warnings := []string{
		"a live Hermes recreates it at its next command, with the settings it had when it started",
	}
	if s.Generation == GenerationG1 {
		warnings = append(warnings,
			"a Hermes from before recovery (#39415) fails every command until it is restarted instead")
	}
	return warnings
}

// sharedMembers are the profiles whose shared key makes a shared sandbox's
// identity (contract 1.1).
func sharedMembers(fleet *Fleet, s *Sandbox) []string {
	var members []string
	for _, p := range keyHolders(s.Profile, fleet.Profiles) {
		members = append(members, p.Name.Display())
	}
	slices.Sort(members)
	return members
}
