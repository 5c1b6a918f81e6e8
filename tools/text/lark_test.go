package text_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/loupe-ecs/loupe/tools/text"
	"github.com/loupe-ecs/loupe/tools/text/internal/form"
)

// python is Debian's, which has Debian's lark.
const python = "/usr/bin/python3"

// larkScript parses each text of a JSON list and prints the list of verdicts.
const larkScript = `
import json, sys, lark
grammar, texts, parser = open(sys.argv[1]).read(), json.load(open(sys.argv[2])), sys.argv[3]
p = lark.Lark(grammar, start="start", parser=parser)
out = []
for t in texts:
    try:
        p.parse(t)
        out.append(True)
    except lark.exceptions.LarkError:
        out.append(False)
print(json.dumps(out))
`

func larkAccepts(t *testing.T, grammar, parser string, texts []string) []bool {
	t.Helper()
	need(t, python, "-c", "import lark")
	dir := t.TempDir()
	list, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"t.py": []byte(larkScript), "t.lark": []byte(grammar), "t.json": list} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, filepath.Join(dir, "t.py"), filepath.Join(dir, "t.lark"), filepath.Join(dir, "t.json"), parser)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", parser, err, stderr.Bytes()[max(0, stderr.Len()-1500):])
	}
	var verdicts []bool
	if err := json.Unmarshal(out, &verdicts); err != nil {
		t.Fatal(err)
	}
	return verdicts
}

// grammarTexts are texts of calls in the forms that grammars know, and texts
// that are none; right tells them apart.
func grammarTexts(t *testing.T, l *text.Listing, n int) (texts []string, right []bool) {
	t.Helper()
	g := newGenerator(l, 7)
	g.plain = true
	write := func() string {
		tool, s, args := g.call()
		if g.IntN(2) == 0 {
			return form.XML(tool.Name, s, args)
		}
		return form.JSON(tool.Name, s, args)
	}
	for i := range n {
		one := write()
		switch {
		case i%5 == 4: // several
			one += "\n" + write() + write()
		case i%5 == 3: // a wrong one
			for {
				one = g.mutated()
				if ok, err := accepted(t, l, one); !ok && !leftToChecks(err) {
					break
				}
			}
		}
		texts, right = append(texts, one), append(right, i%5 != 3)
	}
	texts = append(texts, "", "no call", "<heal", `<heal entity="42v3" HP="7"/> and prose`, `{"tool":"heal"}`)
	return texts, append(right, false, false, false, false, false)
}

// leftToChecks tells refusals that no grammar can make: of what a text holds.
func leftToChecks(err error) bool {
	return err != nil && (bytes.Contains([]byte(err.Error()), []byte("base64")) || bytes.Contains([]byte(err.Error()), []byte("does not match")) ||
		bytes.Contains([]byte(err.Error()), []byte("fit the schema")) || bytes.Contains([]byte(err.Error()), []byte("entity")))
}

func TestLarkReadsCalls(t *testing.T) {
	l := listing(t)
	texts, right := grammarTexts(t, l, calls(t, 200))
	grammar, err := l.Grammar(text.Lark, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, parser := range []string{"lalr", "earley"} {
		t.Run(parser, func(t *testing.T) {
			for i, ok := range larkAccepts(t, grammar, parser, texts) {
				if ok != right[i] {
					t.Errorf("%v, want %v: %s", ok, right[i], texts[i])
				}
			}
		})
	}
}

func TestAFragmentIsAGrammar(t *testing.T) {
	l := listing(t)
	for _, tool := range l.Tools() {
		g, err := tool.Grammar(text.Lark)
		if err != nil {
			t.Fatal(err)
		}
		if tool.Name == "heal" || tool.Name == "send" {
			if got := larkAccepts(t, g, "lalr", []string{tool.ExampleXML(), tool.ExampleJSON(), "<stats/>"}); !got[0] || !got[1] || got[2] {
				t.Errorf("%s: %v of\n%s\n%s", tool.Name, got, tool.ExampleXML(), tool.ExampleJSON())
			}
		}
	}
}
