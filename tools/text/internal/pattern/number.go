package pattern

import (
	"math/big"
	"strings"
)

// Whole matches the integers from min to max without leading zeros; "" is
// unbounded. Neither may have a fraction.
func Whole(min, max string) P {
	low, high := bound(min), bound(max)
	switch {
	case low != nil && high != nil && low.Cmp(high) > 0:
		return Class("") // nothing
	case low != nil && low.Sign() >= 0:
		return upward(low, high)
	case high != nil && high.Sign() < 0:
		return Seq(Lit("-"), upward(new(big.Int).Neg(high), negated(low)))
	}
	zero := new(big.Int)
	one := big.NewInt(1)
	negative := Seq(Lit("-"), upward(one, negated(low)))
	return Alt(upward(zero, high), negative)
}

func bound(s string) *big.Int {
	if s == "" {
		return nil
	}
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		// 1e+25: beyond what integers are compared with.
		f, _, err := big.ParseFloat(s, 10, 200, big.ToNearestEven)
		if err != nil {
			return nil
		}
		n, _ = f.Int(nil)
	}
	return n
}

func negated(n *big.Int) *big.Int {
	if n == nil {
		return nil
	}
	return new(big.Int).Neg(n)
}

// upward matches low to high, neither negative; a nil high is unbounded. Longer
// numbers come first: the engines that Lark and others use take the first
// alternative that fits, not the longest.
func upward(low, high *big.Int) P {
	lo := low.String()
	if high == nil {
		// As many digits from low up, or more digits.
		more := Seq(Class("19"), Rep(Digit(), len(lo), -1))
		return Alt(more, digits(lo, strings.Repeat("9", len(lo))))
	}
	hi := high.String()
	var alts []P
	for n := len(hi); n >= len(lo); n-- {
		from, to := lo, hi
		if n > len(lo) {
			from = "1" + strings.Repeat("0", n-1)
		}
		if n < len(hi) {
			to = strings.Repeat("9", n)
		}
		alts = append(alts, digits(from, to))
	}
	return Alt(alts...)
}

// digits matches the numbers from lo to hi, which have as many digits.
func digits(lo, hi string) P {
	if lo == hi {
		return Lit(lo)
	}
	if len(lo) == 1 {
		return Class(lo + hi)
	}
	if lo[0] == hi[0] {
		return Seq(Lit(lo[:1]), digits(lo[1:], hi[1:]))
	}
	rest := len(lo) - 1
	zeros, nines := strings.Repeat("0", rest), strings.Repeat("9", rest)
	var alts []P
	first, last := lo[0], hi[0]
	if lo[1:] != zeros {
		alts = append(alts, Seq(Lit(lo[:1]), digits(lo[1:], nines)))
		first++
	}
	if hi[1:] != nines {
		last--
	}
	if first <= last {
		alts = append(alts, Seq(Class(string([]byte{first, last})), Rep(Digit(), rest, rest)))
	}
	if hi[1:] != nines {
		alts = append(alts, Seq(Lit(hi[:1]), digits(zeros, hi[1:])))
	}
	return Alt(alts...)
}

// Decimal matches the JSON numbers from min to max as far as a pattern can: the
// bounds are exact where they are whole; where they are not, it lets pass what
// has the same whole part. Only unbounded numbers have exponents.
func Decimal(min, max string) P {
	fraction := Seq(Lit("."), Some(Digit()))
	if min == "" && max == "" {
		exponent := Seq(Class("eeEE"), Opt(Class("++--")), Some(Digit()))
		return Seq(Opt(Lit("-")), Whole("0", ""), Opt(fraction), Opt(exponent))
	}
	low, high := bound(whole(min, -1)), bound(whole(max, 1))
	var alts []P
	if high == nil || high.Sign() > 0 || high.Sign() == 0 && (low == nil || low.Sign() <= 0) {
		from := new(big.Int)
		if low != nil && low.Sign() > 0 {
			from = low
		}
		alts = append(alts, magnitude(from, high, fraction))
	}
	if low == nil || low.Sign() < 0 {
		from := new(big.Int)
		if high != nil && high.Sign() < 0 {
			from = negated(high)
		}
		alts = append(alts, Seq(Lit("-"), magnitude(from, negated(low), fraction)))
	}
	return Alt(alts...)
}

// magnitude matches low to high with fractions; high itself has none but zeros.
func magnitude(low, high *big.Int, fraction P) P {
	if high == nil {
		return Seq(upward(low, nil), Opt(fraction))
	}
	end := Seq(Lit(high.String()), Opt(Seq(Lit("."), Some(Lit("0")))))
	below := new(big.Int).Sub(high, big.NewInt(1))
	if below.Cmp(low) < 0 {
		return end
	}
	return Alt(end, Seq(upward(low, below), Opt(fraction)))
}

// whole rounds a bound away from the inside.
func whole(s string, direction int) string {
	if s == "" {
		return ""
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return ""
	}
	n := new(big.Int).Quo(r.Num(), r.Denom())
	if !r.IsInt() && r.Sign() == direction {
		n.Add(n, big.NewInt(int64(direction)))
	}
	if len(n.String()) > 25 {
		return "" // the largest float: no bound that a pattern should spell out
	}
	return n.String()
}
