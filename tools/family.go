package tools

// Family gives several tools what they have in common: the group, gates and
// needs of base are added to each, and its effect to those that state none.
// Methods of one value make a family with a shared receiver:
//
//	s := &spawner{...}
//	registry.MustRegister(tools.Family(tools.Spec{Group: "spawner", NeedsWorld: true},
//		tools.New(tools.Spec{Name: "spawner_start", Description: "..."}, s.start),
//		tools.New(tools.Spec{Name: "spawner_stop", Description: "..."}, s.stop),
//	)...)
func Family(base Spec, ts ...*Tool) []*Tool {
	for _, t := range ts {
		if t.Group == "" {
			t.Group = base.Group
		}
		if t.Effect == Destructive {
			t.Effect = base.Effect
		}
		t.Idempotent = t.Idempotent || base.Idempotent
		t.WhenParked = t.WhenParked || base.WhenParked
		t.WhenCrashed = t.WhenCrashed || base.WhenCrashed
		t.NeedsWorld = t.NeedsWorld || base.NeedsWorld
		t.NeedsApp = t.NeedsApp || base.NeedsApp
		t.Interactive = t.Interactive || base.Interactive
		t.Unlisted = t.Unlisted || base.Unlisted
		for k, v := range base.Meta {
			if t.Meta == nil {
				t.Meta = map[string]any{}
			}
			if _, own := t.Meta[k]; !own {
				t.Meta[k] = v
			}
		}
	}
	return ts
}
