// Package callsite finds the place in a game's code that a change came from.
package callsite

import (
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// Find is the first caller outside the file that calls the function which calls
// Find, as folder/file:line; client is true, and source empty, where the server
// calls for a client.
func Find() (source string, client bool) {
	var pcs [24]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	own := ""
	for {
		f, more := frames.Next()
		switch {
		case own == "":
			own = f.File
		case f.File == own || strings.HasPrefix(f.Function, "runtime."):
		case strings.Contains(f.Function, "loupe/mcpdebug"):
			return "", true
		default:
			return At(f.File, f.Line), false
		}
		if !more {
			return "", false
		}
	}
}

// At shortens a path to the package's folder and the file, as a person would
// say it.
func At(file string, line int) string {
	dir, name := filepath.Split(filepath.FromSlash(file))
	return filepath.ToSlash(filepath.Join(filepath.Base(dir), name)) + ":" + strconv.Itoa(line)
}
