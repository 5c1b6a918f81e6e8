package front

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestBatchesOfOldSessions(t *testing.T) {
	_, _, url := serve(t, Options{}, true)
	open := func(version string) string {
		a := post(t, url, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		return a.header.Get(headerSession)
	}
	const batch = ` [ {"jsonrpc":"2.0","id":1,"method":"ping"}, {"jsonrpc":"2.0","method":"notifications/initialized"},
		{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}, 7,
		{"jsonrpc":"2.0","id":3,"method":"initialize","params":{}} ] `
	for _, version := range []string{"2024-11-05", "2025-03-26"} {
		sid := open(version)
		a := post(t, url, batch, headerSession, sid)
		var got []struct {
			ID     any
			Result json.RawMessage
			Error  struct{ Code int }
		}
		if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != 200 || len(got) != 4 {
			t.Fatalf("%s: %d %s", version, a.status, a.body)
		}
		if got[0].ID != 1.0 || string(got[0].Result) != "{}" || got[1].ID != "b" || !strings.Contains(string(got[1].Result), `"got":{"a":1}`) ||
			got[2].ID != nil || got[2].Error.Code != codeInvalid || got[3].ID != 3.0 || got[3].Error.Code != codeInvalid {
			t.Errorf("%s: %s", version, a.body)
		}
		if a = post(t, url, batch, headerSession, sid, "Accept", "text/event-stream"); strings.Count(a.body, "event: message") != 4 {
			t.Errorf("as a stream: %s", a.body)
		}
		if a = post(t, url, `[{"jsonrpc":"2.0","method":"notifications/cancelled"}]`, headerSession, sid); a.status != 202 || a.body != "" {
			t.Errorf("notifications alone: %d %s", a.status, a.body)
		}
		for _, bad := range []string{`[]`, `[1,`, `[] x`, "[" + strings.Repeat("1,", 100) + "1]"} {
			if a = post(t, url, bad, headerSession, sid); a.status != 400 || !strings.Contains(a.body, `"error"`) {
				t.Errorf("%.10s: %d %s", bad, a.status, a.body)
			}
		}
	}
	if a := post(t, url, batch, headerSession, open("2025-06-18")); a.status != 400 || !strings.Contains(a.body, lastBatches) {
		t.Errorf("a newer session: %d %s", a.status, a.body)
	}
	if a := post(t, url, batch, headerSession, "gone"); a.status != 404 {
		t.Errorf("no such session: %d %s", a.status, a.body)
	}
}
