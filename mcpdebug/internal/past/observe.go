package past

import (
	"log/slog"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/causes"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

var _ causes.Observer = (*Past)(nil)

// EndTick implements [causes.Observer].
func (p *Past) EndTick(frame uint64, _ ecs.World, _ *host.App) {
	p.frame = frame
	p.rec.EndTick(frame)
}

// AtPoll implements [causes.Observer]: hosts that run a tick a frame are sampled
// here. What a suspended operation does to the world is one sample, at its end.
func (p *Past) AtPoll(frame uint64, _ ecs.World, _ *host.App, operation string) {
	p.frame = frame
	if operation != p.parked {
		p.park(frame, operation)
	}
	if operation != "" {
		return
	}
	if p.crashed.CompareAndSwap(true, false) {
		p.rec.Touched(frame, timeline.CauseCrash)
	}
	p.rec.EndTick(frame)
}

func (p *Past) park(frame uint64, operation string) {
	was := p.parked
	p.parked = operation
	if was != "" {
		p.rec.Touched(frame, "parked "+was)
		p.mark(timeline.MarkParked, was+" has ended")
	}
	if operation != "" {
		p.mark(timeline.MarkParked, operation+" begins")
	}
}

// BeforeCall implements [causes.Observer].
func (p *Past) BeforeCall(*tools.Spec, *tools.Request) {}

// apart are groups of tools that have nothing to do with the simulation; beside
// are tools that change how it goes on, and not the world.
var (
	apart  = []string{"past", "session", "profile"}
	beside = []string{"clock_set", "run_until", "systems_stop", "systems_start", "states_push", "states_pop", "reset_sandbox", "camera_move", "reload_sound"}
)

// AfterCall implements [causes.Observer]: what a call did to the world is a
// sample of its own, of the same tick.
func (p *Past) AfterCall(spec *tools.Spec, r *tools.Request, err error) {
	event := spec.Name == "send_event" // of the session's group, for the simulation all the same
	if err != nil || spec.Effect == tools.ReadOnly || slices.Contains(apart, spec.Group) && !event || spec.Name == "snapshot_save" {
		return
	}
	if slices.Contains(beside, spec.Name) {
		p.markCall(timeline.MarkCall, r)
		return
	}
	p.rec.Touched(p.frame, "call "+spec.Name)
	kind := timeline.MarkWrite
	if event {
		kind = timeline.MarkEvent
	}
	p.markCall(kind, r)
}

func callText(r *tools.Request) string { return r.Name + " " + refusal.Cut(string(r.Arguments), 150) }

func (p *Past) mark(kind, text string) { p.put(timeline.Mark{Kind: kind, Text: text}) }

func (p *Past) markCall(kind string, r *tools.Request) {
	p.put(timeline.Mark{Kind: kind, Text: callText(r), Operation: r.Operation})
}

func (p *Past) put(m timeline.Mark) {
	if p.rec.Recording() {
		m.Tick = p.rec.Tick()
		p.rec.Mark(m)
	}
}

// Crashed notes a crash: the world is sampled as it left it. Any goroutine.
func (p *Past) Crashed(text string) {
	p.crashed.Store(true)
	p.mark(timeline.MarkCrash, text)
}

// Stalled notes that the frame does not come. Any goroutine.
func (p *Past) Stalled(text string) { p.mark(timeline.MarkStall, text) }

// Changed notes that the game itself changed its states or systems. Frame
// goroutine.
func (p *Past) Changed(text string) { p.mark(timeline.MarkState, text) }

// Logged notes a log line. Any goroutine.
func (p *Past) Logged(level slog.Level, msg string) {
	if level >= slog.LevelWarn {
		p.mark(timeline.MarkLog, level.String()+" "+msg)
	}
}
