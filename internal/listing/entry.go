package listing

import (
	"encoding/json"
	"maps"

	"github.com/loupe-ecs/loupe/tools"
)

// entry is a tool in tools/list: as short as can be, and with all there is to say;
// both with its page, for clients that show pages.
type entry struct{ lean, full, leanPage, fullPage json.RawMessage }

func makeEntry(t *tools.Registered) (e entry) {
	s := &t.Spec
	does := annotations{ReadOnly: s.Effect == tools.ReadOnly && !s.WritesFiles, Destructive: s.Effect == tools.Destructive, Idempotent: s.Idempotent}
	lean := leanEntry{Name: s.Name, Description: s.Description, InputSchema: t.Input, Annotations: does.sparse()}
	full := fullEntry{Name: s.Name, Description: s.Description, InputSchema: t.Input, OutputSchema: t.Output, Annotations: does, Meta: maps.Clone(s.Meta)}
	if full.Meta == nil {
		full.Meta = map[string]any{}
	}
	full.Meta["loupe"] = gates{s.WhenParked, s.WhenCrashed, s.OffFrame, needs(s), s.Group}
	e.lean, e.full = encode(lean), encode(full)
	if s.Page != "" {
		ui := map[string]string{"resourceUri": s.Page}
		lean.Meta = map[string]any{"ui": ui}
		full.Meta["ui"] = ui
		e.leanPage, e.fullPage = encode(lean), encode(full)
	}
	return e
}

// encode cannot fail: Meta, the one part of any type, was encoded at registration.
func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// gates are a tool's flags as clients see them.
type gates struct {
	WhenParked  bool     `json:"whenParked"`
	WhenCrashed bool     `json:"whenCrashed"`
	OffFrame    bool     `json:"offFrame"`
	Needs       []string `json:"needs"`
	Group       string   `json:"group"`
}

func needs(s *tools.Spec) []string {
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
