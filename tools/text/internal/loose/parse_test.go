package loose_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/tools/text/internal/loose"
)

// What a text is read as, and what had to be put right for it.
func TestParse(t *testing.T) {
	for _, c := range []struct{ text, json, fixes string }{
		{`{"a":1,"b":[true,null,-2.5e3]}`, `{"a":1,"b":[true,null,-2.5e3]}`, ""},
		{`[ ]`, `[]`, ""},
		{`{"a":"\n\t\r\b\f\"\\\/"} rest`, `{"a":"\n\t\r\u0008\u000c\"\\/"}`, ""},
		{`{"a":"\u0041\u00e9\ud83d\ude00"}`, `{"a":"Aé😀"}`, ""},
		{`{"a":"\x41\'\` + "`" + `"}`, `{"a":"A'` + "`" + `"}`, "unknown escape"},
		{`{"a":"C:\dir\u12g4"}`, `{"a":"C:\\dir\\u12g4"}`, "unknown escape"},
		{"{\"a\":\"one\\\ntwo\"}", `{"a":"onetwo"}`, "unknown escape"},
		{"{\"a\":\"one\ntwo\"}", `{"a":"one\ntwo"}`, "line break in a text"},
		{`{"a":"he said "no" and went"}`, `{"a":"he said \"no\" and went"}`, "quotes inside a text"},
		{`{'a':'b'}`, `{"a":"b"}`, "single quotes"},
		{"{`a`:`b`}", `{"a":"b"}`, "single quotes"},
		{`{“a”:„b“,‘c’:«d»}`, `{"a":"b","c":"d"}`, "curly quotes"},
		{`{&quot;a&quot;:&#39;b &amp; c&#39;}`, `{"a":"b & c"}`, "HTML entities for quotes"},
		{`{"a":"""b"c"""}`, `{"a":"b\"c"}`, "line break in a text"},
		{`{a:1,$b-c.d:2}`, `{"a":1,"$b-c.d":2}`, "name without quotes"},
		{`{"a":HP}`, `{"a":"HP"}`, "text without quotes"},
		{`{"a":True,"b":False,"c":None,"d":nil,"e":undefined}`, `{"a":true,"b":false,"c":null,"d":null,"e":null}`, "Python's words"},
		{`{"a":NaN,"b":Infinity,"c":-Infinity}`, `{"a":"NaN","b":"Infinity","c":"-Infinity"}`, ""},
		{`{"a":1_000,"b":+5,"c":.5,"d":5.}`, `{"a":1000,"b":5,"c":0.5,"d":5}`, "number's form"},
		{`{"a":[1,2,],}`, `{"a":[1,2]}`, "trailing comma"},
		{"{\"a\":1\n\"b\":2}", `{"a":1,"b":2}`, "missing comma"},
		{`[{"a":1} {"b":2}]`, `[{"a":1},{"b":2}]`, "missing comma"},
		{"{/* x */\"a\":1 // y\n}", `{"a":1}`, "comment"},
		{"{\u00a0\"a\": 1}", `{"a":1}`, ""},
		{`{"a":[1,2</tool_call>`, `{"a":[1,2]}`, "missing closing bracket"},
		{"{\"a\":{\"b\":2\n```", `{"a":{"b":2}}`, "missing closing bracket"},
		{`{"a":"b"`, `{"a":"b"}`, "missing closing bracket"},
		{`{"a":["b"]`, `{"a":["b"]}`, "missing closing bracket"},
	} {
		r := loose.Parse(c.text)
		if r.Status != loose.Done {
			t.Errorf("%s: status %d", c.text, r.Status)
			continue
		}
		if got := string(r.Node.AppendJSON(nil)); got != c.json {
			t.Errorf("%s\n is read as %s\n want       %s", c.text, got, c.json)
		}
		if got := strings.Join(r.Node.Fixed.Names(), ", "); got != c.fixes {
			t.Errorf("%s\n needed %q, want %q", c.text, got, c.fixes)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		``, `a`, `"a"`, `{1:2}`, `{"a" 1}`, `{"a":}`, `[1 2]`, `{"a":1`, `{"a":`, `{"a":1,`, `{"a":"b`, `{"a":1..2}`, `[`, `{"a":"\u12`, `{"a":"\`,
		`{"a":...}`, `{"a"=1}`, "{\"a\":1,\n```", strings.Repeat("[", 49) + strings.Repeat("]", 49),
	} {
		if r := loose.Parse(text); r.Status != loose.Failed || r.Node != nil {
			t.Errorf("%s: status %d, %v", text, r.Status, r.Node)
		}
	}
	deepest := strings.Repeat("[", 48) + strings.Repeat("]", 48)
	if r := loose.Parse(deepest); r.Status != loose.Done || r.Node.End != len(deepest) {
		t.Error("48 brackets are not too many")
	}
}

// A text that goes on is waited for; what it begins with is never taken for the
// whole, nor given up.
func TestParsePartWaits(t *testing.T) {
	for _, text := range []string{
		`{"a":"\ud83d\ude00 \x41","b":[1.5,true,{"c":"d\n"}],'e':None /* f */ , g : “h”, &quot;i&quot;:&quot;j&quot;} `,
		"[\"a\" // b\n, \"c\"] ",
	} {
		whole := loose.ParsePart(text, false)
		if whole.Status != loose.Done || whole.Node.End != len(text)-1 {
			t.Fatalf("%s: %+v", text, whole)
		}
		for i := 1; i < whole.Node.End; i++ {
			if r := loose.ParsePart(text[:i], false); r.Status != loose.Short {
				t.Errorf("%q: status %d", text[:i], r.Status)
			}
		}
	}
}

func TestParseCall(t *testing.T) {
	for _, c := range []struct{ text, json, fixes string }{
		{`()`, `{}`, ""},
		{`(entity="42v3", amount: 5)`, `{"entity":"42v3","amount":5}`, ""},
		{`({"a":1})`, `{"0":{"a":1}}`, ""},
		{`("42v3", [1,2], True)`, `{"0":"42v3","1":[1,2],"2":true}`, "Python's words"},
		{`(a=1, "b")`, `{"a":1,"1":"b"}`, ""},
		{`(a={b=1})`, `{"a":{"b":1}}`, "name without quotes"},
		{`(a=1,)`, `{"a":1}`, ""},
	} {
		r := loose.ParseCall(c.text, true)
		if r.Status != loose.Done {
			t.Errorf("%s: status %d", c.text, r.Status)
			continue
		}
		if got := fmt.Sprintf("%s|%s", r.Node.AppendJSON(nil), strings.Join(r.Node.Fixed.Names(), ", ")); got != c.json+"|"+c.fixes {
			t.Errorf("%s: %s, want %s|%s", c.text, got, c.json, c.fixes)
		}
	}
	for _, text := range []string{`(entity: string)`, `(a b)`, `(a=)`, `(`, `(a`, `(a `, `(a=1`, `(a=1 b=2)`} {
		if r := loose.ParseCall(text, true); r.Status != loose.Failed {
			t.Errorf("%s: status %d, %s", text, r.Status, r.Node.AppendJSON(nil))
		}
	}
	for _, text := range []string{`(`, `(a`, `(a `, `(a=`, `(a=1`, `(a="b`, `(a="b"`, `(a="b",`} {
		if r := loose.ParseCall(text, false); r.Status != loose.Short {
			t.Errorf("%s: status %d", text, r.Status)
		}
	}
}
