package builtin

import (
	"encoding/json"
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

type placed struct{ cVec }

type vitals struct {
	HP  int `debug:"min=0"`
	Max int `debug:"min=1,unit=hp"`
	Box struct{ W, H float64 }
}

type aiming struct{ At arche.Entity }

type aimedAt struct {
	Who  arche.Entity `json:"who" jsonschema:"whom it aims at"`
	Odds float64      `json:"odds" jsonschema:"to hit"`
}

func init() {
	value.Describe(value.Action("Look", func(a *aiming, _ struct{}) (aimedAt, error) {
		zero := 0.0
		return aimedAt{a.At, zero / zero}, nil
	}))
}

func newcomer(t *testing.T) (*tooltest.Harness, string) {
	h := tooltest.New(t, worldtools.Tools(nil)...)
	arche.AddResource(h.Arche, &snapScore{Points: 1})
	h.Arche.NewEntity(arche.ComponentID[placed](h.Arche), arche.ComponentID[vitals](h.Arche), arche.ComponentID[aiming](h.Arche))
	NewComponentTools(h.Reg, ComponentOptions{}).Update(h.World.Catalog())
	return h, h.FirstEntity()
}

func TestSpawnTakesWhatModifyTakes(t *testing.T) {
	h, e := newcomer(t)
	h.OK("modify", tooltest.Obj{"entity": e, "component": "placed", "values": tooltest.Obj{"X": 7}})
	h.OK("placed_configure", tooltest.Obj{"entity": e, "Y": 8})
	h.OK("set", tooltest.Obj{"entity": e, "component": "placed", "value": tooltest.Obj{"X": 1}})
	out := h.OK("spawn", tooltest.Obj{"components": tooltest.Obj{"placed": tooltest.Obj{"X": 1, "Y": 2}, "vitals": tooltest.Obj{"HP": 3}}})
	b, _ := json.Marshal(out["entities"].([]any)[0].(map[string]any)["values"])
	if want := `{"placed":{"cVec":{"X":1,"Y":2}},"vitals":{"Box":{"H":0,"W":0},"HP":3,"Max":1}}`; string(b) != want {
		t.Errorf("got %s, want %s", b, want)
	}
	h.Refused("spawn", tooltest.Obj{"components": tooltest.Obj{"vitals": tooltest.Obj{"HP": 3, "Max": 0}}}, refusal.InvalidArguments)
}

func TestConfigureAsksForNoPartOfAPart(t *testing.T) {
	h, e := newcomer(t)
	p, _ := listing.Of(h.Reg).Lookup("vitals_configure")
	if strings.Contains(string(p.Input), `"required":["W"`) || !strings.Contains(string(p.Input), `"in hp"`) {
		t.Errorf("schema %s", p.Input)
	}
	h.OK("vitals_configure", tooltest.Obj{"entity": e, "Box": tooltest.Obj{"W": 2}})
	c, _ := h.World.Catalog().Component("vitals")
	if d := document(c, nil); strings.Contains(string(d.Properties["Box"]), "required") {
		t.Errorf("document %s", d.Properties["Box"])
	}
}

// The harness holds the answer against the schema.
func TestActionAnswersNoEntityAndNoNumber(t *testing.T) {
	h, e := newcomer(t)
	if out := h.OK("aiming_Look", tooltest.Obj{"entity": e}); out["who"] != nil || out["odds"] != "NaN" {
		t.Errorf("got %v", out)
	}
}

func TestUnknownPropertiesCarryTheOptions(t *testing.T) {
	h, e := newcomer(t)
	for name, err := range map[string]*refusal.Error{
		"modify":    h.Refused("modify", tooltest.Obj{"entity": e, "component": "vitals", "values": tooltest.Obj{"Mxa": 2}}, refusal.UnknownField),
		"configure": h.Refused("vitals_configure", tooltest.Obj{"entity": e, "Mxa": 2}, refusal.InvalidArguments),
		"set":       h.Refused("set", tooltest.Obj{"entity": e, "component": "vitals", "value": tooltest.Obj{"Mxa": 2}}, refusal.UnknownField),
	} {
		if len(err.Options) == 0 || err.Options[0] != "Max" || err.Total < 3 {
			t.Errorf("%s: options %v of %d", name, err.Options, err.Total)
		}
	}
}

func TestAResourceIsNoComponent(t *testing.T) {
	h, e := newcomer(t)
	for name, err := range map[string]*refusal.Error{
		"with":   h.Refused("query", tooltest.Obj{"with": "snapScore"}, refusal.UnknownComponent),
		"spawn":  h.Refused("spawn", tooltest.Obj{"components": tooltest.Obj{"snapScore": tooltest.Obj{}}}, refusal.UnknownComponent),
		"modify": h.Refused("modify", tooltest.Obj{"entity": e, "component": "snapScore", "values": tooltest.Obj{"Points": 1}}, refusal.UnknownComponent),
	} {
		if !strings.Contains(err.Message, "snapScore is a resource") || err.Next != "resources_info" {
			t.Errorf("%s: %+v", name, err)
		}
	}
	if out := h.OK("query", tooltest.Obj{"with": "placed"}); tooltest.Num(t, out["matched"]) != 1 {
		t.Errorf("one name as a list: %v", out)
	}
}

// Every result of the built-in tools may say an integer in its two forms.
func TestReferenceNamesTheOrdinaryForm(t *testing.T) {
	reg := tools.NewRegistry()
	reg.MustRegister(worldtools.Tools(nil)...)
	lines := strings.Split(string(Reference(listing.Of(reg))), "\n")
	if !slices.Contains(lines, "| `count` | integer | how many there are |") {
		t.Error("the result count of spawn is no integer in the reference")
	}
}
