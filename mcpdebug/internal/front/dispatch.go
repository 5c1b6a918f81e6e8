package front

import (
	"context"
	"encoding/json"

	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"

	"github.com/loupe-ecs/loupe/tools"
)

// Dispatch answers one JSON-RPC message without a connection, on the calling
// goroutine, which must be the frame goroutine: calls run inline. Whatever is
// wrong with the message is reported in the answer; a notification's answer is
// "".
func (f *Front) Dispatch(message string) string {
	e, failed := parseEnvelope([]byte(message))
	if failed != nil {
		return string(appendError(nil, e.id, failed))
	}
	if e.response || e.id == nil {
		return ""
	}
	buf := buffers.Get().(*[]byte)
	dst := f.dispatch((*buf)[:0], &e)
	answer := string(dst)
	if cap(dst) <= 1<<20 {
		*buf = dst[:0]
		buffers.Put(buf)
	}
	return answer
}

func (f *Front) dispatch(dst []byte, e *envelope) []byte {
	if e.method == "tools/call" {
		p, failed := parseCall(e.params)
		if failed != nil {
			return appendError(dst, e.id, failed)
		}
		r := f.b.CallInline(&loop.Arrival{Request: tools.Request{Name: p.name, Arguments: json.RawMessage(p.arguments), Client: "dispatch"}})
		return appendReply(dst, e.id, r, f.legacy)
	}
	a := &asker{ctx: context.Background(), era: f.legacy, client: "dispatch", inline: true}
	answer, failed := f.answer(dst, a, e)
	if failed != nil {
		return appendError(dst[:0], e.id, failed)
	}
	return answer
}
