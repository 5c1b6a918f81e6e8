package ecs

import (
	"iter"
	"reflect"
)

// TypeID is the number of a component type, or of a resource type, in one
// world: the index into [Catalog.Components] or [Catalog.Resources]. The two
// are separate number spaces. A number is stable for the life of its world.
type TypeID int32

// World is an ECS world as the debug server sees it. An adapter makes one of
// an engine's world. Every method is called on the frame goroutine only,
// between world updates. No method panics, whatever the arguments; observing
// changes nothing: no type is registered, no filter is kept.
type World interface {
	// Catalog describes the world: its types, counts, archetypes and lock.
	// It is immutable and the same pointer until something changed.
	Catalog() *Catalog
	// Locked reports whether the engine refuses structural changes now.
	Locked() bool
	// Alive reports whether e lives. Forged and zero entities do not.
	Alive(e Entity) bool
	// Holder returns the entity that lives in slot id now.
	Holder(id uint32) (Entity, bool)
	// Chunks visits every archetype with at least one row that matches f, in
	// the engine's own iteration order. No engine query is open while the body
	// runs. The body must not change the world's structure.
	Chunks(f Filter) iter.Seq[Chunk]
	// Row finds an entity's row; false if it is not alive.
	Row(e Entity) (Chunk, int, bool)
	// Apply validates all changes against types, liveness, composition and
	// locks, in order and as if each took effect in turn, then applies them.
	// On an error nothing has changed (a panic in a listener of the game is the
	// one exception: code "panic", the message says how far it came). It
	// returns the spawned entities in order of the changes.
	Apply(changes []Change) ([]Entity, error)
	// Resource returns the value of a resource: addressable (the target) where
	// the engine stores a pointer, else a copy. False: registered but absent.
	Resource(id TypeID) (reflect.Value, bool)
}

// Chunk is the rows of one archetype (an arche archetype, an Ark table). It
// is valid until the next structural change; do not keep it.
type Chunk interface {
	// Archetype is the number of the chunk, the index into
	// [Catalog.Archetypes] of a catalog taken at the same time.
	Archetype() int
	Len() int
	Entity(row int) Entity
	// AppendEntities appends the entities of rows from..to-1.
	AppendEntities(dst []Entity, from, to int) []Entity
	// Components lists the component types; do not change the slice.
	Components() []TypeID
	// Column tells where the values of a component are; false if the rows do
	// not have it. A component without data has a column too, with any base.
	// Columns whose type holds pointers must be written by typed assignment only.
	Column(id TypeID) (Column, bool)
	// Targets lists the relation targets of the chunk's rows.
	Targets() []Target
}

// Target is one relation of an entity: the relation's component type and the
// entity it points at (zero: none).
type Target struct {
	Relation TypeID
	Entity   Entity
}

// Filter selects archetypes. The zero Filter matches all.
type Filter struct {
	With, Without []TypeID
	Exclusive     bool    // no other components than With
	Target        *Entity // at least one relation points at this entity
	Relation      *TypeID // with Target: the relation that must; nil: any
}

// Op is the kind of a Change.
type Op uint8

// The kinds of change.
const (
	OpSpawn    Op = iota + 1 // new entities: Count, Values, Targets
	OpDespawn                // Entity
	OpAdd                    // Entity gets Values (absent before) and Targets
	OpRemove                 // Entity loses Types (present before)
	OpSet                    // Values (present before) replace the old ones; legal in a locked world
	OpRetarget               // Entity's relations point at Targets
)

// Change is one step of an [World.Apply].
type Change struct {
	Op      Op
	Entity  Entity
	Count   int // OpSpawn: 0 counts as 1; every entity gets its own deep copy of Values
	Values  []Value
	Types   []TypeID
	Targets []Target
	// Exact: Values were in this world before and are put back as they were,
	// entities that have died since included.
	Exact bool
}

// Value is a component's value: Value.Type() is the component's Go type.
type Value struct {
	Type  TypeID
	Value reflect.Value
}

// Unlocker is implemented by a World whose engine can be freed of the lock
// that an interrupted query left behind.
type Unlocker interface {
	// Unlock releases every lock. If the engine's memory layout is not the one
	// the adapter was written for it returns a crash_layout error and touches
	// nothing.
	Unlock() error
}

// Restorer is implemented by a World whose whole state can be copied out and
// put back in place: the same world object, with the game's filters, mappers,
// listeners and resource pointers still valid.
type Restorer interface {
	// Capture copies the whole world into img (reusing its memory): the frame
	// part of a save.
	Capture(img *Image) error
	// Check says whether img can be restored into this world: known types,
	// sound entity table, not locked. It changes nothing.
	Check(img *Image) error
	// Restore makes the world equal to img. It calls Check first; after that
	// it cannot fail half-way. img stays the caller's and may be restored
	// again: pointerful values are copied in.
	Restore(img *Image) error
}

// ActionContext is what an action declared with value.ActionWith is given
// besides its component.
type ActionContext struct {
	World  World
	Entity Entity
}
