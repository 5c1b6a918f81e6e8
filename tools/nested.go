package tools

// Nestable reports whether the tool can be called from within another one's
// frame part, as scripts do. One that cannot is refused unrun: its parts off
// the frame may wait for files or for the client. Those of the groups world and
// systems only compute, and run on the frame when nested.
func (p *Published) Nestable() bool {
	return !p.Spec.OffFrame && !p.Spec.Interactive && (!Phased(p.Handler) || p.Spec.Group == "world" || p.Spec.Group == "systems")
}
