package hosttools

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/tooltest"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// partClock is a host's clock that runs one tick a frame.
type partClock struct {
	tick    uint64
	paused  bool
	scale   float64
	pending int
	held    bool  // a state of the game runs no ticks
	err     error // what Set answers
	sets    int
	onTick  func()
}

func (c *partClock) Info() host.ClockInfo {
	return host.ClockInfo{Tick: c.tick, Paused: c.paused, Scale: c.scale, StepMs: 20, Pending: c.pending}
}

func (c *partClock) Set(ch host.ClockChange) error {
	if c.sets++; c.err != nil {
		return c.err
	}
	if ch.Scale != nil {
		c.scale = *ch.Scale
	}
	if ch.Paused != nil {
		c.paused, c.pending = *ch.Paused, 0
	}
	if ch.Step > 0 {
		c.paused, c.pending = true, ch.Step
	}
	return nil
}

// frame is what the loop does between two Polls.
func (c *partClock) frame() {
	if c.held || c.paused && c.pending == 0 {
		return
	}
	if c.paused {
		c.pending--
	}
	c.tick++
	if c.onTick != nil {
		c.onTick()
	}
}

// laterCall is a tool call that is run again at each Poll.
type laterCall struct {
	h   *tooltest.Harness
	c   *tools.Call
	job tools.Job
	end context.CancelFunc
	out map[string]any
	err *refusal.Error
}

func begin(h *tooltest.Harness, name, args string) *laterCall {
	h.T.Helper()
	p, ok := listing.Of(h.Reg).Lookup(name)
	if !ok {
		h.T.Fatalf("no tool %s", name)
	}
	ctx, end := context.WithCancel(context.Background())
	c := &tools.Call{Context: ctx, Catalog: h.World.Catalog(), Registry: h.Reg, Log: slog.New(slog.DiscardHandler)}
	job, err := p.Handler.Prepare(c, json.RawMessage(args))
	if err != nil {
		h.T.Fatalf("%s(%s): %v", name, args, err)
	}
	return &laterCall{h: h, c: c, job: job, end: end}
}

// poll runs the frame part and tells whether the call is answered.
func (l *laterCall) poll() bool {
	l.h.T.Helper()
	f := &tools.Frame{World: l.h.World, App: l.h.App, Call: l.c, Catalog: l.h.World.Catalog()}
	err := l.job.Frame(f)
	if errors.Is(err, tools.ErrLater) {
		return false
	}
	defer l.end()
	if err != nil {
		if !errors.As(err, &l.err) {
			l.h.T.Fatalf("an untyped error: %v", err)
		}
		return true
	}
	r, err := l.job.Finish(l.c)
	if err != nil {
		l.h.T.Fatal(err)
	}
	if err := json.Unmarshal(r.Structured, &l.out); err != nil {
		l.h.T.Fatal(err)
	}
	return true
}

// drive polls until the call is answered and returns how many frames passed.
func (l *laterCall) drive(c *partClock) (frames int) {
	l.h.T.Helper()
	for !l.poll() {
		if frames++; frames > 100_000 {
			l.h.T.Fatal("the call is never answered")
		}
		c.frame()
	}
	return frames
}

type mark struct{ X int }

func newClock(t *testing.T) (*tooltest.Harness, *partClock, func() *mark) {
	t.Helper()
	c := &partClock{scale: 1}
	app := &host.App{Clock: c}
	h := tooltest.New(t)
	h.Reg.MustRegister(Clock(0)...)
	h.App = app
	id := arche.ComponentID[mark](h.Arche)
	e := h.Arche.NewEntity(id)
	at := func() *mark { return (*mark)(h.Arche.Get(e, id)) }
	c.onTick = func() { at().X++ }
	return h, c, at
}

