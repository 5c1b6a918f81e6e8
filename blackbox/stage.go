package blackbox

import (
	"bytes"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/snapshot"
	"github.com/loupe-ecs/loupe/timeline"
)

// Stage makes a recorded tick ready to be put into a world of this catalog, as
// snapshot.Decode does with a snapshot: stand-ins become the types of this build
// by their names, and fields that have changed since are converted. Private
// fields are zero.
func (f *File) Stage(tick int64, cat *ecs.Catalog, o *snapshot.Options) (*snapshot.Staged, timeline.Ref, error) {
	line := f.Recorder.Line()
	ref, err := line.Find(tick)
	if err != nil {
		return nil, ref, err
	}
	then := *o
	then.Frame = ref.Frame
	var buf bytes.Buffer
	if _, err := line.Sample(ref).Capture(&then).Encode(&buf); err != nil {
		return nil, ref, err
	}
	staged, err := snapshot.Decode(&buf, cat, o)
	return staged, ref, err
}
