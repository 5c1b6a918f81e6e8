// Lists and calls the tools of a game whose components, actions, events and tools
// have fields of type any, error, an interface, complex128, json.RawMessage:
//   node interop-odd.mjs URL sdk|legacy|auto
// The clients check every schema of the listing, and every answer against its
// tool's output schema.
import assert from "node:assert/strict";

const [url, mode] = process.argv.slice(2);
const deadline = setTimeout(() => { console.error(mode + ": timed out"); process.exit(1); }, 60_000);
const info = { name: "interop", version: "1" };

async function connect(to) {
	if (mode === "sdk") {
		const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
		const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
		const client = new Client(info);
		await client.connect(new StreamableHTTPClientTransport(new URL(to)));
		return client;
	}
	const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
	const client = new Client(info, { versionNegotiation: { mode } });
	await client.connect(new StreamableHTTPClientTransport(new URL(to)));
	return client;
}

// bare finds schemas that are no objects and properties without a word.
function bare(schema, at) {
	assert.equal(typeof schema, "object", at + " is " + schema);
	for (const [name, p] of Object.entries(schema.properties ?? {})) {
		bare(p, at + "." + name);
		assert.ok(p.description, at + "." + name + " has no description");
	}
	if (schema.items !== undefined) bare(schema.items, at + "[]");
	for (const key of ["anyOf", "oneOf", "allOf"]) (schema[key] ?? []).forEach((s) => bare(s, at + " " + key));
}

for (const suffix of ["", "?schemas=full"]) {
	const client = await connect(url + suffix);
	const tools = (await client.listTools()).tools;
	const names = tools.map((t) => t.name);
	for (const want of ["Odd_configure", "Odd_Echo", "Odd_Raise", "Whatever_configure", "Failure_configure", "Stream_configure", "Wave_configure", "Blob_configure", "Bag_configure", "odd_echo", "odd_answer", "send_event"])
		assert.ok(names.includes(want), mode + suffix + ": tools/list lacks " + want);
	for (const t of tools) {
		bare(t.inputSchema, t.name);
		if (t.outputSchema) bare(t.outputSchema, t.name + " output");
	}
	const ok = async (name, args) => {
		const r = await client.callTool({ name, arguments: args });
		assert.ok(!r.isError, name + ": " + JSON.stringify(r.content));
		return r.structuredContent;
	};
	const answer = await ok("odd_answer", {});
	assert.deepEqual([answer.List, answer.Raw, answer.Complex], [[1, "two", null], { a: [1, true] }, [1, 2]]);
	const found = await ok("query", { with: ["Odd"] });
	assert.equal(found.matched, 1);
	const entity = found.entities[0].entity;
	await ok("info", { entity });
	assert.equal((await ok("Wave_configure", { entity, V: [3, 4] })).changed, 1);
	await ok("Whatever_configure", { entity, V: { "$type": "int", value: 5 } });
	await ok("Blob_configure", { entity, V: { free: ["form", 1] } });
	await ok("Odd_Echo", { entity, Complex: [1, 2], Raw: [1, { a: 2 }], Number: 12, Named: { k: { "$type": "string", value: "v" } } });
	await ok("send_event", { kind: "whatever", payload: { V: { "$type": "bool", value: true } } });
	await ok("components_info", { detail: true });
	await ok("describe", { name: "Odd" });
	const raised = await client.callTool({ name: "Odd_Raise", arguments: { entity, With: null } });
	assert.ok(raised.isError && raised.structuredContent.error.code === "failed", JSON.stringify(raised));
	await client.close();
}
clearTimeout(deadline);
console.log("ok  " + mode + ": a game of odd types, listed and called");
