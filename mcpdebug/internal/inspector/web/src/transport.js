// Two ways to the same server: over HTTP as the page of the debug server, and
// over postMessage inside a host of MCP Apps. Both have send(method, params),
// which resolves to the result or throws an RPCError, and onNotify.

export class RPCError extends Error {
  constructor({ code, message, data }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export class Lost extends Error {}

const info = { name: "loupe-inspector", title: "Loupe inspector", version: "1" };
const version = "2025-11-25";

// http speaks Streamable HTTP to the server that the page came from.
export function http(base) {
  const url = new URL("mcp", base).href;
  // The token, if there is one, comes in the fragment and stays in memory.
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
  if (token) history.replaceState(null, "", location.pathname + location.search);
  let session = "", id = 0, opening = null, stream = null;
  const t = { kind: "http", url, onNotify: () => {}, onOpen: () => {} };

  const headers = () => {
    const h = { "Content-Type": "application/json", "Accept": "application/json, text/event-stream" };
    if (token) h.Authorization = `Bearer ${token}`;
    if (session) {
      h["Mcp-Session-Id"] = session;
      h["MCP-Protocol-Version"] = version;
    }
    return h;
  };

  async function post(body) {
    let r;
    try {
      r = await fetch(url, { method: "POST", headers: headers(), body: JSON.stringify(body), cache: "no-store" });
    } catch {
      throw new Lost("the game does not answer");
    }
    if (r.status === 404 && session) {
      session = "";
      throw new Lost("the game was restarted");
    }
    if (r.status === 401) throw new RPCError({ code: 401, message: "the server wants a token: open this page as /#token=TOKEN" });
    if (r.status === 202) return null;
    const got = r.headers.get("Mcp-Session-Id");
    if (got) session = got;
    let text;
    try {
      text = await r.text();
    } catch {
      throw new Lost("the connection broke");
    }
    for (const m of messages(text, r.headers.get("Content-Type") ?? "")) {
      if (m.id === body.id && !m.method) {
        if (m.error) throw new RPCError(m.error);
        return m.result;
      }
      if (m.method) t.onNotify(m.method, m.params ?? {});
    }
    throw new Lost(`the answer (HTTP ${r.status}) is not for this call`);
  }

  async function open() {
    session = "";
    const result = await post({ jsonrpc: "2.0", id: ++id, method: "initialize", params: { protocolVersion: version, capabilities: {}, clientInfo: info } });
    await post({ jsonrpc: "2.0", method: "notifications/initialized" });
    listen();
    t.onOpen(result);
  }

  // listen keeps the stream of notifications open; without it the page still
  // works, so that its end is no error.
  async function listen() {
    stream?.abort();
    const mine = (stream = new AbortController());
    try {
      const h = headers();
      h.Accept = "text/event-stream";
      const r = await fetch(url, { headers: h, signal: mine.signal, cache: "no-store" });
      if (!r.ok || !r.body) return;
      const reader = r.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        rest += value;
        const end = rest.lastIndexOf("\n\n");
        if (end < 0) continue;
        for (const m of messages(rest.slice(0, end), "text/event-stream")) if (m.method) t.onNotify(m.method, m.params ?? {});
        rest = rest.slice(end + 2);
      }
    } catch { /* closed, or the game has gone: the next call finds out */ }
  }

  t.send = async (method, params) => {
    if (!session) await (opening ??= open().finally(() => { opening = null; }));
    return post({ jsonrpc: "2.0", id: ++id, method, params: params ?? {} });
  };
  return t;
}

function messages(text, type) {
  if (!type.includes("event-stream")) {
    try {
      return text.trim() ? [JSON.parse(text)] : [];
    } catch {
      return [];
    }
  }
  const out = [];
  for (const event of text.split("\n\n")) {
    const data = event.split("\n").filter((l) => l.startsWith("data:")).map((l) => l.slice(5)).join("\n");
    try {
      if (data.trim()) out.push(JSON.parse(data));
    } catch { /* a comment or a half event */ }
  }
  return out;
}

// app speaks to the host of an MCP App, which passes calls on to the server.
export function app() {
  let id = 0;
  const waiting = new Map();
  const t = { kind: "app", onNotify: () => {}, onOpen: () => {}, onHost: () => {} };
  const say = (m) => parent.postMessage({ jsonrpc: "2.0", ...m }, "*");
  const ask = (method, params) => new Promise((resolve, reject) => {
    waiting.set(++id, { resolve, reject });
    say({ id, method, params });
  });

  addEventListener("message", ({ source, data: m }) => {
    if (source !== parent || m?.jsonrpc !== "2.0") return;
    if (m.method && m.id !== undefined) {
      // The host asks: ping, or the end of the page.
      say(m.method === "ping" || m.method === "ui/resource-teardown" ? { id: m.id, result: {} } : { id: m.id, error: { code: -32601, message: `no method ${m.method}` } });
    } else if (m.method) {
      if (m.method.startsWith("ui/")) t.onHost(m.method, m.params ?? {});
      else t.onNotify(m.method, m.params ?? {});
    } else if (waiting.has(m.id)) {
      const { resolve, reject } = waiting.get(m.id);
      waiting.delete(m.id);
      if (m.error) reject(new RPCError(m.error));
      else resolve(m.result);
    }
  });

  let opening = null;
  async function open() {
    const r = await ask("ui/initialize", { protocolVersion: "2026-01-26", appInfo: info, appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] } });
    say({ method: "ui/notifications/initialized", params: {} });
    t.onHost("ui/notifications/host-context-changed", r?.hostContext ?? {});
    t.onOpen({});
    new ResizeObserver(() => {
      say({ method: "ui/notifications/size-changed", params: { width: document.documentElement.scrollWidth, height: Math.max(480, document.getElementById("app").scrollHeight) } });
    }).observe(document.body);
  }
  t.send = async (method, params) => {
    await (opening ??= open());
    return ask(method, params ?? {});
  };
  return t;
}
