package snapshot

import (
	"slices"
	"strings"

	"github.com/loupe-ecs/loupe/ecs/value"
)

// identity is what a file notes of a component or resource type beside its name:
// typeShape and schemaID, as the type's description document has them. Files of
// earlier builds have the shape alone.
func identity(t *value.Type) string { return t.Shape + "/" + t.SchemaID }

// described is a type of the file whose description here may differ.
type described struct {
	t        *value.Type
	schemaID string // in the file
}

// redescribed reports the types that are laid out as they were but described
// otherwise: a number that was pixels and is tiles now loads as it stands, and
// somebody should know. A type with fields that were projected is reported by
// them, one that has moved is described under another name.
func (l *loader) redescribed(list []described) {
	for _, d := range list {
		if d.schemaID == "" || d.schemaID == d.t.SchemaID ||
			slices.ContainsFunc(l.report.projected, func(p Projection) bool { return p.Type == d.t.ID }) {
			continue
		}
		l.report.add(Projection{Type: d.t.ID, Change: Redescribed, From: d.schemaID, To: d.t.SchemaID})
	}
}

// note keeps what the file says of a type for redescribed.
func (l *loader) note(name, identity string, t *value.Type) {
	if _, schemaID, ok := strings.Cut(identity, "/"); ok && l.renamed(name) == name {
		l.noted = append(l.noted, described{t, schemaID})
	}
}
