package timeline

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
)

// spot is where an entity was last seen.
type spot struct {
	entity     ecs.Entity
	table, row int
}

// Component is the value of one component of an entity at the sample; false if
// the entity does not live or lacks it. Only the block that holds it is decoded,
// so that one value can be followed through thousands of samples of a large
// world. The value is valid until Next, and not to be written to.
func (c *Cursor) Component(e ecs.Entity, id ecs.TypeID) (reflect.Value, bool) {
	d := c.d
	table, row, ok := c.find(e)
	if !ok {
		return reflect.Value{}, false
	}
	k := slices.Index(d.tables[table].components, id)
	if k < 0 {
		return reflect.Value{}, false
	}
	n := d.tables[table].columns + 1 + k
	info := &d.columns[n]
	switch {
	case info.size == 0:
		return reflect.New(info.typ.Go).Elem(), true
	case info.pointers():
		d.base(n)
		return d.cols[n].refs.Index(row), true
	case d.cols[n] != nil:
		return reflect.NewAt(info.typ.Go, unsafe.Add(d.base(n), row*info.size)).Elem(), true
	}
	f := d.askPart(n, row*info.size, (row+1)*info.size-1)
	return reflect.NewAt(info.typ.Go, unsafe.Add(unsafe.Pointer(unsafe.SliceData(f.words)), row*info.size-f.lo*8)).Elem(), true
}

// Alive reports whether an entity lives at the sample.
func (c *Cursor) Alive(e ecs.Entity) bool {
	_, _, ok := c.find(e)
	return ok
}

// Resource is the value of a resource at the sample; false if it is absent.
func (c *Cursor) Resource(id ecs.TypeID) (reflect.Value, bool) { return c.src.Resource(id) }

// find tells where an entity is. Mostly that is where it was.
func (c *Cursor) find(e ecs.Entity) (table, row int, ok bool) {
	d := c.d
	if s := c.spot; s.entity == e && s.table < len(d.tables) {
		if es := d.entities(d.tables[s.table].columns, int(d.rows[s.table])); s.row < len(es) && es[s.row] == e {
			return s.table, s.row, true
		}
	}
	slots := d.entities(d.tables[tablePool].columns, int(d.rows[tablePool]))
	if int64(e.ID) >= int64(len(slots)) || slots[e.ID] != e {
		return 0, 0, false
	}
	order := d.samples[d.i].shape.order
	var missing []int
	for _, n := range order {
		if d.rows[n] > 0 && d.cols[d.tables[n].columns] == nil {
			missing = append(missing, d.tables[n].columns)
		}
	}
	if len(missing) > 0 {
		d.ask(missing...)
	}
	for _, n := range order {
		if row := slices.Index(d.entities(d.tables[n].columns, int(d.rows[n])), e); row >= 0 {
			c.spot = spot{e, int(n), row}
			return int(n), row, true
		}
	}
	return 0, 0, false
}
