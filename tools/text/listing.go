package text

import (
	"encoding/json"
	"sync"

	"github.com/loupe-ecs/loupe/tools/text/internal/find"
	"github.com/loupe-ecs/loupe/tools/text/internal/shape"
)

// Listing is a set of tools that are told to models in words and grammars, and whose calls are found in what they write.
// It is immutable; any goroutine may use it.
type Listing struct {
	tools  []Tool
	byName map[string]*Tool
	// Check is what a call is validated with; nil: none is.
	check func(tool string, arguments json.RawMessage) error
	index func() *find.Index
}

// NewListing makes a listing of tools, in the order in which they are told of.
// check validates the arguments of a call of one of them, and is the one that
// every call goes through; nil: calls are found and not validated.
func NewListing(tools []Tool, check func(tool string, arguments json.RawMessage) error) *Listing {
	l := &Listing{tools: make([]Tool, len(tools)), byName: make(map[string]*Tool, len(tools)), check: check}
	copy(l.tools, tools)
	for i := range l.tools {
		t := &l.tools[i]
		t.args = t.shape()
		l.byName[t.Name] = t
	}
	l.index = sync.OnceValue(l.makeIndex)
	return l
}

func (l *Listing) makeIndex() *find.Index {
	known := make([]find.Tool, len(l.tools))
	for i := range l.tools {
		known[i] = find.Tool{Name: l.tools[i].Name, Args: l.tools[i].args}
	}
	return find.NewIndex(known)
}

// Tool finds a tool by its name.
func (l *Listing) Tool(name string) (*Tool, bool) {
	t, ok := l.byName[name]
	return t, ok
}

// Tools are the tools in order.
func (l *Listing) Tools() []Tool {
	out := make([]Tool, len(l.tools))
	copy(out, l.tools)
	return out
}

// Filter makes a listing of the tools that keep accepts: what an agent is told
// that is given those alone.
func (l *Listing) Filter(keep func(*Tool) bool) *Listing {
	var kept []Tool
	for i := range l.tools {
		if keep(&l.tools[i]) {
			kept = append(kept, l.tools[i])
		}
	}
	return NewListing(kept, l.check)
}

// useful are the tools with those first that a listing shows.
func (l *Listing) useful() []*Tool {
	order := make([]*Tool, 0, len(l.tools))
	for _, unlisted := range []bool{false, true} {
		for i := range l.tools {
			if l.tools[i].Unlisted == unlisted {
				order = append(order, &l.tools[i])
			}
		}
	}
	return order
}

func (t *Tool) doc() string { return t.Description }

// structured is the shape of the arguments as a struct: tools without
// described arguments have none to name.
func (t *Tool) structured() *shape.Shape {
	if s := t.shape(); s.Kind == shape.Struct {
		return s
	}
	return &shape.Shape{Kind: shape.Struct}
}
