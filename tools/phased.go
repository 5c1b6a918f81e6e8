package tools

// Phased reports whether a handler made by [NewPhased] has a part that runs
// off the frame: such a tool cannot be called from within another one.
func Phased(h Handler) bool {
	p, ok := h.(interface{ hasPhases() bool })
	return ok && p.hasPhases()
}

func (h *typedHandler[In]) hasPhases() bool { return h.phased }
