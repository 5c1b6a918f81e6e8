package host

import (
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/schedule"
)

// Systems lists and switches the host's systems. A schedule.Schedule is one;
// a host with its own scheduler needs no more than
//
//	type systems struct{ list []*mySystem }
//
//	func (s systems) List() (infos []host.SystemInfo) {
//		for i, sys := range s.list {
//			infos = append(infos, host.SystemInfo{Name: sys.name, Position: i, Enabled: sys.on})
//		}
//		return infos
//	}
//
//	func (s systems) SetEnabled(name string, enabled bool) error {
//		for _, sys := range s.list {
//			if sys.name == name {
//				sys.on = enabled
//				return nil
//			}
//		}
//		return &refusal.Error{Code: refusal.NotFound, Message: "no system " + name}
//	}
type Systems interface {
	// List describes the systems in the order they run.
	List() []SystemInfo
	// SetEnabled switches a system from the next frame on. An unknown name is
	// a not_found error with the names nearest in spelling.
	SetEnabled(name string, enabled bool) error
}

// SystemTimes is implemented by a Systems that keeps times. Both methods may
// be called from any goroutine at any time, also while the frame hangs: they
// take no lock that the frame goroutine holds.
type SystemTimes interface {
	// Running names the system that runs now and for how long it has; "" means
	// none. After a panic it names the system that panicked until the next run.
	Running() (system string, forTime time.Duration)
	// History returns the last frames, oldest first, at most as many as asked
	// for; the last one may be under way.
	History(frames int) History
}

// SystemVisits is implemented by a Systems that knows which entity its running
// system is at: reports of crashes and of hangs name it. A schedule.Schedule
// does, for systems that call its At.
type SystemVisits interface {
	// Visiting is the entity that the running system, or the one that panicked,
	// is at; false if that is not known. Any goroutine, also while the frame
	// hangs.
	Visiting() (ecs.Entity, bool)
}

// SystemHooks is implemented by a Systems that lets others look between its
// systems: watches then name the system that changed a value. Without it they
// name the tick. A host with a scheduler of its own needs no more than
//
//	func (s *systems) Observe(hook schedule.Hook) schedule.Hook {
//		before := s.hook
//		s.hook = hook
//		return before
//	}
//
//	func (s *systems) Rehearse(on bool) { s.rehearsal = on } // leave times and counts alone
//
//	done := "" // in its loop over the systems
//	for _, sys := range s.list {
//		if s.hook != nil {
//			s.hook(done, sys.name)
//		}
//		sys.run()
//		done = sys.name
//	}
//	if s.hook != nil {
//		s.hook(done, "")
//	}
type SystemHooks interface {
	// Observe has hook called at every boundary between systems from the next
	// run on, and returns the one that was there; nil ends it.
	Observe(hook schedule.Hook) (before schedule.Hook)
	// Rehearse says whether the runs that follow are rehearsals, which are
	// undone afterwards: they leave no times and are not counted.
	Rehearse(on bool)
}

// SystemInfo describes one system; History and FrameTimes its past. They are
// the types of package schedule.
type (
	SystemInfo = schedule.Info
	History    = schedule.History
	FrameTimes = schedule.FrameTimes
)

// States is the host's stack of states (menu, playing, paused).
//
//	type states struct{ stack []string }
//
//	func (s *states) Stack() []string        { return slices.Clone(s.stack) }
//	func (s *states) Names() []string        { return []string{"playing", "paused"} }
//	func (s *states) Push(name string) error { s.stack = append(s.stack, name); return nil }
//	func (s *states) Pop() error             { s.stack = s.stack[:len(s.stack)-1]; return nil }
type States interface {
	// Stack lists the states, bottom first; the slice is the caller's.
	Stack() []string
	// Names lists the states that can be pushed.
	Names() []string
	// Push enters a state; an unknown name is a not_found error with options.
	// The built-in tool checks the name against Names first.
	Push(name string) error
	// Pop leaves the top state; it refuses where the host must keep one.
	Pop() error
}

// Camera is the host's view into its world, in world units.
//
//	type camera struct{ x, y, zoom float64 }
//
//	func (c *camera) Info() host.CameraInfo {
//		return host.CameraInfo{X: c.x, Y: c.y, Zoom: c.zoom, Viewport: host.Viewport{Width: 640, Height: 360}}
//	}
//
//	func (c *camera) Move(m host.CameraMove) error {
//		if m.X != nil {
//			c.x = *m.X
//		}
//		return nil // likewise Y, Zoom and Rotation
//	}
type Camera interface {
	Info() CameraInfo
	// Move changes what is not nil. Zoom is positive and all values are finite:
	// the built-in tool has refused others.
	Move(CameraMove) error
}

// CameraInfo is the state of the camera.
type CameraInfo struct {
	X        float64     `json:"x" jsonschema:"world x at the centre of the picture"`
	Y        float64     `json:"y" jsonschema:"world y at the centre of the picture"`
	Zoom     float64     `json:"zoom" jsonschema:"pixels per world unit relative to the usual view; 1 is the usual view"`
	Rotation float64     `json:"rotation" jsonschema:"rotation in radians"`
	Follows  *ecs.Entity `json:"follows,omitempty" jsonschema:"the entity that the camera follows"`
	Viewport Viewport    `json:"viewport" jsonschema:"the picture's size in pixels and the part of the world that it shows"`
}

