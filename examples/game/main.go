// Command game is a small top-down shooter with a debug server inside: the
// example to look at, to connect a client to and to break on purpose.
//
//	go run ./examples/game
//
// It needs no display: pictures are drawn in software, when a client asks for
// one. Package internal/game is the game; this file is its loop.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/examples/game/assets"
	"github.com/loupe-ecs/loupe/examples/game/internal/game"
	"github.com/loupe-ecs/loupe/mcpdebug"
)

type config struct {
	addr, data      string
	fixed           bool // addr was asked for
	fps             int
	frames          uint64
	parkAt, parkFor uint64
	quiet           bool
	game            game.Options
}

func main() {
	var c config
	flag.StringVar(&c.addr, "addr", mcpdebug.DefaultAddr, "address of the debug server; port 0 takes a free one")
	flag.IntVar(&c.fps, "fps", 60, "frames per second; 0 runs as fast as it can, one tick a frame")
	flag.Uint64Var(&c.game.Seed, "seed", 1, "the same seed plays the same game")
	flag.IntVar(&c.game.Enemies, "enemies", 40, "enemies in the first wave")
	flag.Uint64Var(&c.frames, "frames", 0, "end after so many frames; 0 never")
	flag.StringVar(&c.data, "data", "loupe-data", "folder for snapshots, profiles and the sounds that can be edited")
	flag.Uint64Var(&c.game.CrashAt, "crash-at", 0, "panic in the system combat at this frame, once; 0 never")
	flag.Uint64Var(&c.game.HangAt, "hang-at", 0, "hang in a pathfinder at this frame, once; 0 never")
	flag.DurationVar(&c.game.HangFor, "hang-for", 5*time.Second, "how long to hang")
	flag.Uint64Var(&c.parkAt, "park-at", 0, "load a level at this frame, parked meanwhile; 0 never")
	flag.Uint64Var(&c.parkFor, "park-for", 120, "frames that the loading is spread over")
	flag.BoolVar(&c.quiet, "quiet", false, "print the address alone")
	flag.Parse()
	flag.Visit(func(f *flag.Flag) { c.fixed = c.fixed || f.Name == "addr" })
	if flag.NArg() > 0 || c.fps < 0 || c.game.Enemies < 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends a game that hangs
	if err := run(ctx, c); err != nil {
		fmt.Fprintln(os.Stderr, "game:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, c config) error {
	var logTo io.Writer = os.Stderr
	if c.quiet {
		logTo = io.Discard
	}
	if err := os.MkdirAll(c.data, 0o777); err != nil {
		return err
	}
	handler := slog.NewTextHandler(logTo, nil)
	dbg, err := mcpdebug.Listen(c.addr, &mcpdebug.Options{
		FixedPort: c.fixed, Logger: slog.New(handler), DataDir: c.data, CrashFile: filepath.Join(c.data, "crash.txt"),
		Record:   &mcpdebug.RecordOptions{MemoryMB: 64}, // ten minutes and more
		BlackBox: &mcpdebug.BlackBoxOptions{},           // what a kill -9 leaves
	})
	if err != nil {
		// A nil server is a valid one that does nothing: the game runs on.
		fmt.Fprintln(os.Stderr, "no debug server:", err)
	}
	defer dbg.Close()
	log := slog.New(dbg.LogHandler(handler))

	c.game.Sounds, c.game.AssetDir, c.game.Stop = assets.Sounds, filepath.Join(c.data, "assets"), ctx.Done()
	c.game.EndTick = dbg.EndTick
	g, err := game.New(c.game)
	if err != nil {
		return err
	}
	defer g.Close()
	dbg.Bind(archeworld.New(&g.World), g.App())
	if url := dbg.URL(); url != "" {
		welcome(url, c.quiet)
	}
	log.Info("game started", "seed", c.game.Seed, "enemies", c.game.Enemies, "level", 1)

	l := loop{dbg: dbg, game: g, log: log, config: c}
	l.run(ctx)
	if !c.quiet {
		fmt.Printf("stopped at frame %d, tick %d, state %016x\n", l.frame, g.Ticks(), g.Hash())
	}
	return nil
}

func welcome(url string, quiet bool) {
	fmt.Printf("debug server listening at %s\n", url)
	if quiet {
		return
	}
	fmt.Printf("  Claude Code:  claude mcp add --transport http game %s\n", url)
	fmt.Printf("  VS Code:      code --add-mcp '{\"name\":\"loupe\",\"type\":\"http\",\"url\":\"%s\"}'\n", url)
	fmt.Printf("  by hand:      %s\n", byHand(url))
}

// byHand is a command that calls context, in the protocol's version without
// sessions.
func byHand(url string) string {
	const version = "2026-07-28"
	return "curl -s " + url + " -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream'" +
		" -H 'MCP-Protocol-Version: " + version + "' -H 'Mcp-Method: tools/call' -H 'Mcp-Name: context'" +
		` -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"context","arguments":{},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"` + version + `","io.modelcontextprotocol/clientInfo":{"name":"curl","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}}}'`
}
