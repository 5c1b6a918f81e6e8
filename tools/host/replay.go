package host

// Replayer is implemented by a Clock whose host can run ticks on demand: blame,
// determinism_check, systems_info with observe and experiments need it. The ticks
// are run inside Poll, only to be looked at: the world and the states of
// App.Snapshots are put back afterwards, exactly. A minimal one:
//
//	func (c *clock) Replay() (host.Replay, error) { return replay{c.game}, nil }
//
//	type replay struct{ g *game }
//
//	func (r replay) Tick() error { r.g.tick(); return nil } // what the loop does for one tick
//	func (r replay) End()        { r.g.forgetCaches() }
type Replayer interface {
	// Replay begins. It refuses where no tick can run now (a menu, a level that is
	// being loaded). Frame goroutine.
	Replay() (Replay, error)
}

// Replay is ticks that nobody plays. Frame goroutine.
type Replay interface {
	// Tick runs exactly one tick with the systems and the order of play, whether
	// the clock is paused or not. It draws nothing, plays no sound, writes no
	// file and sends nothing, and does not call the server's EndTick. Whatever
	// the tick depends on must be in the world, in App.Snapshots.States, or come
	// through App.Inputs. An error ends the replay: the game is over.
	Tick() error
	// End is called when the world and the states have been put back, also after
	// a tick has panicked: the host puts back what it keeps beside them (buffers,
	// caches, what it counts) and lets sound and files go on.
	End()
}
