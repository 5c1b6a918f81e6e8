package snapshot

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/snapshot/internal/blocks"
	"github.com/loupe-ecs/loupe/snapshot/internal/images"
)

// Load makes the world equal to the snapshot: Decode and Restore in one. It
// must be called on the frame goroutine, and all of its work happens there. On
// an error the world has not changed.
func Load(r io.Reader, world ecs.World, o *Options) (*Report, error) {
	s, err := Decode(r, world.Catalog(), o)
	if err != nil {
		return nil, err
	}
	return s.Restore(world)
}

// Staged is a snapshot that has been read, checked and converted to the types
// of this process; putting it into a world cannot fail for what the file
// holds.
type Staged struct {
	// Image is the world to be. Treat it as read-only.
	Image   ecs.Image
	Header  Header
	report  report
	options *Options
	catalog *ecs.Catalog
	finish  []func()
}

// Report tells what the file holds and what was converted or left out.
func (s *Staged) Report() *Report {
	entities, archetypes := images.Count(&s.Image)
	return &Report{Header: s.Header, Entities: entities, Archetypes: archetypes,
		Projected: s.report.projected, Skipped: s.report.skipped}
}

// Decode reads a whole snapshot for a world with the given catalog. It touches
// no world; any goroutine may call it. Refusals are bad_snapshot or too_large
// errors.
func Decode(r io.Reader, cat *ecs.Catalog, o *Options) (staged *Staged, err error) {
	o = o.orDefault()
	br, err := blocks.NewReader(r)
	if err != nil {
		return nil, err
	}
	head, err := readHeader(br)
	if err != nil {
		return nil, err
	}
	body, err := br.Body(o.MaxBytes)
	if err != nil {
		return nil, err
	}
	defer recovered(&err, "decoding")
	l := &loader{cat: cat, options: o, head: head, budget: o.MaxBytes}
	l.report = &l.staged.report
	l.run(body)
	if err := ecs.ValidateImage(cat, &l.staged.Image); err != nil {
		return nil, err
	}
	return &l.staged, nil
}

// loader is one Decode.
type loader struct {
	decoder
	cat     *ecs.Catalog
	options *Options
	head    Header
	budget  int64
	staged  Staged

	components []fileComponent
	skipped    map[int]int // entities by component left out
	noted      []described
}

// fileComponent is a component type of the file; id is -1 where it is left
// out.
type fileComponent struct {
	name     string
	id       ecs.TypeID
	w        int
	node     *node
	relation bool
}

func (l *loader) run(body []byte) {
	l.decoder.budget = &l.budget
	l.known = &typeNames{cat: l.cat, rename: l.options.Rename}
	l.lax = l.options.AllowUnknown
	l.decoder.pool, l.elsewhere = &l.staged.Image.Pool, l.head.Engine != l.cat.Engine.Name
	l.staged.Header, l.staged.options, l.staged.catalog = l.head, l.options, l.cat
	if len(body) < 8 {
		l.fail("the body is missing")
	}
	end := len(body) - 8
	at := binary.LittleEndian.Uint64(body[end:])
	if at > uint64(end) {
		l.fail("the type table is said to be beyond the end")
	}
	l.data, l.off = body[:end], int(at)
	l.where = "type table"
	l.types = l.fileTypes()
	if l.rest() != 0 {
		l.fail("%d bytes follow it", l.rest())
	}
	l.data, l.off, l.where = body[:at], 0, "component table"
	l.componentTable()
	l.where = "entity table"
	l.pool()
	l.where = "archetypes"
	l.archetypes()
	l.where = "resources"
	l.resources()
	l.redescribed(l.noted)
	l.where = "states"
	l.hostStates()
	if l.rest() != 0 {
		l.fail("%d bytes follow the last part", l.rest())
	}
	l.checkHeader()
}

func (l *loader) renamed(name string) string {
	if to, ok := l.options.Rename[name]; ok {
		return to
	}
	return name
}

