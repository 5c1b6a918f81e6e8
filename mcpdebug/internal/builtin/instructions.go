package builtin

import _ "embed"

// Instructions tell an agent in fifteen lines how to start: what the server
// sends at initialize.
//
//go:embed instructions.txt
var Instructions string
