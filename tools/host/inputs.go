package host

// Inputs lets a recording hold what comes to the simulation from outside (keys,
// pointers, network messages, events that a client sent), so that a recorded
// tick can be run again exactly. What is in the world anyway need not be in it.
type Inputs interface {
	// TickInputs encodes what has come since it was last called; nil for nothing.
	// The recorder calls it with every sample. Frame goroutine.
	TickInputs() []byte
	// PlayInputs applies what a TickInputs gave, as if it came now: before the
	// tick that is run again. Frame goroutine.
	PlayInputs([]byte) error
}
