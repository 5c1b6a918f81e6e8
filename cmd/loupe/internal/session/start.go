package session

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/loupe-ecs/loupe/cmd/loupe/internal/launch"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/discovery"
)

// Took is how long the parts of a start or a restart took, in milliseconds.
type Took struct {
	Build float64 `json:"buildMs" jsonschema:"building the program" debug:"unit=ms"`
	Save  float64 `json:"saveMs,omitempty" jsonschema:"saving the world" debug:"unit=ms"`
	Stop  float64 `json:"stopMs,omitempty" jsonschema:"ending the old process" debug:"unit=ms"`
	Start float64 `json:"startMs" jsonschema:"from the new process to the game's first Poll" debug:"unit=ms"`
	Load  float64 `json:"loadMs,omitempty" jsonschema:"putting the world back" debug:"unit=ms"`
}

func ms(since time.Time) float64 { return float64(time.Since(since).Microseconds()) / 1000 }

// errNoStart refuses where nothing may be started.
var errNoStart = &refusal.Error{Code: refusal.NotSupported, Message: "this bridge starts nothing: it was run with -no-start",
	Hint: "start the game where you usually do, and session_list finds it"}

// Start builds and runs a program and waits until it listens. say, if it is not
// nil, hears what is being done.
func (t *Table) Start(ctx context.Context, spec launch.Spec, wait time.Duration, say func(string)) (*Session, Took, error) {
	var took Took
	if t.o.Root == "" {
		return nil, took, errNoStart
	}
	if err := spec.Check(t.o.Root); err != nil {
		return nil, took, err
	}
	t.mu.Lock()
	s := &Session{ID: t.freeID(spec.Name(), 0), t: t, spec: spec, phase: Building, output: launch.NewOutput()}
	t.all = append(t.all, s)
	t.mu.Unlock()
	s.busy.Lock()
	defer s.busy.Unlock()
	exe, err := s.build(ctx, &took, say)
	if err != nil {
		t.forget(s)
		return nil, took, err
	}
	if err := s.run(ctx, exe, wait, &took, say); err != nil {
		if !s.alive() {
			t.forget(s)
		}
		return nil, took, err
	}
	t.Use(s)
	return s, took, nil
}

func (s *Session) alive() bool {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	return s.proc != nil
}

func (t *Table) forget(s *Session) {
	t.mu.Lock()
	for i, x := range t.all {
		if x == s {
			t.all = append(t.all[:i:i], t.all[i+1:]...)
			break
		}
	}
	t.mu.Unlock()
}

func tell(say func(string), format string, args ...any) {
	if say != nil {
		say(fmt.Sprintf(format, args...))
	}
}

// build makes the session's next program. What runs is left alone.
func (s *Session) build(ctx context.Context, took *Took, say func(string)) (exe string, err error) {
	tell(say, "building %s in %s", s.spec.Package, s.spec.Dir)
	begin := time.Now()
	if exe, err = s.prepare(); err != nil {
		return "", err
	}
	err = launch.Build(ctx, s.spec, exe)
	took.Build = ms(begin)
	var failed *launch.BuildError
	switch {
	case errors.As(err, &failed):
		dropBuild(exe)
		return "", &refusal.Error{Code: refusal.BuildFailed, Message: failed.Error(), Hint: "repair what buildErrors names and call again; what ran before runs on",
			Extra: map[string]any{"buildErrors": failed.Diagnostics}}
	case err != nil:
		dropBuild(exe)
		return "", err
	}
	return exe, nil
}

// lastLines is how much of what a program printed comes with its failure.
const lastLines = 40

// run starts a program that was built, and waits until it listens.
func (s *Session) run(ctx context.Context, exe string, wait time.Duration, took *Took, say func(string)) error {
	t := s.t
	tell(say, "starting %s", s.spec.Name())
	begin := time.Now()
	from := s.output.Last()
	t.mu.Lock()
	if t.over {
		t.mu.Unlock()
		return &refusal.Error{Code: refusal.Closed, Message: "the bridge is ending"}
	}
	t.mu.Unlock()
	p, err := launch.Start(exe, s.spec, launch.Options{Output: s.output, Stay: t.o.Stay})
	if err != nil {
		dropBuild(exe)
		return &refusal.Error{Code: refusal.Failed, Message: err.Error()}
	}
	t.mu.Lock()
	old := s.exe
	s.exe, s.proc, s.exit, s.phase = exe, p, nil, Launching
	over := t.over
	t.mu.Unlock()
	if over { // Close has come between
		p.Stop(0)
	}
	dropBuild(old)
	go t.ended(s, p)
	e, err := s.listening(ctx, p, from, wait)
	if err != nil {
		select {
		case <-p.Done():
			s.end(p, 0) // it is known to have ended when the caller hears of it
		default:
		}
		return err
	}
	t.mu.Lock()
	if s.proc == p {
		s.entry, s.phase = e, Running
	}
	t.mu.Unlock()
	s.polling(ctx, p, time.Until(begin.Add(wait)))
	took.Start = ms(begin)
	t.changed()
	return nil
}

