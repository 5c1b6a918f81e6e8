// One round of everything with a client of the official TypeScript packages:
//   node interop.mjs URL sdk|legacy|auto
// sdk is @modelcontextprotocol/sdk; legacy and auto are @modelcontextprotocol/client
// with sessions and with whatever it negotiates (the era without sessions).
import assert from "node:assert/strict";

const [url, mode] = process.argv.slice(2);
const deadline = setTimeout(() => { console.error(mode + ": timed out"); process.exit(1); }, 60_000);
const capabilities = { elicitation: {}, sampling: {} };
const info = { name: "interop", version: "1" };
let client, transport, label;
const person = async () => ({ action: "accept", content: { username: "ann", email: "ann@example.com" } });
const model = async () => ({ role: "assistant", model: "m", content: { type: "text", text: "four" } });

if (mode === "sdk") {
	const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
	const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
	const t = await import("@modelcontextprotocol/sdk/types.js");
	client = new Client(info, { capabilities });
	client.setRequestHandler(t.ElicitRequestSchema, person);
	client.setRequestHandler(t.CreateMessageRequestSchema, model);
	transport = new StreamableHTTPClientTransport(new URL(url));
	await client.connect(transport);
	label = "sdk 1.32.2, " + transport.protocolVersion;
	assert.equal(transport.protocolVersion, "2025-11-25");
} else {
	const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
	client = new Client(info, { capabilities, versionNegotiation: { mode } });
	client.setRequestHandler("elicitation/create", person);
	client.setRequestHandler("sampling/createMessage", model);
	transport = new StreamableHTTPClientTransport(new URL(url));
	await client.connect(transport);
	const version = client.getNegotiatedProtocolVersion();
	label = "client 2.4.0 in the mode " + mode + ", " + version;
	assert.equal(version, mode === "auto" ? "2026-07-28" : "2025-11-25");
}

const textOf = (r) => r.content.map((c) => c.text ?? "").join("");
const names = (await client.listTools()).tools.map((t) => t.name);
assert.ok(names.includes("test_simple_text") && names.includes("ping"), "tools/list");
assert.equal(textOf(await client.callTool({ name: "test_simple_text", arguments: {} })), "This is a simple text response for testing.");
assert.equal((await client.callTool({ name: "ping", arguments: {} })).structuredContent.ok, true);
assert.equal((await client.callTool({ name: "test_error_handling", arguments: {} })).isError, true);
await assert.rejects(client.callTool({ name: "nope", arguments: {} }), (e) => e.code === -32602, "an unknown tool");

const marks = await Promise.all([...Array(20).keys()].map((i) => client.getPrompt({ name: "test_prompt_with_arguments", arguments: { arg1: "a" + i, arg2: "b" } })));
marks.forEach((m, i) => assert.match(m.messages[0].content.text, new RegExp("'a" + i + "'"), "replies crossed"));

const heard = [];
const progress = await client.callTool({ name: "test_tool_with_progress", arguments: {} }, ...(mode === "sdk" ? [undefined] : []), { onprogress: (p) => heard.push(p.progress) });
assert.match(textOf(progress), /progress executed/);
assert.deepEqual(heard, [0, 50, 100], "progress");

assert.match(textOf(await client.callTool({ name: "test_elicitation", arguments: { message: "who?" } })), /action=accept.*ann@example.com/, "elicitation");
assert.match(textOf(await client.callTool({ name: "test_sampling", arguments: { prompt: "2+2?" } })), /four/, "sampling");

assert.ok((await client.listResources()).resources.some((r) => r.uri === "test://static-text"));
assert.ok((await client.listResourceTemplates()).resourceTemplates.some((r) => r.uriTemplate === "test://template/{id}/data"));
assert.equal(JSON.parse((await client.readResource({ uri: "test://template/7/data" })).contents[0].text).id, "7");
await assert.rejects(client.readResource({ uri: "test://nothing" }), (e) => e.code === -32002, "an unknown resource");
assert.ok((await client.listPrompts()).prompts.length >= 4);
await client.close();
clearTimeout(deadline);
console.log("ok  " + label);
