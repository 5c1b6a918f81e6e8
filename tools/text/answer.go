package text

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools/text/internal/loose"
)

// Answer writes the answer of a call in the form that the call had: result is
// its JSON, err, unless nil, why it was refused.
func Answer(f Found, result json.RawMessage, err error) string {
	body := result
	if err != nil {
		body = errorJSON(err)
	}
	name := string(loose.AppendString(nil, f.Tool))
	switch f.Form {
	case XML, Invoke:
		tag := "result"
		if err != nil {
			tag = "error"
		}
		return fmt.Sprintf("<%s tool=\"%s\">%s</%s>", tag, html.EscapeString(f.Tool), escapeText(string(body)), tag)
	case ToolCall:
		key := "content"
		if err != nil {
			key = "error"
		}
		return fmt.Sprintf(`<tool_response>{"name":%s,"%s":%s}</tool_response>`, name, key, body)
	}
	key := "result"
	if err != nil {
		key = "error"
	}
	return fmt.Sprintf(`{"tool":%s,"%s":%s}`, name, key, body)
}

// escapeText escapes what XML's text may not hold, and leaves quotes as they
// are: the text is JSON that people read.
func escapeText(s string) string {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		switch s[i] {
		case '<':
			b = append(b, "&lt;"...)
		case '&':
			b = append(b, "&amp;"...)
		default:
			b = append(b, s[i])
		}
	}
	return string(b)
}

func errorJSON(err error) json.RawMessage {
	var e *refusal.Error
	if !errors.As(err, &e) {
		e = &refusal.Error{Code: refusal.Failed, Message: err.Error()}
	}
	b, merr := json.Marshal(e)
	if merr != nil {
		return json.RawMessage(loose.AppendString(nil, err.Error()))
	}
	return b
}
