package dockerx

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes-sandbox/model"
)

const (
	devHead   = "Inter-|   Receive |  Transmit\n face |bytes packets|bytes packets\n"
	routeHead = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
	igmpHead  = "Idx\tDevice    : Count Querier\tGroup    Users Timer\tReporter\n"
	igmpLo    = "1\tlo        :     1      V3\n\t\t\t\t010000E0     1 0:00000000\t\t0\n"
)

// process writes the files of a process with pid 7 below a made-up /proc.
func process(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	all := map[string]string{
		"cgroup":  "0::/system.slice/docker-" + sandboxID("a") + ".scope\n",
		"net/dev": devHead + "    lo: 0 0 0 0\n",
	}
	for name, content := range files {
		all[name] = content
	}
	for name, content := range all {
		path := filepath.Join(root, "7", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if content == "" {
			continue
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestReadKernelInterfaces(t *testing.T) {
	cases := map[string]struct {
		files map[string]string
		want  []string // "name up|down addresses routes counts"
	}{
		"only lo": {
			map[string]string{"net/igmp": igmpHead + igmpLo},
			[]string{"lo up [] [] false"},
		},
		"only lo, which leads nowhere": {
			map[string]string{
				"net/igmp": igmpHead + igmpLo, "net/if_inet6": "00000000000000000000000000000001 01 80 10 80       lo\n",
				"net/route": routeHead + "lo\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0\n",
			},
			[]string{"lo up [::1] [] false"},
		},
		"idle tunnels of the host": {
			map[string]string{"net/dev": devHead + "    lo: 0\n tunl0: 0\n  sit0: 0\n", "net/igmp": igmpHead + igmpLo},
			[]string{"lo up [] [] false", "sit0 down [] [] false", "tunl0 down [] [] false"},
		},
		"bridge": {
			map[string]string{
				"net/dev":      devHead + "    lo: 0\n  eth0:180 2\n",
				"net/route":    routeHead + "eth0\t00000000\t010011AC\t0003\t0\t0\t0\t00000000\t0\t0\t0\neth0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n",
				"net/igmp":     igmpHead + igmpLo + "9\teth0      :     1      V3\n",
				"net/fib_trie": "Local:\n     |-- 127.0.0.1\n        /32 host LOCAL\n     |-- 172.17.0.2\n        /32 host LOCAL\n     |-- 172.17.255.255\n        /32 link BROADCAST\n",
			},
			[]string{"eth0 up [172.17.0.2] [default 172.17.0.0/16] true", "lo up [] [] false"},
		},
		"an address of IPv6 alone": {
			map[string]string{
				"net/dev":      devHead + "    lo: 0\n  eth0: 0\n",
				"net/if_inet6": "fd000000000000000000000000000002 09 40 00 80     eth0\n00000000000000000000000000000001 01 80 10 80       lo\n",
				"net/ipv6_route": "fd000000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0\n" +
					"00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo\n",
			},
			[]string{"eth0 down [fd00::2] [fd00::/64] true", "lo down [::1] [] false"},
		},
		"a route that refuses": {
			map[string]string{
				"net/dev":   devHead + "    lo: 0\n  eth0: 0\n",
				"net/route": routeHead + "eth0\t00000000\t00000000\t0201\t0\t0\t0\t00000000\t0\t0\t0\n",
			},
			[]string{"eth0 down [] [] false", "lo down [] [] false"},
		},
		"a long name, and lines that are odd": {
			map[string]string{
				"net/dev":        devHead + "    lo: 0\nvery-long-name0: 0\n",
				"net/igmp":       igmpHead + "12\tvery-long-name0:     1      V3\n",
				"net/route":      routeHead + "x\n\neth9\tzz\tzz\t1\t0\t0\t0\tzz\n",
				"net/ipv6_route": "x\n", "net/if_inet6": "x\n", "net/fib_trie": "|--\n/32 host LOCAL\n",
			},
			[]string{"lo down [] [] false", "very-long-name0 up [] [] true"},
		},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			view := readKernel(process(t, tt.files), 7, model.ID(sandboxID("a")), time.Now())
			if view.Problem != "" {
				t.Fatal(view.Problem)
			}
			var got []string
			for _, i := range view.Interfaces {
				up := "down"
				if i.Up {
					up = "up"
				}
				got = append(got, fmt.Sprintf("%s %s %v %v %v", i.Name, up, i.Addresses, i.Routes, i.Counts()))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadKernelTrustsNoOtherProcess(t *testing.T) {
	cases := map[string]struct {
		files map[string]string
		pid   int
		says  string
	}{
		"gone":              {nil, 8, "gone"},
		"another container": {map[string]string{"cgroup": "0::/system.slice/docker-" + sandboxID("b") + ".scope\n"}, 7, "does not belong"},
		"a short ID only":   {map[string]string{"cgroup": "0::/docker/" + sandboxID("a")[:12] + "\n"}, 7, "does not belong"},
		"no cgroup":         {map[string]string{"cgroup": ""}, 7, "cgroup"},
		"no interfaces":     {map[string]string{"net/dev": ""}, 7, "namespace"},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			view := readKernel(process(t, tt.files), tt.pid, model.ID(sandboxID("a")), time.Now())
			if !strings.Contains(view.Problem, tt.says) || len(view.Interfaces) > 0 {
				t.Errorf("%+v, want a problem with %q", view, tt.says)
			}
		})
	}
}
