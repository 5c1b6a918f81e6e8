package hosttools

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/schedule"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/tooltest"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// parts is a host that provides every subsystem, each as small as can be: lists
// are nil, there is nothing optional.
type parts struct {
	stack  []string
	cam    host.CameraInfo
	ray    host.Ray
	pushed []any
	// Capture: what is answered, and whether now or at the end of a frame.
	picture image.Image
	err     error
	later   bool
	waiting []func()
	shot    host.Shot
}

type (
	partCamera    struct{ *parts }
	partLayers    struct{ *parts }
	partMaterials struct{ *parts }
	partRender    struct{ *parts }
	partPhysics   struct{ *parts }
	partAudio     struct{ *parts }
	partEvents    struct{ *parts }
)

func (p *parts) Stack() []string        { return p.stack }
func (p *parts) Names() []string        { return []string{"playing", "paused"} }
func (p *parts) Push(name string) error { p.stack = append(p.stack, name); return nil }
func (p *parts) Pop() error {
	if len(p.stack) == 0 {
		return errors.New("nothing to pop")
	}
	p.stack = p.stack[:len(p.stack)-1]
	return nil
}

func (p partCamera) Info() host.CameraInfo { return p.cam }
func (p partCamera) Move(m host.CameraMove) error {
	if m.X != nil {
		p.cam.X = *m.X
	}
	if m.Zoom != nil {
		p.cam.Zoom = *m.Zoom
	}
	return nil
}
func (p partLayers) List() []host.Layer {
	return []host.Layer{{Name: "back"}, {Index: 1, Name: "front"}}
}
func (p partMaterials) List() []host.Material { return nil }
func (p partRender) Info() host.RenderInfo    { return host.RenderInfo{Backend: "none"} }
func (p partPhysics) Info() host.PhysicsInfo  { return host.PhysicsInfo{} }
func (p partPhysics) Raycast(r host.Ray) (host.RayHit, bool, error) {
	p.ray = r
	return host.RayHit{X: 1, NormalX: -1, Fraction: 0.5}, r.Mask != 0, nil
}
func (p partAudio) Info() host.AudioInfo { return host.AudioInfo{} }
func (p partAudio) Reload(name string) (host.Sound, error) {
	if name != "shot" {
		return host.Sound{}, errors.New("broken")
	}
	return host.Sound{Name: name}, nil
}

type partKey struct {
	Key string `json:"key" jsonschema:"which"`
}

func (p partEvents) Kinds() []host.EventKind {
	return []host.EventKind{{Name: "key", Payload: reflect.TypeFor[partKey]()}, {Name: "quit"}}
}
func (p partEvents) Push(kind string, payload any) error {
	p.pushed = append(p.pushed, payload)
	return nil
}

func (p *parts) Capture(shot host.Shot, done func(host.Picture, error)) {
	p.shot = shot
	answer := func() { done(host.Picture{Image: p.picture, Frame: 7}, p.err) }
	if p.later {
		p.waiting = append(p.waiting, answer)
		return
	}
	answer()
}

func newParts(t *testing.T) (*tooltest.Harness, *parts, *schedule.Schedule) {
	t.Helper()
	s := schedule.New("movement", "render")
	s.Add("movement", "movement", func() {}, schedule.Writes("Position"))
	s.Add("render", "draw", func() {})
	p := &parts{stack: []string{"playing"}, cam: host.CameraInfo{Zoom: 1}}
	app := &host.App{Systems: s, States: p, Clock: &partClock{}, Events: partEvents{p}, Camera: partCamera{p}, Layers: partLayers{p}, Materials: partMaterials{p},
		Render: partRender{p}, Physics: partPhysics{p}, Audio: partAudio{p}, Screen: p}
	ts := slices.Concat(Events(func() *host.App { return app }), Systems(), States(), Clock(0), Camera(), Layers(), Materials(),
		Render(), Physics(), Audio(), Screen(t.TempDir(), 1<<20))
	h := tooltest.New(t, ts...)
	h.App = app
	return h, p, s
}

