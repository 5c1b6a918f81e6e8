package calltext

import (
	"encoding/json"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/text"
)

const toolName = "call_text"

type callTextArgs struct {
	Text string `json:"text" jsonschema:"what a model wrote, calls and all"`
}

type callTextResult struct {
	Calls   []callRow `json:"calls" jsonschema:"every call that was found, in order"`
	Ran     int       `json:"ran" jsonschema:"how many ran"`
	Refused int       `json:"refused" jsonschema:"how many were refused"`
	Hint    string    `json:"hint,omitempty" jsonschema:"how a call is written, where none was found"`
}

type callRow struct {
	Tool      string          `json:"tool" jsonschema:"name of the tool"`
	Arguments json.RawMessage `json:"arguments" jsonschema:"its arguments as they were read"`
	Status    string          `json:"status" jsonschema:"ran, refused; quoted (shown), thought (considered) and incomplete (cut off) calls were not run"`
	Why       string          `json:"why,omitempty" jsonschema:"why it was not run"`
	Form      string          `json:"form" jsonschema:"how it was written: xml, json, tool_call, invoke or function"`
	Start     int64           `json:"start" jsonschema:"where it begins in the text (bytes)"`
	End       int64           `json:"end" jsonschema:"where it ends"`
	Repaired  []string        `json:"repaired,omitempty" jsonschema:"what was put right to read it"`
	Answer    json.RawMessage `json:"answer,omitempty" jsonschema:"the tool's answer"`
	Error     json.RawMessage `json:"error,omitempty" jsonschema:"why it was refused: code, message and what else refusals have"`
}

// Tools are in listing order.
func (t *Text) Tools() []*tools.Tool {
	return []*tools.Tool{tools.NewOff(tools.Spec{
		Name: toolName, Group: "session", Unlisted: true,
		Description: "Runs the calls that are found in a text, in order, each under its own gates: for models and hosts without tool calling. The document convention says how calls are written.",
		Example:     `{"text":"<stats/>"}`,
	}, t.callText)}
}

func (t *Text) callText(c *tools.Call, in callTextArgs) (callTextResult, error) {
	r := callTextResult{Calls: []callRow{}}
	if c.Run == nil {
		return r, &refusal.Error{Code: refusal.NotSupported, Message: toolName + " cannot be called from within another tool", Hint: "call the tools themselves"}
	}
	outcomes, err := t.carryOut(in.Text, c.Run)
	if err != nil {
		return r, err
	}
	var first *refusal.Error
	for _, o := range outcomes {
		row := callRow{Tool: o.Tool, Arguments: o.Arguments, Status: string(o.Status), Why: o.Why, Form: string(o.Form), Start: o.Start, End: o.End,
			Repaired: o.Repaired, Answer: o.answer}
		switch {
		case o.ran:
			row.Status = "ran"
			r.Ran++
		case o.err != nil:
			e := errorOf(o.err)
			if row.Error, err = json.Marshal(e); err != nil {
				return r, err
			}
			row.Status = "refused"
			r.Refused++
			if first == nil {
				first = e
			}
		}
		r.Calls = append(r.Calls, row)
	}
	if len(r.Calls) == 0 {
		r.Hint = "no call was found, and nothing ran. " + text.Line
	}
	if r.Ran == 0 && first != nil {
		// Nothing happened: that is a refusal, of which the rows say more.
		e := *first
		e.Extra = map[string]any{"calls": r.Calls}
		return r, &e
	}
	return r, nil
}
