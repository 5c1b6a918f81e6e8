package sandbox_test

import (
	"errors"
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/sandbox"
)

type Widths struct {
	I8   int8
	I16  int16
	I32  int32
	I64  int64
	U8   uint8
	U16  uint16
	U32  uint32
	U64  uint64
	Ptr  uintptr
	Text string
}

// Each width takes what fits into it, to the last number, and refuses the next;
// a dry run puts every width back.
func TestNumbersOfEveryWidthAtTheirBounds(t *testing.T) {
	w := arche.NewWorld()
	id := arche.ComponentID[Widths](&w)
	e := w.NewEntity(id)
	c := (*Widths)(w.Get(e, id))
	s := sandbox.New(sandbox.Options{})
	env := sandbox.Env{World: archeworld.New(&w)}
	for code, want := range map[string]Widths{
		"I8 = -128":                  {I8: -128},
		"I8 = 127":                   {I8: 127},
		"I16 = -32768":               {I16: -32768},
		"I16 = 32767":                {I16: 32767},
		"I32 = -2147483648":          {I32: -2147483648},
		"I32 = 2147483647":           {I32: 2147483647},
		"I64 = -9007199254740991":    {I64: -9007199254740991},
		"I64 = 9007199254740991":     {I64: 9007199254740991},
		"U8 = 255":                   {U8: 255},
		"U16 = 65535":                {U16: 65535},
		"U32 = 4294967295":           {U32: 4294967295},
		"U64 = 9007199254740991":     {U64: 9007199254740991},
		"Ptr = 70000":                {Ptr: 70000},
		"Text = '7'":                 {Text: "7"},
		"I8 = 128":                   {},
		"I8 = -129":                  {},
		"I16 = 32768":                {},
		"I32 = 2147483648":           {},
		"I32 = -2147483649":          {},
		"U8 = 256":                   {},
		"U8 = -1":                    {},
		"U16 = 65536":                {},
		"U32 = 4294967296":           {},
		"U64 = -1":                   {},
		"U8 = 1.5":                   {},
		"I64 = 18446744073709551616": {},
	} {
		*c = Widths{}
		code = "for e in world.query{'Widths'} do e.Widths." + code + " return e.Widths end"
		_, err := evalIn(s, env, code, sandbox.RunOptions{DryRun: true})
		if *c != (Widths{}) {
			t.Errorf("%s: a dry run left %+v", code, *c)
		}
		if (err != nil) != (want == Widths{}) || err != nil && !errors.Is(err, refusal.ScriptError) {
			t.Errorf("%s: %v", code, err)
		}
		if _, err = evalIn(s, env, code, sandbox.RunOptions{}); *c != want {
			t.Errorf("%s: got %+v, want %+v (%v)", code, *c, want, err)
		}
	}
}
