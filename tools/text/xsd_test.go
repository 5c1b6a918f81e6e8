package text_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/tools/text"
)

// calls is how many calls are generated: LOUPE_CALLS says otherwise.
func calls(t testing.TB, otherwise int) int {
	t.Helper()
	s := os.Getenv("LOUPE_CALLS")
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// need tells that a program is missing that the tests compare with: they are
// nothing without it.
func need(t testing.TB, program string, args ...string) {
	t.Helper()
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s\n(Debian: apt-get install libxml2-utils python3-lark)", program, args, err, out)
	}
}

// xmllint tells which documents a schema accepts.
func xmllint(t *testing.T, schema string, docs []string) []bool {
	t.Helper()
	need(t, "xmllint", "--version")
	dir := t.TempDir()
	file := filepath.Join(dir, "tools.xsd")
	if err := os.WriteFile(file, []byte(schema), 0o600); err != nil {
		t.Fatal(err)
	}
	valid := make([]bool, len(docs))
	const batch = 1000
	for from := 0; from < len(docs); from += batch {
		args := []string{"--noout", "--schema", file}
		for i, d := range docs[from:min(len(docs), from+batch)] {
			name := filepath.Join(dir, strconv.Itoa(from+i)+".xml")
			if err := os.WriteFile(name, []byte(d), 0o600); err != nil {
				t.Fatal(err)
			}
			args = append(args, name)
		}
		var out bytes.Buffer
		cmd := exec.Command("xmllint", args...)
		cmd.Stderr, cmd.Stdout = &out, &out
		_ = cmd.Run() // it fails if one document does
		if strings.Contains(out.String(), "Schemas parser error") {
			t.Fatalf("the schema is none:\n%s", out.String()[:min(out.Len(), 2000)])
		}
		for line := range strings.Lines(out.String()) {
			if name, ok := strings.CutSuffix(strings.TrimSpace(line), ".xml validates"); ok {
				i, err := strconv.Atoi(filepath.Base(name))
				if err != nil {
					t.Fatal(err)
				}
				valid[i] = true
			}
		}
	}
	return valid
}

// accepted tells whether a document is a call that the checks let pass.
func accepted(t *testing.T, l *text.Listing, doc string) (bool, error) {
	t.Helper()
	found, err := l.Extract(doc)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].Status != text.Call || found[0].End != int64(len(doc)) {
		return false, nil
	}
	return found[0].Err == nil, found[0].Err
}

func TestTheSchemaAndTheChecksAgree(t *testing.T) {
	l := listing(t)
	g := newGenerator(l, 1)
	n := calls(t, 2000)
	docs := make([]string, 0, n)
	for i := range n {
		if i%2 == 0 {
			docs = append(docs, g.right())
		} else {
			docs = append(docs, g.mutated())
		}
	}
	valid := xmllint(t, l.XSD(1<<20), docs)
	rights, wrongs, faults := 0, 0, 0
	for i, d := range docs {
		ok, err := accepted(t, l, d)
		if ok != valid[i] {
			if faults++; faults <= 10 {
				t.Errorf("the schema says %v, the checks %v (%v) of\n%s", valid[i], ok, err, d)
			}
		}
		if i%2 == 0 && !ok {
			t.Errorf("a right call is refused (%v):\n%s", err, d)
		}
		if ok {
			rights++
		} else {
			wrongs++
		}
	}
	t.Logf("%d calls: %d right, %d wrong, %d disagreements", n, rights, wrongs, faults)
	if wrongs < n/8 {
		t.Errorf("only %d of %d calls are wrong: the mutations mutate nothing", wrongs, n)
	}
}
