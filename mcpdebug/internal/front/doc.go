// Package front is everything between a socket and a call: it speaks the Model
// Context Protocol over Streamable HTTP, in the eras with sessions (2024-11-05
// to 2025-11-25) and without (2026-07-28), on one path, and in process through
// Dispatch. Behind it a [Backend] has calls answered.
//
//	f := front.New(backend, front.Options{Name: "arena"})
//	addr, err := f.Listen("127.0.0.1:7100") // or mount f, an http.Handler
//	...
//	f.Close() // after the backend was closed
//
// # What happens to a request
//
//  1. The guard (guard.go): proxy headers, Host, Origin, token, content type,
//     on every method and path. A refusal names the check and what to do.
//  2. One parse of the body (scan.go, envelope.go). Ids, arguments and tokens
//     stay slices of it and go back byte for byte. Whatever is wrong is answered
//     as a JSON-RPC error, in JSON.
//  3. The session (session.go), or for a modern request its headers against its
//     body (modern.go).
//  4. An answer appended by hand to a reused buffer (methods.go, documents.go,
//     call.go, encode.go).
//
// Only what needs a way from the server to the client goes through the SDK:
// event streams of sessions, subscriptions, questions to the client (peer.go,
// subscribe.go). A session has an SDK half only once it uses one of these. The
// SDK never sees a client's ids. Modern clients cannot be asked in the middle
// of a call; replay.go runs the tool again with the answers.
//
// # Goroutines
//
// Requests run on net/http's goroutines. Anything sent unasked is written by a
// goroutine that belongs to the stream, from a bounded queue: changes of the
// registry, progress and log functions of a call never block, whatever the
// client does. Every write has a deadline of its own, since a
// server-wide one would cut streams.
package front