// unknown refuses a type, or reports it where the caller said so.
func (l *loader) unknown(what, name string, options []string) {
	if l.lax {
		return
	}
	e := blocks.BadFile("it holds the %s type %s, which this world does not know", what, name)
	e.Got, e.Options, e.Total = name, refusal.Nearest(name, options), len(options)
	e.Hint = "the world was not touched. Load with AllowUnknown to leave it out, or with Rename if the type has another name now; " +
		"types become known when the game first uses them"
	panic(fail{e})
}

func (l *loader) componentTable() {
	index := make(map[string]int, len(l.cat.Components))
	for i := range l.cat.Components {
		index[componentName(l.cat.Components, i)] = i
	}
	n := l.length(4)
	seen := make(map[string]bool, n)
	taken := make(map[ecs.TypeID]bool, n)
	l.skipped = map[int]int{}
	for range n {
		fc := fileComponent{name: l.string(), id: -1}
		noted := l.string() // says what has changed; whether values fit is found out by themselves
		flags := l.byte()
		if flags&^flagRelation != 0 {
			l.fail("component %s has unknown flags", fc.name)
		}
		fc.relation = flags&flagRelation != 0
		fc.w = l.typeNumber()
		if seen[fc.name] {
			l.fail("the component type %s is there twice", fc.name)
		}
		seen[fc.name] = true
		if i, ok := index[l.renamed(fc.name)]; ok {
			c := l.cat.Components[i]
			fc.id, fc.node = c.ID, nodeOf(c.Type.Go)
			if taken[fc.id] {
				l.fail("two component types of the file are %s", c.Type.ID)
			}
			taken[fc.id] = true
			l.note(fc.name, noted, c.Type)
			if fc.relation != c.Relation {
				l.report.add(Projection{Type: c.Type.ID, Change: Converted, From: relationWord(fc.relation), To: relationWord(c.Relation)})
			}
			l.report.unsaved(c.Type.ID, fc.node)
		}
		l.components = append(l.components, fc)
	}
}

func (l *loader) componentNames() []string {
	names := make([]string, len(l.cat.Components))
	for i := range names {
		names[i] = componentName(l.cat.Components, i)
	}
	return names
}

func relationWord(r bool) string {
	if r {
		return "relation"
	}
	return "component"
}

func (l *loader) typeNumber() int {
	w := l.uvarint()
	if w >= uint64(len(l.types)) {
		l.fail("a type %d of %d", w, len(l.types))
	}
	return int(w)
}

func (l *loader) pool() {
	n := l.length(8)
	small := func() uint32 {
		v := l.uvarint()
		if v > math.MaxUint32 {
			l.fail("a number of %d", v)
		}
		return uint32(v)
	}
	p := &l.staged.Image.Pool
	p.Next, p.Available, p.Reserved = small(), small(), small()
	raw := l.take(8 * n)
	l.charge(8 * int64(n))
	p.Slots = make([]ecs.Entity, n)
	blocks.ReadLanes(raw, entityLanes, unsafe.Pointer(unsafe.SliceData(p.Slots)), unsafe.Sizeof(ecs.Entity{}), n)
	for i := range p.Slots {
		p.Slots[i].ID ^= uint32(i)
	}
}

func (l *loader) component() int {
	i := l.uvarint()
	if i >= uint64(len(l.components)) {
		l.fail("component %d of %d", i, len(l.components))
	}
	return int(i)
}

func (l *loader) archetypes() {
	n := l.length(4)
	list := make([]ecs.ImageArchetype, 0, n)
	l.charge(int64(n) * 128)
	for range n {
		list = append(list, l.archetype())
	}
	for i, fc := range l.components {
		if fc.id < 0 {
			l.report.skip(Skip{Kind: "component", Name: fc.name,
				Reason: fmt.Sprintf("this world does not know the type; left out of %d entities", l.skipped[i])})
		}
	}
	hints := make([]uint32, l.length(1))
	l.charge(4 * int64(len(hints)))
	for i := range hints {
		h := l.uvarint()
		if h > math.MaxUint32 {
			l.fail("a hint of %d", h)
		}
		hints[i] = uint32(h)
	}
	l.staged.Image.Archetypes, l.staged.Image.Hints = list, hints
	if merged := images.Merge(list); len(l.skipped) > 0 && len(merged) < len(list) {
		l.staged.Image.Archetypes, l.staged.Image.Hints = merged, nil
	}
}

