package session

import (
	"context"
	"sync"
	"time"

	"github.com/loupe-ecs/loupe/cmd/loupe/internal/launch"
	"github.com/loupe-ecs/loupe/internal/discovery"
)

// Row is a session as listings show it.
type Row struct {
	ID        string          `json:"id" jsonschema:"names the session, over all its processes"`
	App       string          `json:"app" jsonschema:"the game's own name"`
	PID       int             `json:"pid" jsonschema:"number of its process; 0 if none runs"`
	URL       string          `json:"url" jsonschema:"where it listens; empty if it does not"`
	Build     discovery.Build `json:"build" jsonschema:"which program it is"`
	State     string          `json:"state" jsonschema:"running, starting, parked, crashed or stalled, as the game says; else building, launching, exited or unreachable"`
	Dir       string          `json:"dir" jsonschema:"its working directory"`
	StartedAt string          `json:"startedAt,omitempty" jsonschema:"when it began to listen, RFC 3339"`
	InUse     bool            `json:"inUse" jsonschema:"calls go to it"`
	Own       bool            `json:"own" jsonschema:"started by this bridge, which can stop and restart it"`
	Token     bool            `json:"token,omitempty" jsonschema:"it asks for a token (LOUPE_TOKEN)"`
	Exit      *launch.Exit    `json:"exit,omitempty" jsonschema:"how its last process ended"`
}

// stateWait bounds the question how a game is: ping answers off the frame.
const stateWait = 300 * time.Millisecond

// Row describes one session.
func (s *Session) Row(ctx context.Context) Row {
	s.t.mu.Lock()
	r := Row{ID: s.ID, App: s.app(), State: s.phase, Dir: s.spec.Dir, InUse: s.t.used == s, Own: s.Own(), Exit: s.exit, Build: s.entry.Build}
	if s.proc != nil {
		r.PID = s.proc.PID
	}
	if _, ok := s.process(); ok {
		r.PID, r.URL, r.Dir, r.Token = s.entry.PID, s.entry.URL, s.entry.Dir, s.entry.Token
		r.StartedAt = s.entry.StartedAt.Format(time.RFC3339)
	}
	s.t.mu.Unlock()
	if r.State == Running {
		r.State = s.state(ctx)
	}
	return r
}

func (s *Session) state(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, stateWait)
	defer cancel()
	var pong struct {
		State string `json:"state"`
	}
	if err := s.call().Call(ctx, "ping", none{}, &pong); err != nil || pong.State == "" {
		return Unreachable
	}
	return pong.State
}

// Rows describes all sessions; the games are asked at once.
func (t *Table) Rows(ctx context.Context) []Row {
	t.Refresh()
	_, _ = t.Current() // the only one is in use
	all := t.Sessions()
	rows := make([]Row, len(all))
	var wait sync.WaitGroup
	for i, s := range all {
		wait.Go(func() { rows[i] = s.Row(ctx) })
	}
	wait.Wait()
	return rows
}
