// The recording: looking at any tick, moving the game's time, histories of
// pinned values, hits of watches.
import { html, Chart, Panel, Refusal, number, useEffect, useMemo, useRef, useState, useWatch } from "../ui.js";
import { act, at, call, charted, clock, context, explain, has, pinned, record, span, state, toast } from "../game.js";

export function TimeView() {
  return html`<div class="cards">
    <${Transport} />
    <${Histories} />
    <${Watches} />
    <${RunUntil} />
  </div>`;
}

// Transport is the time line with the controls of the clock.
function Transport() {
  const r = record.value, c = clock.value, paused = context.value?.paused;
  const now = c?.tick ?? r?.toTick ?? 0;
  const from = r?.samples ? r.fromTick : now, to = Math.max(r?.samples ? r.toTick : now, from);
  const tick = at.value ?? to;
  return html`<${Panel} title="Time" cls="wide" tools=${html`
      <button onClick=${() => act("clock_set", { paused: !paused })}>${paused ? "Play" : "Pause"}</button>
      <button onClick=${() => act("clock_set", { step: 1 })}>Step</button>
      <button onClick=${() => act("clock_set", { step: 60 })}>Step 60</button>
      <label>speed <select value=${String(c?.scale ?? 1)} onChange=${(e) => act("clock_set", { scale: Number(e.target.value) })}>
        ${[0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8].map((s) => html`<option value=${String(s)}>${s}×</option>`)}</select></label>`}>
    ${!has("record_info") && html`<p class="dim">This game keeps no recording.</p>`}
    ${r && html`
      <div class="timeline"><${Marks} from=${from} to=${to} marks=${r.marks ?? []} />
        <input type="range" aria-label="tick" min=${from} max=${to} value=${tick} onInput=${(e) => { const v = Number(e.target.value); at.value = v >= to ? null : v; }} /></div>
      <p>${at.value === null ? html`Showing <b>now</b> (tick ${now}).` : html`Showing tick <b>${at.value}</b>, ${now - at.value} ticks ago.`}
        ${" "}<button disabled=${at.value === null} onClick=${() => { at.value = null; }}>Back to now</button>
        ${" "}<button disabled=${at.value === null} onClick=${async () => { if (await act("rewind", { tick: at.value }, (w) => `the game stands at tick ${w.tick}`)) at.value = null; }}>Rewind the game here</button>
        ${" "}<button onClick=${() => act("rewind", { to: "present" }, "back in the present")}>To the present</button>
        ${" "}<button onClick=${() => act(r.recording ? "record_stop" : "record_start", {})}>${r.recording ? "Stop recording" : "Record"}</button></p>
      <ul class="marks">${(r.marks ?? []).slice(-12).reverse().map((m) => html`<li><button onClick=${() => { at.value = m.tick; }}>${m.tick}</button> <b>${m.kind}</b> ${m.text}</li>`)}</ul>`}<//>`;
}

function Marks({ from, to, marks }) {
  const span = Math.max(1, to - from);
  return html`<svg class="ticks" viewBox="0 0 1000 14" preserveAspectRatio="none" aria-hidden="true">${marks.map((m) => html`<rect class=${`mark ${m.kind}`} x=${(1000 * (m.tick - from)) / span} y="0" width="3" height="14"><title>${m.tick}: ${m.kind} ${m.text}</title></rect>`)}</svg>`;
}

function Histories() {
  const [where, setWhere] = useState("has(Enemy)"), count = charted.value;
  const groups = useMemo(() => Map.groupBy ? Map.groupBy(pinned.value, (p) => p.entity) : pinned.value.reduce((m, p) => m.set(p.entity, [...(m.get(p.entity) ?? []), p]), new Map()), [pinned.value]);
  if (!has("history")) return html`<${Panel} title="History"><p class="dim">Needs the recording.</p><//>`;
  return html`<${Panel} title="History" cls="wide" tools=${html`<form onSubmit=${(e) => { e.preventDefault(); charted.value = { where, of: "count" }; }}><input aria-label="count entities where" value=${where} onInput=${(e) => setWhere(e.target.value)} /><button>Chart the count</button></form>`}>
    ${pinned.value.length === 0 && !count && html`<p class="dim">Pin a value from its ⋯ menu, or chart how many entities match.</p>`}
    ${[...groups].map(([entity, list]) => html`<${History} key=${entity ?? ""} args=${{ ...(entity && { entity }), paths: list.map((p) => p.path), points: 300, ...span.value }} onClose=${() => { pinned.value = pinned.value.filter((p) => p.entity !== entity); }} title=${entity ?? "resources"} />`)}
    ${count && html`<${History} key=${JSON.stringify(count)} args=${{ ...count, points: 300, ...span.value }} title=${`${count.of} where ${count.where}`} onClose=${() => { charted.value = null; }} />`}<//>`;
}

