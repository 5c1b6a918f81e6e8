package structworld_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/structworld"
	"github.com/loupe-ecs/loupe/snapshot"
)

type (
	enemy struct {
		structworld.ID
		HP int
	}
	plain  struct{ N int }
	player struct{ HP int }
	shot   struct {
		Owner *player
		Next  *shot
		Power int
	}
	chest struct{ Gold int }
	rules struct{ Gravity float64 }

	game struct {
		enemies []enemy
		allies  []enemy
		plain   []plain
		player  *player
		shots   []*shot
		chests  map[string]*chest
		rules   rules
	}
)

func (g *game) world() *structworld.World {
	return structworld.New(structworld.Slice("Enemy", &g.enemies), structworld.Slice("Ally", &g.allies), structworld.Slice("plain", &g.plain), structworld.Pointer("Player", &g.player),
		structworld.Pointers("Shot", &g.shots), structworld.Map("Chest", &g.chests), structworld.Resource(&g.rules))
}

// rows lists a kind's entities in order.
func rows(w ecs.World, kind string) (es []ecs.Entity) {
	c, err := w.Catalog().Component(kind)
	if err != nil {
		panic(err)
	}
	for chunk := range w.Chunks(ecs.Filter{With: []ecs.TypeID{c.ID}}) {
		es = chunk.AppendEntities(es, 0, chunk.Len())
	}
	return es
}

// at reads an entity's value as a tool would.
func at[T any](w ecs.World, e ecs.Entity) (v T) {
	c, row, ok := w.Row(e)
	if !ok {
		return v
	}
	col, _ := c.Column(c.Components()[0])
	return *(*T)(col.At(row))
}

func TestElementsWithAnIDAreKnownWhereverTheyMove(t *testing.T) {
	g := &game{enemies: []enemy{{HP: 0}, {HP: 1}, {HP: 2}, {HP: 3}}}
	w := g.world()
	es := rows(w, "Enemy")
	g.enemies = slices.Delete(g.enemies, 1, 2)
	g.enemies[0], g.enemies[2] = g.enemies[2], g.enemies[0]
	g.enemies = append(g.enemies, g.enemies[0]) // a copy is another enemy
	for i, hp := range []int{0, -1, 2, 3} {
		if alive := w.Alive(es[i]); alive != (hp >= 0) || alive && at[enemy](w, es[i]).HP != hp {
			t.Errorf("enemy %d: alive %v, %+v", i, alive, at[enemy](w, es[i]))
		}
	}
	now := rows(w, "Enemy")
	if want := []ecs.Entity{es[3], es[2], es[0]}; !slices.Equal(now[:3], want) || len(now) != 4 || slices.Contains(es, now[3]) {
		t.Errorf("rows are %v, were %v", now, es)
	}
	if g.enemies[3].Entity() != now[3] {
		t.Errorf("the copy thinks it is %v", g.enemies[3].Entity())
	}
	if _, err := w.Apply([]ecs.Change{{Op: ecs.OpSet, Entity: now[3], Values: []ecs.Value{{Type: 0, Value: reflect.ValueOf(enemy{HP: 9})}}}}); err != nil || !w.Alive(now[3]) || g.enemies[3].HP != 9 {
		t.Errorf("set: %v, alive %v, %+v", err, w.Alive(now[3]), g.enemies[3])
	}
	// An element that moves to another kind of the same Go type is another entity.
	g.allies, g.enemies = append(g.allies, g.enemies[0]), g.enemies[1:]
	if w.Catalog(); w.Alive(es[3]) || len(rows(w, "Ally")) != 1 {
		t.Errorf("the enemy that changed sides: alive %v, allies %v", w.Alive(es[3]), rows(w, "Ally"))
	}
}

func TestPlacesAreDeclared(t *testing.T) {
	g := &game{plain: []plain{{1}, {2}, {3}}}
	w := g.world()
	es := rows(w, "plain")
	g.plain = g.plain[:2]
	if w.Alive(es[2]) || !w.Alive(es[1]) {
		t.Error("the last place is gone")
	}
	g.plain = append(g.plain, plain{4})
	if again := rows(w, "plain"); again[2] == es[2] || again[2].ID != es[2].ID {
		t.Errorf("a place that was gone is %v again, was %v", again[2], es[2])
	}
	cat := w.Catalog()
	if got := cat.Engine.Declares(ecs.LimitIdentity); got == "" {
		t.Error("nothing says that an entity is a place")
	}
	for _, s := range cat.Engine.Cannot {
		if ecs.LimitOf(s) == ecs.LimitIdentity && bytes.Contains([]byte(s), []byte("Enemy")) {
			t.Error("enemies have an ID: " + s)
		}
	}
}

