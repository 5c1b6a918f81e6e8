package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loupe-ecs/loupe/cmd/loupe/internal/session"
	"github.com/loupe-ecs/loupe/cmd/loupe/internal/wire"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// The exit codes.
const (
	exitRefused = 1 // the game refused, or something failed
	exitUsage   = 2
	exitNoGame  = 3 // there is no game to talk to
)

// app is one run of the command line.
type app struct {
	in      io.Reader
	out     io.Writer
	err     io.Writer
	json    bool
	session string
	url     string
	color   string
}

// usageError is a mistake in how a command was written.
type usageError struct{ error }

// Main runs a command line and returns its exit code.
func Main(args []string, in io.Reader, out, errs io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := &app{in: in, out: out, err: errs}
	root := a.root()
	root.SetArgs(longFlags(root, args))
	err := root.ExecuteContext(ctx)
	if err == nil || errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return 0
	}
	var refused *refusal.Error
	var usage usageError
	if errors.As(err, &refused) {
		a.refused(refused)
	} else {
		fmt.Fprintln(errs, "loupe:", err)
	}
	switch {
	case errors.As(err, &usage), strings.HasPrefix(err.Error(), "unknown command"): // cobra has no type for it
		return exitUsage
	case errors.Is(err, refusal.NoSession):
		return exitNoGame
	}
	return exitRefused
}

// refused prints a refusal: for scripts as the object that it is.
func (a *app) refused(e *refusal.Error) {
	if a.json {
		b, _ := json.Marshal(map[string]any{"error": e})
		fmt.Fprintln(a.out, string(b))
		return
	}
	fmt.Fprintln(a.err, "loupe:", e.Message)
	if len(e.Options) > 0 {
		fmt.Fprintln(a.err, "  options:", strings.Join(e.Options, ", "))
	}
	if e.Hint != "" {
		fmt.Fprintln(a.err, "  "+e.Hint)
	}
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use: "loupe", Short: "Looks into running games", Version: version(),
		Long: "loupe finds the games on this machine that have Loupe's debug server inside, and talks to them.\n" +
			"With several running, -session names one (an id or app of loupe ls, a process number or a port).\n" +
			"Exit codes: 0, 1 refused or failed, 2 written wrongly, 3 no such game.",
		SilenceErrors: true, SilenceUsage: true,
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	f := root.PersistentFlags()
	f.BoolVar(&a.json, "json", false, "print what came, as JSON")
	f.StringVar(&a.session, "session", "", "the game to talk to; default: the only one")
	f.StringVar(&a.url, "url", "", "the address of a game that is not announced")
	f.StringVar(&a.color, "color", "auto", "auto (on a terminal), always or never")
	_ = root.RegisterFlagCompletionFunc("session", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var ids []string
		for _, s := range session.New(session.Options{}).Sessions() {
			ids = append(ids, s.ID)
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	})
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(a.mcpCommand(), a.lsCommand(), a.toolsCommand(), a.callCommand(), a.queryCommand(),
		a.watchCommand(), a.logsCommand(), a.topCommand(), a.saveCommand(), a.loadCommand(), a.openCommand(), a.redactCommand())
	return root
}

// longFlags lets flags be written as Go's own are, with one dash.
func longFlags(root *cobra.Command, args []string) []string {
	known := map[string]bool{"help": true, "version": true}
	note := func(f *pflag.Flag) { known[f.Name] = true }
	root.PersistentFlags().VisitAll(note)
	for _, c := range root.Commands() {
		c.Flags().VisitAll(note)
	}
	out := make([]string, len(args))
	for i, arg := range args {
		out[i] = arg
		if arg == "--" {
			copy(out[i:], args[i:])
			break
		}
		if rest, ok := strings.CutPrefix(arg, "-"); ok && !strings.HasPrefix(rest, "-") {
			if name, _, _ := strings.Cut(rest, "="); len(name) > 1 && known[name] {
				out[i] = "-" + arg
			}
		}
	}
	return out
}

// exactly is cobra's check of the number of arguments, as a mistake of usage.
func args(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || most >= 0 && len(args) > most {
			return usageError{fmt.Errorf("%d arguments: it is %s", len(args), c.UseLine())}
		}
		return nil
	}
}

// game connects to the game that the flags name.
func (a *app) game() (*wire.Conn, error) {
	token := os.Getenv("LOUPE_TOKEN")
	if a.url != "" {
		return wire.To(wire.Target{URL: a.url, Token: token}), nil
	}
	t := session.New(session.Options{Token: token})
	var s *session.Session
	var err error
	if a.session != "" {
		s, err = t.Resolve(a.session)
	} else {
		s, err = t.Current()
	}
	if err != nil {
		return nil, inCommands(err)
	}
	p, ok := s.Process()
	if !ok {
		return nil, s.Ready()
	}
	return wire.To(t.Target(p)), nil
}

// inCommands says in the command line's words what a refusal says in a bridge's.
func inCommands(err error) error {
	var e *refusal.Error
	if !errors.As(err, &e) || e.Code != refusal.NoSession {
		return err
	}
	c := *e
	c.Next, c.Hint = "", "loupe ls lists the games that run on this machine; -url talks to one that is not announced"
	if len(c.Options) > 1 {
		c.Message = fmt.Sprintf("%d games run: -session names one", len(c.Options))
	}
	return &c
}

// ask calls a tool and decodes its answer.
func (a *app) ask(ctx context.Context, tool string, arguments, out any) error {
	g, err := a.game()
	if err != nil {
		return err
	}
	return call(ctx, g, tool, arguments, out)
}

func call(ctx context.Context, g *wire.Conn, tool string, arguments, out any) error {
	err := g.Call(ctx, tool, arguments, out)
	var denied *wire.Denied
	if errors.As(err, &denied) && denied.RPC != nil {
		var e struct {
			Data struct{ Options []string }
		}
		_ = json.Unmarshal(denied.RPC, &e)
		return &refusal.Error{Code: refusal.NotFound, Message: denied.Error(), Options: e.Data.Options}
	}
	return err
}

// raw prints JSON as it came.
func (a *app) raw(b json.RawMessage) error {
	_, err := fmt.Fprintln(a.out, string(b))
	return err
}
