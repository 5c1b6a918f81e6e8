package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/loupe-ecs/loupe/cmd/loupe/internal/session"
	"github.com/loupe-ecs/loupe/cmd/loupe/internal/wire"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/listing"
)

// request is a message of the client's that wants an answer.
type request struct {
	wire.Envelope
	line   []byte // the message as it came
	modern bool
	ctx    context.Context
	tool   string // of tools/call

	operation string // its name, once it has one
}

// answer serves one request: here, or by the game.
func (b *Bridge) answer(r *request) {
	var s *session.Session
	var err error
	if r.Method == "tools/call" {
		r.tool = wire.Text(r.Params, "name")
		if p, ok := listing.Of(b.own).Lookup(r.tool); ok {
			b.callOwn(r, p)
			return
		}
		s, err = b.named(r)
	}
	if s == nil && err == nil {
		if s, err = b.table.Current(); err != nil {
			b.table.Refresh() // a game may have come this moment
			s, err = b.table.Current()
		}
	}
	if err != nil {
		b.withoutGame(r, err)
		return
	}
	b.forward(r, s)
}

// withoutGame answers what there is no game for. Lists are short then, not
// wrong.
func (b *Bridge) withoutGame(r *request, err error) {
	switch r.Method {
	case "tools/list":
		b.out.send(b.result(r, append(append([]byte(`"tools":[`), b.ownEntries()...), ']'), true))
	case "resources/list":
		b.out.send(b.result(r, []byte(`"resources":[]`), true))
	case "resources/templates/list":
		b.out.send(b.result(r, []byte(`"resourceTemplates":[]`), true))
	case "prompts/list":
		b.out.send(b.result(r, []byte(`"prompts":[]`), true))
	case "completion/complete":
		b.out.send(b.result(r, []byte(`"completion":{"values":[],"total":0,"hasMore":false}`), false))
	default:
		b.out.send(b.refuse(r, err))
	}
}

// named takes the session argument, which every tool accepts, out of a call.
// What names no session is the tool's own.
func (b *Bridge) named(r *request) (*session.Session, error) {
	args := wire.Member(r.Params, "arguments")
	ref := wire.Text(args, "session")
	if ref == "" {
		return nil, nil
	}
	s, err := b.table.Resolve(ref)
	if err != nil {
		return nil, err
	}
	members := func(object json.RawMessage) (m map[string]json.RawMessage) {
		_ = json.Unmarshal(object, &m) // Text has read it
		return m
	}
	inner, outer := members(args), members(r.Params)
	delete(inner, "session")
	if outer["arguments"], err = json.Marshal(inner); err != nil {
		return nil, err
	}
	if r.Params, err = json.Marshal(outer); err != nil {
		return nil, err
	}
	r.line = wire.Request(r.ID, r.Method, r.Params)
	return s, nil
}

// attempts bounds how often a request that was surely not run is sent: to a
// session that the game no longer knows, and to a process that has been replaced
// meanwhile.
const attempts = 3

// forward carries a request to a game and its answer back. A call that may change
// something is named, so that the game can be asked what became of it.
func (b *Bridge) forward(r *request, s *session.Session) {
	var err error
	for range attempts {
		var l *link
		if l, err = b.reach(r.ctx, s); err != nil {
			b.table.Refresh() // it may be gone, or back
			var lost *wire.Lost
			if errors.As(err, &lost) && s.Ready() == nil {
				continue
			}
			break
		}
		if r.tool != "" && r.operation == "" && l.changes(r.tool) {
			r.nameOperation()
		}
		var answered bool
		answered, err = b.carry(r, l)
		if answered || r.ctx.Err() != nil {
			return
		}
		var denied *wire.Denied
		if errors.As(err, &denied) && denied.Ended() && !r.modern {
			b.drop(s, l)
			continue
		}
		var lost *wire.Lost
		if !errors.As(err, &lost) {
			break
		}
		b.drop(s, l)
		b.table.Refresh()
		if lost.Sent && b.recover(r, s, l) {
			return
		}
		if lost.Sent {
			b.withoutGame(r, b.lost(r, s, l))
			return
		}
		if now, ok := s.Process(); !ok || now == l.process {
			break
		}
	}
	if r.ctx.Err() != nil {
		return
	}
	var lost *wire.Lost
	if errors.As(err, &lost) {
		if err = s.Ready(); err == nil {
			err = &refusal.Error{Code: notRun, Message: fmt.Sprintf("%s was not run: %v", what(r), lost),
				Hint: "session_list shows whether the game still runs; call again", Next: "session_list"}
		}
	}
	b.withoutGame(r, err)
}

