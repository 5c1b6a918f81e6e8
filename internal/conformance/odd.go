package conformance

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Odd are fields of types of which a schema can say little. A strict client
// throws the whole listing away for one property that is the bare true.
type Odd struct {
	Any     any                     `json:",omitempty"`
	Fails   error                   `json:",omitempty"`
	Reader  io.Reader               `json:",omitempty"`
	Complex complex128              `json:",omitempty"`
	Raw     json.RawMessage         `json:",omitempty"`
	Number  json.Number             `json:",omitempty"`
	List    []any                   `json:",omitempty"`
	Pair    [2]any                  `json:",omitempty"`
	Named   map[string]any          `json:",omitempty"`
	Errors  map[string][]error      `json:",omitempty"`
	Pointer *any                    `json:",omitempty"`
	Call    func()                  `json:",omitempty"`
	Pipe    chan int                `json:",omitempty"`
	Inner   struct{ Deep any }      `json:",omitempty"`
	Parts   []struct{ Fails error } `json:",omitempty"`
	Ring    *Odd                    `json:",omitempty"`
}

// Each of the shapes alone is a component, too, so that none hides another.
type (
	Whatever struct{ V any }
	Failure  struct{ V error }
	Stream   struct{ V io.Reader }
	Wave     struct{ V complex128 }
	Blob     struct{ V json.RawMessage }
	Bag      struct{ V []any }
)

func init() {
	value.Describe(
		value.Computed("Kind", func(o *Odd) any { return o.Complex }),
		value.Action("Echo", func(_ *Odd, in Odd) (Odd, error) { return in, nil }),
		value.Action("Raise", func(_ *Odd, in struct{ With any }) (struct{}, error) {
			return struct{}{}, errors.New("raised as asked")
		}),
	)
}

// oddSink takes events with such payloads.
type oddSink struct{}

func (oddSink) Kinds() []host.EventKind {
	return []host.EventKind{{Name: "odd", Doc: "Anything at all.", Payload: reflect.TypeFor[Odd]()},
		{Name: "whatever", Doc: "One value.", Payload: reflect.TypeFor[Whatever]()}}
}

func (oddSink) Push(string, any) error { return nil }

// bindOdd gives dbg a game of odd components, events and tools.
func bindOdd(dbg *mcpdebug.Server, reg *tools.Registry) {
	reg.MustRegister(
		tools.New(tools.Spec{Name: "odd_echo", Description: "Answers its arguments.", Group: "odd", Effect: tools.ReadOnly},
			func(_ *tools.Frame, in Odd) (Odd, error) { return in, nil }),
		tools.New(tools.Spec{Name: "odd_answer", Description: "Answers a value of every odd kind.", Group: "odd", Effect: tools.ReadOnly},
			func(*tools.Frame, none) (Odd, error) { return oddValue(), nil }))
	world := arche.NewWorld()
	w := archeworld.New(&world)
	all := world.NewEntity(arche.ComponentID[Odd](&world), arche.ComponentID[Whatever](&world), arche.ComponentID[Failure](&world),
		arche.ComponentID[Stream](&world), arche.ComponentID[Wave](&world), arche.ComponentID[Blob](&world), arche.ComponentID[Bag](&world))
	*(*Odd)(world.Get(all, arche.ComponentID[Odd](&world))) = oddValue()
	*(*Wave)(world.Get(all, arche.ComponentID[Wave](&world))) = Wave{complex(1, -2)}
	dbg.Bind(w, &host.App{Name: "odd", Events: oddSink{}})
}

func oddValue() Odd {
	var seven any = 7
	return Odd{Any: "text", Fails: errors.New("no bread"), Reader: strings.NewReader("x"), Complex: complex(1, 2), Raw: json.RawMessage(`{"a":[1,true]}`),
		Number: "12", List: []any{1, "two", nil}, Named: map[string]any{"k": 2.5}, Errors: map[string][]error{"e": {errors.New("one")}}, Pointer: &seven}
}
