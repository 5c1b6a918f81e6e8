package mcpdebug

import "github.com/loupe-ecs/loupe/sandbox/limits"

// SandboxOptions bounds what run_lua may use. The zero value is the default. The
// most that timeoutMs takes is a second, whatever MaxTimeout says.
type SandboxOptions = limits.Script
