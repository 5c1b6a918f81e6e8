// Command server serves the fixtures of the protocol's test suite, or with -odd
// a game of types that strict clients stumble over.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"

	"github.com/loupe-ecs/loupe/internal/conformance"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on")
	odd := flag.Bool("odd", false, "serve the game of odd types")
	flag.Parse()
	run := conformance.Run
	if *odd {
		run = conformance.RunOdd
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *addr, func(url string) { fmt.Println(url) }); err != nil {
		log.Fatal(err)
	}
}
