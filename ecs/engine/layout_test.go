package engine

//lint:file-ignore U1000 the fields of layouts are compared, not used

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

var toy = Engine{Name: "Toy", Module: "example.com/toy", Version: "1.2.3", MaxTypes: 2}

type node struct {
	next *node
	ids  []uint32
	byID map[uint32]*node
	hash [4]uint8
}

// Each case differs from node in one place, which the error names.
func TestSameLayoutFindsTheDifference(t *testing.T) {
	type same struct {
		next *same
		ids  []uint32
		byID map[uint32]*same
		hash [4]uint8
	}
	for _, c := range []struct {
		theirs any
		where  string // "": none
	}{
		{same{}, ""},
		{struct {
			next *node
			ids  []uint32
			byID map[uint32]*node
		}{}, "World differs in kind or size"},
		{struct {
			next *node
			ids  []uint32
			byID map[uint32]*node
			a, b uint16
		}{}, "World differs in the number of fields"},
		{struct {
			next *node
			list []uint32
			byID map[uint32]*node
			hash [4]uint8
		}{}, "World.list differs in name or offset"},
		{struct {
			next *node
			ids  []uint64
			byID map[uint32]*node
			hash [4]uint8
		}{}, "World.ids[] differs in kind or size"},
		{struct {
			next *node
			ids  []uint32
			byID map[uint32]*node
			hash [2]uint16
		}{}, "World.hash differs in length"},
		{struct {
			next *node
			ids  []uint32
			byID map[int32]*node
			hash [4]uint8
		}{}, "World.byID key differs in kind or size"},
		{struct {
			next *node
			ids  []uint32
			byID map[uint32]*uint32
			hash [4]uint8
		}{}, "World.byID value[] differs in kind or size"},
	} {
		err := toy.SameLayout(reflect.TypeFor[node](), reflect.TypeOf(c.theirs), "World")
		switch {
		case c.where == "" && err != nil:
			t.Errorf("the same layout: %v", err)
		case c.where != "" && (!errors.Is(err, refusal.CrashLayout) || !strings.Contains(err.Error(), c.where)):
			t.Errorf("%v, want: %s", err, c.where)
		}
	}
}

// Methods of interfaces are called through tables that no layout shows, so two
// interfaces are never the same.
func TestSameLayoutOfInterfacesAndOpaqueTypes(t *testing.T) {
	type mine struct{ v interface{ A() } }
	type theirs struct{ v interface{ B() } }
	if err := toy.SameLayout(reflect.TypeFor[mine](), reflect.TypeFor[theirs](), "World"); err == nil || !strings.Contains(err.Error(), "World.v differs in interface type") {
		t.Error(err)
	}
	type hidden struct{}
	type user struct{ p *hidden }
	type real struct{ p *node }
	if err := toy.SameLayout(reflect.TypeFor[user](), reflect.TypeFor[real](), "World"); err == nil {
		t.Error("an empty struct is taken for a node")
	}
	if err := toy.SameLayout(reflect.TypeFor[user](), reflect.TypeFor[real](), "World", reflect.TypeFor[hidden]()); err != nil {
		t.Error(err)
	}
}

func TestSameHandle(t *testing.T) {
	type good struct{ id, gen uint32 }
	type wide struct{ id, gen uint64 }
	type kind struct {
		id  uint32
		gen int32
	}
	type one struct{ id uint64 }
	entity := reflect.TypeFor[ecs.Entity]()
	if err := toy.SameHandle(entity, reflect.TypeFor[good]()); err != nil {
		t.Error(err)
	}
	for _, bad := range []reflect.Type{reflect.TypeFor[wide](), reflect.TypeFor[kind](), reflect.TypeFor[one]()} {
		if err := toy.SameHandle(entity, bad); !errors.Is(err, refusal.CrashLayout) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if es := Entities([]good{{1, 2}, {3, 4}}); len(es) != 2 || es[1] != (ecs.Entity{ID: 3, Gen: 4}) {
		t.Error(es)
	}
	if es := Entities[good](nil); len(es) != 0 {
		t.Error(es)
	}
}

func ExampleEngine_SameLayout() {
	ark := Engine{Name: "Ark", Module: "github.com/mlange-42/ark", Version: "0.8.1"}
	type mirror struct{ len, cap uint32 }
	type table struct{ cap, len uint32 }
	err := ark.SameLayout(reflect.TypeFor[mirror](), reflect.TypeFor[table](), "table")
	fmt.Println(err)
	fmt.Println(err.(*refusal.Error).Hint)
	// Output:
	// this build's Ark is not laid out in memory as version 0.8.1: table.cap differs in name or offset; nothing was touched
	// restart the game, or build it with github.com/mlange-42/ark v0.8.1
}
