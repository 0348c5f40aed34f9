package dockerx

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"time"

	"hermes-sandbox/model"
)

// LogLineLimit is how many bytes of one line of a log are kept.
const LogLineLimit = 64 << 10

// LogOptions say which part of a log is read.
type LogOptions struct {
	// Follow goes on with new lines until the container ends or ctx does.
	Follow bool
	// Tail is how many of the last lines are read first; negative: all.
	Tail int
	// Since leaves out older lines; zero: none are left out.
	Since time.Time
}

// Logs reads a container's log line by line until its end, ctx or the first
// error of each, which it then returns. Nothing but the line in work is kept,
// and of that [LogLineLimit] bytes; while each works, the engine waits.
func (c *Client) Logs(ctx context.Context, id model.ID, options LogOptions, each func(model.LogLine) error) error {
	const op = "read the log"
	terminal, err := c.hasTerminal(ctx, op, id)
	if err != nil {
		return err
	}
	query := url.Values{"stdout": {"1"}, "stderr": {"1"}, "timestamps": {"1"}, "tail": {"all"}}
	if options.Tail >= 0 {
		query.Set("tail", strconv.Itoa(options.Tail))
	}
	if options.Follow {
		query.Set("follow", "1")
	}
	if !options.Since.IsZero() {
		query.Set("since", fmt.Sprintf("%d.%09d", options.Since.Unix(), options.Since.Nanosecond()))
	}
	version, err := c.negotiate(ctx)
	if err != nil {
		return err
	}
	response, err := c.openInTime(ctx, op, "/v"+version+"/containers/"+string(id)+"/logs", query)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	reader := &logReader{from: bufio.NewReaderSize(response.Body, 32<<10), each: each}
	if terminal {
		err = reader.readTerminal()
	} else {
		err = reader.readFrames()
	}
	switch {
	case err == nil:
		return nil
	case reader.refused != nil:
		return reader.refused
	case errors.Is(err, errBadFrame):
		return c.failure(ReasonBadAnswer, op, err.Error(), "", err)
	case ctx.Err() != nil:
		return c.connectionError(op, ctx.Err())
	default:
		return c.bodyError(ctx, op, err)
	}
}

// hasTerminal reports whether a container was made with a terminal; its log is
// then not split into streams. Before API 1.42 nothing in the log itself says so.
func (c *Client) hasTerminal(ctx context.Context, op string, id model.ID) (bool, error) {
	if !id.Valid() {
		return false, c.failure(ReasonOther, op, fmt.Sprintf("%q is no full container ID", id.Short()), "", nil)
	}
	ctx, cancel := context.WithTimeout(ctx, inspectTimeout)
	defer cancel()
	data, _, err := c.get(ctx, op, "/containers/"+string(id)+"/json", nil, inspectLimit)
	if err != nil {
		return false, err
	}
	row, err := newObject(data)
	if err != nil {
		return false, c.failure(ReasonBadAnswer, op, err.Error(), "", err)
	}
	return row.child("Config").boolean("Tty"), nil
}

// errBadFrame is a log stream that is not cut as the engine cuts it.
var errBadFrame = errors.New("the log is not in the form that was promised")

// logReader puts lines together from what the engine sends.
type logReader struct {
	from    *bufio.Reader
	each    func(model.LogLine) error
	refused error // the first error of each
	lines   [2]logAssembly
}

// logAssembly is a line of one stream that is not complete yet.
type logAssembly struct {
	at   time.Time
	text []byte
	cut  int64
	open bool // something of the line has come
}

// add takes a part of a line.
func (l *logAssembly) add(part []byte) {
	l.open = true
	room := min(len(part), LogLineLimit-len(l.text))
	l.text = append(l.text, part[:room]...)
	l.cut += int64(len(part) - room)
}

// flush hands a line over, if there is one.
func (r *logReader) flush(line *logAssembly, stream model.LogStream) error {
	if !line.open {
		return nil
	}
	done := model.LogLine{At: line.at, Stream: stream, Text: model.NewText(string(line.text)), Cut: line.cut}
	*line = logAssembly{text: line.text[:0]}
	if err := r.each(done); err != nil {
		r.refused = err
		return err
	}
	return nil
}

// readFrames reads a multiplexed log: a header of eight bytes names stream and
// size of each message. The engine splits long lines into several messages and
// sends the time in front of each.
func (r *logReader) readFrames() error {
	var header [8]byte
	for {
		if _, err := io.ReadFull(r.from, header[:]); err != nil {
			if errors.Is(err, io.EOF) {
				return r.end(model.StreamStdout, model.StreamStderr)
			}
			return err //nolint:wrapcheck // the caller says what was read
		}
		stream, place := model.StreamStdout, 0
		switch {
		case header[0] > 3 || header[1] != 0 || header[2] != 0 || header[3] != 0:
			return errBadFrame
		case header[0] == 2:
			stream, place = model.StreamStderr, 1
		case header[0] == 3:
			return r.systemError(binary.BigEndian.Uint32(header[4:]))
		}
		message := &io.LimitedReader{R: r.from, N: int64(binary.BigEndian.Uint32(header[4:]))}
		if err := r.readMessage(bufio.NewReaderSize(message, 4<<10), &r.lines[place], stream); err != nil {
			return err
		}
		if message.N > 0 {
			return io.ErrUnexpectedEOF
		}
	}
}

// systemError is a message of the engine itself: it could not read the log.
func (r *logReader) systemError(size uint32) error {
	text, _ := io.ReadAll(io.LimitReader(r.from, min(int64(size), errorLimit))) // what came says enough
	return fmt.Errorf("%w: the engine says %s", errBadFrame, safe(string(text)))
}

// readTerminal reads the log of a container with a terminal: plain text.
func (r *logReader) readTerminal() error {
	if err := r.readMessage(r.from, &r.lines[0], model.StreamTerminal); err != nil {
		return err
	}
	return r.end(model.StreamTerminal)
}

// readMessage reads lines up to the end of a message, which may end in the
// middle of one.
func (r *logReader) readMessage(from *bufio.Reader, line *logAssembly, stream model.LogStream) error {
	fresh := true // a time stands here
	for {
		part, err := from.ReadSlice('\n')
		whole := err == nil
		if whole {
			part = part[:len(part)-1]
		}
		if len(part) > 0 || whole {
			if fresh {
				at, rest := cutStamp(part)
				if !line.open {
					line.at = at
				}
				part = rest
			}
			line.add(part)
		}
		fresh = whole
		switch {
		case whole:
			if err := r.flush(line, stream); err != nil {
				return err
			}
		case errors.Is(err, io.EOF):
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return err //nolint:wrapcheck // the caller says what was read
		}
	}
}

// end hands over lines that had no end.
func (r *logReader) end(streams ...model.LogStream) error {
	for i, stream := range streams {
		if err := r.flush(&r.lines[i], stream); err != nil {
			return err
		}
	}
	return nil
}

// maxStamp is longer than any time the engine writes in front of a line.
const maxStamp = 40

// cutStamp takes the engine's time off the start of a message. A message
// without one is left as it is.
func cutStamp(part []byte) (time.Time, []byte) {
	end := bytes.IndexByte(part[:min(len(part), maxStamp)], ' ')
	if end < 0 {
		return time.Time{}, part
	}
	at, err := time.Parse(time.RFC3339Nano, string(part[:end]))
	if err != nil {
		return time.Time{}, part
	}
	return at.UTC(), part[end+1:]
}
