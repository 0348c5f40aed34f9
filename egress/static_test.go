package egress

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// elfFile writes a program of ELF with the given segments and nothing else.
func elfFile(t *testing.T, kind elf.Type, segments ...elf.ProgType) string {
	t.Helper()
	const headerSize, segmentSize = 64, 56
	header := elf.Header64{
		Type: uint16(kind), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT),
		Phoff: headerSize, Ehsize: headerSize, Phentsize: segmentSize, Phnum: uint16(len(segments)), Shentsize: 64,
	}
	copy(header.Ident[:], "\x7fELF")
	header.Ident[elf.EI_CLASS], header.Ident[elf.EI_DATA], header.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	raw, err := binary.Append(nil, binary.LittleEndian, header)
	for _, kind := range segments {
		if err == nil {
			raw, err = binary.Append(raw, binary.LittleEndian, elf.Prog64{Type: uint32(kind)})
		}
	}
	path := filepath.Join(t.TempDir(), "program")
	if err == nil {
		err = os.WriteFile(path, raw, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestStaticBinary(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ path, want, architecture string }{
		"static":                     {elfFile(t, elf.ET_EXEC, elf.PT_LOAD), "", ""},
		"static, at any address":     {elfFile(t, elf.ET_DYN, elf.PT_LOAD, elf.PT_DYNAMIC), "", ""},
		"dynamic":                    {elfFile(t, elf.ET_EXEC, elf.PT_INTERP, elf.PT_LOAD), "CGO_ENABLED=0 go build", ""},
		"dynamic, at any address":    {elfFile(t, elf.ET_DYN, elf.PT_LOAD, elf.PT_INTERP), "CGO_ENABLED=0 go build", ""},
		"dynamic names the settings": {elfFile(t, elf.ET_DYN, elf.PT_INTERP), "egress.binary", ""},
		"object file":                {elfFile(t, elf.ET_REL, elf.PT_LOAD), "no program", ""},
		"script":                     {script, "no program for Linux", ""},
		"architecture of Docker":     {elfFile(t, elf.ET_EXEC, elf.PT_LOAD), "", "x86_64"},
		"architecture of Podman":     {elfFile(t, elf.ET_EXEC, elf.PT_LOAD), "", "amd64"},
		"architecture nobody knows":  {elfFile(t, elf.ET_EXEC, elf.PT_LOAD), "", "quantum"},
		"another architecture":       {elfFile(t, elf.ET_EXEC, elf.PT_LOAD), "EM_X86_64 and the engine runs aarch64: build it with CGO_ENABLED=0 GOARCH=arm64 go build", "aarch64"},
	} {
		t.Run(name, func(t *testing.T) {
			err := StaticBinary(c.path, c.architecture)
			if c.want == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if !errors.Is(err, ErrNotStatic) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path) {
				t.Errorf("error = %v, want one about the file with %q", err, c.want)
			}
		})
	}
}

func TestStaticBinaryThatIsNotThere(t *testing.T) {
	if err := StaticBinary(filepath.Join(t.TempDir(), "none"), ""); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNotStatic) {
		t.Errorf("error = %v, want that it does not exist", err)
	}
}

// The shell of this machine stands for what linkers make.
func TestStaticBinaryOfRealPrograms(t *testing.T) {
	for path, static := range map[string]bool{"/bin/busybox": true, "/bin/bash": false} {
		if _, err := os.Stat(path); err != nil {
			t.Logf("%s is not here", path)
			continue
		}
		if err := StaticBinary(path, ""); (err == nil) != static {
			t.Errorf("%s: %v, want static %t", path, err, static)
		}
	}
}
