package dockerx

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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

// readKernel reads the network namespace of a process, after checking that the
// process belongs to the container: its cgroup names the full ID, and it is the
// same process before and after (a pid can be given to another one). A failure
// is a view with a Problem.
func readKernel(proc string, pid int, id model.ID, now time.Time) *model.KernelView {
	var interfaces []model.KernelInterface
	problem := lookInside(proc, pid, id, func(dir string) (err error) {
		interfaces, err = readInterfaces(filepath.Join(dir, "net"))
		return err
	})
	if problem != "" {
		return &model.KernelView{ReadAt: now, Problem: problem}
	}
	return &model.KernelView{ReadAt: now, Interfaces: interfaces}
}

// lookInside reads from the folder of a process of a container, between two
// checks that it is one. It returns why nothing that was read may be trusted;
// empty when all of it may.
func lookInside(proc string, pid int, id model.ID, read func(dir string) error) string {
	dir := filepath.Join(proc, strconv.Itoa(pid))
	before, err := processStart(dir)
	if err != nil {
		return "the process is gone or hidden: " + safe(rootCause(err).Error())
	}
	cgroup, err := os.ReadFile(filepath.Join(dir, "cgroup")) //nolint:gosec // a path under /proc
	if err != nil {
		return "its cgroup cannot be read: " + safe(rootCause(err).Error())
	}
	if !strings.Contains(string(cgroup), string(id)) {
		return fmt.Sprintf("process %d does not belong to this container here", pid)
	}
	if err := read(dir); err != nil {
		return "its network namespace cannot be read: " + safe(rootCause(err).Error())
	}
	if after, err := processStart(dir); err != nil || after != before {
		return "the process ended while it was looked at"
	}
	return ""
}

// processStart is the start time of a process in clock ticks, field 22 of its
// stat; the name before it may hold spaces and parentheses.
func processStart(dir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "stat")) //nolint:gosec // a path under /proc
	if err != nil {
		return "", err //nolint:wrapcheck // the caller says what was read
	}
	end := strings.LastIndexByte(string(data), ')')
	fields := strings.Fields(string(data[end+1:]))
	const start = 19 // field 22, counted from the one after the name
	if len(fields) <= start {
		return "", fmt.Errorf("%s has %d fields", filepath.Join(dir, "stat"), len(fields))
	}
	return fields[start], nil
}

// namespace gathers interfaces by name.
type namespace map[string]*model.KernelInterface

func (n namespace) at(name string) *model.KernelInterface {
	if n[name] == nil {
		n[name] = &model.KernelInterface{Name: name}
	}
	return n[name]
}

// readInterfaces reads a namespace from its /proc/<pid>/net folder. The list
// of interfaces must be there; the IPv6 files are absent without IPv6.
func readInterfaces(dir string) ([]model.KernelInterface, error) {
	found := namespace{}
	dev, err := os.ReadFile(filepath.Join(dir, "dev")) //nolint:gosec // a path under /proc
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller says what was read
	}
	for line := range strings.Lines(string(dev)) {
		if name, _, ok := strings.Cut(line, ":"); ok {
			found.at(strings.TrimSpace(name))
		}
	}
	readers := []struct {
		file string
		read func(namespace, []string)
	}{
		{"route", namespace.route4}, {"ipv6_route", namespace.route6}, {"if_inet6", namespace.address6}, {"igmp", namespace.groups4},
	}
	for _, reader := range readers {
		data, err := os.ReadFile(filepath.Join(dir, reader.file)) //nolint:gosec // a path under /proc
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err //nolint:wrapcheck // the caller says what was read
		}
		for line := range strings.Lines(string(data)) {
			reader.read(found, strings.Fields(line))
		}
	}
	if trie, err := os.ReadFile(filepath.Join(dir, "fib_trie")); err == nil { //nolint:gosec // a path under /proc
		found.localAddresses(string(trie))
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
