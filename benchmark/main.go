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
	"runtime/pprof"
	"strings"
	"time"
)

func main() {
	if task := os.Getenv(callerEnv); task != "" {
		if err := runCaller(task); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if run() {
		os.Exit(1)
	}
}

// run reports whether something failed.
func run() (failed bool) {
	quick := flag.Bool("quick", false, "shorter rounds, under 90 s")
	write := flag.String("write", "", "write the report to this Markdown file and the table to the README beside it")
	only := flag.String("only", "", "comma-separated names of the entries to run")
	profile := flag.String("cpuprofile", "", "write a CPU profile of the whole run to this file")
	flag.Parse()
	if *profile != "" {
		stop, err := startProfile(*profile)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return true
		}
		defer stop()
	}

	c := &config{quick: *quick, rounds: 9, slice: 200 * time.Millisecond}
	if *quick {
		c.rounds, c.slice = 5, 40*time.Millisecond
	}
	var lines []line
	start := time.Now()
	for _, b := range benches {
		if *only != "" && !contains(strings.Split(*only, ","), b.name) {
			continue
		}
		began := time.Now()
		got, err := b.run(c)
		fmt.Fprintf(os.Stderr, "%s: %v\n", b.name, time.Since(began).Round(100*time.Millisecond))
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", b.name, err)
			failed = true
			continue
		}
		for _, l := range got {
			fmt.Println(l)
			if l.detail != "" {
				fmt.Fprintf(os.Stderr, "  %s: %s\n", l.name, l.detail)
			}
			lines = append(lines, l)
		}
	}
	if *write != "" {
		if err := writeReport(*write, lines); err != nil {
			fmt.Fprintln(os.Stderr, err)
			failed = true
		}
	}
	fmt.Fprintf(os.Stderr, "took %v\n", time.Since(start).Round(time.Second))
	return failed
}

// startProfile profiles the run: the way to see why a goal is missed.
func startProfile(path string) (stop func(), err error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, err
	}
	return func() { pprof.StopCPUProfile(); f.Close() }, nil
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if strings.TrimSpace(n) == name {
			return true
		}
	}
	return false
}
