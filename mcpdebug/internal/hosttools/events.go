package hosttools

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/internal/schema"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

func Events(app func() *host.App) []*tools.Tool {
	return []*tools.Tool{tools.NewPhased(tools.Spec{Name: "send_event", Group: "session", WhenCrashed: true, NeedsApp: true,
		Description: "Sends the game an event. Without kind it lists the kinds with their payload schemas.",
		Example:     `{}`},
		tools.Phases[sendEventArgs, eventToSend, sendEventResult, sendEventResult]{
			Before: func(_ *tools.Call, in sendEventArgs) (eventToSend, error) { return prepareEvent(app(), in) },
			Frame:  pushEvent,
		})}
}

type sendEventArgs struct {
	Kind    string          `json:"kind,omitempty" jsonschema:"default: list them"`
	Payload json.RawMessage `json:"payload,omitempty" jsonschema:"object as the kind's schema says"`
}

type eventToSend struct {
	app     *host.App
	kind    string
	payload any
}

type eventKindRow struct {
	Name   string          `json:"name" jsonschema:"what to pass as kind"`
	Doc    string          `json:"doc,omitempty" jsonschema:"what the event does"`
	Schema json.RawMessage `json:"schema,omitempty" jsonschema:"schema of its payload; absent: it takes none"`
}

type sendEventResult struct {
	Pushed string         `json:"pushed,omitempty" jsonschema:"the kind that was sent"`
	Kinds  []eventKindRow `json:"kinds,omitempty" jsonschema:"the kinds that there are"`
	Hint   string         `json:"hint,omitempty" jsonschema:"why nothing may come of it yet"`
}

// prepareEvent checks the payload before anything waits for a frame.
func prepareEvent(app *host.App, in sendEventArgs) (eventToSend, error) {
	if app == nil || app.Events == nil {
		return eventToSend{}, lacks("events")
	}
	e := eventToSend{app: app, kind: in.Kind}
	if in.Kind == "" {
		if len(in.Payload) > 0 && string(in.Payload) != "null" {
			return e, &refusal.Error{Code: refusal.InvalidArguments, Message: "payload without kind: say which event it is for", Next: "send_event"}
		}
		return e, nil
	}
	kinds := app.Events.Kinds()
	names := make([]string, len(kinds))
	for i, k := range kinds {
		if names[i] = k.Name; k.Name == in.Kind {
			payload, err := k.Decode(in.Payload)
			e.payload = payload
			return e, badPayload(&k, err)
		}
	}
	return e, &refusal.Error{Code: refusal.NotFound, Message: fmt.Sprintf("no event kind named %q", in.Kind), Got: in.Kind,
		Options: refusal.Nearest(in.Kind, names), Total: len(names), Hint: "send_event without kind lists the kinds", Next: "send_event"}
}

// badPayload says that the fault is in the payload of the kind, and what that
// is made of.
func badPayload(k *host.EventKind, err error) error {
	e, ok := errors.AsType[*refusal.Error](err)
	if !ok || k.Payload == nil {
		return err
	}
	c := *e
	what := strings.Replace(e.Message, "this tool has no argument", "it has no field", 1)
	what = strings.Replace(what, "missing argument ", "missing ", 1)
	c.Message = fmt.Sprintf("the payload of event %q: %s", k.Name, what)
	if c.Want == "a real argument" {
		c.Want = "a field of the payload"
	}
	if c.Hint != "" {
		c.Hint += "; "
	}
	c.Hint += "schema is that of the payload"
	c.Extra = map[string]any{"schema": schema.Argument(value.ArgsOf(k.Payload).Root)}
	return &c
}

func pushEvent(f *tools.Frame, e eventToSend) (r sendEventResult, err error) {
	if e.kind == "" {
		r.Kinds = []eventKindRow{}
		for _, k := range e.app.Events.Kinds() {
			row := eventKindRow{Name: k.Name, Doc: k.Doc}
			if k.Payload != nil {
				if row.Schema, err = json.Marshal(schema.Argument(value.ArgsOf(k.Payload).Root)); err != nil {
					return r, err
				}
			}
			r.Kinds = append(r.Kinds, row)
		}
		return r, nil
	}
	if f.App != e.app {
		return r, &refusal.Error{Code: refusal.NotRunning, Message: "another app was bound meanwhile", Hint: "call send_event again"}
	}
	if f.World != nil && e.payload != nil {
		if err := ecs.CheckEntities(f.World, reflect.ValueOf(e.payload), ""); err != nil {
			return r, err
		}
	}
	if err := e.app.Events.Push(e.kind, e.payload); err != nil {
		return r, err
	}
	r.Pushed = e.kind
	if c := e.app.Clock; c != nil && c.Info().Paused && c.Info().Pending == 0 {
		r.Hint = "the clock is paused: the game may not look at it before a tick runs (clock_set)"
	} else if s := e.app.States; s != nil && c == nil {
		if stack := s.Stack(); len(stack) > 0 && stack[len(stack)-1] == "paused" {
			r.Hint = "the game is in its state paused: it may not look at it before that is left (states_pop)"
		}
	}
	return r, nil
}
