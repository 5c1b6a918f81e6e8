// The page: a bar that always says how the game is, tabs, and the entity that
// is looked at.
import "uplot.css";
import "./style.css";
import { effect } from "@preact/signals";
import { html, render } from "./ui.js";
import { act, at, charted, clock, context, dismiss, embedded, filter, has, link, onHost, pinned, record, selected, span, state, tab, toasts, undo, undoLast } from "./game.js";
import { Overview } from "./views/overview.js";
import { WorldView } from "./views/world.js";
import { TimeView } from "./views/time.js";
import { SystemsView } from "./views/systems.js";
import { PictureView } from "./views/picture.js";
import { ConsoleView, LogView } from "./views/log.js";
import { EntityPanel } from "./views/entity.js";

const tabs = { overview: Overview, world: WorldView, time: TimeView, systems: SystemsView, picture: PictureView, log: LogView, console: ConsoleView };

const said = { connecting: "connecting…", lost: "not reachable, trying again…", running: "running", parked: "parked", crashed: "crashed", stalled: "stalled", starting: "starting", closed: "closed" };

function Status() {
  const c = context.value, s = state.value, r = record.value;
  const held = c?.held ?? clock.value?.held;
  return html`<header class="top" role="banner">
    <strong>Loupe</strong> <span>${c?.appName}</span>
    <span class=${`state ${s}`} role="status" aria-live="polite">${said[s] ?? s}${s === "running" && c?.paused ? `, paused${held?.by ? ` by ${held.by}` : ""}` : ""}${c?.operation ? `: ${c.operation}` : ""}</span>
    ${c && html`<span class="dim">frame ${c.frame}${c.app?.tick !== undefined ? ` · tick ${c.app.tick}` : ""} · ${Math.round(c.fps)} fps</span>`}
    ${r?.recording && html`<span class="rec" title=${`ticks ${r.fromTick} to ${r.toTick}`}>● recording</span>`}
    ${at.value !== null && html`<button class="past" onClick=${() => { at.value = null; }}>looking at tick ${at.value}: back to now</button>`}
    <span class="grow"></span>
    ${undo.value.length > 0 && html`<button onClick=${undoLast}>Undo (${undo.value.length})</button>`}
    ${s === "running" && has("clock_set") && html`<button onClick=${() => act("clock_set", { paused: !c?.paused })}>${c?.paused ? "Play" : "Pause"}</button><button onClick=${() => act("clock_set", { step: 1 })}>Step</button>`}
    <span class="dim build" title="build">${c?.build?.version} ${c?.build?.revision?.slice(0, 7) ?? ""}</span>
  </header>`;
}

function Page() {
  const View = tabs[tab.value] ?? Overview;
  return html`<${Status} />
    <nav class="tabs" role="tablist" aria-label="panels" onKeyDown=${(e) => {
      const names = Object.keys(tabs), step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (!step) return;
      tab.value = names[(names.indexOf(tab.value) + step + names.length) % names.length];
      document.getElementById(`tab-${tab.value}`)?.focus();
    }}>${Object.keys(tabs).map((name) => html`<button role="tab" id=${`tab-${name}`} tabindex=${tab.value === name ? 0 : -1} aria-selected=${tab.value === name} aria-controls="panel" onClick=${() => { tab.value = name; }}>${name}</button>`)}</nav>
    <main id="panel" role="tabpanel" aria-labelledby=${`tab-${tab.value}`} class=${link.value === "lost" ? "stale" : ""}><${View} /></main>
    ${selected.value && html`<aside><${EntityPanel} /></aside>`}
    <div class="toasts" role="status" aria-live="polite">${toasts.value.map((t) => html`<button key=${t.id} class=${`toast ${t.kind}`} onClick=${() => dismiss(t.id)}>${t.text}</button>`)}</div>`;
}

// A host of MCP Apps says how it looks and what its model called; the views of
// other tools open on what they were called with.
const viewOf = { inspector: null, history: "time", history_plot: "time", frame_times: "systems", profile_stop: "systems", screenshot: "picture", world_check: "overview" };
onHost((method, params) => {
  if (method === "ui/notifications/host-context-changed") {
    if (params.theme) document.documentElement.dataset.theme = params.theme;
    for (const [k, v] of Object.entries(params.styles?.variables ?? {})) if (k.startsWith("--") && v) document.documentElement.style.setProperty(k, v);
    const tool = params.toolInfo?.tool?.name;
    if (tool && viewOf[tool]) tab.value = viewOf[tool];
  } else if (method === "ui/notifications/tool-input") open(params.arguments ?? {});
  else if (method === "ui/notifications/tool-result") open(params.structuredContent?.open ?? {});
});

function open(args) {
  // What a history was asked for is charted.
  span.value = Object.fromEntries(["from", "to"].filter((k) => Number.isFinite(args[k])).map((k) => [k, args[k]]));
  if (Array.isArray(args.paths)) pinned.value = args.paths.map((path) => ({ entity: args.entity, path: String(path) }));
  else if (args.where && tab.value === "time") charted.value = { where: String(args.where), of: String(args.of ?? "count") };
  if (tabs[args.view]) tab.value = args.view;
  if (args.entity) selected.value = String(args.entity);
  if (Number.isFinite(args.tick)) at.value = args.tick;
  if (args.where && tab.value !== "time") filter.value = args.where;
}

if (!embedded) {
  // The address says what is looked at, so that it can be passed on.
  const q = new URLSearchParams(location.search);
  open({ view: q.get("view"), entity: q.get("entity"), where: q.get("where"), tick: q.has("tick") ? Number(q.get("tick")) : undefined });
  effect(() => {
    const p = new URLSearchParams();
    if (tab.value !== "overview") p.set("view", tab.value);
    if (selected.value) p.set("entity", selected.value);
    if (filter.value) p.set("where", filter.value);
    if (at.value !== null) p.set("tick", at.value);
    history.replaceState(null, "", p.size ? `?${p}` : location.pathname);
  });
}
const root = document.getElementById("app");
root.textContent = "";
render(html`<${Page} />`, root);
