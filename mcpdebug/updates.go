//go:build !nomcpdebug

package mcpdebug

import (
	"encoding/binary"
	"hash/fnv"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/tools"
)

// updates tells clients which of the built-in resources that they subscribed
// to have changed. The watchdog compares what is published with what it saw
// last, so that nothing of it costs the frame; entities alone are looked at
// there, around a client's call, and only those that are subscribed to.
type updates struct {
	// The watchdog's.
	crash, cleared *crash
	catalog        *ecs.Catalog
	listing        uint64
	line           uint64
	logged         time.Time

	mu      sync.Mutex
	touched []string // URIs of entities that calls have changed
}

// logEvery is how often a log that grows is announced at most.
const logEvery = time.Second

func (s *Server) resourceURI(path string) string {
	scheme := s.opts.Components.Scheme
	if scheme == "" {
		scheme = "ecs"
	}
	return scheme + "://" + path
}

// announce tells of what has changed since the last time. Watchdog goroutine.
func (s *Server) announce(now time.Time) {
	u := &s.updates
	u.mu.Lock()
	changed := u.touched
	u.touched = nil
	u.mu.Unlock()
	path := func(p string) { changed = append(changed, s.resourceURI(p)) }
	// The last crash too: one that was cleared at once is worth a word.
	if c, last := s.crash.Load(), s.lastCrash.Load(); c != u.crash || last != u.cleared {
		u.crash, u.cleared = c, last
		path("crash")
	}
	if cat := s.view.Load().catalog; cat != u.catalog {
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
	if n := s.registry.Listing().Revision; n != u.listing {
		u.listing = n
		path("tools")
	}
	if n := s.ring.Last(); n != u.line && now.Sub(u.logged) >= logEvery {
		u.line, u.logged = n, now
		path("log")
	}
	if len(changed) == 0 {
		return
	}
	watched := s.face.front.Watched()
	for _, uri := range changed {
		if watched[uri] {
			s.registry.ResourceUpdated(uri)
		}
	}
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

// watchedEntity is an entity that a client is subscribed to.
type watchedEntity struct {
	uri    string
	entity ecs.Entity
	bare   bool // who lives in the slot
	before uint64
}

// maxWatchedEntities bounds what is compared around one call.
const maxWatchedEntities = 256

// watchedEntities are the entities to look at around a call; nil for calls
// that change nothing. Any goroutine.
func (s *Server) watchedEntities(spec *tools.Spec) []watchedEntity {
	if spec.Effect == tools.ReadOnly || spec.OffFrame {
		return nil
	}
	var out []watchedEntity
	docs := s.registry.Documents()
	template := s.resourceURI("entity/{id}")
	for uri := range s.face.front.Watched() {
		if len(out) == maxWatchedEntities {
			break
		}
		if !strings.HasPrefix(uri, strings.TrimSuffix(template, "{id}")) {
			continue
		}
		p, vars, ok := docs.Resource(uri)
		if !ok || p.URI != template {
			continue
		}
		if e, full, err := ecs.ParseEntity(vars["id"]); err == nil {
			out = append(out, watchedEntity{uri: uri, entity: e, bare: !full})
		}
	}
	return out
}

// before notes what the watched entities are. Frame goroutine.
func (s *Server) noteEntities(es []watchedEntity) {
	for i := range es {
		es[i].before = s.entityState(&es[i])
	}
}

// touchEntities leaves to the watchdog those that are not what they were.
// Frame goroutine.
func (s *Server) touchEntities(es []watchedEntity) {
	for i := range es {
		if s.entityState(&es[i]) != es[i].before {
			s.updates.mu.Lock()
			s.updates.touched = append(s.updates.touched, es[i].uri)
			s.updates.mu.Unlock()
		}
	}
}

// entityState is a hash of an entity's components and relation targets; 0 if
// it does not live.
func (s *Server) entityState(w *watchedEntity) (sum uint64) {
	defer func() {
		if recover() != nil { // a text of the game's own type
			sum = 1
		}
	}()
	if s.world == nil {
		return 0
	}
	e := w.entity
	if w.bare {
		var ok bool
		if e, ok = s.world.Holder(e.ID); !ok {
			return 0
		}
	}
	c, row, ok := s.world.Row(e)
	if !ok {
		return 0
	}
	h := fnv.New64a()
	b := binary.LittleEndian.AppendUint64(nil, uint64(e.ID)<<32|uint64(e.Gen))
	for _, t := range c.Targets() {
		b = binary.LittleEndian.AppendUint32(b, uint32(t.Relation))
		b = binary.LittleEndian.AppendUint64(b, uint64(t.Entity.ID)<<32|uint64(t.Entity.Gen))
	}
	cat := s.world.Catalog()
	for _, id := range c.Components() {
		b = binary.LittleEndian.AppendUint32(b, uint32(id))
		base, stride, ok := c.Column(id)
		if !ok || stride == 0 {
			continue
		}
		v := reflect.NewAt(cat.Components[id].Type.Go, unsafe.Add(base, uintptr(row)*stride)).Elem()
		if more, err := value.AppendJSON(b, v, value.EncodeOptions{}); err == nil {
			b = more
		}
	}
	h.Write(b)
	return h.Sum64() | 1
}
