//go:build !nomcpdebug

package listing_test

import (
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/tools"
)

// Clients see an effect as the protocol's hints: all of them in a full listing,
// in a lean one those that differ from the protocol's defaults.
func TestEffectsAreAnnounced(t *testing.T) {
	for _, c := range []struct {
		spec       tools.Spec
		lean, full string
	}{
		{tools.Spec{}, `,"annotations":{}`, `"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false`},
		{tools.Spec{Idempotent: true}, `{"idempotentHint":true}`, `"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true`},
		{tools.Spec{Effect: tools.Additive}, `{"destructiveHint":false}`, `"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false`},
		{tools.Spec{Effect: tools.ReadOnly}, `{"readOnlyHint":true,"destructiveHint":false}`, `"readOnlyHint":true,"destructiveHint":false,"idempotentHint":false`},
		{tools.Spec{Effect: tools.ReadOnly, WritesFiles: true}, `{"destructiveHint":false}`, `"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false`},
	} {
		lean, full := entries(t, c.spec)
		if none := c.lean == `,"annotations":{}`; none && strings.Contains(lean, "annotations") || !none && !strings.Contains(lean, `"annotations":`+c.lean) {
			t.Errorf("%+v: the lean entry is %s, want annotations %s", c.spec, lean, c.lean)
		}
		if !strings.Contains(full, c.full) {
			t.Errorf("%+v: the full entry is %s, want annotations %s", c.spec, full, c.full)
		}
	}
}

// When a tool runs and what it needs stands in full listings alone.
func TestGatesAreAnnounced(t *testing.T) {
	for want, spec := range map[string]tools.Spec{
		`{"loupe":{"whenParked":false,"whenCrashed":false,"offFrame":false,"needs":[],"group":"custom"}}`:        {},
		`{"loupe":{"whenParked":true,"whenCrashed":true,"offFrame":true,"needs":[],"group":"custom"}}`:           {OffFrame: true},
		`{"loupe":{"whenParked":false,"whenCrashed":true,"offFrame":false,"needs":["world","app"],"group":"g"}}`: {WhenCrashed: true, NeedsWorld: true, NeedsApp: true, Group: "g"},
	} {
		lean, full := entries(t, spec)
		if strings.Contains(lean, "_meta") || !strings.Contains(full, `"_meta":`+want) {
			t.Errorf("%+v: %s and %s, want %s in the full one alone", spec, lean, full, want)
		}
	}
}

func entries(t *testing.T, spec tools.Spec) (lean, full string) {
	t.Helper()
	r := tools.NewRegistry()
	tool := tools.New(tools.Spec{Name: "fine", Description: "Says nothing."}, func(*tools.Frame, struct{}) (struct{}, error) { return struct{}{}, nil })
	spec.Name, spec.Description = tool.Name, tool.Description
	tool.Spec = spec
	r.MustRegister(tool)
	p, _ := listing.Of(r).Lookup("fine")
	return string(p.Entry(false, false)), string(p.Entry(true, false))
}

// A listing is made of what changed alone, and one that was taken stays as it was.
func TestListingsShareWhatHasNotChanged(t *testing.T) {
	r := tools.NewRegistry()
	add := func(name, says string) {
		r.MustRegister(tools.New(tools.Spec{Name: name, Description: says}, func(*tools.Frame, struct{}) (struct{}, error) { return struct{}{}, nil }))
	}
	add("a", "One.")
	add("b", "Two.")
	before := listing.Of(r)
	if listing.Of(r) != before {
		t.Error("a listing of the same state is made twice")
	}
	add("b", "Three.")
	now := listing.Of(r)
	if now.Tools[0] != before.Tools[0] || now.Tools[1] == before.Tools[1] {
		t.Error("what did not change is made anew, or what did is not")
	}
	if p, _ := before.Lookup("b"); p.Spec.Description != "Two." {
		t.Errorf("a listing that was taken now says %q", p.Spec.Description)
	}
	if p, _ := now.Lookup("b"); p.Usage() != "b()" || p.Spec.Description != "Three." {
		t.Errorf("%s: %q", p.Usage(), p.Spec.Description)
	}
}
