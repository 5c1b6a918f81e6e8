package timeline

import (
	"math"
	"reflect"
)

// lane is what a word of a column holds, as far as its next value can be
// guessed: numbers in games move evenly, speed up evenly or come to rest, and
// what is written down is how far the guess was off.
type lane uint8

const (
	laneInts lane = iota // integers, bools, bytes: one number of 64 bits
	laneFloat
	lanePair // two halves of 32 bits, each a number
)

// Halves of a pair that are floats, or'ed to lanePair.
const (
	lowFloat  lane = 4
	highFloat lane = 8
	laneKind  lane = 3
)

// maxPattern bounds how many words a pattern has: rows so large are not arrays
// of numbers that move.
const maxPattern = 1 << 12

// lanesOf is the pattern of a column's words, which repeats, and a block more;
// nil: integers all.
func lanesOf(t reflect.Type) []lane {
	size := int(t.Size())
	if size == 0 {
		return nil
	}
	rows := 8 / gcd(size, 8)
	if rows*size/8 > maxPattern {
		return nil
	}
	lanes := make([]lane, rows*size/8)
	some := false
	for i := range rows {
		floats(t, i*size, func(at int, float64s bool) {
			some = true
			switch l := &lanes[at/8]; {
			case float64s && at%8 == 0:
				*l = laneFloat
			case float64s: // on machines that align them to 4 bytes
			case at%8 == 0:
				*l |= lanePair | lowFloat
			default:
				*l |= lanePair | highFloat
			}
		})
	}
	if !some {
		return nil
	}
	return repeat(lanes)
}

// repeat makes a pattern so long that from each of its places on a block's lanes
// follow.
func repeat(lanes []lane) []lane {
	n := len(lanes)
	if n == 0 {
		return nil
	}
	for len(lanes) < n+blockWords-1 {
		lanes = append(lanes, lanes[len(lanes)-n])
	}
	return lanes
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// floats calls f with the place of every float in a type.
func floats(t reflect.Type, at int, f func(at int, float64s bool)) {
	switch t.Kind() {
	case reflect.Float32:
		f(at, false)
	case reflect.Float64:
		f(at, true)
	case reflect.Complex64:
		f(at, false)
		f(at+4, false)
	case reflect.Complex128:
		f(at, true)
		f(at+8, true)
	case reflect.Struct:
		for i := range t.NumField() {
			floats(t.Field(i).Type, at+int(t.Field(i).Offset), f)
		}
	case reflect.Array:
		for i := range t.Len() {
			floats(t.Elem(), at+i*int(t.Elem().Size()), f)
		}
	}
}

// guess is the next value of a word after x, when x1, x2 and x3 came before it,
// as far as they are known: known counts them.
func (l lane) guess(x, x1, x2, x3 uint64, known int32) uint64 {
	if known == 0 {
		return x
	}
	switch l & laneKind {
	case laneFloat:
		if p := guessFloat(math.Float64frombits(x), math.Float64frombits(x1), math.Float64frombits(x2), math.Float64frombits(x3), known); p-p == 0 {
			return math.Float64bits(p)
		}
	case lanePair:
		lo := guessHalf(uint32(x), uint32(x1), uint32(x2), uint32(x3), known, l&lowFloat != 0)
		hi := guessHalf(uint32(x>>32), uint32(x1>>32), uint32(x2>>32), uint32(x3>>32), known, l&highFloat != 0)
		return uint64(hi)<<32 | uint64(lo)
	}
	return x + (x - x1)
}

func guessHalf(x, x1, x2, x3 uint32, known int32, float bool) uint32 {
	if float {
		p := float32(guessFloat(float64(math.Float32frombits(x)), float64(math.Float32frombits(x1)), float64(math.Float32frombits(x2)), float64(math.Float32frombits(x3)), known))
		if p-p == 0 {
			return math.Float32bits(p)
		}
	}
	return x + (x - x1)
}

// guessFloat goes on with what the last differences did: a constant speed, a
// speed that approaches another by a share a tick, a jump and then as before.
// Conversions keep multiplication and addition apart: fused, they would round
// otherwise on another machine.
func guessFloat(x, x1, x2, x3 float64, known int32) float64 {
	d := x - x1
	if known < 3 {
		return x + d
	}
	d1 := x1 - x2
	e, e1 := d-d1, d1-(x2-x3)
	switch s := e / e1; {
	case s >= -1.5 && s <= 1.5:
		return x + float64(d+float64(s*e))
	case math.Abs(d) > 2*math.Abs(d1):
		return x + d1
	}
	return x + d
}

// miss is how far a guess was off, as a number that is small if it was near.
func (l lane) miss(now, guess uint64) uint64 {
	if l&lanePair == 0 {
		r := now - guess
		return r<<1 ^ uint64(int64(r)>>63)
	}
	lo, hi := uint32(now)-uint32(guess), uint32(now>>32)-uint32(guess>>32)
	lo, hi = lo<<1^uint32(int32(lo)>>31), hi<<1^uint32(int32(hi)>>31)
	return spread(lo) | spread(hi)<<8
}

// mend is the value of which miss was told.
func (l lane) mend(guess, miss uint64) uint64 {
	if l&lanePair == 0 {
		return guess + (miss>>1 ^ -(miss & 1))
	}
	lo, hi := gather(miss), gather(miss>>8)
	lo, hi = lo>>1^-(lo&1), hi>>1^-(hi&1)
	return uint64(uint32(guess>>32)+hi)<<32 | uint64(uint32(guess)+lo)
}

// spread puts a byte of nothing after each byte, so that two small numbers
// together are small.
func spread(v uint32) uint64 {
	x := uint64(v)
	x = (x | x<<16) & 0x0000ffff0000ffff
	return (x | x<<8) & 0x00ff00ff00ff00ff
}

func gather(x uint64) uint32 {
	x &= 0x00ff00ff00ff00ff
	x = (x | x>>8) & 0x0000ffff0000ffff
	return uint32(x | x>>16)
}
