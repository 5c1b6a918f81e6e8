package front

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// writer bounds every write of an answer by a deadline, so that a client that
// does not read holds nothing up for longer. One goroutine at a time may use
// it, except through event, comment and the http.ResponseWriter methods, which
// lock.
type writer struct {
	w   http.ResponseWriter
	rc  *http.ResponseController
	d   time.Duration
	mu  sync.Mutex
	err error // the first failed write
	// stream: the headers of an event stream are out.
	stream bool
	wrote  bool
}

var (
	jsonType   = []string{"application/json"}
	streamType = []string{"text/event-stream"}
	noCache    = []string{"no-cache, no-transform"}
	noSniff    = []string{"nosniff"}
)

// chunk is what one deadline is for: a large answer to a slow client is fine
// while it makes progress.
const chunk = 64 << 10

func (w *writer) write(p []byte) (int, error) {
	n := 0
	for w.err == nil && n < len(p) {
		w.rc.SetWriteDeadline(time.Now().Add(w.d))
		k, err := w.w.Write(p[n:min(n+chunk, len(p))])
		n += k
		w.err = err
	}
	return n, w.err
}

// json sends a whole answer.
func (w *writer) json(status int, body []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wrote {
		return
	}
	w.wrote = true
	h := w.w.Header()
	h["Content-Type"] = jsonType
	h["X-Content-Type-Options"] = noSniff
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.w.WriteHeader(status)
	w.write(body)
}

func (w *writer) beginStream() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin()
}

func (w *writer) begin() {
	if w.wrote {
		return
	}
	w.wrote, w.stream = true, true
	h := w.w.Header()
	h["Content-Type"] = streamType
	h["Cache-Control"] = noCache
	h["X-Content-Type-Options"] = noSniff
	w.w.WriteHeader(http.StatusOK)
}

// event sends one message on the stream, beginning it if need be.
func (w *writer) event(message []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin()
	w.write(appendEvent(make([]byte, 0, len(message)+32), message))
	return w.flush()
}

func appendEvent(dst, message []byte) []byte {
	return append(append(append(dst, "event: message\ndata: "...), message...), "\n\n"...)
}

// comment keeps a quiet stream alive: some clients drop one that says nothing
// for minutes.
func (w *writer) comment() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.write([]byte(": still here\n\n"))
	return w.flush()
}

func (w *writer) flush() error {
	if w.err == nil {
		w.rc.SetWriteDeadline(time.Now().Add(w.d))
		if err := w.rc.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
			w.err = err
		}
	}
	return w.err
}
