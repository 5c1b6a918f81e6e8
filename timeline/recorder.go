package timeline

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Options say how to record. The zero value is the default.
type Options struct {
	// Every is how many ticks lie between samples, 1 to 600. Default 1.
	Every int
	// Memory bounds the recorded samples, in bytes. Default 256 MiB.
	Memory int64
	// Pin keeps what is recorded: when the memory is full recording ends. Default
	// false: the oldest samples are forgotten.
	Pin bool
}

// Defaults and limits of Options.
const (
	DefaultMemory = 256 << 20
	MaxEvery      = 600
)

func (o Options) orDefault() Options {
	if o.Every <= 0 {
		o.Every = 1
	}
	o.Every = min(o.Every, MaxEvery)
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	return o
}

// Recorder records one game's world. Methods are for any goroutine, except those
// that say frame goroutine.
type Recorder struct {
	log  *slog.Logger
	ring ring

	// Frame goroutine.
	world ecs.World
	app   *host.App
	run   *run // nil: not recording
	types *ecs.Catalog
	seq   uint64
	last  Ref     // the last sample; Seq 0: none
	owed  string  // the cause of a sample that was left out
	lost  bool    // the next sample begins after a gap
	fork  *branch // the next sample begins a branch

	busy    atomic.Bool   // recording
	now     atomic.Uint64 // tick of the live world
	taken   atomic.Uint64 // Seq of the last sample
	every   atomic.Int32  // in force
	want    atomic.Int32  // asked for
	dropped atomic.Int64  // samples that were due while packing was behind
	handled atomic.Uint64 // Seq of the last that the packer is done with
	times   times

	mu      sync.Mutex
	marks   marks
	stopped string        // why recording ended by itself
	present *Present      // nil: the live world is no past one
	next    chan struct{} // closed and renewed when a sample has been packed
	closed  chan struct{}
	close   sync.Once
}

// NewRecorder makes a recorder that does not record yet. log nil is silent.
func NewRecorder(log *slog.Logger) *Recorder {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	r := &Recorder{log: log, next: make(chan struct{}), closed: make(chan struct{})}
	r.ring.branches = []branch{{parent: -1}}
	return r
}

// LogTo has the recorder log elsewhere. Frame goroutine, while it does not
// record.
func (r *Recorder) LogTo(log *slog.Logger) {
	if r.run == nil {
		r.log = log
	}
}

// run is one goroutine's life.
type run struct {
	restorer ecs.Restorer
	shots    [maxShots]shot
	size     atomic.Int64 // of a capture, about
	full     chan *shot
	done     chan struct{}
	failed   atomic.Pointer[string] // the packer's reason to end
	behind   int                    // due samples in a row that found no shot
	calm     int                    // samples in a row that the packer was idle for
}

// Bind tells which world to record from now on; nil none. Samples of another
// world stay readable. Frame goroutine.
func (r *Recorder) Bind(w ecs.World, app *host.App) {
	if w == r.world && app == r.app {
		return
	}
	another := w != r.world
	r.world, r.app = w, app
	if !another {
		return
	}
	r.types = nil
	recording := r.run != nil
	r.end()
	if r.last.Seq > 0 {
		r.last = Ref{Branch: r.ring.fork(branch{parent: -1}), Seq: r.seq}
		r.lost = true
	}
	r.mu.Lock()
	r.present = nil
	r.mu.Unlock()
	if recording && w != nil {
		if err := r.begin(r.last.Frame); err != nil {
			r.fail(err.Error())
		}
	}
}

// Start begins to record, or changes how, keeping what is recorded. It refuses a
// world that cannot be captured and a memory that does not hold a sample of it.
// frame is the host frame. Frame goroutine.
func (r *Recorder) Start(o Options, frame uint64) error {
	o = o.orDefault()
	if r.world == nil {
		return &refusal.Error{Code: refusal.NoWorld, Message: "there is no world to record: the game has bound none", Next: "context"}
	}
	if need := r.sampleSize(); 2*need > o.Memory {
		return tooSmall(need, o.Memory)
	}
	r.ring.limit.Store(o.Memory)
	r.ring.pinned.Store(o.Pin)
	r.every.Store(int32(o.Every))
	r.want.Store(int32(o.Every))
	if r.run != nil {
		return nil
	}
	return r.begin(frame)
}

// sampleSize is what a keyframe of the world takes.
func (r *Recorder) sampleSize() (n int64) {
	cat := r.world.Catalog()
	for i := range cat.Archetypes {
		n += int64(cat.Archetypes[i].Entities) * int64(cat.Archetypes[i].BytesPerEntity)
	}
	return n + int64(cat.Entities.Total)*8
}

