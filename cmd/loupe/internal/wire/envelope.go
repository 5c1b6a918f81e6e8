package wire

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Envelope is a JSON-RPC message with everything that need not be understood
// left as it came.
type Envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// Parse reads one message.
func Parse(message []byte) (e Envelope, err error) {
	message = bytes.TrimSpace(message)
	if len(message) > 0 && message[0] == '[' {
		return e, errors.New("batches are not part of the protocol: send one message a line")
	}
	if err = json.Unmarshal(message, &e); err != nil {
		return e, err
	}
	if string(e.ID) == "null" {
		e.ID = nil
	}
	if e.Method == "" && e.Result == nil && e.Error == nil {
		return e, errors.New("a message has a method, a result or an error")
	}
	return e, nil
}

// IsRequest: it wants an answer.
func (e *Envelope) IsRequest() bool { return e.Method != "" && e.ID != nil }

// IsResponse: it is an answer.
func (e *Envelope) IsResponse() bool { return e.Method == "" }

// Answers reports whether message is the answer to the request of that id. The
// game writes the id first, and as it got it.
func Answers(message, id []byte) bool {
	const head = `{"jsonrpc":"2.0","id":`
	if rest, ok := bytes.CutPrefix(message, []byte(head)); ok {
		rest, ok = bytes.CutPrefix(rest, id)
		return ok && (bytes.HasPrefix(rest, []byte(`,"result"`)) || bytes.HasPrefix(rest, []byte(`,"error"`)))
	}
	e, err := Parse(message)
	return err == nil && e.IsResponse() && bytes.Equal(e.ID, id)
}

// Member is the value of an object's member; nil if there is none.
func Member(object json.RawMessage, key string) json.RawMessage {
	if !bytes.Contains(object, []byte(`"`+key+`"`)) {
		return nil
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(object, &m) != nil {
		return nil
	}
	return m[key]
}

// Text is the value of a member that is a string.
func Text(object json.RawMessage, key string) string {
	var s string
	_ = json.Unmarshal(Member(object, key), &s)
	return s
}

// Quote is a JSON string.
func Quote(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string can be encoded
	return bytes.TrimSpace(b.Bytes())
}

// Request makes a message; a nil id makes a notification.
func Request(id []byte, method string, params []byte) []byte {
	b := []byte(`{"jsonrpc":"2.0"`)
	if id != nil {
		b = append(append(b, `,"id":`...), id...)
	}
	b = append(append(b, `,"method":`...), Quote(method)...)
	if params != nil {
		b = append(append(b, `,"params":`...), params...)
	}
	return append(b, '}')
}

// Hello are the parameters of an initialize of one's own.
func Hello(name, version string) json.RawMessage {
	b := append([]byte(`{"protocolVersion":"`+SessionVersion+`","capabilities":{},"clientInfo":{"name":`), Quote(name)...)
	b = append(append(b, `,"version":`...), Quote(version)...)
	return append(b, "}}"...)
}

// The versions that matter here: the newest with sessions, and the first
// without.
const (
	SessionVersion = "2025-11-25"
	ModernVersion  = "2026-07-28"
)

// The members of _meta that a request of the era without sessions has.
const (
	MetaVersion = "io.modelcontextprotocol/protocolVersion"
	MetaServer  = "io.modelcontextprotocol/serverInfo"
)

// ModernOf tells whether a request with these parameters is of the era without
// sessions, which says so in every request.
func ModernOf(params json.RawMessage) bool {
	return bytes.Contains(params, []byte(MetaVersion)) && Text(Member(params, "_meta"), MetaVersion) >= ModernVersion
}
