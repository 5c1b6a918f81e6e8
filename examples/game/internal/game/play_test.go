package game

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/examples/game/internal/audio"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools/host"
)

// client calls tools as a debug client does.
type client struct {
	t   *testing.T
	g   *Game
	dbg *mcpdebug.Server
}

func connect(t *testing.T, g *Game) *client {
	dbg := mcpdebug.New(&mcpdebug.Options{DataDir: t.TempDir()})
	t.Cleanup(func() { dbg.Close() })
	dbg.Bind(archeworld.New(&g.World), g.App())
	dbg.Poll()
	return &client{t, g, dbg}
}

// frames lets the game run with its debug server.
func (c *client) frames(n int) {
	for range n {
		c.dbg.Poll()
		run(c.g, 1)
	}
}

type answer struct {
	Result struct {
		IsError           bool
		StructuredContent json.RawMessage
		Content           []struct{ Type, Text, MIMEType, Data string }
	}
	Error json.RawMessage
}

func (c *client) call(tool string, args any) answer {
	c.t.Helper()
	msg, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args}})
	if err != nil {
		c.t.Fatal(err)
	}
	var a answer
	if text := c.dbg.Dispatch(string(msg)); json.Unmarshal([]byte(text), &a) != nil || a.Error != nil {
		c.t.Fatalf("%s: %s", tool, text)
	}
	return a
}

// ok calls and wants a success.
func (c *client) ok(tool string, args any, into any) {
	c.t.Helper()
	a := c.call(tool, args)
	if a.Result.IsError {
		c.t.Fatalf("%s(%v): %s", tool, args, a.Result.StructuredContent)
	}
	if into != nil {
		if err := json.Unmarshal(a.Result.StructuredContent, into); err != nil {
			c.t.Fatalf("%s: %v in %s", tool, err, a.Result.StructuredContent)
		}
	}
}

// refused calls and wants a refusal with a code.
func (c *client) refused(tool string, args any, code refusal.Code) *refusal.Error {
	c.t.Helper()
	a := c.call(tool, args)
	var r struct{ Error refusal.Error }
	json.Unmarshal(a.Result.StructuredContent, &r)
	if !a.Result.IsError || r.Error.Code != code {
		c.t.Errorf("%s(%v): got %s, want a refusal %s", tool, args, a.Result.StructuredContent, code)
	}
	return &r.Error
}

type obj = map[string]any

// An agent plays: it looks where the player is, presses a key, and the player
// goes there, away from where the autopilot would; later the autopilot is back.
func TestAnAgentPlays(t *testing.T) {
	t.Parallel()
	c := connect(t, play(t, Options{Seed: 1, Enemies: 12}, 0))
	c.frames(30)
	where := func() Position {
		var r struct {
			Entities []struct{ Values struct{ Position Position } }
		}
		c.ok("query", obj{"with": []string{"Player", "Position"}}, &r)
		return r.Entities[0].Values.Position
	}
	for key, dir := range map[string]Position{"D": {1, 0}, "a": {-1, 0}, "Up": {0, -1}, "s": {0, 1}} {
		before := where()
		c.ok("send_event", obj{"kind": "key", "payload": obj{"key": key, "down": true}}, nil)
		c.frames(30)
		after := where()
		// A wall may be near: the way must be in the direction, and not elsewhere.
		if along := (after.X-before.X)*dir.X + (after.Y-before.Y)*dir.Y; along < 8 {
			t.Errorf("key %s: went from %v to %v", key, before, after)
		}
		c.ok("send_event", obj{"kind": "key", "payload": obj{"key": key, "down": false}}, nil)
	}
	if !c.g.manual() {
		t.Error("the autopilot took over at once")
	}
	c.frames(200)
	if c.g.manual() {
		t.Error("the autopilot is not back after three seconds")
	}

	shots := c.g.score.Shots
	c.ok("send_event", obj{"kind": "pointer", "payload": obj{"x": 320, "y": 0, "down": true}}, nil)
	c.frames(30)
	if p := c.g.pilot.Get(playerOf(t, c.g)); c.g.score.Shots < shots+3 || math.Abs(math.Hypot(p.AimX, p.AimY)-1) > 1e-9 || p.AimY > 0 {
		t.Errorf("pointer at the top: %d shots, aim %v,%v", c.g.score.Shots-shots, p.AimX, p.AimY)
	}
	foes := countFoes(c.g)
	c.ok("send_event", obj{"kind": "spawn_wave", "payload": obj{"count": 25}}, nil)
	c.frames(1)
	if n := countFoes(c.g); n < foes+20 {
		t.Errorf("%d enemies after a wave of 25, %d before", n, foes)
	}
	c.ok("send_event", obj{"kind": "set_paused", "payload": obj{"paused": true}}, nil)
	tick := c.g.Ticks()
	c.frames(10)
	if c.g.Ticks() != tick || c.g.States.Top() != Paused {
		t.Error("set_paused did not pause")
	}
	c.ok("send_event", obj{"kind": "key", "payload": obj{"key": "P", "down": true}}, nil)
	c.frames(1)
	if c.g.Ticks() != tick+1 {
		t.Error("P did not go on")
	}
	c.ok("send_event", obj{"kind": "quit"}, nil)
	if !c.g.Quit() {
		t.Error("quit did not quit")
	}
}

