package model

import "slices"

// removalLosses are what a removal destroys (contract 7). Bind directories and
// named volumes always stay.
func removalLosses(s *Sandbox, volumes bool) []Loss {
	losses := stopLosses(s)
	at := 0
	if hasProcesses(s.State) {
		at = 1 // behind processes
	}
	losses = slices.Insert(losses, at, LossWritableLayer)
	if volumes && anonymousVolumes(s) > 0 {
		losses = append(losses, LossAnonymousVolumes)
	}
	return losses
}

// stopLosses are what ends with a sandbox's processes (contract 7). An exited
// one has already lost them.
func stopLosses(s *Sandbox) []Loss {
	if !hasProcesses(s.State) {
		return []Loss{}
	}
	losses := []Loss{LossProcesses}
	if len(s.Host.Tmpfs) > 0 || slices.ContainsFunc(s.Mounts, isTmpfs) {
		losses = append(losses, LossTmpfs)
	}
	if rootOnTmpfs(s.Container) {
		losses = append(losses, LossSessionFiles)
	}
	return losses
}

func isTmpfs(m Mount) bool { return m.Type.Raw() == "tmpfs" }

// anonymousVolumes counts volumes with names the engine made up.
func anonymousVolumes(s *Sandbox) int {
	count := 0
	for _, mount := range s.Mounts {
		if mount.Anonymous {
			count++
		}
	}
	return count
}

// boundDirectories are the host paths a sandbox can write to.
func boundDirectories(s *Sandbox) []Text {
	var paths []Text
	for _, mount := range hostMounts(s.Container) {
		if mount.RW {
			paths = append(paths, mount.Source)
		}
	}
	slices.SortFunc(paths, compareText)
	return slices.Compact(paths)
}
