package builtin

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/tools"
)

// ListPolicy chooses which generated component tools tools/list shows. All of
// them can be called in any case, and help knows them all.
type ListPolicy string

// The policies. A policy may also be a comma-separated list of component
// names, in any form that tools accept.
const (
	// ListAuto shows the tools of components that live in the world now, at
	// most [MaxListed] tools, those of the components with most entities.
	ListAuto ListPolicy = "auto"
	ListAll  ListPolicy = "all"
	ListNone ListPolicy = "none"
)

// MaxListed and MaxListedBytes bound the generated tools that are listed under
// [ListAuto], so that a listing stays small in a world of hundreds of component
// types and in one of very large ones.
const (
	MaxListed      = 24
	MaxListedBytes = 5200
)

// ComponentOptions configures the tools and documents that are generated from
// component types. The zero value is the default.
type ComponentOptions struct {
	// List chooses what tools/list shows. Default ListAuto.
	List ListPolicy
	// Prefix is put before every generated tool name. Default "".
	Prefix string
	// Scheme is the URI scheme of the resources. Default "ecs".
	Scheme string
	// NoComputed leaves computed values out of the documents. Default false.
	NoComputed bool
	// NoActions generates no tools for actions. Default false.
	NoActions bool
	// NoConfigure generates no <Component>_configure tools. Default false.
	NoConfigure bool
}

// ComponentTools keeps a registry's generated tools in step with the types of
// a world: one <Component>_configure for each component with writable fields
// and one <Component>_<Action> for each action. Methods may be called from any
// goroutine.
type ComponentTools struct {
	registry *tools.Registry
	options  ComponentOptions

	mu     sync.Mutex
	last   *ecs.Catalog
	types  map[*value.Type][]*tools.Tool // generated so far
	names  map[string]*value.Type        // owner of each generated name
	owned  []*value.Type                 // in order of generation
	listed map[string]bool               // once listed, a tool stays
	bytes  int                           // of the listed entries
	sizes  map[*tools.Tool]int           // what each takes in a listing, in bytes
}

// NewComponentTools generates into registry.
func NewComponentTools(registry *tools.Registry, o ComponentOptions) *ComponentTools {
	if o.List == "" {
		o.List = ListAuto
	}
	c := &ComponentTools{registry: registry, options: o}
	c.reset()
	return c
}

func (c *ComponentTools) reset() {
	c.last, c.owned, c.bytes = nil, nil, 0
	c.types, c.names, c.listed = map[*value.Type][]*tools.Tool{}, map[string]*value.Type{}, map[string]bool{}
	c.sizes = map[*tools.Tool]int{}
}

// Clear removes every generated tool: the world is gone.
func (c *ComponentTools) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for n := range c.names {
		names = append(names, n)
	}
	if len(names) > 0 {
		c.registry.Unregister(names...)
	}
	c.reset()
}

