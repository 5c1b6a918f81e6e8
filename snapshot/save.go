package snapshot

import (
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/snapshot/internal/blocks"
	"github.com/loupe-ecs/loupe/snapshot/internal/images"
)

// captures are reused by Save: fresh memory for a whole world costs more than
// the copy. The collector takes them back if no save follows.
var captures = sync.Pool{New: func() any { return new(Capture) }}

// Save writes a snapshot of the world: Take and Encode in one. It must be
// called on the frame goroutine, and all of its work happens there.
func Save(w io.Writer, world ecs.World, o *Options) (Info, error) {
	c := captures.Get().(*Capture)
	defer captures.Put(c)
	if err := c.Take(world, o); err != nil {
		return Info{}, err
	}
	return c.Encode(w)
}

// Capture is a world copied out of the frame: Take fills it on the frame
// goroutine, everything else may then happen on another. A Capture may be
// taken again and again; it reuses its memory. It is not for use by two
// goroutines at once.
type Capture struct {
	// Image is the copy. Treat it as read-only.
	Image   ecs.Image
	catalog *ecs.Catalog
	options *Options
	states  []SavedState
}

// Catalog describes the world at the moment of Take.
func (c *Capture) Catalog() *ecs.Catalog { return c.catalog }

// Take copies the world and the host's states. Frame goroutine only. On an
// error the capture is empty.
func (c *Capture) Take(world ecs.World, o *Options) error {
	o = o.orDefault()
	c.catalog, c.states = nil, nil
	r, err := restorer(world)
	if err != nil {
		return err
	}
	if err := r.Capture(&c.Image); err != nil {
		return err
	}
	c.catalog, c.options = world.Catalog(), o
	for _, s := range o.States {
		if slices.ContainsFunc(c.states, func(x SavedState) bool { return x.Name == s.Name() }) {
			return &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("two host states are named %q", s.Name())}
		}
		data, err := s.Save()
		if err != nil {
			return &refusal.Error{Code: refusal.NotSupported, Message: fmt.Sprintf("the host's state %q could not be saved: %v", s.Name(), err)}
		}
		c.states = append(c.states, SavedState{s.Name(), s.Version(), data})
	}
	return nil
}

// componentName is the identity of a component type in a file. Types local to
// functions can share import path and name: a number tells them apart.
func componentName(list []*ecs.Component, i int) string {
	return numbered(list[i].Type.ID, i, func(j int) string { return list[j].Type.ID })
}

func resourceName(list []*ecs.Resource, i int) string {
	return numbered(list[i].Type.ID, i, func(j int) string { return list[j].Type.ID })
}

func numbered(id string, i int, at func(int) string) string {
	n := 1
	for j := range i {
		if at(j) == id {
			n++
		}
	}
	if n > 1 {
		return fmt.Sprintf("%s#%d", id, n)
	}
	return id
}

// excluded resolves Options.Exclude.
func (o *Options) excluded(cat *ecs.Catalog) (components, resources map[ecs.TypeID]bool) {
	components, resources = map[ecs.TypeID]bool{}, map[ecs.TypeID]bool{}
	for _, name := range o.Exclude {
		if c, err := cat.Component(name); err == nil {
			components[c.ID] = true
		}
		if r, err := cat.Resource(name); err == nil {
			resources[r.ID] = true
		}
	}
	return components, resources
}

