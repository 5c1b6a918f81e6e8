package hosttools

import (
	"fmt"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/surprise"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Clock are clock_info, clock_set and run_until; a call that waits for
// ticks answers before callTimeout is over.
func Clock(callTimeout time.Duration) []*tools.Tool {
	k := &clockTools{callTimeout: callTimeout}
	return tools.Family(tools.Spec{Group: "systems", NeedsApp: true},
		tools.New(tools.Spec{Name: "clock_info", Effect: tools.ReadOnly, Idempotent: true, Example: `{}`,
			Description: "How the game's time passes: tick, paused, speed."}, clockInfo),
		tools.NewPhased(tools.Spec{Name: "clock_set", Example: `{"step":1,"diff":true}`, Lasts: tools.LastsFrom("step", 60),
			Description: "Pauses, resumes, slows the game, or runs exactly so many ticks; diff: what they changed."},
			tools.Phases[clockSetArgs, *setting, *setting, clockSetResult]{Before: newSetting,
				Frame: func(f *tools.Frame, s *setting) (_ *setting, err error) {
					s.out, err = k.set(f, s)
					return s, err
				}, After: func(_ *tools.Call, s *setting) (clockSetResult, error) { return s.answer() }}),
		runUntilTool(k),
	)
}

// clockTools knows who drives the clock, so that two calls do not step it at
// once. All of it is the frame goroutine's.
type clockTools struct {
	callTimeout time.Duration
	step        *stepping
	run         *run
}

// A call whose frame part has returned ErrLater for more than idleFrames in
// which no tick ran gives up: the host holds its ticks for another reason.
const idleFrames = 120

// deadline leaves a call time to answer before the server gives it up. A lasting
// one has its client to end it.
func (k *clockTools) deadline(c *tools.Call) time.Time {
	if c.Lasting {
		return time.Now().Add(24 * time.Hour)
	}
	limit := k.callTimeout
	if limit <= 0 {
		limit = 30 * time.Second
	}
	return time.Now().Add(limit - min(limit/8, 2*time.Second))
}

type clockInfoResult struct {
	host.ClockInfo
	Held *host.Held `json:"held,omitempty" jsonschema:"why time stands still; absent while it passes"`
}

func clockInfo(f *tools.Frame, _ struct{}) (r clockInfoResult, err error) {
	if f.App.Clock == nil {
		return r, lacks("clock")
	}
	return clockInfoResult{f.App.Clock.Info(), host.HeldOf(f.App)}, nil
}

type clockSetArgs struct {
	Paused *bool    `json:"paused,omitempty" jsonschema:"hold all ticks"`
	Scale  *float64 `json:"scale,omitempty" jsonschema:"speed; 1 is real time" debug:"min=0.01,max=16"`
	Step   *int     `json:"step,omitempty" jsonschema:"pause after so many ticks" debug:"min=1,max=10000"`
	surprise.Args
}

type clockSetResult struct {
	host.ClockInfo
	Before uint64 `json:"before" jsonschema:"the tick before the call"`
	Ticks  int    `json:"ticks" jsonschema:"ticks of step that have run"`
	Hint   string `json:"hint,omitempty" jsonschema:"why fewer ticks ran than were asked for"`
	surprise.Told
}

// setting is a clock_set on its way.
type setting struct {
	in    clockSetArgs
	asked surprise.Asked
	out   clockSetResult
}

func newSetting(c *tools.Call, in clockSetArgs) (s *setting, err error) {
	s = &setting{in: in}
	if (in.Diff || len(in.Select) > 0) && in.Step == nil {
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "diff and select tell of the ticks of step: name step, from 1 to 10000",
			Hint: "query and info read the game as it is", Next: "clock_set"}
	}
	s.asked, err = surprise.Ask(c, in.Args)
	return s, err
}

// answer compares, off the frame.
func (s *setting) answer() (clockSetResult, error) {
	var err error
	s.out.Told, err = s.asked.Tell()
	return s.out, err
}

// stepping is a clock_set that waits for its ticks.
type stepping struct {
	call     *tools.Call
	clock    host.Clock
	app      *host.App
	asked    *surprise.Asked
	want     int
	pending  int // when it was last looked at
	idle     int // frames since then
	deadline time.Time
	out      clockSetResult
	stopped  string // why it ends early
}

func (s *stepping) live() bool { return s != nil && s.call.Context.Err() == nil }

// takeOver ends what drives the clock: whoever set it last has it.
func (k *clockTools) takeOver(pending int) {
	if k.step.live() && k.step.stopped == "" {
		k.step.pending, k.step.stopped = pending, "another clock_set took the clock over; the remaining ticks were dropped"
	}
	if k.run.live() && k.run.stopped == "" {
		k.run.stopped = "clock_set took the clock over"
		if pending == 0 {
			k.run.ticks++ // it has run since the last Poll
		}
	}
}

