package schedule

import (
	"context"
	"runtime/pprof"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// LabelKey is the key of the profiler label that names the running system.
const LabelKey = "system"

// Schedule is an ordered set of systems. Make one with [New].
type Schedule struct {
	phases []*phase

	// all is what other goroutines see: every system in running order, replaced
	// whole when one is added.
	all     atomic.Pointer[[]*system]
	current atomic.Pointer[system]
	since   atomic.Int64 // nanoseconds after epoch at which current began

	ring      ring
	hook      Hook
	onSwitch  func(Switch)
	rehearsal bool // runs do not count
	manual    bool // the host calls Frame
	frame     uint64
	slot      int
	busy      int64 // nanoseconds of this Run's systems
	epoch     time.Time
	idle      context.Context
}

type phase struct {
	name    string
	systems []*system
}

type system struct {
	name, doc     string
	phase         string
	fn, source    string // the function and where it is written
	run           func()
	enabled       bool
	reads, writes []string
	entities      func() int
	labels        context.Context
	at            atomic.Uint64 // the entity it is at: slot and generation; 0: not told

	runs      uint64
	last      int64 // nanoseconds of the latest run
	sum, most int64
	times     [FramesKept]atomic.Int64
}

// New makes a schedule whose phases run in the given order. It panics on a
// name that is empty or comes twice: that is a mistake in the host's source.
func New(phases ...string) *Schedule {
	s := &Schedule{epoch: time.Now(), idle: context.Background()}
	for _, name := range phases {
		if name == "" || s.phase(name) != nil {
			panic("schedule: phase " + strconv.Quote(name) + " is empty or comes twice")
		}
		s.phases = append(s.phases, &phase{name: name})
	}
	s.all.Store(new([]*system))
	return s
}

// Option adds facts about a system.
type Option func(*system)

// Reads names the components and resources that a system reads.
func Reads(names ...string) Option { return func(s *system) { s.reads = append(s.reads, names...) } }

// Writes names the components and resources that a system writes.
func Writes(names ...string) Option { return func(s *system) { s.writes = append(s.writes, names...) } }

// Doc says in a sentence what a system does.
func Doc(text string) Option { return func(s *system) { s.doc = text } }

// Entities gives a function that tells how many entities the last run visited.
func Entities(count func() int) Option { return func(s *system) { s.entities = count } }

// Disabled lets a system start switched off.
func Disabled() Option { return func(s *system) { s.enabled = false } }

// Add appends a system to a phase; within a phase systems run in the order they
// were added. It panics where the phase is unknown, the name is empty or taken,
// or run is nil: those are mistakes in the host's source. Frame goroutine.
func (s *Schedule) Add(phaseName, name string, run func(), opts ...Option) {
	p := s.phase(phaseName)
	switch {
	case p == nil:
		panic("schedule: system " + strconv.Quote(name) + " names the unknown phase " + strconv.Quote(phaseName))
	case name == "" || s.find(name) != nil:
		panic("schedule: system name " + strconv.Quote(name) + " is empty or taken")
	case run == nil:
		panic("schedule: system " + strconv.Quote(name) + " has no function")
	}
	sys := &system{name: name, phase: phaseName, run: run, enabled: true,
		labels: pprof.WithLabels(context.Background(), pprof.Labels(LabelKey, name))}
	sys.fn, sys.source = place(run, caller())
	for _, o := range opts {
		o(sys)
	}
	for i := range sys.times {
		sys.times[i].Store(notRun)
	}
	p.systems = append(p.systems, sys)
	var all []*system
	for _, p := range s.phases {
		all = append(all, p.systems...)
	}
	s.all.Store(&all)
}

// Frame begins the times of frame n, a number that grows. A host that runs the
// schedule several times a frame (fixed steps that catch up) calls it once per
// frame and its runs add up. A host that never calls it gets one frame per Run.
// Frame goroutine.
func (s *Schedule) Frame(n uint64) {
	if s.rehearsal {
		return
	}
	s.manual = true
	s.begin(n)
}

func (s *Schedule) begin(n uint64) {
	s.frame = n
	s.slot = s.ring.begin(n, *s.all.Load())
}

// Run runs the enabled systems of the named phases in their order, or of all
// phases if none is named. A name without a phase is skipped. If a system
// panics, the panic goes on to the caller and Running keeps naming the system.
// Frame goroutine.
func (s *Schedule) Run(phases ...string) {
	if (!s.manual || s.frame == 0) && !s.rehearsal {
		s.begin(s.frame + 1)
	}
	// Also after a panic: whatever the host does next is not the system's work.
	defer pprof.SetGoroutineLabels(s.idle)
	start := s.now()
	s.busy = 0
	done := ""
	if len(phases) == 0 {
		for _, p := range s.phases {
			done, start = s.runPhase(p, done, start)
		}
	} else {
		for _, name := range phases {
			if p := s.phase(name); p != nil {
				done, start = s.runPhase(p, done, start)
			}
		}
	}
	s.current.Store(nil)
	if s.hook != nil {
		s.look(done, "")
	}
	if !s.rehearsal {
		s.ring.addBusy(s.slot, s.busy)
	}
}

// runPhase runs the systems of a phase. done is the system that ran last, start
// when it ended.
func (s *Schedule) runPhase(p *phase, done string, start int64) (last string, end int64) {
	if s.hook != nil {
		return s.runWatched(p, done, start)
	}
	for _, sys := range p.systems {
		if sys.enabled {
			start = s.runSystem(sys, start)
		}
	}
	return "", start
}

func (s *Schedule) runSystem(sys *system, start int64) (end int64) {
	sys.arrive()
	s.since.Store(start)
	s.current.Store(sys)
	pprof.SetGoroutineLabels(sys.labels)

	sys.run()

	end = s.now()
	if s.rehearsal {
		return end
	}
	d := end - start
	s.busy += d
	sys.runs++
	sys.last = d
	sys.sum += d
	sys.most = max(sys.most, d)
	cell := &sys.times[s.slot]
	cell.Store(max(cell.Load(), 0) + d)
	return end
}

// now is in nanoseconds after the epoch. time.Since reads only the monotonic
// clock, about half of what time.Now costs.
func (s *Schedule) now() int64 { return int64(time.Since(s.epoch)) }

// Running names the system that runs now and for how long it has; "" means
// none. After a panic it names the system that panicked until the next Run or
// ClearRunning. Any goroutine.
func (s *Schedule) Running() (system string, forTime time.Duration) {
	sys := s.current.Load()
	if sys == nil {
		return "", 0
	}
	return sys.name, max(0, time.Duration(s.now()-s.since.Load()))
}

// ClearRunning forgets which system was running: for a host that has dealt with
// a panic and will not run the schedule again soon. Frame goroutine.
func (s *Schedule) ClearRunning() { s.current.Store(nil) }

// Phases lists the phases in order. Any goroutine.
func (s *Schedule) Phases() []string {
	var names []string
	for _, p := range s.phases {
		names = append(names, p.name)
	}
	return names
}

// List describes every system in running order. Frame goroutine.
func (s *Schedule) List() []Info {
	all := *s.all.Load()
	infos := make([]Info, len(all))
	for i, sys := range all {
		infos[i] = Info{Name: sys.name, Phase: sys.phase, Position: i, Enabled: sys.enabled,
			LastMs: ms(sys.last), MaxMs: ms(sys.most), Runs: sys.runs, Doc: sys.doc, Func: sys.fn, Source: sys.source,
			Reads: slices.Clone(sys.reads), Writes: slices.Clone(sys.writes)}
		if sys.runs > 0 {
			infos[i].AvgMs = ms(sys.sum) / float64(sys.runs)
		}
		if sys.entities != nil {
			n := sys.entities()
			infos[i].Entities = &n
		}
	}
	return infos
}

func ms(ns int64) float64 { return float64(ns) / 1e6 }

// SetEnabled switches a system on or off from its next turn on. An unknown name
// is a not_found error with the nearest names. Frame goroutine.
func (s *Schedule) SetEnabled(name string, enabled bool) error {
	sys := s.find(name)
	if sys == nil {
		var names []string
		for _, sys := range *s.all.Load() {
			names = append(names, sys.name)
		}
		return &refusal.Error{Code: refusal.NotFound, Message: "no system named " + strconv.Quote(name), Got: name,
			Options: refusal.Nearest(name, names), Total: len(names),
			Hint: "systems_list names every system", Next: "systems_list"}
	}
	s.switched(sys, enabled)
	sys.enabled = enabled
	return nil
}

func (s *Schedule) phase(name string) *phase {
	for _, p := range s.phases {
		if p.name == name {
			return p
		}
	}
	return nil
}

func (s *Schedule) find(name string) *system {
	for _, p := range s.phases {
		for _, sys := range p.systems {
			if sys.name == name {
				return sys
			}
		}
	}
	return nil
}
