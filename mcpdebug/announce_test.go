//go:build !nomcpdebug

package mcpdebug

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/internal/discovery"
	"github.com/loupe-ecs/loupe/tools/host"
)

// ownRuntimeDir keeps a test's servers apart from the user's.
func ownRuntimeDir(t *testing.T) {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("LOCALAPPDATA", t.TempDir())
}

func TestAServerIsAnnouncedWhileItListens(t *testing.T) {
	ownRuntimeDir(t)
	s, err := Listen("127.0.0.1:0", &Options{Token: "hush"})
	must(t, err)
	defer s.Close()
	e, ok := discovery.At(s.Port())
	if !ok || e.URL != s.URL() || e.PID != os.Getpid() || !e.Token || e.Build.Go == "" {
		t.Errorf("announced %v %+v", ok, e)
	}
	if strings.Contains(fmt.Sprint(e), "hush") {
		t.Error("the token is announced")
	}
	s.enlistApp(&host.App{Name: "arena"})
	for e.App != "arena" {
		if e, ok = discovery.At(s.Port()); !ok {
			t.Fatal("no longer announced")
		}
	}
	must(t, s.Close())
	if list := discovery.List(); len(list) != 0 {
		t.Errorf("still announced: %v", list)
	}
}

func TestAServerIsNotAnnouncedUnasked(t *testing.T) {
	ownRuntimeDir(t)
	hidden, err := Listen("127.0.0.1:0", &Options{NoDiscovery: true})
	must(t, err)
	defer hidden.Close()
	portless := New(nil)
	defer portless.Close()
	if list := discovery.List(); len(list) != 0 {
		t.Errorf("announced: %v", list)
	}
}

// TestASecondGameTakesTheNextPort: only at the default address, and only if a
// Loupe is there.
func TestASecondGameTakesTheNextPort(t *testing.T) {
	ownRuntimeDir(t)
	first, err := Listen(DefaultAddr, nil)
	must(t, err)
	if first.URL() != "http://"+DefaultAddr+"/mcp" {
		defer first.Close()
		t.Skipf("another program has the default port on this machine: %s", first.URL())
	}
	first.enlistApp(&host.App{Name: "arena"})
	for list := discovery.List(); len(list) != 1 || list[0].App != "arena"; list = discovery.List() {
	}
	second, err := Listen(DefaultAddr, nil)
	must(t, err)
	if second.Port() <= first.Port() || second.Port() > lastPort {
		t.Errorf("the second game has %s", second.URL())
	}
	must(t, second.Close())
	third, err := Listen(DefaultAddr, &Options{FixedPort: true})
	if third != nil || err == nil || !strings.Contains(err.Error(), "arena") || !strings.Contains(err.Error(), fmt.Sprint("(arena, pid ", os.Getpid())) {
		t.Errorf("a fixed port: %v", err)
	}
	must(t, first.Close())

	other, err := net.Listen("tcp", DefaultAddr)
	must(t, err)
	defer other.Close()
	go func() {
		for {
			c, err := other.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	if s, err := Listen(DefaultAddr, nil); err == nil {
		s.Close()
		t.Errorf("something else has the port, and the server went to %s unasked", s.URL())
	}
}
