// Command server serves the fixtures of the protocol's test suite.
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
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := conformance.Run(ctx, *addr, func(url string) { fmt.Println(url) }); err != nil {
		log.Fatal(err)
	}
}
