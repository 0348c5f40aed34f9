package dockerx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"hermes-sandbox/model"
)

// processDir is the folder of a process under /proc, held open: what is read
// through it is of that very process, even when its number is given to another
// one meanwhile. It reads with the fewest calls the kernel allows, since every
// running sandbox is looked at again and again.
type processDir struct {
	fd     int
	buffer []byte // of the last file that was read
}

// openProcess opens the folder of a process.
func openProcess(proc string, pid int) (*processDir, error) {
	fd, err := uninterrupted(func() (int, error) {
		return unix.Open(filepath.Join(proc, strconv.Itoa(pid)), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, err
	}
	return &processDir{fd: fd, buffer: make([]byte, 4<<10)}, nil
}

func (d *processDir) close() { _ = unix.Close(d.fd) }

// open opens a file of the folder.
func (d *processDir) open(name string) (processFile, error) {
	fd, err := uninterrupted(func() (int, error) { return unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_CLOEXEC, 0) })
	return processFile(fd), err
}

// read reads a whole file of the folder. The bytes are good until the next read.
func (d *processDir) read(name string) ([]byte, error) {
	file, err := d.open(name)
	if err != nil {
		return nil, err
	}
	defer file.close()
	for size := 0; ; {
		if size == len(d.buffer) {
			d.buffer = append(d.buffer, make([]byte, size)...)
		}
		n, err := file.Read(d.buffer[size:])
		size += n
		if errors.Is(err, io.EOF) {
			return d.buffer[:size], nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// processFile is an open file of a process's folder.
type processFile int

// Read implements [io.Reader].
func (f processFile) Read(to []byte) (int, error) {
	n, err := uninterrupted(func() (int, error) { return unix.Read(int(f), to) })
	switch {
	case err != nil:
		return 0, err
	case n == 0 && len(to) > 0:
		return 0, io.EOF
	default:
		return n, nil
	}
}

func (f processFile) close() { _ = unix.Close(int(f)) }

// uninterrupted repeats a call of the kernel for as long as signals interrupt it.
func uninterrupted(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// lookInside reads from the folder of a process of a container: its cgroup names
// the full ID, and it still has a network namespace when all is read. Of one that
// ended meanwhile files are missing, as they are on a kernel without IPv6. It
// returns why nothing that was read may be trusted; empty when all of it may.
func lookInside(proc string, pid int, id model.ID, read func(dir *processDir) error) string {
	dir, err := openProcess(proc, pid)
	if err != nil {
		return "the process is gone or hidden: " + safe(err.Error())
	}
	defer dir.close()
	cgroup, err := dir.read("cgroup")
	if err != nil {
		return "its cgroup cannot be read: " + safe(err.Error())
	}
	if !bytes.Contains(cgroup, []byte(id)) {
		return fmt.Sprintf("process %d does not belong to this container here", pid)
	}
	if err := read(dir); err != nil {
		return "its network namespace cannot be read: " + safe(err.Error())
	}
	last, err := dir.open(interfaceTable)
	if err != nil {
		return "the process ended while it was looked at"
	}
	last.close()
	return ""
}

// interfaceTable is the kernel's list of interfaces, which every network
// namespace has.
const interfaceTable = "net/dev"
