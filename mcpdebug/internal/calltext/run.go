package calltext

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/text"
)

const (
	// maxCalls bounds the calls that one text may make.
	maxCalls = 64
	// maxAnswers bounds the bytes of all answers together.
	maxAnswers = 256 << 10
)

// Run carries out a call and waits for its answer.
type Run func(tool string, arguments json.RawMessage) *tools.Reply

// outcome is a call that was found, and what came of it.
type outcome struct {
	text.Found
	ran    bool
	answer json.RawMessage
	err    error // why it was refused
	cut    bool  // the answer had no room
}

// carryOut runs the calls of a text in order, each through its own gates.
func (t *Text) carryOut(message string, run Run) ([]outcome, error) {
	found, err := t.offered().Extract(message)
	if err != nil {
		return nil, err
	}
	out := make([]outcome, 0, len(found))
	made, room := 0, maxAnswers
	for _, f := range found {
		o := outcome{Found: f, err: f.Err}
		switch {
		case f.Status != text.Call:
			o.err = nil
		case o.err != nil:
		case f.Tool == toolName:
			o.err = &refusal.Error{Code: refusal.NotSupported, Message: toolName + " cannot be called from a text", Hint: "write the calls themselves"}
		case made == maxCalls:
			o.err = &refusal.Error{Code: refusal.TooLarge, Message: fmt.Sprintf("the text has more than %d calls; this one did not run", maxCalls), Want: fmt.Sprintf("at most %d calls in one text", maxCalls)}
		default:
			made++
			o.take(run(f.Tool, f.Arguments))
			if room -= len(o.answer); room < 0 {
				o.answer, o.cut = json.RawMessage(`{"truncated":true}`), true
			}
		}
		out = append(out, o)
	}
	return out, nil
}

// take takes a call's answer.
func (o *outcome) take(r *tools.Reply) {
	switch {
	case r.RPC != nil:
		o.err = unknown(r.RPC)
	case r.Err != nil:
		o.err = r.Err
	case r.IsError:
		o.err = &refusal.Error{Code: refusal.Failed, Message: r.Text}
	default:
		o.ran = true
		o.answer = r.Structured
		if o.answer == nil {
			// Beside a picture, which is left behind, stands JSON or a text.
			o.answer = json.RawMessage(r.Text)
			if !json.Valid(o.answer) {
				o.answer, _ = json.Marshal(r.Text) // a string always encodes
			}
		}
	}
}

// unknown makes a refusal of a protocol error: a tool that went away meanwhile.
func unknown(r *tools.RPCError) error {
	e := &refusal.Error{Code: refusal.NotFound, Message: r.Message}
	var data struct {
		Options []string
		Total   int
		Hint    string
	}
	if json.Unmarshal(r.Data, &data) == nil {
		e.Options, e.Total, e.Hint = data.Options, data.Total, data.Hint
	}
	return e
}

// Dispatch runs the calls in a text and answers them in the form they had, in
// order. "" if there is none: a text is no question.
func (t *Text) Dispatch(message string, run Run) string {
	outcomes, err := t.carryOut(message, run)
	if err != nil {
		return text.Answer(text.Found{Tool: toolName, Form: text.JSON}, nil, err)
	}
	var answers []string
	for _, o := range outcomes {
		switch o.Status {
		case text.Quoted, text.Thought:
			continue
		case text.Incomplete:
			o.err = &refusal.Error{Code: refusal.InvalidArguments, Message: o.Why + "; it was not run", Hint: "write the call again, whole"}
		}
		answers = append(answers, text.Answer(o.Found, o.answer, o.err))
	}
	return strings.Join(answers, "\n")
}

// errorOf is a refusal as JSON shows it.
func errorOf(err error) *refusal.Error {
	var e *refusal.Error
	if errors.As(err, &e) {
		return e
	}
	return &refusal.Error{Code: refusal.Failed, Message: err.Error()}
}
