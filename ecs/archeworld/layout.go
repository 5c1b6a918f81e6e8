package archeworld

//lint:file-ignore U1000 fields are mirrored for their place in memory, used or not

import (
	"cmp"
	"reflect"
	"unsafe"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/stats"
)

// The types below mirror arche's unexported ones, field by field and under the
// same names. verifyLayout compares them with the real ones by reflection when
// the program starts; unless every name, kind, size and offset agrees the
// adapter never looks through them and works by the public interface alone.

type world struct {
	listener       ecs.Listener
	nodePointers   []*archNode
	entities       []entityIndex
	targetEntities bitSet
	relationNodes  []*archNode
	filterCache    cache
	nodes          pagedSlice[archNode]
	archetypeData  pagedSlice[archetypeData]
	nodeData       pagedSlice[nodeData]
	archetypes     pagedSlice[archetype]
	entityPool     entityPool
	stats          stats.World
	resources      resources
	registry       componentRegistry
	locks          lockMask
	config         config
}

type entityIndex struct {
	arch  *archetype
	index uint32
}

type bitSet struct{ data []uint64 }

type cache struct {
	indices       map[uint32]int
	filters       []cacheEntry
	getArchetypes func(f ecs.Filter) []unsafe.Pointer
	intPool       intPool
}

type cacheEntry struct {
	Filter     ecs.Filter
	Indices    map[*archetype]int
	Archetypes pointers
	ID         uint32
}

type pointers struct{ pointers []*archetype }

type intPool struct {
	next              uint32
	pool              []uint32
	available         uint32
	capacityIncrement uint32
}

type pagedSlice[T any] struct {
	pages   [][]T
	len     int32
	lenLast int32
}

// pageSize is arche's, a constant that reflection cannot see: verifyLayout
// measures it on a page.
const pageSize = 32

func (p *pagedSlice[T]) at(i int32) *T { return &p.pages[i/pageSize][i%pageSize] }

// pop removes the last of several elements, as arche would have added it.
func (p *pagedSlice[T]) pop() {
	var zero T
	*p.at(p.len - 1) = zero
	p.len--
	if p.lenLast--; p.lenLast == 0 {
		p.pages[len(p.pages)-1] = nil
		p.pages = p.pages[:len(p.pages)-1]
		p.lenLast = pageSize
	}
}

type archNode struct {
	*nodeData
	Mask        ecs.Mask
	Relation    ecs.ID
	HasRelation bool
	IsActive    bool
}

type nodeData struct {
	archetype       *archetype
	archetypeMap    map[ecs.Entity]*archetype
	zeroPointer     unsafe.Pointer
	Types           []reflect.Type
	Ids             []ecs.ID
	freeIndices     []int32
	zeroValue       []byte
	archetypes      pagedSlice[archetype]
	archetypeData   pagedSlice[archetypeData]
	neighbors       idMap[*archNode]
	initialCapacity uint32
}

type idMap[T any] struct {
	zeroValue T
	chunks    [][]T
	chunkUsed []uint8
	used      ecs.Mask
}

type archetype struct {
	*archetypeData
	node *archNode
	archetypeAccess
	len uint32
	cap uint32
}

type archetypeData struct {
	entityBuffer reflect.Value
	layouts      []columnLayout
	buffers      []reflect.Value
	indices      idMap[uint32]
	index        int32
}

type archetypeAccess struct {
	basePointer          unsafe.Pointer
	entityPointer        unsafe.Pointer
	Mask                 ecs.Mask
	RelationTarget       ecs.Entity
	RelationComponent    ecs.ID
	HasRelationComponent bool
}

type columnLayout struct {
	pointer  unsafe.Pointer
	itemSize uint32
}

type entityPool struct {
	entities  []ecs.Entity
	next      uint32
	available uint32
}

type resources struct {
	resources []any
	registry  registry
}

type registry struct {
	Components map[reflect.Type]uint8
	Types      []reflect.Type
	IDs        []uint8
	Used       ecs.Mask
}

type componentRegistry struct {
	registry
	IsRelation ecs.Mask
}

type lockMask struct {
	locks   ecs.Mask
	bitPool bitPool
}

type bitPool struct {
	length    uint16
	bits      [ecs.MaskTotalBits]uint8
	next      uint8
	available uint8
}

type config struct {
	initialCapacity          int
	initialCapacityRelations int
}

// entityLayout and idLayout are how this package builds arche's handles,
// which have no constructors.
type entityLayout struct {
	id  uint32
	gen uint32
}

type idLayout struct{ id uint8 }

var arche = engine.Engine{Name: "arche", Module: "github.com/mlange-42/arche", Version: "0.15.3", MaxTypes: maxTypes}

// layoutErr is nil when arche's memory layout is the one mirrored here.
var layoutErr = verifyLayout()

func verifyLayout() error {
	for _, pair := range [][2]reflect.Type{
		{reflect.TypeFor[idLayout](), reflect.TypeFor[ecs.ID]()},
		{reflect.TypeFor[idLayout](), reflect.TypeFor[ecs.ResID]()},
		{reflect.TypeFor[entityLayout](), reflect.TypeFor[ecs.Entity]()},
		{reflect.TypeFor[loupe.Entity](), reflect.TypeFor[entityLayout]()},
	} {
		if err := arche.SameHandle(pair[0], pair[1]); err != nil {
			return err
		}
	}
	if err := arche.SameLayout(reflect.TypeFor[world](), reflect.TypeFor[ecs.World](), "World"); err != nil {
		return err
	}
	return samePages()
}

// samePages: every world has one archetype, in a page whose length is the
// page size.
func samePages() error {
	w := ecs.NewWorld(1)
	if p := (*world)(unsafe.Pointer(&w)).archetypes.pages; len(p) != 1 || len(p[0]) != pageSize {
		return arche.Differs("pagedSlice", "page size")
	}
	return nil
}

func noLayout() error { return cmp.Or(layoutErr, arche.Differs("World", "a test")) }
