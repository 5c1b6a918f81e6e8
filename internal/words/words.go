// Package words makes short texts of values, for people: cut texts, rough
// durations, panic values; and numbers for answers, with no digits that mean nothing.
//
//	words.Clip(s, 200)
//
// Everything may be called from any goroutine.
package words

import (
	"fmt"
	"math"
	"reflect"
	"time"
)

// Clip cuts s at n bytes without splitting a character, and shows that it did.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}

// Roughly is a duration with no more digits than anybody reads.
func Roughly(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// Millis is a duration in milliseconds, in whole microseconds.
func Millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// Thousandths rounds to three decimals.
func Thousandths(v float64) float64 { return math.Round(v*1000) / 1000 }

// Of describes a value that JSON cannot hold. Printing what may refer to
// itself would never end: of those only the type is told.
func Of(v any) string {
	switch reflect.ValueOf(v).Kind() {
	case reflect.String, reflect.Bool, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return Clip(fmt.Sprint(v), 1024)
	}
	return fmt.Sprintf("(%T)", v)
}

// Panic is a panic value as the runtime prints it; a value whose own methods
// panic is described by its type.
func Panic(p any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("(%T whose text panics)", p)
		}
	}()
	switch v := p.(type) {
	case error:
		return Clip(v.Error(), 16<<10)
	case string:
		return Clip(v, 16<<10)
	case fmt.Stringer:
		return Clip(v.String(), 16<<10)
	}
	return Of(p)
}
