package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// report writes what survived, and a table of the packages.
func report(w io.Writer, byPkg map[string]*tally, survivors []string) {
	if len(survivors) > 0 {
		fmt.Fprintf(w, "\nNobody noticed:\n\n")
		for _, s := range survivors {
			fmt.Fprintln(w, s)
		}
	}
	fmt.Fprintln(w)
	for _, p := range slices.Sorted(maps.Keys(byPkg)) {
		fmt.Fprintf(w, "%3d of %3d  %s\n", byPkg[p].killed, byPkg[p].made, p)
	}
}
