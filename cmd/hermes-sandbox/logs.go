package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"hermes-sandbox/dockerx"
	"hermes-sandbox/model"
)

// logFlags are the flags of logs.
type logFlags struct {
	follow     bool
	timestamps bool
	tail       string
	since      string
}

func (a *app) logsCommand(failed *error) *cobra.Command {
	var flags logFlags
	command := &cobra.Command{
		Use:   "logs REF",
		Short: "Print or follow the log of a sandbox's container",
		Long: "Print the log of a sandbox's container. Its stdout goes to stdout, its stderr to\n" +
			"stderr. Colours stay, on a terminal; every other control character is escaped.\n" +
			"What Hermes runs in a sandbox writes to Hermes, not to this log.",
		Example: "hermes-sandbox logs hermes-3fa1b20c --follow\n" +
			"hermes-sandbox logs 62363ffe --tail 50 --timestamps --since 10m",
		Args: cobra.ExactArgs(1),
		RunE: guarded(failed, func(command *cobra.Command, refs []string) error {
			return a.runLogs(command.Context(), refs[0], flags)
		}),
	}
	command.Flags().BoolVarP(&flags.follow, "follow", "f", false, "go on with new lines")
	command.Flags().BoolVarP(&flags.timestamps, "timestamps", "t", false, "print the time of every line")
	command.Flags().StringVarP(&flags.tail, "tail", "n", "all", "how many of the last lines, or all")
	command.Flags().StringVar(&flags.since, "since", "", "leave out older lines: a duration such as 10m, or an RFC 3339 time")
	return command
}

// options checks the flags.
func (f logFlags) options(now time.Time) (dockerx.LogOptions, error) {
	options := dockerx.LogOptions{Follow: f.follow, Tail: -1}
	if f.tail != "all" {
		tail, err := strconv.Atoi(f.tail)
		if err != nil || tail < 0 {
			return options, fmt.Errorf("--tail %s is no number of lines; write one, or all", model.NewText(f.tail))
		}
		options.Tail = tail
	}
	if f.since == "" {
		return options, nil
	}
	if at, err := time.Parse(time.RFC3339Nano, f.since); err == nil {
		options.Since = at
		return options, nil
	}
	age, err := time.ParseDuration(f.since)
	if err != nil || age < 0 {
		return options, fmt.Errorf("--since %s is neither a duration such as 10m nor an RFC 3339 time", model.NewText(f.since))
	}
	options.Since = now.Add(-age)
	return options, nil
}

func (a *app) runLogs(ctx context.Context, ref string, flags logFlags) error {
	if _, err := a.outputFormat("table"); err != nil {
		return err
	}
	options, err := flags.options(a.now())
	if err != nil {
		return usageError(err)
	}
	w, err := a.open()
	if err != nil {
		return err
	}
	defer w.Close()
	fleet := w.fleet(ctx)
	found, err := w.resolve(ctx, &fleet, []string{ref})
	if err != nil {
		return err
	}
	client, err := w.client(found[0].Engine)
	if err != nil {
		return err
	}
	printer := newLogPrinter(a, flags.timestamps)
	err = client.Logs(ctx, found[0].ID, options, printer.line)
	if err != nil && context.Cause(ctx) == nil {
		return &exitError{code: exitFailed, err: err}
	}
	return nil
}

// errUnwritten is wrapped when a line cannot be written.
var errUnwritten = errors.New("the log cannot be written")

// logPrinter writes lines to the program's own two outputs.
type logPrinter struct {
	out, err   io.Writer
	outColours bool
	errColours bool
	timestamps bool
}

func newLogPrinter(a *app, timestamps bool) *logPrinter {
	colours := func(stream io.Writer) bool {
		return isTerminal(stream) && !a.flags.noColor && a.getenv("NO_COLOR") == ""
	}
	return &logPrinter{
		out: a.stdout, err: a.stderr,
		outColours: colours(a.stdout), errColours: colours(a.stderr), timestamps: timestamps,
	}
}

// line writes one line.
func (p *logPrinter) line(line model.LogLine) error {
	to, colours := p.out, p.outColours
	if line.Stream == model.StreamStderr {
		to, colours = p.err, p.errColours
	}
	text := line.Display()
	if !colours {
		text = ansi.Strip(text)
	}
	if p.timestamps && !line.At.IsZero() {
		text = line.At.Format("2006-01-02T15:04:05.000Z") + " " + text
	}
	if _, err := io.WriteString(to, text+"\n"); err != nil {
		return fmt.Errorf("%w: %w", errUnwritten, err)
	}
	return nil
}