// Viewport is the size of the picture in pixels, and the world it shows.
type Viewport struct {
	Width  int     `json:"width" jsonschema:"width in pixels"`
	Height int     `json:"height" jsonschema:"height in pixels"`
	MinX   float64 `json:"minX" jsonschema:"least world x in view"`
	MinY   float64 `json:"minY" jsonschema:"least world y in view"`
	MaxX   float64 `json:"maxX" jsonschema:"greatest world x in view"`
	MaxY   float64 `json:"maxY" jsonschema:"greatest world y in view"`
}

// CameraMove is a change of the camera; nil leaves a value as it is.
type CameraMove struct {
	X, Y, Zoom, Rotation *float64
}

// Layers lists the layers that the host draws in.
//
//	func (g *game) List() []host.Layer {
//		return []host.Layer{{Name: "ground", Visible: true}, {Index: 1, Name: "actors", Visible: true}}
//	}
type Layers interface {
	// List describes the layers in drawing order, backmost first.
	List() []Layer
}

// Layer describes one layer.
type Layer struct {
	Index     int      `json:"index" jsonschema:"position in drawing order; 0 is drawn first"`
	Name      string   `json:"name" jsonschema:"name of the layer"`
	Visible   bool     `json:"visible" jsonschema:"whether it is drawn"`
	Sprites   int      `json:"sprites" jsonschema:"how many sprites live on it, in view or not"`
	Space     string   `json:"space" jsonschema:"world or screen: what its positions count in"`
	Materials []string `json:"materials,omitempty" jsonschema:"the materials that its sprites use"`
	Doc       string   `json:"doc,omitempty" jsonschema:"what it is for"`
}

// Materials lists what the host's sprites are made of.
//
//	func (g *game) List() []host.Material {
//		return []host.Material{{ID: 0, Name: "stone", Kind: "tile", Width: 16, Height: 16}}
//	}
type Materials interface {
	List() []Material
}

// Material describes one material.
type Material struct {
	ID     int    `json:"id" jsonschema:"number of the material, as components store it"`
	Name   string `json:"name" jsonschema:"name of the material"`
	Kind   string `json:"kind" jsonschema:"what it is drawn as, for instance sprite or tile"`
	Width  int    `json:"width" jsonschema:"width in pixels at zoom 1"`
	Height int    `json:"height" jsonschema:"height in pixels at zoom 1"`
	Color  string `json:"color,omitempty" jsonschema:"main colour as #rrggbb"`
	Blend  string `json:"blend,omitempty" jsonschema:"how it is laid over what is below: opaque, alpha or add"`
	Uses   int    `json:"uses" jsonschema:"how many sprites use it now"`
	Doc    string `json:"doc,omitempty" jsonschema:"what it shows"`
}

// Render tells how drawing goes.
//
//	func (r *renderer) Info() host.RenderInfo {
//		return host.RenderInfo{Backend: "opengl", Width: 1280, Height: 720, Pictures: r.frames}
//	}
type Render interface {
	Info() RenderInfo
}

// RenderInfo describes the renderer and the last picture it drew.
type RenderInfo struct {
	Backend  string         `json:"backend" jsonschema:"what draws, for instance software"`
	Width    int            `json:"width" jsonschema:"width of the picture in pixels"`
	Height   int            `json:"height" jsonschema:"height of the picture in pixels"`
	OnDemand bool           `json:"onDemand" jsonschema:"true when pictures are drawn only when asked for"`
	Pictures uint64         `json:"pictures" jsonschema:"pictures drawn since the start"`
	LastMs   float64        `json:"lastMs" jsonschema:"milliseconds the last picture took"`
	Drawn    int            `json:"drawn" jsonschema:"sprites drawn in the last picture"`
	Culled   int            `json:"culled" jsonschema:"sprites outside the view of the last picture"`
	Details  map[string]any `json:"details,omitempty" jsonschema:"what else the host counts"`
}

// Physics answers questions about bodies.
//
//	func (p *physics) Info() host.PhysicsInfo { return host.PhysicsInfo{Bodies: len(p.bodies)} }
//
//	func (p *physics) Raycast(r host.Ray) (host.RayHit, bool, error) {
//		hit, ok := p.cast(r.X1, r.Y1, r.X2, r.Y2, r.Mask)
//		return hit, ok, nil
//	}
type Physics interface {
	Info() PhysicsInfo
	// Raycast returns the first hit on the way from (X1, Y1) to (X2, Y2); false
	// if there is none. The coordinates are finite.
	Raycast(Ray) (RayHit, bool, error)
}

