package tools

import (
	"net/url"
	"slices"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Documents is an immutable state of a registry's resources and prompts.
type Documents struct {
	ResourceRevision, PromptRevision uint64
	Resources                        []*PublishedResource // first-registration order
	Prompts                          []*Prompt            // first-registration order
}

// Documents returns the present resources and prompts, without a lock.
func (r *Registry) Documents() *Documents {
	if d := r.documents.now.Load(); d != nil {
		return d
	}
	return &Documents{}
}

// Resource finds the resource of a URI: a fixed one before a template, among
// templates the first registered.
func (d *Documents) Resource(uri string) (*PublishedResource, map[string]string, bool) {
	for _, p := range d.Resources {
		if !p.Template && p.URI == uri {
			return p, nil, true
		}
	}
	for _, p := range d.Resources {
		if p.Template {
			if vars, ok := p.Match(uri); ok {
				return p, vars, true
			}
		}
	}
	return nil, nil, false
}

// URIs returns the URIs and templates in order.
func (d *Documents) URIs() []string {
	uris := make([]string, len(d.Resources))
	for i, p := range d.Resources {
		uris[i] = p.URI
	}
	return uris
}

// Prompt finds a prompt.
func (d *Documents) Prompt(name string) (*Prompt, error) {
	names := make([]string, len(d.Prompts))
	for i, p := range d.Prompts {
		if p.Name == name {
			return p, nil
		}
		names[i] = p.Name
	}
	return nil, &refusal.Error{Code: refusal.NotFound, Message: "no prompt " + quote(name), Got: name,
		Options: refusal.Nearest(name, names), Total: len(names)}
}

// changeDocuments makes the next state; watchers hear of it if it is one.
func (r *Registry) changeDocuments(change func(*Documents)) {
	r.mu.Lock()
	old := r.Documents()
	d := *old
	change(&d)
	changed := d.ResourceRevision != old.ResourceRevision || d.PromptRevision != old.PromptRevision
	watchers := make([]func(), 0, len(r.watchers))
	if changed {
		r.documents.now.Store(&d)
		for _, w := range r.watchers {
			watchers = append(watchers, w)
		}
	}
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
