package game

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/examples/game/internal/audio"
	"github.com/loupe-ecs/loupe/examples/game/internal/render"
	"github.com/loupe-ecs/loupe/tools/host"
)

// App is what the debug server learns about the game beside its world.
func (g *Game) App() *host.App {
	return &host.App{
		Name:      "arena",
		Summary:   g.summary,
		Events:    Events{g},
		Systems:   g.Schedule,
		States:    &g.States,
		Clock:     &g.Clock,
		Camera:    cameraPart{g},
		Layers:    layersPart{g},
		Materials: materialsPart{g},
		Render:    renderPart{g},
		Physics:   physicsPart{g},
		Audio:     audioPart{g},
		Screen:    screenPart{g},
		Inputs:    Inputs{g},
		Snapshots: &host.Snapshots{States: []host.SnapshotState{statesState{&g.States}}},
	}
}

// Summary is the short answer to "what is going on".
type Summary struct {
	State   string `json:"state"`
	Tick    uint64 `json:"tick"`
	Wave    int    `json:"wave"`
	Enemies int    `json:"enemies"`
	Points  int    `json:"points"`
	Player  string `json:"player,omitempty"`
	HP      int    `json:"hp"`
	Down    bool   `json:"down,omitzero"`
	Level   int    `json:"level"`
	Pilot   string `json:"pilot"`
}

func (g *Game) summary() any {
	s := Summary{State: g.States.Top(), Tick: g.tick.N, Wave: g.score.Wave, Points: g.score.Points, Level: g.level.Number, Pilot: "autopilot"}
	if g.manual() {
		s.Pilot = "input"
	}
	q := g.foes.Query(&g.World)
	s.Enemies = q.Count()
	q.Close()
	p := g.players.Query(&g.World)
	for p.Next() {
		_, _, h, pilot := p.Get()
		s.Player, s.HP, s.Down = archeworld.EntityOf(p.Entity()).String(), h.HP, pilot.Down
	}
	return s
}

type cameraPart struct{ g *Game }

func (c cameraPart) Info() host.CameraInfo {
	cam := c.g.camera
	s := render.Scene{X: cam.X, Y: cam.Y, Zoom: cam.Zoom, Rotation: cam.Rotation}
	info := host.CameraInfo{X: cam.X, Y: cam.Y, Zoom: cam.Zoom, Rotation: cam.Rotation}
	v := &info.Viewport
	v.Width, v.Height = ViewW, ViewH
	for i, corner := range [4][2]float64{{0, 0}, {ViewW, 0}, {0, ViewH}, {ViewW, ViewH}} {
		x, y := s.Unproject(corner[0], corner[1])
		if i == 0 {
			v.MinX, v.MinY, v.MaxX, v.MaxY = x, y, x, y
		}
		v.MinX, v.MinY, v.MaxX, v.MaxY = min(v.MinX, x), min(v.MinY, y), max(v.MaxX, x), max(v.MaxY, y)
	}
	if cam.Follow && c.g.player.found {
		e := archeworld.EntityOf(c.g.player.entity)
		info.Follows = &e
	}
	return info
}

// Move lets the camera go from the player: it would be pulled back otherwise.
func (c cameraPart) Move(m host.CameraMove) error {
	cam := *c.g.camera
	set := func(to *float64, v *float64) {
		if v != nil {
			*to = *v
		}
	}
	set(&cam.X, m.X)
	set(&cam.Y, m.Y)
	set(&cam.Zoom, m.Zoom)
	set(&cam.Rotation, m.Rotation)
	if cam.Zoom < 0.05 || cam.Zoom > 20 {
		return &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("zoom %v is out of range", cam.Zoom), Got: cam.Zoom, Want: "0.05 to 20"}
	}
	if m.X != nil || m.Y != nil {
		cam.Follow = false
	}
	*c.g.camera = cam
	return nil
}

type layersPart struct{ g *Game }

var layerNames = [layers]struct{ name, doc string }{
	{"ground", "floor tiles; sprites here lie flat on it"},
	{"items", "pickups and chests"},
	{"actors", "player and enemies"},
	{"effects", "projectiles, sparks and banners"},
}

func (l layersPart) List() []host.Layer {
	list := make([]host.Layer, layers)
	seen := map[[2]int]bool{}
	for i := range list {
		list[i] = host.Layer{Index: i, Name: layerNames[i].name, Doc: layerNames[i].doc, Visible: true, Space: "world"}
	}
	q := l.g.looks.Query(&l.g.World)
	for q.Next() {
		if s := q.Get(); s.Layer < layers {
			list[s.Layer].Sprites++
			seen[[2]int{int(s.Layer), int(s.Material)}] = true
		}
	}
	for i := range list {
		for m := range materials {
			if seen[[2]int{i, int(m)}] {
				list[i].Materials = append(list[i].Materials, m.String())
			}
		}
	}
	return list
}

type materialsPart struct{ g *Game }

var materialDocs = [materials]string{"the player", "a grunt", "a brute", "a sniper", "a projectile in the colour of its tint", "a coin", "a medkit",
	"a chest", "a drone that keeps to the player", "the banner of a captain", "a spark in the colour of its tint", "a wall, drawn from its Wall and not as a sprite"}

