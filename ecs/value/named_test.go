package value

import (
	"reflect"
	"testing"
)

type unit struct{ HP, Max int }

func TestComponentsOfOneGoType(t *testing.T) {
	goType := reflect.TypeFor[unit]()
	enemy := ComponentOf(goType, "Enemy", reflect.ValueOf(unit{HP: 5}))
	ally := ComponentOf(goType, "brave ally", reflect.Value{})
	if enemy.Name != "Enemy" || enemy.Qualified != "value.Enemy" || ally.Name != "brave_ally" || enemy.ID == ally.ID || enemy.SchemaID == ally.SchemaID || enemy.Shape != ally.Shape {
		t.Errorf("%s %s %s, %s %s", enemy.Name, enemy.Qualified, enemy.ID, ally.Name, ally.ID)
	}
	if ComponentOf(goType, "Enemy", reflect.ValueOf(unit{HP: 5})) != enemy || ComponentOf(goType, "unit", reflect.Value{}) != TypeOf(goType) {
		t.Error("one component has two types")
	}
	if got := enemy.New().Interface(); got != (unit{HP: 5}) {
		t.Errorf("a new enemy is %+v", got)
	}
	v, err := enemy.DecodeJSON([]byte(`{"Max":9}`), reflect.Value{})
	if err != nil || v.Interface() != (unit{5, 9}) {
		t.Errorf("an enemy of which only the maximum is given: %+v %v", v, err)
	}
	if enemy.Current() != enemy {
		t.Error("nothing was declared, and the type is another")
	}
	Describe(Doc[unit]("somebody who fights"))
	if now := enemy.Current(); now == enemy || now.Doc != "somebody who fights" || now.Name != "Enemy" || now.New().Interface() != (unit{HP: 5}) {
		t.Errorf("after a declaration: %+v", now)
	}
	if now := ally.Current(); now.Name != "brave_ally" || now.New().Interface() != (unit{}) {
		t.Errorf("after a declaration: %+v", now)
	}
}
