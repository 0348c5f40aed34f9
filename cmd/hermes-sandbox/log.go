package main

import (
	"fmt"
	"log/slog"
	"os"
)

// openLog sets up the program's log: a file when one is named, nothing
// otherwise, since the screen belongs to the dashboard.
func (w *workspace) openLog() error {
	if w.settings.LogFile == "" {
		slog.SetDefault(slog.New(slog.DiscardHandler))
		return nil
	}
	file, err := os.OpenFile(w.settings.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return &exitError{code: exitFailed, err: fmt.Errorf("open the log file: %w", err)}
	}
	level := slog.LevelInfo
	if w.app.flags.verbose {
		level = slog.LevelDebug
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{Level: level})))
	w.close = append(w.close, func() { _ = file.Close() })
	return nil
}