func TestSystemsTools(t *testing.T) {
	h, _, s := newParts(t)
	for n := range uint64(200) {
		s.Frame(n + 1)
		s.Run()
	}
	out := h.OK("systems_list", map[string]any{})
	if rows := out["systems"].([]any); len(rows) != 2 || rows[0].(map[string]any)["name"] != "movement" {
		t.Errorf("%v", out)
	}
	if out := h.OK("systems_list", `{"phase":"render"}`); len(out["systems"].([]any)) != 1 {
		t.Errorf("phase render: %v", out)
	}
	if e := h.WantRefusal("systems_list", `{"phase":"rendr"}`, refusal.NotFound); e.Options[0] != "render" {
		t.Errorf("options %v", e.Options)
	}
	times := h.OK("systems_info", `{"name":"draw"}`)["times"].([]any)
	if len(times) != 120 || times[0].(map[string]any)["frame"] != json.Number("81") || times[119].(map[string]any)["frame"] != json.Number("200") {
		t.Errorf("%d times from %v", len(times), times[0])
	}
	if out := h.OK("systems_stop", `{"name":"movement"}`); out["enabled"] != false {
		t.Errorf("stopped: %v", out)
	}
	s.Frame(201)
	s.Run()
	if out := h.OK("systems_list", `{"disabled":true}`); len(out["systems"].([]any)) != 1 || out["systems"].([]any)[0].(map[string]any)["runs"] != json.Number("200") {
		t.Errorf("disabled: %v", out)
	}
	if out := h.OK("systems_start", `{"name":"movement"}`); out["enabled"] != true {
		t.Errorf("started: %v", out)
	}
	for _, tool := range []string{"systems_info", "systems_stop", "systems_start"} {
		if e := h.WantRefusal(tool, `{"name":"movment"}`, refusal.NotFound); e.Options[0] != "movement" {
			t.Errorf("%s: options %v", tool, e.Options)
		}
	}
}

func TestStatesTools(t *testing.T) {
	h, p, _ := newParts(t)
	if out := h.OK("states_push", `{"name":"paused"}`); out["top"] != "paused" || out["depth"] != json.Number("2") {
		t.Errorf("%v", out)
	}
	if e := h.WantRefusal("states_push", `{"name":"pause"}`, refusal.NotFound); e.Options[0] != "paused" || len(p.stack) != 2 {
		t.Errorf("options %v, stack %v", e.Options, p.stack)
	}
	if out := h.OK("states_pop", `{}`); out["top"] != "playing" {
		t.Errorf("%v", out)
	}
	p.stack = nil
	if out := h.OK("states_info", `{}`); out["top"] != "" || len(out["stack"].([]any)) != 0 {
		t.Errorf("an empty stack: %v", out)
	}
	if _, err := h.Run("states_pop", `{}`); err == nil {
		t.Error("the host's refusal to pop was lost")
	}
}

func TestEventTool(t *testing.T) {
	h, p, _ := newParts(t)
	if kinds := h.OK("send_event", `{}`)["kinds"].([]any); len(kinds) != 2 || kinds[0].(map[string]any)["schema"] == nil || kinds[1].(map[string]any)["schema"] != nil {
		t.Errorf("kinds %v", kinds)
	}
	h.OK("send_event", `{"kind":"key","payload":{"key":"W"}}`)
	h.OK("send_event", `{"kind":"quit"}`)
	if want := []any{partKey{"W"}, nil}; !reflect.DeepEqual(p.pushed, want) {
		t.Errorf("pushed %v, want %v", p.pushed, want)
	}
	h.WantRefusal("send_event", `{"kind":"key"}`, refusal.InvalidArguments)
	for payload, want := range map[string]string{`{"kye":"W"}`: `the payload of event "key": it has no field "kye"`, `{}`: `the payload of event "key": `, `{"key":3}`: `the payload of event "key": `} {
		e := h.WantRefusal("send_event", `{"kind":"key","payload":`+payload+`}`, refusal.InvalidArguments)
		if schema, ok := e.Extra["schema"].(*tools.Schema); !strings.HasPrefix(e.Message, want) || !strings.Contains(e.Hint, "schema") || !ok || schema.Properties["key"] == nil {
			t.Errorf("%s: %q, hint %q, extra %v", payload, e.Message, e.Hint, e.Extra)
		}
	}
	h.WantRefusal("send_event", `{"kind":"quit","payload":{"a":1}}`, refusal.InvalidArguments)
	if e := h.WantRefusal("send_event", `{"kind":"kez"}`, refusal.NotFound); e.Options[0] != "key" {
		t.Errorf("options %v", e.Options)
	}
	if len(p.pushed) != 2 {
		t.Errorf("a refused event was pushed: %v", p.pushed)
	}
}

