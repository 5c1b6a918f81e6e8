package surprise

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/snapshot"
)

func changed(entity int, component, path, from, to string) snapshot.DiffRow {
	return snapshot.DiffRow{Kind: snapshot.RowChanged, Entity: fmt.Sprintf("%dv0", entity), Component: component, Path: path,
		From: json.RawMessage(from), To: json.RawMessage(to)}
}

func shown(d *Differences) string {
	var list []string
	for _, r := range d.Rows {
		list = append(list, strings.TrimSuffix(r.Entity+" "+fieldOf(&r), " "))
	}
	return strings.Join(list, ", ")
}

func TestStructureComesFirstAndNumbersByRelativeChange(t *testing.T) {
	rows := []snapshot.DiffRow{
		changed(1, "Position", "X", "100", "101"),
		changed(1, "Health", "HP", "100", "50"),
		changed(2, "Enemy", "Kind", `"Grunt"`, `"Brute"`),
		{Kind: snapshot.RowResource, Component: "Score", Path: "Points", From: json.RawMessage("1"), To: json.RawMessage("2")},
		{Kind: snapshot.RowSpawned, Entity: "9v0", To: json.RawMessage(`["Bolt"]`)},
	}
	d := Of(&snapshot.DiffResult{Changed: 3, Spawned: 1, ResourcesChanged: 1, Total: len(rows), Rows: rows}, nil, Shown)
	if got, want := shown(d), "9v0,  Score.Points, 2v0 Enemy.Kind, 1v0 Health.HP, 1v0 Position.X"; got != want {
		t.Errorf("rows come as\n%s, want\n%s", got, want)
	}
}

func TestAFieldThatDiffersEverywhereDoesNotPushOutARareOne(t *testing.T) {
	var rows []snapshot.DiffRow
	for i := range 300 {
		rows = append(rows, changed(i, "Velocity", "X", "0", "5")) // more by far than the one that matters
	}
	rows = append(rows, changed(7, "Health", "HP", "100", "90"))
	d := Of(&snapshot.DiffResult{Changed: 301, Total: 301, Rows: rows}, nil, 5)
	if got, want := shown(d), "0v0 Velocity.X, 1v0 Velocity.X, 2v0 Velocity.X, 3v0 Velocity.X, 7v0 Health.HP"; got != want {
		t.Errorf("rows are %s, want %s", got, want)
	}
	if d.Omitted != 296 {
		t.Errorf("%d rows are said to be left out of 301 of which 5 are shown", d.Omitted)
	}
	if got := fmt.Sprint(d.ByPath); got != "[{Health.HP 1} {Velocity.X 300}]" {
		t.Errorf("byPath is %s", got)
	}
}

func TestSelectNarrowsRowsToTypesAndFields(t *testing.T) {
	rows := []snapshot.DiffRow{
		changed(1, "Inventory", "Slots[0].Count", "1", "2"),
		changed(1, "Position", "X", "1", "2"),
		changed(1, "Position", "Y", "1", "2"),
		changed(1, "PositionOfOld", "X", "1", "2"),
		{Kind: snapshot.RowSpawned, Entity: "9v0", To: json.RawMessage(`["Bolt"]`)},
	}
	for only, want := range map[string]string{
		"Inventory":          "1v0 Inventory.Slots[0].Count",
		"Inventory.Slots[0]": "1v0 Inventory.Slots[0].Count",
		"Position":           "1v0 Position.X, 1v0 Position.Y",
		"Position.X":         "1v0 Position.X",
	} {
		d := Of(&snapshot.DiffResult{Changed: 4, Spawned: 1, Total: 5, Rows: rows}, []string{only}, Shown)
		if got := shown(d); got != want {
			t.Errorf("select %s shows %s, want %s", only, got, want)
		}
		if d.Spawned != 1 || d.Changed != 4 {
			t.Errorf("select %s changes the counts: %+v", only, d)
		}
	}
}
