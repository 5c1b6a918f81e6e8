package cli

import (
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"golang.org/x/term"
)

// size of the terminal that is written to; ok only if it is one.
func (a *app) size() (width, height int, ok bool) {
	f, isFile := a.out.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, 0, false
	}
	width, height, err := term.GetSize(int(f.Fd()))
	return width, height, err == nil && width > 0
}

// colors reports whether to write escape sequences for colours.
func (a *app) colors() bool {
	switch a.color {
	case "always":
		return true
	case "never":
		return false
	}
	_, _, terminal := a.size()
	return terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// The styles of whole lines.
const (
	bold  = "1"
	red   = "31"
	faint = "2"
)

// paint styles a line that is already laid out.
func (a *app) paint(style, line string) string {
	if !a.colors() {
		return line
	}
	return "\x1b[" + style + "m" + line + "\x1b[0m"
}

// table lays out rows, and writes them when it is flushed.
type table struct {
	a    *app
	text strings.Builder
	w    *tabwriter.Writer
}

func (a *app) table(head ...any) *table {
	t := &table{a: a}
	t.w = tabwriter.NewWriter(&t.text, 2, 8, 2, ' ', 0)
	t.row(head...)
	return t
}

var oneLine = strings.NewReplacer("\n", " ", "\t", " ")

func (t *table) row(cells ...any) {
	for i, c := range cells {
		if i > 0 {
			fmt.Fprint(t.w, "\t")
		}
		fmt.Fprint(t.w, oneLine.Replace(fmt.Sprint(c)))
	}
	fmt.Fprintln(t.w)
}

// lines returns the rows laid out, the first styled as a head. On a terminal
// they are cut at its edge.
func (t *table) lines() []string {
	t.w.Flush()
	width, _, terminal := t.a.size()
	lines := strings.Split(strings.TrimRight(t.text.String(), "\n"), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, " ")
		if runes := []rune(line); terminal && len(runes) > width {
			line = string(runes[:width-1]) + "…"
		}
		if i == 0 {
			line = t.a.paint(bold, line)
		}
		lines[i] = line
	}
	return lines
}

func (t *table) flush() error {
	_, err := fmt.Fprintln(t.a.out, strings.Join(t.lines(), "\n"))
	return err
}

// live shows blocks of lines one after the other: on a terminal each in the
// place of the one before.
type live struct {
	a    *app
	last int // lines of the block that is shown
}

func (l *live) show(lines []string) error {
	_, height, terminal := l.a.size()
	var b strings.Builder
	if terminal {
		if len(lines) >= height {
			lines = lines[:max(height-1, 1)]
		}
		if l.last > 0 {
			fmt.Fprintf(&b, "\x1b[%dA", l.last)
		}
		for _, line := range lines {
			b.WriteString("\r\x1b[2K" + line + "\n")
		}
		b.WriteString("\x1b[J")
		l.last = len(lines)
	} else {
		b.WriteString(strings.Join(lines, "\n") + "\n")
	}
	_, err := fmt.Fprint(l.a.out, b.String())
	return err
}
