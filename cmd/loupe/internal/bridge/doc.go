// Package bridge is the one MCP server that a client is configured with: it
// speaks over standard input and output, offers the session tools always, and
// carries everything else to the game in use and back.
//
//	err := bridge.Run(ctx, os.Stdin, os.Stdout, bridge.Options{Root: dir})
//
// What belongs to a game passes as it is, byte for byte: the bridge reads of a
// message no more than its id, its method and its tool's name. The official SDK
// serves what belongs to the bridge: the handshake of both protocol eras, ping,
// log levels and subscriptions. A game may crash, be killed and be started
// again; the client's connection and the bridge stay.
//
// Messages are read by one goroutine. Every request that is carried has one of
// its own; a writer with a lock keeps their answers apart.
package bridge
