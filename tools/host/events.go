package host

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/internal/arguments"
)

// EventSink receives the events that a client sends with send_event: the same
// events that the host's window, network or menus produce.
//
// A minimal sink, for a host that keeps its events in a slice:
//
//	type sink struct{ queue []any }
//
//	type Key struct {
//		Key  string `json:"key" jsonschema:"name of the key, such as W or Space"`
//		Down bool   `json:"down" jsonschema:"true when pressed, false when released"`
//	}
//
//	func (s *sink) Kinds() []host.EventKind {
//		return []host.EventKind{{Name: "key", Doc: "A key changes.", Payload: reflect.TypeFor[Key]()}}
//	}
//
//	func (s *sink) Push(kind string, payload any) error {
//		s.queue = append(s.queue, payload) // payload is a Key
//		return nil
//	}
type EventSink interface {
	// Kinds lists the kinds of event, always the same ones in the same order.
	// Any goroutine: what it returns must not change.
	Kinds() []EventKind
	// Push delivers one event. payload is of the kind's Payload type (a value,
	// no pointer), already checked against it; nil for a kind without one.
	// An error refuses the event: an *refusal.Error passes through as it is. Push
	// is called while the host may be crashed, so that a client can end it.
	Push(kind string, payload any) error
}

// EventKind is a kind of event.
type EventKind struct {
	Name string
	Doc  string
	// Payload is a struct type with JSON tags, its fields' documentation and
	// limits in the tags `jsonschema` and `debug` as for any argument. Nil: the
	// kind has no payload.
	Payload reflect.Type
}

// Decode checks raw against the kind's Payload type and gives what Push takes:
// a value of that type, or nil for a kind without a payload. Any goroutine.
func (k EventKind) Decode(raw json.RawMessage) (any, error) {
	none := len(bytes.TrimSpace(raw)) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null"))
	if k.Payload == nil {
		if !none && !bytes.Equal(bytes.TrimSpace(raw), []byte("{}")) {
			return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "event " + strconv.Quote(k.Name) + " takes no payload",
				Hint: "leave payload out"}
		}
		return nil, nil
	}
	v, err := arguments.Decode(value.ArgsOf(k.Payload), raw)
	if err != nil {
		return nil, err
	}
	return v.Interface(), nil
}
