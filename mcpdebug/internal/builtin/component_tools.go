package builtin

import (
	"fmt"
	"hash/fnv"
	"slices"
	"sync"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/tools"
)

// ComponentOptions configures the tools and documents that are generated from
// component types. The zero value is the default.
type ComponentOptions struct {
	// List chooses what tools/list shows. Default ListAuto.
	List ListPolicy
	// MaxListed (tools) and MaxListedBytes (of their entries) bound what ListAuto
	// shows. Default [MaxListed] and [MaxListedBytes].
	MaxListed, MaxListedBytes int
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
	listed listedTools
}

// NewComponentTools generates into registry.
func NewComponentTools(registry *tools.Registry, o ComponentOptions) *ComponentTools {
	if o.List == "" {
		o.List = ListAuto
	}
	if o.MaxListed <= 0 {
		o.MaxListed = MaxListed
	}
	if o.MaxListedBytes <= 0 {
		o.MaxListedBytes = MaxListedBytes
	}
	c := &ComponentTools{registry: registry, options: o}
	c.reset()
	return c
}

func (c *ComponentTools) reset() {
	c.last, c.listed = nil, listedTools{}
	c.types, c.names = map[*value.Type][]*tools.Tool{}, map[string]*value.Type{}
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
		changed = append(changed, ts...)
	}
	for _, t := range c.listed.choose(cat, c.types, &c.options) {
		t.Unlisted = false
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
	}
	return ts
}

// uniqueName forms <Component>_<suffix> of the characters that clients accept,
// at most 48 of them: the short type name, package-qualified when the short
// form is taken, cut with a hash of the full name.
func (c *ComponentTools) uniqueName(comp *ecs.Component, suffix string) string {
	for _, base := range []string{comp.Type.Name, comp.Type.Qualified, comp.Type.ID} {
		name := toolName(c.options.Prefix+base+"_"+suffix, comp.Type.ID)
		_, taken := listing.Of(c.registry).Lookup(name)
		if owner, ours := c.names[name]; !taken && !ours || owner == comp.Type {
			// The short name is only free if no other type of the world shares it.
			if base != comp.Type.Name || comp.Name == comp.Type.Name {
				return name
			}
		}
	}
	return toolName(fmt.Sprintf("%s%s_%s_%08x", c.options.Prefix, comp.Type.Name, suffix, hash32(comp.Type.ID+suffix)), comp.Type.ID)
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
