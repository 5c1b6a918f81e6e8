package snapshot

import (
	"fmt"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// fail unwinds the decoder or the encoder to its entry point, which turns it
// into an error. Decoding checks something at every byte; returning an error
// from each of these places costs more than the work between them.
type fail struct{ err error }

// recovered stores a fail, or any other panic, in err. A panic that is not a
// fail is a fault of this package: it is reported as what it is to the caller,
// a refusal, because nothing has been touched at that point.
func recovered(err *error, doing string) {
	switch r := recover().(type) {
	case nil:
	case fail:
		*err = r.err
	default:
		*err = &refusal.Error{Code: refusal.BadSnapshot, Message: fmt.Sprintf("%s the snapshot panicked: %v", doing, r),
			Hint: "nothing was changed; a file written by the same build should load, please report this one"}
	}
}
