package bridge

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/loupe-ecs/loupe/cmd/loupe/internal/session"
	"github.com/loupe-ecs/loupe/cmd/loupe/internal/wire"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/rawjson"
)

// metaOperation is where a call has its name, by which a game tells afterwards
// what became of it.
const metaOperation = "loupe/operation"

// nameOperation gives a call that may change something a name of its own, unless
// the client has named it.
func (r *request) nameOperation() {
	meta := rawjson.Member(r.Params, "_meta")
	if own := wire.Text(json.RawMessage(meta), metaOperation); own != "" {
		r.operation = own
		return
	}
	if meta != nil && !rawjson.IsObject(meta) {
		return // the game will say so
	}
	r.operation = "bridge-" + rand.Text()
	named := append([]byte(`{"`+metaOperation+`":`), wire.Quote(r.operation)...)
	rawjson.Members(meta, func(key, value []byte) { named = appendMember(named, key, value) })
	params := append([]byte(`{"_meta":`), append(named, '}')...)
	rawjson.Members(r.Params, func(key, value []byte) {
		if string(key) != "_meta" {
			params = appendMember(params, key, value)
		}
	})
	r.Params = append(params, '}')
	r.line = wire.Request(r.ID, r.Method, r.Params)
}

// appendMember writes a member whose key is as rawjson.Members gives it.
func appendMember(dst, key, value []byte) []byte {
	dst = append(append(dst, `,"`...), key...)
	return append(append(dst, `":`...), value...)
}

// changes reports whether a call may change something, as far as is known: a tool
// that was never listed may.
func (l *link) changes(tool string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.readOnly[tool]
}

// How long the bridge asks for an operation that is still running, and how often.
const (
	askFor   = 30 * time.Second
	askEvery = 100 * time.Millisecond
)

// outcome is what operation_info tells.
type outcome struct {
	State  string          `json:"state"`
	Tool   string          `json:"tool"`
	Answer json.RawMessage `json:"answer"`
}

// recover answers a call whose connection broke by what the game says of it,
// instead of repeating it. false: the process that had it is gone, or does not
// tell.
func (b *Bridge) recover(r *request, s *session.Session, had *link) (answered bool) {
	if r.operation == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(r.ctx, askFor)
	defer cancel()
	for ctx.Err() == nil {
		l, err := b.reach(ctx, s)
		if err != nil || l.process != had.process {
			return false
		}
		var o outcome
		if err := l.conn.Call(ctx, "operation_info", map[string]string{"id": r.operation}, &o); err != nil {
			return false
		}
		switch {
		case o.State == "running":
			select {
			case <-time.After(askEvery):
			case <-ctx.Done():
			}
			continue
		case o.State == "committed":
			b.out.send(b.recovered(r, o.Answer, false))
		case o.State == "not_run" && rawjson.Has(o.Answer, "error"):
			b.out.send(b.recovered(r, o.Answer, true))
		case o.State == "not_run" || o.Tool == "":
			b.withoutGame(r, &refusal.Error{Code: notRun, Message: fmt.Sprintf("%s was not run: the connection to the game broke before, and has been made again", what(r)),
				Hint: "call it again"})
		default:
			return false
		}
		return true
	}
	return false
}

// recovered is the answer that the game has kept.
func (b *Bridge) recovered(r *request, answer json.RawMessage, refused bool) []byte {
	body := append([]byte(`"content":[{"type":"text","text":`), wire.Quote(string(answer))...)
	body = append(append(body, `}],"structuredContent":`...), answer...)
	if refused {
		body = append(body, `,"isError":true`...)
	}
	return b.result(r, body, false)
}