func TestClockSet(t *testing.T) {
	h, c, at := newClock(t)
	c.frame()
	if out := h.OK("clock_info", `{}`); out["tick"] != json.Number("1") || out["paused"] != false || out["stepMs"] != json.Number("20") {
		t.Errorf("%v", out)
	}
	if out := h.OK("clock_set", `{"paused":true}`); out["paused"] != true || out["ticks"] != json.Number("0") {
		t.Errorf("%v", out)
	}
	c.frame()
	if out := h.OK("clock_set", `{"scale":0.25}`); out["scale"] != json.Number("0.25") || out["paused"] != true || out["tick"] != json.Number("1") {
		t.Errorf("%v", out)
	}
	l := begin(h, "clock_set", `{"step":7}`)
	if frames := l.drive(c); frames != 7 || l.err != nil || l.out["before"] != 1.0 || l.out["tick"] != 8.0 || l.out["ticks"] != 7.0 || l.out["paused"] != true || l.out["hint"] != nil {
		t.Errorf("%d frames, %v %v", frames, l.out, l.err)
	}
	if at().X != 8 {
		t.Errorf("the world has seen %d ticks", at().X)
	}
	// Both at once, and the game goes on afterwards.
	l = begin(h, "clock_set", `{"step":1,"scale":2,"paused":true}`)
	if l.drive(c); l.out["tick"] != 9.0 || l.out["scale"] != 2.0 {
		t.Errorf("%v", l.out)
	}
	if out := h.OK("clock_set", `{"paused":false}`); out["paused"] != false {
		t.Errorf("%v", out)
	}
	sets := c.sets
	for _, bad := range []string{`{}`, `{"step":0}`, `{"step":10001}`, `{"step":2.5}`, `{"scale":0}`, `{"scale":16.5}`, `{"scale":"NaN"}`, `{"paused":false,"step":3}`, `{"speed":1}`} {
		h.WantRefusal("clock_set", bad, refusal.InvalidArguments)
	}
	if c.sets != sets {
		t.Error("a refused call reached the host")
	}
	c.err = &refusal.Error{Code: refusal.NotSupported, Message: "one speed"}
	h.WantRefusal("clock_set", `{"scale":2}`, refusal.NotSupported)
	h.WantRefusal("clock_set", `{"step":2}`, refusal.NotSupported)
}

// A read-only server refuses what is marked destructive.
func TestWhoChangesTheClockIsDestructive(t *testing.T) {
	h, _, _ := newClock(t)
	for name, writes := range map[string]bool{"clock_info": false, "clock_set": true, "run_until": true} {
		if p, _ := listing.Of(h.Reg).Lookup(name); (p.Spec.Effect == tools.Destructive) != writes || (p.Spec.Effect == tools.ReadOnly) == writes || p.Spec.WhenCrashed || p.Spec.WhenParked {
			t.Errorf("%s: %+v", name, p.Spec)
		}
	}
}

// One call drives the clock at a time; the last one that pauses or resumes has it.
func TestTheClockHasOneDriver(t *testing.T) {
	h, c, _ := newClock(t)
	run := begin(h, "run_until", `{"where":"mark.X > 1000"}`)
	run.poll()
	c.frame()
	run.poll()
	for tool, args := range map[string]string{"run_until": `{"with":["mark"],"none":true}`, "clock_set": `{"step":1}`} {
		if e := h.WantRefusal(tool, args, refusal.AlreadyRunning); e.Hint == "" {
			t.Errorf("%s: no hint", tool)
		}
	}
	h.OK("clock_set", `{"scale":4}`) // the speed disturbs nobody
	if run.poll() {
		t.Fatalf("ended by a change of speed: %v", run.out)
	}
	h.OK("clock_set", `{"paused":false}`)
	if !run.poll() || run.out["reason"] != "stopped" || run.out["matched"] != false || run.out["ticks"] != 1.0 || run.out["paused"] != false || run.out["hint"] == nil {
		t.Errorf("%v", run.out)
	}
	step := begin(h, "clock_set", `{"step":50}`)
	for range 20 {
		step.poll()
		c.frame()
	}
	h.WantRefusal("run_until", `{"with":["mark"]}`, refusal.AlreadyRunning)
	h.WantRefusal("clock_set", `{"step":1}`, refusal.AlreadyRunning)
	h.OK("clock_set", `{"paused":true}`)
	if !step.poll() || step.out["ticks"] != 20.0 || step.out["hint"] == nil || step.out["pending"] != 0.0 {
		t.Errorf("%v", step.out)
	}
	// A client that has gone leaves the game paused, and the clock to others.
	gone := begin(h, "run_until", `{"where":"mark.X > 1000"}`)
	gone.poll()
	c.frame()
	gone.end()
	at := c.tick
	c.frame()
	if !c.paused || c.tick != at {
		t.Errorf("the game runs on: paused %v, tick %d after %d", c.paused, c.tick, at)
	}
	next := begin(h, "run_until", `{"where":"mark.X > 1000","maxTicks":5}`)
	if next.drive(c); next.out["reason"] != "maxTicks" || next.out["ticks"] != 5.0 {
		t.Errorf("%v", next.out)
	}
}