// PhysicsInfo describes the physics world.
type PhysicsInfo struct {
	Bodies   int            `json:"bodies" jsonschema:"bodies that can move"`
	Statics  int            `json:"statics" jsonschema:"bodies that cannot move"`
	Contacts int            `json:"contacts" jsonschema:"pairs that touched in the last step"`
	Ignored  int            `json:"ignored" jsonschema:"bodies left out because a value is not finite"`
	CellSize float64        `json:"cellSize,omitempty" jsonschema:"edge of a grid cell in world units"`
	StepMs   float64        `json:"stepMs" jsonschema:"milliseconds that the last step took"`
	Masks    []MaskBit      `json:"masks,omitempty" jsonschema:"the bits of a raycast's mask"`
	Details  map[string]any `json:"details,omitempty" jsonschema:"what else the host counts"`
}

// MaskBit names one bit of a collision mask.
type MaskBit struct {
	Bit  uint32 `json:"bit" jsonschema:"the value of the bit"`
	Name string `json:"name" jsonschema:"what has this bit"`
}

// Ray is a raycast's question. Mask selects what it can hit; the built-in tool
// passes all bits where the client gave none.
type Ray struct {
	X1, Y1, X2, Y2 float64
	Mask           uint32
}

// RayHit is a raycast's answer.
type RayHit struct {
	Entity  ecs.Entity // zero: something that is no entity
	X, Y    float64
	NormalX float64
	NormalY float64
	// Fraction is how far along the ray the hit lies, 0 to 1.
	Fraction float64
}

// Audio tells what plays, and reads a sound again from its file.
//
//	func (m *mixer) Info() host.AudioInfo { return host.AudioInfo{SampleRate: 44100, MaxVoices: 16} }
//
//	func (m *mixer) Reload(name string) (host.Sound, error) {
//		s, err := decode(name) // under the host's own asset root
//		if err == nil {
//			m.sounds[name] = s
//		}
//		return describe(s), err
//	}
type Audio interface {
	Info() AudioInfo
	// Reload reads a sound's file again, under the host's own asset root. A
	// broken file is refused and the old sound stays.
	Reload(name string) (Sound, error)
}

// AudioInfo describes the mixer.
type AudioInfo struct {
	SampleRate int     `json:"sampleRate" jsonschema:"samples per second"`
	Channels   int     `json:"channels" jsonschema:"output channels"`
	Gain       float64 `json:"gain" jsonschema:"master gain; 1 leaves samples as they are"`
	MaxVoices  int     `json:"maxVoices" jsonschema:"voices that can play at once"`
	Peak       float64 `json:"peak" jsonschema:"greatest sample of the output about to play, 0 to 1"`
	RMS        float64 `json:"rms" jsonschema:"loudness of the output about to play, 0 to 1"`
	Started    uint64  `json:"started" jsonschema:"voices started since the start"`
	Stolen     uint64  `json:"stolen" jsonschema:"voices cut off because all were busy"`
	Playing    []Voice `json:"playing" jsonschema:"voices that play now"`
	Sounds     []Sound `json:"sounds" jsonschema:"sounds that are loaded"`
}

// Voice is one sound as it plays.
type Voice struct {
	Sound      string  `json:"sound" jsonschema:"name of the sound"`
	Gain       float64 `json:"gain" jsonschema:"gain of the voice"`
	Pan        float64 `json:"pan" jsonschema:"-1 left to 1 right"`
	PositionMs float64 `json:"positionMs" jsonschema:"milliseconds played"`
	Loop       bool    `json:"loop" jsonschema:"whether it starts again at its end"`
}

// Sound is one loaded sound.
type Sound struct {
	Name       string  `json:"name" jsonschema:"name of the sound"`
	Source     string  `json:"source" jsonschema:"where it came from: a file under the asset root, or built in"`
	DurationMs float64 `json:"durationMs" jsonschema:"length in milliseconds"`
	Samples    int     `json:"samples" jsonschema:"length in samples"`
	Peak       float64 `json:"peak" jsonschema:"greatest sample, 0 to 1"`
}

// Screen draws pictures for screenshot.
//
// A host that can draw at any time answers at once. A host that can only read
// its picture at the end of a frame keeps the function and calls it then; Poll
// does not wait for it. A host without a display answers an error, never a
// black picture.
//
//	func (s *screen) Capture(shot host.Shot, done func(host.Picture, error)) {
//		if s.window == nil {
//			done(host.Picture{}, host.ErrNoDisplay)
//			return
//		}
//		s.atFrameEnd = append(s.atFrameEnd, func() { done(host.Picture{Image: s.window.ReadPixels(), Frame: s.frame}, nil) })
//	}
type Screen interface {
	// Capture calls done exactly once, on the frame goroutine, now or later.
	Capture(shot Shot, done func(Picture, error))
}

// Shot says what a picture should show. Cropping and scaling are the built-in
// tool's work, not the host's.
type Shot struct {
	// Entity asks for a picture that shows this entity, and for its Focus; zero:
	// the view as it is. An entity without a place is a component_missing error,
	// a dead one entity_dead.
	Entity ecs.Entity
}

// ErrNoDisplay is what a Screen answers when there is nothing to draw on.
var ErrNoDisplay = &refusal.Error{Code: refusal.NotSupported,
	Message: "no display: the host runs without anything to draw on",
	Hint:    "query and info read the same world; start the host with a display to see it"}