func (l *loader) archetype() ecs.ImageArchetype {
	var a ecs.ImageArchetype
	parts := make([]int, l.length(1))
	for i := range parts {
		parts[i] = l.component()
		if i > 0 && parts[i] <= parts[i-1] {
			l.fail("a component is there twice in an archetype")
		}
	}
	for range l.length(3) {
		c := l.component()
		id, gen := l.uvarint(), l.uvarint()
		if id > math.MaxUint32 || gen > math.MaxUint32 || !slices.Contains(parts, c) {
			l.fail("an impossible relation target")
		}
		if fc := l.components[c]; fc.id >= 0 && l.cat.Components[fc.id].Relation {
			a.Targets = append(a.Targets, ecs.Target{Relation: fc.id, Entity: ecs.Entity{ID: uint32(id), Gen: uint32(gen)}})
		}
	}
	rows := l.length(4)
	ids := make([]uint32, rows)
	l.charge(12 * int64(rows))
	blocks.ReadLanes(l.take(4*rows), entityLanes[:1], unsafe.Pointer(unsafe.SliceData(ids)), 4, rows)
	a.Entities = make([]ecs.Entity, rows)
	slots, last := l.staged.Image.Pool.Slots, uint32(0)
	for i := range ids {
		last += ids[i]
		if uint64(last) >= uint64(len(slots)) || slots[last].ID != last {
			l.fail("entity %d is not in the entity table", last)
		}
		a.Entities[i] = slots[last]
	}
	l.addTargets(&a, parts)
	for _, c := range parts {
		fc := l.components[c]
		form, data := l.block()
		if fc.id < 0 {
			if rows > 0 { // a type that no entity has is no loss
				l.unknown("component", fc.name, l.componentNames())
			}
			l.skipped[c] += rows
			continue
		}
		l.where = l.cat.Components[fc.id].Type.ID
		a.Components = append(a.Components, fc.id)
		a.Columns = append(a.Columns, l.sub(data, func() reflect.Value { return l.decoder.column(fc.w, fc.node, form, rows) }))
		l.where = "archetypes"
	}
	images.SortColumns(&a)
	return a
}

// addTargets gives every relation of the archetype a target: zero is not
// written.
func (l *loader) addTargets(a *ecs.ImageArchetype, parts []int) {
	for _, c := range parts {
		id := l.components[c].id
		if id >= 0 && l.cat.Components[id].Relation && !slices.ContainsFunc(a.Targets, func(t ecs.Target) bool { return t.Relation == id }) {
			a.Targets = append(a.Targets, ecs.Target{Relation: id})
		}
	}
	slices.SortFunc(a.Targets, func(x, y ecs.Target) int { return int(x.Relation - y.Relation) })
}

// block reads form and bytes of a column or resource.
func (l *loader) block() (byte, []byte) {
	form := l.byte()
	return form, l.take(l.length(1))
}

// sub decodes data by itself and comes back.
func (l *loader) sub(data []byte, f func() reflect.Value) reflect.Value {
	outer, off := l.data, l.off
	l.data, l.off = data, 0
	v := f()
	l.data, l.off = outer, off
	return v
}

func (l *loader) checkHeader() {
	entities, archetypes := images.Count(&l.staged.Image)
	if entities != l.head.Entities || !l.lax && archetypes != l.head.Archetypes {
		l.where = ""
		l.fail("the header announces %d entities in %d archetypes, the body holds %d in %d", l.head.Entities, l.head.Archetypes,
			entities, archetypes)
	}
}
