// Package causes holds the tools that find out who did what: watches, blame, the
// check of determinism, what systems really change, and the first look.
//
// [New] makes them for a server; what they need of it is [Host].
//
//	c := causes.New(host)
//	registry.MustRegister(c.Tools()...)
package causes
