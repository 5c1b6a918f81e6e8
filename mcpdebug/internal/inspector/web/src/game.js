// The game as the page knows it: calls, refusals, what is watched, and the few
// facts that every panel needs.
import { signal, computed, batch } from "@preact/signals";
import { app, http, Lost } from "./transport.js";

const framed = window.parent !== window;
const wire = framed ? app() : http(document.baseURI);
export const embedded = framed;

export const link = signal("connecting"); // connecting, connected, lost
export const context = signal(null);      // the tool's answer
export const clock = signal(null);
export const record = signal(null);
export const tools = signal(new Map());   // name -> tool, of tools/list
export const toasts = signal([]);
export const state = computed(() => (link.value === "connected" ? context.value?.state ?? "connecting" : link.value));

// What the panels share: which entity, which tick (null: now), which tab.
export const selected = signal(null);
export const at = signal(null);
export const tab = signal("overview");
export const filter = signal(""); // the condition of the table of entities
export const pinned = signal([]); // {entity, path}; no entity: of a resource
export const span = signal({}); // from and to of histories, as a client asked
export const charted = signal(null); // {where, of}: a number over entities

// Refused is a tool's refusal: what was wrong, what is legal, what to do next.
export class Refused extends Error {
  constructor(tool, result) {
    const e = result.structuredContent?.error;
    super(e?.message ?? result.content?.map((c) => c.text ?? "").join("\n") ?? "refused");
    Object.assign(this, { tool, code: e?.code ?? "failed", options: e?.options ?? [], hint: e?.hint ?? "", next: e?.next ?? "" });
  }
}

wire.onOpen = () => {
  link.value = "connected";
  refreshTools();
};
wire.onNotify = (method) => {
  if (method === "notifications/tools/list_changed") refreshTools();
};

export function onHost(f) {
  wire.onHost = f;
}

async function send(method, params) {
  try {
    const r = await wire.send(method, params);
    link.value = "connected";
    return r;
  } catch (e) {
    if (e instanceof Lost) link.value = "lost";
    throw e;
  }
}

// raw calls a tool and gives its whole result, pictures included.
export async function raw(tool, args = {}) {
  const r = await send("tools/call", { name: tool, arguments: args });
  if (r.isError) throw new Refused(tool, r);
  return r;
}

export const call = async (tool, args) => (await raw(tool, args)).structuredContent;

// then adds the tick that is looked at, for tools that can read the past.
export const then = (args = {}) => (at.value === null ? args : { ...args, at: at.value });

// act is a call that a person asked for: its refusal is shown.
export async function act(tool, args, done) {
  try {
    const r = await call(tool, args);
    if (done) toast(typeof done === "function" ? done(r) : done);
    return r;
  } catch (e) {
    toast(explain(e), "bad");
    return null;
  }
}

export const explain = (e) => [e.message, e.options?.length ? `Options: ${e.options.join(", ")}` : "", e.hint].filter(Boolean).join("\n");

let toastId = 0;
export function toast(text, kind = "good") {
  const t = { id: ++toastId, text, kind };
  toasts.value = [...toasts.value.slice(-3), t];
  setTimeout(() => dismiss(t.id), kind === "bad" ? 12000 : 4000);
}
export const dismiss = (id) => { toasts.value = toasts.value.filter((t) => t.id !== id); };

async function refreshTools() {
  try {
    const all = new Map();
    let cursor;
    do {
      const r = await send("tools/list", cursor ? { cursor } : {});
      for (const t of r.tools) all.set(t.name, t);
      cursor = r.nextCursor;
    } while (cursor);
    tools.value = all;
  } catch { /* asked again when the link is back */ }
}

// Undo: what writes of this page replaced.
export const undo = signal([]);
export async function write(entity, component, values) {
  const r = await call("modify", { entity, component, values });
  undo.value = [...undo.value.slice(-49), { entity, component, values: r.before }];
  return r;
}
export async function undoLast() {
  const last = undo.value.at(-1);
  if (!last) return;
  undo.value = undo.value.slice(0, -1);
  await act("modify", last, `undone: ${last.component} of ${last.entity}`);
}

// The watch list: panels say what they show and how often they want it. One
// loop asks, at most four times a second, nothing while the page is hidden and
// never two of a kind at once.
const watched = new Set();

export function watch(w) {
  w.due = 0;
  watched.add(w);
  return () => watched.delete(w);
}

export const soon = (w) => { w.due = 0; };

async function ask(w) {
  w.busy = true;
  w.due = performance.now() + w.every;
  try {
    const args = typeof w.args === "function" ? w.args() : w.args;
    if (args) w.take(await (w.raw ? raw : call)(w.tool, args), null);
  } catch (e) {
    w.take(null, e);
  }
  w.busy = false;
}

setInterval(() => {
  if (document.hidden) return;
  const now = performance.now();
  let next = null;
  for (const w of watched) {
    if (w.busy || w.due > now) continue;
    if (!next || w.due < next.due) next = w;
  }
  if (next) ask(next);
}, 250);

const has = (name) => tools.value.has(name);
export { has };

watch({ tool: "context", args: {}, every: 1000, take: (r) => r && (context.value = r) });
watch({ tool: "clock_info", every: 1500, args: () => has("clock_info") && state.value === "running" && {}, take: (r) => r && (clock.value = r) });
watch({ tool: "record_info", every: 2000, args: () => has("record_info") && {}, take: (r) => r && (record.value = r) });

// Descriptions of components change only with the build.
const descriptions = new Map();
export function describe(name) {
  const build = context.value?.build?.startedAt;
  const key = `${build}/${name}`;
  if (!descriptions.has(key)) {
    const s = signal(null);
    descriptions.set(key, s);
    call("describe", { name }).then((r) => { s.value = r; }, () => descriptions.delete(key));
  }
  return descriptions.get(key);
}

export function select(entity) {
  batch(() => {
    selected.value = entity;
  });
}
