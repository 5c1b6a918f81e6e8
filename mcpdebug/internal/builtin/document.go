package builtin

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/internal/schema"
	"github.com/loupe-ecs/loupe/tools"
)

// Document is the description of one component type: ecs://component/{name}.
// It is the same in every process that has the type, and documents merge: they
// are keyed by name in ecs://context.
type Document struct {
	Name       string                     `json:"name" jsonschema:"the shortest name that is unique in the world"`
	TypeID     string                     `json:"typeID" jsonschema:"full name of the Go type"`
	TypeShape  string                     `json:"typeShape" jsonschema:"hash of the memory layout"`
	SchemaID   string                     `json:"schemaID" jsonschema:"hash of layout and descriptions"`
	Doc        string                     `json:"description,omitempty" jsonschema:"what the component is for"`
	Tag        bool                       `json:"tag,omitempty" jsonschema:"true: no data"`
	Relation   bool                       `json:"relation,omitempty" jsonschema:"true: points at a target entity"`
	Order      []string                   `json:"order,omitempty" jsonschema:"the properties in declaration order"`
	Properties map[string]json.RawMessage `json:"properties" jsonschema:"JSON Schema of every stored and computed value, with unit, labels and readOnly"`
	Actions    map[string]actionDocument  `json:"actions,omitempty" jsonschema:"what can be done with it"`
	Ports      []port                     `json:"ports,omitempty" jsonschema:"the paths that refer to other entities"`
	Tools      []string                   `json:"tools,omitempty" jsonschema:"the tools that exist for it"`
}

type actionDocument struct {
	Doc    string          `json:"description,omitempty" jsonschema:"what the action does"`
	Input  json.RawMessage `json:"input" jsonschema:"JSON Schema of the parameters"`
	Output json.RawMessage `json:"output" jsonschema:"JSON Schema of the result"`
}

type port struct {
	Path string `json:"path" jsonschema:"field path, or the component's name for a relation"`
	Kind string `json:"kind" jsonschema:"entity or relation"`
}

// document describes a component; ct may be nil.
func document(c *ecs.Component, ct *ComponentTools) Document {
	t := c.Type
	d := Document{Name: c.Name, TypeID: t.ID, TypeShape: t.Shape, SchemaID: t.SchemaID, Doc: t.Doc, Tag: c.Tag, Relation: c.Relation,
		Properties: map[string]json.RawMessage{}}
	if t.Root.Kind == value.KindStruct {
		for _, f := range t.Fields {
			if f.Hidden {
				continue
			}
			d.Order = append(d.Order, f.Name)
			d.Properties[f.Name] = propertyDocument(f, f.ReadOnly || f.Kind == value.KindOpaque, false)
		}
	} else if !c.Tag {
		d.Order = []string{"value"}
		d.Properties["value"] = propertyDocument(t.Root, t.Root.ReadOnly, false)
	}
	if ct == nil || !ct.options.NoComputed {
		for _, v := range t.Computed {
			f := *v.Type.Root
			f.Doc, f.Unit = v.Doc, v.Unit
			d.Order = append(d.Order, v.Name)
			d.Properties[v.Name] = propertyDocument(&f, true, true)
		}
	}
	for _, a := range t.Actions {
		if d.Actions == nil {
			d.Actions = map[string]actionDocument{}
		}
		d.Actions[a.Name] = actionDocument{Doc: a.Doc, Input: schemaJSON(a.In.Root), Output: resultJSON(a.Out.Root)}
	}
	if c.Relation {
		d.Ports = append(d.Ports, port{Path: c.Name, Kind: "relation"})
	}
	entityPaths(t.Root, "", func(path string) { d.Ports = append(d.Ports, port{Path: path, Kind: "entity"}) })
	if ct != nil {
		d.Tools = ct.ToolsOf(t)
	}
	return d
}

func propertyDocument(f *value.Field, readOnly, computed bool) json.RawMessage {
	doc := map[string]any{}
	_ = json.Unmarshal(schemaJSON(f), &doc)
	doc["goType"] = f.Go.String()
	if f.Unit != "" {
		doc["unit"] = f.Unit
	}
	if f.Unexported {
		doc["unexported"] = true
	}
	if computed {
		doc["computed"] = true
	}
	if len(f.Enum) > 0 {
		doc["labels"] = f.Enum
	}
	doc["readOnly"] = readOnly
	b, _ := json.Marshal(doc)
	return b
}

func schemaJSON(f *value.Field) json.RawMessage { return marshalSchema(schema.Argument(f)) }

func resultJSON(f *value.Field) json.RawMessage { return marshalSchema(schema.Result(f)) }

func marshalSchema(s *tools.Schema) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage("{}")
	}
	return b
}

// entityPaths calls visit with the path of every entity reference below f;
// elements of lists and maps are written [].
func entityPaths(f *value.Field, path string, visit func(string)) {
	switch {
	case f == nil || f.Recursive || f.Hidden:
	case f.Kind == value.KindEntity:
		visit(path)
	case f.Kind == value.KindStruct:
		for _, sub := range f.Fields {
			p := sub.Name
			if path != "" {
				p = path + "." + sub.Name
			}
			entityPaths(sub, p, visit)
		}
	case f.Kind == value.KindArray, f.Kind == value.KindSlice, f.Kind == value.KindMap:
		entityPaths(f.Elem, path+"[]", visit)
	case f.Kind == value.KindPointer:
		entityPaths(f.Elem, path, visit)
	}
}

// contextDocument describes several components in one document.
type contextDocument struct {
	Components map[string]Document `json:"components" jsonschema:"description by component name"`
	Omitted    []string            `json:"omitted,omitempty" jsonschema:"components left out to keep the document small, at most 100 of them"`
	OmittedAll int                 `json:"omittedTotal,omitempty" jsonschema:"how many were left out"`
	Hint       string              `json:"hint,omitempty" jsonschema:"how to read those left out"`
}

// maxDocument bounds a document that grows with the game, in bytes.
const maxDocument = 64 << 10

func contextOf(cat *ecs.Catalog, ct *ComponentTools, all bool) contextDocument {
	d := contextDocument{Components: map[string]Document{}}
	if cat == nil {
		return d
	}
	// Those with most entities come first: there may be no room for all.
	size := 0
	for _, c := range slices.SortedStableFunc(slices.Values(cat.Components), func(a, b *ecs.Component) int { return cmp.Compare(b.Entities, a.Entities) }) {
		if !all && c.Entities == 0 {
			continue
		}
		doc := document(c, ct)
		if b, err := json.Marshal(doc); err == nil {
			size += len(b)
		}
		if size > maxDocument && len(d.Components) > 0 {
			if d.OmittedAll++; d.OmittedAll <= 100 {
				d.Omitted = append(d.Omitted, c.Name)
			}
			continue
		}
		d.Components[c.Name] = doc
	}
	if d.OmittedAll > 0 {
		d.Hint = "the resource component/{name} or the tool describe tells of one; components_info lists them all in pages"
	}
	return d
}
