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
	p := &Published{Tool: t, Spec: t.Spec, Handler: t.Handler, Schema: t.InputSchema, Fields: t.Fields}
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
	if !withContent(t.Handler) {
		if p.Output, _, err = publishSchema(t.OutputSchema); err != nil {
			return nil, fmt.Errorf("tool %q: output schema: %w", t.Name, err)
		}
	}
	p.Usage = usage(t.Name, t.InputSchema)
	does := annotations{ReadOnly: t.Effect == ReadOnly && !t.WritesFiles, Destructive: t.Effect == Destructive, Idempotent: t.Idempotent}
	lean := leanEntry{Name: t.Name, Description: t.Description, InputSchema: p.Input, Annotations: does.sparse()}
	full := fullEntry{Name: t.Name, Description: t.Description, InputSchema: p.Input, OutputSchema: p.Output, Annotations: does, Meta: maps.Clone(t.Meta)}
	if full.Meta == nil {
		full.Meta = map[string]any{}
	}
	full.Meta["loupe"] = gates{p.Spec.WhenParked, p.Spec.WhenCrashed, p.Spec.OffFrame, needs(&p.Spec), p.Spec.Group}
	if p.Lean, err = json.Marshal(lean); err != nil {
		return nil, fmt.Errorf("tool %q: %w", t.Name, err)
	}
	if p.Full, err = json.Marshal(full); err != nil {
		return nil, fmt.Errorf("tool %q: %w", t.Name, err)
	}
	if t.Page == "" {
		return p, nil
	}
	ui := map[string]string{"resourceUri": t.Page}
	lean.Meta = map[string]any{"ui": ui}
	full.Meta["ui"] = ui
	if p.leanPage, err = json.Marshal(lean); err != nil {
		return nil, fmt.Errorf("tool %q: %w", t.Name, err)
	}
	if p.fullPage, err = json.Marshal(full); err != nil {
		return nil, fmt.Errorf("tool %q: %w", t.Name, err)
	}
	return p, nil
}

// Entry is the tool as tools/list shows it: with all there is to say or
// without, and with its page for clients that show pages.
func (p *Published) Entry(full, page bool) json.RawMessage {
	switch page = page && p.Spec.Page != ""; {
	case page && full:
		return p.fullPage
	case page:
		return p.leanPage
	case full:
		return p.Full
	}
	return p.Lean
}

// gates are a tool's flags as clients see them.
type gates struct {
	WhenParked  bool     `json:"whenParked"`
	WhenCrashed bool     `json:"whenCrashed"`
	OffFrame    bool     `json:"offFrame"`
	Needs       []string `json:"needs"`
	Group       string   `json:"group"`
}

func needs(s *Spec) []string {
	list := []string{}
	if s.NeedsWorld {
		list = append(list, "world")
	}
	if s.NeedsApp {
		list = append(list, "app")
	}
	return list
}

// leanEntry is what a model pays for in every conversation: nothing that the
// protocol's defaults say, nothing that help tells those who ask.
type leanEntry struct {
	Name        string             `json:"name"`
	Description string             `json:"description"`
	InputSchema json.RawMessage    `json:"inputSchema"`
	Annotations *sparseAnnotations `json:"annotations,omitempty"`
	Meta        map[string]any     `json:"_meta,omitempty"`
}

type fullEntry struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  annotations     `json:"annotations"`
	Meta         map[string]any  `json:"_meta"`
}

type annotations struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
}

// sparseAnnotations are those that differ from the protocol's defaults.
type sparseAnnotations struct {
	ReadOnly    bool  `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"` // its default is true
	Idempotent  bool  `json:"idempotentHint,omitempty"`
}

func (a annotations) sparse() *sparseAnnotations {
	if a == (annotations{Destructive: true}) {
		return nil
	}
	s := &sparseAnnotations{ReadOnly: a.ReadOnly, Idempotent: a.Idempotent}
	if !a.Destructive {
		s.Destructive = new(bool)
	}
	return s
}
