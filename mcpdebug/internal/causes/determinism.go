package causes

import (
	"fmt"
	"time"

	"github.com/loupe-ecs/loupe/internal/words"
	"github.com/loupe-ecs/loupe/timeline/replay"
	"github.com/loupe-ecs/loupe/tools"
)

func determinismTool() *tools.Tool {
	return tools.NewPhased(tools.Spec{Name: "determinism_check", Lasts: tools.Lasts, Effect: tools.Additive, NeedsWorld: true, NeedsApp: true, Example: `{"ticks":120}`,
		Description: "Runs the next ticks twice each, aside, and names the first difference: system, entity, path."},
		tools.Phases[determinismArgs, *checking, *checking, determinismResult]{
			Before: func(_ *tools.Call, in determinismArgs) (*checking, error) {
				return &checking{Check: replay.Check{Ticks: max(in.Ticks, 1), Runs: max(in.Runs, 2)}, want: max(in.Ticks, 1)}, nil
			},
			Frame: check, After: answerCheck})
}

type determinismArgs struct {
	Ticks int `json:"ticks,omitempty" jsonschema:"how many" debug:"min=1,max=10000,default=120"`
	Runs  int `json:"runs,omitempty" jsonschema:"of each tick" debug:"min=2,max=10,default=2"`
}

type checking struct {
	replay.Check
	want    int
	frames  int
	longest time.Duration
	since   time.Time
}

type determinismResult struct {
	Deterministic bool               `json:"deterministic" jsonschema:"whether all runs of all ticks agreed"`
	Ticks         int                `json:"ticks" jsonschema:"ticks that were compared"`
	Hash          string             `json:"hash" jsonschema:"digest of the world after the last of them: the same in every process"`
	Diverged      *replay.Divergence `json:"diverged,omitempty" jsonschema:"the first difference"`
	Ended         string             `json:"ended,omitempty" jsonschema:"why fewer ticks were compared than asked for"`
	Frames        int                `json:"frames" jsonschema:"host frames that it was spread over"`
	LongestMs     float64            `json:"longestMs" jsonschema:"the most that one of them was held" debug:"unit=ms"`
	Hint          string             `json:"hint,omitempty" jsonschema:"what to look for"`
}

// checkTime leaves a call time to answer before the server gives it up.
const checkTime = 24 * time.Second

func check(f *tools.Frame, c *checking) (*checking, error) {
	start := time.Now()
	if c.since.IsZero() {
		c.since = start
	}
	slice := f.Slice()
	if slice == 0 {
		slice = checkTime
	}
	done, err := c.Step(f.World, f.App, slice)
	c.frames++
	c.longest = max(c.longest, time.Since(start))
	switch {
	case err != nil || done:
	case f.Once || time.Since(c.since) > checkTime:
		c.Ended = fmt.Sprintf("the call's time is up after %d ticks", c.Ran)
	default:
		return c, tools.ErrLater
	}
	return c, err
}

func answerCheck(_ *tools.Call, c *checking) (determinismResult, error) {
	r := determinismResult{Deterministic: c.Diverged == nil, Ticks: c.Ran, Hash: fmt.Sprintf("%016x", c.Hash), Diverged: c.Diverged,
		Ended: c.Ended, Frames: c.frames, LongestMs: words.Millis(c.longest)}
	if c.Diverged != nil {
		r.Hint = "usual causes: the order of a map, time.Now, a generator without a seed, goroutines, state outside the world that is not in App.Snapshots.States"
	}
	return r, nil
}
