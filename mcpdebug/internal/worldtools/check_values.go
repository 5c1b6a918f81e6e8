package worldtools

import (
	"math"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
)

// hits counts what was found at one path.
type hits struct {
	n     int
	where []string
}

func (h *hits) add(e ecs.Entity) {
	h.n++
	if len(h.where) < maxNamed {
		h.where = append(h.where, e.String())
	}
}

// scan is the way through the values of one component, and what was found.
type scan struct {
	comp   *ecs.Component
	layout *value.Layout
	// At fixed places: floats, labelled integers, entities. dynamic: there may be
	// entities elsewhere too.
	floats, labelled, refs []value.Place
	dynamic                bool
	bad, odd, dead         []hits // by place
	inside                 hits

	passed    map[int]bool // archetypes
	archetype int          // that the scan is in; -1: none
	row       int
}

// values scans floats and entity fields as long as there is time in this
// frame, and tells whether it is through.
func (k *checker) values() (done bool) {
	for {
		if k.scan == nil {
			if k.next == len(k.cat.Components) {
				return true
			}
			k.scan = newScan(k.cat.Components[k.next])
			k.next++
		}
		if k.scan != nil {
			if !k.run(k.scan) {
				return false
			}
			k.report(k.scan)
			k.scan = nil
		}
	}
}

// newScan is nil for a component without anything to look at.
func newScan(comp *ecs.Component) *scan {
	if comp.Entities == 0 {
		return nil
	}
	s := &scan{comp: comp, layout: value.LayoutOf(comp.Type.Go), archetype: -1, passed: map[int]bool{}}
	s.floats, _ = s.layout.Places(func(l *value.Layout, _ []value.EnumLabel) bool { return l.Kind == value.KindFloat })
	s.labelled, _ = s.layout.Places(func(_ *value.Layout, labels []value.EnumLabel) bool { return len(labels) > 0 })
	s.refs, s.dynamic = entityPlaces(comp.Type)
	if len(s.floats)+len(s.labelled)+len(s.refs) == 0 && !s.dynamic {
		return nil
	}
	s.bad, s.odd, s.dead = make([]hits, len(s.floats)), make([]hits, len(s.labelled)), make([]hits, len(s.refs))
	return s
}

// run goes on where the scan has stopped. The world may have moved on: rows
// that changed their place since are looked at twice, or not at all.
func (k *checker) run(s *scan) (done bool) {
	every := 256
	if s.dynamic {
		every = 16
	}
	for c := range k.w.Chunks(ecs.Filter{With: []ecs.TypeID{s.comp.ID}}) {
		id := c.Archetype()
		if s.passed[id] {
			continue
		}
		if id != s.archetype {
			s.archetype, s.row = id, 0
		}
		col, ok := c.Column(s.comp.ID)
		for ; ok && s.row < c.Len(); s.row++ {
			if k.looked++; k.looked%every == 0 && time.Now().After(k.deadline) {
				return false
			}
			k.look(s, c, col.At(s.row))
		}
		s.passed[id] = true
	}
	return true
}

// look holds one value against what values should be.
func (k *checker) look(s *scan, c ecs.Chunk, p unsafe.Pointer) {
	for i, f := range s.floats {
		v := 0.0
		if at := unsafe.Add(p, f.Offset); f.Layout.Size == 4 {
			v = float64(*(*float32)(at))
		} else {
			v = *(*float64)(at)
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			s.bad[i].add(c.Entity(s.row))
		}
	}
	for i, f := range s.labelled {
		if !f.Labelled(unsafe.Add(p, f.Offset)) {
			s.odd[i].add(c.Entity(s.row))
		}
	}
	for i, f := range s.refs {
		if e := f.Layout.LoadEntity(unsafe.Add(p, f.Offset)); !f.Dangling && !e.IsZero() && !k.w.Alive(e) {
			s.dead[i].add(c.Entity(s.row))
		}
	}
	if s.dynamic && s.inside.n < 1000 {
		s.layout.EachEntity(p, func(at *value.EntityAt) bool {
			if at.Dangling || at.Entity.IsZero() || k.w.Alive(at.Entity) ||
				slices.ContainsFunc(s.refs, func(f value.Place) bool { return f.Path == at.Path() }) {
				return true
			}
			s.inside.add(c.Entity(s.row))
			return false
		})
	}
}

func (k *checker) report(s *scan) {
	for i, h := range s.bad {
		if h.n > 0 {
			path := dotted(s.comp.Name, s.floats[i].Path)
			k.find("error", "non_finite", path, `query {"where":"isnan(`+path+`) || isinf(`+path+`)"} lists them; look for a division by zero in the systems that write it`,
				"%s is NaN or infinite on %d entities (%s)", path, h.n, strings.Join(h.where, ", "))
		}
	}
	for i, h := range s.odd {
		if h.n > 0 {
			path := dotted(s.comp.Name, s.labelled[i].Path)
			var names []string
			for _, l := range s.labelled[i].Labels {
				names = append(names, l.Name)
			}
			k.find("warning", "not_a_label", path, "a system writes a number that the type does not know, or the labels are out of date",
				"%s has a number without a label on %d entities (%s); the labels are %s", path, h.n, strings.Join(h.where, ", "), entities.JoinLimited(names, 10))
		}
	}
	for i, h := range s.dead {
		if h.n > 0 {
			path := dotted(s.comp.Name, s.refs[i].Path)
			k.find("warning", "dead_reference", path, `query {"where":"`+path+` != nil && !alive(`+path+`)"} lists them; a system that reads it must check Alive first`,
				"%s names a dead entity on %d entities (%s)", path, h.n, strings.Join(h.where, ", "))
		}
	}
	if s.inside.n > 0 {
		k.find("warning", "dead_reference", s.comp.Name, "info shows the values; a system that reads them must check Alive first",
			"values inside %s name dead entities on %d entities (%s)", s.comp.Name, s.inside.n, strings.Join(s.inside.where, ", "))
	}
}
