package past

import (
	"fmt"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/tools"
)

// Ending is what a recording has of the time before a crash or a hang, for its
// report.
type Ending struct {
	FromTick uint64    `json:"fromTick" jsonschema:"the first recorded tick"`
	ToTick   uint64    `json:"toTick" jsonschema:"the last one"`
	CutShort *uint64   `json:"cutShort,omitempty" jsonschema:"the tick that the panic cut short, as it was left; the one before is whole"`
	Calls    []NextAsk `json:"calls" jsonschema:"what to ask of it; they work while the game is crashed or hangs"`
}

// NextAsk is a call that is ready to be made.
type NextAsk struct {
	Tool      string         `json:"tool" jsonschema:"its name"`
	Arguments map[string]any `json:"arguments" jsonschema:"its arguments"`
	Why       string         `json:"why" jsonschema:"what it tells"`
}

// endingTicks is how far back the calls look: ten seconds at 60 Hz.
const endingTicks = 600

// Ending is nil where nothing is recorded. e, where it is not zero, is the
// entity that the game was at. Off the frame.
func (p *Past) Ending(c *tools.Call, e ecs.Entity) *Ending {
	l := p.line(c.Context)
	from, to, ok := l.Ticks()
	if !ok {
		return nil
	}
	out := &Ending{FromTick: from, ToTick: to}
	last, whole := to, to
	for _, r := range slices.Backward(l.Refs(from, to)) {
		if r.Cause == timeline.CauseCrash {
			last, whole, out.CutShort = r.Tick, max(from, r.Tick-1), &r.Tick
			break
		}
	}
	since := from
	if last-from > endingTicks {
		since = last - endingTicks
	}
	ask := func(tool, why string, arguments map[string]any) {
		out.Calls = append(out.Calls, NextAsk{tool, arguments, why})
	}
	ask("snapshot_diff", "what has changed since ten seconds before, rare things first", map[string]any{"from": at(since), "to": at(last)})
	if e.IsZero() {
		ask("query", "the world at the last whole tick", map[string]any{"at": whole, "limit": 20})
		ask("record_info", "what happened meanwhile: calls, events, warnings", map[string]any{})
		return out
	}
	ask("info", "the entity at the last whole tick", map[string]any{"entity": e.String(), "at": whole})
	ask("snapshot_diff", "what became of the entity in the last second", map[string]any{"from": at(max(since, last-min(last, 60))), "to": at(last), "entity": e.String()})
	return out
}

func at(tick uint64) string { return fmt.Sprintf("@%d", tick) }
