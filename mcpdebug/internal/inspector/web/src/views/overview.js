// The first screen: what is odd now, how fast it runs, what the world holds.
import { html, Panel, Refusal, bytes, number, useState, useWatch } from "../ui.js";
import { act, call, context, has, record, select, state } from "../game.js";

export function Overview() {
  const c = context.value;
  return html`<div class="cards">
    <${Panel} title="The game">${c && html`<dl>
      <dt>app</dt><dd>${c.appName ?? ""}</dd><dt>build</dt><dd>${c.build?.module} ${c.build?.version} ${c.build?.revision?.slice(0, 9) ?? ""}${c.build?.dirty ? " (changed)" : ""}, pid ${c.build?.pid}</dd>
      <dt>frames</dt><dd>${c.frame} at ${number(c.fps)} a second${c.frameMs && html`; ${number(c.frameMs.p50)} ms median, ${number(c.frameMs.p95)} ms 95th`}</dd>
      ${c.world && html`<dt>world</dt><dd>${c.world.entities} entities in ${c.world.archetypes} archetypes, ${c.world.components} components, ${c.world.resources} resources, ${bytes(c.world.memoryBytes)}${c.world.locked ? ", locked" : ""}</dd>`}
      ${record.value && html`<dt>recording</dt><dd>${record.value.recording ? "on" : "off"}, ${record.value.samples} samples, ticks ${record.value.fromTick} to ${record.value.toTick}, ${bytes(record.value.bytes ?? 0)}</dd>`}
      ${c.app && Object.entries(c.app).map(([k, v]) => html`<dt>${k}</dt><dd>${/^\d+v\d+$/.test(v) ? html`<button class="entity" onClick=${() => select(v)}>${v}</button>` : typeof v === "object" ? JSON.stringify(v) : String(v)}</dd>`)}
    </dl>`}<//>
    ${(state.value === "crashed" || state.value === "stalled") && html`<${Crash} />`}
    <${Findings} />
    <${Resources} />
  </div>`;
}

function Findings() {
  const tool = has("diagnose") ? "diagnose" : "world_check";
  const { data, error } = useWatch(tool, () => (has(tool) || state.value ? {} : null), 5000, [tool]);
  return html`<${Panel} title="Findings"><${Refusal} error=${error} />
    ${data?.findings?.length === 0 && html`<p class="dim">Nothing odd.</p>`}
    <ul class="findings">${data?.findings?.map((f) => html`<li class=${f.severity}><b>${f.code}</b> ${f.text}${f.evidence && html` <small>${typeof f.evidence === "string" ? f.evidence : JSON.stringify(f.evidence)}</small>`}${f.hint && html` <small>${f.hint}</small>`}</li>`)}</ul><//>`;
}

export function Crash() {
  const { data, error } = useWatch("crash_report", {}, 3000);
  const [busy, setBusy] = useState(false);
  const clear = async (args) => {
    setBusy(true);
    await act("clear_crash", args, "the game goes on");
    setBusy(false);
  };
  return html`<${Panel} title="Crash report" cls="wide" tools=${state.value === "crashed" && html`<button disabled=${busy} onClick=${() => clear({ unlock: true })}>Go on</button>`}>
    <${Refusal} error=${error} />
    ${data && !data.panic && html`<p class="dim">${data.hint ?? "The game has not crashed."}</p>`}
    ${data?.panic && html`<p class="refusal">${data.panic}</p>
      <dl>${data.system && html`<dt>system</dt><dd>${data.system}</dd>`}<dt>frame</dt><dd>${data.frame}</dd>${data.entity && html`<dt>entity</dt><dd><button class="entity" onClick=${() => select(data.entity.entity ?? data.entity)}>${data.entity.entity ?? data.entity}</button></dd>`}</dl>
      <ol class="stack">${(data.frames ?? []).map((f) => html`<li><code>${f.func}</code> <small>${f.file}:${f.line}</small></li>`)}</ol>`}<//>`;
}

function Resources() {
  const { data, error } = useWatch("resources_list", () => state.value === "running" && {}, 5000);
  const [open, setOpen] = useState(null);
  const [value, setValue] = useState(null);
  const show = async (name) => {
    setOpen(name);
    setValue(null);
    try {
      setValue(await call("resources_info", { name }));
    } catch (e) {
      setValue({ error: e.message });
    }
  };
  return html`<${Panel} title="Resources"><${Refusal} error=${error} />
    <ul class="list">${data?.resources.map((r) => html`<li><button onClick=${() => show(r.name)} aria-expanded=${open === r.name}>${r.name}</button> <small>${bytes(r.bytes)}</small>
      ${open === r.name && value && html`<pre>${JSON.stringify(value.value ?? value, null, 1)}</pre>`}</li>`)}</ul><//>`;
}
