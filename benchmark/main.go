// Command benchmark measures how far Loupe is from the limit and from its
// peers, both sides of every ratio in one run. It prints one line a figure:
//
//	ratio <name> <value>
//	figure <name> <value> <unit>
//
// It is a module of its own so that the peers stay out of Loupe's go.mod.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
)

func main() {
	quick := flag.Bool("quick", false, "shorter rounds, under 90 s")
	write := flag.String("write", "", "write the report to this Markdown file and the table to the README beside it")
	only := flag.String("only", "", "comma-separated names of the entries to run")
	flag.Parse()

	c := &config{quick: *quick, rounds: 9, slice: 200 * time.Millisecond}
	if *quick {
		c.rounds, c.slice = 5, 40*time.Millisecond
	}
	var lines []line
	failed := false
	for _, b := range benches {
		if *only != "" && !contains(strings.Split(*only, ","), b.name) {
			continue
		}
		got, err := b.run(c)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", b.name, err)
			failed = true
			continue
		}
		for _, l := range got {
			fmt.Println(l)
			lines = append(lines, l)
		}
	}
	if *write != "" {
		if err := writeReport(*write, lines); err != nil {
			fmt.Fprintln(os.Stderr, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if strings.TrimSpace(n) == name {
			return true
		}
	}
	return false
}
