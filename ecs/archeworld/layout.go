package archeworld

//lint:file-ignore U1000 fields are mirrored for their place in memory, used or not

import (
	"fmt"
	"reflect"
	"unsafe"

	loupe "github.com/loupe-ecs/loupe/ecs"
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

// layoutErr is nil when arche's memory layout is the one mirrored here.
var layoutErr = verifyLayout()

func verifyLayout() error {
	seen := map[[2]reflect.Type]bool{}
	for _, pair := range [][2]reflect.Type{
		{reflect.TypeFor[idLayout](), reflect.TypeFor[ecs.ID]()},
		{reflect.TypeFor[idLayout](), reflect.TypeFor[ecs.ResID]()},
		{reflect.TypeFor[entityLayout](), reflect.TypeFor[ecs.Entity]()},
		{reflect.TypeFor[loupe.Entity](), reflect.TypeFor[entityLayout]()},
	} {
		mine, theirs := pair[0], pair[1]
		if mine.Size() != theirs.Size() || mine.NumField() != theirs.NumField() {
			return layoutDiffers(theirs.String(), "size or fields")
		}
		for i := range mine.NumField() {
			if m, t := mine.Field(i), theirs.Field(i); m.Type.Kind() != t.Type.Kind() || m.Offset != t.Offset {
				return layoutDiffers(theirs.String()+"."+t.Name, "kind or offset")
			}
		}
	}
	if err := sameLayout(reflect.TypeFor[world](), reflect.TypeFor[ecs.World](), "World", seen); err != nil {
		return err
	}
	return samePages()
}

// samePages: every world has one archetype, in a page whose length is the
// page size.
func samePages() error {
	w := ecs.NewWorld(1)
	if p := (*world)(unsafe.Pointer(&w)).archetypes.pages; len(p) != 1 || len(p[0]) != pageSize {
		return layoutDiffers("pagedSlice", "page size")
	}
	return nil
}

func layoutDiffers(where, what string) error {
	return &loupe.Error{Code: loupe.CrashLayout,
		Message: fmt.Sprintf("this build's arche is not laid out in memory as version 0.15.3: %s differs in %s; nothing was touched", where, what),
		Hint:    "restart the game, or build it with github.com/mlange-42/arche v0.15.3"}
}

func sameLayout(mine, theirs reflect.Type, path string, seen map[[2]reflect.Type]bool) error {
	if mine == theirs || seen[[2]reflect.Type{mine, theirs}] {
		return nil
	}
	seen[[2]reflect.Type{mine, theirs}] = true
	if mine.Kind() != theirs.Kind() || mine.Size() != theirs.Size() {
		return layoutDiffers(path, "kind or size")
	}
	switch mine.Kind() {
	case reflect.Struct:
		if mine.NumField() != theirs.NumField() {
			return layoutDiffers(path, "the number of fields")
		}
		for i := range mine.NumField() {
			m, t := mine.Field(i), theirs.Field(i)
			if m.Name != t.Name || m.Offset != t.Offset {
				return layoutDiffers(path+"."+t.Name, "name or offset")
			}
			if err := sameLayout(m.Type, t.Type, path+"."+t.Name, seen); err != nil {
				return err
			}
		}
	case reflect.Pointer, reflect.Slice, reflect.Array:
		if mine.Kind() == reflect.Array && mine.Len() != theirs.Len() {
			return layoutDiffers(path, "length")
		}
		return sameLayout(mine.Elem(), theirs.Elem(), path+"[]", seen)
	case reflect.Map:
		if err := sameLayout(mine.Key(), theirs.Key(), path+" key", seen); err != nil {
			return err
		}
		return sameLayout(mine.Elem(), theirs.Elem(), path+" value", seen)
	case reflect.Interface:
		return layoutDiffers(path, "interface type")
	}
	return nil
}
