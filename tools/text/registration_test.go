package text_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/text"
)

// TestAFieldIsToldOnce: a field that is added to a Go struct shows up in every
// description and in the checks, for typed tools and for those of a backend; nothing is
// written twice.
func TestAFieldIsToldOnce(t *testing.T) {
	type before struct {
		Wave int `json:"wave" jsonschema:"which wave to start" debug:"min=1,max=99"`
	}
	type after struct {
		Wave  int    `json:"wave" jsonschema:"which wave to start" debug:"min=1,max=99"`
		Speed string `json:"speed,omitempty" jsonschema:"how fast it comes" debug:"enum=slow|brisk"`
	}
	type done struct {
		Enemies int `json:"enemies" jsonschema:"how many it has"`
	}
	type director struct{}
	spec := tools.Spec{Name: "start_wave", Description: "Starts a wave of enemies."}
	for name, pair := range map[string][2]*tools.Tool{
		"typed": {tools.New(spec, func(*tools.Frame, before) (done, error) { return done{}, nil }),
			tools.New(spec, func(*tools.Frame, after) (done, error) { return done{}, nil })},
		"domain": {tools.Domain(spec, func(context.Context, *director, before) (done, error) { return done{}, nil }),
			tools.Domain(spec, func(context.Context, *director, after) (done, error) { return done{}, nil })},
	} {
		for i, tool := range pair {
			reg := tools.NewRegistry()
			tools.Provide(reg, &director{})
			reg.MustRegister(tool)
			l := text.Of(reg, reg.Validate)
			one, _ := l.Tool("start_wave")
			lark, err := l.Grammar(text.Lark, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			gbnf, err := l.Grammar(text.GBNF, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			published, _ := reg.Lookup("start_wave")
			for kind, written := range map[string]string{"schema": string(published.Input), "convention": one.Convention(), "xsd": l.XSD(1 << 20), "lark": lark, "gbnf": gbnf} {
				if has := strings.Contains(written, "brisk"); has != (i == 1) {
					t.Errorf("%s: with %d fields the %s names the label: %v\n%s", name, i+1, kind, has, written)
				}
			}
			const call = `<start_wave wave="3" speed="brisk"/>`
			if ok := xmllint(t, l.XSD(1<<20), []string{call})[0]; ok != (i == 1) {
				t.Errorf("%s: with %d fields xmllint says %v", name, i+1, ok)
			}
			if ok := larkAccepts(t, lark, "earley", []string{call})[0]; ok != (i == 1) {
				t.Errorf("%s: with %d fields Lark says %v", name, i+1, ok)
			}
			found, err := l.Extract(call)
			if err != nil || len(found) != 1 || (found[0].Err == nil) != (i == 1) {
				t.Errorf("%s: with %d fields the call is found as %+v, %v", name, i+1, found, err)
			}
			if err := reg.Validate("start_wave", json.RawMessage(`{"wave":3,"speed":"brisk"}`)); (err == nil) != (i == 1) {
				t.Errorf("%s: with %d fields the checks say %v", name, i+1, err)
			}
		}
	}
}