function History({ args, title, onClose }) {
  const { data, error } = useWatch("history", args, 2000, [JSON.stringify(args)]);
  const series = useMemo(() => Object.entries(data?.series ?? {}).map(([name, values]) => ({ name, values: values.map((v) => (typeof v === "number" ? v : v === true ? 1 : v === false ? 0 : null)) })), [data]);
  return html`<div><h3>${title} <button class="quiet" aria-label=${`close ${title}`} onClick=${onClose}>×</button></h3><${Refusal} error=${error} />
    ${data && html`<${Chart} x=${data.ticks} series=${series} onPick=${(t) => { at.value = t; }} />
      <p class="dim">${Object.entries(data.summary ?? {}).map(([n, s]) => `${n}: ${number(s.first)} → ${number(s.last)}, ${number(s.min)} to ${number(s.max)}, ${s.changes} changes`).join("; ")}</p>`}</div>`;
}

function Watches() {
  const { data, error } = useWatch("watch_list", () => has("watch_list") && {}, 2000);
  return html`<${Panel} title="Watches">
    ${!has("watch_list") ? html`<p class="dim">This game cannot be watched.</p>` : html`<${Refusal} error=${error} />
    ${data?.watches?.length === 0 && html`<p class="dim">None. The ⋯ menu of a value makes one.</p>`}
    <ul class="list">${data?.watches?.map((w) => html`<li><b>${typeof w.what === "string" ? w.what : JSON.stringify(w.what)}</b> ${w.hits} hits, now <code>${JSON.stringify(w.value)}</code> <button onClick=${() => act("watch_remove", { id: w.id })}>remove</button></li>`)}</ul>
    <ol class="hits">${data?.hits?.slice(-40).reverse().map((h) => html`<li><button onClick=${() => { at.value = h.tick; }}>${h.tick}</button> ${h.system ?? h.by ?? ""}: <code>${JSON.stringify(h.old)}</code> → <code>${JSON.stringify(h.new)}</code></li>`)}</ol>`}<//>`;
}

function RunUntil() {
  const [where, setWhere] = useState(""), [busy, setBusy] = useState(false), [answer, setAnswer] = useState("");
  const run = async (e) => {
    e.preventDefault();
    setBusy(true);
    setAnswer("");
    try {
      const r = await call("run_until", { where, maxTicks: 3600 });
      setAnswer(r.matched ? `Tick ${r.tick}: ${r.count ?? ""} ${r.count === 1 ? "entity matches" : "match"}.` : `Not within ${r.ticks} ticks (${r.reason}).`);
    } catch (x) {
      setAnswer(explain(x));
    }
    setBusy(false);
  };
  const find = async () => {
    try {
      const r = await call("find_tick", { where });
      setAnswer(r.found === false ? "At no recorded tick." : `It last began at tick ${r.tick}.`);
      if (r.tick !== undefined && r.found !== false) at.value = r.tick;
    } catch (x) {
      setAnswer(explain(x));
    }
  };
  return html`<${Panel} title="Find a moment"><form onSubmit=${run}><label>where <input class="wide" value=${where} onInput=${(e) => setWhere(e.target.value)} placeholder="Health.HP < 10" /></label>
    <button disabled=${busy || !where || state.value !== "running"}>Run until it holds</button>${has("find_tick") && html`<button type="button" disabled=${!where} onClick=${find}>Find it in the recording</button>`}</form>
    <p role="status">${answer}</p><//>`;
}