func tooSmall(need, memory int64) *refusal.Error {
	least := (2*need)>>20 + 1
	return &refusal.Error{Code: refusal.TooLarge, Got: fmt.Sprintf("%.1f MiB", float64(memory)/(1<<20)), Want: fmt.Sprintf("at least %d MiB", least),
		Message: fmt.Sprintf("one sample of this world takes %.1f MiB: %.1f MiB are too little to record it", float64(need)/(1<<20), float64(memory)/(1<<20)),
		Hint:    fmt.Sprintf(`record_start {"memoryMB":%d} or more`, max(least, 8)), Next: "record_start"}
}

func (r *Recorder) begin(frame uint64) error {
	restorer, ok := r.world.(ecs.Restorer)
	if !ok {
		return &refusal.Error{Code: refusal.NotSupported, Message: "this world cannot be recorded: its adapter does not implement ecs.Restorer",
			Hint: "capabilities tells what the engine's adapter can do", Next: "capabilities"}
	}
	run := &run{restorer: restorer, full: make(chan *shot, maxShots), done: make(chan struct{})}
	r.run = run
	r.mu.Lock()
	r.stopped = ""
	r.mu.Unlock()
	r.lost = r.lost || r.last.Seq > 0
	go r.pack(run)
	cause := ""
	if r.lost {
		cause = CauseStart
	}
	if err := r.take(r.clock(frame), frame, cause); err != nil {
		r.end()
		return err
	}
	r.busy.Store(true)
	return nil
}

// Stop ends recording. What is recorded stays, unless it is to be discarded.
// Frame goroutine.
func (r *Recorder) Stop(discard bool) {
	r.end()
	if !discard {
		return
	}
	r.ring.clear()
	r.mu.Lock()
	r.marks, r.present = marks{}, nil
	r.mu.Unlock()
	r.last, r.lost = Ref{Seq: r.seq}, false
}

func (r *Recorder) end() {
	if r.run == nil {
		return
	}
	close(r.run.full)
	r.run = nil
	r.busy.Store(false)
}

// fail ends recording for a reason that is not a client's.
func (r *Recorder) fail(why string) {
	r.end()
	r.mu.Lock()
	r.stopped = why
	r.mu.Unlock()
	r.log.Info("recording has ended", "reason", why)
	r.Mark(Mark{Tick: r.now.Load(), Kind: MarkRecord, Text: "recording has ended: " + why})
}

// Close ends the packer for good; what is packed stays readable. Any goroutine.
func (r *Recorder) Close() {
	r.close.Do(func() { close(r.closed) })
	r.busy.Store(false)
}

// Recording reports whether samples are being taken.
func (r *Recorder) Recording() bool { return r.busy.Load() }

// clock is the live world's tick: the host's, or else the frame.
func (r *Recorder) clock(frame uint64) uint64 {
	if r.app != nil && r.app.Clock != nil {
		return r.app.Clock.Info().Tick
	}
	return frame
}

// EndTick takes a sample if one is due: a tick has ended since the last. Frame
// goroutine, between ticks.
func (r *Recorder) EndTick(frame uint64) {
	run := r.run
	if run == nil {
		return
	}
	if why := run.failed.Load(); why != nil {
		r.fail(*why)
		return
	}
	tick := r.clock(frame)
	r.now.Store(tick)
	if tick == r.last.Tick {
		return
	}
	if tick > r.last.Tick && tick-r.last.Tick < uint64(r.every.Load()) {
		return
	}
	r.sample(tick, frame, "")
}

// Touched takes a sample at once: something has changed the world beside its
// ticks, and cause says what. Frame goroutine.
func (r *Recorder) Touched(frame uint64, cause string) {
	if r.run == nil {
		return
	}
	tick := r.clock(frame)
	r.now.Store(tick)
	r.sample(tick, frame, cause)
}

func (r *Recorder) sample(tick, frame uint64, cause string) {
	if err := r.take(tick, frame, cause); err != nil {
		r.fail(err.Error())
	}
}

