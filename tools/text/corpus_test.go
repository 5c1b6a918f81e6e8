package text_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/tools/text"
)

// sample is a text in some manner of writing, and the calls that are in it.
type sample struct {
	name, text string
	want       []wanted
}

type wanted struct {
	status, tool string
	args         any
}

// corpus reads testdata/corpus: for each sample a line "=== name", its text,
// and a line "--- status tool arguments" for each call.
func corpus(t testing.TB) []sample {
	t.Helper()
	files, err := filepath.Glob("testdata/corpus/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus", err)
	}
	var all []sample
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for part := range strings.SplitSeq("\n"+string(b), "\n=== ") {
			name, body, ok := strings.Cut(part, "\n")
			if !ok || name == "" {
				continue
			}
			lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
			s := sample{name: name}
			for len(lines) > 0 && strings.HasPrefix(lines[len(lines)-1], "--- ") {
				f := strings.SplitN(lines[len(lines)-1], " ", 4)
				w := wanted{status: f[1], tool: f[2]}
				if err := json.Unmarshal([]byte(f[3]), &w.args); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				s.want = append([]wanted{w}, s.want...)
				lines = lines[:len(lines)-1]
			}
			s.text = strings.Join(lines, "\n")
			all = append(all, s)
		}
	}
	return all
}

func TestEveryCallOfTheCorpusIsFound(t *testing.T) {
	l := listing(t)
	samples := corpus(t)
	if len(samples) < 300 {
		t.Errorf("the corpus has %d samples", len(samples))
	}
	for _, s := range samples {
		found, err := l.Extract(s.text)
		if err != nil {
			t.Fatal(err)
		}
		checkFound(t, s, found)
		// In pieces, the same: every call as soon as it is complete.
		if strings.HasPrefix(s.name, "thoughts") {
			continue // one that begins within a thought has to be told so
		}
		sc := l.NewScanner(false)
		var pieces []text.Found
		for i := 0; i < len(s.text); i += 3 {
			pieces = append(pieces, sc.Feed(s.text[i:min(len(s.text), i+3)])...)
		}
		pieces = append(pieces, sc.Close()...)
		if !reflect.DeepEqual(pieces, found) && len(pieces)+len(found) > 0 {
			t.Errorf("%s: in pieces %+v\nat once %+v", s.name, pieces, found)
		}
	}
}

func checkFound(t *testing.T, s sample, found []text.Found) {
	t.Helper()
	var got []wanted
	for _, f := range found {
		w := wanted{status: string(f.Status), tool: f.Tool}
		if err := json.Unmarshal(f.Arguments, &w.args); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		got = append(got, w)
		if f.Status == text.Call && f.Err != nil {
			t.Errorf("%s: refused: %v", s.name, f.Err)
		}
		if f.Start < 0 || f.End > int64(len(s.text)) || f.Start >= f.End {
			t.Errorf("%s: at %d to %d of %d", s.name, f.Start, f.End, len(s.text))
		}
	}
	if !reflect.DeepEqual(got, s.want) {
		t.Errorf("%s: found %v\nwant %v\nin %s", s.name, got, s.want, s.text)
	}
}
