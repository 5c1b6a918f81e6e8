package game

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Inputs are the events that came since the last tick: what a tick depends on
// and no world before it holds.
type Inputs struct{ g *Game }

// given is an event as it is recorded.
type given struct {
	Kind    string          `json:"kind"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// note keeps an event for the recording.
func (g *Game) note(kind string, payload any) {
	if len(g.given) == maxGiven {
		return // nobody records
	}
	b, err := json.Marshal(payload)
	if err != nil {
		return
	}
	g.given = append(g.given, given{kind, b})
}

// maxGiven bounds the events of one tick, and what is kept while nobody records.
const maxGiven = 1000

// TickInputs implements host.Inputs.
func (in Inputs) TickInputs() []byte {
	if len(in.g.given) == 0 {
		return nil
	}
	b, err := json.Marshal(in.g.given)
	in.g.given = in.g.given[:0]
	if err != nil {
		return nil
	}
	return b
}

// PlayInputs implements host.Inputs.
func (in Inputs) PlayInputs(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	var events []given
	if err := json.Unmarshal(b, &events); err != nil {
		return err
	}
	for _, e := range events {
		payload, err := payloadOf(e)
		if err != nil {
			return err
		}
		if err := Events(in).apply(e.Kind, payload); err != nil {
			return err
		}
	}
	return nil
}

// payloadOf is a recorded payload in the type of its kind; nil for none.
func payloadOf(e given) (any, error) {
	for _, k := range (Events{}).Kinds() {
		if k.Name != e.Kind {
			continue
		}
		if k.Payload == nil {
			return nil, nil
		}
		v := reflect.New(k.Payload)
		err := json.Unmarshal(e.Payload, v.Interface())
		return v.Elem().Interface(), err
	}
	return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("no event of kind %q", e.Kind)}
}
