package timeline

import (
	"sync/atomic"

	"github.com/loupe-ecs/loupe/ecs"
)

// shot is a world as the frame copied it, on its way to the packer. There are a
// few, used in turn: a capture reuses the memory of an earlier one.
type shot struct {
	Ref
	img    ecs.Image
	types  *ecs.Catalog
	locked bool
	states []State
	inputs []byte
	busy   atomic.Bool // the packer has it
}

// How many there are: one that the frame fills, one that is packed, one that
// waits; of a small world so many that a packer which is not given its turn for a
// quarter of a second loses nothing.
const (
	minShots   = 3
	maxShots   = 16
	shotMemory = 16 << 20 // for those beyond minShots
)

// freeShot is the first that the packer does not have: mostly the same one, whose
// memory is still in the caches. idle: the packer has none.
func (r *run) freeShot() (s *shot, idle bool) {
	idle = true
	n := maxShots
	if size := r.size.Load(); size > 0 {
		n = int(min(max(shotMemory/size, minShots), maxShots))
	}
	for i := range r.shots[:n] {
		switch one := &r.shots[i]; {
		case one.busy.Load():
			idle = false
		case s == nil:
			s = one
		}
	}
	return s, idle
}

// knows reports whether a catalog has every type that the image uses: types are
// only ever added, and making a catalog is dearer than looking.
func knows(cat *ecs.Catalog, img *ecs.Image) bool {
	if cat == nil || len(img.Resources) > len(cat.Resources) {
		return false
	}
	for i := range img.Archetypes {
		for _, id := range img.Archetypes[i].Components {
			if int(id) >= len(cat.Components) {
				return false
			}
		}
	}
	return true
}
