package past

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/snapshot"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/tools"
)

// At is the argument of tools that can read a recorded moment.
type At struct {
	At *int64 `json:"at,omitempty" jsonschema:"tick, or -60"`
}

// With is the name of the argument, for tools.Spec.OffFrameWith.
const With = "at"

// Tick is what their results say of it.
type Tick struct {
	Tick *uint64 `json:"tick,omitempty" jsonschema:"with at: the tick of the sample that was read"`
}

// AtTick implements [tools.AtTick].
func (t *Tick) AtTick(tick uint64) { t.Tick = &tick }

// packWait bounds how long a call waits for what was captured before it.
const packWait = 250 * time.Millisecond

// line is the line that the live world is on, complete.
func (p *Past) line(ctx context.Context) *timeline.Line {
	ctx, cancel := context.WithTimeout(ctx, packWait)
	defer cancel()
	p.rec.Flush(ctx)
	return p.rec.Line()
}

// Frame is a recorded world in place of the live one: nil where at is.
func (p *Past) Frame(c *tools.Call, a At) (*tools.Frame, error) {
	return p.frameOf(c, a, func(l *timeline.Line, r timeline.Ref) ecs.World { return p.worlds.of(l, r) })
}

// OwnFrame is Frame with a world that nobody else reads, nor the recording
// shares: for who might write to it.
func (p *Past) OwnFrame(c *tools.Call, a At) (*tools.Frame, error) {
	return p.frameOf(c, a, func(l *timeline.Line, r timeline.Ref) ecs.World { return l.Own(r) })
}

func (p *Past) frameOf(c *tools.Call, a At, world func(*timeline.Line, timeline.Ref) ecs.World) (*tools.Frame, error) {
	if a.At == nil {
		return nil, nil
	}
	if p == nil {
		return nil, &refusal.Error{Code: refusal.NotRecorded, Message: "nothing is recorded", Got: *a.At}
	}
	l := p.line(c.Context)
	ref, err := l.Find(*a.At)
	if err != nil {
		return nil, err
	}
	w := world(l, ref)
	return &tools.Frame{Number: ref.Frame, World: w, Catalog: w.Catalog(), Tick: &ref.Tick}, nil
}

// worlds keeps the recorded worlds that were read last: who looks at a moment
// looks at it again.
type worlds struct {
	mu   sync.Mutex
	last []kept
}

type kept struct {
	seq   uint64
	world ecs.World
}

const maxKept = 4

func (k *worlds) of(l *timeline.Line, r timeline.Ref) ecs.World {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, have := range k.last {
		if have.seq == r.Seq {
			copy(k.last[1:i+1], k.last[:i])
			k.last[0] = have
			return have.world
		}
	}
	w := l.World(r)
	if len(k.last) == maxKept {
		k.last = k.last[:maxKept-1]
	}
	k.last = append([]kept{{r.Seq, w}}, k.last...)
	return w
}

// Names reports whether the name of a snapshot means a recorded moment: "@1200",
// "@-60", or "@1200/2" on branch 2.
func Names(name string) bool { return strings.HasPrefix(name, "@") }

// Named is the moment that a name means, as a capture, with its tick and frame.
func (p *Past) Named(c *tools.Call, name string, o *snapshot.Options) (*snapshot.Capture, *timeline.Sample, error) {
	l, ref, err := p.named(c, name)
	if err != nil {
		return nil, nil, err
	}
	s := l.Sample(ref)
	opts := *o
	opts.Frame = ref.Frame
	return s.Capture(&opts), s, nil
}

// NamedFrame is the moment that a name means in place of the live world.
func (p *Past) NamedFrame(c *tools.Call, name string) (*tools.Frame, error) {
	l, ref, err := p.named(c, name)
	if err != nil {
		return nil, err
	}
	w := p.worlds.of(l, ref)
	return &tools.Frame{Number: ref.Frame, World: w, Catalog: w.Catalog(), Tick: &ref.Tick}, nil
}

func (p *Past) named(c *tools.Call, name string) (*timeline.Line, timeline.Ref, error) {
	text, branch, branched := strings.Cut(strings.TrimPrefix(name, "@"), "/")
	tick, err := strconv.ParseInt(text, 10, 64)
	l := p.line(c.Context)
	if err == nil && branched {
		var n int
		if n, err = strconv.Atoi(branch); err == nil {
			l = p.rec.LineOf(n)
		}
	}
	if err != nil {
		return nil, timeline.Ref{}, &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("%s names no recorded tick", refusal.Cut(name, 80)), Got: refusal.Cut(name, 80),
			Want: `"@1200", or "@-60" for 60 ticks back`, Hint: "record_info tells which ticks are recorded", Next: "record_info"}
	}
	ref, err := l.Find(tick)
	return l, ref, err
}
