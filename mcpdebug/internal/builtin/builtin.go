// Package builtin holds the tools that every Loupe server offers, one family
// a file: a tool is its argument struct, its result struct, its handler and
// its declaration side by side. docs/contributing.md says how to add one.
//
// Each family declares in an interface of its own what it needs of the server,
// and [Host] is all of them; the package never imports the server.
package builtin

import (
	"slices"

	"github.com/loupe-ecs/loupe/mcpdebug/internal/calltext"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/causes"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/hosttools"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/keep"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/operations"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/past"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/worldtools"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Tools are the built-in tools of one server.
type Tools struct {
	// Always are the tools that do not depend on the app.
	Always     []*tools.Tool
	Subsystems []Subsystem
	// Text finds calls in texts and tells how they are written there.
	Text *calltext.Text
	Past *past.Past
	Keep *keep.Keeper
}

// Subsystem is a family that is offered while the bound app provides
// something.
type Subsystem struct {
	Name     string // as capabilities lists it
	Provide  string // what the host must implement to have it
	provided func(*host.App) bool
	Tools    []*tools.Tool
}

// In reports whether the app, which may be nil, provides the subsystem.
func (s *Subsystem) In(app *host.App) bool { return app != nil && s.provided(app) }

// New makes the tools. Families stand in the order in which tools/list shows
// them; this is the one list of them.
func New(h Host) *Tools {
	limits := h.Limits()
	subsystems := []Subsystem{
		{"events", "App.Events (host.EventSink: Kinds, Push)",
			func(a *host.App) bool { return a.Events != nil }, hosttools.Events(h.App)},
		{"systems", "App.Systems (host.Systems: List, SetEnabled; a *schedule.Schedule is one)",
			func(a *host.App) bool { return a.Systems != nil }, hosttools.Systems()},
		{"states", "App.States (host.States: Stack, Names, Push, Pop)",
			func(a *host.App) bool { return a.States != nil }, hosttools.States()},
		{"clock", "App.Clock (host.Clock: Info, Set)",
			func(a *host.App) bool { return a.Clock != nil }, hosttools.Clock(limits.CallTimeout)},
		{"frame times", "App.Systems that also implements host.SystemTimes (a *schedule.Schedule does)",
			func(a *host.App) bool { return a.Times() != nil }, frameTimesTools(h)},
		{"camera", "App.Camera (host.Camera: Info, Move)",
			func(a *host.App) bool { return a.Camera != nil }, hosttools.Camera()},
		{"layers", "App.Layers (host.Layers: List)",
			func(a *host.App) bool { return a.Layers != nil }, hosttools.Layers()},
		{"materials", "App.Materials (host.Materials: List)",
			func(a *host.App) bool { return a.Materials != nil }, hosttools.Materials()},
		{"render", "App.Render (host.Render: Info)",
			func(a *host.App) bool { return a.Render != nil }, hosttools.Render()},
		{"physics", "App.Physics (host.Physics: Info, Raycast)",
			func(a *host.App) bool { return a.Physics != nil }, hosttools.Physics()},
		{"audio", "App.Audio (host.Audio: Info, Reload)",
			func(a *host.App) bool { return a.Audio != nil }, hosttools.Audio()},
		{"screen", "App.Screen (host.Screen: Capture)",
			func(a *host.App) bool { return a.Screen != nil }, hosttools.Screen(limits.DataDir, limits.MaxReplyBytes)},
	}
	text, then := calltext.New(h), past.New(h)
	kept := keep.New(h, then.Recorder(), h.Keeping())
	return &Tools{Subsystems: subsystems, Text: text, Past: then, Keep: kept, Always: slices.Concat(
		sessionTools(h),
		helpTools(h, subsystems),
		crashTools(h, then),
		worldtools.Tools(then),
		scriptTools(h, then),
		snapshotTools(h, then),
		profileTools(h),
		then.Tools(),
		kept.Tools(),
		causes.New(h, then.Recorder()).Tools(),
		operations.Tools(h),
		inspectorTools(h),
		text.Tools(),
	)}
}

// SubsystemOf finds the subsystem that a tool belongs to, and the tool; nil
// where it is none's.
func (t *Tools) SubsystemOf(name string) (*Subsystem, *tools.Tool) {
	for i := range t.Subsystems {
		for _, own := range t.Subsystems[i].Tools {
			if own.Name == name {
				return &t.Subsystems[i], own
			}
		}
	}
	return nil, nil
}
