package tools

// Phased reports whether a handler made by [NewPhased] has a part that runs
// off the frame: such a tool cannot be called from within another one.
func Phased(h Handler) bool {
	p, ok := h.(interface{ hasPhases() bool })
	return ok && p.hasPhases()
}

func (h *typedHandler[In]) hasPhases() bool { return h.phased }

// MayBlock reports whether a handler has parts off the frame of its own, beside
// the decoding of arguments and the encoding of results. Handlers of unknown
// kinds may.
func MayBlock(h Handler) bool {
	p, ok := h.(interface{ hasPhases() bool })
	return !ok || p.hasPhases()
}
