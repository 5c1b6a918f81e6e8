package crashes

import (
	"runtime/debug"
	"slices"
	"strings"

	"github.com/loupe-ecs/loupe/internal/stacks"
)

// maxFrames bounds a trimmed stack; a deep recursion repeats itself.
const maxFrames = 64

// ownPackages are the server's own part of a stack.
var ownPackages = []string{
	"github.com/loupe-ecs/loupe/mcpdebug.",
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop.",
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes.",
}

// OwnFrames leaves of a stack what tells about the game: without the server's
// own calls, which stand between it and the host's loop.
func OwnFrames(frames []stacks.Frame) []stacks.Frame {
	kept := frames[:0:0]
	for _, f := range frames {
		if !strings.HasSuffix(f.File, "_test.go") && slices.ContainsFunc(ownPackages, func(p string) bool { return strings.HasPrefix(f.Func, p) }) {
			continue
		}
		kept = append(kept, f)
		if len(kept) == maxFrames {
			break
		}
	}
	return kept
}

// Traceback is the trimmed stack of the panic that unwinds on this goroutine.
func Traceback() string {
	gs := stacks.Parse(debug.Stack())
	if len(gs) == 0 {
		return ""
	}
	return stacks.Format(OwnFrames(stacks.TrimPanic(gs[0].Frames)))
}

func nonNil(frames []stacks.Frame) []stacks.Frame {
	if frames == nil {
		return []stacks.Frame{}
	}
	return frames
}
