package front

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"sync"

	"github.com/loupe-ecs/loupe/internal/rawjson"
)

// replay is the [tools.Session] of a modern client, which cannot be asked in
// the middle of a call: the first unanswered question ends the call with the
// result "input required", the client calls again with the answers, and the
// tool runs from its start, each question it has asked before answered at
// once. A tool must therefore ask before it changes anything.
type replay struct {
	caps []byte

	mu      sync.Mutex
	n       int
	answers map[string]json.RawMessage
	open    []question
	missing string // a capability that was needed and that the client lacks
}

type question struct {
	key    string
	method string
	params json.RawMessage
}

// errAsked ends the run of a tool whose question the client has yet to answer.
var errAsked = errors.New("the client was asked and will call again with the answer")

func newReplay(p *callParams) *replay {
	r := &replay{caps: p.caps, answers: map[string]json.RawMessage{}}
	// The state is the client's own answers: it may tamper with them as it could
	// when it gave them.
	if b, err := base64.StdEncoding.DecodeString(p.state); err == nil {
		r.take(b)
	}
	r.take(p.responses)
	return r
}

func (r *replay) take(answers []byte) {
	if _, err := rawjson.Skip(answers, 0); err != nil {
		return
	}
	rawjson.Members(answers, func(k, v []byte) { r.answers[string(k)] = bytes.Clone(v) })
}

func (r *replay) Sample(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	return r.ask(ctx, "sampling", "sampling/createMessage", params)
}

func (r *replay) Elicit(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	return r.ask(ctx, "elicitation", "elicitation/create", params)
}

func (r *replay) ask(ctx context.Context, capability, method string, params json.RawMessage) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !json.Valid(params) {
		return nil, errors.New("the question is no valid JSON")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if rawjson.Member(r.caps, capability) == nil {
		r.missing = capability
		return nil, errors.New("the client does not support " + capability)
	}
	r.n++
	key := "q" + strconv.Itoa(r.n)
	if answer, ok := r.answers[key]; ok {
		return answer, nil
	}
	r.open = append(r.open, question{key, method, params})
	return nil, errAsked
}

func (r *replay) questions() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.open) > 0
}

// lacks is the error of a call that failed for want of a capability.
func (r *replay) lacks() *rpcError {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.missing == "" {
		return nil
	}
	e := rpcErrorf(codeCapability, "the tool needs a client with the capability %q", r.missing)
	e.data = append(rawjson.AppendString([]byte(`{"requiredCapabilities":{`), r.missing), `:{}}}`...)
	return e
}

func (r *replay) appendResult(dst, id []byte, era *era) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	dst = append(appendHead(dst, id), `,"result":{"resultType":"input_required","inputRequests":{`...)
	for i, q := range r.open {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendString(dst, q.key), `:{"method":`...)
		dst = rawjson.AppendString(dst, q.method)
		dst = append(append(append(dst, `,"params":`...), q.params...), '}')
	}
	// The next call brings the answers of this round only: earlier ones travel
	// as the state.
	state, _ := json.Marshal(r.answers)
	dst = rawjson.AppendString(append(dst, `},"requestState":`...), base64.StdEncoding.EncodeToString(state))
	dst = append(dst, `,"_meta":{`...)
	return append(append(dst, era.serverInfo...), "}}}"...)
}
