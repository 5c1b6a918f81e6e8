package boundlua

import (
	"strconv"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/sandbox/internal/source"
)

var osFuncs = map[string]lua.LGFunction{
	"clock": osClock, "date": osDate, "difftime": osDifftime, "time": osTime,
}

var processStart = time.Now()

func osClock(L *lua.LState) int {
	L.Push(lua.LNumber(time.Since(processStart).Seconds()))
	return 1
}

func osDifftime(L *lua.LState) int {
	L.Push(lua.LNumber(numberArg(L, 1) - numberArg(L, 2)))
	return 1
}

func osTime(L *lua.LState) int {
	if L.Get(1) == lua.LNil {
		L.Push(lua.LNumber(time.Now().Unix()))
		return 1
	}
	t := L.CheckTable(1)
	field := func(name string, def int) int {
		switch v := t.RawGetString(name).(type) {
		case lua.LNumber:
			if v > -1e9 && v < 1e9 {
				return int(v)
			}
		case lua.LString:
			if f, ok := source.ParseNumber(string(v)); ok && f > -1e9 && f < 1e9 {
				return int(f)
			}
		case *lua.LNilType:
			if def >= 0 {
				return def
			}
		}
		L.RaiseError("field '%s' missing or not a sensible number in date table", name)
		return 0
	}
	at := time.Date(field("year", -1), time.Month(field("month", -1)), field("day", -1),
		field("hour", 12), field("min", 0), field("sec", 0), 0, time.Local)
	L.Push(lua.LNumber(at.Unix()))
	return 1
}

func osDate(L *lua.LState) int {
	format := "%c"
	if L.Get(1) != lua.LNil {
		format = TextArg(L, 1)
	}
	if len(format) > 1000 {
		L.ArgError(1, "format too long (at most 1000 bytes)")
	}
	at := time.Now()
	if L.Get(2) != lua.LNil {
		at = time.Unix(int64(intArg(L, 2)), 0)
	}
	if y := at.Year(); y < -9999 || y > 9999 {
		L.ArgError(2, "time out of range")
	}
	if format != "" && format[0] == '!' {
		at = at.UTC()
		format = format[1:]
	}
	if len(format) >= 2 && format[:2] == "*t" {
		t := L.CreateTable(0, 9)
		for name, v := range map[string]int{"year": at.Year(), "month": int(at.Month()), "day": at.Day(),
			"hour": at.Hour(), "min": at.Minute(), "sec": at.Second(), "wday": int(at.Weekday()) + 1, "yday": at.YearDay()} {
			t.RawSetString(name, lua.LNumber(v))
		}
		t.RawSetString("isdst", lua.LBool(at.IsDST()))
		L.Push(t)
		return 1
	}
	var out []byte
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			out = append(out, format[i])
			continue
		}
		i++
		out = appendDate(out, at, format[i])
	}
	L.Push(lua.LString(out))
	return 1
}

// dateLayouts are strftime's directives in Go's terms.
var dateLayouts = map[byte]string{
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'c': "Mon Jan _2 15:04:05 2006", 'd': "02",
	'D': "01/02/06", 'F': "2006-01-02", 'H': "15", 'I': "03", 'j': "002", 'm': "01", 'M': "04", 'p': "PM",
	'S': "05", 'T': "15:04:05", 'x': "01/02/06", 'X': "15:04:05", 'y': "06", 'Y': "2006", 'z': "-0700", 'Z': "MST",
}

func appendDate(out []byte, at time.Time, c byte) []byte {
	if layout, ok := dateLayouts[c]; ok {
		return at.AppendFormat(out, layout)
	}
	switch c {
	case 'w':
		return strconv.AppendInt(out, int64(at.Weekday()), 10)
	case '%':
		return append(out, '%')
	}
	return append(out, '%', c)
}
