// Systems in their order with live times, the last frames, and profiles.
import { html, Bar, Chart, Flame, Panel, Refusal, bytes, number, useMemo, useState, useWatch } from "../ui.js";
import { act, call, explain } from "../game.js";

export function SystemsView() {
  return html`<div class="cards"><${Schedule} /><${Frames} /><${Profile} /><${Heap} /></div>`;
}

function Schedule() {
  const { data, error } = useWatch("systems_list", { maxBytes: 100000 }, 1000);
  const list = data?.systems ?? [], most = Math.max(0.001, ...list.map((s) => s.avgMs));
  return html`<${Panel} title="Systems" cls="wide"><${Refusal} error=${error} />
    <div class="scroll"><table class="plain"><thead><tr><th>on</th><th>system</th><th>phase</th><th>mean</th><th></th><th>longest</th><th>writes</th><th>source</th></tr></thead>
    <tbody>${list.map((s) => html`<tr key=${s.name} class=${s.enabled ? "" : "dim"} title=${s.doc ?? ""}>
      <td><input type="checkbox" aria-label=${`${s.name} runs`} checked=${s.enabled} onChange=${(e) => act(e.target.checked ? "systems_start" : "systems_stop", { name: s.name })} /></td>
      <td>${s.name}</td><td class="dim">${s.phase}</td><td class="num">${number(s.avgMs)} ms</td><td><${Bar} share=${s.avgMs / most} title=${`${number(s.avgMs)} ms`} /></td>
      <td class="num">${number(s.maxMs)} ms</td><td class="dim">${(s.writes ?? []).join(" ")}</td><td class="dim">${s.source ?? ""}</td></tr>`)}</tbody></table></div><//>`;
}

// Frames is a chart of the last frames, each a stack of its systems.
function Frames() {
  const { data, error } = useWatch("frame_times", { frames: 120, rows: 120 }, 1000);
  const [chosen, setChosen] = useState(null);
  const rows = data?.rows ?? [];
  const x = useMemo(() => rows.map((r) => r.frame), [data]);
  const series = useMemo(() => [{ name: "ms", values: rows.map((r) => r.ms) }], [data]);
  const frame = rows.find((r) => r.frame === chosen) ?? rows.at(-1);
  const root = useMemo(() => frame && tree(frame, data), [frame, data]);
  return html`<${Panel} title="Frames" cls="wide"><${Refusal} error=${error} />
    ${data?.hint && html`<p class="dim">${data.hint}</p>`}
    ${rows.length > 0 && html`<${Chart} x=${x} series=${series} bars=${true} onPick=${setChosen} />`}
    ${data && html`<p>${number(data.p50Ms)} ms median, ${number(data.p95Ms)} ms 95th, ${number(data.maxMs)} ms longest.
      ${data.spikes?.map((s) => html` <button onClick=${() => setChosen(s.frame)}>${s.frame}: ${number(s.ms)} ms in ${s.system}</button>`)}</p>`}
    ${root && html`<h3>frame ${frame.frame}</h3><${Flame} root=${root} unit="ms" />`}<//>`;
}

function tree(frame, data) {
  const phases = new Map();
  (data.systems ?? []).forEach((s) => {
    const ms = frame.systems?.[s.system];
    if (!ms) return;
    const p = phases.get(s.phase) ?? { name: s.phase, value: 0, children: [] };
    p.value += ms;
    p.children.push({ name: s.system, value: ms });
    phases.set(s.phase, p);
  });
  return { name: "frame", value: frame.ms, children: [...phases.values()] };
}

function Profile() {
  const [running, setRunning] = useState(false), [result, setResult] = useState(null), [error, setError] = useState(null);
  const go = async () => {
    setError(null);
    try {
      await call("profile_start", { kind: "cpu" });
      setRunning(true);
    } catch (e) {
      setError(e);
      if (e.code === "already_running") setRunning(true);
    }
  };
  const stop = async () => {
    setRunning(false);
    try {
      setResult(await call("profile_stop", { name: "inspector", stacks: 400 }));
    } catch (e) {
      setError(e);
    }
  };
  const root = useMemo(() => result && flame(result), [result]);
  return html`<${Panel} title="CPU profile" cls="wide" tools=${running ? html`<button class="danger" onClick=${stop}>Stop</button>` : html`<button onClick=${go}>Start</button>`}>
    <${Refusal} error=${error} />${running && html`<p role="status">Recording…</p>`}
    ${result && html`<p>${result.samples} samples in ${number(result.durationMs)} ms, kept as ${result.pprof}.</p>
      <div class="scroll"><table class="plain"><thead><tr><th>system</th><th></th><th>share</th></tr></thead><tbody>${(result.bySystem ?? []).map((s) => html`<tr><td>${s.system}</td><td><${Bar} share=${s.share} /></td><td class="num">${(100 * s.share).toFixed(1)} %</td></tr>`)}</tbody></table></div>
      ${root?.children.length > 0 && html`<${Flame} root=${root} unit="samples" />`}`}<//>`;
}

// flame makes a tree of collapsed stacks ("a;b;c 12").
function flame(result) {
  const root = { name: "all", value: 0, children: [] };
  for (const line of result.stacks ?? []) {
    const cut = line.lastIndexOf(" "), value = Number(line.slice(cut + 1));
    let node = root;
    root.value += value;
    for (const name of line.slice(0, cut).split(";")) {
      let next = node.children.find((c) => c.name === name);
      if (!next) node.children.push(next = { name, value: 0, children: [] });
      next.value += value;
      node = next;
    }
  }
  return root;
}

function Heap() {
  const [r, setR] = useState(null), [error, setError] = useState("");
  const take = async () => {
    try {
      setR(await call("profile_heap", { top: 15 }));
      setError("");
    } catch (e) {
      setError(explain(e));
    }
  };
  return html`<${Panel} title="Heap" tools=${html`<button onClick=${take}>Measure</button>`}>
    ${error && html`<p class="refusal">${error}</p>`}
    ${r && html`<div class="scroll"><table class="plain"><thead><tr><th>function</th><th>held</th></tr></thead><tbody>${r.top.map((t) => html`<tr><td><code>${t.func}</code></td><td class="num">${bytes(t.flat)}</td></tr>`)}</tbody></table></div>`}<//>`;
}
