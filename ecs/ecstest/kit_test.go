package ecstest_test

import (
	"fmt"
	"iter"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
	"github.com/loupe-ecs/loupe/ecs/ecstest/mapworld"
	"github.com/loupe-ecs/loupe/ecs/value"
)

type childOf struct{ mapworld.Relation }

// faulty is the world over maps with one fault.
type faulty struct {
	*mapworld.World
	alive   func(ecs.Entity) bool
	catalog func() *ecs.Catalog
	chunks  func(ecs.Filter) iter.Seq[ecs.Chunk]
	row     func(ecs.Entity) (ecs.Chunk, int, bool)
	apply   func([]ecs.Change) ([]ecs.Entity, error)
	locked  func() bool
}

func (f *faulty) Alive(e ecs.Entity) bool                    { return f.alive(e) }
func (f *faulty) Catalog() *ecs.Catalog                      { return f.catalog() }
func (f *faulty) Chunks(x ecs.Filter) iter.Seq[ecs.Chunk]    { return f.chunks(x) }
func (f *faulty) Row(e ecs.Entity) (ecs.Chunk, int, bool)    { return f.row(e) }
func (f *faulty) Apply(c []ecs.Change) ([]ecs.Entity, error) { return f.apply(c) }
func (f *faulty) Locked() bool                               { return f.locked() }
func (f *faulty) healthy() {
	w := f.World
	f.alive, f.catalog, f.chunks, f.row, f.apply, f.locked = w.Alive, w.Catalog, w.Chunks, w.Row, w.Apply, w.Locked
}

// amnesiac claims to restore and does nothing.
type amnesiac struct{ *faulty }

func (amnesiac) Capture(img *ecs.Image) error { *img = ecs.Image{}; return nil }
func (amnesiac) Check(*ecs.Image) error       { return nil }
func (amnesiac) Restore(*ecs.Image) error     { return nil }

// copies are chunks whose columns are copies of the world's.
type copies struct {
	ecs.Chunk
	w *mapworld.World
}

func (c copies) Column(id ecs.TypeID) (ecs.Column, bool) {
	col, ok := c.Chunk.Column(id)
	if ok {
		col = value.ColumnOf(value.CopyColumn(c.w.Catalog().Components[id].Type, col, c.Len()))
	}
	return col, ok
}

