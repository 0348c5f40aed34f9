// Command png makes a PNG of every screen in screenshots/ansi with freeze
// (github.com/charmbracelet/freeze), which has to be on PATH, and notes in
// png.sums which screen each one was made of. A PNG that is up to date by that
// list is left alone.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"hermes-sandbox/screenshots"
)

// factor is how much smaller than freeze's the pictures are.
const factor = 3

func main() {
	if err := run("screenshots"); err != nil {
		fmt.Fprintln(os.Stderr, "png:", err)
		os.Exit(1)
	}
}

func run(folder string) error {
	screens, err := filepath.Glob(filepath.Join(folder, "ansi", "*.ansi"))
	if err != nil {
		return fmt.Errorf("list screens: %w", err)
	}
	past, _ := os.ReadFile(filepath.Join(folder, "png.sums")) //nolint:gosec // without it all are made
	var sums strings.Builder
	for _, screen := range screens {
		name := strings.TrimSuffix(filepath.Base(screen), ".ansi")
		line, err := draw(folder, name, string(past))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		sums.WriteString(line)
	}
	if err := os.WriteFile(filepath.Join(folder, "png.sums"), []byte(sums.String()), 0o644); err != nil { //nolint:gosec // for everyone
		return fmt.Errorf("write sums: %w", err)
	}
	return nil
}

// draw makes one picture, unless past says that it is up to date, and returns
// its line in the list.
func draw(folder, name, past string) (string, error) {
	screen, err := os.ReadFile(filepath.Join(folder, "ansi", name+".ansi")) //nolint:gosec // our own folder
	if err != nil {
		return "", fmt.Errorf("read screen: %w", err)
	}
	path := filepath.Join(folder, name+".png")
	if picture, err := os.ReadFile(path); err == nil { //nolint:gosec // our own folder
		if line := screenshots.SumLine(name, screen, picture); strings.Contains(past, line) {
			return line, nil
		}
	}
	work, err := os.MkdirTemp("", "hermes-sandbox-png-")
	if err != nil {
		return "", fmt.Errorf("make a folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	temporary := filepath.Join(work, "large.png")
	ground := screenshots.DarkColours().Ground
	if name == "light" {
		ground = screenshots.LightColours().Ground
	}
	out, err := exec.Command("freeze", filepath.Join(folder, "ansi", name+".ansi"), //nolint:gosec,noctx // a tool of the developer's
		"--language", "ansi", "--padding", "16", "--background", ground, "--output", temporary).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("freeze: %w: %s", err, out)
	}
	large, err := os.ReadFile(temporary) //nolint:gosec // freeze wrote it just now
	if err != nil {
		return "", fmt.Errorf("read picture: %w", err)
	}
	picture, err := screenshots.Shrink(large, factor)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(path, picture, 0o644); err != nil { //nolint:gosec // a picture for everyone
		return "", fmt.Errorf("write picture: %w", err)
	}
	return screenshots.SumLine(name, screen, picture), nil
}
