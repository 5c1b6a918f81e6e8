package builtin

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/tooltest"
	"github.com/loupe-ecs/loupe/tools"
)

// cLoose has fields whose schema is no object: anything goes, or nothing does.
type cLoose struct {
	Any  any
	Func func()
	List []any
	Map  map[string]any
}

func TestDescribesFieldsOfAnyType(t *testing.T) {
	h, _ := componentHarness(t, ComponentOptions{})
	h.Arche.NewEntity(arche.ComponentID[cLoose](h.Arche))
	c, err := h.World.Catalog().Component("cLoose")
	if err != nil {
		t.Fatal(err)
	}
	d := document(c, nil)
	for field, want := range map[string]string{"Any": "interface {}", "Func": "func()", "List": "[]interface {}", "Map": "map[string]interface {}"} {
		var p struct{ GoType string }
		if err := json.Unmarshal(d.Properties[field], &p); err != nil || p.GoType != want {
			t.Errorf("%s: %s (%v), want goType %s", field, d.Properties[field], err, want)
		}
	}
}

// A game of hundreds of types must not fill a client's context with one read.
func TestContextIsBounded(t *testing.T) {
	h := tooltest.New(t)
	for _, id := range wide(h.Arche, 200) {
		h.Arche.NewEntity(id)
	}
	d := contextOf(h.World.Catalog(), nil, false)
	b, err := json.Marshal(d)
	if err != nil || len(b) > maxDocument+32<<10 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if len(d.Components) == 0 || len(d.Omitted) == 0 || len(d.Components)+d.OmittedAll != 200 || d.Hint == "" {
		t.Errorf("%d described, %d left out, hint %q", len(d.Components), len(d.Omitted), d.Hint)
	}
}

// Generated tools are as many as the game has types: beyond some of them the
// reference names the rest. Tools that were written by hand are told in full.
func TestTheReferenceIsBounded(t *testing.T) {
	r := tools.NewRegistry()
	add := func(group string, n int) {
		for i := range n {
			tool := tools.New(tools.Spec{Name: fmt.Sprintf("%s_%d", group, i), Group: group, Description: "A tool of the test."},
				func(*tools.Frame, struct{ Amount int }) (struct{ Left int }, error) { return struct{ Left int }{}, nil })
			r.MustRegister(tool)
		}
	}
	add("components", 2000)
	add("mine", 3)
	b := string(Reference(listing.Of(r)))
	if len(b) > maxReference+48<<10 {
		t.Errorf("%d bytes", len(b))
	}
	full, named := strings.Count(b, "### components_"), strings.Count(b, "\n- components_")
	if full == 0 || full+named != 2000 || !strings.Contains(b, fmt.Sprintf("\n%d more, told in full by `help` with their name:", named)) {
		t.Errorf("%d told in full, %d named", full, named)
	}
	if strings.Count(b, "### mine_") != 3 {
		t.Error("a tool that was written by hand is left out")
	}
}
