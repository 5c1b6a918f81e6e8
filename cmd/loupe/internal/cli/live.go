package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loupe-ecs/loupe/cmd/loupe/internal/wire"
)

// repeat calls f now and then every so often, until it fails, ctx ends, or it
// was called n times (0: without end).
func repeat(ctx context.Context, every time.Duration, n int, f func() error) error {
	tick := time.NewTicker(max(every, 10*time.Millisecond))
	defer tick.Stop()
	for done := 1; ; done++ {
		if err := f(); err != nil {
			return err
		}
		if done == n {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (a *app) watchCommand() *cobra.Command {
	var every time.Duration
	var n int
	c := &cobra.Command{
		Use: "watch PATH", Short: "Shows a value as it changes", Args: args(1, 1),
		Long: "watch shows one value: of an entity (42v3:Health.HP, or a name instead of the id: player:Health.HP),\n" +
			"of a resource (Score.Points), or the number of entities that a condition matches (Health.HP < 10).",
		RunE: func(c *cobra.Command, args []string) error {
			g, err := a.game()
			if err != nil {
				return err
			}
			look := looker(args[0])
			shown := &live{a: a}
			last := ""
			return repeat(c.Context(), every, n, func() error {
				v, frame, err := look(c.Context(), g)
				if err != nil {
					return err
				}
				_, _, terminal := a.size()
				if v == last && !terminal {
					return nil
				}
				last = v
				if a.json {
					return a.raw(fmt.Appendf(nil, `{"frame":%s,"value":%s}`, frame, v))
				}
				return shown.show([]string{fmt.Sprintf("%s  %s  (frame %s)", args[0], v, frame)})
			})
		},
	}
	c.Flags().DurationVar(&every, "every", 200*time.Millisecond, "how often to look")
	c.Flags().IntVarP(&n, "count", "n", 0, "end after so many looks; 0: run on")
	return c
}

// looker reads what a path of watch means.
func looker(path string) func(context.Context, *wire.Conn) (value, frame string, err error) {
	type answer struct {
		Frame    json.Number     `json:"frame"`
		Matched  int             `json:"matched"`
		Value    json.RawMessage `json:"value"`
		Entities []struct {
			Values map[string]json.RawMessage `json:"values"`
		} `json:"entities"`
	}
	if who, field, ok := strings.Cut(path, ":"); ok && !strings.ContainsAny(who, " <>=!&|") {
		component, _, _ := strings.Cut(field, ".")
		return func(ctx context.Context, g *wire.Conn) (string, string, error) {
			var a answer
			ask := map[string]any{"name": who, "with": []string{component}, "select": []string{field}, "limit": 1}
			if who != "" && who[0] >= '0' && who[0] <= '9' {
				var info struct {
					Frame      json.Number                `json:"frame"`
					Components map[string]json.RawMessage `json:"components"`
				}
				err := call(ctx, g, "info", map[string]any{"entity": who, "components": []string{component}}, &info)
				return inside(info.Components[component], strings.TrimPrefix(field, component)), info.Frame.String(), err
			}
			if err := call(ctx, g, "query", ask, &a); err != nil {
				return "", "", err
			}
			if len(a.Entities) == 0 {
				return "null", a.Frame.String(), nil
			}
			return string(a.Entities[0].Values[field]), a.Frame.String(), nil
		}
	}
	if strings.ContainsAny(path, " <>=!&|") {
		return func(ctx context.Context, g *wire.Conn) (string, string, error) {
			var a answer
			err := call(ctx, g, "query", map[string]any{"where": path, "limit": 1, "values": false}, &a)
			return fmt.Sprint(a.Matched), a.Frame.String(), err
		}
	}
	return func(ctx context.Context, g *wire.Conn) (string, string, error) {
		var a answer
		name, field, deep := strings.Cut(path, ".")
		ask := map[string]any{"name": name}
		if deep {
			ask["path"] = field
		}
		err := call(ctx, g, "resources_info", ask, &a)
		return string(a.Value), a.Frame.String(), err
	}
}

// inside follows the fields of a path into a JSON value.
func inside(v json.RawMessage, path string) string {
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
		if name == "" {
			continue
		}
		if v = wire.Member(v, name); v == nil {
			return "null"
		}
	}
	if v == nil {
		return "null"
	}
	return string(v)
}

func (a *app) logsCommand() *cobra.Command {
	var follow bool
	var level, contains string
	var limit int
	c := &cobra.Command{
		Use: "logs", Short: "Prints the game's log", Args: args(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			g, err := a.game()
			if err != nil {
				return err
			}
			ask := map[string]any{"level": level, "limit": limit}
			if contains != "" {
				ask["contains"] = contains
			}
			n := 1
			if follow {
				n = 0
			}
			return repeat(c.Context(), 250*time.Millisecond, n, func() error {
				var r struct {
					Lines []json.RawMessage `json:"lines"`
					Next  string            `json:"next"`
				}
				if err := call(c.Context(), g, "get_logs", ask, &r); err != nil {
					return err
				}
				ask["after"] = r.Next
				for _, line := range r.Lines {
					if err := a.logLine(line); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	f := c.Flags()
	f.BoolVarP(&follow, "follow", "f", false, "go on with what comes")
	f.StringVar(&level, "level", "debug", "least level: debug, info, warn or error")
	f.StringVar(&contains, "contains", "", "only lines with this text")
	f.IntVar(&limit, "limit", 100, "lines at once")
	return c
}

func (a *app) logLine(raw json.RawMessage) error {
	if a.json {
		return a.raw(raw)
	}
	var l struct {
		Time  string                     `json:"time"`
		Level string                     `json:"level"`
		Msg   string                     `json:"msg"`
		Attrs map[string]json.RawMessage `json:"attrs"`
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		return a.raw(raw)
	}
	if t, err := time.Parse(time.RFC3339Nano, l.Time); err == nil {
		l.Time = t.Local().Format("15:04:05.000")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %-5s %s", l.Time, strings.ToUpper(l.Level), l.Msg)
	names := make([]string, 0, len(l.Attrs))
	for name := range l.Attrs {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, " %s=%s", name, cell(l.Attrs[name]))
	}
	line := b.String()
	switch strings.ToLower(l.Level) {
	case "error":
		line = a.paint(red, line)
	case "debug":
		line = a.paint(faint, line)
	}
	_, err := fmt.Fprintln(a.out, line)
	return err
}

// system is a row of systems_list.
type system struct {
	Name    string  `json:"name"`
	Phase   string  `json:"phase"`
	Enabled bool    `json:"enabled"`
	LastMs  float64 `json:"lastMs"`
	AvgMs   float64 `json:"avgMs"`
	MaxMs   float64 `json:"maxMs"`
	Runs    uint64  `json:"runs"`
}

func (a *app) topCommand() *cobra.Command {
	var every time.Duration
	var n int
	c := &cobra.Command{
		Use: "top", Short: "Shows the systems by the time they take", Args: args(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			g, err := a.game()
			if err != nil {
				return err
			}
			shown := &live{a: a}
			return repeat(c.Context(), every, n, func() error {
				var raw json.RawMessage
				if err := call(c.Context(), g, "systems_list", struct{}{}, &raw); err != nil {
					return err
				}
				if a.json {
					return a.raw(raw)
				}
				var r struct {
					Frame   json.Number `json:"frame"`
					Systems []system    `json:"systems"`
				}
				if err := json.Unmarshal(raw, &r); err != nil {
					return err
				}
				slices.SortStableFunc(r.Systems, func(x, y system) int {
					return cmp.Compare(y.AvgMs, x.AvgMs)
				})
				t := a.table("SYSTEM", "PHASE", "AVG ms", "LAST ms", "MAX ms", "RUNS", "")
				for _, s := range r.Systems {
					off := ""
					if !s.Enabled {
						off = "stopped"
					}
					t.row(s.Name, s.Phase, fmt.Sprintf("%.3f", s.AvgMs), fmt.Sprintf("%.3f", s.LastMs), fmt.Sprintf("%.3f", s.MaxMs), s.Runs, off)
				}
				return shown.show(append([]string{"frame " + r.Frame.String()}, t.lines()...))
			})
		},
	}
	c.Flags().DurationVar(&every, "every", time.Second, "how often to look")
	c.Flags().IntVarP(&n, "count", "n", 0, "end after so many looks; 0: run on")
	return c
}
