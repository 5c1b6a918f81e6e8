package tools

import (
	"encoding/json"
	"strconv"

	"github.com/loupe-ecs/loupe/internal/rawjson"
)

// Lasts is the [Spec.Lasts] of a tool whose every call may.
func Lasts(json.RawMessage) bool { return true }

// LastsFrom is the Spec.Lasts of a tool whose calls may where an argument is
// least or more; without it, they do not.
func LastsFrom(argument string, least float64) func(json.RawMessage) bool {
	return func(arguments json.RawMessage) bool {
		n, err := strconv.ParseFloat(string(rawjson.Member(arguments, argument)), 64)
		return err == nil && n >= least
	}
}