func TestRunUntil(t *testing.T) {
	h, c, at := newClock(t)
	for range 10 {
		c.frame()
	}
	run := begin(h, "run_until", `{"where":"mark.X == 25"}`)
	if frames := run.drive(c); frames != 15 || at().X != 25 {
		t.Errorf("%d frames, the world at %d", frames, at().X)
	}
	o := run.out
	if o["matched"] != true || o["reason"] != "matched" || o["tick"] != 25.0 || o["ticks"] != 15.0 || o["paused"] != true || o["count"] != 1.0 || len(o["entities"].([]any)) != 1 {
		t.Errorf("%v", o)
	}
	c.frame()
	if at().X != 25 {
		t.Error("it was not paused")
	}
	// True at once, and told to go on.
	run = begin(h, "run_until", `{"where":"mark.X == 25","pause":false}`)
	if frames := run.drive(c); frames != 0 || run.out["ticks"] != 0.0 || run.out["paused"] != false || run.out["matched"] != true {
		t.Errorf("%d frames, %v", frames, run.out)
	}
	// It pauses a game that runs, also when nothing has to be waited for.
	run = begin(h, "run_until", `{"with":["mark"]}`)
	if run.drive(c); run.out["paused"] != true || run.out["ticks"] != 0.0 {
		t.Errorf("%v", run.out)
	}
	run = begin(h, "run_until", `{"where":"mark.X < 0","maxTicks":30}`)
	if run.drive(c); run.out["reason"] != "maxTicks" || run.out["ticks"] != 30.0 || run.out["tick"] != 55.0 || run.out["matched"] != false || len(run.out["entities"].([]any)) != 0 {
		t.Errorf("%v", run.out)
	}
	// Until the last one has gone, and until more have come than are shown.
	id := arche.ComponentID[mark](h.Arche)
	tick := c.onTick
	c.onTick = func() {
		tick()
		for range 4 {
			h.Arche.NewEntity(id)
		}
	}
	run = begin(h, "run_until", `{"where":"mark.X == 0"}`)
	if run.drive(c); run.out["ticks"] != 1.0 || run.out["count"] != 4.0 {
		t.Errorf("%v", run.out)
	}
	c.onTick = func() {
		q := h.Arche.Query(arche.All(id))
		var es []arche.Entity
		for q.Next() {
			es = append(es, q.Entity())
		}
		h.Arche.RemoveEntity(es[len(es)-1])
	}
	run = begin(h, "run_until", `{"with":["mark"],"none":true}`)
	if run.drive(c); run.out["ticks"] != 5.0 || run.out["count"] != 0.0 || run.out["matched"] != true {
		t.Errorf("%v", run.out)
	}
	h.WantRefusal("run_until", `{}`, refusal.InvalidArguments)
	h.WantRefusal("run_until", `{"where":"mark.Y > 1"}`, refusal.UnknownField)
	h.WantRefusal("run_until", `{"where":"marc.X > 1"}`, refusal.UnknownComponent)
	h.WantRefusal("run_until", `{"where":"mark.X >"}`, refusal.InvalidArguments)
	h.WantRefusal("run_until", `{"where":"mark.X > 1","maxTicks":0}`, refusal.InvalidArguments)
	h.WantRefusal("run_until", `{"with":["mark"],"none":true,"maxTicks":100001}`, refusal.InvalidArguments)
}

