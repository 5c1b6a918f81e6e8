package main

// benches are the entries of the table, in its order.
var benches = []bench{
	{"idle_poll", idlePoll},
	{"frame_us", frameUs},
	{"call_vs_http", callVsHTTP},
	{"call_vs_mcpgo", callVsMcpgo},
	{"call_bytes", callBytes},
	{"dispatch", dispatch},
	{"where", where},
	{"page", page},
	{"snapshots", snapshots},
	{"lua_frame_us", luaFrame},
	{"lua_loop", luaLoop},
	{"batch50_vs_lua", batch50},
	{"frame_p99", frameP99},
	{"frame_p99_paced", frameP99Paced},
	{"profile_game", profileCost},
	{"schedule_ns", scheduleNs},
	{"growth", growth},
	{"bridge", bridged},
	{"recording", recording},
	{"past", past},
	{"watches", watches},
	{"blamed", blamed},
}
