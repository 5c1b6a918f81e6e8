// Package limits has the bounds of scripts: what package sandbox keeps to, and what
// the server's options name without it.
//
//	dbg, err := mcpdebug.Listen("", &mcpdebug.Options{Sandbox: limits.Script{Timeout: 100 * time.Millisecond}})
package limits
