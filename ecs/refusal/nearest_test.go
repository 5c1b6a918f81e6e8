package refusal

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	got := Nearest("helth", []string{"Position", "Velocity", "Health", "HealthBar", "Wealth"})
	if got[0] != "Health" || len(got) != 5 {
		t.Error(got)
	}
	if got := Nearest("HQ", []string{"Max", "HP"}); got[0] != "HP" {
		t.Error(got)
	}
	if got := Nearest("positon", []string{"Option", "Position"}); got[0] != "Position" {
		t.Error(got)
	}
	many := make([]string, 50)
	if got := Nearest(strings.Repeat("x", 1000), many); len(got) != 10 {
		t.Error(len(got))
	}
}
