package listing

import "github.com/loupe-ecs/loupe/tools"

// Phased reports whether a handler made by [tools.NewPhased] has a part that runs
// off the frame.
func Phased(h tools.Handler) bool {
	p, ok := h.(interface{ HasPhases() bool })
	return ok && p.HasPhases()
}

// MayBlock reports whether a handler has parts off the frame of its own, beside
// the decoding of arguments and the encoding of results. Handlers of unknown
// kinds may.
func MayBlock(h tools.Handler) bool {
	p, ok := h.(interface{ HasPhases() bool })
	return !ok || p.HasPhases()
}

// Nestable reports whether the tool can be called from within another one's
// frame part, as scripts do. One that cannot is refused unrun: its parts off
// the frame may wait for files or for the client. Those of the groups world and
// systems only compute, and run on the frame when nested.
func (p *Tool) Nestable() bool {
	return !p.Spec.OffFrame && !p.Spec.Interactive && (!Phased(p.Handler) || p.Spec.Group == "world" || p.Spec.Group == "systems")
}