// busy refuses to step a clock that is being stepped.
func (k *clockTools) busy(info host.ClockInfo) error {
	e := &refusal.Error{Code: refusal.AlreadyRunning, Hint: "wait for its answer, or stop it with clock_set {\"paused\":true}", Next: "clock_info"}
	switch {
	case k.run.live():
		e.Message = "a run_until is driving the clock"
	case k.step.live() || info.Pending > 0:
		e.Message = fmt.Sprintf("%d ticks asked for earlier are still to run", info.Pending)
	default:
		return nil
	}
	return e
}

func (k *clockTools) set(f *tools.Frame, s *setting) (clockSetResult, error) {
	c, in := f.App.Clock, s.in
	if k.step != nil && k.step.call == f.Call {
		return k.stepped(f)
	}
	switch {
	case c == nil:
		return clockSetResult{}, lacks("clock")
	case in.Paused == nil && in.Scale == nil && in.Step == nil:
		return clockSetResult{}, &refusal.Error{Code: refusal.InvalidArguments, Message: "nothing to set: name paused, scale or step",
			Options: []string{"paused", "scale", "step"}, Total: 3, Hint: "clock_info reads the clock", Next: "clock_info"}
	case in.Step != nil && in.Paused != nil && !*in.Paused:
		return clockSetResult{}, &refusal.Error{Code: refusal.InvalidArguments, Message: "step pauses the game, paused:false lets it run: name one of them",
			Options: []string{"paused", "step"}, Total: 2}
	case in.Scale != nil:
		if err := mustBeFinite("scale", *in.Scale); err != nil {
			return clockSetResult{}, err
		}
	}
	info := c.Info()
	change := host.ClockChange{Paused: in.Paused, Scale: in.Scale}
	if in.Step != nil {
		if err := k.busy(info); err != nil {
			return clockSetResult{}, err
		}
		if change.Step = *in.Step; f.Once && in.Diff {
			return clockSetResult{}, &refusal.Error{Code: refusal.NotSupported, Message: "diff needs later frames, in which the ticks run, and a call within one frame has none; nothing was changed",
				Hint: "call it over HTTP while the game polls, or leave diff out"}
		}
		if err := s.asked.Start(f); err != nil {
			return clockSetResult{}, err
		}
	}
	if err := c.Set(change); err != nil {
		return clockSetResult{}, err
	}
	out := clockSetResult{ClockInfo: c.Info(), Before: info.Tick}
	switch {
	case in.Paused != nil && in.Step == nil:
		k.takeOver(info.Pending)
	case in.Step != nil && f.Once:
		out.Hint = "the ticks run in the next frames: clock_info tells when none is pending"
	case in.Step != nil:
		k.step = &stepping{call: f.Call, clock: c, app: f.App, asked: &s.asked, want: change.Step, pending: change.Step, deadline: k.deadline(f.Call), out: out}
		return clockSetResult{}, tools.ErrLater
	}
	return out, nil
}

// heldBy says why the host runs no tick now, where its clock knows.
func heldBy(c host.Clock) error {
	if h, ok := c.(host.Holder); ok {
		return h.Held()
	}
	return nil
}

// noTicks says why ticks that were asked for do not come.
func noTicks(c host.Clock) string {
	if why := heldBy(c); why != nil {
		return why.Error()
	}
	return fmt.Sprintf("no tick has run in %d frames: another state of the game (states_info) may hold it", idleFrames)
}

// stepped looks whether the ticks have run.
func (k *clockTools) stepped(f *tools.Frame) (clockSetResult, error) {
	s := k.step
	info := s.clock.Info()
	switch {
	case s.stopped != "":
	case f.Call.Stopped():
		s.stopped = fmt.Sprintf("stopped at tick %d, where the clock is held", info.Tick)
		if s.pending = info.Pending; info.Paused {
			if err := s.clock.Set(host.ClockChange{Paused: new(true)}); err != nil {
				return clockSetResult{}, err
			}
		}
	case f.App != s.app:
		s.stopped = "the game was bound anew"
	case !info.Paused:
		s.stopped = "the game resumed by itself; the remaining ticks were dropped"
	case info.Pending == 0:
		s.pending = 0
	case heldBy(s.clock) != nil || info.Pending == s.pending && s.idle >= idleFrames:
		s.pending = info.Pending
		s.stopped = noTicks(s.clock) + "; the remaining ticks were dropped"
		if err := s.clock.Set(host.ClockChange{Paused: new(true)}); err != nil {
			return clockSetResult{}, err
		}
	case time.Now().After(s.deadline):
		s.stopped = fmt.Sprintf("the call's time is up; the %d pending ticks still run: clock_info tells when none is left", info.Pending)
		s.pending = info.Pending
	default:
		if s.idle++; info.Pending != s.pending {
			s.idle, s.pending = 0, info.Pending
			f.Call.Progress(float64(s.want-s.pending), float64(s.want), "ticks")
		}
		return clockSetResult{}, tools.ErrLater
	}
	k.step = nil
	if err := s.asked.Stop(f, nil); err != nil {
		return clockSetResult{}, err
	}
	s.out.ClockInfo, s.out.Ticks, s.out.Hint = s.clock.Info(), s.want-s.pending, s.stopped
	return s.out, nil
}