// Update brings the tools in line with cat, at a cost of O(component types)
// when nothing appeared. One registration, and so at most one announcement,
// covers whatever has changed.
func (c *ComponentTools) Update(cat *ecs.Catalog) {
	if cat == nil {
		c.Clear()
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if cat == c.last {
		return
	}
	c.last = cat
	var changed []*tools.Tool
	for _, comp := range cat.Components {
		if _, known := c.types[comp.Type]; known {
			continue
		}
		ts := c.generate(comp)
		c.types[comp.Type] = ts
		c.owned = append(c.owned, comp.Type)
		changed = append(changed, ts...)
	}
	for _, t := range c.chooseListed(cat) {
		t.Unlisted = false
		c.listed[t.Name] = true
		if !slices.Contains(changed, t) {
			changed = append(changed, t)
		}
	}
	if len(changed) == 0 {
		return
	}
	// Generated tools are valid by construction; a name that the host took
	// first stays the host's (see uniqueName).
	c.registry.MustRegister(changed...)
}

// chooseListed returns the unlisted tools that the policy shows from now on.
func (c *ComponentTools) chooseListed(cat *ecs.Catalog) []*tools.Tool {
	var wanted []*ecs.Component
	limit := MaxListed - len(c.listed)
	switch c.options.List {
	case ListNone:
		return nil
	case ListAll:
		wanted, limit = cat.Components, int(^uint(0)>>1)
	case ListAuto:
		if limit <= 0 {
			return nil
		}
		for _, comp := range cat.Components {
			if comp.Entities > 0 {
				wanted = append(wanted, comp)
			}
		}
		slices.SortStableFunc(wanted, func(a, b *ecs.Component) int { return cmp.Compare(b.Entities, a.Entities) })
	default:
		limit = int(^uint(0) >> 1)
		for name := range strings.SplitSeq(string(c.options.List), ",") {
			if comp, err := cat.Component(strings.TrimSpace(name)); err == nil {
				wanted = append(wanted, comp)
			}
		}
	}
	var chosen []*tools.Tool
	for _, comp := range wanted {
		for _, t := range c.types[comp.Type] {
			if limit <= 0 || c.listed[t.Name] {
				continue
			}
			size := c.sizes[t]
			if c.options.List == ListAuto && c.bytes+size > MaxListedBytes {
				continue // a smaller one may still fit
			}
			chosen = append(chosen, t)
			c.bytes += size
			limit--
		}
	}
	return chosen
}

// ToolsOf names the generated tools of a component type.
func (c *ComponentTools) ToolsOf(t *value.Type) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for _, tool := range c.types[t] {
		names = append(names, tool.Name)
	}
	return names
}

// generate makes the tools of one component type.
func (c *ComponentTools) generate(comp *ecs.Component) []*tools.Tool {
	var ts []*tools.Tool
	if !c.options.NoConfigure {
		if t := configureTool(c.registry, comp, c.uniqueName(comp, "configure")); t != nil {
			ts = append(ts, t)
		}
	}
	if !c.options.NoActions {
		for _, a := range comp.Type.Actions {
			ts = append(ts, actionTool(comp, a, c.uniqueName(comp, a.Name)))
		}
	}
	for _, t := range ts {
		t.Group = "components"
		t.Unlisted = true
		t.Meta = map[string]any{"typeID": comp.Type.ID, "typeShape": comp.Type.Shape, "schemaID": comp.Type.SchemaID}
		c.names[t.Name] = comp.Type
		c.sizes[t] = entrySize(t)
	}
	return ts
}

// uniqueName forms <Component>_<suffix> of the characters that clients accept,
// at most 48 of them: the short type name, package-qualified when the short
// form is taken, cut with a hash of the full name.
func (c *ComponentTools) uniqueName(comp *ecs.Component, suffix string) string {
	for _, base := range []string{comp.Type.Name, comp.Type.Qualified, comp.Type.ID} {
		name := toolName(c.options.Prefix+base+"_"+suffix, comp.Type.ID)
		_, taken := c.registry.Listing().Lookup(name)
		if owner, ours := c.names[name]; !taken && !ours || owner == comp.Type {
			// The short name is only free if no other type of the world shares it.
			if base != comp.Type.Name || comp.Name == comp.Type.Name {
				return name
			}
		}
	}
	return toolName(fmt.Sprintf("%s%s_%s_%08x", c.options.Prefix, comp.Type.Name, suffix, hash32(comp.Type.ID+suffix)), comp.Type.ID)
}

// entrySize is about what a tool takes in a listing, in bytes.
func entrySize(t *tools.Tool) int {
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		return MaxListedBytes
	}
	return len(schema) + len(t.Name) + len(t.Description) + 220
}

func toolName(s, id string) string {
	clean := []byte(s)
	for i, b := range clean {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', b == '-':
		default:
			clean[i] = '_'
		}
	}
	if len(clean) <= 48 {
		return string(clean)
	}
	return fmt.Sprintf("%s_%08x", clean[:39], hash32(id+s))
}

func hash32(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return h.Sum32()
}