// Pointers among elements are entities, and a restore brings elements back to
// where other values point.
func TestPointersAmongElements(t *testing.T) {
	g := &game{player: &player{HP: 10}, chests: map[string]*chest{"north": {1}, "south": {2}}}
	first := &shot{Owner: g.player, Power: 1}
	second := &shot{Owner: g.player, Next: first, Power: 2}
	g.shots = []*shot{first, nil, second}
	w := g.world()
	es := rows(w, "Shot")
	if len(es) != 2 {
		t.Fatal(es)
	}
	c := w.Catalog().Components[4]
	row, at0, _ := w.Row(es[1])
	col, _ := row.Column(c.ID)
	text, err := c.Type.Path("Next")
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := text.ToGo(col.Value(c.Type.Go, at0)); v != es[0].String() {
		t.Errorf("Next shows as %v, want %v", v, es[0])
	}
	var file bytes.Buffer
	var img ecs.Image
	if err := w.Capture(&img); err != nil {
		t.Fatal(err)
	}
	if _, err := snapshot.Save(&file, w, nil); err != nil {
		t.Fatal(err)
	}
	check := func(how string) {
		t.Helper()
		if len(g.shots) != 2 || g.shots[0].Power != 1 || g.shots[1].Next != g.shots[0] || g.player == nil || g.player.HP != 10 || g.shots[0].Owner != g.player {
			t.Errorf("%s: shots %+v %+v, player %p %+v", how, *g.shots[0], *g.shots[1], g.player, g.player)
		}
		if now := rows(w, "Shot"); !slices.Equal(now, es) {
			t.Errorf("%s: shots are %v, were %v", how, now, es)
		}
		if len(g.chests) != 2 || g.chests["north"].Gold != 1 || g.chests["south"].Gold != 2 {
			t.Errorf("%s: chests %v", how, g.chests)
		}
	}
	player := g.player
	spoil := func() {
		g.shots = g.shots[:0]
		g.player.HP = 3
		g.player = nil
		g.chests["north"].Gold = 5
		delete(g.chests, "south")
		w.Catalog()
	}
	spoil()
	if err := w.Restore(&img); err != nil {
		t.Fatal(err)
	}
	check("restored")
	if g.player != player || g.shots[0] != first {
		t.Error("what the game and the image still point at is not where it was")
	}
	spoil()
	if _, err := snapshot.Load(&file, w, nil); err != nil {
		t.Fatal(err)
	}
	check("loaded")
}

func TestOneVariableHoldsOneEntity(t *testing.T) {
	g := &game{}
	w := g.world()
	spawn := func(id ecs.TypeID, v any) error {
		_, err := w.Apply([]ecs.Change{{Op: ecs.OpSpawn, Values: []ecs.Value{{Type: id, Value: reflect.ValueOf(v)}}}})
		return err
	}
	if err := spawn(3, player{1}); err != nil || g.player == nil || g.player.HP != 1 {
		t.Errorf("%v %+v", err, g.player)
	}
	hash := ecstest.Hash(w)
	if err := spawn(3, player{2}); !errors.Is(err, refusal.NotSupported) || ecstest.Hash(w) != hash {
		t.Errorf("a second player: %v", err)
	}
	if err := spawn(5, chest{7}); err != nil || len(g.chests) != 1 {
		t.Errorf("a chest in a nil map: %v %v", err, g.chests)
	}
}

func Example() {
	type Enemy struct {
		structworld.ID
		HP int
	}
	enemies := []Enemy{{HP: 5}, {HP: 8}}
	w := structworld.New(structworld.Slice("Enemy", &enemies))
	es := rows(w, "Enemy")
	enemies = enemies[1:] // the game goes on
	fmt.Println(es, w.Alive(es[0]), w.Alive(es[1]), at[Enemy](w, es[1]).HP)
	// Output: [1v0 2v0] false true 8
}
