// Package updates tells clients which of the built-in documents that they
// subscribed to have changed. The watchdog compares what is published with
// what it saw last, so that nothing of it costs the frame; entities alone are
// looked at there, around a client's call, and only those that are subscribed
// to.
package updates

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
	"github.com/loupe-ecs/loupe/tools"
)

// Updates watches the documents of one server.
type Updates struct {
	Scheme   string // of the documents' URIs
	Registry *tools.Registry
	Crashes  *crashes.Keeper
	Catalog  func() *ecs.Catalog    // the published one
	LastLine func() uint64          // number of the newest log line
	Watched  func() map[string]bool // URIs that somebody is subscribed to

	// The watchdog's.
	crash, last *crashes.Crash
	catalog     *ecs.Catalog
	listing     uint64
	line        uint64
	logged      time.Time

	mu      sync.Mutex
	touched []string // URIs of entities that calls have changed
}

// logEvery is how often a log that grows is announced at most.
const logEvery = time.Second

func (u *Updates) uri(path string) string { return u.Scheme + "://" + path }

// Touch leaves it to the watchdog to tell whoever is subscribed to a document.
// Any goroutine.
func (u *Updates) Touch(path string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.touched = append(u.touched, u.uri(path))
}

// Announce tells of what has changed since the last time. Watchdog goroutine.
func (u *Updates) Announce(now time.Time) {
	u.mu.Lock()
	changed := u.touched
	u.touched = nil
	u.mu.Unlock()
	path := func(p string) { changed = append(changed, u.uri(p)) }
	// The last crash too: one that was cleared at once is worth a word.
	if c, last := u.Crashes.Now(), u.Crashes.Last(); c != u.crash || last != u.last {
		u.crash, u.last = c, last
		path("crash")
	}
	if cat := u.Catalog(); cat != u.catalog {
		living, all := sameContext(u.catalog, cat)
		u.catalog = cat
		path("world")
		if !living {
			path("context")
		}
		if !all {
			path("context/all")
		}
	}
	if n := listing.Of(u.Registry).Revision; n != u.listing {
		u.listing = n
		for uri := range u.Watched() {
			if u.ofListing(uri) {
				changed = append(changed, uri)
			}
		}
	}
	if n := u.LastLine(); n != u.line && now.Sub(u.logged) >= logEvery {
		u.line, u.logged = n, now
		path("log")
	}
	if len(changed) == 0 {
		return
	}
	watched := u.Watched()
	for _, uri := range changed {
		if watched[uri] {
			u.Registry.ResourceUpdated(uri)
		}
	}
}

// ofListing tells the documents that are made of the listing of tools.
func (u *Updates) ofListing(uri string) bool {
	for _, kind := range []string{"tools", "convention"} {
		// tools, tools.xsd, tools/NAME.xsd
		if rest, ok := strings.CutPrefix(uri, u.uri(kind)); ok && (rest == "" || rest[0] == '.' || rest[0] == '/') {
			return true
		}
	}
	return false
}

// sameContext tells whether two catalogs give the same context documents: of
// the components that live, and of all.
func sameContext(a, b *ecs.Catalog) (living, all bool) {
	if a == nil || b == nil {
		return a == b, a == b
	}
	all = slices.EqualFunc(a.Components, b.Components, func(x, y *ecs.Component) bool { return x.Type == y.Type && x.Name == y.Name })
	living = all && slices.EqualFunc(a.Components, b.Components, func(x, y *ecs.Component) bool { return (x.Entities > 0) == (y.Entities > 0) })
	return living, all
}
