package tools

import (
	"encoding/json"
	"fmt"
	"maps"
)

// publish freezes a tool into what listings show of it.
func publish(t *Tool) (*Published, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	p := &Published{Tool: t, Spec: t.Spec, Handler: t.Handler}
	if p.Spec.Group == "" {
		p.Spec.Group = "custom"
	}
	if p.Spec.OffFrame {
		p.Spec.WhenParked, p.Spec.WhenCrashed = true, true
	}
	var err error
	if p.Input, p.Arguments, err = publishSchema(t.InputSchema); err != nil {
		return nil, fmt.Errorf("tool %q: input schema: %w", t.Name, err)
	}
	if p.Output, _, err = publishSchema(t.OutputSchema); err != nil {
		return nil, fmt.Errorf("tool %q: output schema: %w", t.Name, err)
	}
	p.Usage = usage(t.Name, t.InputSchema)
	lean := listEntry{
		Name: t.Name, Description: t.Description, InputSchema: p.Input,
		Annotations: annotations{ReadOnly: t.Effect == ReadOnly && !t.WritesFiles, Destructive: t.Effect == Destructive, Idempotent: t.Idempotent},
		Meta:        map[string]any{"loupe": gates{p.Spec.WhenParked, p.Spec.WhenCrashed, p.Spec.OffFrame, p.Spec.Group}},
	}
	full := lean
	full.OutputSchema = p.Output
	full.Meta = maps.Clone(t.Meta)
	if full.Meta == nil {
		full.Meta = map[string]any{}
	}
	full.Meta["loupe"] = lean.Meta["loupe"]
	if p.Lean, err = json.Marshal(lean); err != nil {
		return nil, fmt.Errorf("tool %q: %w", t.Name, err)
	}
	if p.Full, err = json.Marshal(full); err != nil {
		return nil, fmt.Errorf("tool %q: %w", t.Name, err)
	}
	return p, nil
}

// gates are a tool's flags as clients see them.
type gates struct {
	WhenParked  bool   `json:"whenParked"`
	WhenCrashed bool   `json:"whenCrashed"`
	OffFrame    bool   `json:"offFrame"`
	Group       string `json:"group"`
}

type listEntry struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  annotations     `json:"annotations"`
	Meta         map[string]any  `json:"_meta"`
}

// annotations are written out whole: the protocol's default for an absent
// destructiveHint is true.
type annotations struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
}
