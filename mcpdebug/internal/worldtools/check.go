package worldtools

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/inspector"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/page"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/past"
	"github.com/loupe-ecs/loupe/tools"
)

type finding struct {
	Severity string   `json:"severity" jsonschema:"error, warning or info"`
	Code     string   `json:"code" jsonschema:"kind of finding, such as non_finite or dangling_target"`
	Subject  string   `json:"subject" jsonschema:"what it is about: a component, a path, an archetype, the world"`
	Text     string   `json:"text" jsonschema:"what was found"`
	Hint     string   `json:"hint" jsonschema:"what to do about it"`
	Types    []string `json:"types,omitempty" jsonschema:"the component types, where it is about several"`
}

type checkArgs struct {
	Limit int `json:"limit,omitempty" jsonschema:"rows" debug:"min=1,max=1000,default=100"`
	page.Args
	past.At
}

type checkResult struct {
	Findings []finding `json:"findings" jsonschema:"what looks wrong, the gravest first"`
	Ended    bool      `json:"ended,omitempty" jsonschema:"the scan of values took too long and was ended early: there may be more"`
	Frames   int       `json:"frames" jsonschema:"how many frames the scan of values was spread over; what moved meanwhile may be missed"`
	page.Info
	past.Tick
}

// maxCheckSlice bounds what the scan of values may cost one frame.
var maxCheckSlice = 4 * time.Millisecond

const (
	// maxCheckAll bounds what the scan may cost in all, and maxCheckOnce where it
	// cannot go on in a later frame.
	maxCheckAll  = time.Second
	maxCheckOnce = 20 * time.Millisecond
	// sparseArchetypes: so many archetypes of one entity each are worth a word.
	sparseArchetypes = 8
	// idleBytes: so much memory of archetypes without entities is worth a word.
	idleBytes = 1 << 20
	maxNamed  = 5
)

func worldCheckTool(then *past.Past) *tools.Tool {
	return tools.NewPhased(tools.Spec{
		Name: "world_check", Page: inspector.URI, Effect: tools.ReadOnly, Idempotent: true, OffFrameWith: past.With,
		Description: "Looks for trouble: locks, dead references, non-finite numbers, corruptible types, waste.",
		Example:     `{}`,
	}, tools.Phases[checkArgs, *checker, *checker, checkResult]{
		Instead: func(c *tools.Call, in checkArgs) (*tools.Frame, error) { return then.Frame(c, in.At) },
		Before:  func(_ *tools.Call, in checkArgs) (*checker, error) { return &checker{in: in}, nil },
		Frame:   func(f *tools.Frame, k *checker) (*checker, error) { return k, k.frame(f) },
		After: func(_ *tools.Call, k *checker) (checkResult, error) {
			slices.SortStableFunc(k.findings, func(a, b finding) int { return cmp.Compare(gravity(&a), gravity(&b)) })
			page, info, err := page.Of("world_check", k.findings, k.in.Limit, k.in.Args,
				func(f *finding) string { return f.Code + " " + f.Subject }, "pass next as cursor")
			return checkResult{Findings: page, Ended: k.ended, Frames: k.frames, Info: info}, err
		},
	})
}

// gravity orders findings: by severity, and what is damaged now before what
// may be one day.
func gravity(f *finding) int {
	severity := map[string]int{"error": 0, "warning": 1, "info": 2}[f.Severity]
	damage := slices.Index([]string{"world_locked", "non_finite", "dangling_target", "dead_reference"}, f.Code)
	if damage < 0 {
		damage = 9
	}
	return 10*severity + damage
}

// sameWorld: one whose type cannot be compared is told by its catalog alone.
func sameWorld(a, b ecs.World) bool {
	return a != nil && (!reflect.TypeOf(a).Comparable() || !reflect.TypeOf(b).Comparable() || a == b)
}

// checker is one check. It spans as many frames as its scan of values needs.
type checker struct {
	in       checkArgs
	w        ecs.World
	cat      *ecs.Catalog
	findings []finding
	frames   int
	spent    time.Duration
	deadline time.Time // of this frame's part
	looked   int       // values in this frame
	ended    bool

	next int   // component whose values come next
	scan *scan // of the one before, if it is not through
}

