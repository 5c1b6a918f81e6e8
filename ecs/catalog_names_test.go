package ecs

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Two packages with the same type name: neither is dropped.
func TestCatalogNames(t *testing.T) {
	type Duration int
	first := func() reflect.Type { type Twin struct{ A int }; return reflect.TypeFor[Twin]() }()
	second := func() reflect.Type { type Twin struct{ B int }; return reflect.TypeFor[Twin]() }()
	cat := NewCatalog(Catalog{Components: []*Component{
		{ID: 0, Type: value.TypeOf(reflect.TypeFor[tVec]())}, {ID: 1, Type: value.TypeOf(reflect.TypeFor[Duration]())},
		{ID: 2, Type: value.TypeOf(reflect.TypeFor[time.Duration]())}, {ID: 3, Type: value.TypeOf(first)}, {ID: 4, Type: value.TypeOf(second)},
		{ID: 5, Type: value.TypeOf(reflect.TypeFor[tPair[int, tVec]]())}, {ID: 6, Type: value.TypeOf(reflect.TypeFor[tEverything]())},
	}, Resources: []*Resource{{Type: value.TypeOf(reflect.TypeFor[tVec]())}}})
	seen := map[string]bool{}
	for _, c := range cat.Components {
		if seen[c.Name] {
			t.Errorf("the name %q is given twice", c.Name)
		}
		seen[c.Name] = true
		for _, name := range []string{c.Name, c.Type.ID} {
			got, err := cat.Component(name)
			if c.ID == 3 || c.ID == 4 {
				continue
			}
			if err != nil || got != c {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got, err := cat.Component(c.Name); err != nil || got != c {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	if cat.Components[1].Name != "ecs.Duration" || cat.Components[2].Name != "time.Duration" || cat.Components[0].Name != "tVec" {
		t.Errorf("names %v", seen)
	}
	for s, want := range map[string]string{
		"tVec.X": "tVec X", "ecs.tVec.X": "tVec X", "github.com/loupe-ecs/loupe/ecs.tVec.Y": "tVec Y", "tVec": "tVec ", "tEverything.M[\"a.b[\"].X": "tEverything M[\"a.b[\"].X",
		"github.com/loupe-ecs/loupe/ecs.tPair[int,github.com/loupe-ecs/loupe/ecs.tVec].Second.X": "tPair_int_tVec Second.X",
	} {
		c, p, err := cat.ComponentPath(s)
		if err != nil || c.Name+" "+p.Text != want {
			t.Errorf("%s: %v", s, err)
		}
	}
	for s, code := range map[string]refusal.Code{"tVce.X": refusal.UnknownComponent, "tVec.Q": refusal.UnknownField, "": refusal.UnknownComponent, "Duration": refusal.UnknownComponent, "tVec.": refusal.InvalidArguments, "[": refusal.UnknownComponent} {
		if _, _, err := cat.ComponentPath(s); !errors.Is(err, code) {
			t.Errorf("%q: %v", s, err)
		}
	}
	_, err := cat.Component("tVce")
	if e := err.(*refusal.Error); e.Options[0] != "tVec" || e.Total != 7 {
		t.Errorf("options %v", e.Options)
	}
	_, err = cat.Component("Duration")
	if e := err.(*refusal.Error); !slices.Contains(e.Options, "time.Duration") || !slices.Contains(e.Options, "ecs.Duration") {
		t.Errorf("ambiguous: %v", e)
	}
	if _, err := cat.Resource("Vec"); !errors.Is(err, refusal.NotFound) {
		t.Error(err)
	}
	if r, err := cat.Resource("tVec"); err != nil || r != cat.Resources[0] {
		t.Error(err)
	}
}

// The sentence for a misspelt name stands before the options: it must not
// repeat them.
func TestUnknownNamesReadWell(t *testing.T) {
	cat := NewCatalog(Catalog{
		Components: []*Component{{ID: 0, Type: value.TypeOf(reflect.TypeFor[tHealth]())}},
		Resources:  []*Resource{{Type: value.TypeOf(reflect.TypeFor[tFuse]())}},
	})
	for _, tt := range []struct {
		name, message, hint, next string
		options                   []string
	}{
		{"tHaelth", `there is no component "tHaelth"`, "", "components_info", []string{"tHealth"}},
		{"Spaceship", `there is no component "Spaceship"`, "component types are known once the game has used them", "components_info", []string{"tHealth"}},
		{"tFuse", "tFuse is a resource, not a component: no entity has it", "resources_info reads it, resources_modify changes it", "resources_info", nil},
	} {
		_, err := cat.Component(tt.name)
		var e *refusal.Error
		if !errors.As(err, &e) || e.Code != refusal.UnknownComponent || e.Message != tt.message || e.Hint != tt.hint || e.Next != tt.next || !slices.Equal(e.Options, tt.options) {
			t.Errorf("%s: %+v", tt.name, e)
		}
	}
	if _, _, err := cat.ComponentPath("tFuse.Left"); err == nil || !strings.Contains(err.Error(), "is a resource") {
		t.Errorf("a path into a resource: %v", err)
	}
	var e *refusal.Error
	if _, err := cat.Resource("Fuse"); !errors.As(err, &e) || e.Message != `there is no resource "Fuse"` || !slices.Equal(e.Options, []string{"tFuse"}) {
		t.Errorf("%+v", e)
	}
	if _, err := NewCatalog(Catalog{}).Component("X"); !errors.As(err, &e) || e.Message != `there is no component "X"; this world has none` || e.Hint == "" {
		t.Errorf("%+v", e)
	}
}

// fakeChunk is one row of one component.
type fakeChunk struct {
	id   TypeID
	base unsafe.Pointer
}

func (fakeChunk) Archetype() int                               { return 0 }
func (fakeChunk) Len() int                                     { return 2 }
func (fakeChunk) Entity(int) Entity                            { return Entity{ID: 1, Gen: 1} }
func (fakeChunk) AppendEntities(d []Entity, _, _ int) []Entity { return d }
func (c fakeChunk) Components() []TypeID                       { return []TypeID{c.id, 99} }
func (fakeChunk) Targets() []Target                            { return nil }
func (c fakeChunk) Column(TypeID) (Column, bool)               { return Column{Base: c.base, Stride: 8}, true }

func TestLabelOf(t *testing.T) {
	type named struct{ N int }
	value.Describe(value.Label(func(n *named) string {
		if n.N < 0 {
			panic("no name")
		}
		return "n" + string(rune('0'+n.N))
	}))
	cat := NewCatalog(Catalog{Components: []*Component{{Type: value.TypeOf(reflect.TypeFor[named]())}}})
	rows := []named{{3}, {-1}}
	c := fakeChunk{0, unsafe.Pointer(&rows[0])}
	if got := LabelOf(cat, c, 0); got != "n3" {
		t.Errorf("%q", got)
	}
	if got := LabelOf(cat, c, 1); got != "" {
		t.Errorf("a label function that panics: %q", got)
	}
	if got := LabelOf(nil, c, 0); got != "" {
		t.Errorf("%q", got)
	}
}

// The first label that says something names the entity.
func TestLabelOfTwoLabels(t *testing.T) {
	type silent struct{ N int }
	type spoken struct{ N int }
	value.Describe(value.Label(func(*silent) string { return "" }))
	value.Describe(value.Label(func(*spoken) string { return "spoken" }))
	cat := NewCatalog(Catalog{Components: []*Component{{Type: value.TypeOf(reflect.TypeFor[silent]())}, {Type: value.TypeOf(reflect.TypeFor[spoken]())}}})
	rows := make([]int, 2)
	if got := LabelOf(cat, twoColumns{fakeChunk{0, unsafe.Pointer(&rows[0])}}, 0); got != "spoken" {
		t.Errorf("%q", got)
	}
}

type twoColumns struct{ fakeChunk }

func (twoColumns) Components() []TypeID { return []TypeID{0, 1} }

type tVec struct{ X, Y float64 }

type tPair[A, B any] struct {
	First  A
	Second B
}

type tEverything struct{ M map[string]tVec }

type tHealth struct{ HP int }

type tFuse struct{ Left int }
