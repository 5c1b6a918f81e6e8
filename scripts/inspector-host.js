// A host of MCP Apps as its makers build one: their bridge, a frame, and the
// game behind it. Bundled by inspector-test.mjs.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

// What the model has called: #{"tool":"history","arguments":{...}}.
const called = JSON.parse(decodeURIComponent(location.hash.slice(1)) || '{"tool":"inspector","arguments":{"view":"systems"}}');
const frame = document.getElementById("app");
const bridge = new AppBridge(null, { name: "host", version: "1" }, { serverTools: {}, serverResources: {} }, { hostContext: { theme: "light", displayMode: "inline", toolInfo: { tool: { name: called.tool, inputSchema: { type: "object" } } } } });
bridge.oncalltool = ({ name, arguments: args }) => window.callGame(name, args ?? {});
bridge.fallbackRequestHandler = async ({ method }) => {
  if (method === "tools/list") return window.listTools();
  throw new Error(`no method ${method}`);
};
bridge.oninitialized = () => bridge.sendToolInput({ arguments: called.arguments });
frame.src = "/app.html";
bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
