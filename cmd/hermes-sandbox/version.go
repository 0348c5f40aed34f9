package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"hermes-sandbox/model"
)

// version is the module version the binary was built from, or what the build
// knows of the commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "dev"
	}
	return info.Main.Version
}

func (a *app) versionCommand(failed *error) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: guarded(failed, func(*cobra.Command, []string) error {
			format, err := a.outputFormat("table", "json")
			if err != nil {
				return err
			}
			if format == "json" {
				return a.printJSON(map[string]any{
					"schema": model.Schema, "version": version(), "go": runtime.Version(),
					"os": runtime.GOOS, "arch": runtime.GOARCH,
				})
			}
			_, err = fmt.Fprintf(a.stdout, "hermes-sandbox %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		}),
	}
}

// printJSON writes an indented document that is safe on a terminal.
func (a *app) printJSON(value any) error { return a.printDocument(value, true) }

// printLine writes a document on one line.
func (a *app) printLine(value any) error { return a.printDocument(value, false) }

func (a *app) printDocument(value any, indent bool) error {
	data, err := model.MarshalJSON(value, indent)
	if err != nil {
		return err
	}
	if _, err := a.stdout.Write(append(data, '\n')); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}
