package dockerx

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

const socketHead = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"

// socketLine writes a line of the kernel's tables.
func socketLine(local, remote, state, inode string) string {
	return "   0: " + local + " " + remote + " " + state + " 00000000:00000000 00:00000000 00000000     0        0 " + inode + " 1 0000000000000000\n"
}

func TestReadConnections(t *testing.T) {
	root := process(t, map[string]string{
		"net/tcp": socketHead +
			socketLine("00000000:1F90", "00000000:0000", "0A", "100") +
			socketLine("0200A8C0:C350", "08080808:01BB", "01", "101") +
			socketLine("0100007F:C350", "0100007F:1F90", "06", "0") + "odd line\n",
		"net/tcp6": socketHead + socketLine("00000000000000000000000001000000:0050", "00000000000000000000000000000000:0000", "0A", "102"),
		"net/udp":  socketHead + socketLine("00000000:0035", "00000000:0000", "07", "103"),
		"comm":     "cu\x1brl\n",
	})
	fd := filepath.Join(root, "7", "fd")
	if err := os.MkdirAll(fd, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("socket:[101]", filepath.Join(fd, "3")); err != nil {
		t.Fatal(err)
	}
	view := readConnections(root, 7, model.ID(sandboxID("a")), time.Now())
	if view.Problem != "" {
		t.Fatal(view.Problem)
	}
	var got []string
	for _, c := range view.Connections {
		got = append(got, fmt.Sprintf("%s %s %s %q leaves %v listens %v, %d %s", c.Protocol, c.Local, c.Remote, c.State, c.Leaves(), c.Listens(), c.Pid, c.Process))
	}
	want := []string{
		`tcp 192.168.0.2:50000 8.8.8.8:443 "established" leaves true listens false, 7 cu\x1brl`,
		`tcp 127.0.0.1:50000 127.0.0.1:8080 "time-wait" leaves false listens false, 0 `,
		`tcp 0.0.0.0:8080 0.0.0.0:0 "listen" leaves false listens true, 0 `,
		`tcp6 [::1]:80 [::]:0 "listen" leaves false listens true, 0 `,
		`udp 0.0.0.0:53 0.0.0.0:0 "" leaves false listens true, 0 `,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if count := countConnections(root, 7, model.ID(sandboxID("a"))); count == nil || *count != 1 {
		t.Errorf("they count as %v", count)
	}
}

func TestReadConnectionsIsBounded(t *testing.T) {
	line := socketLine("0200A8C0:C350", "08080808:01BB", "01", "0")
	root := process(t, map[string]string{"net/tcp": strings.Repeat(line, socketsKept+3)})
	view := readConnections(root, 7, model.ID(sandboxID("a")), time.Now())
	if len(view.Connections) != socketsKept || view.Dropped != 3 {
		t.Errorf("%d kept, %d dropped", len(view.Connections), view.Dropped)
	}
	if count := countConnections(root, 7, model.ID(sandboxID("a"))); count == nil || *count != socketsKept+3 {
		t.Errorf("all of them count as %v", count)
	}
}

// TestTablesOfTCPAreReadOnlyWhereThereIsTCP plants a connection in the table: it
// counts unless the kernel's sums say that there is none.
func TestTablesOfTCPAreReadOnlyWhereThereIsTCP(t *testing.T) {
	const none, none6 = "sockets: used 3\nTCP: inuse 0 orphan 4 tw 0 alloc 9 mem 1\nUDP: inuse 7 mem 0\n", "TCP6: inuse 0\nUDP6: inuse 2\n"
	for name, c := range map[string]struct {
		four, six string
		want      int
	}{
		"none":             {none, none6, 0},
		"none, no IPv6":    {none, "", 0},
		"one in use":       {strings.Replace(none, "TCP: inuse 0", "TCP: inuse 1", 1), none6, 1},
		"one closing":      {strings.Replace(none, "tw 0", "tw 1", 1), none6, 1},
		"one of IPv6":      {none, "TCP6: inuse 1\n", 1},
		"sums not known":   {"", "", 1},
		"sums without TCP": {"UDP: inuse 0 mem 0\n", "TCP6: inuse 0\n", 1},
	} {
		files := map[string]string{"net/tcp": socketHead + socketLine("0200A8C0:C350", "08080808:01BB", "01", "0")}
		if c.four != "" {
			files["net/sockstat"] = c.four
		}
		if c.six != "" {
			files["net/sockstat6"] = c.six
		}
		root := process(t, files)
		if count := countConnections(root, 7, model.ID(sandboxID("a"))); count == nil || *count != c.want {
			t.Errorf("%s: counted %v, want %d", name, count, c.want)
		}
	}
}

func TestReadConnectionsTrustsNoOtherProcess(t *testing.T) {
	root := process(t, map[string]string{
		"cgroup": "0::/system.slice/docker-" + sandboxID("b") + ".scope\n", "net/tcp": socketLine("0200A8C0:C350", "08080808:01BB", "01", "0"),
	})
	view := readConnections(root, 7, model.ID(sandboxID("a")), time.Now())
	if !strings.Contains(view.Problem, "does not belong") || len(view.Connections) > 0 {
		t.Errorf("%+v", view)
	}
	if count := countConnections(root, 7, model.ID(sandboxID("a"))); count != nil {
		t.Errorf("another's sockets count as %d", *count)
	}
}

func TestConnectionsOfAnotherMachineAreNotAvailable(t *testing.T) {
	engine, client := onSimulated(t, simengine.Options{})
	id, err := engine.Add(simengine.Spec{Name: "box"})
	if err != nil {
		t.Fatal(err)
	}
	view, err := client.Connections(t.Context(), model.ID(id))
	if err != nil || view.Problem == "" || len(view.Connections) > 0 {
		t.Errorf("%+v, %v", view, err)
	}
}

func FuzzSocketAddress(f *testing.F) {
	f.Add("0100007F:0050")
	f.Add("00000000000000000000000001000000:0050")
	f.Fuzz(func(t *testing.T, text string) {
		if address, ok := socketAddress(text); ok && !address.IsValid() {
			t.Fatalf("%q is %v", text, address)
		}
	})
}
