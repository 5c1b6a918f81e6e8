package words

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

type mute struct{ Next *mute }

func (mute) Error() string { panic("no text") }

func TestPanicTellsWhatCanBeTold(t *testing.T) {
	loop := &struct{ Self any }{}
	loop.Self = loop
	for want, p := range map[string]any{
		"boom": errors.New("boom"), "text": "text", "7": 7, "1s": time.Second,
		"(words.mute whose text panics)": mute{}, "(*struct { Self interface {} })": loop, "(<nil>)": nil,
	} {
		if got := Panic(p); got != want {
			t.Errorf("Panic(%T) is %q, want %q", p, got, want)
		}
	}
}

func TestClipSplitsNoCharacter(t *testing.T) {
	for n, want := range map[int]string{0: "…", 1: "a…", 2: "a…", 3: "aé…", 4: "aéb"} {
		if got := Clip("aéb", n); got != want {
			t.Errorf("Clip at %d is %q, want %q", n, got, want)
		}
	}
}

func Example() {
	fmt.Println(Clip("a long story", 6), Roughly(1234*time.Millisecond), Of([]int{1}))
	// Output: a long… 1.2s ([]int)
}

func TestNumbersForAnswers(t *testing.T) {
	if got := Millis(1234567 * time.Nanosecond); got != 1.234 {
		t.Errorf("%v ms", got)
	}
	for v, want := range map[float64]float64{0.0005: 0.001, 1.23449: 1.234, -2.0006: -2.001, 7: 7} {
		if got := Thousandths(v); got != want {
			t.Errorf("%v is %v, want %v", v, got, want)
		}
	}
}
