package front

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/mcpdebug/internal/tasks"
)

// slowReader takes nothing until it is let go.
type slowReader struct {
	*httptest.ResponseRecorder
	mu sync.Mutex
}

func (r *slowReader) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ResponseRecorder.Write(b)
}

func (r *slowReader) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Body.String()
}

// However much one task has to tell to a client that reads slowly, the end of
// another is told.
func TestASlowReaderHearsTheEndOfEveryTask(t *testing.T) {
	var store tasks.Store
	busy, other := store.Add(func() {}), store.Add(func() {})
	slow := &slowReader{ResponseRecorder: httptest.NewRecorder()}
	s := newTaskStream(&writer{w: slow, rc: http.NewResponseController(slow), d: time.Minute}, []byte("1"))
	slow.mu.Lock()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); s.run(ctx, nil) }()
	for range 1000 {
		s.tell(busy)
	}
	defer store.Watch([]string{other.ID()}, s.tell)()
	other.End(tasks.Completed, []byte(`{"ended":true}`), "")
	slow.mu.Unlock()
	for end := time.Now().Add(5 * time.Second); !strings.Contains(slow.text(), `{"ended":true}`) && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-ended
	if text := slow.text(); !strings.Contains(text, `{"ended":true}`) || strings.Count(text, busy.ID()) > 3 {
		t.Errorf("%s", text)
	}
}