// polling waits, not for ever, until the game has polled once: what it binds, it
// has bound then.
func (s *Session) polling(ctx context.Context, p *launch.Process, wait time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, max(min(wait, firstPoll), time.Second))
	defer cancel()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for s.state(ctx) == string(refusal.Starting) {
		select {
		case <-tick.C:
		case <-p.Done():
			return
		case <-ctx.Done():
			return
		}
	}
}

// firstPoll bounds the wait for a game that listens long before its loop begins.
const firstPoll = 5 * time.Second

var announced = regexp.MustCompile(`http://(?:127\.0\.0\.1|localhost|\[::1\]):\d+/mcp`)

// lookEvery is how often the announcement of a new process is looked for.
const lookEvery = 4 * time.Millisecond

// listening waits for the process's server: by its announcement, or by a line
// with its address, of a game that wants none.
func (s *Session) listening(ctx context.Context, p *launch.Process, from uint64, wait time.Duration) (discovery.Entry, error) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	late := time.NewTimer(wait)
	defer late.Stop()
	said := discovery.Entry{PID: p.PID, Dir: s.spec.Dir, StartedAt: time.Now()}
	grace := 10 // looks after the line: the announcement comes before it
	for {
		for _, e := range discovery.List() {
			if e.PID == p.PID {
				return e, nil
			}
		}
		if said.URL == "" {
			lines, _ := s.output.After(from, 200)
			for _, l := range lines {
				from = l.N
				if said.URL == "" {
					said.URL = announced.FindString(l.Text)
				}
			}
		} else if grace--; grace == 0 {
			return said, nil
		}
		select {
		case <-tick.C:
		case <-p.Done():
			e := p.Exit()
			return said, &refusal.Error{Code: refusal.Failed, Message: fmt.Sprintf("the program ended (%s) before it listened", e),
				Hint: "output holds what it printed last", Extra: map[string]any{"exit": e, "output": s.lastOutput()}}
		case <-late.C:
			return said, &refusal.Error{Code: refusal.Timeout, Message: fmt.Sprintf("the program runs (pid %d) and did not listen within %v", p.PID, wait),
				Hint: "it calls mcpdebug.Listen? session_log shows what it prints; it is found as soon as it listens; session_stop ends it",
				Next: "session_log", Extra: map[string]any{"session": s.ID, "pid": p.PID, "output": s.lastOutput()}}
		case <-ctx.Done():
			return said, ctx.Err()
		}
	}
}

func (s *Session) lastOutput() []string {
	lines, _ := s.output.After(0, lastLines)
	text := make([]string, 0, len(lines))
	for _, l := range lines {
		text = append(text, l.Text)
	}
	return text
}

// Stop ends the session's process.
func (s *Session) Stop(grace time.Duration) (launch.Exit, error) {
	if !s.Own() {
		return launch.Exit{}, s.foreign("stopped")
	}
	s.busy.Lock()
	defer s.busy.Unlock()
	s.t.mu.Lock()
	p := s.proc
	s.t.mu.Unlock()
	if p == nil {
		return launch.Exit{}, &refusal.Error{Code: refusal.NotRunning, Got: s.ID, Message: fmt.Sprintf("the game of session %s does not run%s", s.ID, s.how())}
	}
	e := s.end(p, grace)
	s.t.changed()
	return e, nil
}

// end stops a process and takes notice at once.
func (s *Session) end(p *launch.Process, grace time.Duration) launch.Exit {
	e := p.Stop(grace)
	s.t.mu.Lock()
	if s.proc == p {
		s.exit, s.proc, s.phase = &e, nil, Exited
		s.hangUp()
	}
	s.t.mu.Unlock()
	return e
}

func (s *Session) foreign(what string) error {
	return &refusal.Error{Code: refusal.NotSupported, Got: s.ID, Message: fmt.Sprintf("session %s was not started by this bridge, so it is not %s by it", s.ID, what),
		Hint: "stop it where it was started, or start a game of your own with session_start", Next: "session_start"}
}
