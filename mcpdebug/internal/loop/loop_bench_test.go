package loop

import (
	"context"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/tools"
)

// BenchmarkPollOneCall is what one call costs the frame: taking it from the
// queue, the gate, the tool's frame part, the hand-over. Queueing it is timed
// apart.
func BenchmarkPollOneCall(b *testing.B) {
	l := quietLoop(b)
	l.cfg.Registry.MustRegister(tools.New(tools.Spec{Name: "nop", Description: "d"}, func(*tools.Frame, struct{}) (struct{}, error) { return struct{}{}, nil }))
	pub, _ := listing.Of(l.cfg.Registry).Lookup("nop")
	l.Poll()
	b.ReportAllocs()
	var onFrame time.Duration
	for b.Loop() {
		c := l.newCall(context.Background(), &Arrival{Request: tools.Request{Name: "nop"}, Tool: pub}, overQueue)
		c.find()
		if r := c.begin(); r != nil {
			b.Fatal(r.Text)
		}
		start := time.Now()
		l.Poll()
		onFrame += time.Since(start)
	}
	b.ReportMetric(float64(onFrame.Nanoseconds())/float64(b.N), "frame-ns/op")
}
