package enginetest

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"os"
	"testing"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// busyboxImage is made once on an engine and left there for later tests.
const busyboxImage = "hermes-sandbox-test:busybox"

// busybox returns a small image, made from this machine's static busybox, so
// that no registry is needed.
func (e *Engine) busybox(ctx context.Context, t testing.TB) string {
	t.Helper()
	_, err := e.Client.ImageInspect(ctx, busyboxImage)
	if err == nil {
		return busyboxImage
	}
	if !errdefs.IsNotFound(err) {
		t.Fatalf("inspect image: %v", err)
	}
	archive, err := rootfs()
	if err != nil {
		t.Fatalf("a static busybox is needed (package busybox-static): %v", err)
	}
	result, err := e.Client.ImageImport(ctx, client.ImageImportSource{Source: archive, SourceName: "-"}, "hermes-sandbox-test",
		client.ImageImportOptions{Tag: "busybox", Changes: []string{`CMD ["sleep","infinity"]`, `ENV PATH=/bin`}})
	if err != nil {
		t.Fatalf("import image: %v", err)
	}
	defer func() { _ = result.Close() }()
	if _, err := io.Copy(io.Discard, result); err != nil {
		t.Fatalf("import image: %v", err)
	}
	return busyboxImage
}

// rootfs is a file system of busybox and its links.
func rootfs() (io.Reader, error) {
	binary, err := os.ReadFile("/bin/busybox")
	if err != nil {
		return nil, err //nolint:wrapcheck // the path is in it
	}
	var out bytes.Buffer
	writer := tar.NewWriter(&out)
	headers := []*tar.Header{
		{Name: "bin/", Typeflag: tar.TypeDir, Mode: 0o755},
		{Name: "tmp/", Typeflag: tar.TypeDir, Mode: 0o1777},
		{Name: "root/", Typeflag: tar.TypeDir, Mode: 0o700},
		{Name: "etc/", Typeflag: tar.TypeDir, Mode: 0o755},
		{Name: "bin/busybox", Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(binary))},
	}
	for _, name := range []string{"sh", "sleep", "cat", "echo", "ls", "nc", "wget", "ping", "id", "touch", "mkdir", "true", "false", "dd", "kill"} {
		headers = append(headers, &tar.Header{Name: "bin/" + name, Typeflag: tar.TypeSymlink, Linkname: "busybox", Mode: 0o777})
	}
	for _, header := range headers {
		if err := writer.WriteHeader(header); err != nil {
			return nil, err //nolint:wrapcheck // only memory is written
		}
		if header.Typeflag == tar.TypeReg {
			if _, err := writer.Write(binary); err != nil {
				return nil, err //nolint:wrapcheck // only memory is written
			}
		}
	}
	return &out, writer.Close() //nolint:wrapcheck // only memory is written
}
