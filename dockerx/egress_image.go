package dockerx

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"hermes-sandbox/rescue"
)

const (
	// importTimeout bounds sending a program to the engine as an image.
	importTimeout = 2 * time.Minute

	egressRepository = "hermes-sandbox-egress"
	egressProgram    = "hermes-sandbox" // name of the program in its image
	egressUser       = "65534:65534"    // nobody: the proxy owns nothing
	tagDigits        = 16
)

// egressImage makes the image of the egress proxy: one static program and
// nothing else, so that there is nothing to pull and nothing to run but the
// proxy. The tag is the hash of the program; an image of it is used again.
func (c *Client) egressImage(ctx context.Context, binary string) (reference string, err error) {
	file, err := os.Open(binary) //nolint:gosec // the program or the file that the settings name
	if err != nil {
		return "", fmt.Errorf("open the egress proxy's program: %w", err)
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	size, err := io.Copy(hash, file)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return "", fmt.Errorf("read the egress proxy's program: %w", err)
	}
	tag := hex.EncodeToString(hash.Sum(nil))[:tagDigits]
	reference = egressRepository + ":" + tag
	ctx, cancel := context.WithTimeout(ctx, importTimeout)
	defer cancel()
	switch _, err := c.API().ImageInspect(ctx, reference); {
	case err == nil:
		return reference, nil
	case !errdefs.IsNotFound(err):
		return "", fmt.Errorf("inspect the egress proxy's image: %w", err)
	}
	return reference, c.importProgram(ctx, file, size, tag)
}

// importProgram sends the program as an archive while it is being made.
func (c *Client) importProgram(ctx context.Context, program io.Reader, size int64, tag string) error {
	archive, into := io.Pipe()
	var sending rescue.Group
	defer sending.Wait()
	defer func() { _ = archive.Close() }()
	sending.Go(func() {
		defer func() { _ = into.CloseWithError(io.ErrUnexpectedEOF) }() // for a panic; the first close counts
		_ = into.CloseWithError(writeProgram(into, program, size))
	})
	result, err := c.API().ImageImport(ctx, client.ImageImportSource{Source: archive, SourceName: "-"}, egressRepository,
		client.ImageImportOptions{Tag: tag, Message: "hermes-sandbox egress proxy", Changes: []string{
			`ENTRYPOINT ["/` + egressProgram + `","egress-proxy"]`, "USER " + egressUser, "LABEL " + labelAllowlistSet,
		}})
	if err != nil {
		return fmt.Errorf("import the egress proxy's image: %w", err)
	}
	defer func() { _ = result.Close() }()
	if _, err := io.Copy(io.Discard, result); err != nil {
		return fmt.Errorf("import the egress proxy's image: %w", err)
	}
	// The engine reports a failed import within an answer of success.
	if _, err := c.API().ImageInspect(ctx, egressRepository+":"+tag); err != nil {
		return fmt.Errorf("import the egress proxy's image: %w", err)
	}
	return nil
}

func writeProgram(to io.Writer, program io.Reader, size int64) error {
	archive := tar.NewWriter(to)
	err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: egressProgram, Mode: 0o555, Size: size})
	if err == nil {
		_, err = io.CopyN(archive, program, size)
	}
	return errors.Join(err, archive.Close())
}
