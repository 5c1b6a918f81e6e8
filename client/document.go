package client

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Context describes component types: what ecs://context holds.
type Context struct {
	Components map[string]ComponentType `json:"components"`
}

// ComponentType describes one type: its properties as JSON Schemas, its actions.
type ComponentType struct {
	Name        string                     `json:"name"`
	TypeID      string                     `json:"typeID"`
	TypeShape   string                     `json:"typeShape"`
	SchemaID    string                     `json:"schemaID"`
	Description string                     `json:"description,omitempty"`
	Tag         bool                       `json:"tag,omitempty"`
	Relation    bool                       `json:"relation,omitempty"`
	Order       []string                   `json:"order,omitempty"`
	Properties  map[string]json.RawMessage `json:"properties"`
	Actions     map[string]ActionType      `json:"actions,omitempty"`
	Ports       []Port                     `json:"ports,omitempty"`
	Tools       []string                   `json:"tools,omitempty"`
}

// ActionType describes an action by the schemas of its parameters and result.
type ActionType struct {
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input"`
	Output      json.RawMessage `json:"output"`
}

// Port is a path of a component that refers to another entity.
type Port struct {
	Path string `json:"path"`
	Kind string `json:"kind"` // entity or relation
}

// Context reads the description of every component type that lives in the world;
// all: of every registered one.
func (c *Client) Context(ctx context.Context, all bool) (Context, error) {
	uri := "ecs://context"
	if all {
		uri += "/all"
	}
	b, err := c.Read(ctx, uri)
	if err != nil {
		return Context{}, err
	}
	return ParseContext(b)
}

// ParseContext reads the JSON of a context document.
func ParseContext(b []byte) (Context, error) {
	var doc Context
	if err := json.Unmarshal(b, &doc); err != nil {
		return doc, &refusal.Error{Code: refusal.InvalidArguments, Message: "no context document: " + err.Error()}
	}
	if doc.Components == nil {
		return doc, &refusal.Error{Code: refusal.InvalidArguments, Message: `no context document: "components" is missing`}
	}
	return doc, nil
}

// MergeContexts makes one document of several, of several games for instance.
// Types are told apart by TypeID: of one type the last description counts, and a
// type whose name another one has is found under its TypeID.
func MergeContexts(docs ...Context) Context {
	merged := Context{Components: map[string]ComponentType{}}
	keys := map[string]string{} // by TypeID
	for _, doc := range docs {
		for _, name := range slices.Sorted(maps.Keys(doc.Components)) {
			t := doc.Components[name]
			key, known := keys[t.TypeID]
			if !known {
				key = name
				if _, taken := merged.Components[key]; taken {
					key = t.TypeID
				}
				keys[t.TypeID] = key
			}
			merged.Components[key] = t
		}
	}
	return merged
}

// JSON is the document's compact form: equal documents have equal bytes.
func (c Context) JSON() []byte {
	b, err := json.Marshal(c)
	if err != nil { // a property of its own that is no JSON
		return []byte(`{"components":{}}`)
	}
	return b
}

// Indented is the document for people.
func (c Context) Indented() []byte {
	var b bytes.Buffer
	if json.Indent(&b, c.JSON(), "", "  ") != nil {
		return c.JSON()
	}
	return b.Bytes()
}

// Schema is the JSON Schema of a value of the component, in the order of its
// fields; computed values are left out.
func (t ComponentType) Schema() json.RawMessage {
	order := t.Order
	if order == nil {
		order = slices.Sorted(maps.Keys(t.Properties))
	}
	b := []byte(`{"type":"object","properties":{`)
	n := 0
	for _, name := range order {
		p, ok := t.Properties[name]
		if computed, _ := member(p, "computed"); !ok || string(computed) == "true" {
			continue
		}
		if n++; n > 1 {
			b = append(b, ',')
		}
		key, _ := json.Marshal(name) // a string can be encoded
		b = append(append(append(b, key...), ':'), p...)
	}
	return append(b, `},"additionalProperties":false}`...)
}
