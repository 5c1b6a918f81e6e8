package builtin

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/tooltest"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/worldtools"
	"github.com/loupe-ecs/loupe/tools"
)

type cHealth struct {
	HP    int     `debug:"min=0,unit=hp" jsonschema:"hit points left"`
	Max   int     `jsonschema:"hit points at full health"`
	Spawn int     `debug:"readonly" jsonschema:"the frame it was made in"`
	Hid   float64 `debug:"hidden"`
}

type cHeal struct {
	Amount int `json:"amount" jsonschema:"how much" debug:"min=1"`
}

type cHealed struct {
	HP int `json:"hp" jsonschema:"hit points afterwards"`
}

type cVec struct{ X, Y float64 }

type cBody struct {
	Pos  cVec
	Size [2]float64
	List []float64
}

type cTag struct{}

type cGold int

func init() {
	value.Describe(
		value.Computed("Ratio", func(h *cHealth) float64 { return float64(h.HP) / float64(h.Max) }),
		value.Action("Heal", func(h *cHealth, in cHeal) (cHealed, error) {
			h.HP += in.Amount
			if h.HP > h.Max {
				return cHealed{}, fmt.Errorf("more than %d", h.Max)
			}
			return cHealed{h.HP}, nil
		}, "Heals by an amount."),
		value.Action("Explode", func(h *cHealth, _ struct{}) (struct{}, error) {
			h.HP = -99
			panic("boom")
		}),
	)
}

// componentHarness is a world with the types above and their generated tools.
func componentHarness(t *testing.T, o ComponentOptions) (*tooltest.Harness, *ComponentTools) {
	h := tooltest.New(t, worldtools.Tools(nil)...)
	ids := []arche.ID{arche.ComponentID[cHealth](h.Arche), arche.ComponentID[cBody](h.Arche), arche.ComponentID[cTag](h.Arche), arche.ComponentID[cGold](h.Arche)}
	for range 3 {
		e := h.Arche.NewEntity(ids...)
		*(*cHealth)(h.Arche.Get(e, ids[0])) = cHealth{HP: 5, Max: 20}
	}
	ct := NewComponentTools(h.Reg, o)
	ct.Update(h.World.Catalog())
	return h, ct
}

func TestConfigureHasTheWritablePropertiesAlone(t *testing.T) {
	h, _ := componentHarness(t, ComponentOptions{})
	p, ok := listing.Of(h.Reg).Lookup("cHealth_configure")
	if !ok {
		t.Fatalf("no cHealth_configure among %v", listing.Of(h.Reg).Names())
	}
	if got, want := p.Arguments, []string{"entity", "HP", "Max"}; !slices.Equal(got, want) {
		t.Errorf("arguments %v, want %v", got, want)
	}
	var s struct {
		MinProperties int
		Required      []string
		Properties    map[string]struct{ Minimum *float64 }
	}
	if err := json.Unmarshal(p.Input, &s); err != nil {
		t.Fatal(err)
	}
	if s.MinProperties != 2 || !slices.Equal(s.Required, []string{"entity"}) || s.Properties["HP"].Minimum == nil || *s.Properties["HP"].Minimum != 0 {
		t.Errorf("schema %s", p.Input)
	}
	if p.Spec.Meta["schemaID"] != value.TypeOf(reflect.TypeFor[cHealth]()).SchemaID {
		t.Error("the tool does not carry the type's identity")
	}
	if _, ok := listing.Of(h.Reg).Lookup("cTag_configure"); ok {
		t.Error("a tag has nothing to configure")
	}
}

func TestConfigureChangesWhatIsNamed(t *testing.T) {
	h, _ := componentHarness(t, ComponentOptions{})
	e := h.FirstEntity()
	if r, err := h.Call("cHealth_configure", map[string]any{"entity": e, "HP": 2}); err != nil || fmt.Sprint(r["changed"]) != "1" {
		t.Fatalf("got %v, %v", r, err)
	}
	if r, err := h.Call("cBody_configure", map[string]any{"entity": e, "Size": "2 3", "Pos": []int{4, 5}}); err != nil {
		t.Fatalf("vectors as text and as a list: %v, %v", r, err)
	}
	if _, err := h.Call("cGold_configure", map[string]any{"entity": e, "value": 7}); err != nil {
		t.Fatal(err)
	}
	r, _ := h.Call("info", map[string]any{"entity": e})
	got, _ := json.Marshal(r["components"])
	for _, want := range []string{`"HP":2,"Max":20`, `"Size":[2,3]`, `"Pos":{"X":4,"Y":5}`, `"cGold":7`} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
}

