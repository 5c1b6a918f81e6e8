package past

import (
	"fmt"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/timeline"
)

// Ending is what a recording has of the time before a crash or a hang, for its
// report.
type Ending struct {
	FromTick uint64    `json:"fromTick" jsonschema:"the first recorded tick"`
	ToTick   uint64    `json:"toTick" jsonschema:"the last one"`
	CutShort bool      `json:"cutShort,omitempty" jsonschema:"the last tick is as the panic left it, midway; the one before is whole"`
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
// entity that the game was at. Any goroutine.
func (p *Past) Ending(e ecs.Entity) *Ending {
	l := p.rec.Line()
	from, to, ok := l.Ticks()
	if !ok {
		return nil
	}
	out := &Ending{FromTick: from, ToTick: to}
	last, whole := to, to
	if r, err := l.Find(int64(to)); err == nil && r.Cause == timeline.CauseCrash {
		out.CutShort = true
		if to > from {
			whole = to - 1
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
