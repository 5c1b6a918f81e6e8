package arkworld

//lint:file-ignore U1000 fields are mirrored for their place in memory, used or not

import (
	"cmp"
	"reflect"
	"sync"
	"unsafe"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
	"github.com/mlange-42/ark/ecs"
	"github.com/mlange-42/ark/ecs/stats"
)

// The types below mirror Ark's unexported ones, field by field and under the
// same names. verifyLayout compares them with the real ones by reflection when
// the program starts; unless every name, kind, size and offset agrees the
// adapter never looks through them and works by the public interface alone.

type world struct {
	stats     *stats.World
	resources resources
	storage   storage
}

type resources struct {
	registry  registry
	resources []any
}

type registry struct {
	Used       bitMask
	Types      []reflect.Type
	IDs        []uint8
	Components map[reflect.Type]uint8
}

type storage struct {
	entities           []entityIndex
	isTarget           []bool
	graph              graph
	archetypes         []archetype
	archetypesData     pagedSlice[archetypeData]
	allArchetypes      []uint32
	componentIndex     [][]uint32
	relationArchetypes []uint32
	tables             []table
	components         []componentStorage
	cache              cache
	entityPool         entityPool
	registry           componentRegistry
	locks              lock
	config             config
	slices             *slicesCache
	observers          *observerManager
}

type entityIndex struct {
	table uint32
	row   uint32
}

// noTable is Ark's table of an entity that is dead.
const noTable = ^uint32(0)

type graph struct{ nodes []node }

type node struct {
	neighbors idMap
	mask      bitMask
	id        uint32
	archetype uint32
}

type idMap struct {
	data []uint32
	used bitMask
}

type pagedSlice[T any] struct {
	pages    [][]T
	len      int32
	lenLast  int32
	pageSize int32
}

type archetype struct {
	*archetypeData
	componentsMap  []int16
	relationTables []map[uint32]*tableIDs
	tables         tableIDs
	mask           bitMask
	id             uint32
	numRelations   uint8
}

type archetypeData struct {
	components   []ecs.ID
	itemSizes    []uint32
	isRelation   []bool
	freeTables   []uint32
	targetTables map[uint32]*tableIDs
	node         uint32
}

type tableIDs struct {
	tables  []uint32
	indices map[uint32]uint32
}

type table struct {
	entities    entityColumn
	components  []*column
	ids         []ecs.ID
	columns     []column
	relationIDs []relationID
	id          uint32
	archetype   uint32
	len         uint32
	cap         uint32
	isFree      bool
}

type entityColumn struct {
	data    reflect.Value
	pointer unsafe.Pointer
}

type column struct {
	data       reflect.Value
	pointer    unsafe.Pointer
	itemSize   uintptr
	elemType   reflect.Type
	typePtr    unsafe.Pointer
	target     ecs.Entity
	index      uint32
	isRelation bool
	isTrivial  bool
}

type relationID struct {
	target    ecs.Entity
	component ecs.ID
}

type componentStorage struct{ columns []*column }

type cache struct {
	indices map[uint32]int
	filters []cacheEntry
	intPool intPool
}

type cacheEntry struct {
	filter    *filter
	tables    tableIDs
	relations []relationID
	id        uint32
}

type filter struct {
	mask       bitMask
	without    bitMask
	cache      uint32
	hasWithout bool
}

type intPool struct {
	pool              []uint32
	next              uint32
	available         uint32
	capacityIncrement uint32
}

type entityPool struct {
	pointer   unsafe.Pointer
	entities  []ecs.Entity
	next      uint32
	available uint32
	reserved  uint32
}

type componentRegistry struct {
	registry
	IsRelation []bool
	IsTrivial  []bool
	Archetypes []int
	version    uint32
}

type lock struct {
	bitPool bitPool
	locks   lockMask
	mu      sync.Mutex
}

type lockMask struct{ bits uint64 }

type bitPool struct {
	bits      []uint8
	length    uint8
	next      uint8
	available uint8
}

type config struct {
	initialCapacity          int
	initialCapacityRelations int
}

// slicesCache and observerManager are only pointed at.
type (
	slicesCache     struct{}
	observerManager struct{}
)

type entityLayout struct {
	id  uint32
	gen uint32
}

var ark = engine.Engine{Name: "Ark", Module: "github.com/mlange-42/ark", Version: "0.8.1", MaxTypes: maxTypes}

// layoutErr is nil when Ark's memory layout is the one mirrored here.
var layoutErr = verifyLayout()

func verifyLayout() error {
	for _, mine := range []reflect.Type{reflect.TypeFor[entityLayout](), reflect.TypeFor[loupe.Entity]()} {
		if err := ark.SameHandle(mine, reflect.TypeFor[ecs.Entity]()); err != nil {
			return err
		}
	}
	return ark.SameLayout(reflect.TypeFor[world](), reflect.TypeFor[ecs.World](), "World", reflect.TypeFor[slicesCache](), reflect.TypeFor[observerManager]())
}

func noLayout() error { return cmp.Or(layoutErr, ark.Differs("World", "a test")) }