// frame does a frame's part. A world that was bound meanwhile is checked from
// the start.
func (k *checker) frame(f *tools.Frame) error {
	start := time.Now()
	k.deadline = start.Add(maxCheckSlice)
	if f.Once {
		k.deadline = start.Add(maxCheckOnce)
	}
	cat := f.World.Catalog()
	if !sameWorld(k.w, f.World) || !cat.Extends(k.cat) {
		*k = checker{in: k.in, spent: k.spent, deadline: k.deadline, w: f.World, cat: cat}
		k.world()
		k.types()
		k.archetypes()
		k.targets()
	}
	k.frames++
	k.looked = 0
	done := k.values()
	k.spent += time.Since(start)
	if !done && !f.Once && k.spent < maxCheckAll {
		return tools.ErrLater
	}
	k.ended = !done
	if !done && k.scan != nil {
		k.report(k.scan)
	}
	return nil
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
	var names, how []string
	inUse := false
	for _, c := range k.cat.Components {
		if k.cat.Engine.PointerHazard && !c.Type.PointerFree {
			names, how = append(names, c.Name), append(how, c.Name+" ("+pointerPath(c.Type)+")")
			inUse = inUse || c.Entities > 0
		}
		for _, problem := range c.Type.Problems {
			k.find("warning", "bad_declaration", c.Name, "correct the tag or the value.Describe call", "%s", problem)
		}
	}
	if len(names) == 0 {
		return
	}
	severity := "info"
	if inUse {
		severity = "warning"
	}
	k.find(severity, "pointer_hazard", "components",
		"keep pointers, slices, strings and maps outside (an index into a slice that the game owns), or never add, remove or despawn on entities that have one of these",
		"%s moves rows without write barriers, so that the game's own structural changes can corrupt what holds pointers while the collector runs: %s",
		cmp.Or(k.cat.Engine.Name, "the engine"), entities.JoinLimited(how, 10))
	k.findings[len(k.findings)-1].Types = names
}

// pointerPath names the first field that holds a pointer.
func pointerPath(t *value.Type) string {
	first, _ := value.LayoutOf(t.Go).Places(func(l *value.Layout, _ []value.EnumLabel) bool {
		return !l.Flat && (l.Handle || l.Mem != reflect.Struct && (l.Mem != reflect.Array || l.Len > 64))
	})
	if len(first) == 0 {
		return ""
	}
	return cmp.Or(first[0].Path, "itself") + " is a " + first[0].Layout.Go.String()
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
			lonely = append(lonely, "{"+strings.Join(entities.Names(k.cat, a.Components), " ")+"}")
		}
	}
	if len(lonely) >= sparseArchetypes {
		k.find("info", "sparse_archetypes", "world", "many tags or relation targets split entities finely; a field may do instead of a component",
			"%d archetypes have one entity each, such as %s", len(lonely), entities.JoinLimited(lonely, maxNamed))
	}
	if idle >= idleBytes {
		k.find("info", "empty_archetypes", "world", "relation archetypes are reused; others keep their memory until the world goes",
			"%d archetypes without entities hold %d bytes", empty, idle)
	}
}

func (k *checker) targets() {
	type group struct {
		entities int
		seen     map[ecs.Entity]bool
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
				g = &group{seen: map[ecs.Entity]bool{}}
				groups[t.Relation] = g
			}
			g.entities += a.Entities
			if !g.seen[t.Entity] {
				g.seen[t.Entity] = true
				g.names = append(g.names, t.Entity.String())
			}
		}
	}
	for _, c := range k.cat.Components {
		if g := groups[c.ID]; g != nil {
			k.find("warning", "dangling_target", c.Name, `query {"target":"`+g.names[0]+`"} lists them; set moves the target, despawn removes them`,
				"%d entities have a relation %s to a dead entity (%s)", g.entities, c.Name, entities.JoinLimited(g.names, maxNamed))
		}
	}
}
