package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loupe-ecs/loupe/cmd/loupe/internal/bridge"
	"github.com/loupe-ecs/loupe/cmd/loupe/internal/session"
	"github.com/loupe-ecs/loupe/cmd/loupe/internal/wire"
)

func (a *app) mcpCommand() *cobra.Command {
	var dir, schemas, groups string
	var noStart, stay bool
	c := &cobra.Command{
		Use: "mcp", Short: "Serves MCP over standard input and output, for a client's configuration", Args: args(0, 0),
		Long: "mcp is the one server that a client is configured with. It offers the session tools always, starts games of the directory -dir,\n" +
			"and carries the tools, resources and prompts of the game in use. It ends when its input does, and so do the games it has started.",
		RunE: func(c *cobra.Command, _ []string) error {
			o := bridge.Options{Stay: stay, Token: os.Getenv("LOUPE_TOKEN"), Version: version()}
			if !noStart {
				root, err := filepath.Abs(dir)
				if err == nil {
					root, err = filepath.EvalSymlinks(root)
				}
				if err != nil {
					return usageError{fmt.Errorf("-dir: %w", err)}
				}
				o.Root = root
			}
			var query []string
			if schemas != "" {
				query = append(query, "schemas="+schemas)
			}
			if groups != "" {
				query = append(query, "tools="+groups)
			}
			o.Query = strings.Join(query, "&")
			return bridge.Run(c.Context(), a.in, a.out, o)
		},
	}
	f := c.Flags()
	f.StringVar(&dir, "dir", ".", "games may be built and started in this directory and under it")
	f.BoolVar(&noStart, "no-start", false, "start nothing: only talk to games that run")
	f.BoolVar(&stay, "keep-running", false, "games that were started run on when the client hangs up")
	f.StringVar(&schemas, "schemas", "", "full: list output schemas too")
	f.StringVar(&groups, "tools", "", "list these groups of the game's tools only, such as world,session")
	return c
}

func (a *app) lsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "ls", Short: "Lists the games that run on this machine, and recordings", Args: args(0, 0),
		Long: "ls lists games, and for loupe open the recordings in the data directories that games have by default, and in loupe-data of their\n" +
			"working directories and of this one. Files that a game keeps elsewhere (Options.DataDir) are not known here.",
		RunE: func(c *cobra.Command, _ []string) error {
			rows := session.New(session.Options{Token: os.Getenv("LOUPE_TOKEN")}).Rows(c.Context())
			files := recordings(rows)
			if a.json {
				all := map[string]any{"sessions": rows}
				if len(files) > 0 {
					all["recordings"] = files
				}
				b, err := json.Marshal(all)
				if err != nil {
					return err
				}
				return a.raw(b)
			}
			if len(rows) == 0 {
				fmt.Fprintln(a.err, "no game runs")
			} else {
				t := a.table("ID", "APP", "PID", "STATE", "URL", "DIRECTORY")
				for _, r := range rows {
					t.row(r.ID, r.App, r.PID, r.State, r.URL, r.Dir)
				}
				if err := t.flush(); err != nil {
					return err
				}
			}
			if len(files) == 0 {
				return nil
			}
			t := a.table("RECORDING", "APP", "TICKS", "BYTES", "WRITTEN", "WHY", "DAMAGE")
			for _, r := range files {
				t.row(r.Path, r.App, fmt.Sprintf("%d-%d", r.From, r.To), r.Bytes, r.Written.Local().Format("2006-01-02 15:04:05"), r.Why, r.Damage)
			}
			return t.flush()
		},
	}
}

func (a *app) toolsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "tools [TOOL]", Short: "Lists a game's tools, or describes one", Args: args(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			ask := map[string]any{"detail": true}
			if len(args) > 0 {
				ask = map[string]any{"tool": args[0]}
			}
			var answer json.RawMessage
			if err := a.ask(c.Context(), "help", ask, &answer); err != nil {
				return err
			}
			var all struct {
				Groups []struct {
					Group string   `json:"group"`
					Tools []string `json:"tools"`
				} `json:"groups"`
			}
			if a.json || len(args) > 0 || json.Unmarshal(answer, &all) != nil || len(all.Groups) == 0 {
				return a.pretty(answer)
			}
			t := a.table("GROUP", "TOOL")
			for _, g := range all.Groups {
				for _, tool := range g.Tools {
					t.row(g.Group, tool)
				}
			}
			return t.flush()
		},
	}
}

