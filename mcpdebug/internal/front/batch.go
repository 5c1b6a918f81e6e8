package front

import (
	"bytes"
	"net/http"

	"github.com/loupe-ecs/loupe/internal/rawjson"
)

// lastBatches is the last protocol version in which a body may hold several
// messages.
const lastBatches = "2025-03-26"

// maxBatch bounds the messages of one body.
const maxBatch = 100

// batch serves a body with several messages, one after the other: each call
// waits for a frame of its own anyway. The answers come together, so nothing is
// streamed meanwhile.
func (f *Front) batch(w *writer, r *http.Request, body []byte, jsonOK bool) {
	end, err := rawjson.Skip(body, 0)
	if err == nil && rawjson.SkipSpace(body, end) < len(body) {
		f.fail(w, http.StatusBadRequest, nil, rpcErrorf(codeParse, "text follows the batch, at byte %d", end))
		return
	}
	if err != nil {
		f.fail(w, http.StatusBadRequest, nil, rpcErrorf(codeParse, "the body is no valid JSON: %v", err))
		return
	}
	var messages [][]byte
	rawjson.Elements(body, func(m []byte) { messages = append(messages, m) })
	s := f.sessions.get(first(r.Header, headerSession))
	switch {
	case s == nil && first(r.Header, headerSession) != "":
		f.noSession(w, nil)
		return
	case s == nil || s.version > lastBatches:
		f.fail(w, http.StatusBadRequest, nil, rpcErrorf(codeInvalid, "batches ended with protocol version %s: send one message a request", lastBatches))
		return
	case len(messages) == 0:
		f.fail(w, http.StatusBadRequest, nil, rpcErrorf(codeInvalid, "the batch is empty"))
		return
	case len(messages) > maxBatch:
		f.fail(w, http.StatusBadRequest, nil, rpcErrorf(codeInvalid, "the batch has %d messages: at most %d are taken", len(messages), maxBatch))
		return
	}
	var answers [][]byte
	for _, m := range messages {
		if a := f.member(r, m); a != nil {
			answers = append(answers, a)
		}
	}
	switch {
	case len(answers) == 0:
		w.w.WriteHeader(http.StatusAccepted)
	case jsonOK:
		w.json(http.StatusOK, append(append([]byte{'['}, bytes.Join(answers, []byte(","))...), ']'))
	default:
		for _, a := range answers {
			w.event(a)
		}
	}
}

// member serves one message of a batch; nil: it wants no answer.
func (f *Front) member(r *http.Request, message []byte) []byte {
	e, failed := parseEnvelope(message)
	if failed == nil && e.method == "initialize" {
		failed = rpcErrorf(codeInvalid, "initialize must not be part of a batch")
	}
	if failed != nil {
		return appendError(nil, e.id, failed)
	}
	answer := &recorder{header: http.Header{}}
	x := &exchange{f: f, w: &writer{w: answer, rc: http.NewResponseController(answer), d: f.o.WriteTimeout}, r: r, e: &e, body: message, jsonOK: true}
	x.asker = asker{ctx: r.Context(), era: f.legacy}
	if r.URL.RawQuery != "" {
		x.asker.query = r.URL.Query()
	}
	x.legacy()
	if answer.body.Len() == 0 {
		return nil
	}
	return answer.body.Bytes()
}
