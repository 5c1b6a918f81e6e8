package main

import "testing"

func TestQuantileIsNearestRank(t *testing.T) {
	v := []float64{1, 2, 3, 4}
	for q, want := range map[float64]float64{0: 1, 0.5: 2, 0.51: 3, 0.99: 4, 1: 4} {
		if got := quantile(v, q); got != want {
			t.Errorf("quantile %v: got %v, want %v", q, got, want)
		}
	}
}

func TestRatioIsTheMedianOfTheRounds(t *testing.T) {
	m, lo, hi := sides{a: []float64{2, 6, 30}, b: []float64{1, 2, 3}}.ratio()
	if m != 3 || lo != 2 || hi != 10 {
		t.Errorf("got %v (%v to %v), want 3 (2 to 10)", m, lo, hi)
	}
}

func TestLinesAreMachineReadable(t *testing.T) {
	if got, want := (line{kind: "ratio", name: "idle_poll", value: 1.25}).String(), "ratio idle_poll 1.25"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := (line{kind: "figure", name: "frame_us", value: 4.5, unit: "µs"}).String(), "figure frame_us 4.5 µs"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
