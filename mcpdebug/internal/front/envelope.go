package front

import (
	"fmt"

	"github.com/loupe-ecs/loupe/internal/rawjson"
)

// JSON-RPC and protocol error codes.
const (
	codeParse       = -32700
	codeInvalid     = -32600
	codeNoMethod    = -32601
	codeParams      = -32602
	codeInternal    = -32603
	codeServer      = -32000 // a refusal; data says which
	codeNoSession   = -32001
	codeNotFound    = -32002 // resource not found
	codeHeader      = -32020
	codeCapability  = -32021
	codeUnsupported = -32022
)

// envelope is one JSON-RPC message. Everything in it is a part of the body as
// it came: an id goes back byte for byte.
type envelope struct {
	id       []byte // nil: a notification
	method   string
	params   []byte // nil, or an object
	response bool   // it answers a request of ours
}

// rpcError is a JSON-RPC error that data has been prepared for already.
type rpcError struct {
	code    int
	message string
	data    []byte
}

func rpcErrorf(code int, format string, args ...any) *rpcError {
	return &rpcError{code: code, message: fmt.Sprintf(format, args...)}
}

// parseEnvelope reads one message. On an error the id is kept if it could be
// told, so that the answer reaches who asked.
func parseEnvelope(body []byte) (e envelope, failed *rpcError) {
	start := rawjson.SkipSpace(body, 0)
	if start >= len(body) {
		return e, rpcErrorf(codeParse, "the body is empty: send one JSON-RPC message")
	}
	end, err := rawjson.Skip(body, start)
	if err != nil {
		return e, rpcErrorf(codeParse, "the body is no valid JSON: %v", err)
	}
	if rest := rawjson.SkipSpace(body, end); rest < len(body) {
		return e, rpcErrorf(codeParse, "text follows the JSON-RPC message, at byte %d", rest)
	}
	switch body[start] {
	case '{':
	case '[':
		return e, rpcErrorf(codeInvalid, "batches ended with protocol version 2025-03-26: send one message a request")
	default:
		return e, rpcErrorf(codeInvalid, "a JSON-RPC message is an object")
	}
	var version, id, method, params []byte
	hasResult := false
	rawjson.Members(body[start:end], func(key, value []byte) {
		switch string(key) {
		case "jsonrpc":
			version = value
		case "id":
			id = value
		case "method":
			method = value
		case "params":
			params = value
		case "result", "error":
			hasResult = true
		}
	})
	if id != nil {
		switch c := id[0]; {
		case c == '"' || c == '-' || '0' <= c && c <= '9':
			e.id = id
		default:
			return e, rpcErrorf(codeInvalid, "an id is a string or a number, got %.40s", id)
		}
	}
	if v, ok := rawjson.Text(version); !ok || v != "2.0" {
		return e, rpcErrorf(codeInvalid, `"jsonrpc":"2.0" is missing`)
	}
	if method == nil && hasResult {
		e.response = true
		return e, nil
	}
	name, ok := rawjson.Text(method)
	switch {
	case method == nil:
		return e, rpcErrorf(codeInvalid, `"method" is missing`)
	case !ok || name == "":
		return e, rpcErrorf(codeInvalid, `"method" must be a non-empty string, got %.40s`, method)
	}
	e.method = name
	switch {
	case params == nil || rawjson.IsNull(params):
	case rawjson.IsObject(params):
		e.params = params
	default:
		return e, rpcErrorf(codeParams, `"params" must be an object, got %.40s`, params)
	}
	return e, nil
}
