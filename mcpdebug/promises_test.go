//go:build !nomcpdebug

package mcpdebug

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// A crash text is answered verbatim up to a quarter of a mebibyte; one that is
// longer says that it was cut, and how much there is.
func TestALongCrashTextSaysThatItWasCut(t *testing.T) {
	const most = 256 << 10
	bubble(t, nil, func(t *testing.T, s *Server) {
		for _, size := range []int{most - 1, most, most + 1, most + 300_000} {
			text := strings.Repeat("x", size-3) + "end"
			s.SetCrashed(text)
			if got, _ := s.Crashed(); got != text {
				t.Errorf("%d bytes: Crashed gives %d", size, len(got))
			}
			for _, got := range []string{refusedWith(t, now(t, s, "query", ""), refusal.Crashed), succeeded(t, now(t, s, "ping", ""))["crashed"].(string)} {
				switch cut := fmt.Sprintf("(cut here: the crash text has %d bytes, and %d are shown)", size, most); {
				case size <= most && got != text:
					t.Errorf("%d bytes: %d bytes ending in %q", size, len(got), got[len(got)-20:])
				case size > most && (!strings.HasSuffix(got, cut) || strings.Contains(got, "end") || !strings.HasPrefix(got, text[:most])):
					t.Errorf("%d bytes: %d bytes ending in %q", size, len(got), got[len(got)-80:])
				}
			}
			s.SetCrashed("")
		}
	})
}

// Clients cut a server's instructions at 2,048 characters: the game's words come
// first, and the line about texts only where there is room for it.
func TestInstructionsBeginWithTheGames(t *testing.T) {
	of := func(own string) string {
		s := withoutPort(t, &Options{Instructions: own})
		var a struct{ Result struct{ Instructions string } }
		must(t, json.Unmarshal([]byte(s.Dispatch(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)), &a))
		return a.Result.Instructions
	}
	const own = "The arena is 1280 wide. Never despawn the player."
	got, alone := of(own), of("")
	if !strings.HasPrefix(got, own+"\n\n") || strings.Count(got, own) != 1 {
		t.Errorf("%.120q", got)
	}
	if len(got) > 2048 || len(alone) > 2048 || strings.Contains(got, textLine) || !strings.HasSuffix(alone, textLine) || strings.HasPrefix(alone, "\n") {
		t.Errorf("%d characters: %q", len(got), got)
	}
	long := strings.Repeat("The game's words. ", 200)
	if got = of(long); !strings.HasPrefix(got, strings.TrimSpace(long)) || strings.Contains(got, textLine) {
		t.Errorf("%d characters ending in %q", len(got), got[len(got)-60:])
	}
}
