// Package tooltest runs tools over a world as the server does, without a server,
// and holds every answer against the tool's output schema.
package tooltest
