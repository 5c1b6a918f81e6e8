package host

// Clock lets clients hold the simulation still, advance it tick by tick and
// change its speed, while the loop goes on polling and drawing. [StepClock] is one
// that is ready to use; it tells what a frame is and how loops hurry for ticks that
// are waited for.
//
// A Clock is the host's, not the world's: loading a snapshot leaves it alone.
type Clock interface {
	Info() ClockInfo
	// Set applies a change whole or, with an error, not at all. The built-in
	// tools have checked its ranges.
	Set(ClockChange) error
}

// ClockInfo is how a host's time passes.
type ClockInfo struct {
	// Tick may go back when a snapshot is loaded, where it is the world's own.
	Tick    uint64  `json:"tick" jsonschema:"ticks of the simulation so far"`
	Paused  bool    `json:"paused" jsonschema:"true: no ticks run but the pending ones"`
	Scale   float64 `json:"scale" jsonschema:"speed; 1 is real time"`
	StepMs  float64 `json:"stepMs" jsonschema:"length of a tick in milliseconds of the game's own time; 0 if it varies"`
	Pending int     `json:"pending" jsonschema:"ticks asked for that have not run yet"`
}

// ClockChange is what Set changes; nil and 0 leave things as they are.
type ClockChange struct {
	// Paused holds the ticks or lets them run. Either way ticks that are pending
	// are dropped.
	Paused *bool
	// Scale is the speed, 0.01 to 16; it lasts, also while paused.
	Scale *float64
	// Step pauses and has exactly so many ticks run from the next frame on, in
	// as many frames as the host likes; it replaces what is pending. 0 to 10000.
	// A host that cannot run ticks now (a menu, the end of the game) refuses.
	Step int
}
