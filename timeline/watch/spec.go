package watch

import (
	"reflect"
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/query"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Spec is what a client asks to watch.
type Spec struct {
	Entity string // "42v3", or "42" for who lives there now
	// Path is a component and a field of it ("Health.HP"), a component alone (its
	// value, coming and going), or without an Entity a resource ("Score.Points").
	// Empty with an Entity: whether it lives.
	Path  string
	Where string // instead: how many entities match
	// When narrows the hits: a Go expression over old and new. Default: all.
	When   string
	ByTick bool // look once a tick instead of after every system
	Pause  bool // hold the clock at the end of a tick that had a hit
	Limit  int  // the watch ends after so many hits. Default 100
}

// DefaultLimit is how many hits a watch has if nothing else is said.
const DefaultLimit = 100

// Compiled is a checked Spec. Any goroutine may make one.
type Compiled struct {
	spec     Spec
	what     string // in words, for lists
	entity   ecs.Entity
	bare     bool
	comp     *ecs.Component
	resource *ecs.Resource
	path     *value.Path
	count    *query.Plan
	when     *condition
}

// Compile checks a Spec against the types of a world. Any goroutine.
func Compile(cat *ecs.Catalog, s Spec) (*Compiled, error) {
	if cat == nil {
		return nil, &refusal.Error{Code: refusal.NoWorld, Message: "no world is bound, so there is nothing to watch"}
	}
	if s.Limit <= 0 {
		s.Limit = DefaultLimit
	}
	c := &Compiled{spec: s}
	err := c.subject(cat)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(s.When) != "" {
		c.when, err = compileWhen(c.leaf(), s.When)
	}
	return c, err
}

func (c *Compiled) subject(cat *ecs.Catalog) (err error) {
	s := &c.spec
	switch {
	case s.Where != "":
		if s.Entity != "" || s.Path != "" {
			return &refusal.Error{Code: refusal.InvalidArguments, Message: "a watch is on an entity, on a resource, or on the count of a where: name one of them",
				Options: []string{"entity and path", "path", "where"}, Total: 3}
		}
		c.what = "count of " + s.Where
		c.count, err = query.Compile(cat, query.Query{Where: s.Where})
		return err
	case s.Entity == "" && s.Path == "":
		return &refusal.Error{Code: refusal.InvalidArguments, Message: "nothing to watch: name an entity and a path, a resource's path, or a where",
			Options: []string{"entity and path", "path", "where"}, Total: 3, Hint: `for instance {"entity":"42v3","path":"Health.HP"}`}
	case s.Entity == "":
		return c.resourcePath(cat)
	}
	var full bool
	if c.entity, full, err = ecs.ParseEntity(s.Entity); err != nil {
		return err
	}
	c.bare = !full
	c.what = s.Entity
	if s.Path != "" {
		c.what += " " + s.Path
		c.comp, c.path, err = cat.ComponentPath(s.Path)
	}
	return err
}

// resourcePath finds the resource that a path begins with.
func (c *Compiled) resourcePath(cat *ecs.Catalog) (err error) {
	c.resource, c.path, err = ResourcePath(cat, c.spec.Path)
	if err == nil {
		c.what = c.spec.Path
		return nil
	}
	if comp, _, other := cat.ComponentPath(c.spec.Path); other == nil {
		return &refusal.Error{Code: refusal.InvalidArguments, Message: c.spec.Path + " is a component's: name the entity too", Got: c.spec.Path,
			Hint: `query {"with":["` + comp.Name + `"]} finds entities that have it`, Next: "query"}
	}
	return err
}

// ResourcePath resolves "Score.Points": a resource by any of its names and a
// path inside it. Any goroutine.
func ResourcePath(cat *ecs.Catalog, s string) (*ecs.Resource, *value.Path, error) {
	var first error
	for end := len(s); end > 0; end-- {
		if end < len(s) && s[end] != '.' && s[end] != '[' {
			continue
		}
		r, err := cat.Resource(s[:end])
		if err != nil {
			first = err // of the shortest name: the one that was meant
			continue
		}
		p, err := r.Type.Path(strings.TrimPrefix(s[end:], "."))
		return r, p, err
	}
	return nil, nil, first
}

// Source is a world, live or recorded, of which single values are asked.
type Source interface {
	Alive(ecs.Entity) bool
	Component(ecs.Entity, ecs.TypeID) (reflect.Value, bool)
	Resource(ecs.TypeID) (reflect.Value, bool)
}

// Read gives what is watched as it is in a source: invalid if there is none. It
// may lie in the source's memory. Counts cannot be read.
func (c *Compiled) Read(from Source) reflect.Value {
	var root reflect.Value
	ok := false
	switch {
	case c.count != nil:
		return root
	case c.path == nil:
		if from.Alive(c.entity) {
			return reflect.ValueOf(true)
		}
		return root
	case c.comp != nil:
		root, ok = from.Component(c.entity, c.comp.ID)
	default:
		root, ok = from.Resource(c.resource.ID)
	}
	if !ok {
		return reflect.Value{}
	}
	if root.Type().Size() == 0 {
		return root
	}
	v, err := c.path.Get(value.Addressable(root))
	if err != nil {
		return reflect.Value{}
	}
	return v
}

// What says in words what is watched.
func (c *Compiled) What() string { return c.what }

// Entity is whose value it is; zero for resources and counts. Bare: only its
// slot was given.
func (c *Compiled) Entity() (e ecs.Entity, bare bool) { return c.entity, c.bare }

// Of is the same question about another entity.
func (c *Compiled) Of(e ecs.Entity) *Compiled {
	o := *c
	o.spec.Entity, o.entity, o.bare = e.String(), e, false
	o.what = strings.TrimSpace(e.String() + " " + c.spec.Path)
	return &o
}

// Longest is the same watch with as many hits as there may be.
func (c *Compiled) Longest() *Compiled {
	o := *c
	o.spec.Limit = MaxLimit
	return &o
}

// leaf is the type of what is watched.
func (c *Compiled) leaf() *value.Type {
	if c.path != nil {
		return value.TypeOf(c.path.Type())
	}
	if c.count != nil {
		return countType
	}
	return lifeType
}