// carry sends a request once. It reports whether the client has its answer.
func (b *Bridge) carry(r *request, l *link) (answered bool, err error) {
	var m *wire.Modern
	if r.modern {
		m = &wire.Modern{Method: r.Method}
		switch r.Method {
		case "tools/call", "prompts/get":
			m.Name = wire.Text(r.Params, "name")
		case "resources/read":
			m.Name = wire.Text(r.Params, "uri")
		}
	}
	err = l.conn.Do(r.ctx, r.line, m, func(message []byte) error {
		switch {
		case wire.Answers(message, r.ID):
			answered = true
			if r.Method == "tools/list" {
				message = b.withOwn(r, l, message)
			}
			return b.out.send(message)
		case !r.modern && isRequest(message):
			e, err := wire.Parse(message)
			if err == nil {
				b.askClient(l, e)
			}
			return nil
		}
		return b.out.send(message)
	})
	if err == nil && !answered {
		err = &wire.Lost{Sent: true, Err: errors.New("the answer ended too early")}
	}
	return answered, err
}

func isRequest(message []byte) bool {
	e, err := wire.Parse(message)
	return err == nil && e.IsRequest()
}

func what(r *request) string {
	if r.tool != "" {
		return r.tool
	}
	return r.Method
}

// lost is the refusal of a request whose game went away before it answered.
func (b *Bridge) lost(r *request, s *session.Session, l *link) error {
	how := "the connection to the game broke"
	var gone *refusal.Error
	if errors.As(s.Ready(), &gone) {
		how = gone.Message
	}
	if r.tool == "" || !l.changes(r.tool) {
		return &refusal.Error{Code: notRun, Message: fmt.Sprintf("%s has no answer, and has changed nothing: %s", what(r), how),
			Hint: "session_log shows what the game printed last, crash_report of a game that runs again what it died of; session_restart starts it again", Next: "session_restart"}
	}
	return &refusal.Error{Code: refusal.OutcomeUnknown, Message: fmt.Sprintf("whether %s was carried out is not known: %s", what(r), how),
		Hint: "what it changed is lost with the process; session_log shows what the game printed last, session_restart starts it again, and then query or info show how things are", Next: "session_log"}
}

// withOwn puts the session tools before the game's in its answer to tools/list,
// which stays as it is otherwise.
func (b *Bridge) withOwn(r *request, l *link, message []byte) []byte {
	var listed struct {
		Result struct {
			Tools []struct {
				Name        string `json:"name"`
				Annotations struct {
					ReadOnlyHint bool `json:"readOnlyHint"`
				} `json:"annotations"`
			} `json:"tools"`
		} `json:"result"`
	}
	if json.Unmarshal(message, &listed) == nil {
		l.mu.Lock()
		for _, t := range listed.Result.Tools {
			l.readOnly[t.Name] = t.Annotations.ReadOnlyHint
		}
		l.mu.Unlock()
	}
	if wire.Member(r.Params, "cursor") != nil {
		return message // not the first page
	}
	const key = `"tools":[`
	i := bytes.Index(message, []byte(key))
	if i < 0 {
		return message
	}
	i += len(key)
	out := make([]byte, 0, len(message)+8<<10)
	out = append(append(out, message[:i]...), b.ownEntries()...)
	if message[i] != ']' {
		out = append(out, ',')
	}
	return append(out, message[i:]...)
}
