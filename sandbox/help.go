package sandbox

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/sandbox/internal/boundlua"
)

// baseHelp is help() and help("tool"), baseDescribe describe("Component"): the
// tools of those names, whose answers tell a script's author what there is.
func baseHelp(L *lua.LState) int {
	args := map[string]any{}
	if L.Get(1) != lua.LNil {
		args["tool"] = boundlua.TextArg(L, 1)
	}
	return callTool(L, "help", args)
}

func baseDescribe(L *lua.LState) int {
	return callTool(L, "describe", map[string]any{"name": boundlua.TextArg(L, 1)})
}
