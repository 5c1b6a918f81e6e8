package main

import (
	_ "embed" // equivalent.txt
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

//go:embed equivalent.txt
var equivalent string

func main() {
	log.SetFlags(0)
	root := flag.String("root", "..", "the folder of the module that is asked about")
	n := flag.Int("n", 40, "how many mistakes to make")
	seed := flag.Uint64("seed", 0, "which ones; 0: any")
	workers := flag.Int("j", 2, "how many at a time")
	limit := flag.Duration("timeout", 90*time.Second, "of one package's tests")
	flag.Parse()
	patterns := flag.Args()
	if len(patterns) == 0 {
		patterns = []string{"./ecs/...", "./snapshot", "./sandbox/...", "./tools/...", "./mcpdebug/...", "./timeline/..."}
	}
	if *seed == 0 {
		*seed = rand.Uint64N(1 << 32)
	}
	dir, err := filepath.Abs(*root)
	if err != nil {
		log.Fatal(err)
	}
	if err := mutate(dir, patterns, *n, *workers, *seed, *limit); err != nil {
		log.Fatal(err)
	}
}

// equivalents are the keys of mutants that are no mistakes.
func equivalents() map[string]bool {
	keys := map[string]bool{}
	for line := range strings.Lines(equivalent) {
		if key, _, ok := strings.Cut(line, " # "); ok && !strings.HasPrefix(line, "#") {
			keys[strings.TrimSpace(key)] = true
		}
	}
	return keys
}

type tally struct{ killed, made int }

func mutate(root string, patterns []string, n, workers int, seed uint64, limit time.Duration) error {
	src, err := load(root, patterns, seed)
	if err != nil {
		return err
	}
	r, err := newRunner(root, limit)
	if err != nil {
		return err
	}
	fmt.Printf("%d mistakes in %d functions, seed %d\n", n, len(src.functions), seed)
	known := equivalents()
	var (
		mu       sync.Mutex
		wg       sync.WaitGroup
		seen     = map[string]bool{}
		byPkg    = map[string]*tally{}
		all      tally
		begun    int
		skipped  int
		failure  error
		survivor []string
	)
	next := func() *mutant {
		mu.Lock()
		defer mu.Unlock()
		for begun < n && failure == nil {
			m, err := src.draw()
			if err != nil {
				failure = err
				return nil
			}
			if known[m.key()] {
				skipped++
				continue
			}
			if at := fmt.Sprint(m.file, m.from, m.text); !seen[at] {
				seen[at] = true
				begun++
				return m
			}
		}
		return nil
	}
	note := func(m *mutant, o outcome, took time.Duration, err error) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err != nil:
			failure = err
			return
		case o == invalid:
			begun-- // another in its place
			return
		}
		t := byPkg[m.pkg]
		if t == nil {
			t = &tally{}
			byPkg[m.pkg] = t
		}
		t.made++
		all.made++
		if o != survived {
			t.killed++
			all.killed++
		}
		fmt.Printf("%-9s %5.1fs %s:%d %s: %s\n", o, took.Seconds(), m.file, m.line, m.function, m.operator)
		if o == survived {
			survivor = append(survivor, m.diff()+"key: "+m.key()+"\n")
		}
	}
	for range workers {
		wg.Go(func() {
			for m := next(); m != nil; m = next() {
				start := time.Now()
				o, err := r.try(m)
				note(m, o, time.Since(start), err)
			}
		})
	}
	wg.Wait()
	if failure != nil {
		return failure
	}
	report(os.Stdout, byPkg, survivor)
	if skipped > 0 {
		fmt.Printf("%d known as equivalent were passed over\n", skipped)
	}
	fmt.Printf("mutation: killed %d of %d\n", all.killed, all.made)
	return nil
}
