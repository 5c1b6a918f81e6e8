package profiling

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"

	"github.com/google/pprof/profile"
)

// Kind is what a session samples.
type Kind string

// The kinds of session.
const (
	CPU   Kind = "cpu"
	Block Kind = "block"
	Mutex Kind = "mutex"
)

// MaxDuration ends a forgotten session.
const MaxDuration = 60 * time.Second

// The refusals of sessions.
var (
	ErrRunning    = errors.New("a profile session is running already")
	ErrInUse      = errors.New("somebody else runs a CPU profile in this process")
	ErrNotRunning = errors.New("no profile session is running")
)

// Recording is a finished session.
type Recording struct {
	Kind     Kind
	System   string // narrowed to this system's samples
	Started  time.Time
	Duration time.Duration
	Limited  bool // ended by MaxDuration
	Profile  *profile.Profile
}

// Sessions is the process's profile session: at most one at a time. The zero
// value is ready.
type Sessions struct {
	mu      sync.Mutex
	current *session
	done    *Recording // finished, not taken yet
}

type session struct {
	kind    Kind
	system  string
	started time.Time
	timer   *time.Timer
	buf     bytes.Buffer     // cpu
	base    *profile.Profile // block, mutex: what was there before
	restore func()
}

// startCPU is replaced in tests.
var startCPU = pprof.StartCPUProfile

// Start begins a session and returns its start time. A finished recording that
// nobody took is dropped.
func (s *Sessions) Start(kind Kind, system string) (time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil {
		return s.current.started, ErrRunning
	}
	n := &session{kind: kind, system: system, started: time.Now(), restore: func() {}}
	switch kind {
	case CPU:
		if err := startCPU(&n.buf); err != nil {
			return time.Time{}, fmt.Errorf("%w: %v", ErrInUse, err)
		}
	case Block:
		var err error
		if n.base, err = lookup("block"); err != nil {
			return time.Time{}, err
		}
		// There is no getter for the block rate: a rate that the game had set
		// itself ends with the session.
		runtime.SetBlockProfileRate(int(10 * time.Microsecond))
		n.restore = func() { runtime.SetBlockProfileRate(0) }
	case Mutex:
		var err error
		if n.base, err = lookup("mutex"); err != nil {
			return time.Time{}, err
		}
		before := runtime.SetMutexProfileFraction(1)
		n.restore = func() { runtime.SetMutexProfileFraction(before) }
	default:
		return time.Time{}, fmt.Errorf("unknown kind of profile %q", kind)
	}
	s.done = nil
	s.current = n
	n.timer = time.AfterFunc(MaxDuration, func() { s.expire(n) })
	return n.started, nil
}

// Running describes the session under way.
func (s *Sessions) Running() (kind Kind, since time.Time, running bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return "", time.Time{}, false
	}
	return s.current.kind, s.current.started, true
}

func (s *Sessions) expire(n *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != n {
		return
	}
	if r, err := s.finish(); err == nil {
		r.Limited = true
	}
}

// Stop ends the session, or returns one that ended by itself or that [Sessions.Keep]
// gave back. The recording is handed out once.
func (s *Sessions) Stop() (*Recording, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil {
		if _, err := s.finish(); err != nil {
			return nil, err
		}
	}
	if s.done == nil {
		return nil, ErrNotRunning
	}
	r := s.done
	s.done = nil
	return r, nil
}

// Keep takes a recording back that could not be written, for another Stop. A
// session that was started meanwhile wins.
func (s *Sessions) Keep(r *Recording) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil && s.done == nil {
		s.done = r
	}
}

// Abandon ends a session without a result, when the server closes.
func (s *Sessions) Abandon() {
	_, _ = s.Stop()
}

func (s *Sessions) finish() (*Recording, error) {
	n := s.current
	s.current = nil
	n.timer.Stop()
	r := &Recording{Kind: n.kind, System: n.system, Started: n.started}
	var err error
	if n.kind == CPU {
		pprof.StopCPUProfile()
		r.Duration = time.Since(n.started)
		r.Profile, err = profile.ParseData(n.buf.Bytes())
	} else {
		r.Duration = time.Since(n.started)
		r.Profile, err = lookup(string(n.kind))
		n.restore()
		if err == nil {
			r.Profile, err = since(n.base, r.Profile)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the profile cannot be read: %w", err)
	}
	if n.system != "" {
		r.Profile.Sample = bySystemLabel(r.Profile.Sample, n.system)
		r.Profile = r.Profile.Compact()
	}
	s.done = r
	return r, nil
}

func lookup(name string) (*profile.Profile, error) {
	var b bytes.Buffer
	if err := pprof.Lookup(name).WriteTo(&b, 0); err != nil {
		return nil, err
	}
	return profile.ParseData(b.Bytes())
}

// since subtracts an earlier state of an accumulating profile.
func since(base, now *profile.Profile) (*profile.Profile, error) {
	if len(base.Sample) == 0 {
		return now, nil
	}
	base = base.Copy()
	base.Scale(-1)
	return profile.Merge([]*profile.Profile{base, now})
}

func bySystemLabel(samples []*profile.Sample, system string) []*profile.Sample {
	var kept []*profile.Sample
	for _, s := range samples {
		if len(s.Label[SystemLabel]) > 0 && s.Label[SystemLabel][0] == system {
			kept = append(kept, s)
		}
	}
	return kept
}
