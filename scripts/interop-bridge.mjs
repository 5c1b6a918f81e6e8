// From nothing to a running game and past its end, over the bridge's standard
// input and output:
//   node interop-bridge.mjs LOUPE DIRECTORY sdk|auto
// sdk is @modelcontextprotocol/sdk, auto @modelcontextprotocol/client with
// whatever it negotiates.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";

const [loupe, dir, mode] = process.argv.slice(2);
const deadline = setTimeout(() => { console.error(mode + ": timed out"); process.exit(1); }, 300_000);
const info = { name: "interop", version: "1" };
const server = { command: loupe, args: ["mcp", "-dir", dir], cwd: dir, env: process.env, stderr: "inherit" };
const long = { timeout: 240_000 };
let client, transport, label, changes = 0;

if (mode === "sdk") {
	const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
	const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
	const t = await import("@modelcontextprotocol/sdk/types.js");
	client = new Client(info, { capabilities: {} });
	client.setNotificationHandler(t.ToolListChangedNotificationSchema, () => { changes++; });
	transport = new StdioClientTransport(server);
	await client.connect(transport);
	label = "sdk 1.32.2";
} else {
	const { Client } = await import("@modelcontextprotocol/client");
	const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
	client = new Client(info, { capabilities: {}, versionNegotiation: { mode }, listChanged: { tools: { onChanged: () => { changes++; } } } });
	transport = new StdioClientTransport(server);
	await client.connect(transport);
	label = "client 2.4.0, " + client.getNegotiatedProtocolVersion();
}

const call = (name, args = {}) => mode === "sdk" ? client.callTool({ name, arguments: args }, undefined, long) : client.callTool({ name, arguments: args }, long);
const ok = async (name, args) => { const r = await call(name, args); assert.ok(!r.isError, name + ": " + JSON.stringify(r.content)); return r.structuredContent; };
const refused = async (name, args) => { const r = await call(name, args); assert.ok(r.isError, name + " is not refused"); return r.structuredContent.error.code; };
const names = async () => (await client.listTools()).tools.map((t) => t.name);
const until = async (what, f) => { for (let i = 0; i < 600; i++) { if (await f()) return; await new Promise((r) => setTimeout(r, 50)); } assert.fail("never: " + what); };

assert.deepEqual(await names(), ["session_list", "session_start", "session_stop", "session_restart", "session_use", "session_log"]);
assert.equal(await refused("query"), "no_session");

await ok("session_start", { package: "./examples/game", args: ["-addr", "127.0.0.1:0", "-seed", "4"], waitMs: 120000 });
await until("a change of the list", () => changes > 0);
assert.ok((await names()).includes("query"), "the game's tools");
const player = (await ok("query", { with: ["Player"], values: false })).entities[0].entity;
assert.ok(player);
assert.equal(await refused("info", { entity: "99999v9" }), "unknown_entity");
const picture = await call("screenshot");
assert.ok(picture.content.some((c) => c.type === "image" && c.data.length > 1000), "a picture");
assert.ok((await client.readResource({ uri: "ecs://world" })).contents.length > 0, "a resource");

const first = (await ok("session_list")).sessions[0];
await ok("session_restart", { keepWorld: true });
const second = (await ok("session_list")).sessions[0];
assert.notEqual(second.pid, first.pid);

// kill -9 with calls under way: every one is answered.
const flying = [...Array(20).keys()].map(() => call("stats"));
process.kill(second.pid, "SIGKILL");
for (const r of await Promise.all(flying)) assert.ok(!r.isError || ["not_run", "no_session", "outcome_unknown", "closed"].includes(r.structuredContent.error.code), JSON.stringify(r.structuredContent));
assert.equal(await refused("stats"), "no_session");
await ok("session_log");
await ok("session_restart", {});
const third = (await ok("session_list")).sessions[0];

// a second game at the same time
await ok("session_start", { package: "./examples/nosystems", waitMs: 120000 });
assert.equal((await ok("session_list")).sessions.length, 2);
assert.equal((await ok("ping", { session: String(third.pid) })).build.pid, third.pid);
await ok("session_use", { id: String(third.pid) });

// the bridge is killed: no orphan, and no file that anybody would follow
process.kill(transport.pid, "SIGKILL");
await until("the end of the game", () => { try { process.kill(third.pid, 0); return false; } catch { return true; } });
assert.equal(JSON.parse(execFileSync(loupe, ["ls", "-json"], { encoding: "utf8" })).sessions.length, 0);
assert.deepEqual(readdirSync(process.env.XDG_RUNTIME_DIR + "/loupe").filter((f) => f.endsWith(".json")), []);

await client.close().catch(() => {});
clearTimeout(deadline);
console.log("ok  " + label + " over the bridge: start, calls, restart, kill -9, two games, the bridge killed");
process.exit(0);
