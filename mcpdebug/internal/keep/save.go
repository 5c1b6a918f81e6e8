package keep

import (
	"context"
	"io"

	"github.com/loupe-ecs/loupe/blackbox"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

type saveArgs struct {
	Name string `json:"name,omitempty" jsonschema:"file's" debug:"default=recording"`
}

type saveResult struct {
	Path    string `json:"path" jsonschema:"the file"`
	Bytes   int64  `json:"bytes" jsonschema:"its size" debug:"unit=bytes"`
	Samples int    `json:"samples" jsonschema:"recorded moments in it, on all branches"`
	From    uint64 `json:"fromTick" jsonschema:"the first tick"`
	To      uint64 `json:"toTick" jsonschema:"the last one"`
	Hint    string `json:"hint" jsonschema:"how to open it"`
}

// Tools are in listing order.
func (k *Keeper) Tools() []*tools.Tool {
	return []*tools.Tool{tools.NewOff(tools.Spec{Name: "record_save", Group: "past", Effect: tools.Destructive, WritesFiles: true, Unlisted: true, Example: `{"name":"before-the-fall"}`,
		Description: "Writes the recording with log, crash and stacks into a file that loupe open shows without the game.",
		Manual: "The file holds every recorded tick with all components, resources and host states, the types, marks, the log, a crash with its stacks, frame times, the last profiles and the last screenshot. " +
			`Fields tagged debug:"private" are left out. loupe redact removes more before it is passed on.`,
	}, k.save)}
}

func (k *Keeper) save(c *tools.Call, in saveArgs) (r saveResult, err error) {
	// One at a time: each has the whole recording in hand.
	select {
	case k.saving <- struct{}{}:
		defer func() { <-k.saving }()
	case <-c.Context.Done():
		return r, c.Context.Err()
	}
	k.rec.Flush(c.Context)
	if k.rec.Info().Samples == 0 {
		return r, &refusal.Error{Code: refusal.NotRecorded, Message: "nothing is recorded, so there is nothing to save", Hint: "record_start begins; snapshot_save keeps the world as it is now", Next: "record_start"}
	}
	k.heapNow()
	var w *blackbox.Writer
	r.Path, r.Bytes, err = k.saved.Write(in.Name, func(out io.Writer) (err error) {
		if w, err = blackbox.NewWriter(wanted{out, c.Context}, k.header("record_save")); err != nil {
			return err
		}
		var logged uint64
		if err := k.fill(w, "record_save", &logged); err != nil {
			return err
		}
		return w.Close()
	})
	if err != nil {
		return r, err
	}
	r.Samples, r.From, r.To = w.Samples, w.From, w.To
	r.Hint = "loupe open " + r.Path
	return r, nil
}

// wanted writes for as long as somebody waits for it.
type wanted struct {
	io.Writer
	ctx context.Context
}

func (w wanted) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}
