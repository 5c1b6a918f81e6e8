package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/loupe-ecs/loupe/cmd/loupe/internal/launch"
	"github.com/loupe-ecs/loupe/cmd/loupe/internal/wire"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/discovery"
)

// Options configures a table.
type Options struct {
	// Root is the directory in which games may be started. Default "": none may.
	Root string
	// Token lets in where a game asks for one.
	Token string
	// Stay lets started games run on after Close.
	Stay bool
	// Changed is called, without locks, when the session in use, its process or
	// the list of sessions has changed. Default nil.
	Changed func()
}

// Table is the list of sessions and which of them is in use.
type Table struct {
	o  Options
	mu sync.Mutex

	all  []*Session
	used *Session
	dir  string // for programs; made when first needed
	over bool
}

// New makes a table and looks for games.
func New(o Options) *Table {
	t := &Table{o: o}
	t.Refresh()
	return t
}

func (t *Table) target(e discovery.Entry) wire.Target {
	target := wire.Target{URL: e.URL}
	if e.Token {
		target.Token = t.o.Token
	}
	return target
}

// Target is how to reach a process.
func (t *Table) Target(p Process) wire.Target {
	return t.target(discovery.Entry{URL: p.URL, Token: p.Token})
}

func (t *Table) scratch(id string, take int) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dir == "" {
		dir, err := os.MkdirTemp("", "loupe-builds-")
		if err != nil {
			return "", err
		}
		t.dir = dir
	}
	path := filepath.Join(t.dir, id+"."+strconv.Itoa(take))
	return path, os.MkdirAll(path, 0o700)
}

// Refresh looks for games that came and went.
func (t *Table) Refresh() {
	found := discovery.List()
	t.mu.Lock()
	changed := t.merge(found)
	t.mu.Unlock()
	if changed {
		t.changed()
	}
}

func (t *Table) changed() {
	if t.o.Changed != nil {
		t.o.Changed()
	}
}

func (t *Table) merge(found []discovery.Entry) (changed bool) {
	known := map[string]bool{}
	for _, s := range t.all {
		i := slices.IndexFunc(found, func(e discovery.Entry) bool { return s.has(e) })
		switch {
		case i >= 0:
			known[found[i].URL] = true
			if s.phase == Launching || s.phase == Running && s.entry != found[i] {
				changed = changed || s.phase == Launching || s.entry.App != found[i].App
				s.entry, s.phase = found[i], Running
			}
		case s.phase == Running && !s.Own():
			s.phase, changed = Exited, true
			s.hangUp()
		}
	}
	for _, e := range found {
		if known[e.URL] || e.PID == os.Getpid() {
			continue
		}
		changed = true
		t.all = append(t.all, &Session{ID: t.freeID(e.App, e.PID), t: t, entry: e, phase: Running})
	}
	if t.takeOver() {
		changed = true
	}
	// Of those that others started, only what is in use is kept after its end.
	t.all = slices.DeleteFunc(t.all, func(s *Session) bool { return !s.Own() && s.phase == Exited && s != t.used })
	return changed
}

// takeOver lets a game that was in use and was started again by hand go on as the
// session that it was. It is known by its app's name, which a game tells a moment
// after its address.
func (t *Table) takeOver() bool {
	u := t.used
	if u == nil || u.Own() || u.phase != Exited {
		return false
	}
	for i, s := range t.all {
		if s != u && !s.Own() && s.phase == Running && s.entry.App == u.entry.App && s.entry.Dir == u.entry.Dir && s.entry.Build.Package == u.entry.Build.Package {
			u.entry, u.phase = s.entry, Running
			s.hangUp()
			t.all = append(t.all[:i:i], t.all[i+1:]...)
			return true
		}
	}
	return false
}

// has reports whether an entry is of the session's present process.
func (s *Session) has(e discovery.Entry) bool {
	if s.proc != nil {
		return (s.phase == Running || s.phase == Launching) && s.proc.PID == e.PID
	}
	return s.phase == Running && s.entry.PID == e.PID && s.entry.Process == e.Process && s.entry.URL == e.URL
}

// freeID makes an id of an app's name, and of the process's number (0: count)
// where the name is taken.
func (t *Table) freeID(app string, pid int) string {
	base := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.' {
			return r
		}
		return '_'
	}, refusal.Cut(app, 40))
	if base == "" {
		base = "game"
	}
	id := base
	for n := 2; slices.ContainsFunc(t.all, func(s *Session) bool { return s.ID == id }); n++ {
		if id = fmt.Sprintf("%s-%d", base, n); pid != 0 && n == 2 {
			id = fmt.Sprintf("%s-%d", base, pid)
		}
	}
	return id
}

// Sessions returns all, in the order in which they came.
func (t *Table) Sessions() []*Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.all)
}

