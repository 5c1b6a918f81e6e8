package builtin

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/tools"
)

type nPlace struct{ cVec }

type nVitals struct {
	HP  int `debug:"min=0"`
	Max int `debug:"min=1,unit=hp"`
	Box struct{ W, H float64 }
}

type nAim struct{ At arche.Entity }

type nAimed struct {
	Who  arche.Entity `json:"who" jsonschema:"whom it aims at"`
	Odds float64      `json:"odds" jsonschema:"to hit"`
}

func init() {
	value.Describe(value.Action("Look", func(a *nAim, _ struct{}) (nAimed, error) {
		zero := 0.0
		return nAimed{a.At, zero / zero}, nil
	}))
}

func newcomer(t *testing.T) (*harness, string) {
	h := newHarness(t, worldTools()...)
	arche.AddResource(h.arche, &snapScore{Points: 1})
	h.arche.NewEntity(arche.ComponentID[nPlace](h.arche), arche.ComponentID[nVitals](h.arche), arche.ComponentID[nAim](h.arche))
	NewComponentTools(h.reg, ComponentOptions{}).Update(h.world.Catalog())
	return h, h.firstEntity()
}

func TestSpawnTakesWhatModifyTakes(t *testing.T) {
	h, e := newcomer(t)
	h.ok("modify", obj{"entity": e, "component": "nPlace", "values": obj{"X": 7}})
	h.ok("nPlace_configure", obj{"entity": e, "Y": 8})
	h.ok("set", obj{"entity": e, "component": "nPlace", "value": obj{"X": 1}})
	out := h.ok("spawn", obj{"components": obj{"nPlace": obj{"X": 1, "Y": 2}, "nVitals": obj{"HP": 3}}})
	b, _ := json.Marshal(out["entities"].([]any)[0].(map[string]any)["values"])
	if want := `{"nPlace":{"cVec":{"X":1,"Y":2}},"nVitals":{"Box":{"H":0,"W":0},"HP":3,"Max":1}}`; string(b) != want {
		t.Errorf("got %s, want %s", b, want)
	}
	h.refused("spawn", obj{"components": obj{"nVitals": obj{"HP": 3, "Max": 0}}}, refusal.InvalidArguments)
}

func TestConfigureAsksForNoPartOfAPart(t *testing.T) {
	h, e := newcomer(t)
	p, _ := h.reg.Listing().Lookup("nVitals_configure")
	if strings.Contains(string(p.Input), `"required":["W"`) || !strings.Contains(string(p.Input), `"in hp"`) {
		t.Errorf("schema %s", p.Input)
	}
	h.ok("nVitals_configure", obj{"entity": e, "Box": obj{"W": 2}})
	c, _ := h.world.Catalog().Component("nVitals")
	if d := document(c, nil); strings.Contains(string(d.Properties["Box"]), "required") {
		t.Errorf("document %s", d.Properties["Box"])
	}
}

// The harness holds the answer against the schema.
func TestActionAnswersNoEntityAndNoNumber(t *testing.T) {
	h, e := newcomer(t)
	if out := h.ok("nAim_Look", obj{"entity": e}); out["who"] != nil || out["odds"] != "NaN" {
		t.Errorf("got %v", out)
	}
}

func TestUnknownPropertiesCarryTheOptions(t *testing.T) {
	h, e := newcomer(t)
	for name, err := range map[string]*refusal.Error{
		"modify":    h.refused("modify", obj{"entity": e, "component": "nVitals", "values": obj{"Mxa": 2}}, refusal.UnknownField),
		"configure": h.refused("nVitals_configure", obj{"entity": e, "Mxa": 2}, refusal.InvalidArguments),
		"set":       h.refused("set", obj{"entity": e, "component": "nVitals", "value": obj{"Mxa": 2}}, refusal.UnknownField),
	} {
		if len(err.Options) == 0 || err.Options[0] != "Max" || err.Total < 3 {
			t.Errorf("%s: options %v of %d", name, err.Options, err.Total)
		}
	}
}

func TestAResourceIsNoComponent(t *testing.T) {
	h, e := newcomer(t)
	for name, err := range map[string]*refusal.Error{
		"with":   h.refused("query", obj{"with": "snapScore"}, refusal.UnknownComponent),
		"where":  h.refused("query", obj{"where": "snapScore.Points > 1"}, refusal.UnknownComponent),
		"spawn":  h.refused("spawn", obj{"components": obj{"snapScore": obj{}}}, refusal.UnknownComponent),
		"modify": h.refused("modify", obj{"entity": e, "component": "snapScore", "values": obj{"Points": 1}}, refusal.UnknownComponent),
	} {
		if !strings.Contains(err.Message, "snapScore is a resource") || err.Next != "resources_info" {
			t.Errorf("%s: %+v", name, err)
		}
	}
	if out := h.ok("query", obj{"with": "nPlace"}); num(t, out["matched"]) != 1 {
		t.Errorf("one name as a list: %v", out)
	}
}

// Every result of the built-in tools may say an integer in its two forms.
func TestReferenceNamesTheOrdinaryForm(t *testing.T) {
	reg := tools.NewRegistry()
	reg.MustRegister(worldTools()...)
	lines := strings.Split(string(Reference(reg.Listing())), "\n")
	if !slices.Contains(lines, "| `count` | integer | how many there are |") {
		t.Error("the result count of spawn is no integer in the reference")
	}
}