func TestConfigureRefusals(t *testing.T) {
	h, _ := componentHarness(t, ComponentOptions{})
	e := h.FirstEntity()
	dead, _ := h.OK("spawn", map[string]any{"components": map[string]any{"cTag": map[string]any{}}})["entity"].(string)
	h.OK("despawn", map[string]any{"entity": dead})
	for name, tt := range map[string]struct {
		tool    string
		args    map[string]any
		code    refusal.Code
		mention string
	}{
		"unknown":     {"cHealth_configure", map[string]any{"entity": e, "HQ": 1}, refusal.InvalidArguments, "HP"},
		"nothing":     {"cHealth_configure", map[string]any{"entity": e}, refusal.InvalidArguments, "at least one"},
		"no entity":   {"cHealth_configure", map[string]any{"HP": 1}, refusal.InvalidArguments, "entity"},
		"range":       {"cHealth_configure", map[string]any{"entity": e, "HP": -4}, refusal.InvalidArguments, "-4"},
		"type":        {"cHealth_configure", map[string]any{"entity": e, "HP": "many"}, refusal.InvalidArguments, "many"},
		"computed":    {"cHealth_configure", map[string]any{"entity": e, "Ratio": 1}, refusal.InvalidArguments, "computed"},
		"read-only":   {"cHealth_configure", map[string]any{"entity": e, "Spawn": 1}, refusal.InvalidArguments, "read-only"},
		"dead":        {"cHealth_configure", map[string]any{"entity": dead, "HP": 1}, refusal.EntityDead, dead},
		"bare id":     {"cHealth_configure", map[string]any{"entity": "1", "HP": 1}, refusal.InvalidArguments, "1"},
		"list vector": {"cBody_configure", map[string]any{"entity": e, "Size": "2 3 4"}, refusal.InvalidArguments, "Size"},
		"text list":   {"cBody_configure", map[string]any{"entity": e, "List": "2 3"}, refusal.InvalidArguments, "List"},
	} {
		t.Run(name, func(t *testing.T) {
			before, _ := h.Call("info", map[string]any{"entity": e})
			_, err := h.Call(tt.tool, tt.args)
			if err == nil || err.Code != tt.code {
				t.Fatalf("got %v, want the code %s", err, tt.code)
			}
			text, _ := json.Marshal(err)
			if !strings.Contains(err.Message+string(text), tt.mention) {
				t.Errorf("%q does not mention %q", err.Message, tt.mention)
			}
			after, _ := h.Call("info", map[string]any{"entity": e})
			delete(before, "frame")
			delete(after, "frame")
			if !reflect.DeepEqual(before, after) {
				t.Errorf("a refused call changed the entity: %v -> %v", before, after)
			}
		})
	}
}

func TestActionsRunInPlaceAndUndoWhatFails(t *testing.T) {
	h, _ := componentHarness(t, ComponentOptions{})
	e := h.FirstEntity()
	if r, err := h.Call("cHealth_Heal", map[string]any{"entity": e, "amount": 3}); err != nil || fmt.Sprint(r["hp"]) != "8" {
		t.Fatalf("got %v, %v; want 8 hit points", r, err)
	}
	if _, err := h.Call("cHealth_Heal", map[string]any{"entity": e, "amount": 100}); err == nil || !strings.Contains(err.Message, "more than 20") {
		t.Errorf("got %v, want the action's own refusal", err)
	}
	if _, err := h.Call("cHealth_Heal", map[string]any{"entity": e}); err == nil || !errors.Is(err, refusal.InvalidArguments) {
		t.Errorf("a missing parameter: %v", err)
	}
	if _, err := h.Call("cHealth_Heal", map[string]any{"entity": e, "amount": 0}); err == nil || !errors.Is(err, refusal.InvalidArguments) {
		t.Errorf("below the minimum: %v", err)
	}
	if _, err := h.Call("cHealth_Explode", map[string]any{"entity": e}); err == nil || err.Code != refusal.Panicked || !strings.Contains(err.Message, "boom") {
		t.Errorf("got %v, want the panic as a refusal", err)
	}
	r, _ := h.Call("info", map[string]any{"entity": e})
	if got, _ := json.Marshal(r["components"]); !strings.Contains(string(got), `"HP":8`) {
		t.Errorf("failed actions left something behind: %s", got)
	}
}

// wide makes n component types at run time.
func wide(w *arche.World, n int) []arche.ID {
	var ids []arche.ID
	for i := range n {
		fields := []reflect.StructField{
			{Name: "Speed", Type: reflect.TypeFor[float64](), Tag: `debug:"min=0,unit=px/s" jsonschema:"how fast it goes"`},
			{Name: fmt.Sprintf("Field%d", i), Type: reflect.TypeFor[int](), Tag: `jsonschema:"a number that has a meaning of its own"`},
		}
		ids = append(ids, arche.TypeID(w, reflect.StructOf(fields)))
	}
	return ids
}