// Resolve finds a session by its id, process number, port, address, or by its
// app's name where one alone has it.
func (t *Table) Resolve(ref string) (*Session, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	match := func(is func(*Session) bool) (found []*Session) {
		for _, s := range t.all {
			if is(s) {
				found = append(found, s)
			}
		}
		return found
	}
	number, _ := strconv.Atoi(ref)
	for _, is := range []func(*Session) bool{
		func(s *Session) bool { return s.ID == ref },
		func(s *Session) bool { return number != 0 && s.phase == Running && s.entry.PID == number },
		func(s *Session) bool {
			return s.phase == Running && (s.entry.URL == ref || number != 0 && s.entry.Port() == number)
		},
		func(s *Session) bool { return strings.EqualFold(s.app(), ref) && s.phase != Exited },
		func(s *Session) bool { return strings.EqualFold(s.app(), ref) },
	} {
		switch found := match(is); len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			e := &refusal.Error{Code: refusal.InvalidArguments, Got: ref, Message: fmt.Sprintf("%d games are called %q: name one by its id", len(found), ref)}
			for _, s := range found {
				e.Options = append(e.Options, s.ID)
			}
			return nil, e
		}
	}
	var ids []string
	for _, s := range t.all {
		ids = append(ids, s.ID)
	}
	e := &refusal.Error{Code: refusal.NoSession, Got: ref, Options: refusal.Nearest(ref, ids), Total: len(ids), Next: "session_list",
		Message: fmt.Sprintf("there is no session %q", ref)}
	if len(ids) == 0 {
		e.Message, e.Next = "there is no session: no game runs", "session_start"
	}
	return nil, e
}

// Use makes a session the one that calls go to.
func (t *Table) Use(s *Session) {
	t.mu.Lock()
	changed := t.used != s
	t.used = s
	t.mu.Unlock()
	if changed {
		t.changed()
	}
}

// Current is the session that calls go to: the one chosen, or the only one. The
// error is a refusal that says what to do.
func (t *Table) Current() (*Session, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.used == nil {
		var running []*Session
		for _, s := range t.all {
			if s.phase == Running {
				running = append(running, s)
			}
		}
		switch len(running) {
		case 0:
		case 1:
			t.used = running[0]
		default:
			e := &refusal.Error{Code: refusal.NoSession, Next: "session_use",
				Message: fmt.Sprintf("%d games run and none is chosen: session_use chooses one, or give any call a session argument", len(running))}
			for _, s := range running {
				e.Options = append(e.Options, s.ID)
			}
			return nil, e
		}
	}
	if t.used == nil {
		e := &refusal.Error{Code: refusal.NoSession, Next: "session_start",
			Message: "no game runs: session_start builds and starts one, session_list shows what there is"}
		if t.o.Root == "" {
			e.Message, e.Next = "no game runs: start one, and it is found; session_list shows what there is", "session_list"
		}
		return nil, e
	}
	return t.used, t.used.ready()
}

// ready is a refusal if calls cannot go to the session. Table.mu is held.
func (s *Session) ready() error {
	switch s.phase {
	case Running:
		return nil
	case Exited:
		e := &refusal.Error{Code: refusal.NoSession, Got: s.ID, Next: "session_restart",
			Message: fmt.Sprintf("the game of session %s has ended%s", s.ID, s.how()),
			Hint:    "session_log shows what it printed last, session_restart starts it again, session_list shows what else runs"}
		if !s.Own() {
			e.Next, e.Hint = "session_list", "it was not started by this bridge: start it again where it was, and it is found; session_list shows what else runs"
		}
		return e
	}
	return &refusal.Error{Code: refusal.Starting, Got: s.ID, Next: "session_log",
		Message: fmt.Sprintf("the game of session %s is %s and does not listen yet", s.ID, s.phase),
		Hint:    "session_log shows what it prints; call again in a moment"}
}

func (s *Session) how() string {
	if s.exit == nil {
		return ""
	}
	return " (" + s.exit.String() + ")"
}

// Ready is a refusal if calls cannot go to the session.
func (s *Session) Ready() error {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	return s.ready()
}

// Close ends what was started, unless it may stay.
func (t *Table) Close() {
	t.mu.Lock()
	t.over = true
	all, dir := slices.Clone(t.all), t.dir
	t.mu.Unlock()
	var wait sync.WaitGroup
	for _, s := range all {
		t.mu.Lock()
		proc := s.proc
		s.hangUp()
		t.mu.Unlock()
		if proc != nil && !t.o.Stay {
			wait.Go(func() { proc.Stop(stopGrace) })
		}
	}
	wait.Wait()
	if dir != "" && !t.o.Stay {
		os.RemoveAll(dir)
	}
}

// started is called when a program of the session has ended.
func (t *Table) ended(s *Session, p *launch.Process) {
	e := p.Exit()
	t.mu.Lock()
	mine := s.proc == p
	if mine {
		s.exit, s.proc = &e, nil
		if s.phase != Building {
			s.phase = Exited
		}
		s.hangUp()
	}
	over := t.over
	t.mu.Unlock()
	s.output.Add("loupe", "the game has ended: "+e.String())
	if mine && !over {
		discovery.List() // takes away the file that a killed game leaves
		t.changed()
	}
}
