// Package calltext is the text side of a server: the tool call_text, which
// runs the calls found in a text, and the documents that tell a model how such
// calls are written (ecs://convention, ecs://tools.xsd and its kin).
package calltext

import (
	"sync"

	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/text"
)

// Host is what the package needs of the server. Any goroutine.
type Host interface {
	Registry() *tools.Registry
	// Offers tells whether a tool may be called and seen.
	Offers(tool string) bool
}

// Text is the text side of one server.
type Text struct {
	host Host

	mu       sync.Mutex
	revision uint64
	listing  *text.Listing
}

// New makes it.
func New(h Host) *Text { return &Text{host: h} }

// offered is the listing of what clients may call, as of now. Whether a call
// may run is settled when it runs: the listing checks nothing.
func (t *Text) offered() *text.Listing {
	r := t.host.Registry()
	_, revision := r.Registered()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.listing == nil || t.revision != revision {
		t.listing = text.Of(r, nil).Filter(func(tool *text.Tool) bool { return t.host.Offers(tool.Name) })
		t.revision = revision
	}
	return t.listing
}
