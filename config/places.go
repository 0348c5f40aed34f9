package config

import (
	"runtime"
	"strings"
)

// appDir is our folder below the base folders.
const appDir = "hermes-sandbox"

// windowsOS is the name of Windows in runtime.GOOS.
const windowsOS = "windows"

// places knows where a system keeps settings and state. The system is a field,
// so that each one's rules can be looked at on every other.
type places struct {
	goos     string // as in runtime.GOOS
	env      environment
	userHome string // "" when there is none
}

// UserHome returns the user's home folder from the environment: HOME, and on
// Windows USERPROFILE where HOME is not set; "" when there is none.
func UserHome(environ []string) string {
	return places{goos: runtime.GOOS, env: parseEnviron(environ)}.home()
}

func (p places) home() string {
	if home := p.env["HOME"]; home != "" || p.goos != windowsOS {
		return home
	}
	return p.env["USERPROFILE"]
}

// SettingsFile returns where the settings are read from when no file is named:
// $XDG_CONFIG_HOME/hermes-sandbox/config.yaml, by default below ~/.config, on
// Windows below %APPDATA%. It returns "" when there is neither variable nor
// home folder.
func SettingsFile(environ []string, userHome string) string {
	p := places{goos: runtime.GOOS, env: parseEnviron(environ), userHome: userHome}
	return p.below(p.base("XDG_CONFIG_HOME", "APPDATA", ".config"), appDir, "config.yaml")
}

// StateDir returns the folder for state and audit:
// $XDG_STATE_HOME/hermes-sandbox, by default below ~/.local/state, on Windows
// below %LOCALAPPDATA%. It returns "" when there is neither variable nor home
// folder.
func StateDir(environ []string, userHome string) string {
	p := places{goos: runtime.GOOS, env: parseEnviron(environ), userHome: userHome}
	return p.below(p.base("XDG_STATE_HOME", "LOCALAPPDATA", ".local", "state"), appDir)
}

// base returns a base folder: the XDG variable when it holds an absolute path
// (others are to be ignored), on Windows the system's own variable, else the
// fallback below the user's home, or "" when there is no home either.
func (p places) base(xdg, windows string, fallback ...string) string {
	if p.absolute(p.env[xdg]) {
		return p.env[xdg]
	}
	if p.goos == windowsOS && p.absolute(p.env[windows]) {
		return p.env[windows]
	}
	return p.below(p.userHome, fallback...)
}

// below joins names to a folder; below no folder there is nothing.
func (p places) below(dir string, names ...string) string {
	if dir == "" {
		return ""
	}
	separator := "/"
	if p.goos == windowsOS {
		separator = `\`
	}
	return strings.TrimRight(dir, "/"+separator) + separator + strings.Join(names, separator)
}

// absolute reports whether a path starts at a root: on Windows at a drive's or
// a server's.
func (p places) absolute(path string) bool {
	if p.goos != windowsOS {
		return strings.HasPrefix(path, "/")
	}
	path = strings.ReplaceAll(path, "/", `\`)
	return strings.HasPrefix(path, `\\`) || len(path) > 2 && path[1:3] == `:\`
}
