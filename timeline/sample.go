package timeline

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/snapshot"
)

// Ref names a sample.
type Ref struct {
	// Seq numbers the samples in the order they were taken.
	Seq uint64
	// Tick is what the host's clock said, Frame the host frame. Several samples
	// may be of one tick: the last is how the tick's world was left.
	Tick, Frame uint64
	Branch      int
	// Cause is "" for a sample that the end of a tick brought. Others are taken
	// because something else changed the world: "start", "call modify",
	// "parked load_level", "crash".
	Cause string
}

// Causes of a sample.
const (
	CauseStart = "start" // recording began: what was before it is not known
	CauseCrash = "crash" // the world as a panic left it, midway through a tick
	CauseWorld = "world" // another world was bound
)

// State is what a host's SnapshotState saved.
type State = snapshot.SavedState

// Sample is a whole recorded moment. It shares memory with the recording: treat
// all of it as read-only.
type Sample struct {
	Ref
	Image *ecs.Image
	// Types describes the types of the world that was recorded.
	Types *ecs.Catalog
	// Locked: a query was open.
	Locked bool
	States []State
	// Inputs is what came from outside since the sample before (host.Inputs).
	Inputs []byte
}

// sample is one recorded moment as it is stored, in its segment. There are tens
// of thousands: what few of them have is aside.
type sample struct {
	seq, tick, frame          uint64
	next, available, reserved uint32 // of the entity table; its slots are a column
	shape                     *shape
	data                      []byte // what changed in lengths and columns without pointers
	more                      *more  // shared by samples that follow each other while it is the same
}

// more is what a sample has beside its values.
type more struct {
	cause  string
	locked bool
	refs   []refDelta // what changed in columns with pointers
	states []State
	inputs []byte
}

// plainMore is that of most samples.
var plainMore = &more{}

func (s *sample) pool() ecs.Pool {
	return ecs.Pool{Next: s.next, Available: s.available, Reserved: s.reserved}
}

// shape is which archetypes there are, in iteration order, by table number, and
// which resources the capture listed.
type shape struct {
	order  []int32
	listed []bool
}

// refDelta is what changed in a column whose values hold pointers.
type refDelta struct {
	column int
	rows   []int32 // nil: all
	values reflect.Value
}

// table is the rows of one archetype, or something stored like it: the entity
// table, the adapter's notes, one resource.
type table struct {
	components []ecs.TypeID
	targets    []ecs.Target
	columns    int // number of its first one
}

// layout is the tables and columns of a segment, by number. Segments that follow
// each other share it while the world has the same archetypes.
type layout struct {
	tables  []table
	columns []columnInfo
	users   int // segments that have it; under the ring's lock
}

// with is the layout and more tables.
func (l *layout) with(more []*tip) *layout {
	out := &layout{tables: slices.Clip(l.tables), columns: slices.Clip(l.columns)}
	for _, t := range more {
		out.tables = append(out.tables, table{t.components, t.targets, len(out.columns)})
		for k := range t.columns {
			c := &t.columns[k]
			out.columns = append(out.columns, columnInfo{len(out.tables) - 1, c.size, c.typ, c.lanes})
		}
	}
	out.tables, out.columns = slices.Clone(out.tables), slices.Clone(out.columns) // no longer than needed
	return out
}

func (l *layout) bytes() int64 {
	n := int64(unsafe.Sizeof(*l)) + int64(cap(l.tables))*int64(unsafe.Sizeof(table{})) + int64(cap(l.columns))*int64(unsafe.Sizeof(columnInfo{}))
	for i := range l.tables {
		n += int64(len(l.tables[i].components))*int64(unsafe.Sizeof(ecs.TypeID(0))) + int64(len(l.tables[i].targets))*int64(unsafe.Sizeof(ecs.Target{}))
	}
	return n
}

// columnInfo describes a column of a segment.
type columnInfo struct {
	table int
	size  int         // of a value
	typ   *value.Type // nil: entities, slots, notes
	lanes []lane
}

func (c *columnInfo) pointers() bool { return c.typ != nil && !c.typ.PointerFree }

// The first tables of every segment; the resources follow, then the archetypes.
const (
	tablePool = iota
	tableHints
	tableResources
)

// Capture is the sample as a save or a load takes it.
func (s *Sample) Capture(o *snapshot.Options) *snapshot.Capture {
	return snapshot.CaptureOf(s.Types, s.Image, s.States, o)
}
