package dockerx

import (
	"strings"
	"testing"

	"hermes-sandbox/model"
)

func TestOwnContainer(t *testing.T) {
	id, other := strings.Repeat("a", 64), strings.Repeat("b", 64)
	tests := map[string]struct {
		cgroup, mounts, hostname string
		own                      bool
	}{
		"control group, cgroupfs": {cgroup: "12:pids:/docker/" + id + "\n", own: true},
		"control group, systemd":  {cgroup: "0::/system.slice/docker-" + id + ".scope\n", own: true},
		"control group, nested":   {cgroup: "1:cpu:/docker/" + id + "/docker/" + other + "\n", own: true},
		"mounted host name": {
			cgroup: "0::/\n",
			mounts: "700 600 254:1 /var/lib/docker/containers/" + id + "/hostname /etc/hostname rw - ext4 /dev/vda1 rw\n",
			own:    true,
		},
		"mounted by podman": {
			mounts: "700 600 0:50 /containers/overlay-containers/" + id + "/userdata/hosts /etc/hosts rw - tmpfs tmpfs rw\n",
			own:    true,
		},
		"a host that sees its containers' mounts": {
			cgroup:   "0::/user.slice\n",
			mounts:   "700 600 0:50 / /var/lib/docker/containers/" + id + "/mounts/shm rw - tmpfs shm rw\n",
			hostname: "server",
		},
		"host name that is the short ID": {hostname: id[:12], own: true},
		"host name of another":           {hostname: other[:12]},
		"short lines":                    {mounts: "1 2\n\n"},
		"nothing":                        {},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			own := matchOwn(ownPrefixes([]byte(test.cgroup), []byte(test.mounts), test.hostname))
			if got := own(model.ID(id)); got != test.own {
				t.Errorf("own is %t, want %t", got, test.own)
			}
			if own(model.ID(strings.Repeat("c", 64))) {
				t.Error("a third container is taken for our own")
			}
		})
	}
}
