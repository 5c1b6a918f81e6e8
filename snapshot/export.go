package snapshot

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/snapshot/internal/export"
	"github.com/loupe-ecs/loupe/snapshot/internal/images"
)

// WriteJSON exports what Take copied for people and other tools: the header,
// resources and entities by name, values as every tool shows them. It cannot
// be loaded: references inside values and what JSON does not hold are lost.
// Options.Exclude applies. A value that does not encode is an object with
// "$error". Any goroutine. The result is the number of bytes.
func (c *Capture) WriteJSON(w io.Writer) (n int64, err error) {
	if c.catalog == nil {
		return 0, &refusal.Error{Code: refusal.NoWorld, Message: "the capture is empty: Take has not been called or has failed"}
	}
	defer recovered(&err, "exporting")
	dropped, noResources := c.options.excluded(c.catalog)
	archetypes := images.LeaveOut(c.Image.Archetypes, dropped)
	resources := slices.DeleteFunc(slices.Clone(c.Image.Resources), func(r ecs.ImageResource) bool { return noResources[r.ID] })
	head := c.header(archetypes, resources, dropped, noResources)
	raw, err := json.Marshal(head)
	if err != nil {
		return 0, err
	}
	return export.Write(w, raw, c.catalog, archetypes, resources)
}
