package dockerx

import (
	"os"
	"regexp"
	"strings"

	"hermes-sandbox/model"
)

// The two places where an engine leaves its container's ID: the path of a
// control group (version 1), and the files it mounts over /etc (always).
var (
	cgroupID = regexp.MustCompile(`[/-]([0-9a-f]{64})(?:\.scope)?(?:/|$)`)
	mountID  = regexp.MustCompile(`/(?:overlay-)?containers/([0-9a-f]{64})/`)
	shortID  = regexp.MustCompile(`^[0-9a-f]{12}$`)
)

// ownContainer looks at this process and returns a test for the container it
// runs in; the test is never true outside of one.
func ownContainer() func(model.ID) bool {
	cgroup, _ := os.ReadFile("/proc/self/cgroup")    // absent outside Linux
	mounts, _ := os.ReadFile("/proc/self/mountinfo") // the same
	hostname, _ := os.Hostname()                     // no name, no evidence
	return matchOwn(ownPrefixes(cgroup, mounts, hostname))
}

func matchOwn(prefixes []string) func(model.ID) bool {
	return func(id model.ID) bool {
		for _, prefix := range prefixes {
			if strings.HasPrefix(string(id), prefix) {
				return true
			}
		}
		return false
	}
}

// ownPrefixes collects everything that names our own container: full IDs from
// the control group and the mounts, and the host name, which is the short ID
// unless one was given. A host's own mounts name other containers too, so only
// those over the three files of /etc count.
func ownPrefixes(cgroup, mounts []byte, hostname string) []string {
	var found []string
	for line := range strings.Lines(string(cgroup)) {
		for _, match := range cgroupID.FindAllStringSubmatch(strings.TrimSpace(line), -1) {
			found = append(found, match[1])
		}
	}
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line)
		if len(fields) < 5 || !enginesFile(fields[4]) {
			continue
		}
		if match := mountID.FindStringSubmatch(fields[3]); match != nil {
			found = append(found, match[1])
		}
	}
	if shortID.MatchString(hostname) {
		found = append(found, hostname)
	}
	return found
}

func enginesFile(mountPoint string) bool {
	switch mountPoint {
	case "/etc/hostname", "/etc/hosts", "/etc/resolv.conf":
		return true
	}
	return false
}
