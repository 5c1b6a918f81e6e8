package operations

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/timeline/replay"
	"github.com/loupe-ecs/loupe/tools"
)

type batchArgs struct {
	Calls    []step `json:"calls" jsonschema:"1 to 100 calls, in order"`
	Atomic   bool   `json:"atomic,omitempty" jsonschema:"the first refusal undoes all; false: go on, and allow what waits for ticks" debug:"default=true"`
	DryRun   bool   `json:"dryRun,omitempty" jsonschema:"answer, and put everything back"`
	MaxBytes int    `json:"maxBytes,omitempty" jsonschema:"bytes" debug:"min=1024,max=1048576,default=262144"`
}

type batchResult struct {
	Results    []json.RawMessage `json:"results" jsonschema:"the answers in the order of the calls; of a refused one its error"`
	Done       int               `json:"done" jsonschema:"calls that succeeded"`
	Failed     int               `json:"failed,omitempty" jsonschema:"calls that were refused (atomic:false)"`
	RolledBack bool              `json:"rolledBack" jsonschema:"everything was put back"`
	Truncated  bool              `json:"truncated,omitempty" jsonschema:"some answers were too large and left out"`
	Hint       string            `json:"hint,omitempty" jsonschema:"what to do about it"`
}

const mostCalls = 100

func batchTool() *tools.Tool {
	return tools.NewPhased(tools.Spec{Name: "batch",
		Description: "Many calls in one frame, all or nothing; \"$0.entity\" is that part of the first answer.",
		Example:     `{"calls":[{"tool":"spawn","arguments":{"components":{"Position":{"X":1}}}},{"tool":"info","arguments":{"entity":"$0.entity"}}]}`,
	}, tools.Phases[batchArgs, *batch, *batch, batchResult]{Before: newBatch, Frame: func(f *tools.Frame, b *batch) (*batch, error) { return b, b.frame(f) },
		After: func(_ *tools.Call, b *batch) (batchResult, error) { return b.answer(), nil }})
}

// batch is one on its way; its frame part may run in several frames.
type batch struct {
	in      batchArgs
	changes bool // some call may change something
	out     batchResult
	next    int
	running tools.Running
}

func newBatch(c *tools.Call, in batchArgs) (*batch, error) {
	if len(in.Calls) == 0 || len(in.Calls) > mostCalls {
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("calls has %d calls, want 1 to %d", len(in.Calls), mostCalls), Got: len(in.Calls), Want: "1 to 100"}
	}
	undone := in.Atomic || in.DryRun
	if err := check(c, in.Calls, undone, false); err != nil {
		return nil, err
	}
	b := &batch{in: in, out: batchResult{Results: make([]json.RawMessage, 0, len(in.Calls))}}
	for _, s := range in.Calls {
		if p, ok := listing.Of(c.Registry).Lookup(s.Tool); ok && p.Spec.Effect != tools.ReadOnly {
			b.changes = true
		}
	}
	return b, nil
}

// frame runs the calls.
func (b *batch) frame(f *tools.Frame) error {
	if b.in.Atomic || b.in.DryRun {
		return b.whole(f)
	}
	return b.each(f)
}

// whole runs all calls in this frame, or leaves everything as it was.
func (b *batch) whole(f *tools.Frame) (err error) {
	var kept *replay.Kept
	if b.changes {
		if kept, err = replay.Keep(f.World, f.App); err != nil {
			return err
		}
	}
	f.Hush(true)
	defer f.Hush(false)
	for i := range b.in.Calls {
		s := &b.in.Calls[i]
		answer, err := b.one(f, s)
		if err != nil {
			return b.undo(kept, i, err)
		}
		b.out.Results, b.out.Done = append(b.out.Results, answer), b.out.Done+1
	}
	if b.in.DryRun {
		b.out.RolledBack = true
		return kept.PutBack()
	}
	return nil
}

func (b *batch) one(f *tools.Frame, s *step) (json.RawMessage, error) {
	args, err := resolve(s.Arguments, b.out.Results)
	if err != nil {
		return nil, err
	}
	return f.CallTool(s.Tool, args)
}

// undo puts everything back and says which call was refused.
func (b *batch) undo(kept *replay.Kept, i int, cause error) error {
	e := refused(cause)
	e.Message = fmt.Sprintf("call %d (%s) was refused and everything was put back: %s", i, b.in.Calls[i].Tool, e.Message)
	if err := kept.PutBack(); err != nil {
		e.Message = fmt.Sprintf("call %d (%s) was refused, and what the calls before it did could not be put back whole (%v): %s", i, b.in.Calls[i].Tool, err, e.Message)
		e.Extra = map[string]any{"done": i, "rolledBack": false, "failedCall": i}
		return e
	}
	e.Extra = map[string]any{"done": i, "rolledBack": true, "failedCall": i}
	return e
}

// each runs the calls one after the other, in as many frames as they need.
func (b *batch) each(f *tools.Frame) error {
	for ; b.next < len(b.in.Calls); b.next++ {
		s := &b.in.Calls[b.next]
		if b.running == nil {
			args, err := resolve(s.Arguments, b.out.Results)
			if err != nil {
				b.refuse(err)
				continue
			}
			b.running = f.StartTool(s.Tool, args)
		}
		answer, again, err := b.running(f)
		if again {
			return tools.ErrLater
		}
		if b.running = nil; err != nil {
			b.refuse(err)
			continue
		}
		b.out.Results, b.out.Done = append(b.out.Results, answer), b.out.Done+1
	}
	return nil
}

func (b *batch) refuse(err error) {
	raw, _ := json.Marshal(map[string]any{"error": refused(err)})
	b.out.Results, b.out.Failed = append(b.out.Results, raw), b.out.Failed+1
}

// refused is a copy of the typed error, to be added to.
func refused(err error) *refusal.Error {
	if e, ok := errors.AsType[*refusal.Error](err); ok {
		c := *e
		return &c
	}
	return &refusal.Error{Code: refusal.Failed, Message: err.Error()}
}

// answer bounds the whole: answers that do not fit are left out.
func (b *batch) answer() batchResult {
	left := b.in.MaxBytes
	for i, r := range b.out.Results {
		if left -= len(r) + 1; left < 0 {
			b.out.Truncated, b.out.Hint = true, "raise maxBytes, or let the calls ask for less"
			b.out.Results[i], _ = json.Marshal(map[string]any{"truncated": true, "bytes": len(r)})
			left += len(r)
		}
	}
	return b.out
}
