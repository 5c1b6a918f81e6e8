package builtin

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// numberField is a float at a fixed offset.
type numberField struct {
	path   string
	offset uintptr
	narrow bool
}

func floatFieldsOf(t *value.Type) []numberField {
	var out []numberField
	var walk func(path string, off uintptr, f *value.Field)
	walk = func(path string, off uintptr, f *value.Field) {
		switch f.Kind {
		case value.KindFloat:
			out = append(out, numberField{path, off, f.Go.Kind() == reflect.Float32})
		case value.KindStruct:
			for _, c := range f.Fields {
				walk(dotted(path, c.Name), off+c.Offset, c)
			}
		case value.KindArray:
			if f.Elem != nil && f.Go.Len() <= 64 {
				for i := range f.Go.Len() {
					walk(path+"["+strconv.Itoa(i)+"]", off+uintptr(i)*f.Go.Elem().Size(), f.Elem)
				}
			}
		}
	}
	if t.Root != nil {
		walk("", 0, t.Root)
	}
	return out
}

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
	comp      *ecs.Component
	floats    []numberField
	refs      []refField
	dynamic   bool // entities behind slices, maps and pointers too
	bad, dead []hits
	inside    hits

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
	s := &scan{comp: comp, floats: floatFieldsOf(comp.Type), archetype: -1, passed: map[int]bool{}}
	s.refs, s.dynamic = entityFieldsOf(comp.Type)
	if len(s.floats) == 0 && len(s.refs) == 0 && !s.dynamic {
		return nil
	}
	s.bad, s.dead = make([]hits, len(s.floats)), make([]hits, len(s.refs))
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
		base, stride, ok := c.Column(s.comp.ID)
		for ; ok && s.row < c.Len(); s.row++ {
			if k.looked++; k.looked%every == 0 && time.Now().After(k.deadline) {
				return false
			}
			k.look(s, c, unsafe.Add(base, uintptr(s.row)*stride))
		}
		s.passed[id] = true
	}
	return true
}

// look holds one value against what values should be.
func (k *checker) look(s *scan, c ecs.Chunk, p unsafe.Pointer) {
	for i, f := range s.floats {
		v := 0.0
		if f.narrow {
			v = float64(*(*float32)(unsafe.Add(p, f.offset)))
		} else {
			v = *(*float64)(unsafe.Add(p, f.offset))
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			s.bad[i].add(c.Entity(s.row))
		}
	}
	for i, f := range s.refs {
		if e := *(*ecs.Entity)(unsafe.Add(p, f.offset)); !e.IsZero() && !k.w.Alive(e) {
			s.dead[i].add(c.Entity(s.row))
		}
	}
	if s.dynamic && s.inside.n < 1000 {
		eachEntityIn("", s.comp.Type.Root, reflect.NewAt(s.comp.Type.Go, p).Elem(), 0, func(path string, e ecs.Entity) bool {
			if e.IsZero() || k.w.Alive(e) || slices.ContainsFunc(s.refs, func(f refField) bool { return f.path == path }) {
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
			path := dotted(s.comp.Name, s.floats[i].path)
			k.find("error", "non_finite", path, `query {"where":"isnan(`+path+`) || isinf(`+path+`)"} lists them; look for a division by zero in the systems that write it`,
				"%s is NaN or infinite on %d entities (%s)", path, h.n, strings.Join(h.where, ", "))
		}
	}
	for i, h := range s.dead {
		if h.n > 0 {
			path := dotted(s.comp.Name, s.refs[i].path)
			k.find("warning", "dead_reference", path, `query {"where":"`+path+` != nil && !alive(`+path+`)"} lists them; a system that reads it must check Alive first`,
				"%s names a dead entity on %d entities (%s)", path, h.n, strings.Join(h.where, ", "))
		}
	}
	if s.inside.n > 0 {
		k.find("warning", "dead_reference", s.comp.Name, "info shows the values; a system that reads them must check Alive first",
			"values inside %s name dead entities on %d entities (%s)", s.comp.Name, s.inside.n, strings.Join(s.inside.where, ", "))
	}
}
