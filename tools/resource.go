package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Resource is a document that clients read by URI. It has either Read, which
// answers off the frame goroutine and never waits for a frame, or Live, a tool
// that runs like a call.
//
//	registry.RegisterResource(&tools.Resource{
//		URI:         "arena://wave/{number}",
//		Name:        "wave",
//		Description: "What a wave is made of.",
//		MIMEType:    "application/json",
//		Read: func(c *tools.Call, r tools.ResourceRequest) ([]tools.ResourceContents, error) {
//			return []tools.ResourceContents{{Text: waves[r.Vars["number"]]}}, nil
//		},
//	})
type Resource struct {
	// URI is a URI, or a template with variables: {name} stands for one
	// non-empty path segment, {+name} for the rest, slashes included.
	URI         string
	Name        string
	Title       string // for people. Default: the name
	Description string
	MIMEType    string // of contents that name none. Default: text/plain for text, application/octet-stream for bytes
	// Read answers from what any goroutine may read (the Catalog, files). An
	// error with the code not_found, unknown_entity, unknown_component or
	// entity_dead is a "resource not found" to the client. It must not block for
	// long; it may be called from many goroutines at once.
	Read func(*Call, ResourceRequest) ([]ResourceContents, error)
	// Live reads the world: a tool that need not be registered. Its arguments
	// are the template's variables by name, its structured answer is the
	// document; it queues, obeys the gates and makes Poll true like any call.
	Live *Tool
	// Complete proposes values for a variable of the template. Any goroutine.
	// Default: none.
	Complete func(c *Call, variable, prefix string) []string
	// Check refuses to subscribe to a URI of the template that can never exist.
	// Any goroutine; it must not block. Default: every URI may be subscribed to.
	Check func(ResourceRequest) error
	// Unlisted: readable, but left out of the listing.
	Unlisted bool
}

// ResourceRequest is one reading of a resource.
type ResourceRequest struct {
	URI  string
	Vars map[string]string // the template's variables, percent-decoded
}

// ResourceContents is what a reading gives: text or bytes.
type ResourceContents struct {
	URI      string // default: the URI that was asked for
	MIMEType string // default: the resource's
	Text     string
	Blob     []byte // sent as base64; wins over Text unless nil
}

// RegisteredResource is a resource as it was when it was registered. It is
// immutable.
type RegisteredResource struct {
	Resource
	// Template: the URI has variables.
	Template bool
	// Tool is Live as it was registered.
	Tool    *Registered
	pattern []uriPart
}

// Variables returns the names of the template's variables in order.
func (p *RegisteredResource) Variables() []string {
	var names []string
	for _, part := range p.pattern {
		if part.variable != "" {
			names = append(names, part.variable)
		}
	}
	return names
}

// Match tells whether uri is this resource's and gives the variables.
func (p *RegisteredResource) Match(uri string) (map[string]string, bool) {
	if !p.Template {
		return nil, uri == p.URI
	}
	if len(uri) > maxURI {
		return nil, false
	}
	vars := make(map[string]string, len(p.pattern))
	if !matchParts(p.pattern, uri, vars) {
		return nil, false
	}
	return vars, true
}

// maxURI bounds what is matched against templates: matching tries every place
// where a variable may end.
const maxURI = 2048

// RegisterResource publishes resources, in first-registration order. One with
// a known URI replaces that one and keeps its position. On an error none of
// them is registered.
func (r *Registry) RegisterResource(rs ...*Resource) error {
	ps := make([]*RegisteredResource, 0, len(rs))
	for _, res := range rs {
		p, err := registerResource(res)
		if err != nil {
			return err
		}
		ps = append(ps, p)
	}
	r.changeDocuments(func(d *documents) bool {
		d.resources = replaceOrAppend(d.resources, ps, func(p *RegisteredResource) string { return p.URI })
		return true
	})
	return nil
}

// UnregisterResource removes resources by URI and reports how many there were.
func (r *Registry) UnregisterResource(uris ...string) int {
	n := 0
	r.changeDocuments(func(d *documents) bool {
		kept := slices.DeleteFunc(slices.Clone(d.resources), func(p *RegisteredResource) bool { return slices.Contains(uris, p.URI) })
		n = len(d.resources) - len(kept)
		d.resources = kept
		return n > 0
	})
	return n
}