func TestSmallPartsAnswerWholeResults(t *testing.T) {
	h, p, _ := newParts(t)
	h.OK("camera_info", `{}`)
	if out := h.OK("camera_move", `{"x":"4.5","zoom":2}`); out["x"] != json.Number("4.5") || out["zoom"] != json.Number("2") {
		t.Errorf("%v", out)
	}
	for _, bad := range []string{`{"zoom":0}`, `{"zoom":-2}`, `{}`, `{"x":"NaN"}`, `{"rotation":"Infinity"}`, `{"w":1}`} {
		h.WantRefusal("camera_move", bad, refusal.InvalidArguments)
	}
	if p.cam.X != 4.5 || p.cam.Zoom != 2 {
		t.Errorf("a refused move moved: %+v", p.cam)
	}
	if out := h.OK("layers_list", `{"limit":1}`); out["truncated"] != true || out["total"] != json.Number("2") {
		t.Errorf("%v", out)
	}
	if out := h.OK("layers_info", `{"layer":"front"}`); out["index"] != json.Number("1") {
		t.Errorf("%v", out)
	}
	h.WantRefusal("layers_info", `{"layer":"7"}`, refusal.NotFound)
	if out := h.OK("materials_list", `{}`); len(out["materials"].([]any)) != 0 {
		t.Errorf("%v", out)
	}
	h.WantRefusal("materials_info", `{"material":"gold"}`, refusal.NotFound)
	h.OK("render_info", `{}`)
	h.OK("physics_info", `{}`)
	if out := h.OK("physics_raycast", `{"x1":0,"y1":0,"x2":2,"y2":0}`); out["hit"] != true || out["entity"] != nil || out["normalX"] != json.Number("-1") || p.ray.Mask != ^uint32(0) {
		t.Errorf("%v, mask %x", out, p.ray.Mask)
	}
	if out := h.OK("physics_raycast", `{"x1":0,"y1":0,"x2":2,"y2":0,"mask":0}`); out["hit"] != false || out["x"] != nil {
		t.Errorf("%v", out)
	}
	h.WantRefusal("physics_raycast", `{"x1":0,"y1":0,"x2":"NaN","y2":0}`, refusal.InvalidArguments)
	h.WantRefusal("physics_raycast", `{"x1":0,"y1":0}`, refusal.InvalidArguments)
	if out := h.OK("audio", `{}`); len(out["playing"].([]any)) != 0 {
		t.Errorf("%v", out)
	}
	if out := h.OK("reload_sound", `{"name":"shot"}`); out["reloaded"] != true {
		t.Errorf("%v", out)
	}
	if _, err := h.Run("reload_sound", `{"name":"other"}`); err == nil {
		t.Error("the host's refusal was lost")
	}
}

// The app may be exchanged between listing and call.
func TestAPartThatWentAwayIsRefused(t *testing.T) {
	h, _, _ := newParts(t)
	h.App = &host.App{}
	for tool, args := range map[string]string{"systems_list": `{}`, "systems_stop": `{"name":"movement"}`, "states_info": `{}`, "states_push": `{"name":"paused"}`, "states_pop": `{}`,
		"camera_info": `{}`, "camera_move": `{"x":1}`, "layers_list": `{}`, "layers_info": `{"layer":"x"}`, "materials_list": `{}`, "materials_info": `{"material":"x"}`,
		"render_info": `{}`, "physics_info": `{}`, "physics_raycast": `{"x1":0,"y1":0,"x2":1,"y2":1}`, "audio": `{}`, "reload_sound": `{"name":"shot"}`, "screenshot": `{}`,
		"clock_info": `{}`, "clock_set": `{"paused":true}`, "run_until": `{"where":"Position.X > 0"}`} {
		h.WantRefusal(tool, args, refusal.NotSupported)
	}
	h.WantRefusal("send_event", `{"kind":"quit"}`, refusal.NotRunning)
}