func TestAutoListsAtMost24AndAnnouncesOncePerBurst(t *testing.T) {
	h := tooltest.New(t, worldtools.Tools(nil)...)
	ids := wide(h.Arche, 200)
	ct := NewComponentTools(h.Reg, ComponentOptions{})
	announced := 0
	defer h.Reg.Watch(func() { announced++ })()
	listed := func() (n int) {
		for _, p := range listing.Of(h.Reg).Listed() {
			if p.Spec.Group == "components" {
				n++
			}
		}
		return n
	}
	ct.Update(h.World.Catalog())
	if n := listed(); n != 0 || announced != 0 {
		t.Fatalf("an empty world: %d listed, %d announcements", n, announced)
	}
	es := []arche.Entity{}
	for _, id := range ids {
		es = append(es, h.Arche.NewEntity(id))
	}
	ct.Update(h.World.Catalog())
	if n := listed(); n == 0 || n > MaxListed || announced != 1 {
		t.Fatalf("200 types that live: %d listed, %d announcements", n, announced)
	}
	if n := len(listing.Of(h.Reg).Tools); n < 200 {
		t.Errorf("%d tools can be called, want one for each of the 200 types", n)
	}
	bytes := 0
	for _, p := range listing.Of(h.Reg).Listed() {
		bytes += len(p.Entry(false, false))
	}
	t.Logf("listing of a world with 200 component types: %d bytes", bytes)
	h.Arche.NewEntity(ids[0])
	ct.Update(h.World.Catalog())
	for _, e := range es {
		h.Arche.RemoveEntity(e)
	}
	before := listed()
	ct.Update(h.World.Catalog())
	if n := listed(); n != before || announced != 1 {
		t.Errorf("more of the same, then the last one's death: %d listed (was %d), %d announcements", n, before, announced)
	}
	ct.Clear()
	if n := len(listing.Of(h.Reg).Tools); n != len(worldtools.Tools(nil)) {
		t.Errorf("%d tools are left", n)
	}
}

func TestListPolicies(t *testing.T) {
	for policy, want := range map[ListPolicy]int{ListAll: 5, ListNone: 0, "cGold": 1, "cGold, cHealth": 4, "nobody": 0} {
		h, _ := componentHarness(t, ComponentOptions{List: policy})
		n := 0
		for _, p := range listing.Of(h.Reg).Listed() {
			if p.Spec.Group == "components" {
				n++
			}
		}
		if n != want {
			t.Errorf("%s: %d listed, want %d", policy, n, want)
		}
	}
}

func TestGeneratedNamesAreUniqueAndClean(t *testing.T) {
	h := tooltest.New(t, worldtools.Tools(nil)...)
	h.Reg.MustRegister(&tools.Tool{Spec: tools.Spec{Name: "cGold_configure", Description: "The host's own tool of that name."},
		Handler: tools.HandlerFunc(func(*tools.Frame, json.RawMessage) (any, error) { return nil, nil })})
	type cGold struct{ Coins int } // shares its short name with the package's
	for _, typ := range []reflect.Type{reflect.TypeFor[cGold](), reflect.TypeOf(goldOfPackage(0)), reflect.TypeFor[pairOf[map[string]int, []cHealth]]()} {
		h.Arche.NewEntity(arche.TypeID(h.Arche, typ))
	}
	ct := NewComponentTools(h.Reg, ComponentOptions{Prefix: "g."})
	ct.Update(h.World.Catalog())
	seen := map[string]bool{}
	n := 0
	for _, p := range listing.Of(h.Reg).Tools {
		if p.Spec.Group == "components" {
			n++
			if !strings.HasPrefix(p.Spec.Name, "g_") || len(p.Spec.Name) > 48 || seen[p.Spec.Name] {
				t.Errorf("name %q", p.Spec.Name)
			}
			seen[p.Spec.Name] = true
		}
	}
	if n != 3 {
		t.Errorf("%d configure tools for three types: %v", n, seen)
	}
}

type goldOfPackage = cGold

type pairOf[A, B any] struct {
	First  A
	Second B
}

func BenchmarkAutoUpdate(b *testing.B) {
	h := tooltest.New(b)
	for _, id := range wide(h.Arche, 200) {
		h.Arche.NewEntity(id)
	}
	ct := NewComponentTools(h.Reg, ComponentOptions{})
	ct.Update(h.World.Catalog())
	cat := h.World.Catalog()
	other := *cat
	for i := 0; b.Loop(); i++ {
		// Two catalogs in turn: nothing new, but not the same pointer.
		if i%2 == 0 {
			ct.Update(cat)
		} else {
			ct.Update(&other)
		}
	}
}
