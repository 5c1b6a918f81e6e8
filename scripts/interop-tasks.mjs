// Calls that last, with the official requester of the tasks extension:
//   node interop-tasks.mjs URL
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createTaskSessionFromClient, resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";

const [url] = process.argv.slice(2);
const deadline = setTimeout(() => { console.error("tasks: timed out"); process.exit(1); }, 60_000);
const extension = "io.modelcontextprotocol/tasks", protocolVersion = "2026-07-28";
const clientInfo = { name: "interop-tasks", version: "1" }, clientCapabilities = { extensions: { [extension]: {} } };
const client = new Client(clientInfo, { capabilities: clientCapabilities, versionNegotiation: { mode: "auto" } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
assert.equal(client.getNegotiatedProtocolVersion(), protocolVersion);

let ids = 0;
const rawDispatch = async (request) => {
	const name = request.params?.taskId ?? request.params?.name ?? request.params?.uri;
	const response = await fetch(url, {
		method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: ++ids, ...request }), headers: {
			"Content-Type": "application/json", Accept: "application/json, text/event-stream", "MCP-Protocol-Version": protocolVersion,
			"Mcp-Method": request.method, ...(name ? { "Mcp-Name": name } : {}),
		},
	});
	const text = await response.text();
	const streamed = response.headers.get("content-type").includes("event-stream");
	const { result, error } = JSON.parse(streamed ? text.split("\n").filter((l) => l.startsWith("data:")).at(-1).slice(5) : text);
	return error ? { kind: "error", error } : { kind: "result", result };
};
const session = await createTaskSessionFromClient(client, { endpointId: "loupe", rawDispatch, v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities } });

const quick = resultFromTaskOutcome((await (await session.callTool("test_simple_text", {})).settle()).outcome);
assert.match(quick.content[0].text, /simple text/, "a call that is answered at once");

const long = await session.callTool("test_tool_that_lasts", {});
const { outcome } = await long.settle();
assert.equal(resultFromTaskOutcome(outcome).structuredContent.counted, 10, "a task's result");

const stopped = await session.callTool("test_tool_that_lasts", {});
await stopped.cancel();
const end = await stopped.settle();
assert.equal(end.outcome.status ?? end.outcome.kind, "cancelled", "a task that is cancelled: " + JSON.stringify(end));

await session.close();
await client.close();
console.log("ok  ext-tasks 0.2.2: a call at once, a task to its end, a task cancelled");
clearTimeout(deadline);
