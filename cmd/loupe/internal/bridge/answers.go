package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/loupe-ecs/loupe/cmd/loupe/internal/wire"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

// The codes that only a bridge has: calls that surely changed nothing when the
// game went away.
const notRun refusal.Code = "not_run"

// codeServer is JSON-RPC's code for what a server itself has failed at.
const codeServer = -32000

func rpcError(id json.RawMessage, code int, message string, data any) []byte {
	b := head(id)
	b = append(fmt.Appendf(b, `,"error":{"code":%d,"message":`, code), wire.Quote(message)...)
	if data != nil {
		if d, err := json.Marshal(data); err == nil {
			b = append(append(b, `,"data":`...), d...)
		}
	}
	return append(b, "}}"...)
}

func head(id json.RawMessage) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	return append([]byte(`{"jsonrpc":"2.0","id":`), id...)
}

// result makes the answer of a request that the bridge answers itself. body is
// an object's members, without the braces.
func (b *Bridge) result(r *request, body []byte, cacheable bool) []byte {
	out := append(append(head(r.ID), `,"result":{`...), body...)
	if r.modern {
		if len(body) > 0 {
			out = append(out, ',')
		}
		out = append(out, `"resultType":"complete","_meta":{"`+wire.MetaServer+`":{"name":"loupe","version":`...)
		out = append(append(out, wire.Quote(b.o.Version)...), "}}"...)
		if cacheable {
			out = append(out, `,"ttlMs":0,"cacheScope":"private"`...)
		}
	}
	return append(out, "}}"...)
}

// success is the answer of a session tool.
func (b *Bridge) success(r *request, res *tools.Result) []byte {
	text := wire.Quote(string(res.Structured))
	body := append(append([]byte(`"content":[{"type":"text","text":`), text...), `}],"structuredContent":`...)
	return b.result(r, append(body, res.Structured...), false)
}

// refuse is the answer of a request that cannot be served: a tool's as an answer
// that teaches, any other as a protocol error with the same words.
func (b *Bridge) refuse(r *request, err error) []byte {
	e := typed(err)
	if r.Method != "tools/call" {
		return rpcError(r.ID, codeServer, sentence(e), map[string]any{"error": e})
	}
	object := map[string]any{}
	for k, v := range e.Extra {
		object[k] = v
	}
	object["error"] = e
	structured, err := json.Marshal(object)
	if err != nil {
		structured, _ = json.Marshal(map[string]any{"error": &refusal.Error{Code: e.Code, Message: e.Message, Hint: e.Hint}})
	}
	body := append([]byte(`"content":[{"type":"text","text":`), wire.Quote(sentence(e))...)
	body = append(append(append(body, `}],"structuredContent":`...), structured...), `,"isError":true`...)
	return b.result(r, body, false)
}

func typed(err error) *refusal.Error {
	var e *refusal.Error
	if errors.As(err, &e) {
		return e
	}
	var denied *wire.Denied
	if errors.As(err, &denied) {
		e = &refusal.Error{Code: refusal.Failed, Message: "the game does not let this bridge in: " + denied.Error(), Next: "session_list"}
		if denied.Status == 401 || denied.Status == 403 {
			e.Hint = "a game that asks for a token: run loupe mcp with its token in the environment variable LOUPE_TOKEN"
		}
		return e
	}
	return &refusal.Error{Code: refusal.Failed, Message: err.Error()}
}

// sentence is a refusal for people.
func sentence(e *refusal.Error) string {
	var b strings.Builder
	b.WriteString(e.Message)
	if list, ok := e.Extra["buildErrors"]; ok {
		b.WriteString("\n" + inLines(list))
	}
	if list, ok := e.Extra["output"].([]string); ok && len(list) > 0 {
		b.WriteString("\n" + strings.Join(list, "\n"))
	}
	if len(e.Options) > 0 {
		fmt.Fprintf(&b, "; options: %s", strings.Join(e.Options, ", "))
	}
	if e.Hint != "" {
		b.WriteString(". " + e.Hint)
	}
	if e.Next != "" && !strings.Contains(b.String(), e.Next) {
		b.WriteString(". Next: " + e.Next)
	}
	return b.String()
}
