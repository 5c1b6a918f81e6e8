package builtin

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/tools"
)

type finding struct {
	Severity string `json:"severity" jsonschema:"error, warning or info"`
	Code     string `json:"code" jsonschema:"kind of finding, such as non_finite or dangling_target"`
	Subject  string `json:"subject" jsonschema:"what it is about: a component, a path, an archetype, the world"`
	Text     string `json:"text" jsonschema:"what was found"`
	Hint     string `json:"hint" jsonschema:"what to do about it"`
}

type checkArgs struct {
	Limit int `json:"limit,omitempty" jsonschema:"rows at most" debug:"min=1,max=1000,default=100"`
	sizeArgs
}

type checkResult struct {
	Findings []finding `json:"findings" jsonschema:"what looks wrong, the gravest first"`
	Ended    bool      `json:"ended,omitempty" jsonschema:"the scan of values was ended early to spare the frame: there may be more"`
	pageInfo
}

const (
	// maxCheckTime bounds what the scan of values may cost one frame.
	maxCheckTime = 20 * time.Millisecond
	// sparseArchetypes: so many archetypes of one entity each are worth a word.
	sparseArchetypes = 8
	// idleBytes: so much memory of archetypes without entities is worth a word.
	idleBytes = 1 << 20
	maxNamed  = 5
)

type checkCopy struct {
	in       checkArgs
	findings []finding
	ended    bool
}

func worldCheckTool() *tools.Tool {
	return tools.NewPhased(tools.Spec{
		Name: "world_check", ReadOnly: true, Idempotent: true,
		Description: "Looks for trouble: a lock left behind, references to dead entities, non-finite numbers, corruptible types, wasted memory.",
		Example:     `{}`,
	}, tools.Phases[checkArgs, checkArgs, checkCopy, checkResult]{
		Frame: func(f *tools.Frame, in checkArgs) (checkCopy, error) {
			k := &checker{w: f.World, cat: f.World.Catalog(), deadline: time.Now().Add(maxCheckTime)}
			k.world()
			k.types()
			k.archetypes()
			k.targets()
			k.values()
			return checkCopy{in, k.findings, k.ended}, nil
		},
		After: func(_ *tools.Call, c checkCopy) (checkResult, error) {
			rank := map[string]int{"error": 0, "warning": 1, "info": 2}
			slices.SortStableFunc(c.findings, func(a, b finding) int { return cmp.Compare(rank[a.Severity], rank[b.Severity]) })
			page, info, err := paginate("world_check", c.findings, c.in.Limit, c.in.sizeArgs,
				func(f *finding) string { return f.Code + " " + f.Subject }, "pass next as cursor")
			return checkResult{page, c.ended, info}, err
		},
	})
}

type checker struct {
	w        ecs.World
	cat      *ecs.Catalog
	findings []finding
	deadline time.Time
	ended    bool
}

func (k *checker) find(severity, code, subject, hint, format string, args ...any) {
	k.findings = append(k.findings, finding{Severity: severity, Code: code, Subject: subject, Text: fmt.Sprintf(format, args...), Hint: hint})
}

func (k *checker) world() {
	if k.w.Locked() {
		k.find("error", "world_locked", "world",
			"a query was left open (a missing Close, or a panic while it ran); clear_crash with unlock:true releases it after a crash",
			"the world is locked although no system runs now: nothing can be spawned, removed or despawned")
	}
	limit := k.cat.Engine.MaxTypes
	if n := len(k.cat.Components); limit > 0 && n*100 >= limit*95 {
		severity := "warning"
		if n >= limit {
			severity = "error"
		}
		k.find(severity, "type_limit", "world", "put rarely used types together into one, or keep them outside the ECS",
			"%d component types are registered; the engine works with at most %d", n, limit)
	}
}

func (k *checker) types() {
	for _, c := range k.cat.Components {
		if k.cat.Engine.PointerHazard && !c.Type.PointerFree {
			severity := "info"
			if c.Entities > 0 {
				severity = "warning"
			}
			k.find(severity, "pointer_hazard", c.Name,
				"keep pointers, slices, strings and maps outside (an index into a slice that the game owns), or never add, remove or despawn on entities that have it",
				"%s holds pointers (%s): %s moves rows without write barriers, so that the game's own structural changes can corrupt it while the collector runs",
				c.Name, pointerPath(c.Type), cmp.Or(k.cat.Engine.Name, "the engine"))
		}
		for _, problem := range c.Type.Problems {
			k.find("warning", "bad_declaration", c.Name, "correct the tag or the ecs.Describe call", "%s", problem)
		}
	}
}

// pointerPath names the first field that holds a pointer.
func pointerPath(t *ecs.Type) string {
	var walk func(path string, rt reflect.Type) string
	walk = func(path string, rt reflect.Type) string {
		switch rt.Kind() {
		case reflect.Struct:
			for i := range rt.NumField() {
				if p := walk(dotted(path, rt.Field(i).Name), rt.Field(i).Type); p != "" {
					return p
				}
			}
		case reflect.Array:
			if rt.Len() > 0 {
				return walk(path+"[0]", rt.Elem())
			}
		case reflect.Pointer, reflect.Slice, reflect.String, reflect.Map, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
			return cmp.Or(path, "itself") + " is a " + rt.String()
		}
		return ""
	}
	return walk("", t.Go)
}

