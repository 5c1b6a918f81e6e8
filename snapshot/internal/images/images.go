// Package images finds, joins and parts the rows of world images; it knows nothing
// of files.
package images

import "github.com/loupe-ecs/loupe/ecs"

// Place is where an entity is in an image.
type Place struct {
	gen       uint32
	Archetype int32 // -1: nowhere
	Row       int32
}

// Places indexes an image by slot number.
type Places []Place

func Locate(img *ecs.Image) Places {
	out := make(Places, len(img.Pool.Slots))
	for i := range out {
		out[i].Archetype = -1
	}
	for a := range img.Archetypes {
		for row, e := range img.Archetypes[a].Entities {
			out[e.ID] = Place{e.Gen, int32(a), int32(row)}
		}
	}
	return out
}

func (p Places) Find(e ecs.Entity) (Place, bool) {
	if uint64(e.ID) >= uint64(len(p)) || p[e.ID].Archetype < 0 || p[e.ID].gen != e.Gen {
		return Place{}, false
	}
	return p[e.ID], true
}

// Count counts entities, and archetypes that have some.
func Count(img *ecs.Image) (entities, archetypes int) {
	for i := range img.Archetypes {
		if n := len(img.Archetypes[i].Entities); n > 0 {
			entities += n
			archetypes++
		}
	}
	return entities, archetypes
}
