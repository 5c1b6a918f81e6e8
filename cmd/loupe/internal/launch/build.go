package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Diagnostic is one complaint of the compiler. Line and Column are 0 where it
// names none.
type Diagnostic struct {
	File   string `json:"file,omitempty" jsonschema:"relative to the directory of the build"`
	Line   int    `json:"line,omitempty" jsonschema:"counted from 1"`
	Column int    `json:"column,omitempty" jsonschema:"counted from 1, in bytes"`
	Text   string `json:"text" jsonschema:"what the compiler says"`
}

// BuildError is a build that failed.
type BuildError struct {
	Diagnostics []Diagnostic
	Err         error // how the go command ended
}

func (e *BuildError) Error() string {
	if len(e.Diagnostics) == 0 {
		return fmt.Sprintf("the build failed: %v", e.Err)
	}
	d := e.Diagnostics[0]
	at := ""
	if d.File != "" {
		at = fmt.Sprintf(" at %s:%d:%d", d.File, d.Line, d.Column)
	}
	if n := len(e.Diagnostics); n > 1 {
		return fmt.Sprintf("the build failed with %d errors, the first%s: %s", n, at, d.Text)
	}
	return fmt.Sprintf("the build failed%s: %s", at, d.Text)
}

// maxBuildOutput bounds what is kept of a build's complaints.
const maxBuildOutput = 256 << 10

// Build makes the program exe. Its errors are *BuildError, or ctx's.
func Build(ctx context.Context, s Spec, exe string) error {
	args := []string{"build", "-o", exe}
	if len(s.Tags) > 0 {
		args = append(args, "-tags", strings.Join(s.Tags, ","))
	}
	cmd := exec.CommandContext(ctx, "go", append(args, s.Package)...)
	cmd.Dir = s.Dir
	out := &bounded{max: maxBuildOutput}
	cmd.Stdout, cmd.Stderr = out, out
	quiet(cmd)
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return &BuildError{Err: err, Diagnostics: []Diagnostic{{Text: "there is no go command in PATH"}}}
	}
	return &BuildError{Diagnostics: Diagnose(out.String()), Err: err}
}

// bounded keeps the head of what is written.
type bounded struct {
	bytes.Buffer
	max int
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.max - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

var position = regexp.MustCompile(`^(\S.*?\.(?:go|mod|work|sum|s|c|h|cc|cpp|m)):(\d+)(?::(\d+))?: (.*)$`)

// maxDiagnostics is more than a go command prints for one package.
const maxDiagnostics = 100

// Diagnose reads what the go command printed. Lines that continue a message
// (candidates, notes) are part of it.
func Diagnose(output string) (all []Diagnostic) {
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		m := position.FindStringSubmatch(line)
		switch {
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "# "), strings.HasSuffix(line, "too many errors"):
		case m != nil:
			d := Diagnostic{File: strings.TrimPrefix(m[1], "./"), Text: m[4]}
			d.Line, _ = strconv.Atoi(m[2])
			d.Column, _ = strconv.Atoi(m[3])
			all = append(all, d)
		case (line[0] == '\t' || line[0] == ' ') && len(all) > 0:
			all[len(all)-1].Text += "\n" + line
		default:
			all = append(all, Diagnostic{Text: line})
		}
		if len(all) > maxDiagnostics {
			return all[:maxDiagnostics]
		}
	}
	return all
}
