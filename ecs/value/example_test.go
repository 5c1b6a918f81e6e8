package value_test

import (
	"fmt"
	"reflect"

	"github.com/loupe-ecs/loupe/ecs/value"
)

type EnemyKind uint8

const (
	Grunt EnemyKind = iota
	Brute
)

func (k EnemyKind) String() string {
	switch k {
	case Grunt:
		return "Grunt"
	case Brute:
		return "Brute"
	}
	return fmt.Sprintf("EnemyKind(%d)", uint8(k))
}

type Enemy struct {
	Kind   EnemyKind
	Target value.Entity
	Aggro  float64 `debug:"min=0,max=1"`
	Pos    struct{ X, Y float64 }
}

func Example() {
	t := value.TypeOf(reflect.TypeFor[Enemy]())
	v, _ := t.DecodeJSON([]byte(`{"Kind":"Brute","Target":"42v3","Pos":"2 3"}`), reflect.Value{})
	out, _ := value.AppendJSON(nil, v, value.EncodeOptions{})
	fmt.Printf("%s\n", out)

	_, err := t.DecodeJSON([]byte(`{"Aggro":1.5}`), v)
	fmt.Println(err)
	_, err = t.DecodeJSON([]byte(`{"Kind":"Wizard"}`), v)
	fmt.Println(err)
	_, err = t.Path("Pos.Z")
	fmt.Println(err)
	// Output:
	// {"Kind":"Brute","Target":"42v3","Aggro":0,"Pos":{"X":2,"Y":3}}
	// Enemy.Aggro: got 1.5, want from 0 to 1
	// Enemy.Kind: got "Wizard", want one of Grunt, Brute
	// Enemy.Pos has no field "Z"; it has X, Y
}

type Mana struct{ Now, Max int }

type DrinkArgs struct {
	Amount int `json:"amount" debug:"min=1" jsonschema:"how much to drink"`
}

func ExampleDescribe() {
	value.Describe(
		value.Doc[Mana]("What spells cost."),
		value.Computed("Ratio", func(m *Mana) float64 { return float64(m.Now) / float64(m.Max) }, "part left"),
		value.Action("Drink", func(m *Mana, in DrinkArgs) (Mana, error) {
			m.Now = min(m.Now+in.Amount, m.Max)
			return *m, nil
		}, "Adds mana."),
		value.Default(Mana{Now: 5, Max: 10}),
	)
	t := value.TypeOf(reflect.TypeFor[Mana]())
	v := t.New()
	p, _ := t.Path("Ratio")
	ratio, _ := p.ToGo(v)
	fmt.Println(t.Doc, ratio)

	drink := t.Actions[0]
	in, _ := drink.In.DecodeJSON([]byte(`{"amount":"3"}`), reflect.Value{})
	out, _ := drink.Call(nil, v.Addr().UnsafePointer(), in)
	fmt.Println(out)
	_, err := drink.In.DecodeJSON([]byte(`{"amount":0}`), reflect.Value{})
	fmt.Println(err)
	// Output:
	// What spells cost. 0.5
	// {8 10}
	// amount: got 0, want at least 1
}
