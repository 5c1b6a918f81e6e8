// Package tasks keeps calls that outlast their request: a client that knows the
// protocol's tasks extension gets an id at once and asks for the rest. It knows
// neither HTTP nor tools; the front begins tasks and tells of them. Any goroutine.
package tasks
