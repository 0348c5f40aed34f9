package edit

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"hermes-sandbox/model"
)

// diffContext is the number of unchanged lines shown around a change.
const diffContext = 3

// secretName matches keys whose values are not for a plan's screen.
var secretName = regexp.MustCompile(`(?i)(key|token|secret|passw|auth|credential|cookie)`)

// secretPair is a secret with its value, as a line of its own or within braces.
var secretPair = regexp.MustCompile(`((?:^|[\s{,])["']?([A-Za-z0-9_.-]+)["']?\s*:\s*)("[^"]*"|'[^']*'|[^\s,{}][^,}]*)`)

// unifiedDiff returns the difference of two files as a unified diff, "" when
// there is none. What looks like a secret is masked, and everything is safe to
// show.
func unifiedDiff(path string, before, after []byte) string {
	if string(before) == string(after) {
		return ""
	}
	name := model.NewText(path).Display()
	diff, err := udiff.ToUnifiedDiff(name, name, string(before), udiff.Lines(string(before), string(after)), diffContext)
	if err != nil {
		return "the difference cannot be shown: " + model.NewText(err.Error()).Display() + "\n"
	}
	mask, err := model.NewMasker(nil)
	if err != nil {
		return "the difference cannot be shown: " + model.NewText(err.Error()).Display() + "\n"
	}
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", name, name)
	for _, hunk := range diff.Hunks {
		writeHunk(&out, hunk, mask)
	}
	return out.String()
}

func writeHunk(out *strings.Builder, hunk *udiff.Hunk, mask model.Masker) {
	var lines strings.Builder
	old, young := 0, 0
	for _, line := range hunk.Lines {
		mark := " "
		switch line.Kind {
		case udiff.Delete:
			mark = "-"
			old++
		case udiff.Insert:
			mark = "+"
			young++
		default:
			old++
			young++
		}
		body, ended := strings.CutSuffix(line.Content, "\n")
		lines.WriteString(mark + mask.Text(model.NewText(masked(body))).Display() + "\n")
		if !ended {
			lines.WriteString("\\ no line end at the end of the file\n")
		}
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n%s", hunkRange(hunk.FromLine, old), hunkRange(hunk.ToLine, young), lines.String())
}

// hunkRange writes the first line of a part and its length. One without lines
// names the line before it.
func hunkRange(from, count int) string {
	if count == 0 {
		from--
	}
	return fmt.Sprintf("%d,%d", max(0, from), count)
}

// masked hides the values of a line whose names are those of secrets.
func masked(line string) string {
	return secretPair.ReplaceAllStringFunc(line, func(pair string) string {
		parts := secretPair.FindStringSubmatch(pair)
		if !secretName.MatchString(parts[2]) {
			return pair
		}
		return parts[1] + "***"
	})
}
