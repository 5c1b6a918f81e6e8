package main

import (
	"fmt"
	"math"
	"os"
	"testing"
	"time"
)

// The client of frame_p99 is this program again.
func TestMain(m *testing.M) {
	if task := os.Getenv(callerEnv); task != "" {
		if err := runCaller(task); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// Every entry runs, on small worlds, and gives its line under its name. No
// figure is looked at.
func TestEveryEntryRuns(t *testing.T) {
	want := map[string][]string{
		"where":        {"where_vs_column", "where2_vs_column", "where_vs_native"},
		"snapshots":    {"save_vs_serde", "load_vs_serde", "size_vs_raw", "save_frame_ms", "save_fsync_ms"},
		"call_vs_http": {"call_vs_http", "call_vs_http_8"},
		"bridge":       {"bridge_vs_direct", "restart_ms"},
		"recording":    {"record_frame_ms", "record_core_share", "record_bytes_vs_changed"},
		"watches":      {"watch10_us"},
		"blamed":       {"blame_vs_ticks", "determinism_check"},
		"past":         {"rewind_frame_ms", "history_ms", "find_tick_ms", "info_at_ms", "query_at_vs_live"},
		"growth":       {"growth_query", "growth_save", "growth_tools_list", "growth_components_info", "growth_components_info_types"},
	}
	c := &config{quick: true, smoke: true, rounds: 1, slice: time.Millisecond}
	seen := map[string]bool{}
	for _, b := range benches {
		lines, err := b.run(c)
		if err != nil {
			t.Errorf("%s: %v", b.name, err)
			continue
		}
		names := map[string]bool{}
		for _, l := range lines {
			names[l.name] = true
			if seen[l.name] {
				t.Errorf("%s comes twice", l.name)
			}
			seen[l.name] = true
			if math.IsNaN(l.value) || math.IsInf(l.value, 0) {
				t.Errorf("%s is %v", l.name, l.value)
			}
		}
		if want[b.name] == nil {
			want[b.name] = []string{b.name}
		}
		for _, name := range want[b.name] {
			if !names[name] {
				t.Errorf("%s gives no line %s", b.name, name)
			}
		}
	}
}
