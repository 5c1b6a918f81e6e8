//go:build !nomcpdebug

package mcpdebug

import (
	"time"

	"github.com/loupe-ecs/loupe/internal/logbuf"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/keep"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
)

// keeping is Options.BlackBox with its defaults.
func (o *Options) keeping() keep.Options {
	k := keep.Options{Dir: o.dataDir(), Files: 4, Bytes: 16 << 20}
	b := o.BlackBox
	if b == nil {
		return k
	}
	k.Every = 5 * time.Second
	if b.Every > 0 {
		k.Every = b.Every
	}
	if b.Files > 0 {
		k.Files = b.Files
	}
	if b.MaxMB > 0 {
		k.Bytes = int64(b.MaxMB) << 20
	}
	return k
}

// keepsFiles: files are written without being asked for.
func (s *Server) keepsFiles() bool {
	return s.shown == nil && (s.opts.BlackBox == nil || !s.opts.BlackBox.Off)
}

// keepLine has the black box written on where a line tells of the end.
func (s *Server) keepLine(l logbuf.Line) {
	switch l.Msg {
	case crashes.Message:
		s.builtIns.tools.Keep.Wake("panic")
	case loop.StallMessage:
		s.builtIns.tools.Keep.Wake("stall")
	}
}
