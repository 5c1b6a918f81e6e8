package blocks

import (
	"fmt"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// badHint closes every refusal of a damaged or foreign file.
const badHint = "the world was not touched; save again, or load another file that snapshot_list shows"

// BadFile makes the refusal of a file that is not a sound snapshot.
func BadFile(format string, args ...any) *refusal.Error {
	return &refusal.Error{Code: refusal.BadSnapshot, Message: "bad snapshot: " + fmt.Sprintf(format, args...),
		Hint: badHint, Next: "snapshot_list"}
}

// TooLarge refuses a file that needs more memory than is allowed.
func TooLarge(format string, args ...any) *refusal.Error {
	e := BadFile(format, args...)
	e.Code = refusal.TooLarge
	e.Hint = "raise Options.MaxBytes if the file is meant to be that large; the world was not touched"
	return e
}
