package timeline_test

import (
	"runtime"
	"testing"

	"github.com/loupe-ecs/loupe/timeline"
)

func heap() int64 {
	var m runtime.MemStats
	for range 3 { // what a collection frees is told after the next
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// What the ring says that it takes is what the process has less of it.
func TestTheRingCountsWhatItHolds(t *testing.T) {
	s := newScene(t, timeline.Options{})
	s.run(1500)
	s.rec.Stop(false)
	s.tick++
	said := s.rec.Info().Bytes
	with := heap()
	s.rec.Stop(true)
	held := with - heap()
	if held > said*11/10 || held < said*8/10 {
		t.Errorf("the ring says %d bytes and held %d", said, held)
	}
	if now := s.rec.Info().Bytes; now != 0 {
		t.Errorf("%d bytes are left of nothing", now)
	}
}
