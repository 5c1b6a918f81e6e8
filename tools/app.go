package tools

import "image"

// App is what a host tells the debug server about itself beside its world.
// Every part is optional: a nil part's tools are absent, and capabilities
// names the interface that would bring them. The interfaces are called on the
// frame goroutine only, inside Poll, except where a method says otherwise.
//
//	dbg.Bind(archeworld.New(&world), &tools.App{
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
	Camera    Camera    // camera_info, camera_move
	Layers    Layers    // layers_list, layers_info
	Materials Materials // materials_list, materials_info
	Render    Render    // render_info
	Physics   Physics   // physics_info, physics_raycast
	Audio     Audio     // audio, reload_sound
	Screen    Screen    // screenshot
}

// Subsystem tells, for capabilities and help, what an App has or lacks.
type Subsystem struct {
	Name      string   `json:"name" jsonschema:"name of the subsystem"`
	Present   bool     `json:"present" jsonschema:"whether the host provides it"`
	Interface string   `json:"interface" jsonschema:"the Go interface that the host implements to provide it"`
	Methods   []string `json:"methods" jsonschema:"the methods of that interface"`
	Tools     []string `json:"tools" jsonschema:"the tools that it brings"`
}

// Subsystems lists every subsystem in the order of App's fields. A nil App
// has none.
func (a *App) Subsystems() []Subsystem {
	if a == nil {
		a = &App{}
	}
	return []Subsystem{
		{"events", a.Events != nil, "tools.EventSink",
			[]string{"Kinds() []tools.EventKind", "Push(kind string, payload any) error"},
			[]string{"send_event"}},
		{"systems", a.Systems != nil, "tools.Systems",
			[]string{"List() []tools.SystemInfo", "SetEnabled(name string, enabled bool) error"},
			[]string{"systems_list", "systems_info", "systems_stop", "systems_start"}},
		{"frame times", a.Times() != nil, "tools.SystemTimes",
			[]string{"Running() (system string, forTime time.Duration)", "History(frames int) tools.History"},
			[]string{"frame_times"}},
		{"states", a.States != nil, "tools.States",
			[]string{"Stack() []string", "Names() []string", "Push(name string) error", "Pop() error"},
			[]string{"states_info", "states_push", "states_pop"}},
		{"camera", a.Camera != nil, "tools.Camera",
			[]string{"Info() tools.CameraInfo", "Move(tools.CameraMove) error"},
			[]string{"camera_info", "camera_move"}},
		{"layers", a.Layers != nil, "tools.Layers",
			[]string{"List() []tools.Layer"},
			[]string{"layers_list", "layers_info"}},
		{"materials", a.Materials != nil, "tools.Materials",
			[]string{"List() []tools.Material"},
			[]string{"materials_list", "materials_info"}},
		{"render", a.Render != nil, "tools.Render",
			[]string{"Info() tools.RenderInfo"},
			[]string{"render_info"}},
		{"physics", a.Physics != nil, "tools.Physics",
			[]string{"Info() tools.PhysicsInfo", "Raycast(tools.Ray) (tools.RayHit, bool, error)"},
			[]string{"physics_info", "physics_raycast"}},
		{"audio", a.Audio != nil, "tools.Audio",
			[]string{"Info() tools.AudioInfo", "Reload(name string) (tools.Sound, error)"},
			[]string{"audio", "reload_sound"}},
		{"screen", a.Screen != nil, "tools.Screen",
			[]string{"Capture(tools.Shot, func(tools.Picture, error))"},
			[]string{"screenshot"}},
	}
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
}
