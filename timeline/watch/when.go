package watch

import (
	"iter"
	"reflect"
	"strings"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/query"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

var (
	countType = value.TypeOf(reflect.TypeFor[int]())
	lifeType  = value.TypeOf(reflect.TypeFor[bool]())
)

// condition is a compiled When. It is the language of where, asked of a world of
// one entity whose two components are the value before and after: one language,
// and one implementation of it.
type condition struct {
	pair *pair
	plan *query.Plan
}

func compileWhen(leaf *value.Type, src string) (*condition, error) {
	p := &pair{}
	var comps []*ecs.Component
	for i, name := range []string{"old", "new"} {
		t := *leaf
		t.Name, t.Qualified, t.ID, t.Label = name, name, name, nil
		comps = append(comps, &ecs.Component{ID: ecs.TypeID(i), Type: &t, Entities: 1, Archetypes: 1})
	}
	p.cat = ecs.NewCatalog(ecs.Catalog{Engine: ecs.Engine{Name: "watch"}, Components: comps})
	plan, err := query.Compile(p.cat, query.Query{Where: src})
	if err != nil {
		return nil, taught(err)
	}
	return &condition{p, plan}, nil
}

// taught is a refusal of the language of where, in the words of when.
func taught(err error) error {
	e, ok := err.(*refusal.Error)
	if !ok {
		return err
	}
	c := *e
	c.Message = "when" + strings.TrimPrefix(e.Message, "where")
	c.Hint = "when is a Go expression over old and new: new < old, isnan(new)"
	if c.Code == refusal.UnknownComponent {
		c.Code, c.Want, c.Next = refusal.InvalidArguments, "old or new", ""
		c.Message = strings.Replace(c.Message, "there is no component", "it knows old and new, not", 1)
	}
	return &c
}

// holds asks the condition; an invalid value is one that is absent, which has()
// asks about.
func (c *condition) holds(before, after reflect.Value) bool {
	p := c.pair
	p.have = p.have[:0]
	p.at = [2]unsafe.Pointer{}
	for i, v := range []reflect.Value{before, after} {
		if v.IsValid() {
			p.at[i] = value.Addressable(v).Addr().UnsafePointer()
			p.have = append(p.have, ecs.TypeID(i))
		}
	}
	return c.plan.Count(p) > 0
}

// pair is the world of one entity that a condition is asked of.
type pair struct {
	cat  *ecs.Catalog
	have []ecs.TypeID
	at   [2]unsafe.Pointer
}

var one = ecs.Entity{ID: 1}

func (p *pair) Catalog() *ecs.Catalog               { return p.cat }
func (p *pair) Locked() bool                        { return true }
func (p *pair) Alive(e ecs.Entity) bool             { return e == one }
func (p *pair) Holder(id uint32) (ecs.Entity, bool) { return one, id == one.ID }
func (p *pair) Row(e ecs.Entity) (ecs.Chunk, int, bool) {
	return p, 0, e == one
}
func (p *pair) Chunks(f ecs.Filter) iter.Seq[ecs.Chunk] {
	return func(yield func(ecs.Chunk) bool) {
		for _, id := range f.With {
			if p.at[id] == nil {
				return
			}
		}
		yield(p)
	}
}
func (p *pair) Apply([]ecs.Change) ([]ecs.Entity, error) {
	return nil, &refusal.Error{Code: refusal.WorldLocked, Message: "a condition cannot change what it is asked about"}
}
func (p *pair) Resource(ecs.TypeID) (reflect.Value, bool) { return reflect.Value{}, false }

func (p *pair) Archetype() int        { return 0 }
func (p *pair) Len() int              { return 1 }
func (p *pair) Entity(int) ecs.Entity { return one }
func (p *pair) AppendEntities(dst []ecs.Entity, from, to int) []ecs.Entity {
	if from < to {
		dst = append(dst, one)
	}
	return dst
}
func (p *pair) Components() []ecs.TypeID { return p.have }
func (p *pair) Targets() []ecs.Target    { return nil }
func (p *pair) Column(id ecs.TypeID) (ecs.Column, bool) {
	return ecs.Column{Base: p.at[id], Stride: p.cat.Components[id].Type.Size}, p.at[id] != nil
}
