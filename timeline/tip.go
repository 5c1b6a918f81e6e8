package timeline

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// tip is a table as the last sample left it, on the packer's side.
type tip struct {
	components []ecs.TypeID
	targets    []ecs.Target
	columns    []tipColumn
	rows       int
	number     int // in the open segment; -1: not in it
	source     int // archetype of the image at hand; -1: it lacks the table
}

// tipColumn is a column of a tip.
type tipColumn struct {
	column               // of values without pointers
	refs   reflect.Value // []T of others
	typ    *value.Type
	size   int
	key    *keyColumn // in the last keyframe
	stale  bool       // differs from key
}

func newTipColumn(t *value.Type, size int) tipColumn {
	c := tipColumn{typ: t, size: size, stale: true}
	switch {
	case t == nil:
	case t.PointerFree:
		c.lanes = lanesOf(t.Go)
	default:
		c.refs = reflect.MakeSlice(reflect.SliceOf(t.Go), 0, 0)
	}
	return c
}

// newTip makes the tip of an archetype: its entities, then a column for each
// component (one of tags stays empty).
func newTip(types *ecs.Catalog, components []ecs.TypeID, targets []ecs.Target) *tip {
	t := &tip{components: slices.Clone(components), targets: slices.Clone(targets), number: -1}
	t.columns = append(t.columns, newTipColumn(nil, int(unsafe.Sizeof(ecs.Entity{}))))
	for _, id := range components {
		typ := types.Components[id].Type
		t.columns = append(t.columns, newTipColumn(typ, int(typ.Go.Size())))
	}
	return t
}

// same reports whether the tip is an archetype's.
func (t *tip) same(a *ecs.ImageArchetype) bool {
	return slices.Equal(t.components, a.Components) && slices.Equal(t.targets, a.Targets)
}

// keyOf tells archetypes apart.
func keyOf(dst []byte, components []ecs.TypeID, targets []ecs.Target) []byte {
	dst = append(dst, content(unsafe.Pointer(unsafe.SliceData(components)), len(components)*int(unsafe.Sizeof(ecs.TypeID(0))))...)
	dst = append(dst, '|')
	return append(dst, content(unsafe.Pointer(unsafe.SliceData(targets)), len(targets)*int(unsafe.Sizeof(ecs.Target{})))...)
}

// compare makes the column what was captured, n values, and returns those that
// differ, with their rows: nil rows are all. What is equal keeps the older copy.
func (c *tipColumn) compare(now reflect.Value, n int) (rows []int32, values reflect.Value, changed bool) {
	old := c.refs.Len()
	switch {
	case n < old:
		for i := n; i < old; i++ {
			c.refs.Index(i).SetZero()
		}
		c.refs = c.refs.Slice(0, n)
	case n > c.refs.Cap():
		more := reflect.MakeSlice(c.refs.Type(), n, n+n/4)
		reflect.Copy(more, c.refs)
		c.refs = more
	default:
		c.refs = c.refs.Slice(0, n)
	}
	for i := range n {
		a, b := c.refs.Index(i), now.Index(i)
		if i < old && (sameMemory(a, b) || value.Equal(a, b)) {
			continue
		}
		rows = append(rows, int32(i))
	}
	switch len(rows) {
	case 0:
		return nil, values, false
	case n:
		reflect.Copy(c.refs, now)
		return nil, now.Slice(0, n), true
	}
	values = reflect.MakeSlice(c.refs.Type(), len(rows), len(rows))
	for k, i := range rows {
		values.Index(k).Set(now.Index(int(i)))
		c.refs.Index(int(i)).Set(now.Index(int(i)))
	}
	return rows, values, true
}

// sameMemory: the same bits lead to the same values.
func sameMemory(a, b reflect.Value) bool {
	n := int(a.Type().Size())
	return string(content(a.Addr().UnsafePointer(), n)) == string(content(b.Addr().UnsafePointer(), n))
}

// keyframe is the column as a keyframe keeps it: the last one while nothing in
// it has changed.
func (c *tipColumn) keyframe(rows int) *keyColumn {
	if !c.stale && c.key != nil {
		return c.key
	}
	k := &keyColumn{}
	if c.refs.IsValid() {
		k.refs = reflect.MakeSlice(c.refs.Type(), rows, rows)
		reflect.Copy(k.refs, c.refs)
		for i := range rows {
			k.bytes += deepSize(k.refs.Index(i))
		}
	} else {
		k.words = slices.Clone(c.words[:min(wordsFor(rows*c.size), len(c.words))])
		k.bytes = int64(len(k.words) * 8)
	}
	c.key, c.stale = k, false
	return k
}
