package front

import (
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

// canSubscribe refuses a URI that is no resource, or that can never be one.
func (f *Front) canSubscribe(uri string) error {
	docs := f.b.Registry()
	p, vars, known := docs.Resource(uri)
	if !known {
		known := uris(docs)
		return &refusal.Error{Code: refusal.NotFound, Message: "no resource " + clip(uri), Got: clip(uri), Options: refusal.Nearest(uri, known), Total: len(known)}
	}
	if p.Check == nil {
		return nil
	}
	return f.documents.guarded("resource "+p.URI, func() error { return p.Check(tools.ResourceRequest{URI: uri, Vars: vars}) })
}

// Watched returns the URIs that clients are subscribed to, each once; nil if
// there are none. Any goroutine.
func (f *Front) Watched() map[string]bool {
	var uris map[string]bool
	add := func(uri string) {
		if uris == nil {
			uris = map[string]bool{}
		}
		uris[uri] = true
	}
	f.sessions.each(func(s *session) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for uri := range s.subs {
			add(uri)
		}
	})
	f.listens.mu.Lock()
	defer f.listens.mu.Unlock()
	for _, subs := range f.listens.all {
		for _, uri := range subs {
			add(uri)
		}
	}
	return uris
}