func TestEventsThatAreRefused(t *testing.T) {
	c := connect(t, play(t, Options{Seed: 1, Enemies: 12}, 10))
	before := c.g.Hash()
	if e := c.refused("send_event", obj{"kind": "kye"}, refusal.NotFound); len(e.Options) == 0 || e.Options[0] != "key" {
		t.Errorf("options %v", e.Options)
	}
	if e := c.refused("send_event", obj{"kind": "key", "payload": obj{"key": "Spcae", "down": true}}, refusal.InvalidArguments); !slices.Contains(e.Options, "Space") {
		t.Errorf("options %v", e.Options)
	}
	c.refused("send_event", obj{"kind": "key"}, refusal.InvalidArguments)
	c.refused("send_event", obj{"kind": "key", "payload": obj{"key": "W", "down": true, "hard": 1}}, refusal.InvalidArguments)
	c.refused("send_event", obj{"kind": "pointer", "payload": obj{"x": -5, "y": 0}}, refusal.InvalidArguments)
	c.refused("send_event", obj{"kind": "quit", "payload": obj{"now": true}}, refusal.InvalidArguments)
	c.refused("send_event", obj{"payload": obj{"key": "W"}}, refusal.InvalidArguments)
	if c.g.Hash() != before || c.g.Quit() || c.g.input.Any {
		t.Error("a refused event changed something")
	}
	var r struct {
		Kinds []struct {
			Name   string
			Schema struct{ Properties map[string]any }
		}
	}
	c.ok("send_event", obj{}, &r)
	if len(r.Kinds) != 7 || r.Kinds[0].Name != "key" || r.Kinds[0].Schema.Properties["down"] == nil {
		t.Errorf("kinds %+v", r.Kinds)
	}
}

func TestCamera(t *testing.T) {
	c := connect(t, play(t, Options{Seed: 1, Enemies: 12}, 60))
	type view struct {
		X, Y, Zoom float64
		Follows    string
		Viewport   host.Viewport
	}
	var i view
	c.ok("camera_info", obj{}, &i)
	if i.Zoom != 1 || i.Viewport.Width != ViewW || math.Abs(i.Viewport.MaxX-i.Viewport.MinX-ViewW) > 1e-9 || i.Follows == "" {
		t.Errorf("%+v", i)
	}
	c.ok("camera_move", obj{"x": 100, "y": 50, "zoom": 2}, &i)
	c.frames(30)
	i = view{}
	c.ok("camera_info", obj{}, &i)
	if i.X != 100 || i.Y != 50 || i.Zoom != 2 || i.Viewport.MinX != 100-ViewW/4 || i.Follows != "" {
		t.Errorf("a moved camera stays: %+v", i)
	}
	for _, bad := range []obj{{"zoom": 0}, {"zoom": -1}, {"zoom": 1e9}, {"zoom": "NaN"}, {"x": "Infinity"}, {}, {"z": 1}} {
		c.refused("camera_move", bad, refusal.InvalidArguments)
	}
	if c.g.camera.X != 100 || c.g.camera.Zoom != 2 {
		t.Errorf("a refused move moved: %+v", *c.g.camera)
	}
	c.ok("send_event", obj{"kind": "camera_follow", "payload": obj{"on": true}}, nil)
	c.frames(120)
	if d := math.Abs(c.g.camera.X - c.g.position.Get(playerOf(t, c.g)).X); d > 200 {
		t.Errorf("the camera is %v from the player it follows", d)
	}
}