// Encode writes what Take copied. The bytes depend on the world's state, the
// options and the program alone: equal worlds give equal files. Any goroutine.
func (c *Capture) Encode(w io.Writer) (info Info, err error) {
	if c.catalog == nil {
		return Info{}, &refusal.Error{Code: refusal.NoWorld, Message: "the capture is empty: Take has not been called or has failed"}
	}
	defer recovered(&err, "encoding")
	s := &saver{cat: c.catalog, limit: c.options.MaxBytes, components: map[ecs.TypeID]int{}}
	memory := scratches.Get().(*scratch)
	s.buf, s.column.buf = memory.parts[:0], memory.column[:0]
	defer func() {
		memory.parts, memory.column = s.buf, s.column.buf
		scratches.Put(memory)
	}()
	dropped, withoutResources := c.options.excluded(c.catalog)
	archetypes := images.Merge(images.LeaveOut(c.Image.Archetypes, dropped))
	resources := slices.DeleteFunc(slices.Clone(c.Image.Resources), func(r ecs.ImageResource) bool { return withoutResources[r.ID] })
	slices.SortFunc(resources, func(a, b ecs.ImageResource) int {
		return cmpString(resourceName(c.catalog.Resources, int(a.ID)), resourceName(c.catalog.Resources, int(b.ID)))
	})

	head := c.header(archetypes, resources, dropped, withoutResources)
	s.w = blocks.NewWriter(w)
	defer s.w.Wait() // it reads the capture
	s.w.Header(head.bytes())
	s.componentTable(archetypes)
	s.pool(&c.Image.Pool)
	s.uvarint(uint64(len(archetypes)))
	s.flush()
	for i := range archetypes {
		s.archetype(&archetypes[i])
	}
	// The adapter's notes count archetypes: they hold only for the whole list.
	hints := c.Image.Hints
	if len(archetypes) != len(c.Image.Archetypes) || len(dropped) > 0 {
		hints = nil
	}
	s.uvarint(uint64(len(hints)))
	for _, h := range hints {
		s.uvarint(uint64(h))
	}
	s.uvarint(uint64(len(resources)))
	for _, r := range resources {
		s.resource(r)
	}
	s.uvarint(uint64(len(c.states)))
	for _, st := range c.states {
		s.string(st.Name)
		s.varint(int64(st.Version))
		s.string(string(st.Data))
		s.flush()
	}
	at := s.offset()
	s.types.write(&s.encoder)
	s.buf = binary.LittleEndian.AppendUint64(s.buf, at)
	s.flush()
	if err := s.w.Close(); err != nil {
		return Info{}, err
	}
	return Info{Header: head, Bytes: s.w.Written(), Raw: int64(s.w.Cut()), Skipped: s.report.skipped}, nil
}

