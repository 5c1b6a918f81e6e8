package builtin

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/tooltest"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

var update = flag.Bool("update", false, "rewrite generated files")

// everything registers all built-in tools, those of every subsystem included.
func everything(t *testing.T) *tools.Registry {
	t.Helper()
	h := &offHost{registry: tools.NewRegistry()}
	all := New(h)
	h.registry.MustRegister(all.Always...)
	for _, s := range all.Subsystems {
		h.registry.MustRegister(s.Tools...)
	}
	return h.registry
}

func TestSubsystemsAreAbsentUnlessProvided(t *testing.T) {
	for _, s := range New(&offHost{registry: tools.NewRegistry()}).Subsystems {
		if s.In(&host.App{}) || s.In(nil) || len(s.Tools) == 0 || s.Provide == "" {
			t.Errorf("%s: present in an app without parts, or without tools or a word on what to provide", s.Name)
		}
	}
}

func TestDocsOfToolsAreUpToDate(t *testing.T) {
	const path = "../../../docs/tools.md"
	want := Reference(listing.Of(everything(t)))
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range w {
		if i >= len(g) || g[i] != w[i] {
			t.Fatalf("docs/tools.md is stale (make docs writes it); line %d should be\n%s", i+1, w[i])
		}
	}
	t.Fatal("docs/tools.md is stale (make docs writes it): it is longer than it should be")
}

func TestEveryToolIsDocumentedInItsDeclaration(t *testing.T) {
	for _, p := range listing.Of(everything(t)).Tools {
		if p.Spec.Group == "" || p.Spec.Group == "custom" {
			t.Errorf("%s has no group", p.Spec.Name)
		}
		if n := strings.Count(strings.TrimSuffix(p.Spec.Description, "."), ". "); n > 2 || len(p.Spec.Description) > 260 {
			t.Errorf("%s: the description is more than two or three sentences: %q", p.Spec.Name, p.Spec.Description)
		}
		for _, schema := range []json.RawMessage{p.Input, tooltest.OrEmptyObject(p.Output)} {
			var s struct {
				Properties map[string]struct{ Description string }
			}
			if err := json.Unmarshal(schema, &s); err != nil {
				t.Fatal(err)
			}
			for name, prop := range s.Properties {
				if prop.Description == "" {
					t.Errorf("%s: the property %s has no description", p.Spec.Name, name)
				}
			}
		}
		if picture := p.Spec.Name == "screenshot" || p.Spec.Name == "history_plot"; picture != (p.Output == nil) || bytes.Equal(p.Output, []byte(`{"type":"object"}`)) {
			t.Errorf("%s: its output schema is %s", p.Spec.Name, p.Output)
		}
		if p.Spec.Example != "" {
			var args map[string]json.RawMessage
			if err := json.Unmarshal([]byte(p.Spec.Example), &args); err != nil {
				t.Errorf("%s: the example is no object: %s", p.Spec.Name, p.Spec.Example)
			}
		}
	}
}

// listingBytes is the size of a listing as a client sees it that writes JSON
// with spaces and escapes: more than the bytes on the wire.
func listingBytes(ps []*listing.Tool) int {
	n := 2
	for _, p := range ps {
		n += spacedLen(p.Entry(false, false)) + 2
	}
	return n
}

func spacedLen(b []byte) int {
	n, quoted := len(b), false
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '\\' && quoted:
			i++
		case b[i] == '"':
			quoted = !quoted
		case !quoted && (b[i] == ',' || b[i] == ':'):
			n++
		case b[i] >= utf8.RuneSelf && utf8.RuneStart(b[i]):
			_, size := utf8.DecodeRune(b[i:])
			n += 6 - size
		}
	}
	return n
}

// maxListing bounds what a client pays for the example game's whole listing, as
// it counts that writes JSON with spaces.
const maxListing = 44 << 10

func TestTheWholeListingLeavesRoomForGeneratedTools(t *testing.T) {
	n := listingBytes(listing.Of(everything(t)).Listed())
	t.Logf("built-in tools: %d bytes", n)
	if most := maxListing - MaxListedBytes; n > most {
		t.Errorf("the built-in tools list as %d bytes; with the generated ones a listing may have %d: at most %d", n, maxListing, most)
	}
}
