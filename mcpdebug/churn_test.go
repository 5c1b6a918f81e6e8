//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Worlds, tools and clients come and go at once, two servers share a registry,
// and afterwards nothing is left.
func TestRebindRegisterAndDispatchUnderLoad(t *testing.T) {
	before := runtime.NumGoroutine()
	registry := tools.NewRegistry()
	s := New(&Options{Registry: registry, QueueLen: 16})
	other := New(&Options{Registry: registry})
	w, w2 := newWorld(), newWorld()
	worlds := []*archeworld.World{archeworld.New(w), archeworld.New(w2)}
	var stop atomic.Bool
	var game, clients sync.WaitGroup
	game.Go(func() {
		for i := 0; !stop.Load(); i++ {
			s.Poll()
			other.Poll()
			switch i % 40 {
			case 0:
				s.Bind(worlds[0], &host.App{Name: "one"})
			case 10:
				s.Bind(nil, nil)
			case 20:
				s.Bind(worlds[1], nil)
			case 30:
				other.Bind(worlds[i/40%2], nil)
			case 35:
				for _, text := range []string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"stats"}}`, "{", "[]", "\x00",
					`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":"{"}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`} {
					if a := s.Dispatch(text); !json.Valid([]byte(a)) {
						t.Errorf("Dispatch(%q): %s", text, a)
					}
				}
			}
			runtime.Gosched()
		}
	})
	clients.Go(func() {
		for i := range 150 {
			name := fmt.Sprint("t", i%7)
			if err := s.Register(plain(name, nil, func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })); err != nil {
				t.Error(err)
			}
			if i%3 == 0 {
				registry.Unregister(name, "query")
				_ = listing.Of(registry).Listed()
			}
		}
	})
	for i := range 4 {
		clients.Go(func() {
			for n := range 60 {
				name := []string{"query", "stats", "t1", "context", "Position_configure", "spawn", "run_lua"}[(n+i)%7]
				args := map[string]string{"query": `{"where":"Position.X > 0"}`, "spawn": `{"components":{"Position":{"X":1}}}`, "run_lua": `{"code":"return 1"}`,
					"Position_configure": `{"entity":"0v0","X":2}`}[name]
				if r := <-ask(context.Background(), s, name, args); r == nil || r.RPC == nil && !json.Valid(r.Structured) {
					t.Errorf("%s: %+v", name, r)
				} else if code, text := loop.CodeOf(r); code == "panic" || code == "timeout" {
					t.Errorf("%s: %s", name, text)
				}
			}
		})
	}
	clients.Wait()
	must(t, other.Close())
	if r := now(t, s, "ping", "{}"); r.IsError {
		t.Errorf("after the other server's end: %s", r.Text)
	}
	must(t, s.Close())
	stop.Store(true)
	game.Wait()
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(end); {
		runtime.Gosched()
	}
	if n := runtime.NumGoroutine(); n > before {
		buf := make([]byte, 1<<16)
		t.Errorf("%d goroutines before, %d after\n%s", before, n, buf[:runtime.Stack(buf, true)])
	}
}

// The frame waits for nobody who is only about to call: an idle Poll takes none
// of the server's locks, and Guard neither.
func TestIdlePollTakesNoLock(t *testing.T) {
	s := New(nil)
	bindArche(s, nil)
	s.Poll()
	s.PollParked("load")
	s.Poll()
	locks := locksOf(reflect.ValueOf(s), map[place]bool{})
	if len(locks) < 12 {
		t.Fatalf("only %d locks found", len(locks))
	}
	for end := time.Now().Add(5 * time.Second); !lockAll(locks); {
		if time.Now().After(end) {
			t.Fatal("the locks are never all free")
		}
		runtime.Gosched()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 100 {
			s.Poll()
			s.Guard(func() {})
		}
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Error("an idle Poll waits for a lock")
	}
	for _, l := range locks {
		l.Unlock()
	}
	<-done
	must(t, s.Close())
}

// locksOf finds the mutexes of the server and of everything of this module that
// it holds.
func locksOf(v reflect.Value, seen map[place]bool) (locks []tryLocker) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && strings.Contains(v.Type().Elem().PkgPath(), "loupe-ecs/loupe") {
			return locksOf(v.Elem(), seen)
		}
	case reflect.Struct:
		here := place{v.UnsafeAddr(), v.Type()}
		if seen[here] {
			return nil // held by value here, by pointer there
		}
		seen[here] = true
		if l, ok := reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Interface().(tryLocker); ok {
			return []tryLocker{l}
		}
		for i := range v.NumField() {
			locks = append(locks, locksOf(v.Field(i), seen)...)
		}
	}
	return locks
}

// place is a struct in memory: its first field has the same address.
type place struct {
	address uintptr
	t       reflect.Type
}

type tryLocker interface {
	sync.Locker
	TryLock() bool
}

// lockAll takes all of them or none: somebody may hold one and wait for another.
func lockAll(locks []tryLocker) bool {
	for i, l := range locks {
		if !l.TryLock() {
			for _, l := range locks[:i] {
				l.Unlock()
			}
			return false
		}
	}
	return true
}
