package snapshot

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/loupe-ecs/loupe/internal/buildinfo"
	"github.com/loupe-ecs/loupe/snapshot/internal/blocks"
)

// Header describes a file. It comes first and is read without the body.
type Header struct {
	Format     int      `json:"format"` // version of the file format
	Build      Build    `json:"build"`
	App        string   `json:"app,omitempty"`
	Engine     string   `json:"engine,omitempty"`
	Frame      uint64   `json:"frame"`
	Entities   int      `json:"entities"`
	Archetypes int      `json:"archetypes"` // those with rows
	Components []string `json:"components"` // full type names
	Resources  []string `json:"resources"`
	States     []string `json:"states,omitempty"`
	Excluded   []string `json:"excluded,omitempty"`
}

// Build identifies the program that wrote a file.
type Build struct {
	Module   string `json:"module,omitempty"`
	Version  string `json:"version,omitempty"`
	Revision string `json:"revision,omitempty"`
	Dirty    bool   `json:"dirty,omitempty"` // uncommitted changes
	Go       string `json:"go,omitempty"`
}

func thisBuild() Build { return Build(buildinfo.This()) }

// ReadHeader reads the header of a snapshot alone: magic, version, and the
// checksum of the header are verified, the body is not looked at. Any
// goroutine may call it.
func ReadHeader(r io.Reader) (Header, error) {
	br, err := blocks.NewReader(r)
	if err != nil {
		return Header{}, err
	}
	return readHeader(br)
}

func readHeader(br *blocks.Reader) (Header, error) {
	raw, err := br.Header()
	if err != nil {
		return Header{}, err
	}
	var h Header
	if err := json.Unmarshal(raw, &h); err != nil {
		return Header{}, blocks.BadFile("the header is not readable: %v", err)
	}
	return h, nil
}

// bytes encodes the header; lists that would not fit into a block are cut, the
// body has them in full.
func (h Header) bytes() []byte {
	for {
		raw, err := json.Marshal(h)
		if err == nil && len(raw) <= blocks.MaxHeader {
			return raw
		}
		half := func(s []string) []string { return slices.Clone(s[:len(s)/2]) }
		h.Components, h.Resources, h.States, h.Excluded = half(h.Components), half(h.Resources), half(h.States), half(h.Excluded)
		if len(h.App) > 1000 {
			h.App = h.App[:1000]
		}
		h.Build = thisBuild()
	}
}