func (m materialsPart) List() []host.Material {
	list := make([]host.Material, materials)
	for id := range materials {
		w, h := render.Art(id).Size()
		c := render.Art(id).MainColor()
		mat := host.Material{ID: int(id), Name: id.String(), Kind: "sprite", Width: w, Height: h, Blend: "alpha",
			Color: fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B), Doc: materialDocs[id]}
		switch id {
		case MatBolt, MatSpark:
			mat.Blend = "add"
		case MatWall:
			mat.Kind, mat.Blend = "tile", "opaque"
		}
		list[id] = mat
	}
	q := m.g.looks.Query(&m.g.World)
	for q.Next() {
		if s := q.Get(); s.Material < materials {
			list[s.Material].Uses++
		}
	}
	return list
}

type renderPart struct{ g *Game }

func (r renderPart) Info() host.RenderInfo {
	st := r.g.renderer.Stats()
	return host.RenderInfo{Backend: "software", Width: ViewW, Height: ViewH, OnDemand: true, Pictures: r.g.pictures,
		LastMs: ms(r.g.drawTime), Drawn: st.Drawn, Culled: st.Culled, Details: map[string]any{"lights": st.Lights}}
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

type physicsPart struct{ g *Game }

func (p physicsPart) Info() host.PhysicsInfo {
	g := p.g
	step := g.stepTime
	g.fillSpace()
	info := host.PhysicsInfo{Contacts: g.contacts, Ignored: g.space.Ignored(), CellSize: g.space.CellSize(), StepMs: ms(step)}
	g.stepTime = step
	counts := map[string]any{}
	for i := range g.refs {
		if g.refs[i].group == GroupWall {
			info.Statics++
		} else {
			info.Bodies++
		}
		name := g.refs[i].group.String()
		n, _ := counts[name].(int)
		counts[name] = n + 1
	}
	info.Details = counts
	for gr := range groups {
		info.Masks = append(info.Masks, host.MaskBit{Bit: gr.Bit(), Name: gr.String()})
	}
	return info
}

// Raycast sees the world as it is now, also what was edited since the last tick.
func (p physicsPart) Raycast(r host.Ray) (host.RayHit, bool, error) {
	step := p.g.stepTime
	p.g.fillSpace()
	p.g.stepTime = step
	h, ok := p.g.space.Raycast(r.X1, r.Y1, r.X2, r.Y2, r.Mask)
	if !ok {
		return host.RayHit{}, false, nil
	}
	return host.RayHit{Entity: archeworld.EntityOf(p.g.ref(h.Body).entity), X: h.X, Y: h.Y, NormalX: h.NX, NormalY: h.NY, Fraction: h.Fraction}, true, nil
}

type audioPart struct{ g *Game }

func (a audioPart) Info() host.AudioInfo {
	m := a.g.mixer
	info := host.AudioInfo{SampleRate: m.Rate, Channels: 2, Gain: m.Gain, MaxVoices: m.MaxVoices(), Started: m.Started, Stolen: m.Stolen,
		Playing: []host.Voice{}, Sounds: []host.Sound{}}
	info.Peak, info.RMS = m.Levels(m.Rate / 60)
	for _, v := range m.Voices() {
		info.Playing = append(info.Playing, host.Voice{Sound: v.Sound.Name, Gain: v.Gain, Pan: v.Pan, PositionMs: ms(v.Position()), Loop: v.Loop})
	}
	for _, s := range m.Sounds() {
		info.Sounds = append(info.Sounds, soundInfo(s))
	}
	return info
}

func soundInfo(s *audio.Sound) host.Sound {
	return host.Sound{Name: s.Name, Source: s.Source, DurationMs: ms(s.Duration()), Samples: len(s.Samples), Peak: s.Peak()}
}

func (a audioPart) Reload(name string) (host.Sound, error) {
	if a.g.bank == nil {
		return host.Sound{}, &refusal.Error{Code: refusal.NotSupported, Message: "the game runs without sounds"}
	}
	s, err := a.g.bank.Reload(name)
	if err == nil {
		return soundInfo(s), nil
	}
	e := &refusal.Error{Code: refusal.InvalidArguments, Message: err.Error(), Got: name, Hint: "the old sound stays; the file must be 16-bit PCM WAV in the asset folder"}
	switch {
	case errors.Is(err, audio.ErrNoFolder):
		e.Code, e.Hint = refusal.NotSupported, "start the game with -data"
	case errors.Is(err, fs.ErrNotExist):
		var names []string
		for _, f := range a.g.bank.Files() {
			names = append(names, strings.TrimSuffix(f, ".wav"))
		}
		e.Code, e.Message, e.Hint = refusal.NotFound, fmt.Sprintf("the asset folder has no sound %q", name), "audio lists the sounds"
		e.Options, e.Total, e.Next = refusal.Nearest(name, names), len(names), "audio"
	}
	return host.Sound{}, e
}

type screenPart struct{ g *Game }

// Capture draws at once: nothing but memory is needed.
func (s screenPart) Capture(shot host.Shot, done func(host.Picture, error)) {
	if shot.Entity.IsZero() {
		done(host.Picture{Image: s.g.Draw(), Frame: s.g.frame}, nil)
		return
	}
	e, _ := archeworld.Entity(shot.Entity) // the tool has checked it
	switch {
	case !s.g.World.Alive(e):
		done(host.Picture{}, &refusal.Error{Code: refusal.EntityDead, Message: "entity " + shot.Entity.String() + " is not alive", Next: "query"})
	case !s.g.position.Has(e):
		done(host.Picture{}, &refusal.Error{Code: refusal.ComponentMissing, Message: "entity " + shot.Entity.String() + " has no Position: there is no place to show",
			Want: "Position"})
	default:
		img, at := s.g.drawAround(e)
		done(host.Picture{Image: img, Frame: s.g.frame, Focus: &at}, nil)
	}
}
