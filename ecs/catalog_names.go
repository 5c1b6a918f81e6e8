package ecs

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// catalogIndex finds types by any of their names.
type catalogIndex struct {
	components, resources map[string][]int
	labelled              []TypeID
}

// NewCatalog is for adapters: it works out unique names and the indexes. The
// lists of c are used as they are; Name of every component and resource is set.
func NewCatalog(c Catalog) *Catalog {
	types := make([]*value.Type, len(c.Components))
	for i, x := range c.Components {
		types[i] = x.Type
		if x.Type.Label != nil {
			c.index.labelled = append(c.index.labelled, TypeID(i))
		}
	}
	names, index := uniqueNames(types)
	for i, x := range c.Components {
		x.Name = names[i]
	}
	c.index.components = index
	types = make([]*value.Type, len(c.Resources))
	for i, x := range c.Resources {
		types[i] = x.Type
	}
	names, index = uniqueNames(types)
	for i, x := range c.Resources {
		x.Name = names[i]
	}
	c.index.resources = index
	return &c
}

// uniqueNames gives every type the shortest of its names that no other type
// has, and an index from every name to the types that answer to it.
func uniqueNames(types []*value.Type) (names []string, index map[string][]int) {
	index = make(map[string][]int, 3*len(types))
	add := func(name string, i int) {
		for _, j := range index[name] {
			if j == i {
				return
			}
		}
		index[name] = append(index[name], i)
	}
	for i, t := range types {
		add(t.Name, i)
		add(t.Qualified, i)
		add(t.ID, i)
	}
	names = make([]string, len(types))
	for i, t := range types {
		for _, n := range []string{t.Name, t.Qualified, t.ID} {
			if len(index[n]) == 1 {
				names[i] = n
				break
			}
		}
		if names[i] == "" {
			// Types local to two functions share even the full name.
			for n := 1; ; n++ {
				name := t.ID + "#" + strconv.Itoa(n)
				if len(index[name]) == 0 {
					names[i] = name
					add(name, i)
					break
				}
			}
		}
	}
	return names, index
}

// Component finds a component type by short, qualified or full name;
// unknown_component with options otherwise, also for a short name that several
// types share. Any goroutine.
func (c *Catalog) Component(name string) (*Component, error) {
	switch ids := c.index.components[name]; len(ids) {
	case 1:
		return c.Components[ids[0]], nil
	case 0:
		names := make([]string, len(c.Components))
		for i, x := range c.Components {
			names[i] = x.Name
		}
		if len(c.index.resources[name]) > 0 {
			return nil, &refusal.Error{Code: refusal.UnknownComponent, Message: name + " is a resource, not a component: no entity has it", Got: name,
				Want: "the name of a component", Hint: "resources_info reads it, resources_modify changes it", Next: "resources_info"}
		}
		err := unknownName(refusal.UnknownComponent, "component", name, names, "components_info")
		if path, label := c.labelNamed(name); path != "" {
			owner := path[:strings.LastIndexByte(path, '.')]
			rest := slices.DeleteFunc(err.Options, func(n string) bool { return n == owner })
			err.Options = append([]string{owner}, rest[:min(len(rest), refusal.MaxOptions-1)]...)
			written := label
			if !token.IsIdentifier(label) {
				written = strconv.Quote(label)
			}
			err.Hint = fmt.Sprintf("%s is a label of %s: where: %s == %s", label, path, path, written)
		}
		return nil, err
	default:
		names := make([]string, len(ids))
		for i, id := range ids {
			names[i] = c.Components[id].Name
		}
		return nil, ambiguous(refusal.UnknownComponent, "components", name, names)
	}
}

// Resource finds a resource type by name; not_found with options otherwise.
// Any goroutine.
func (c *Catalog) Resource(name string) (*Resource, error) {
	switch ids := c.index.resources[name]; len(ids) {
	case 1:
		return c.Resources[ids[0]], nil
	case 0:
		names := make([]string, len(c.Resources))
		for i, x := range c.Resources {
			names[i] = x.Name
		}
		return nil, unknownName(refusal.NotFound, "resource", name, names, "resources_list")
	default:
		names := make([]string, len(ids))
		for i, id := range ids {
			names[i] = c.Resources[id].Name
		}
		return nil, ambiguous(refusal.NotFound, "resources", name, names)
	}
}