func cmpString(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// scratch is the memory that savers gather parts in, reused by the next.
type scratch struct{ parts, column []byte }

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// saver writes the body: component table, pool, archetypes, the adapter's
// hints, resources, states, type table, offset of the type table.
type saver struct {
	encoder         // gathers small parts; flush hands them on
	column  encoder // a column or resource by itself: its length comes first
	w       *blocks.Writer
	cat     *ecs.Catalog
	types   typeTable
	report  report
	limit   int64
	// components numbers the component types of the file in order of use.
	components map[ecs.TypeID]int
}

func (s *saver) offset() uint64 { return s.w.Size() + uint64(len(s.buf)) }

func (s *saver) flush() {
	if _, err := s.w.Write(s.buf); err != nil {
		panic(fail{err})
	}
	s.buf = s.buf[:0]
	if int64(s.w.Cut()) > s.limit {
		e := blocks.TooLarge("the world needs more than %d bytes", s.limit)
		e.Hint = "raise Options.MaxBytes, or leave types out with Options.Exclude"
		panic(fail{e})
	}
}

func (c *Capture) header(archetypes []ecs.ImageArchetype, resources []ecs.ImageResource, noComp, noRes map[ecs.TypeID]bool) Header {
	h := Header{Format: blocks.Version, Build: thisBuild(), App: c.options.App, Engine: c.catalog.Engine.Name, Frame: c.options.Frame,
		Components: []string{}, Resources: []string{}}
	used := map[ecs.TypeID]bool{}
	for i := range archetypes {
		h.Entities += len(archetypes[i].Entities)
		if len(archetypes[i].Entities) > 0 {
			h.Archetypes++
		}
		for _, id := range archetypes[i].Components {
			if !used[id] {
				used[id] = true
				h.Components = append(h.Components, componentName(c.catalog.Components, int(id)))
			}
		}
	}
	for _, r := range resources {
		h.Resources = append(h.Resources, resourceName(c.catalog.Resources, int(r.ID)))
	}
	for _, st := range c.states {
		h.States = append(h.States, st.Name)
	}
	for id := range noComp {
		h.Excluded = append(h.Excluded, componentName(c.catalog.Components, int(id)))
	}
	for id := range noRes {
		h.Excluded = append(h.Excluded, resourceName(c.catalog.Resources, int(id)))
	}
	slices.Sort(h.Components)
	slices.Sort(h.Excluded)
	return h
}

func (s *saver) componentTable(archetypes []ecs.ImageArchetype) {
	var order []ecs.TypeID
	for i := range archetypes {
		// By name, so that the order of registration leaves no trace.
		ids := slices.Clone(archetypes[i].Components)
		slices.SortFunc(ids, func(a, b ecs.TypeID) int {
			return cmpString(componentName(s.cat.Components, int(a)), componentName(s.cat.Components, int(b)))
		})
		for _, id := range ids {
			if _, ok := s.components[id]; !ok {
				s.components[id] = len(order)
				order = append(order, id)
			}
		}
	}
	s.uvarint(uint64(len(order)))
	for _, id := range order {
		c := s.cat.Components[id]
		n := nodeOf(c.Type.Go)
		s.string(componentName(s.cat.Components, int(id)))
		s.string(identity(c.Type))
		flags := byte(0)
		if c.Relation {
			flags |= flagRelation
		}
		s.byte(flags)
		s.uvarint(uint64(s.types.index(n)))
		s.report.unsaved(c.Type.ID, n)
	}
}

const flagRelation = 1

var entityLanes = []blocks.Lane{{Size: 4}, {Offset: 4, Size: 4}}

// pool writes the entity table. The identifier of a living entity is its slot:
// stored as the difference it is 0, and the column compresses to nothing.
func (s *saver) pool(p *ecs.Pool) {
	s.uvarint(uint64(len(p.Slots)))
	s.uvarint(uint64(p.Next))
	s.uvarint(uint64(p.Available))
	s.uvarint(uint64(p.Reserved))
	s.numbers(len(p.Slots), func(dst []uint32, from int) {
		for i := range dst {
			dst[i] = p.Slots[from+i].ID ^ uint32(from+i)
		}
	})
	s.lanes(entityLanes[1:], unsafe.Pointer(unsafe.SliceData(p.Slots)), unsafe.Sizeof(ecs.Entity{}), len(p.Slots))
}

func (s *saver) archetype(a *ecs.ImageArchetype) {
	s.uvarint(uint64(len(a.Components)))
	order := make([]int, len(a.Components))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return s.components[a.Components[i]] - s.components[a.Components[j]] })
	for _, i := range order {
		s.uvarint(uint64(s.components[a.Components[i]]))
	}
	targets := slices.DeleteFunc(slices.Clone(a.Targets), func(t ecs.Target) bool { return t.Entity.IsZero() })
	slices.SortFunc(targets, func(x, y ecs.Target) int { return s.components[x.Relation] - s.components[y.Relation] })
	s.uvarint(uint64(len(targets)))
	for _, t := range targets {
		s.uvarint(uint64(s.components[t.Relation]))
		s.uvarint(uint64(t.Entity.ID))
		s.uvarint(uint64(t.Entity.Gen))
	}
	// Generations are those of the pool; identifiers are mostly ascending.
	s.uvarint(uint64(len(a.Entities)))
	s.numbers(len(a.Entities), func(dst []uint32, from int) {
		last := uint32(0)
		if from > 0 {
			last = a.Entities[from-1].ID
		}
		for i := range dst {
			id := a.Entities[from+i].ID
			dst[i] = id - last
			last = id
		}
	})
	for _, i := range order {
		n := nodeOf(s.cat.Components[a.Components[i]].Type.Go)
		s.values(n, a.Columns[i].UnsafePointer(), len(a.Entities))
	}
}

func (s *saver) resource(r ecs.ImageResource) {
	t := s.cat.Resources[r.ID].Type
	s.string(resourceName(s.cat.Resources, int(r.ID)))
	s.string(identity(t))
	v := r.Value
	if !v.IsValid() {
		s.byte(0)
		return
	}
	if v.Type() != t.Go && v.Kind() == reflect.Pointer && v.Type().Elem() == t.Go {
		v = v.Elem()
	}
	n := nodeOf(t.Go)
	box := reflect.New(t.Go)
	box.Elem().Set(v)
	s.byte(1)
	s.uvarint(uint64(s.types.index(n)))
	s.values(n, box.UnsafePointer(), 1)
	s.report.unsaved(t.ID, n)
}

// unsaved lists the fields of a type that no file can hold.
func (r *report) unsaved(name string, n *node) {
	var walk func(n *node, path string, depth int)
	walk = func(n *node, path string, depth int) {
		if n == nil || !n.Handles || depth > 8 {
			return
		}
		if n.kind == kOpaque {
			r.skip(Skip{Kind: "value", Name: name + path,
				Reason: "a " + n.Go.String() + " is not saved; a load keeps the live one where there is one"})
			return
		}
		for _, f := range n.fields {
			walk(f.node, path+"."+f.name, depth+1)
		}
		if n.kind == kArray || n.kind == kPointer {
			walk(n.elem, path, depth+1)
		}
	}
	walk(n, "", 0)
}
