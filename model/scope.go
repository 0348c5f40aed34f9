package model

import (
	"path"
	"strings"
)

// probeTask is the task of Hermes' one-off look at the backend.
const probeTask = "prompt-backend-probe"

// scopeOf says what a sandbox belongs to. A sandbox whose task is a known
// session's id is a session's as well, which only the session match can tell.
func scopeOf(s *Sandbox, profiles []Profile) Scope {
	task := s.Task.Raw()
	bound := bindSource(s.Container, "/root") != ""
	switch {
	case s.Foreign:
		return ScopeUnknown
	case task == probeTask:
		return ScopeProbe
	case underSharedKey(s, profiles):
		return ScopeShared
	case rootOnTmpfs(s.Container), strings.HasPrefix(task, "session_"):
		return ScopeSession
	case profileTask(s, profiles):
		return ScopeProfile
	case bound && profileSession(s, profiles):
		return ScopeSession
	case bound:
		return ScopeRollout
	default:
		return ScopeUnknown
	}
}

// rootOnTmpfs reports whether /root is lost when the container stops, which is
// how Hermes makes sandboxes of one session (contract 1.4).
func rootOnTmpfs(c *Container) bool {
	if _, ok := c.Host.Tmpfs[NewText("/root")]; ok {
		return true
	}
	for _, mount := range allMounts(c) {
		if mount.Type.Raw() == "tmpfs" && mount.Destination.Raw() == "/root" {
			return true
		}
	}
	return false
}

// profileTask reports whether the task is that of a whole profile (contract 2):
// "default", "profile:<name>" or "home:<path>". Labels fold several task ids
// into one, so the bind directory has the last word where there is one.
func profileTask(s *Sandbox, profiles []Profile) bool {
	task, dir := s.Task.Raw(), bindDir(s.Container)
	if task == defaultTask {
		return true
	}
	if strings.HasPrefix(task, "home_") {
		return bindSource(s.Container, "/root") != "" && dir != task
	}
	for _, name := range profileNames(s, profiles) {
		id := "profile:" + name
		if Sanitize(id) == task && (dir == "" || dir == DirName(id) || dir == id) {
			return true
		}
	}
	return false
}

// profileSession reports whether the bind directory shows that the task is a
// session qualified with its profile, "profile:<name>:<id>".
func profileSession(s *Sandbox, profiles []Profile) bool {
	task, dir := s.Task.Raw(), bindDir(s.Container)
	for _, name := range profileNames(s, profiles) {
		rest, found := strings.CutPrefix(task, Sanitize("profile:"+name+":"))
		if id := "profile:" + name + ":" + rest; found && (dir == DirName(id) || dir == id) {
			return true
		}
	}
	return false
}

// profileNames returns the profile names that may stand in a task: the known
// ones and the sandbox's own label.
func profileNames(s *Sandbox, profiles []Profile) []string {
	names := []string{s.Profile.Raw()}
	for i := range profiles {
		names = append(names, profiles[i].Name.Raw())
	}
	return names
}

// bindDir returns the name of the directory Hermes made for the task, "" when
// /root and /workspace are bound from elsewhere or not at all.
func bindDir(c *Container) string {
	if dir := ownSandboxDir(c); dir != "" {
		return path.Base(dir)
	}
	return ""
}

// ownSandboxDir returns the directory Hermes made for the container's task,
// <root>/docker/<name>, recognised by its layout: home is bound to /root and
// workspace to /workspace (contract 1.4).
func ownSandboxDir(c *Container) string {
	for _, place := range [][2]string{{"/root", "home"}, {"/workspace", "workspace"}} {
		source := bindSource(c, place[0])
		dir := path.Dir(source)
		if source != "" && path.Base(source) == place[1] && path.Base(path.Dir(dir)) == "docker" {
			return dir
		}
	}
	return ""
}
