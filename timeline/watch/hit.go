package watch

import "reflect"

// Hit is a change that a watch saw. It is immutable.
type Hit struct {
	N     uint64 // counts all hits of a Set
	Watch string
	Tick  uint64
	Frame uint64
	Author
	// Old and New are copies; invalid where there was or is no value.
	Old, New reflect.Value
	// Note says more: that the entity died, why there is no value.
	Note string
}

// Outside is what [Author.System] says of changes that no system made.
const Outside = "outside systems"

// Author is who made a change.
type Author struct {
	// System is a system's name, Outside, or "" where the look was by tick or a
	// call made the change.
	System string
	// Call is the tool of a client's call, with the one it ran within
	// ("run_lua > modify").
	Call   string
	Client string
	// During names what the host was suspended in: "load_level".
	During string
}

// Info describes a watch at one moment.
type Info struct {
	ID    string
	What  string
	When  string
	Hits  int
	Value reflect.Value // invalid: there is none
	By    string        // "system" or "tick"
	// NoHook: it was to look by system, and the host's systems have no hook.
	NoHook bool
	Pause  bool
	Limit  int
	// Ended says why it looks no more; "" while it does.
	Ended string
}
