//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

type latecomer struct{ A int }

func TestAnswersAreBoundedAndWellFormed(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		answer := func(v any) *tools.Reply {
			must(t, s.Register(plain("v", nil, func(*tools.Frame, json.RawMessage) (any, error) { return v, nil })))
			return polled(t, s, "v", "")
		}
		if text := refusedWith(t, answer(map[string]string{"s": strings.Repeat("x", 1<<20)}), refusal.TooLarge); !strings.Contains(text, "carried out") {
			t.Error(text)
		}
		refusedWith(t, answer(json.RawMessage(`{"half":`)), refusal.Panicked)
		refusedWith(t, answer(json.RawMessage(`[1]`)), refusal.Panicked)
		if r := answer(json.RawMessage("{\n  \"a\": \"b c\"\n}")); string(r.Structured) != `{"a":"b c","frame":5}` {
			t.Errorf("%s", r.Structured)
		}
		picture := func(bytes int) *tools.Result {
			return &tools.Result{Structured: json.RawMessage(`{"a":1}`), Content: []tools.Content{{Type: "image", Data: make([]byte, bytes), MIMEType: "image/png"}}}
		}
		// Some clients show their model the structured content and drop the picture.
		if r := answer(picture(700 << 10)); len(r.Content) != 1 || r.Structured != nil || r.Text != `{"a":1,"frame":6}` {
			t.Errorf("beside a picture: %d blocks, structured content %s, text %s", len(r.Content), r.Structured, r.Text)
		}
		refusedWith(t, answer(picture(800<<10)), refusal.TooLarge) // as base64 a third larger
		succeeded(t, answer(nil))
	})
}

func TestSlowFramePartIsReported(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		d := 3 * time.Millisecond
		must(t, s.Register(plain("work", nil, func(*tools.Frame, json.RawMessage) (any, error) { time.Sleep(d); return nil, nil })))
		if r := polled(t, s, "work", ""); r.Meta != nil {
			t.Errorf("3 ms are reported: %v", r.Meta)
		}
		d = 12500 * time.Microsecond
		if r := polled(t, s, "work", ""); r.Meta["frameMs"] != 12.5 {
			t.Errorf("meta %v", r.Meta)
		}
		if l := logsOf(s); strings.Count(l, "slow tool on the frame") != 1 || !strings.Contains(l, `"tool":"work"`) {
			t.Errorf("log:\n%s", l)
		}
	})
}

func TestComponentRegisteredJustNowIsFound(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		w := bindArche(s, nil)
		type in struct {
			Component string `json:"component" jsonschema:"name of a component"`
		}
		type none struct{}
		must(t, s.Register(tools.NewPhased(tools.Spec{Name: "find", Description: "d", NeedsWorld: true}, tools.Phases[in, none, none, none]{
			Before: func(c *tools.Call, a in) (none, error) {
				_, err := c.Catalog.Component(a.Component)
				return none{}, err
			},
			Frame: func(*tools.Frame, none) (none, error) { return none{}, nil }})))
		succeeded(t, polled(t, s, "find", `{"component":"Position"}`))
		id := arche.ComponentID[latecomer](w)
		w.NewEntity(id)
		out := ask(context.Background(), s, "find", `{"component":"latecomer"}`)
		for range 3 {
			synctest.Wait()
			s.Poll()
		}
		succeeded(t, <-out)
		// While no frame comes it does not wait for ever.
		start := time.Now()
		refusedWith(t, <-ask(context.Background(), s, "find", `{"component":"Positon"}`), refusal.UnknownComponent)
		if d := time.Since(start); d > 300*time.Millisecond {
			t.Errorf("waited %v", d)
		}
	})
}

func TestUntypedArgumentsAreCheckedAgainstTheSchema(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		type in struct {
			Wave int    `json:"wave" jsonschema:"which wave" debug:"min=1,max=9"`
			Mode string `json:"mode,omitempty" jsonschema:"how" debug:"enum=easy|hard"`
		}
		schema, err := tools.SchemaOf[in]()
		must(t, err)
		ran := 0
		must(t, s.Register(plain("start", func(t *tools.Tool) { t.InputSchema = schema }, func(*tools.Frame, json.RawMessage) (any, error) { ran++; return nil, nil })))
		for args, mention := range map[string]string{
			`{"wav":1}`:                `unknown argument "wav"; options: wave`,
			`{}`:                       `missing argument "wave"`,
			`{"wave":"x"}`:             "must be an integer, got a string",
			`{"wave":1.5}`:             "must be an integer, got a number",
			`{"wave":0}`:               "below its minimum 1",
			`{"wave":10}`:              "above its maximum 9",
			`{"wave":1,"mode":"hrad"}`: "options: hard",
			`[1]`:                      "must be a JSON object",
		} {
			if text := refusedWith(t, now(t, s, "start", args), refusal.InvalidArguments); !strings.Contains(text, mention) {
				t.Errorf("%s: %q does not mention %q", args, text, mention)
			}
		}
		if ran != 0 {
			t.Errorf("ran %d times with bad arguments", ran)
		}
		succeeded(t, polled(t, s, "start", `{"wave":1,"mode":"hard"}`))
	})
}
