package snapshot_test

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/ecstest/mapworld"
	"github.com/loupe-ecs/loupe/ecs/query"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/snapshot"
)

// packedEntity is an engine's entity as one number, entryOf its pointer to one.
type (
	packedEntity uint64
	entryOf      struct{ e packedEntity }
	links        struct {
		To   packedEntity
		Via  *entryOf
		More []*entryOf
	}
)

// entries is the table from which the engine hands pointers out.
var entries = map[packedEntity]*entryOf{}

func entry(e packedEntity) *entryOf {
	if e != 0 && entries[e] == nil {
		entries[e] = &entryOf{e}
	}
	return entries[e]
}

func init() {
	unpack := func(p packedEntity) ecs.Entity { return ecs.Entity{ID: uint32(p >> 32), Gen: uint32(p)} }
	pack := func(e ecs.Entity) packedEntity { return packedEntity(e.ID)<<32 | packedEntity(e.Gen) }
	value.RegisterEntityForm(unpack, pack)
	value.RegisterEntityForm(func(e *entryOf) ecs.Entity {
		if e == nil {
			return ecs.Entity{}
		}
		return unpack(e.e)
	}, func(e ecs.Entity) *entryOf { return entry(pack(e)) })
}

// Entities of an engine that keeps them in a form of its own, and its pointers
// to entities, come back from a file, and conditions compare them.
func TestEntitiesOfAnotherForm(t *testing.T) {
	w := mapworld.New(reflect.TypeFor[links](), reflect.TypeFor[*entryOf]())
	const at = packedEntity(1) << 32
	spawn := func(id ecs.TypeID, v any) ecs.Entity {
		es, err := w.Apply([]ecs.Change{{Op: ecs.OpSpawn, Values: []ecs.Value{{Type: id, Value: reflect.ValueOf(v)}}}})
		if err != nil {
			t.Fatal(err)
		}
		return es[0]
	}
	first := spawn(0, links{})
	if first != (ecs.Entity{ID: 1}) {
		t.Fatal(first)
	}
	second := spawn(0, links{To: at, Via: entry(at), More: []*entryOf{entry(at), nil}})
	third := spawn(1, entry(at))
	for _, where := range []string{`links.To == "1v0"`, `links.Via == "1v0"`, `links.Via != nil`, `alive(links.To)`, `alive(links.Via)`} {
		p, err := query.Compile(w.Catalog(), query.Query{Where: where})
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		var found []ecs.Entity
		p.Each(w, func(c ecs.Chunk, rows []int32) bool {
			for _, r := range rows {
				found = append(found, c.Entity(int(r)))
			}
			return true
		})
		if fmt.Sprint(found) != fmt.Sprint([]ecs.Entity{second}) {
			t.Errorf("%s found %v", where, found)
		}
	}
	if _, err := w.Apply([]ecs.Change{{Op: ecs.OpSet, Entity: second, Values: []ecs.Value{{Type: 0, Value: reflect.ValueOf(links{To: 77 << 32})}}}}); err == nil {
		t.Error("an entity that never lived was written")
	}
	var file bytes.Buffer
	if _, err := snapshot.Save(&file, w, nil); err != nil {
		t.Fatal(err)
	}
	c, row, _ := w.Row(second)
	col, _ := c.Column(0)
	l := (*links)(col.At(row))
	*l = links{}
	if _, err := snapshot.Load(&file, w, nil); err != nil {
		t.Fatal(err)
	}
	c, row, _ = w.Row(second)
	col, _ = c.Column(0)
	l = (*links)(col.At(row))
	if l.To != at || l.Via != entry(at) || len(l.More) != 2 || l.More[0] != entry(at) || l.More[1] != nil {
		t.Errorf("loaded: %+v", *l)
	}
	c, row, _ = w.Row(third)
	col, _ = c.Column(1)
	if got := *(**entryOf)(col.At(row)); got != entry(at) {
		t.Errorf("loaded: %v", got)
	}
}