func TestScreenshotOfAHostWithoutADisplay(t *testing.T) {
	h, p, _ := newParts(t)
	h.WantRefusal("screenshot", `{}`, refusal.NotSupported) // neither picture nor error
	p.picture = image.NewRGBA(image.Rectangle{})
	h.WantRefusal("screenshot", `{}`, refusal.NotSupported)
	p.picture, p.err = image.NewRGBA(image.Rect(0, 0, 4, 4)), host.ErrNoDisplay
	h.WantRefusal("screenshot", `{}`, refusal.NotSupported)
	p.err = nil
	if out := h.OK("screenshot", `{"scale":2}`); out["width"] != json.Number("8") || out["drawnFrame"] != json.Number("7") {
		t.Errorf("%v", out)
	}
	h.WantRefusal("screenshot", `{"scale":8.5}`, refusal.InvalidArguments)
	p.picture = image.NewRGBA(image.Rect(0, 0, 2000, 2000))
	h.WantRefusal("screenshot", `{"scale":2}`, refusal.TooLarge)
	h.WantRefusal("screenshot", `{"entity":"999v0"}`, refusal.UnknownEntity)
}

// Clients hand a model pictures of at most 1568 pixels a side, and a reply has
// at most a mebibyte: noise, which no compressor makes smaller, has to shrink.
func TestScreenshotsAreBounded(t *testing.T) {
	h, p, _ := newParts(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	noise := image.NewNRGBA(image.Rect(0, 0, 3840, 2160))
	for i := range noise.Pix {
		noise.Pix[i] = byte(rnd.Uint32()) // alpha too
	}
	plain := image.NewRGBA(noise.Rect)
	for _, c := range []struct {
		img           image.Image
		args          string
		width, height string
	}{
		{plain, `{}`, "1568", "882"},
		{plain, `{"scale":0.5}`, "1920", "1080"}, // asked for
		{plain, `{"crop":{"width":2000,"height":100}}`, "1568", "78"},
		{plain, `{"crop":{"width":1000,"height":100}}`, "1000", "100"},
		{noise, `{"scale":0.1}`, "384", "216"},
		{noise, `{}`, "", ""},
	} {
		p.picture = c.img
		out, content := h.Answer("screenshot", c.args)
		img, err := png.Decode(bytes.NewReader(content[0].Data))
		if err != nil {
			t.Fatal(err)
		}
		got := img.Bounds().Size()
		if out["width"] != json.Number(strconv.Itoa(got.X)) || out["height"] != json.Number(strconv.Itoa(got.Y)) {
			t.Errorf("%s: a picture of %v, and the text says %v", c.args, got, out)
		}
		if c.width != "" && (out["width"] != json.Number(c.width) || out["height"] != json.Number(c.height)) {
			t.Errorf("%s: %v, want %s x %s", c.args, out, c.width, c.height)
		}
		if n := base64.StdEncoding.EncodedLen(len(content[0].Data)); n > 1<<20-textRoom || max(got.X, got.Y) > 1920 {
			t.Errorf("%s: %v pixels, %d bytes of base64", c.args, got, n)
		}
		if !img.(interface{ Opaque() bool }).Opaque() {
			t.Errorf("%s: the picture is not opaque", c.args)
		}
	}
	h.WantRefusal("screenshot", `{"scale":0.5}`, refusal.TooLarge)
}

// A host that draws at the end of a frame is asked once and waited for, frame by
// frame; what it draws then is the answer.
func TestScreenshotWaitsForTheEndOfAFrame(t *testing.T) {
	h, p, _ := newParts(t)
	p.picture, p.later = image.NewRGBA(image.Rect(10, 10, 40, 30)), true
	tool, _ := listing.Of(h.Reg).Lookup("screenshot")
	c := &tools.Call{Context: context.Background(), Registry: h.Reg, Log: slog.New(slog.DiscardHandler), Catalog: h.World.Catalog()}
	job, err := tool.Handler.Prepare(c, json.RawMessage(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	f := &tools.Frame{World: h.World, App: h.App, Call: c}
	for range 3 {
		if err := job.Frame(f); !errors.Is(err, tools.ErrLater) {
			t.Fatalf("before the picture is drawn: %v, want ErrLater", err)
		}
	}
	if len(p.waiting) != 1 {
		t.Fatalf("the host was asked %d times", len(p.waiting))
	}
	p.waiting[0]()
	p.picture = nil
	p.waiting[0]() // a second answer is ignored
	if err := job.Frame(f); err != nil {
		t.Fatal(err)
	}
	r, err := job.Finish(c)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.Content, func(c tools.Content) bool { return c.Type == "image" && c.MIMEType == "image/png" && len(c.Data) > 50 })
	if i < 0 {
		t.Errorf("no picture in the answer: %+v", r)
	}
}

func TestResample(t *testing.T) {
	src := image.NewRGBA(image.Rect(5, 5, 9, 7))
	for i := range src.Pix {
		src.Pix[i] = uint8(i * 4)
		if i%4 == 3 {
			src.Pix[i] = 255
		}
	}
	if same := resample(src, src.Rect, 4, 2); !slices.Equal(same.Pix, src.Pix) {
		t.Error("a picture of the same size is another")
	}
	big := resample(src, src.Rect, 8, 4)
	for y := range 4 {
		for x := range 8 {
			if big.RGBAAt(x, y) != src.RGBAAt(5+x/2, 5+y/2) {
				t.Fatalf("enlarged pixel %d,%d is %v", x, y, big.RGBAAt(x, y))
			}
		}
	}
	small := resample(src, src.Rect, 1, 1)
	sum := 0
	for i := 0; i < len(src.Pix); i += 4 {
		sum += int(src.Pix[i])
	}
	if got := int(small.Pix[0]); got != sum/8 {
		t.Errorf("reduced to %d, want the mean %d", got, sum/8)
	}
}

var _ host.SystemTimes = (*schedule.Schedule)(nil)

// Clients that have seen an index in layers_list pass it on as a number.
func TestLayersAndMaterialsByNumber(t *testing.T) {
	h, _, _ := newParts(t)
	for _, c := range []struct{ tool, number, text string }{{"layers_info", `{"layer":1}`, `{"layer":"1"}`}, {"layers_info", `{"layer":1}`, `{"layer":"front"}`}} {
		if a, b := h.OK(c.tool, c.number), h.OK(c.tool, c.text); fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s: %v for the number, %v for %s", c.tool, a, b, c.text)
		}
	}
	for _, args := range []string{`{"layer":1.5}`, `{"layer":true}`} {
		h.WantRefusal("layers_info", args, refusal.InvalidArguments)
	}
	h.WantRefusal("layers_info", `{"layer":7}`, refusal.NotFound)
	h.WantRefusal("materials_info", `{"material":7}`, refusal.NotFound)
}

// An acknowledgement alone looks as if the event had been taken.
func TestEventsWhileTimeStandsStill(t *testing.T) {
	h, p, _ := newParts(t)
	if out := h.OK("send_event", `{"kind":"quit"}`); out["hint"] != nil {
		t.Errorf("%v", out)
	}
	h.App.Clock = &partClock{paused: true}
	if out := h.OK("send_event", `{"kind":"quit"}`); !strings.Contains(fmt.Sprint(out["hint"]), "clock_set") {
		t.Errorf("a paused clock: %v", out)
	}
	h.App.Clock = nil
	p.stack = []string{"playing", "paused"}
	if out := h.OK("send_event", `{"kind":"quit"}`); !strings.Contains(fmt.Sprint(out["hint"]), "states_pop") {
		t.Errorf("a paused state: %v", out)
	}
}

// hisOwn returns the slice that it keeps.
type hisOwn []host.SystemInfo

func (s hisOwn) List() []host.SystemInfo       { return s }
func (s hisOwn) SetEnabled(string, bool) error { return nil }

// A list is read, and left as the host has it.
func TestTheHostsListStaysItsOwn(t *testing.T) {
	h, _, _ := newParts(t)
	row := host.SystemInfo{Name: "draw", Phase: "render", Enabled: true, LastMs: 0.12345, Doc: "Draws.", Func: "game.draw", Source: "game/draw.go:7"}
	s := hisOwn{{Name: "movement", Phase: "movement", Enabled: true}, row}
	h.App.Systems = s
	h.OK("systems_list", `{"phase":"render"}`)
	if s[0].Name != "movement" || !reflect.DeepEqual(s[1], row) {
		t.Errorf("the host's list is now %+v", s)
	}
}
