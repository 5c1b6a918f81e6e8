package game

import (
	loupe "github.com/loupe-ecs/loupe/ecs"
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
	loupe.Describe(
		loupe.Doc[Health]("How much an entity can take. An enemy at 0 dies; the player goes down until the next wave."),
		loupe.Computed("Ratio", (*Health).Ratio, "HP divided by Max, 0 to 1"),
		loupe.Action("Heal", func(h *Health, in Amount) (HPLeft, error) {
			h.Heal(in.Amount)
			return HPLeft{h.HP}, nil
		}, "Adds hp, up to Max."),
		loupe.Action("Damage", func(h *Health, in Amount) (HPLeft, error) {
			h.Damage(in.Amount)
			return HPLeft{h.HP}, nil
		}, "Takes hp away, down to 0."),
	)
	loupe.Describe(loupe.Doc[Position]("Where an entity is; alone it just stands there."))
	loupe.Describe(
		loupe.Doc[Velocity]("What the system movement adds to Position."),
		loupe.Computed("Speed", func(v *Velocity) float64 { _, _, l := unit(v.X, v.Y); return l }, "Length of the vector.", "unit=px/s"),
	)
	loupe.Describe(loupe.Doc[Player]("Marks the entity that is played."), loupe.Label(func(*Player) string { return "player" }))
	loupe.Describe(loupe.Doc[Enemy]("Hostile to the player."), loupe.Label(func(e *Enemy) string { return e.Kind.String() }))
	loupe.Describe(loupe.Doc[Projectile]("A shot in flight."), loupe.Label(func(*Projectile) string { return "bolt" }))
	loupe.Describe(loupe.Doc[Pickup]("Collected by touching it."), loupe.Label(func(p *Pickup) string { return p.Kind.String() }))
	loupe.Describe(loupe.Doc[Wall]("A solid box."), loupe.Label(func(*Wall) string { return "wall" }))
	loupe.Describe(loupe.Doc[Inventory]("What the player or a chest holds."))
	loupe.Describe(loupe.Doc[ChildOf]("Fastens an entity to its target, at its Offset; it goes when the target goes."))
	loupe.Describe(loupe.Doc[Sprite]("How an entity looks. Without a Position it is not drawn."))
	labels := map[MaterialID]string{}
	for id := range materials {
		labels[id] = materialNames[id]
	}
	loupe.EnumLabels(labels)
}

var materialNames = [materials]string{"player", "grunt", "brute", "sniper", "bolt", "coin", "medkit", "chest", "drone", "banner", "spark", "wall"}

func (m MaterialID) String() string {
	if m < materials {
		return materialNames[m]
	}
	return "unknown"
}
