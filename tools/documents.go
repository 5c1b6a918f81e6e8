package tools

import (
	"maps"
	"net/url"
	"slices"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// documents is an immutable state of a registry's resources and prompts, in the
// order of first registration.
type documents struct {
	resources []*RegisteredResource
	prompts   []*Prompt
}

// Resources returns the resources as they were registered, without a lock. The
// slice is not to be changed.
func (r *Registry) Resources() []*RegisteredResource { return r.documents.Load().resources }

// Prompts returns the prompts, without a lock. The slice is not to be changed.
func (r *Registry) Prompts() []*Prompt { return r.documents.Load().prompts }

// Resource finds the resource of a URI, and the variables in it: a fixed one
// before a template, among templates the first registered.
func (r *Registry) Resource(uri string) (*RegisteredResource, map[string]string, bool) {
	list := r.Resources()
	for _, p := range list {
		if !p.Template && p.URI == uri {
			return p, nil, true
		}
	}
	for _, p := range list {
		if p.Template {
			if vars, ok := p.Match(uri); ok {
				return p, vars, true
			}
		}
	}
	return nil, nil, false
}

// Prompt finds a prompt.
func (r *Registry) Prompt(name string) (*Prompt, error) {
	list := r.Prompts()
	names := make([]string, len(list))
	for i, p := range list {
		if p.Name == name {
			return p, nil
		}
		names[i] = p.Name
	}
	return nil, &refusal.Error{Code: refusal.NotFound, Message: "no prompt " + quote(name), Got: name,
		Options: refusal.Nearest(name, names), Total: len(names)}
}

// changeDocuments makes the next state; watchers hear of it if it is one.
func (r *Registry) changeDocuments(change func(*documents) (changed bool)) {
	r.mu.Lock()
	d := *r.documents.Load()
	if !change(&d) {
		r.mu.Unlock()
		return
	}
	r.documents.Store(&d)
	watchers := slices.Collect(maps.Values(r.watchers))
	r.mu.Unlock()
	for _, w := range watchers {
		w()
	}
}

func replaceOrAppend[T any](old, add []T, key func(T) string) []T {
	out := slices.Clone(old)
	for _, a := range add {
		if i := slices.IndexFunc(out, func(x T) bool { return key(x) == key(a) }); i >= 0 {
			out[i] = a
		} else {
			out = append(out, a)
		}
	}
	return out
}

func unescape(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}