func unknownName(code refusal.Code, what, name string, names []string, next string) *refusal.Error {
	e := &refusal.Error{Code: code, Message: fmt.Sprintf("there is no %s %q", what, refusal.Cut(name, 80)), Got: refusal.Cut(name, 80), Want: "the name of a " + what,
		Options: refusal.Nearest(name, names), Total: len(names), Next: next}
	if len(names) == 0 {
		e.Message += "; this world has none"
	}
	if code == refusal.UnknownComponent && (len(names) == 0 || !refusal.IsNear(name, e.Options[0])) {
		e.Hint = "component types are known once the game has used them"
	}
	return e
}

// labelNamed finds the field of a component that has a label of that name, in
// any case of letters: who asks for the component Bolt means Kind.Value == Bolt.
func (c *Catalog) labelNamed(name string) (path, label string) {
	for _, comp := range c.Components {
		for _, f := range comp.Type.Fields {
			if f.Hidden {
				continue
			}
			for _, l := range f.Enum {
				if strings.EqualFold(l.Name, name) {
					return comp.Name + "." + f.Name, l.Name
				}
			}
		}
	}
	return "", ""
}

func ambiguous(code refusal.Code, what, name string, names []string) error {
	return &refusal.Error{Code: code, Message: fmt.Sprintf("%d %s are called %q; write %s", len(names), what, name, strings.Join(names, " or ")),
		Got: name, Want: "one of the longer names", Options: refusal.Nearest(name, names), Total: len(names)}
}

// ComponentPath resolves "Position.X", "game.Position.X", `Inventory.Tags["a"]`:
// a component by any of its names, and a path inside it ("" after the name is
// the whole component). Any goroutine.
func (c *Catalog) ComponentPath(s string) (*Component, *value.Path, error) {
	name, sel, ok := splitPath(c.index.components, s)
	comp, err := c.Component(name)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, unknownName(refusal.UnknownComponent, "component", name, nil, "components_info")
	}
	p, err := comp.Type.Path(sel)
	if err != nil {
		return nil, nil, err
	}
	return comp, p, nil
}

// ResourcePath is ComponentPath for resources: "Score.Points". Any goroutine.
func (c *Catalog) ResourcePath(s string) (*Resource, *value.Path, error) {
	name, sel, _ := splitPath(c.index.resources, s)
	res, err := c.Resource(name)
	if err != nil {
		return nil, nil, err
	}
	p, err := res.Type.Path(sel)
	if err != nil {
		return nil, nil, err
	}
	return res, p, nil
}

// splitPath finds the longest name of the index that a path begins with; without
// one, what should have been a name.
func splitPath(index map[string][]int, s string) (name, sel string, ok bool) {
	for end := len(s); end > 0; end-- {
		if end < len(s) && s[end] != '.' && s[end] != '[' || len(index[s[:end]]) == 0 {
			continue
		}
		sel := s[end:]
		if strings.HasPrefix(sel, ".") && !strings.HasPrefix(sel, ".(") {
			if sel = sel[1:]; sel == "" {
				sel = "."
			}
		}
		return s[:end], sel, true
	}
	name = s
	if i := strings.IndexAny(s, ".["); i >= 0 {
		name = s[:i]
	}
	return name, "", false
}

// LabelOf names the entity in a row by the first component with a Label that
// gives a text; "" if there is none. A panic in a label function is no name.
// Frame goroutine.
func LabelOf(cat *Catalog, c Chunk, row int) string {
	if cat == nil || len(cat.index.labelled) == 0 {
		return ""
	}
	for _, id := range c.Components() {
		if int(id) < 0 || int(id) >= len(cat.Components) {
			continue
		}
		f := cat.Components[id].Type.Label
		if f == nil {
			continue
		}
		col, ok := c.Column(id)
		if !ok {
			continue
		}
		if s := callLabel(f, col.At(row)); s != "" {
			return s
		}
	}
	return ""
}

func callLabel(f func(unsafe.Pointer) string, p unsafe.Pointer) (s string) {
	defer func() {
		if recover() != nil {
			s = ""
		}
	}()
	return strings.ToValidUTF8(f(p), "�")
}
