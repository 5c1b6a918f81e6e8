// Package builtin holds the tools that every Loupe server offers, one family
// a file: a tool is its argument struct, its result struct, its handler and
// its declaration side by side. Adding one is copying the nearest file.
//
// What the tools need of the server comes through [Host]; the package never
// imports the server.
package builtin

import (
	"cmp"
	"slices"

	"github.com/loupe-ecs/loupe/tools"
)

// family is a group of tools that every server has. Families are listed in
// the order of their rank.
type family struct {
	rank  int
	tools func(Host) []*tools.Tool
}

// subsystem is a group of tools that exists while the bound app provides
// something.
type subsystem struct {
	rank     int
	name     string // as capabilities lists it
	provides string // what the host must provide
	present  func(*tools.App) bool
	tools    func(Host) []*tools.Tool
}

var (
	families   []family
	subsystems []subsystem
)

// All returns the tools that do not depend on the app.
func All(h Host) []*tools.Tool {
	var ts []*tools.Tool
	for _, f := range slices.SortedFunc(slices.Values(families), func(a, b family) int { return cmp.Compare(a.rank, b.rank) }) {
		ts = append(ts, f.tools(h)...)
	}
	return ts
}

// Subsystem tells whether the app provides a subsystem, and its tools.
type Subsystem struct {
	Name      string
	Present   bool
	Interface string // what the host implements to provide it
	Tools     []*tools.Tool
}

// Subsystems returns every subsystem, in listing order; Tools is filled for
// absent ones too, so that the caller can name what is missing.
func Subsystems(h Host, app *tools.App) []Subsystem {
	var out []Subsystem
	for _, s := range slices.SortedFunc(slices.Values(subsystems), func(a, b subsystem) int { return cmp.Compare(a.rank, b.rank) }) {
		out = append(out, Subsystem{Name: s.name, Interface: s.provides, Present: app != nil && s.present(app), Tools: s.tools(h)})
	}
	return out
}
