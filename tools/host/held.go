package host

// Held says why time stands still.
type Held struct {
	By        string `json:"by" jsonschema:"what holds it: a call, a watch, a state, or the clock that the game has paused"`
	SinceTick uint64 `json:"sinceTick" jsonschema:"the tick since which it stands"`
	Client    string `json:"client,omitempty" jsonschema:"the client whose call it was"`
	Source    string `json:"source,omitempty" jsonschema:"where in the game's code: file:line"`
}

// hold is what paused the clock, as far as that was seen, and at which tick it
// left it. It holds while the clock is paused at that tick.
type hold struct {
	Held
	at uint64
}

// HeldBy notes what has paused the clock. A game that pauses it by itself may
// say why. Frame goroutine.
func (a *App) HeldBy(by, client string) {
	if a == nil || a.Clock == nil {
		return
	}
	tick := a.Clock.Info().Tick
	a.hold = hold{Held{By: by, SinceTick: tick, Client: client}, tick}
}

// Paused tells whether the clock is paused. Frame goroutine.
func (a *App) Paused() bool { return a != nil && a.Clock != nil && a.Clock.Info().Paused }

// StillHeld keeps what HeldBy has noted although the tick is another now: what
// has changed it did not let time pass. Frame goroutine.
func (a *App) StillHeld() {
	if a == nil || a.Clock == nil || a.hold.By == "" {
		return
	}
	tick := a.Clock.Info().Tick
	a.hold.at, a.hold.SinceTick = tick, tick
}

// HeldOf tells whether a host's time stands still and why: its clock is paused,
// or a state named paused lies on top. nil while it passes. Frame goroutine.
func HeldOf(a *App) *Held {
	if a == nil {
		return nil
	}
	var info ClockInfo
	if a.Clock != nil {
		info = a.Clock.Info()
	}
	if !info.Paused {
		a.hold = hold{}
	}
	if a.States != nil {
		if stack := a.States.Stack(); len(stack) > 0 && stack[len(stack)-1] == "paused" {
			return heldByState(a.States, info.Tick)
		}
	}
	switch {
	case !info.Paused:
		return nil
	case a.hold.By != "" && (a.hold.at == info.Tick || info.Pending > 0):
		h := a.hold.Held
		return &h
	}
	return &Held{By: "clock paused", SinceTick: info.Tick}
}

func heldByState(s States, tick uint64) *Held {
	h := &Held{By: "state paused", SinceTick: tick}
	if log, ok := s.(StateHistory); ok {
		changes := log.History()
		for i := len(changes) - 1; i >= 0; i-- {
			if c := changes[i]; c.Op == "push" && c.State == "paused" {
				h.SinceTick, h.Source = min(c.Tick, tick), c.Source
				if c.By == "client" {
					h.Client = c.By
				}
				break
			}
		}
	}
	return h
}
