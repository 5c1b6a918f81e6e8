package causes

import (
	"strings"
	"testing"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/tools/host"
)

type (
	place struct{ X, Y float64 }
	speed struct{ X, Y float64 }
	brain struct{ Mood int }
	crown struct{}
)

func (l *look) codes() string {
	var list []string
	for _, f := range l.found {
		list = append(list, f.Severity+" "+f.Code)
	}
	return strings.Join(list, ", ")
}

func TestAnEntityThatLacksWhatAllOthersOfItsKindHave(t *testing.T) {
	w := arche.NewWorld()
	p, s, b, c := arche.ComponentID[place](&w), arche.ComponentID[speed](&w), arche.ComponentID[brain](&w), arche.ComponentID[crown](&w)
	for range 40 {
		w.NewEntity(p, s, b)
	}
	w.NewEntity(p, s, b, c) // has more: not of the kind, but the kind lacks nothing
	world := archeworld.New(&w)
	l := &look{}
	if l.kinds(world.Catalog()); len(l.found) != 0 {
		t.Errorf("of a sound world: %+v", l.found)
	}
	w.NewEntity(p, s)
	l.kinds(world.Catalog())
	if len(l.found) != 1 || l.found[0].Code != "lacks" || !strings.Contains(l.found[0].Text, "1 entities lack brain, which 40 others") {
		t.Errorf("%+v", l.found)
	}
	then := &look{}
	then.kindsThen(world.Catalog(), 30)
	then.kindsThen(world.Catalog(), 60)
	if len(then.found) != 1 || then.found[0].Severity != "info" || !strings.HasPrefix(then.found[0].Evidence, "tick 30") {
		t.Errorf("of the past: %+v", then.found)
	}
	for range 9 { // a tenth and more is a kind of its own
		w.NewEntity(p, s)
	}
	l = &look{}
	if l.kinds(world.Catalog()); len(l.found) != 0 {
		t.Errorf("of a kind of its own: %+v", l.found)
	}
}

func TestAnOrderThatReadsWhatIsWrittenLater(t *testing.T) {
	ai := host.SystemInfo{Name: "ai", Phase: "update", Enabled: true, Reads: []string{"place"}, Writes: []string{"speed"}}
	move := host.SystemInfo{Name: "move", Phase: "update", Position: 1, Enabled: true, Reads: []string{"speed"}, Writes: []string{"place"}}
	for _, x := range []struct {
		systems []host.SystemInfo
		want    string
	}{
		{[]host.SystemInfo{ai, move}, "warning order"},
		{[]host.SystemInfo{{Name: "input", Phase: "update", Enabled: true, Writes: []string{"place"}}, ai, move}, ""},
		{[]host.SystemInfo{ai, {Name: "move", Phase: "physics", Position: 1, Enabled: true, Writes: []string{"place"}}}, "info order"},
		{[]host.SystemInfo{ai, {Name: "move", Phase: "update", Position: 1, Enabled: false}}, "warning system_off"},
	} {
		l := &look{}
		if l.game(&loop.View{Systems: x.systems}); l.codes() != x.want {
			t.Errorf("found %q, want %q", l.codes(), x.want)
		}
	}
	l := &look{}
	if l.game(&loop.View{Stack: []string{"playing", "paused", "paused"}}); l.codes() != "warning state_stays" {
		t.Errorf("found %q", l.codes())
	}
}

func steps(n int, f func(i int) (from, to float64)) *number {
	x := &number{path: "Score.Points"}
	for i := range n {
		from, to := f(i)
		x.changes = append(x.changes, step{uint64(i + 1), from, to, true})
	}
	return x
}

func TestANumberThatJumps(t *testing.T) {
	grows := func(i int) (float64, float64) { return float64(i), float64(i + 1) }
	if _, why := steps(200, grows).jump(); why != "" {
		t.Errorf("a counter: %s", why)
	}
	at, why := steps(200, func(i int) (float64, float64) {
		if i == 99 {
			return 99, 0
		}
		return grows(i)
	}).jump()
	if why == "" || at.tick != 100 || at.to != 0 {
		t.Errorf("a counter that is reset: %+v %q", at, why)
	}
	wave := func(i int) (float64, float64) { return float64(i % 7), float64((i + 1) % 7) }
	if _, why := steps(200, wave).jump(); why != "" {
		t.Errorf("one that goes up and down: %s", why)
	}
	at, why = steps(200, func(i int) (float64, float64) {
		if i == 50 {
			return 3, 9000
		}
		return wave(i)
	}).jump()
	if why == "" || at.tick != 51 {
		t.Errorf("one that leaps: %+v %q", at, why)
	}
	n := steps(200, grows)
	n.changes[99] = step{100, 99, 0, false}
	if _, why := n.jump(); why != "" {
		t.Errorf("what a client wrote: %s", why)
	}
}

type fakeTimes struct{ h host.History }

func (fakeTimes) List() []host.SystemInfo          { return nil }
func (fakeTimes) SetEnabled(string, bool) error    { return nil }
func (fakeTimes) Running() (string, time.Duration) { return "", 0 }
func (f fakeTimes) History(int) host.History       { return f.h }

func TestTimesAreComparedWithTheSystemsOwn(t *testing.T) {
	play := func(ai func(frame int) time.Duration, all float64) string {
		h := host.History{Systems: []string{"ai", "move", "draw"}, Phases: []string{"u", "u", "u"}}
		for i := range 600 {
			pace := time.Duration(1)
			if i > 300 {
				pace = time.Duration(all)
			}
			h.Frames = append(h.Frames, host.FrameTimes{Frame: uint64(i), Systems: []time.Duration{ai(i) * pace, 300 * time.Microsecond * pace, 400 * time.Microsecond * pace}})
		}
		l := &look{}
		l.times(&host.App{Systems: fakeTimes{h}})
		return l.codes()
	}
	even := func(int) time.Duration { return 250 * time.Microsecond }
	if got := play(even, 1); got != "" {
		t.Errorf("a steady game: %q", got)
	}
	if got := play(even, 3); got != "" {
		t.Errorf("a machine that became slow: %q", got)
	}
	if got := play(func(i int) time.Duration { return time.Duration(250+i) * time.Microsecond }, 1); got != "warning slower" {
		t.Errorf("one that becomes slower: %q", got)
	}
	spiky := func(i int) time.Duration {
		if i%100 == 7 {
			return 9 * time.Millisecond
		}
		return even(i)
	}
	if got := play(spiky, 1); got != "warning spike" {
		t.Errorf("one with spikes: %q", got)
	}
	once := func(i int) time.Duration {
		if i == 77 {
			return 30 * time.Millisecond
		}
		return even(i)
	}
	if got := play(once, 1); got != "" {
		t.Errorf("one that the machine held up once: %q", got)
	}
}
