package game

import (
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Amount is the argument of Heal and Damage.
type Amount struct {
	Amount int `json:"amount" jsonschema:"how many hp" debug:"min=0,max=1000000,unit=hp"`
}

// HPLeft is their result.
type HPLeft struct {
	HP int `json:"hp" jsonschema:"hp after the change"`
}

// Ratio is HP over Max, 0 where there is no maximum.
func (h *Health) Ratio() float64 {
	if h.Max <= 0 {
		return 0
	}
	return float64(h.HP) / float64(h.Max)
}

// Heal adds up to the maximum; what is above it already stays.
func (h *Health) Heal(n int) {
	if n > 0 && h.HP < h.Max {
		h.HP += min(n, h.Max-h.HP)
	}
}

// Damage takes away down to 0.
func (h *Health) Damage(n int) {
	if n > 0 {
		h.HP = max(0, h.HP-n)
	}
}

func init() {
	value.Describe(
		value.Doc[Health]("How much an entity can take. An enemy at 0 dies; the player goes down until the next wave."),
		value.Computed("Ratio", (*Health).Ratio, "HP divided by Max, 0 to 1"),
		value.Action("Heal", func(h *Health, in Amount) (HPLeft, error) {
			h.Heal(in.Amount)
			return HPLeft{h.HP}, nil
		}, "Adds hp, up to Max."),
		value.Action("Damage", func(h *Health, in Amount) (HPLeft, error) {
			h.Damage(in.Amount)
			return HPLeft{h.HP}, nil
		}, "Takes hp away, down to 0."),
	)
	value.Describe(value.Doc[Position]("Where an entity is; alone it just stands there."))
	value.Describe(
		value.Doc[Velocity]("What the system movement adds to Position."),
		value.Computed("Speed", func(v *Velocity) float64 { _, _, l := unit(v.X, v.Y); return l }, "Length of the vector.", "unit=px/s"),
	)
	value.Describe(value.Doc[Player]("Marks the entity that is played."), value.Label(func(*Player) string { return "player" }))
	value.Describe(value.Doc[Enemy]("Hostile to the player."), value.Label(func(e *Enemy) string { return e.Kind.String() }))
	value.Describe(value.Doc[Projectile]("A shot in flight."), value.Label(func(*Projectile) string { return "bolt" }))
	value.Describe(value.Doc[Pickup]("Collected by touching it."), value.Label(func(p *Pickup) string { return p.Kind.String() }))
	value.Describe(value.Doc[Wall]("A solid box."), value.Label(func(*Wall) string { return "wall" }))
	value.Describe(value.Doc[Inventory]("What the player or a chest holds."))
	value.Describe(value.Doc[ChildOf]("Fastens an entity to its target, at its Offset; it goes when the target goes."))
	value.Describe(value.Doc[Sprite]("How an entity looks. Without a Position it is not drawn."))
	labels := map[MaterialID]string{}
	for id := range materials {
		labels[id] = materialNames[id]
	}
	value.EnumLabels(labels)
}

var materialNames = [materials]string{"player", "grunt", "brute", "sniper", "bolt", "coin", "medkit", "chest", "drone", "banner", "spark", "wall"}

func (m MaterialID) String() string {
	if m < materials {
		return materialNames[m]
	}
	return "unknown"
}
