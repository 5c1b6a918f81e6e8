// Package arguments turns what a client sent into what a tool takes, or into a
// refusal that names what is legal.
package arguments

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Decode checks raw against the argument type: unknown, missing,
// mistyped and out-of-range arguments are refusals that name the real ones.
func Decode(t *value.Type, raw json.RawMessage) (reflect.Value, error) {
	if len(bytes.TrimSpace(raw)) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		raw = json.RawMessage("{}")
	}
	v, err := t.DecodeJSON(raw, reflect.Value{})
	if err != nil {
		if e, ok := err.(*refusal.Error); ok && e.Code != refusal.InvalidArguments {
			// An unknown argument is an invalid argument to clients.
			c := *e
			c.Code = refusal.InvalidArguments
			return v, misplaced(t, &c)
		}
		return v, misplaced(t, err)
	}
	return v, nil
}
