package sandbox

import (
	_ "embed" // the manual
	"fmt"
	"strings"
)

//go:embed manual.md
var manual string

// Manual is what a script may use, for those who write one: Markdown, with the
// limits of o. Its examples are run by this package's tests.
func Manual(o Options) string {
	o = o.WithDefaults()
	var b strings.Builder
	b.WriteString(manual)
	limit := func(format string, args ...any) { fmt.Fprintf(&b, "- "+format+"\n", args...) }
	b.WriteByte('\n')
	limit("source: %d KiB; wall time: %v unless `timeoutMs` says otherwise, at most %v", o.SourceBytes>>10, o.Timeout, o.MaxTimeout)
	limit("memory: %d MiB more than before the call, one string %d MiB, globals %d MiB", o.MemoryBytes>>20, o.StringBytes>>20, o.StashBytes>>20)
	limit("changes: %d; entities of one query: %d", o.Changes, o.Rows)
	limit("returned: %d KiB of JSON, %d entries a table, %d deep; printed: %d KiB", o.ResultBytes>>10, o.ResultEntries, o.ResultDepth, o.PrintBytes>>10)
	b.WriteString("\nOnce a limit is exceeded everything the script still tries fails, in `pcall` and coroutines too, and nothing is changed.\n")
	return b.String()
}
