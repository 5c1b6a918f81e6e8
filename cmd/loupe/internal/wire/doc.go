// Package wire carries JSON-RPC messages to a game and back without reading
// more of them than it must.
//
//	c, err := wire.Dial(ctx, wire.Target{URL: "http://127.0.0.1:7100/mcp"}, wire.Hello("me", "1"))
//	err = c.Do(ctx, body, nil, func(message []byte) error { ... })
//
// The SDK's client would decode every answer into its own types and encode it
// again: numbers and the order of members would change, and a picture would be
// held several times.
package wire
