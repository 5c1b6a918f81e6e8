package tools

// Nestable reports whether the tool can be called from within another one's
// frame part, as scripts do. One that cannot is refused unrun.
func (p *Published) Nestable() bool {
	return !p.Spec.OffFrame && !p.Spec.Interactive && !Phased(p.Handler)
}
