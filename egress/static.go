package egress

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
)

// ErrNotStatic is a program that cannot run in an image of its own.
var ErrNotStatic = errors.New("this program cannot run in an empty image")

// StaticBinary reports whether a program runs on an engine without a loader and
// libraries, as it must in an image that holds nothing else. The architecture is
// the engine's own word for it, such as x86_64 or arm64; one that is not known,
// or empty, is not compared. The error is an [ErrNotStatic] with the remedy, or
// says why the file cannot be read.
func StaticBinary(path, architecture string) error {
	file, err := elf.Open(path)
	var unreadable *fs.PathError
	switch {
	case errors.As(err, &unreadable):
		return fmt.Errorf("read the program for the proxy's image: %w", err)
	case err != nil:
		return fmt.Errorf("%w: %q is no program for Linux: name one that is with the setting egress.binary", ErrNotStatic, path)
	}
	defer func() { _ = file.Close() }()
	if file.Type != elf.ET_EXEC && file.Type != elf.ET_DYN {
		return fmt.Errorf("%w: %q is no program: name one with the setting egress.binary", ErrNotStatic, path)
	}
	if wanted, known := machineOf(architecture); known && wanted.elf != file.Machine {
		return fmt.Errorf("%w: %q is built for %s and the engine runs %s: build it with CGO_ENABLED=0 GOARCH=%s go build, and name it with the setting egress.binary",
			ErrNotStatic, path, file.Machine, architecture, wanted.goarch)
	}
	libraries, _ := file.ImportedLibraries() // fails where there is no dynamic section
	for _, part := range file.Progs {
		if part.Type == elf.PT_INTERP || len(libraries) > 0 {
			return fmt.Errorf("%w: %q is linked dynamically: build it with CGO_ENABLED=0 go build, or name a static one with the setting egress.binary", ErrNotStatic, path)
		}
	}
	return nil
}

// machine is an architecture as ELF and Go know it.
type machine struct {
	elf    elf.Machine
	goarch string
}

// machineOf returns the architecture that an engine means: Docker reports the
// kernel's word for it, Podman Go's.
func machineOf(architecture string) (machine, bool) {
	switch architecture {
	case "x86_64", "amd64":
		return machine{elf.EM_X86_64, "amd64"}, true
	case "aarch64", "arm64", "armv8l":
		return machine{elf.EM_AARCH64, "arm64"}, true
	case "armv7l", "armv6l", "arm":
		return machine{elf.EM_ARM, "arm"}, true
	case "i386", "i686", "386":
		return machine{elf.EM_386, "386"}, true
	case "ppc64le":
		return machine{elf.EM_PPC64, "ppc64le"}, true
	case "s390x":
		return machine{elf.EM_S390, "s390x"}, true
	case "riscv64":
		return machine{elf.EM_RISCV, "riscv64"}, true
	case "loongarch64", "loong64":
		return machine{elf.EM_LOONGARCH, "loong64"}, true
	}
	return machine{}, false
}
