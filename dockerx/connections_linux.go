package dockerx

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hermes-sandbox/model"
)

// Bounds of a look at sockets.
const (
	socketsKept  = 1000
	socketsRead  = 64 << 10 // lines of one file
	processesMax = 4096     // processes of one container whose files are looked at
)

// socketStates are the kernel's numbers for the states of a tcp socket.
func socketStates() map[string]string {
	return map[string]string{
		"01": "established", "02": "syn-sent", "03": "syn-received", "04": "fin-wait-1", "05": "fin-wait-2", "06": "time-wait",
		"07": "closed", "08": "close-wait", "09": "last-ack", "0A": "listen", "0B": "closing", "0C": "new-syn-received",
	}
}

// readConnections reads the sockets of a process's network namespace, with the
// same checks as readKernel. Who holds a socket is known only where the folders
// of the container's processes may be read.
func readConnections(proc string, pid int, id model.ID, now time.Time) model.ConnectionView {
	view := model.ConnectionView{ReadAt: now}
	inodes := map[string]int{} // place in Connections
	view.Problem = lookInside(proc, pid, id, func(dir *processDir) error {
		return readSockets(dir, socketTables(), func(connection model.Connection, inode string) {
			if len(view.Connections) >= socketsKept {
				view.Dropped++
				return
			}
			if inode != "0" {
				inodes[inode] = len(view.Connections)
			}
			view.Connections = append(view.Connections, connection)
		})
	})
	if view.Problem != "" {
		return model.ConnectionView{ReadAt: now, Problem: view.Problem}
	}
	nameHolders(proc, id, &view, inodes)
	slices.SortStableFunc(view.Connections, func(a, b model.Connection) int {
		return cmp.Or(boolOrder(b.Leaves(), a.Leaves()), boolOrder(a.Listens(), b.Listens()), cmp.Compare(a.Protocol, b.Protocol),
			a.Remote.Compare(b.Remote), a.Local.Compare(b.Local))
	})
	return view
}

// countConnections counts the sockets of a process's network namespace that
// lead out of it, with the same checks; nil when that is not known.
func countConnections(proc string, pid int, id model.ID) *int {
	count := 0
	problem := lookInside(proc, pid, id, func(dir *processDir) error {
		tables := socketTables()
		if withoutTCP(dir) {
			tables = slices.DeleteFunc(tables, func(name string) bool { return strings.HasPrefix(name, "tcp") })
		}
		return readSockets(dir, tables, func(connection model.Connection, _ string) {
			if connection.Leaves() {
				count++
			}
		})
	})
	if problem != "" {
		return nil
	}
	return &count
}

// boolOrder puts false before true.
func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// socketTables are the kernel's tables of sockets, by their protocols.
func socketTables() []string { return []string{"tcp", "tcp6", "udp", "udp6"} }

// withoutTCP reports whether a network namespace has no tcp socket, by the
// kernel's sums: to write the tables takes it milliseconds, even empty ones,
// since it walks over those of the whole machine.
func withoutTCP(dir *processDir) bool {
	data, err := dir.read("net/sockstat")
	if err != nil {
		return false
	}
	sums := string(data) + "\n"
	data, err = dir.read("net/sockstat6")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return false
	}
	known := false
	for line := range strings.Lines(sums + string(data)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || !strings.HasPrefix(fields[0], "TCP") {
			continue
		}
		known = known || fields[0] == "TCP:"
		for i := 1; i+1 < len(fields); i += 2 {
			if name := fields[i]; (name == "inuse" || name == "tw") && fields[i+1] != "0" {
				return false
			}
		}
	}
	return known
}

// readSockets reads tables of sockets of a process. A kernel without
// IPv6 lacks some.
func readSockets(dir *processDir, tables []string, take func(connection model.Connection, inode string)) error {
	for _, protocol := range tables {
		err := readTable(dir, protocol, take)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func readTable(dir *processDir, protocol string, take func(connection model.Connection, inode string)) error {
	file, err := dir.open("net/" + protocol)
	if err != nil {
		return err
	}
	defer file.close()
	states := socketStates()
	lines := bufio.NewScanner(file)
	lines.Buffer(dir.buffer, bufio.MaxScanTokenSize)
	for count := 0; count < socketsRead && lines.Scan(); count++ {
		fields := strings.Fields(lines.Text())
		if len(fields) < 10 {
			continue
		}
		local, ok := socketAddress(fields[1])
		remote, remoteOK := socketAddress(fields[2])
		if !ok || !remoteOK {
			continue // the heading
		}
		connection := model.Connection{Protocol: protocol, Local: local, Remote: remote, State: states[strings.ToUpper(fields[3])]}
		if strings.HasPrefix(protocol, "udp") && connection.State == "closed" {
			connection.State = "" // a udp socket without a peer
		}
		take(connection, fields[9])
	}
	return lines.Err() //nolint:wrapcheck // the caller says what was read
}

// socketAddress reads an address and a port in hex, such as 0100007F:0050. An
// address of IPv6 stands as four words in the host's byte order.
func socketAddress(text string) (netip.AddrPort, bool) {
	host, port, ok := strings.Cut(text, ":")
	number, err := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil {
		return netip.AddrPort{}, false
	}
	var address netip.Addr
	switch len(host) {
	case 8:
		address, ok = address4(host)
	case 32:
		var raw [16]byte
		for word := range 4 {
			part, err := strconv.ParseUint(host[word*8:word*8+8], 16, 32)
			if err != nil {
				return netip.AddrPort{}, false
			}
			binary.NativeEndian.PutUint32(raw[word*4:], uint32(part))
		}
		address = netip.AddrFrom16(raw).Unmap()
	default:
		ok = false
	}
	return netip.AddrPortFrom(address, uint16(number)), ok
}

// nameHolders finds the processes of the container that hold the sockets. What
// may not be looked at is left out.
func nameHolders(proc string, id model.ID, view *model.ConnectionView, inodes map[string]int) {
	if len(inodes) == 0 {
		return
	}
	entries, err := os.ReadDir(proc)
	if err != nil {
		return
	}
	looked := 0
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || looked >= processesMax {
			continue
		}
		dir := filepath.Join(proc, entry.Name())
		cgroup, err := os.ReadFile(filepath.Join(dir, "cgroup")) //nolint:gosec // a path under /proc
		if err != nil || !strings.Contains(string(cgroup), string(id)) {
			continue
		}
		looked++
		nameHolder(dir, pid, view, inodes)
	}
}

// nameHolder looks for sockets among the open files of one process.
func nameHolder(dir string, pid int, view *model.ConnectionView, inodes map[string]int) {
	files, err := os.ReadDir(filepath.Join(dir, "fd"))
	if err != nil {
		return
	}
	for _, file := range files {
		target, err := os.Readlink(filepath.Join(dir, "fd", file.Name()))
		if err != nil {
			continue
		}
		inode, ok := strings.CutPrefix(target, "socket:[")
		at, known := inodes[strings.TrimSuffix(inode, "]")]
		if !ok || !known || view.Connections[at].Pid != 0 {
			continue
		}
		name, _ := os.ReadFile(filepath.Join(dir, "comm")) //nolint:gosec // a path under /proc; empty when it cannot be read
		view.Connections[at].Pid, view.Connections[at].Process = pid, model.NewText(strings.TrimSuffix(string(name), "\n"))
	}
}
