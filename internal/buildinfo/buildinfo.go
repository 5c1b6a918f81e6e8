// Package buildinfo tells which program this process runs. What the linker
// recorded is read once.
//
//	fmt.Println(buildinfo.Process().Module)
//
// Everything may be called from any goroutine.
package buildinfo

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

var read = sync.OnceValue(func() *debug.BuildInfo {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info
	}
	return &debug.BuildInfo{}
})

// Main is the import path of the program's own module; "" where the build does
// not tell.
func Main() string { return read().Main.Path }

// Package is the import path of the program's main package.
func Package() string { return read().Path }

// Version is the version of a module in this build, "v0.8.1"; "" where the
// build does not tell.
func Version(module string) string {
	for _, d := range read().Deps {
		switch {
		case d.Path != module:
		case d.Replace != nil:
			return d.Replace.Version
		default:
			return d.Version
		}
	}
	return ""
}

// Build identifies a program.
type Build struct {
	Module   string `json:"module,omitempty"`
	Version  string `json:"version,omitempty"`
	Revision string `json:"revision,omitempty"`
	Dirty    bool   `json:"dirty,omitempty"` // uncommitted changes
	Go       string `json:"go,omitempty"`
}

// This identifies this program.
var This = sync.OnceValue(func() Build {
	info := read()
	b := Build{Module: info.Main.Path, Version: info.Main.Version, Go: info.GoVersion}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Dirty = s.Value == "true"
		}
	}
	return b
})

// Run identifies a running program, so that a client recognises a stale
// process.
type Run struct {
	Module    string `json:"module" jsonschema:"import path of the program's main module"`
	Version   string `json:"version,omitempty" jsonschema:"version of the main module"`
	Revision  string `json:"revision,omitempty" jsonschema:"revision in version control that it was built from"`
	Dirty     bool   `json:"dirty,omitempty" jsonschema:"whether the sources had uncommitted changes"`
	Go        string `json:"go" jsonschema:"version of Go it was built with"`
	PID       int    `json:"pid" jsonschema:"process number"`
	StartedAt string `json:"startedAt" jsonschema:"when the process started, RFC 3339"`
}

var started = time.Now()

// Process identifies this process.
var Process = sync.OnceValue(func() Run {
	b := This()
	if b.Module == "" {
		b.Module = read().Path
	}
	return Run{Module: b.Module, Version: b.Version, Revision: b.Revision, Dirty: b.Dirty, Go: runtime.Version(),
		PID: os.Getpid(), StartedAt: started.Format(time.RFC3339Nano)}
})
