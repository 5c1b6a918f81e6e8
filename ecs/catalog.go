package ecs

import (
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Catalog describes a world at one moment. It is immutable: any goroutine may
// read it. Off-frame code checks arguments against it.
type Catalog struct {
	Engine     Engine
	Components []*Component // by TypeID
	Resources  []*Resource  // by TypeID
	Archetypes []Archetype  // by Chunk.Archetype, empty ones included
	Entities   EntityCounts
	Locked     bool
	// MemoryBytes is what the engine has reserved for entities and components.
	MemoryBytes int64
	// CachedFilters counts the filters the game registered with the engine, -1
	// if the engine does not tell.
	CachedFilters int

	index catalogIndex
}

// Engine tells what an adapter's engine is and can do.
type Engine struct {
	Name    string // "arche", "ark"
	Version string // of the module, if known
	// MaxTypes is how many component types work; 0 is no limit.
	MaxTypes int
	// RelationsPerEntity is how many relations an entity may have; 0 is no limit.
	RelationsPerEntity int
	// DanglingTargets: a relation keeps its target after the target's death.
	DanglingTargets bool
	// PointerHazard: the engine moves rows without write barriers, so that a
	// component that holds pointers can be corrupted by the game's own moves.
	PointerHazard bool
	// NeedsComponent: an entity has at least one component.
	NeedsComponent bool
	// FixedArchetypes: an entity keeps the components it was made with, and
	// entities can be made only with those of an archetype that is in the catalog.
	FixedArchetypes bool
	// Cannot lists, in words, what the engine or its adapter cannot do. Each entry
	// begins with its [Limit].
	Cannot []string
}

// Extends reports whether every type number of old means the same in c: what was
// checked against old holds for c.
func (c *Catalog) Extends(old *Catalog) bool {
	if len(c.Components) < len(old.Components) || len(c.Resources) < len(old.Resources) {
		return false
	}
	for i, x := range old.Components {
		if now := c.Components[i].Type; now.Go != x.Type.Go || now.ID != x.Type.ID {
			return false
		}
	}
	for i, r := range old.Resources {
		if c.Resources[i].Type.Go != r.Type.Go {
			return false
		}
	}
	return true
}

// EntityCounts is the state of the entity pool.
type EntityCounts struct {
	Alive    int `json:"alive"`
	Recycled int `json:"recycled"` // free slots that wait for reuse
	Total    int `json:"total"`    // slots ever used
	Capacity int `json:"capacity"`
	// First is the lowest slot an entity can have; the engine keeps those
	// below for itself. 0 counts as 1.
	First uint32 `json:"-"`
}

// Used reports whether slot id has ever held an entity.
func (c EntityCounts) Used(id uint32) bool {
	first := int64(max(c.First, 1))
	return int64(id) >= first && int64(id) < first+int64(c.Total)
}

// Component is a component type of one world.
type Component struct {
	ID         TypeID
	Name       string // the shortest form that is unique in this world
	Type       *value.Type
	Relation   bool
	Tag        bool // no data
	Entities   int
	Archetypes int // archetypes with at least one row
	Bytes      int64
}

// Resource is a resource type of one world.
type Resource struct {
	ID      TypeID
	Name    string
	Type    *value.Type
	Present bool
}

// Archetype is one archetype of the engine.
type Archetype struct {
	ID             int
	Components     []TypeID
	Targets        []Target
	Entities       int
	Capacity       int
	Bytes          int64
	BytesPerEntity int
}