// ResourceUpdated tells the clients that subscribed to uri that its contents
// changed. Any goroutine; it does not block.
func (r *Registry) ResourceUpdated(uri string) {
	r.mu.Lock()
	watchers := slices.Clone(r.updates)
	r.mu.Unlock()
	for _, w := range watchers {
		w.f(uri)
	}
}

// WatchUpdates has f called for every ResourceUpdated, on the goroutine that
// reports it; f must be quick. The returned function ends it.
func (r *Registry) WatchUpdates(f func(uri string)) (stop func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := &updateWatcher{f}
	r.updates = append(r.updates, w)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.updates = slices.DeleteFunc(slices.Clone(r.updates), func(x *updateWatcher) bool { return x == w })
	}
}

func registerResource(res *Resource) (*RegisteredResource, error) {
	bad := func(format string, args ...any) error {
		uri := ""
		if res != nil {
			uri = res.URI
		}
		return &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("resource %q: ", uri) + fmt.Sprintf(format, args...)}
	}
	switch {
	case res == nil:
		return nil, bad("it is nil")
	case !strings.Contains(res.URI, ":"):
		return nil, bad("a resource needs a URI with a scheme, such as arena://wave/{number}")
	case res.Name == "":
		return nil, bad("a resource needs a name")
	case (res.Read == nil) == (res.Live == nil):
		return nil, bad("a resource needs either Read (off the frame) or Live (a tool on it)")
	}
	p := &RegisteredResource{Resource: *res}
	var err error
	if p.pattern, err = parseTemplate(res.URI); err != nil {
		return nil, bad("%v", err)
	}
	p.Template = len(p.Variables()) > 0
	if res.Live != nil {
		if p.Tool, err = register(res.Live); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// uriPart is literal text, then a variable ("" at the end).
type uriPart struct {
	literal  string
	variable string
	rest     bool // {+name}: slashes too
}

func parseTemplate(uri string) ([]uriPart, error) {
	var parts []uriPart
	for {
		lit, after, found := strings.Cut(uri, "{")
		if strings.Contains(lit, "}") {
			return nil, fmt.Errorf("a } without its {")
		}
		if !found {
			return append(parts, uriPart{literal: lit}), nil
		}
		name, tail, closed := strings.Cut(after, "}")
		name, rest := strings.CutPrefix(name, "+")
		if !closed || name == "" || strings.ContainsAny(name, "{*:?#/.&;,") {
			return nil, fmt.Errorf("variables are written {name} or {+name}")
		}
		if len(parts) > 0 && lit == "" {
			return nil, fmt.Errorf("two variables need text between them")
		}
		parts = append(parts, uriPart{lit, name, rest})
		uri = tail
	}
}

func matchParts(parts []uriPart, uri string, vars map[string]string) bool {
	part := parts[0]
	uri, ok := strings.CutPrefix(uri, part.literal)
	if !ok {
		return false
	}
	if part.variable == "" {
		return uri == ""
	}
	// The next literal ends the value; the first place where the rest matches
	// too wins.
	next := parts[1]
	for from := 1; from <= len(uri); from++ {
		at := len(uri)
		if next.literal != "" {
			i := strings.Index(uri[from:], next.literal)
			if i < 0 {
				return false
			}
			at = from + i
		}
		value := uri[:at]
		if value == "" || !part.rest && strings.Contains(value, "/") {
			return false
		}
		if matchParts(parts[1:], uri[at:], vars) {
			vars[part.variable] = unescape(value)
			return true
		}
		from = at
	}
	return false
}

// Document runs Read outside a server, as a client's reading would: for tests
// of a resource. ctx bounds it.
func (p *RegisteredResource) Document(ctx context.Context, r *Registry, uri string) ([]ResourceContents, error) {
	vars, ok := p.Match(uri)
	if !ok || p.Read == nil {
		return nil, &refusal.Error{Code: refusal.NotFound, Message: "no resource " + uri}
	}
	return p.Read(&Call{Context: ctx, Registry: r}, ResourceRequest{URI: uri, Vars: vars})
}
