package timeline

import (
	"context"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/ecstest"
	"github.com/loupe-ecs/loupe/ecs/ecstest/mapworld"
	"github.com/loupe-ecs/loupe/snapshot"
	"github.com/loupe-ecs/loupe/tools/host"
)

// counted is a world of one resource that counts its ticks, and a recorder.
type counted struct {
	*mapworld.World
	*testing.T
	rec   *Recorder
	score *ecstest.Score
	tick  uint64
}

func newCounted(t *testing.T, app *host.App, o Options) *counted {
	c := &counted{World: mapworld.New(ecstest.Components()...), T: t, rec: NewRecorder(nil), score: &ecstest.Score{}}
	c.AddResource(c.score)
	c.rec.Bind(c.World, app)
	if err := c.rec.Start(o, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.rec.Stop(true) })
	return c
}

// step runs ticks, each of which adds a number to the score.
func (c *counted) step(n, points int) {
	for range n {
		c.tick++
		c.score.Points += points
		c.rec.EndTick(c.tick)
		c.rec.Flush(context.Background())
	}
}

// points reads the score at a tick of a line.
func (c *counted) points(l *Line, tick uint64) int {
	c.Helper()
	r, err := l.Find(int64(tick))
	if err != nil {
		c.Fatal(err)
	}
	v, _ := l.World(r).Resource(0)
	return v.Interface().(ecstest.Score).Points
}

// What a rewound world leaves behind stays readable; what it does from then on
// is a branch of its own; and the present that was kept is gone back to.
func TestBranches(t *testing.T) {
	c := newCounted(t, nil, Options{})
	c.step(20, 1)
	back := func(tick uint64) Ref {
		l := c.rec.Line()
		r, err := l.Find(int64(tick))
		if err != nil {
			t.Fatal(err)
		}
		kept := new(snapshot.Capture)
		if err := kept.Take(c.World, nil); err != nil {
			t.Fatal(err)
		}
		if err := c.Restore(l.Sample(r).Image); err != nil {
			t.Fatal(err)
		}
		c.tick = tick
		c.rec.Rewound(r, kept, tick)
		return r
	}
	back(8)
	if got := c.rec.Line().Len(); got != 21 {
		t.Errorf("before the world runs on, %d samples on its line", got)
	}
	c.step(5, 100)
	now, left := c.rec.Line(), c.rec.LineOf(0)
	for tick, want := range map[uint64]int{8: 8, 9: 108, 13: 508} {
		if got := c.points(now, tick); got != want {
			t.Errorf("tick %d of the branch: %d, want %d", tick, got, want)
		}
	}
	if got := c.points(left, 13); got != 13 {
		t.Errorf("tick 13 that was left behind: %d", got)
	}
	if now.Branch == 0 || c.points(left, 20) != 20 {
		t.Errorf("branch %d", now.Branch)
	}
	i := c.rec.Info()
	if len(i.Branches) != 2 || i.Branches[0].Current || !i.Branches[1].Current || i.Branches[1].From != 9 || i.Branches[1].To != 13 || i.From != 0 || i.To != 13 {
		t.Errorf("%+v from %d to %d", i.Branches, i.From, i.To)
	}
	// A branch of the branch.
	back(10)
	c.step(2, 1000)
	deep := c.rec.Line()
	for tick, want := range map[uint64]int{7: 7, 10: 208, 12: 2208} {
		if got := c.points(deep, tick); got != want {
			t.Errorf("tick %d of the second branch: %d, want %d", tick, got, want)
		}
	}
	// And back to where it all was left.
	p := c.rec.Present()
	staged, err := p.Kept.Stage(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := staged.Restore(c.World); err != nil {
		t.Fatal(err)
	}
	c.tick = p.Tick
	c.rec.Returned(c.tick)
	c.step(1, 1)
	if l := c.rec.Line(); c.rec.Present() != nil || l.Branch != 0 || c.points(l, 21) != 21 {
		t.Errorf("the present goes on as %d on branch %d", c.score.Points, l.Branch)
	}
}

// A packer that cannot keep up costs samples, never the frame: they are taken
// less often, which is told, and as often as before once it can.
func TestSlowPackingIsTold(t *testing.T) {
	c := newCounted(t, nil, Options{})
	c.step(3, 1)
	c.rec.ring.mu.Lock() // the packer waits here
	for range 100 {
		c.tick++
		c.rec.EndTick(c.tick)
	}
	c.rec.ring.mu.Unlock()
	c.rec.Flush(context.Background())
	i := c.rec.Info()
	if i.Every <= 1 || i.Wanted != 1 || i.Dropped == 0 {
		t.Errorf("every %d, wanted %d, %d left out", i.Every, i.Wanted, i.Dropped)
	}
	told := false
	for _, m := range i.Marks {
		told = told || m.Kind == MarkRecord && strings.Contains(m.Text, "a sample every 2 ticks")
	}
	if !told {
		t.Errorf("marks %v", i.Marks)
	}
	if got := c.points(c.rec.Line(), 3); got != 3 {
		t.Errorf("what was recorded before reads %d", got)
	}
	c.step(20_000, 1)
	if i := c.rec.Info(); i.Every != 1 {
		t.Errorf("every %d long after", i.Every)
	}
}

// A pinned recording ends when its memory is full; nothing of it is forgotten.
func TestPinKeepsTheBeginning(t *testing.T) {
	c := newCounted(t, nil, Options{Memory: 256 << 10, Pin: true})
	for range 200_000 {
		if c.step(1, 1); !c.rec.Recording() {
			break
		}
	}
	i := c.rec.Info()
	if i.Recording || i.Pushed != 0 || !strings.Contains(i.Stopped, "pin") || c.points(c.rec.Line(), 1) != 1 {
		t.Errorf("%+v", i)
	}
	if i.Bytes > 256<<10+64<<10 {
		t.Errorf("%d bytes", i.Bytes)
	}
}

// outside is a host whose inputs are the number of the tick they were taken in.
type outside struct{ c *counted }

func (o *outside) TickInputs() []byte {
	if o.c.tick%2 == 0 {
		return nil
	}
	return []byte{byte(o.c.tick)}
}
func (o *outside) PlayInputs([]byte) error { return nil }

// Inputs and the lock of an open query are part of a sample.
func TestSamplesHaveInputsAndLock(t *testing.T) {
	in := &outside{c: &counted{}}
	c := newCounted(t, &host.App{Inputs: in}, Options{})
	in.c = c
	c.step(4, 1)
	l := c.rec.Line()
	for tick, want := range map[uint64][]byte{1: {1}, 2: nil, 3: {3}, 4: nil} {
		r, err := l.Find(int64(tick))
		if err != nil {
			t.Fatal(err)
		}
		if s := l.Sample(r); string(s.Inputs) != string(want) || s.Locked {
			t.Errorf("tick %d: inputs %v, want %v; locked %v", tick, s.Inputs, want, s.Locked)
		}
	}
	release := c.Lock()
	c.tick++
	c.rec.Touched(c.tick, CauseCrash)
	release()
	c.rec.Flush(context.Background())
	l = c.rec.Line()
	r, err := l.Find(int64(c.tick))
	if err != nil || r.Cause != CauseCrash {
		t.Fatalf("%+v %v", r, err)
	}
	if s := l.Sample(r); !s.Locked || !l.World(r).Locked() {
		t.Errorf("locked %v, world %v", s.Locked, l.World(r).Locked())
	}
}