// faults maps each fault to a case that must find it.
var faults = map[string]struct {
	finds string
	make  func(f *faulty) ecs.World
}{
	"every small entity lives": {"Liveness/Forged", func(f *faulty) ecs.World {
		f.alive = func(e ecs.Entity) bool { return e.ID < 1000 }
		return f
	}},
	"a catalog a call": {"Catalog/Stable", func(f *faulty) ecs.World {
		f.catalog = func() *ecs.Catalog { c := *f.World.Catalog(); return &c }
		return f
	}},
	"nothing declared": {"Listener/Panics", func(f *faulty) ecs.World {
		f.catalog = func() *ecs.Catalog { c := f.World.Catalog(); c.Engine.Cannot = nil; return c }
		return f
	}},
	"the last chunk hidden": {"Chunks/Complete", func(f *faulty) ecs.World {
		f.chunks = func(x ecs.Filter) iter.Seq[ecs.Chunk] {
			return func(yield func(ecs.Chunk) bool) {
				var before ecs.Chunk
				for c := range f.World.Chunks(x) {
					if before != nil && !yield(before) {
						return
					}
					before = c
				}
			}
		}
		return f
	}},
	"without ignored": {"Chunks/Filters", func(f *faulty) ecs.World {
		f.chunks = func(x ecs.Filter) iter.Seq[ecs.Chunk] { x.Without = nil; return f.World.Chunks(x) }
		return f
	}},
	"rows off by one": {"Chunks/Complete", func(f *faulty) ecs.World {
		f.row = func(e ecs.Entity) (ecs.Chunk, int, bool) {
			c, row, ok := f.World.Row(e)
			if ok && row > 0 {
				row--
			}
			return c, row, ok
		}
		return f
	}},
	"half a batch": {"Apply/WholeOrNothing", func(f *faulty) ecs.World {
		f.apply = func(cs []ecs.Change) (es []ecs.Entity, err error) {
			for _, c := range cs {
				more, err := f.World.Apply([]ecs.Change{c})
				if err != nil {
					return nil, err
				}
				es = append(es, more...)
			}
			return es, nil
		}
		return f
	}},
	"values shared": {"Apply/Owned", func(f *faulty) ecs.World {
		f.apply = func(cs []ecs.Change) ([]ecs.Entity, error) {
			es, err := f.World.Apply(cs)
			if err == nil && len(cs) == 1 && cs[0].Op == ecs.OpSpawn {
				for _, e := range es {
					c, row, _ := f.World.Row(e)
					for _, v := range cs[0].Values {
						if col, ok := c.Column(v.Type); ok {
							col.Value(v.Value.Type(), row).Set(v.Value)
						}
					}
				}
			}
			return es, err
		}
		return f
	}},
	"targets forgotten": {"Relations/Targets", func(f *faulty) ecs.World {
		f.apply = func(cs []ecs.Change) ([]ecs.Entity, error) {
			if len(cs) == 1 && cs[0].Op == ecs.OpAdd {
				cs = []ecs.Change{cs[0]}
				cs[0].Targets = nil
			}
			return f.World.Apply(cs)
		}
		return f
	}},
	"copies in chunks": {"Chunks/InPlace", func(f *faulty) ecs.World {
		f.row = func(e ecs.Entity) (ecs.Chunk, int, bool) {
			c, row, ok := f.World.Row(e)
			return copies{c, f.World}, row, ok
		}
		return f
	}},
	"an empty declaration": {"Declared/Real", func(f *faulty) ecs.World {
		f.catalog = func() *ecs.Catalog {
			c := f.World.Catalog()
			c.Engine.Cannot = append(slices.Clone(c.Engine.Cannot), "everything else")
			return c
		}
		return f
	}},
	"a false declaration": {"Declared/Real", func(f *faulty) ecs.World {
		f.catalog = func() *ecs.Catalog {
			c := f.World.Catalog()
			c.Engine.Cannot = append(slices.Clone(c.Engine.Cannot), "restoring: too much work")
			return c
		}
		return f
	}},
	"never locked": {"Lock/Refuses", func(f *faulty) ecs.World {
		f.locked = func() bool { return false }
		return f
	}},
	"nothing restored": {"Restore/Equal", func(f *faulty) ecs.World { return amnesiac{f} }},
}

func newWorld() *mapworld.World {
	w := mapworld.New(append(ecstest.Components(), reflect.TypeFor[childOf]())...)
	w.AddResource(&ecstest.Score{Points: 7})
	w.RegisterResource(reflect.TypeFor[ecstest.Absent]())
	return w
}

// TestFaultyWorld is run by TestKitFinds in a process of its own.
func TestFaultyWorld(t *testing.T) {
	fault, ok := faults[os.Getenv("ECSTEST_FAULT")]
	if !ok {
		t.Skip("only in the process of TestKitFinds")
	}
	ecstest.Run(t, func(testing.TB) ecstest.Fixture {
		f := &faulty{World: newWorld()}
		f.healthy()
		return ecstest.Fixture{World: fault.make(f), Lock: f.Lock, Value: f.Value}
	})
}

// A kit is worth what it finds: each fault fails the case that holds its rule,
// and the failure states the rule.
func TestKitFinds(t *testing.T) {
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFaultyWorld$/^"+strings.ReplaceAll(fault.finds, "/", "$/^")+"$")
			cmd.Env = append(os.Environ(), "ECSTEST_FAULT="+name)
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Fatalf("%s passes a world with the fault", fault.finds)
			}
			if !strings.Contains(string(out), "rule: ") || !strings.Contains(string(out), fault.finds) {
				t.Errorf("the failure does not state the rule:\n%s", out)
			}
		})
	}
}

func ExampleHash() {
	type Position struct{ X, Y int }
	w := mapworld.New(reflect.TypeFor[Position]())
	before := ecstest.Hash(w)
	_, err := w.Apply([]ecs.Change{{Op: ecs.OpDespawn, Entity: ecs.Entity{ID: 7}}})
	fmt.Println(err)
	fmt.Println("unchanged:", ecstest.Hash(w) == before)
	// Output:
	// entity 7v0 never lived in this world
	// unchanged: true
}