func (a *app) callCommand() *cobra.Command {
	return &cobra.Command{
		Use: "call TOOL [JSON|-]", Short: "Calls a tool and prints its answer", Args: args(1, 2),
		Example: `  loupe call query '{"where":"Health.HP < 10","limit":3}'` + "\n" + `  echo '{"code":"return 1"}' | loupe call run_lua -`,
		RunE: func(c *cobra.Command, args []string) error {
			arguments := []byte("{}")
			if len(args) > 1 {
				arguments = []byte(args[1])
			}
			if string(arguments) == "-" {
				var err error
				if arguments, err = io.ReadAll(a.in); err != nil {
					return err
				}
			}
			if !json.Valid(arguments) {
				return usageError{fmt.Errorf("the arguments are no JSON: %s", arguments)}
			}
			var answer json.RawMessage
			if err := a.ask(c.Context(), args[0], json.RawMessage(arguments), &answer); err != nil {
				return err
			}
			return a.pretty(answer)
		},
	}
}

// pretty prints JSON for people, and as it came for scripts.
func (a *app) pretty(b json.RawMessage) error {
	if a.json {
		return a.raw(b)
	}
	var out bytes.Buffer
	if json.Indent(&out, b, "", "  ") != nil {
		return a.raw(b)
	}
	return a.raw(out.Bytes())
}

func (a *app) queryCommand() *cobra.Command {
	var with, without, selects []string
	var sort string
	var limit int
	c := &cobra.Command{
		Use: "query [WHERE]", Short: "Lists entities as a table", Args: args(0, 1),
		Example: `  loupe query 'Health.HP < Health.Max/2' -select Health.HP,Position.X -sort Health.HP`,
		RunE: func(c *cobra.Command, args []string) error {
			ask := map[string]any{"limit": limit}
			if len(args) > 0 && args[0] != "" {
				ask["where"] = args[0]
			}
			for name, list := range map[string][]string{"with": with, "without": without, "select": selects} {
				if len(list) > 0 {
					ask[name] = list
				}
			}
			if sort != "" {
				ask["sort"] = sort
			}
			if len(selects) == 0 {
				ask["values"] = false
			}
			var answer json.RawMessage
			if err := a.ask(c.Context(), "query", ask, &answer); err != nil {
				return err
			}
			if a.json {
				return a.raw(answer)
			}
			var r struct {
				Matched  int `json:"matched"`
				Entities []struct {
					Entity     string                     `json:"entity"`
					Name       string                     `json:"name"`
					Components []string                   `json:"components"`
					Values     map[string]json.RawMessage `json:"values"`
				} `json:"entities"`
			}
			if err := json.Unmarshal(answer, &r); err != nil {
				return err
			}
			head := []any{"ENTITY", "NAME"}
			if len(selects) == 0 {
				head = append(head, "COMPONENTS")
			}
			for _, path := range selects {
				head = append(head, path)
			}
			t := a.table(head...)
			for _, e := range r.Entities {
				cells := []any{e.Entity, e.Name}
				if len(selects) == 0 {
					cells = append(cells, strings.Join(e.Components, " "))
				}
				for _, path := range selects {
					cells = append(cells, cell(e.Values[path]))
				}
				t.row(cells...)
			}
			if err := t.flush(); err != nil {
				return err
			}
			_, err := fmt.Fprintf(a.err, "%d of %d\n", len(r.Entities), r.Matched)
			return err
		},
	}
	f := c.Flags()
	f.StringSliceVar(&with, "with", nil, "components that an entity has")
	f.StringSliceVar(&without, "without", nil, "components that it lacks")
	f.StringSliceVar(&selects, "select", nil, "field paths to show")
	f.StringVar(&sort, "sort", "", "field path; - before it: descending")
	f.IntVar(&limit, "limit", 50, "rows at most")
	return c
}

// cell is a JSON value in a table: a string without its quotes.
func cell(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}

func (a *app) saveCommand() *cobra.Command {
	return a.snapshotCommand("save", "Saves the whole world under a name", "snapshot_save")
}

func (a *app) loadCommand() *cobra.Command {
	return a.snapshotCommand("load", "Puts a saved world in the place of the present one", "snapshot_load")
}

func (a *app) snapshotCommand(verb, short, tool string) *cobra.Command {
	return &cobra.Command{
		Use: verb + " NAME", Short: short, Args: args(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			var answer json.RawMessage
			if err := a.ask(c.Context(), tool, map[string]any{"name": args[0]}, &answer); err != nil {
				return err
			}
			if a.json {
				return a.raw(answer)
			}
			entities, _ := strconv.Atoi(string(wire.Member(answer, "entities")))
			_, err := fmt.Fprintf(a.out, "%s: %d entities\n", wire.Text(answer, "path"), entities)
			return err
		},
	}
}
