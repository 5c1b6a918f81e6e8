package loop

import (
	"bytes"
	"encoding/json"

	"github.com/loupe-ecs/loupe/internal/rawjson"
)

// Recording is the state of a server that shows a file.
const Recording = "recording"

// lastMoment has a call about a recording read a recorded moment: the last, if
// it names none.
func (c *call) lastMoment() {
	with := c.pub.Spec.OffFrameWith
	if !c.l.cfg.Recording || with == "" || c.l.cfg.Recorded == nil || rawjson.Has(c.in.Request.Arguments, with) {
		return
	}
	_, last, ok := c.l.cfg.Recorded()
	args := bytes.TrimSpace(c.in.Request.Arguments)
	if !ok || len(args) > 0 && (args[0] != '{' || args[len(args)-1] != '}') {
		return // who checks the arguments says so
	}
	out := append([]byte(nil), `{"`+with+`":`...)
	out = rawjson.AppendInt(out, int(last))
	if rest := bytes.TrimSpace(bytes.TrimPrefix(args, []byte("{"))); len(rest) > 1 {
		out = append(append(out, ','), rest...)
	} else {
		out = append(out, '}')
	}
	in := *c.in
	in.Request.Arguments = json.RawMessage(out)
	c.in = &in
}

// StartAt begins to count frames after one that was recorded. Before the first
// Poll.
func (l *Loop) StartAt(frame uint64) { l.frame.Store(frame) }
