package dockerx

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"hermes-sandbox/model"
)

// kernelRelease is the release of the running kernel; empty when not known.
func kernelRelease() string {
	data, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// readKernel reads the network namespace of a process of a container. A failure
// is a view with a Problem.
func readKernel(proc string, pid int, id model.ID, now time.Time) *model.KernelView {
	var interfaces []model.KernelInterface
	problem := lookInside(proc, pid, id, func(dir *processDir) (err error) {
		interfaces, err = readInterfaces(dir)
		return err
	})
	if problem != "" {
		return &model.KernelView{ReadAt: now, Problem: problem}
	}
	return &model.KernelView{ReadAt: now, Interfaces: interfaces}
}

// loopback is the interface that every network namespace has.
const loopback = "lo"

// namespace gathers interfaces by name.
type namespace map[string]*model.KernelInterface

func (n namespace) at(name string) *model.KernelInterface {
	if n[name] == nil {
		n[name] = &model.KernelInterface{Name: name}
	}
	return n[name]
}

// readInterfaces reads the namespace of a process. The list of interfaces must be
// there; the IPv6 files are absent without IPv6.
func readInterfaces(dir *processDir) ([]model.KernelInterface, error) {
	found := namespace{}
	data, err := dir.read(interfaceTable)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(data) {
		if name, _, ok := bytes.Cut(line, []byte(":")); ok {
			found.at(string(bytes.TrimSpace(name)))
		}
	}
	alone := len(found) == 1 && found[loopback] != nil // it leads nowhere, so its routes say nothing
	readers := []struct {
		file   string
		read   func(namespace, []string)
		routes bool
	}{
		{"net/route", namespace.route4, true},
		{"net/ipv6_route", namespace.route6, true},
		{"net/if_inet6", namespace.address6, false},
		{"net/igmp", namespace.groups4, false},
	}
	for _, reader := range readers {
		if reader.routes && alone {
			continue
		}
		data, err := dir.read(reader.file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(data)) {
			reader.read(found, strings.Fields(line))
		}
	}
	if !alone {
		if trie, err := dir.read("net/fib_trie"); err == nil {
			found.localAddresses(string(trie))
		}
	}
	var names []string
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	interfaces := make([]model.KernelInterface, 0, len(names))
	for _, name := range names {
		interfaces = append(interfaces, *found[name])
	}
	return interfaces, nil
}
