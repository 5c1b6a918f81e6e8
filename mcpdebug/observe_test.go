//go:build !nomcpdebug

package mcpdebug

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// diary is an observer that writes down what it is told.
type diary struct{ lines []string }

func (d *diary) note(s string) { d.lines = append(d.lines, s) }

func (d *diary) EndTick(uint64, ecs.World, *host.App) { d.note("tick") }
func (d *diary) AtPoll(_ uint64, _ ecs.World, _ *host.App, operation string) {
	d.note("poll " + operation)
}
func (d *diary) BeforeCall(spec *tools.Spec, _ *tools.Request) { d.note("before " + spec.Name) }
func (d *diary) AfterCall(spec *tools.Spec, _ *tools.Request, err error) {
	s := "after " + spec.Name
	if err != nil {
		s += ": " + err.Error()
	}
	d.note(s)
}

func TestObserversSeeTheFrameInOrder(t *testing.T) {
	bubble(t, nil, func(t *testing.T, s *Server) {
		bindArche(s, nil)
		d := &diary{}
		inner := plain("inner", nil, func(*tools.Frame, json.RawMessage) (any, error) { d.note("inner runs"); return nil, nil })
		outer := plain("outer", nil, func(f *tools.Frame, _ json.RawMessage) (any, error) {
			_, err := f.CallTool("inner", nil)
			return nil, errors.Join(err, errors.New("no"))
		})
		must(t, s.Register(inner))
		must(t, s.Register(outer))
		s.Poll()
		s.EndTick()
		services{s}.Observe(d, true)
		s.EndTick()
		s.PollParked("load")
		s.Poll()
		s.Dispatch(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"outer"}}`)
		services{s}.Observe(d, false)
		s.Poll()
		s.EndTick()
		want := []string{"tick", "poll load", "poll ", "before outer", "before inner", "inner runs", "after inner", "after outer: no"}
		if !slices.Equal(d.lines, want) {
			t.Errorf("seen %q\nwant %q", d.lines, want)
		}
	})
}
