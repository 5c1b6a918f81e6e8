package host

import "image"

// App is what a host tells the debug server about itself beside its world.
// Every part is optional: a nil part's tools are absent, and capabilities
// names the interface that would bring them. The interfaces are called on the
// frame goroutine only, inside Poll, except where a method says otherwise.
//
//	dbg.Bind(archeworld.New(&world), &host.App{
//		Name:    "arena",
//		Summary: func() any { return map[string]any{"wave": wave, "score": score} },
//		Systems: sched, // a *schedule.Schedule
//	})
type App struct {
	// Name is shown to clients. Default: the name of the executable.
	Name string
	// Summary answers "what is going on" in about one kilobyte: a value that
	// encodes as a JSON object. It is called on the frame goroutine. Default:
	// no summary.
	Summary func() any

	Events    EventSink // send_event
	Systems   Systems   // systems_*, frame_times, crash attribution
	States    States    // states_*
	Clock     Clock     // clock_info, clock_set, run_until
	Camera    Camera    // camera_info, camera_move
	Layers    Layers    // layers_list, layers_info
	Materials Materials // materials_list, materials_info
	Render    Render    // render_info
	Physics   Physics   // physics_info, physics_raycast
	Audio     Audio     // audio, reload_sound
	Screen    Screen    // screenshot

	Snapshots *Snapshots // types left out of snapshots, state saved with them
	Inputs    Inputs     // what came from outside, recorded beside the world

	hold hold // the frame goroutine's
}

// Times returns the App's clock of systems, or nil: Systems may implement
// SystemTimes besides. Any goroutine.
func (a *App) Times() SystemTimes {
	if a == nil {
		return nil
	}
	t, _ := a.Systems.(SystemTimes)
	return t
}

// Picture is a drawn frame. Image belongs to the receiver: the host does not
// draw into it again.
type Picture struct {
	Image image.Image
	Frame uint64 // host frame that it shows; 0 if the host does not count
	// Focus is the pixel of the entity that the Shot named; nil if the host
	// cannot tell.
	Focus *image.Point
}
