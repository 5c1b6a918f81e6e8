//go:build !nomcpdebug

package tools

// Nullable lets a property of a schema be null besides: a single "type" cannot
// say so.
func Nullable(s *Schema, property string) {
	p := s.Properties[property]
	if p == nil {
		return
	}
	value := *p
	value.Description = ""
	s.Properties[property] = &Schema{Description: p.Description, AnyOf: []*Schema{&value, {Type: "null"}}}
}