func TestRaycastThroughTheTool(t *testing.T) {
	c := connect(t, play(t, Options{Seed: 1, Enemies: 30}, 60))
	p := c.g.position.Get(playerOf(t, c.g))
	var r struct {
		Hit                              bool
		Entity, Name                     string
		X, Y, NormalX, NormalY, Fraction float64
	}
	ray := obj{"x1": p.X, "y1": p.Y, "x2": p.X + 5000, "y2": p.Y}
	c.ok("physics_raycast", ray, &r)
	if !r.Hit || r.Name != "player" || r.Fraction != 0 {
		t.Errorf("from inside the player: %+v", r)
	}
	ray["mask"] = GroupWall.Bit()
	c.ok("physics_raycast", ray, &r)
	if !r.Hit || r.Name != "wall" || r.NormalX != -1 || r.X <= p.X || math.Abs(r.Y-p.Y) > 1e-9 {
		t.Errorf("to the wall on the right: %+v", r)
	}
	ray["mask"] = 0
	r.Hit = true
	c.ok("physics_raycast", ray, &r)
	if r.Hit {
		t.Errorf("mask 0 hit: %+v", r)
	}
	c.refused("physics_raycast", obj{"x1": 0, "y1": 0, "x2": 1}, refusal.InvalidArguments)
	c.refused("physics_raycast", obj{"x1": 0, "y1": 0, "x2": 1, "y2": "NaN"}, refusal.InvalidArguments)
	c.refused("physics_raycast", obj{"x1": 0, "y1": 0, "x2": 1, "y2": 1, "mask": -1}, refusal.InvalidArguments)
	// An entity that was moved a moment ago is hit where it is now.
	var s struct{ Entity string }
	c.ok("spawn", obj{"components": obj{"Position": obj{"X": p.X, "Y": p.Y - 40}, "Body": obj{"Radius": 3, "Group": "chest"}}}, &s)
	c.ok("physics_raycast", obj{"x1": p.X - 20, "y1": p.Y - 40, "x2": p.X, "y2": p.Y - 40, "mask": GroupChest.Bit()}, &r)
	if r.Entity != s.Entity || math.Abs(r.X-(p.X-3)) > 1e-9 {
		t.Errorf("the new body: %+v, want %s at %v", r, s.Entity, p.X-3)
	}
	var info host.PhysicsInfo
	c.ok("physics_info", obj{}, &info)
	if info.Bodies < 30 || info.Statics < 8 || len(info.Masks) != int(groups) || info.Masks[4] != (host.MaskBit{Bit: 16, Name: "wall"}) {
		t.Errorf("%+v", info)
	}
}

func TestListsOfLooks(t *testing.T) {
	c := connect(t, play(t, Options{Seed: 1, Enemies: 30}, 60))
	var l struct{ Layers []host.Layer }
	c.ok("layers_list", obj{}, &l)
	if len(l.Layers) != 4 || l.Layers[2].Name != "actors" || l.Layers[2].Sprites < 20 {
		t.Errorf("%+v", l.Layers)
	}
	var layer host.Layer
	c.ok("layers_info", obj{"layer": "2"}, &layer)
	if layer.Name != "actors" {
		t.Errorf("%+v", layer)
	}
	if e := c.refused("layers_info", obj{"layer": "actor"}, refusal.NotFound); e.Options[0] != "actors" {
		t.Errorf("options %v", e.Options)
	}
	var m struct{ Materials []host.Material }
	c.ok("materials_list", obj{"limit": 3}, &m)
	if len(m.Materials) != 3 || m.Materials[1].Name != "grunt" || m.Materials[1].Uses == 0 || m.Materials[1].Width == 0 {
		t.Errorf("%+v", m.Materials)
	}
	c.refused("materials_info", obj{"material": "gold"}, refusal.NotFound)
	c.g.Draw()
	var r host.RenderInfo
	c.ok("render_info", obj{}, &r)
	if r.Pictures != 1 || r.Drawn == 0 || r.LastMs <= 0 || r.Backend != "software" {
		t.Errorf("%+v", r)
	}
}

func TestSoundsAreReloaded(t *testing.T) {
	dir := t.TempDir()
	g := play(t, Options{Seed: 1, Enemies: 30, Sounds: fstest.MapFS{"shot.wav": {Data: audio.EncodeWAV(22050, audio.Synth("shot"))}}, AssetDir: dir}, 0)
	c := connect(t, g)
	c.frames(200)
	var info host.AudioInfo
	c.ok("audio", obj{}, &info)
	if info.Started == 0 || len(info.Sounds) != 1 || info.Sounds[0].Name != "shot" || info.SampleRate != audio.Rate {
		t.Errorf("%+v", info)
	}
	file := filepath.Join(dir, "shot.wav")
	os.WriteFile(file, audio.EncodeWAV(8000, []int16{1, 2, 3, 4}), 0o666)
	var s struct {
		Samples  int
		Reloaded bool
	}
	c.ok("reload_sound", obj{"name": "shot"}, &s)
	if s.Samples != 4 || !s.Reloaded {
		t.Errorf("%+v", s)
	}
	os.WriteFile(file, []byte("broken"), 0o666)
	c.refused("reload_sound", obj{"name": "shot"}, refusal.InvalidArguments)
	c.refused("reload_sound", obj{"name": "../shot"}, refusal.InvalidArguments)
	if e := c.refused("reload_sound", obj{"name": "shoot"}, refusal.NotFound); len(e.Options) == 0 || e.Options[0] != "shot" {
		t.Errorf("options %v", e.Options)
	}
	if n := len(g.Mixer().Sound("shot").Samples); n != 4 {
		t.Errorf("the old sound is gone: %d samples", n)
	}
	if err := play(t, Options{Seed: 1}, 0).reload("shot"); !errors.Is(err, refusal.NotSupported) {
		t.Errorf("without sounds: %v", err)
	}
}

func (g *Game) reload(name string) error {
	_, err := g.App().Audio.Reload(name)
	return err
}
