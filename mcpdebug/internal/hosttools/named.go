package hosttools

import (
	"encoding/json"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

// nameOrNumber is an argument that names a thing by its name or its number.
type nameOrNumber struct{ text string }

// UnmarshalJSON implements [json.Unmarshaler].
func (n *nameOrNumber) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		n.text = text
		return nil
	}
	var number int64
	if err := json.Unmarshal(b, &number); err != nil {
		return &refusal.Error{Code: refusal.InvalidArguments, Message: "neither a name nor a number", Got: string(b), Want: "a name or a whole number"}
	}
	n.text = string(b)
	return nil
}

// MarshalJSON implements [json.Marshaler].
func (n nameOrNumber) MarshalJSON() ([]byte, error) { return json.Marshal(n.text) }

// byNameOrNumber says both forms of an argument in the tool's schema.
func byNameOrNumber(t *tools.Tool, argument string) *tools.Tool {
	p := t.InputSchema.Properties[argument]
	p.AnyOf = []*tools.Schema{{Type: "string"}, {Type: "integer"}}
	return t
}
