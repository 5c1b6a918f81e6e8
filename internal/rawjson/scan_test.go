package rawjson

import (
	"encoding/json"
	"fmt"
	"testing"
)

func TestHas(t *testing.T) {
	for object, want := range map[string]bool{
		`{"at":-60}`: true, `{"at":null}`: false, `{"b":{"at":1}}`: false, `{ "x" : [1,"at"], "at" : "@3" }`: true,
		``: false, `{"at"`: false, `{"at":`: false, `[{"at":1}]`: false,
	} {
		if got := Has([]byte(object), "at"); got != want {
			t.Errorf("Has(%s) is %v", object, got)
		}
	}
}

// What Skip accepts is JSON, and what it refuses is not.
func FuzzSkip(f *testing.F) {
	for _, s := range []string{`{"a":[1,-2.5e3,"\u00e9\n"],"b":null}`, `"\ud800"`, `01`, `[1,]`, "\"\x01\"", `{"a":1}x`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		end, err := Skip(b, 0)
		ok := err == nil && SkipSpace(b, end) == len(b)
		if err != nil && err.Error() == errDepth.Error() {
			return
		}
		if ok != json.Valid(b) {
			t.Fatalf("%q: %v, and encoding/json says %v", b, err, json.Valid(b))
		}
	})
}

// What AppendString writes is the string again.
func FuzzAppendString(f *testing.F) {
	f.Add("a\"\\\n\x00\u2028\xff\U0001F600")
	f.Fuzz(func(t *testing.T, s string) {
		var back string
		if err := json.Unmarshal(AppendString(nil, s), &back); err != nil {
			t.Fatal(err)
		}
		var want string
		b, _ := json.Marshal(s)
		_ = json.Unmarshal(b, &want)
		if back != want {
			t.Fatalf("%q became %q", s, back)
		}
	})
}

func Example() {
	body := []byte(`{"id": 7, "params": {"name":"ping"}}`)
	name, _ := Text(Member(Member(body, "params"), "name"))
	fmt.Println(string(Member(body, "id")), name)
	// Output: 7 ping
}