// A game that runs no ticks for its own reasons is noticed, and nothing is left
// that would run later.
func TestAClockThatDoesNotAdvance(t *testing.T) {
	h, c, _ := newClock(t)
	c.held = true
	step := begin(h, "clock_set", `{"step":5}`)
	step.drive(c)
	run := begin(h, "run_until", `{"where":"mark.X > 3"}`)
	run.drive(c)
	if step.out["ticks"] != 0.0 || step.out["hint"] == nil || run.out["reason"] != "stopped" || run.out["ticks"] != 0.0 || c.pending != 0 || !c.paused {
		t.Errorf("%v\n%v\n%d pending, paused %v", step.out, run.out, c.pending, c.paused)
	}
	// A host that refuses at once is quoted; one that refuses later, in the hint.
	c.held, c.err = false, &refusal.Error{Code: refusal.NotRunning, Message: "the game is over"}
	h.WantRefusal("run_until", `{"where":"mark.X > 3"}`, refusal.NotRunning)
	c.err = nil
	run = begin(h, "run_until", `{"where":"mark.X > 3"}`)
	run.poll()
	c.frame()
	c.err = &refusal.Error{Code: refusal.NotRunning, Message: "the game is over"}
	if !run.poll() || run.out["reason"] != "stopped" || run.out["hint"] != "the game is over" || run.out["ticks"] != 1.0 {
		t.Errorf("%v", run.out)
	}
}

// Long runs answer before the server gives the call up.
func TestTheClockAnswersInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, c, at := newClock(t)
		slow := c.onTick
		c.onTick = func() { slow(); time.Sleep(100 * time.Millisecond) }
		began := time.Now()
		run := begin(h, "run_until", `{"where":"mark.X == 1000","maxTicks":100000}`)
		run.drive(c)
		if took := time.Since(began); took < 25*time.Second || took >= 30*time.Second || run.out["reason"] != "timeout" || run.out["hint"] == nil {
			t.Errorf("after %v: %v", took, run.out)
		}
		if x := at().X; run.out["ticks"] != float64(x) || c.pending != 0 || !c.paused {
			t.Errorf("%v ticks, the world has seen %d; %d pending, paused %v", run.out["ticks"], x, c.pending, c.paused)
		}
		step := begin(h, "clock_set", `{"step":400}`)
		step.drive(c)
		if n := step.out["ticks"].(float64); n < 250 || n >= 300 || step.out["pending"] != 400-n || step.out["hint"] == nil {
			t.Errorf("%v", step.out)
		}
		for c.pending > 0 { // the rest of it still runs, exactly
			c.frame()
		}
		c.frame()
		if at().X != int(run.out["ticks"].(float64))+400 {
			t.Errorf("the world has seen %d ticks", at().X)
		}
	})
}

// Within one frame nothing can be waited for: nothing is begun then.
func TestTheClockWithinOneFrame(t *testing.T) {
	h, c, _ := newClock(t)
	once := func(name, args string) (*tools.Result, error) {
		l := begin(h, name, args)
		defer l.end()
		if err := l.job.Frame(&tools.Frame{World: h.World, App: h.App, Call: l.c, Once: true}); err != nil {
			return nil, err
		}
		return l.job.Finish(l.c)
	}
	if _, err := once("run_until", `{"where":"mark.X > 3"}`); !errors.Is(err, refusal.NotSupported) || c.paused || c.sets != 0 {
		t.Errorf("%v, paused %v", err, c.paused)
	}
	if r, err := once("run_until", `{"where":"mark.X == 0"}`); err != nil || !c.paused {
		t.Errorf("%v %v", r, err)
	}
	r, err := once("clock_set", `{"step":3}`)
	if err != nil || c.pending != 3 {
		t.Fatalf("%v, %d pending", err, c.pending)
	}
	var out clockSetResult
	if err := json.Unmarshal(r.Structured, &out); err != nil || out.Pending != 3 || out.Ticks != 0 || out.Hint == "" {
		t.Errorf("%s %v", r.Structured, err)
	}
}
