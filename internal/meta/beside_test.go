package meta

// beside is what stands on the other side of the wire, and between: it may know
// the wire, never the server's insides.
var beside = map[string][]string{
	"internal/discovery":         {},
	"client":                     {"ecs/refusal", "internal/discovery"},
	"mcpdebug/runner":            {"ecs", "mcpdebug", "tools", "tools/host"},
	"cmd/loupe":                  {"cmd/loupe/internal/cli", "cmd/loupe/internal/launch"},
	"cmd/loupe/internal/wire":    {"ecs/refusal"},
	"cmd/loupe/internal/launch":  {"ecs/refusal"},
	"cmd/loupe/internal/session": {"ecs/refusal", "snapshot", "internal/discovery", "cmd/loupe/internal/wire", "cmd/loupe/internal/launch"},
	"cmd/loupe/internal/bridge":  {"ecs/refusal", "tools", "internal/listing", "internal/rawjson", "cmd/loupe/internal/wire", "cmd/loupe/internal/launch", "cmd/loupe/internal/session"},
	"cmd/loupe/internal/cli":     {"blackbox", "ecs/refusal", "cmd/loupe/internal/wire", "cmd/loupe/internal/session", "cmd/loupe/internal/bridge", "mcpdebug"},
}
