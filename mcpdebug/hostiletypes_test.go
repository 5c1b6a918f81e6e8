//go:build !nomcpdebug

package mcpdebug

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Component types whose own methods fail.
type (
	badMood int
	badText struct{ N int }
	badJSON struct{ N int }
	Hostile struct {
		Mood badMood
		Text badText
		JSON badJSON
		N    int
	}
	Harmless struct{ N int }
)

func (badMood) String() string               { panic("String") }
func (badText) MarshalText() ([]byte, error) { panic("MarshalText") }
func (*badText) UnmarshalText([]byte) error  { panic("UnmarshalText") }
func (badJSON) MarshalJSON() ([]byte, error) { panic("MarshalJSON") }
func (*badJSON) UnmarshalJSON([]byte) error  { panic("UnmarshalJSON") }

func init() {
	value.Describe(value.Label(func(*Hostile) string { panic("Label") }),
		value.Computed("Broken", func(*Hostile) int { panic("Computed") }),
		value.Action("Break", func(h *Hostile, _ struct{}) (struct{}, error) { h.N = 99; panic("Action") }))
}

func TestComponentWhoseEveryMethodPanicsEndsNothing(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		w := arche.NewWorld()
		id, ok := arche.ComponentID[Hostile](&w), arche.ComponentID[Harmless](&w)
		e := w.NewEntity(id, ok)
		(*Hostile)(w.Get(e, id)).N = 7
		s.Bind(archeworld.New(&w), nil)
		s.Poll()
		entity := fmt.Sprintf("%dv%d", e.ID(), e.Generation())
		for _, c := range []struct{ tool, args string }{
			{"query", `{}`}, {"query", `{"name":"x"}`}, {"query", `{"where":"Hostile.Broken > 1"}`}, {"query", `{"select":["Hostile.Mood","Hostile.Text","Harmless.N"]}`},
			{"query", `{"sort":"Hostile.Broken"}`}, {"query", `{"where":"Hostile.Mood == 1"}`}, {"info", `{"entity":"` + entity + `"}`},
			{"components_info", `{"detail":true}`}, {"describe", `{"name":"Hostile"}`}, {"describe", `{"name":"Hostile_configure"}`}, {"help", `{"tool":"Hostile_Break"}`},
			{"world_check", `{}`}, {"stats", `{}`}, {"context", `{}`}, {"capabilities", `{}`}, {"help", `{}`},
			{"modify", `{"entity":"` + entity + `","component":"Hostile","values":{"Text":"x"}}`}, {"modify", `{"entity":"` + entity + `","component":"Hostile","values":{"JSON":{"N":1}}}`},
			{"modify", `{"entity":"` + entity + `","component":"Hostile","values":{"Mood":"happy"}}`}, {"Hostile_configure", `{"entity":"` + entity + `","Mood":3}`},
			{"Hostile_Break", `{"entity":"` + entity + `"}`}, {"set", `{"entity":"` + entity + `","component":"Hostile","value":{"Text":"y"}}`},
			{"spawn", `{"components":{"Hostile":{"JSON":1}}}`}, {"run_lua", `{"code":"for e in world.query{with={'Hostile'}} do print(e.name, e.Hostile.Text, e.Hostile.Mood, e.Hostile.Broken) end"}`},
		} {
			r := polled(t, s, c.tool, c.args)
			if r.RPC != nil || !json.Valid(r.Structured) {
				t.Errorf("%s %s: %+v", c.tool, c.args, r)
			}
			if w.IsLocked() {
				t.Fatalf("%s %s left the world locked", c.tool, c.args)
			}
		}
		for _, uri := range []string{"ecs://context", "ecs://context/all", "ecs://component/Hostile", "ecs://world", "ecs://tools", "ecs://entity/" + entity} {
			a := s.Dispatch(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"` + uri + `"}}`)
			if !json.Valid([]byte(a)) || strings.Contains(a, "-32603") {
				t.Errorf("%s: %.300s", uri, a)
			}
		}
		if got := (*Hostile)(w.Get(e, id)).N; got != 7 {
			t.Errorf("a refused call left N at %d", got)
		}
		// What is sound about the entity can be read all the same.
		if m := succeeded(t, polled(t, s, "query", `{"with":["Hostile"],"select":["Harmless.N","Hostile.N"]}`)); m["matched"] != 1.0 {
			t.Errorf("%v", m)
		}
	})
}