func (k *checker) archetypes() {
	var lonely []string
	empty, idle := 0, int64(0)
	for i := range k.cat.Archetypes {
		a := &k.cat.Archetypes[i]
		switch a.Entities {
		case 0:
			empty++
			idle += a.Bytes
		case 1:
			lonely = append(lonely, "{"+strings.Join(componentNames(k.cat, a.Components), " ")+"}")
		}
	}
	if len(lonely) >= sparseArchetypes {
		k.find("info", "sparse_archetypes", "world", "many tags or relation targets split entities finely; a field may do instead of a component",
			"%d archetypes have one entity each, such as %s", len(lonely), joinLimited(lonely, maxNamed))
	}
	if idle >= idleBytes {
		k.find("info", "empty_archetypes", "world", "relation archetypes are reused; others keep their memory until the world goes",
			"%d archetypes without entities hold %d bytes", empty, idle)
	}
}

func (k *checker) targets() {
	type group struct {
		entities int
		names    []string
	}
	groups := map[ecs.TypeID]*group{}
	for i := range k.cat.Archetypes {
		a := &k.cat.Archetypes[i]
		if a.Entities == 0 {
			continue
		}
		for _, t := range a.Targets {
			if t.Entity.IsZero() || k.w.Alive(t.Entity) {
				continue
			}
			g := groups[t.Relation]
			if g == nil {
				g = &group{}
				groups[t.Relation] = g
			}
			g.entities += a.Entities
			if name := t.Entity.String(); !slices.Contains(g.names, name) {
				g.names = append(g.names, name)
			}
		}
	}
	for _, c := range k.cat.Components {
		if g := groups[c.ID]; g != nil {
			k.find("warning", "dangling_target", c.Name, `query {"target":"`+g.names[0]+`"} lists them; set moves the target, despawn removes them`,
				"%d entities have a relation %s to a dead entity (%s)", g.entities, c.Name, joinLimited(g.names, maxNamed))
		}
	}
}

// numberField is a float at a fixed offset.
type numberField struct {
	path   string
	offset uintptr
	narrow bool
}

func floatFieldsOf(t *ecs.Type) []numberField {
	var out []numberField
	var walk func(path string, off uintptr, f *ecs.Field)
	walk = func(path string, off uintptr, f *ecs.Field) {
		switch f.Kind {
		case ecs.KindFloat:
			out = append(out, numberField{path, off, f.Go.Kind() == reflect.Float32})
		case ecs.KindStruct:
			for _, c := range f.Fields {
				walk(dotted(path, c.Name), off+c.Offset, c)
			}
		case ecs.KindArray:
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

// values scans floats and entity fields, as long as there is time.
func (k *checker) values() {
	for _, comp := range k.cat.Components {
		if comp.Entities == 0 {
			continue
		}
		floats := floatFieldsOf(comp.Type)
		refs, dynamic := entityFieldsOf(comp.Type)
		if len(floats) == 0 && len(refs) == 0 && !dynamic {
			continue
		}
		bad, dead := make([]hits, len(floats)), make([]hits, len(refs))
		deadInside := hits{}
		k.scan(comp, func(c ecs.Chunk, row int, p unsafe.Pointer) {
			for i, f := range floats {
				v := 0.0
				if f.narrow {
					v = float64(*(*float32)(unsafe.Add(p, f.offset)))
				} else {
					v = *(*float64)(unsafe.Add(p, f.offset))
				}
				if math.IsNaN(v) || math.IsInf(v, 0) {
					bad[i].add(c.Entity(row))
				}
			}
			for i, f := range refs {
				if e := *(*ecs.Entity)(unsafe.Add(p, f.offset)); !e.IsZero() && !k.w.Alive(e) {
					dead[i].add(c.Entity(row))
				}
			}
			if dynamic && deadInside.n < 1000 {
				eachEntityIn("", comp.Type.Root, reflect.NewAt(comp.Type.Go, p).Elem(), 0, func(path string, e ecs.Entity) bool {
					if e.IsZero() || k.w.Alive(e) || slices.ContainsFunc(refs, func(f refField) bool { return f.path == path }) {
						return true
					}
					deadInside.add(c.Entity(row))
					return false
				})
			}
		})
		k.report(comp, floats, bad, refs, dead, deadInside)
	}
}

func (k *checker) report(comp *ecs.Component, floats []numberField, bad []hits, refs []refField, dead []hits, inside hits) {
	for i, h := range bad {
		if h.n > 0 {
			path := dotted(comp.Name, floats[i].path)
			k.find("error", "non_finite", path, `query {"where":"isnan(`+path+`) || isinf(`+path+`)"} lists them; look for a division by zero in the systems that write it`,
				"%s is NaN or infinite on %d entities (%s)", path, h.n, strings.Join(h.where, ", "))
		}
	}
	for i, h := range dead {
		if h.n > 0 {
			path := dotted(comp.Name, refs[i].path)
			k.find("warning", "dead_reference", path, `query {"where":"`+path+` != nil && !alive(`+path+`)"} lists them; a system that reads it must check Alive first`,
				"%s names a dead entity on %d entities (%s)", path, h.n, strings.Join(h.where, ", "))
		}
	}
	if inside.n > 0 {
		k.find("warning", "dead_reference", comp.Name, "info shows the values; a system that reads them must check Alive first",
			"values inside %s name dead entities on %d entities (%s)", comp.Name, inside.n, strings.Join(inside.where, ", "))
	}
}

func (k *checker) scan(comp *ecs.Component, visit func(c ecs.Chunk, row int, p unsafe.Pointer)) {
	for c := range k.w.Chunks(ecs.Filter{With: []ecs.TypeID{comp.ID}}) {
		base, stride, ok := c.Column(comp.ID)
		if !ok {
			continue
		}
		for row := range c.Len() {
			if row%256 == 0 && time.Now().After(k.deadline) {
				k.ended = true
				return
			}
			visit(c, row, unsafe.Add(base, uintptr(row)*stride))
		}
	}
}
