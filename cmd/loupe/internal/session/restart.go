package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/snapshot"
)

// Kept is what became of the world over a restart.
type Kept struct {
	World      bool                  `json:"worldKept" jsonschema:"whether the world is as it was"`
	Projected  []snapshot.Projection `json:"projected,omitempty" jsonschema:"fields that were added, dropped or converted because their types have changed"`
	Skipped    []snapshot.Skip       `json:"skipped,omitempty" jsonschema:"what the file could not hold or the new build does not know"`
	NotCarried []string              `json:"notCarried,omitempty" jsonschema:"what is not as it was, and why"`
}

// snapshotName is the file that carries a world from one process to the next.
const snapshotName = "loupe-restart"

// Restart builds the program again, and where that succeeds ends the old process
// and starts the new one. With keepWorld the world goes along, as far as its
// types still fit, and so do the clock, the states and the recording.
func (s *Session) Restart(ctx context.Context, keepWorld bool, wait time.Duration, say func(string)) (took Took, kept Kept, err error) {
	if !s.Own() {
		return took, kept, s.foreign("restarted")
	}
	s.busy.Lock()
	defer s.busy.Unlock()
	exe, err := s.build(ctx, &took, say)
	if err != nil {
		return took, kept, err
	}
	var c *carried
	s.t.mu.Lock()
	p := s.proc
	_, listens := s.process()
	s.t.mu.Unlock()
	switch {
	case !keepWorld:
	case !listens:
		kept.lost("the world: no process ran that could have saved it")
	default:
		tell(say, "saving the world")
		begin := time.Now()
		c = s.takeDown(ctx, &kept)
		took.Save = ms(begin)
	}
	if p != nil {
		tell(say, "ending the old process")
		begin := time.Now()
		s.end(p, stopGrace)
		took.Stop = ms(begin)
	}
	if err := s.run(ctx, exe, wait, &took, say); err != nil {
		return took, kept, err
	}
	if c != nil {
		tell(say, "putting the world back")
		begin := time.Now()
		s.putBack(ctx, c, &kept)
		took.Load = ms(begin)
	}
	s.t.Use(s)
	return took, kept, nil
}

func (k *Kept) lost(format string, args ...any) {
	k.NotCarried = append(k.NotCarried, fmt.Sprintf(format, args...))
}

// carried is what a process hands to the next beside its world's file.
type carried struct {
	saved  bool
	clock  *clock
	states []string
	record *recording
}

type clock struct {
	Paused bool    `json:"paused"`
	Scale  float64 `json:"scale"`
}

type recording struct {
	Recording bool `json:"recording"`
	Every     int  `json:"every"`
	MemoryMB  int  `json:"memoryMB"`
}

type stack struct {
	Stack []string `json:"stack"`
}

// ownCall bounds each call that a restart makes itself.
const ownCall = 20 * time.Second

// ask calls a tool of the game; a game that has no such tool answers false.
func (s *Session) ask(ctx context.Context, tool string, arguments, out any) (there bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, ownCall)
	defer cancel()
	err = s.call().Call(ctx, tool, arguments, out)
	var refused *refusal.Error
	if err != nil && !errors.As(err, &refused) && ctx.Err() == nil {
		return false, nil // an unknown tool is a protocol error
	}
	return true, err
}

type none struct{}

func (s *Session) takeDown(ctx context.Context, kept *Kept) *carried {
	c := &carried{}
	var cl clock
	if there, err := s.ask(ctx, "clock_info", none{}, &cl); there && err == nil {
		c.clock = &cl
	}
	var st stack
	if there, err := s.ask(ctx, "states_info", none{}, &st); there && err == nil {
		c.states = st.Stack
	}
	var rec recording
	if there, err := s.ask(ctx, "record_info", none{}, &rec); there && err == nil && rec.Recording {
		c.record = &rec
	}
	var watches struct {
		Watches []struct{ What string } `json:"watches"`
	}
	if there, err := s.ask(ctx, "watch_list", none{}, &watches); there && err == nil {
		for _, w := range watches.Watches {
			kept.lost("the watch on %s: watch_add puts it back", w.What)
		}
	}
	there, err := s.ask(ctx, "snapshot_save", map[string]any{"name": snapshotName}, nil)
	switch {
	case err != nil:
		kept.lost("the world: %v", err)
	case !there:
		kept.lost("the world: the game has no snapshots")
	}
	c.saved = there && err == nil
	return c
}

// bindWait bounds the wait for a new process to bind its world; bindLook is how
// often it is asked.
const (
	bindWait = 10 * time.Second
	bindLook = 2 * time.Millisecond
)

func (s *Session) putBack(ctx context.Context, c *carried, kept *Kept) {
	if c.saved {
		s.loadWorld(ctx, kept)
	}
	if c.states != nil {
		if err := s.enterStates(ctx, c.states); err != nil {
			kept.lost("the states %v: %v", c.states, err)
		}
	}
	if c.record != nil {
		if _, err := s.ask(ctx, "record_start", map[string]any{"every": max(c.record.Every, 1), "memoryMB": max(c.record.MemoryMB, 8)}, nil); err != nil {
			kept.lost("the recording: %v", err)
		} else {
			kept.lost("the samples recorded so far: recording began anew")
		}
	}
	if c.clock != nil {
		var now clock
		if _, err := s.ask(ctx, "clock_info", none{}, &now); err == nil && now != *c.clock {
			change := map[string]any{"paused": c.clock.Paused}
			if now.Scale != c.clock.Scale && c.clock.Scale > 0 {
				change["scale"] = c.clock.Scale
			}
			if _, err := s.ask(ctx, "clock_set", change, nil); err != nil {
				kept.lost("the clock: %v", err)
			}
		}
	}
}

// loadWorld waits for the new process to have a world and puts the old one in
// its place.
func (s *Session) loadWorld(ctx context.Context, kept *Kept) {
	ctx, cancel := context.WithTimeout(ctx, bindWait)
	defer cancel()
	var loaded struct {
		Projected []snapshot.Projection `json:"projected"`
		Skipped   []snapshot.Skip       `json:"skipped"`
	}
	for {
		_, err := s.ask(ctx, "snapshot_load", map[string]any{"name": snapshotName, "allowUnknown": true}, &loaded)
		switch {
		case err == nil:
			kept.World, kept.Projected, kept.Skipped = true, loaded.Projected, loaded.Skipped
			return
		case ctx.Err() == nil && (errors.Is(err, refusal.Starting) || errors.Is(err, refusal.NoWorld)):
			timer := time.NewTimer(bindLook)
			select {
			case <-timer.C:
			case <-ctx.Done():
			}
		default:
			kept.lost("the world: %v", err)
			return
		}
	}
}

// enterStates makes the stack of states what it was.
func (s *Session) enterStates(ctx context.Context, want []string) error {
	var now stack
	if _, err := s.ask(ctx, "states_info", none{}, &now); err != nil {
		return err
	}
	same := 0
	for same < min(len(want), len(now.Stack)) && want[same] == now.Stack[same] {
		same++
	}
	for range now.Stack[same:] {
		if _, err := s.ask(ctx, "states_pop", none{}, nil); err != nil {
			return err
		}
	}
	for _, name := range want[same:] {
		if _, err := s.ask(ctx, "states_push", map[string]any{"name": name}, &now); err != nil {
			return err
		}
	}
	if same < len(want) && !slices.Equal(now.Stack, want) {
		return fmt.Errorf("they are %v now", now.Stack)
	}
	return nil
}
