//go:build !nomcpdebug

package mcpdebug

import (
	"fmt"
	"slices"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/tools"
)

// permit applies Allow, Deny and ReadOnly, and what a file allows.
func (s *Server) permit(spec *tools.Spec) *refusal.Error {
	if s.shown == nil {
		return s.opts.permit(spec)
	}
	return permitShown(s, spec)
}

// permit applies Allow, Deny and ReadOnly.
func (o *Options) permit(spec *tools.Spec) *refusal.Error {
	if !o.offers(spec) {
		return &refusal.Error{Code: refusal.NotSupported, Message: fmt.Sprintf("this game's options do not allow the tool %s", spec.Name),
			Got: spec.Name, Hint: "help lists the tools that may be called", Next: "help"}
	}
	if o.ReadOnly && spec.Effect != tools.ReadOnly && (spec.Effect == tools.Destructive || spec.Group != "session") {
		return &refusal.Error{Code: refusal.ReadOnly, Message: fmt.Sprintf("this server is read-only: %s may change the game", spec.Name),
			Got: spec.Name, Hint: "the host would have to start the server without Options.ReadOnly"}
	}
	return nil
}

// offers tells whether a tool may be called and seen under Allow and Deny.
func (o *Options) offers(spec *tools.Spec) bool {
	named := func(list []string) bool {
		return slices.Contains(list, spec.Name) || slices.Contains(list, spec.Group)
	}
	return !named(o.Deny) && (len(o.Allow) == 0 || named(o.Allow))
}

// listed leaves out what Allow and Deny leave out.
func (o *Options) listed(l *listing.Listing) []*listing.Tool {
	if len(o.Allow) == 0 && len(o.Deny) == 0 {
		return l.Tools
	}
	return slices.DeleteFunc(slices.Clone(l.Tools), func(p *listing.Tool) bool { return !o.offers(&p.Spec) })
}
