package game

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools/host"
)

// The payloads of the game's events.
type (
	// KeyEvent is a key that changes.
	KeyEvent struct {
		Key  string `json:"key" jsonschema:"W A S D or the arrow keys (Up Left Down Right) move; Space fires; P or Escape pauses; Enter starts from a menu"`
		Down bool   `json:"down" jsonschema:"true when it is pressed; it counts as held until it is released, or for ten seconds"`
	}
	// PointerEvent is the pointer: it aims, pressed it fires.
	PointerEvent struct {
		X    float64 `json:"x" jsonschema:"pixel of the picture, 0 left" debug:"min=0,max=640,unit=px"`
		Y    float64 `json:"y" jsonschema:"pixel of the picture, 0 top" debug:"min=0,max=360,unit=px"`
		Down bool    `json:"down,omitempty" jsonschema:"whether it is pressed"`
	}
	// SpawnWaveEvent brings enemies at once.
	SpawnWaveEvent struct {
		Count int `json:"count,omitempty" jsonschema:"how many enemies; 0 is a whole wave" debug:"min=0,max=20000"`
	}
	// SetPausedEvent pauses or goes on.
	SetPausedEvent struct {
		Paused bool `json:"paused" jsonschema:"whether the game stands still"`
	}
	// FollowEvent ties the camera to the player.
	FollowEvent struct {
		On bool `json:"on" jsonschema:"whether the camera follows the player"`
	}
	// LoadLevelEvent builds another arena.
	LoadLevelEvent struct {
		Level  int `json:"level" jsonschema:"number of the level; each has its own walls" debug:"min=1,max=1000000"`
		Frames int `json:"frames,omitempty" jsonschema:"over how many frames the loading is spread; the game is parked meanwhile. 0 counts as 30" debug:"min=0,max=3600"`
	}
)

// Events takes the game's events.
type Events struct{ g *Game }

// Kinds implements host.EventSink.
func (Events) Kinds() []host.EventKind {
	return []host.EventKind{
		{Name: "key", Doc: "A key is pressed or released. The autopilot leaves the player alone meanwhile and for three seconds after.", Payload: reflect.TypeFor[KeyEvent]()},
		{Name: "pointer", Doc: "The pointer moves; the player aims at it, and fires while it is pressed.", Payload: reflect.TypeFor[PointerEvent]()},
		{Name: "spawn_wave", Doc: "Enemies come at the next tick.", Payload: reflect.TypeFor[SpawnWaveEvent]()},
		{Name: "set_paused", Doc: "Pauses the game or lets it go on.", Payload: reflect.TypeFor[SetPausedEvent]()},
		{Name: "camera_follow", Doc: "Ties the camera to the player again after camera_move, or lets it go.", Payload: reflect.TypeFor[FollowEvent]()},
		{Name: "load_level", Doc: "Builds another arena over some frames. The game is parked meanwhile: most tools wait for it.", Payload: reflect.TypeFor[LoadLevelEvent]()},
		{Name: "quit", Doc: "Ends the game cleanly."},
	}
}

// Push implements host.EventSink.
func (s Events) Push(kind string, payload any) error {
	err := s.apply(kind, payload)
	if err == nil {
		s.g.note(kind, payload)
	}
	return err
}

func (s Events) apply(kind string, payload any) error {
	g := s.g
	switch p := payload.(type) {
	case KeyEvent:
		return g.key(p)
	case PointerEvent:
		g.stamp()
		g.input.Pointing, g.input.PointerX, g.input.PointerY, g.input.Fire = true, p.X, p.Y, p.Down
	case SpawnWaveEvent:
		n := p.Count
		if n == 0 {
			n = max(1, g.rules.Enemies)
		}
		g.score.Pending = min(g.score.Pending+n, 100_000)
	case SetPausedEvent:
		g.States.pause(p.Paused)
	case FollowEvent:
		g.camera.Follow = p.On
	case LoadLevelEvent:
		if g.wantLevel != nil {
			return &refusal.Error{Code: refusal.Busy, Message: "a level is waiting to be loaded already", Hint: "try again when it has been"}
		}
		g.wantLevel = &p
	case nil:
		if kind == "quit" {
			g.quit = true
			return nil
		}
		return &refusal.Error{Code: refusal.InvalidArguments, Message: "event " + strconv.Quote(kind) + " needs a payload"}
	default:
		return &refusal.Error{Code: refusal.InvalidArguments, Message: "no event of kind " + strconv.Quote(kind)}
	}
	return nil
}

func (g *Game) stamp() { g.input.Any, g.input.Last = true, g.tick.N }

var keyNames = []string{"W", "A", "S", "D", "Up", "Left", "Down", "Right", "Space", "P", "Escape", "Enter"}

// key applies the input map.
func (g *Game) key(k KeyEvent) error {
	in := g.input
	i := slices.IndexFunc(keyNames, func(n string) bool { return strings.EqualFold(n, k.Key) })
	if i < 0 {
		return &refusal.Error{Code: refusal.InvalidArguments, Message: "no key named " + strconv.Quote(k.Key) + " does anything", Got: k.Key,
			Options: refusal.Nearest(k.Key, keyNames), Total: len(keyNames)}
	}
	switch name := keyNames[i]; name {
	case "W", "Up":
		in.Up = k.Down
	case "S", "Down":
		in.Down = k.Down
	case "A", "Left":
		in.Left = k.Down
	case "D", "Right":
		in.Right = k.Down
	case "Space":
		in.Fire = k.Down
	case "P", "Escape":
		if k.Down {
			g.States.pause(g.States.Top() != Paused)
		}
		return nil
	case "Enter":
		if k.Down {
			g.start()
		}
		return nil
	}
	g.stamp()
	return nil
}

// start leads from a menu into the game; after the end of one it begins anew.
func (g *Game) start() {
	switch g.States.Top() {
	case Menu:
		g.States.enter(Playing)
	case Paused:
		g.States.pause(false)
	case GameOver:
		g.States.leave()
		if n := len(g.States.stack); n == 0 || g.States.stack[n-1] != Playing {
			g.States.enter(Playing)
		}
		*g.score = Score{Wave: g.score.Wave, Pending: g.score.Pending}
		g.helpUp()
	}
}

// WantsLevel takes the level that an event asked for, and over how many frames
// to load it.
func (g *Game) WantsLevel() (number, frames int, ok bool) {
	if g.wantLevel == nil {
		return 0, 0, false
	}
	w := *g.wantLevel
	g.wantLevel = nil
	if w.Frames == 0 {
		w.Frames = 30
	}
	return w.Level, w.Frames, true
}
