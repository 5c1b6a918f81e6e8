// Command wasm is run under js/wasm, where Listen must refuse and everything
// else of a game goes on.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug"
)

func main() {
	dbg, err := mcpdebug.Listen(mcpdebug.DefaultAddr, nil)
	if dbg != nil || !errors.Is(err, refusal.NotSupported) {
		fmt.Printf("Listen gives %v and %v, want no server and not_supported\n", dbg.URL(), err)
		os.Exit(1)
	}
	ran := false
	dbg.Poll()
	dbg.Guard(func() { ran = true })
	s := mcpdebug.New(nil)
	s.Poll()
	answer := s.Dispatch(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ping","arguments":{}}}`)
	if !ran || !strings.Contains(answer, `"ok":true`) {
		fmt.Printf("Guard of no server ran the game: %v; ping by Dispatch: %s\n", ran, answer)
		os.Exit(1)
	}
	fmt.Println("ok  js/wasm:", err)
}
