package pattern

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"
)

func whole2(t *testing.T, p P) *regexp.Regexp {
	t.Helper()
	re, err := regexp.Compile("^(?:" + p.Regexp() + ")$")
	if err != nil {
		t.Fatal(err)
	}
	return re
}

func TestRangesOfWholeNumbersAreExact(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		a, b := rnd.IntN(4000)-2000, rnd.IntN(4000)-2000
		if rnd.IntN(3) == 0 {
			a, b = a/100, b/100
		}
		if a > b {
			a, b = b, a
		}
		low, high := strconv.Itoa(a), strconv.Itoa(b)
		switch rnd.IntN(5) {
		case 0:
			low, a = "", -1<<30
		case 1:
			high, b = "", 1<<30
		}
		re := whole2(t, Whole(low, high))
		for n := -2600; n <= 2600; n += 1 + rnd.IntN(3) {
			if got, want := re.MatchString(strconv.Itoa(n)), n >= a && n <= b; got != want {
				t.Fatalf("Whole(%q, %q) on %d: %v\n%s", low, high, n, got, re)
			}
		}
	}
	for _, text := range []string{"", "-", "01", "-0", "+1", "1.0", "1e3", "--1"} {
		if whole2(t, Whole("", "")).MatchString(text) {
			t.Errorf("%q is no whole number", text)
		}
	}
	if re := whole2(t, Whole("-9223372036854775808", "9223372036854775807")); !re.MatchString("9223372036854775807") || re.MatchString("9223372036854775808") {
		t.Error("the bounds of 64 bits are not exact")
	}
}

func TestDecimalsKeepWholeBounds(t *testing.T) {
	for _, c := range []struct{ low, high, in, out string }{
		{"0", "1", "0", "-0.5"}, {"0", "1", "0.25", "1.01"}, {"0", "1", "1.00", "2"}, {"0", "", "1234.5", "-1"},
		{"-1", "1", "-0.75", "-1.5"}, {"-3", "-2", "-2.5", "2.5"}, {"", "0", "-7.25", "0.5"}, {"0.1", "8", "7.9", "8.5"},
		{"-90.5", "90.5", "-90.25", "100"}, {"", "", "-1.5e-7", "1e"},
	} {
		re := whole2(t, Decimal(c.low, c.high))
		if !re.MatchString(c.in) || re.MatchString(c.out) {
			t.Errorf("Decimal(%q, %q): %q %v, %q %v", c.low, c.high, c.in, re.MatchString(c.in), c.out, re.MatchString(c.out))
		}
	}
}

func TestNotationsEscapeWhatIsTheirs(t *testing.T) {
	p := Seq(Lit(`a"b\c/d.e`), Not(`""\\]]--`), Opt(Lit("xy")), Space())
	if got, want := p.Regexp(), `a"b\\c\/d\.e[^"\\\]\-](?:xy)?\s*`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := p.XSD(), `a"b\\c/d\.e[^"\\\]\-](xy)?\s*`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := p.GBNF(), `"a\"b\\c/d.e" [^"\\\]\x2d] "xy"? space`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