// take copies the world for the packer. If none of the packer's turns is over
// the sample is left out: the frame never waits.
func (r *Recorder) take(tick, frame uint64, cause string) error {
	run := r.run
	s, idle := run.freeShot()
	if s == nil {
		r.slower(tick)
		if cause != "" {
			r.owed = cause // the next sample tells what this one would have
		}
		return nil
	}
	if cause == "" {
		cause = r.owed
	}
	r.owed = ""
	r.now.Store(tick)
	start := time.Now()
	if err := r.capture(s); err != nil {
		return err
	}
	if r.last.Seq > 0 && tick < r.last.Tick && r.fork == nil {
		// The world has gone back: what comes now is another line.
		r.fork = &branch{parent: r.last.Branch, seq: r.last.Seq}
		if tick > 0 {
			r.fork.tick = tick - 1
		}
	}
	if r.fork != nil {
		r.last.Branch, r.fork = r.ring.fork(*r.fork), nil
	}
	r.seq++
	s.Ref = Ref{Seq: r.seq, Tick: tick, Frame: frame, Branch: r.last.Branch, Cause: cause}
	r.last, r.lost = s.Ref, false
	s.busy.Store(true)
	run.full <- s
	r.taken.Store(r.seq)
	r.faster(idle)
	r.times.add(time.Since(start))
	return nil
}

func (r *Recorder) capture(s *shot) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("capturing the world panicked: %v", p)
		}
	}()
	if err := r.run.restorer.Capture(&s.img); err != nil {
		return err
	}
	if !knows(r.types, &s.img) {
		r.types = r.world.Catalog()
	}
	s.types, s.locked = r.types, r.world.Locked()
	s.states, s.inputs = s.states[:0], nil
	if r.app == nil {
		return nil
	}
	if r.app.Snapshots != nil {
		for _, st := range r.app.Snapshots.States {
			data, err := st.Save()
			if err != nil {
				return fmt.Errorf("the host's state %q could not be saved: %w", st.Name(), err)
			}
			s.states = append(s.states, State{Name: st.Name(), Version: st.Version(), Data: data})
		}
	}
	if r.app.Inputs != nil {
		s.inputs = r.app.Inputs.TickInputs()
	}
	return nil
}

// slower lets more ticks pass between samples when packing cannot keep up.
func (r *Recorder) slower(tick uint64) {
	r.dropped.Add(1)
	r.run.calm = 0
	if r.run.behind++; r.run.behind < 3 {
		return
	}
	r.run.behind = 0
	if every := r.every.Load(); every < MaxEvery {
		every = min(2*every, MaxEvery)
		r.every.Store(every)
		r.log.Info("recording cannot keep up: samples are taken less often", "every", every, "tick", tick)
		r.Mark(Mark{Tick: tick, Kind: MarkRecord, Text: fmt.Sprintf("packing cannot keep up: a sample every %d ticks", every)})
	}
}

// calmSamples is for how many samples in a row the packer must have been idle.
const calmSamples = 30

// faster goes back to what was asked for once the packer has been idle for a while.
func (r *Recorder) faster(idle bool) {
	r.run.behind = 0
	if r.run.calm++; !idle {
		r.run.calm = 0
	}
	if every, want := r.every.Load(), r.want.Load(); every > want && r.run.calm >= calmSamples {
		r.run.calm = 0
		r.every.Store(max(every/2, want))
	}
}

// pack is the goroutine of a run.
func (r *Recorder) pack(run *run) {
	defer close(run.done)
	p := &packer{ring: &r.ring}
	for {
		var s *shot
		select {
		case s = <-run.full:
		case <-r.closed:
		}
		if s == nil {
			return
		}
		if run.failed.Load() == nil {
			if why := r.packOne(run, p, s); why != "" {
				run.failed.Store(&why)
			}
		}
		seq := s.Seq
		s.busy.Store(false) // before it is told: who waits for it may capture again
		r.handled.Store(seq)
		r.packed()
	}
}

func (r *Recorder) packOne(run *run, p *packer, s *shot) (failed string) {
	defer func() {
		if v := recover(); v != nil {
			failed = fmt.Sprintf("packing a sample panicked: %v", v)
			r.log.Error("packing a sample panicked", "panic", fmt.Sprint(v))
		}
	}()
	p.pack(s)
	run.size.Store(p.raw)
	need, most := p.seg.keyBytes(), r.ring.most()
	switch {
	case need > most/2:
		return tooSmall(need, most).Message
	case r.ring.full():
		return fmt.Sprintf("the memory of %d MiB is full, and pin keeps what is recorded", most>>20)
	}
	return ""
}

func (r *Recorder) packed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.next)
	r.next = make(chan struct{})
}

// Flush waits until what was captured before the call has been packed.
func (r *Recorder) Flush(ctx context.Context) {
	want := r.taken.Load()
	for {
		r.mu.Lock()
		next := r.next
		r.mu.Unlock()
		if r.handled.Load() >= want {
			return
		}
		select {
		case <-next:
		case <-r.closed:
			return
		case <-ctx.Done():
			return
		}
	}
}
