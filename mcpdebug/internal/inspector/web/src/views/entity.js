// One entity: its components with editors, actions, relations both ways.
import { html, Confirm, Entity, Panel, Refusal, useEffect, useState, useWatch } from "../ui.js";
import { act, at, call, describe, has, pinned, selected, tab, then, toast, tools } from "../game.js";
import { Form, Value } from "../fields.js";

export function EntityPanel() {
  const id = selected.value;
  const { data, error } = useWatch("info", () => id && then({ entity: id }), 500, [id, at.value]);
  if (!id) return html`<${Panel} title="Entity"><p class="dim">Choose an entity in a table or in the picture.</p><//>`;
  const names = Object.keys(data?.components ?? {});
  const past = at.value !== null;
  return html`<${Panel} title=${`Entity ${id}`} cls="inspect" tools=${html`
      <button onClick=${() => { selected.value = null; }}>Close</button>
      ${!past && html`<${Confirm} onConfirm=${() => act("despawn", { entity: id }, `${id} is gone`)}>Despawn<//>`}`}>
    <${Refusal} error=${error} />
    ${data && !data.alive && html`<p class="refusal">It does not live${past ? " at this tick" : " any more"}. ${data.holder && html`The slot holds <${Entity} id=${data.holder} />`}</p>`}
    ${data?.name && html`<p class="label">${data.name}</p>`}
    ${names.map((n) => html`<${Component} key=${n} ...${{ entity: id, name: n, value: data.components[n], computed: data.computed, past }} />`)}
    ${!past && data?.alive && html`<${AddComponent} entity=${id} have=${names} />`}
    ${data?.relations?.length > 0 && html`<h3>Relations</h3><ul class="links">${data.relations.map((r) => html`<li>${r.relation ?? r.component} → <${Entity} id=${r.target} name=${r.name} /></li>`)}</ul>`}
    ${data?.referencedBy?.length > 0 && html`<h3>Referred to by</h3><ul class="links">${data.referencedBy.slice(0, 40).map((r) => html`<li><${Entity} id=${r.entity} name=${r.name} /> ${r.component}${r.path && `.${r.path}`}</li>`)}
      ${data.referencedBy.length > 40 && html`<li class="dim">and ${data.referencedBy.length - 40} more</li>`}</ul>`}
  <//>`;
}

function Component({ entity, name, value, computed, past }) {
  const doc = describe(name).value;
  const [open, setOpen] = useState(true);
  const actions = (doc?.component?.tools ?? []).filter((t) => t !== `${name}_configure` && !t.endsWith("_configure"));
  const derived = Object.entries(computed ?? {}).filter(([k]) => k.startsWith(`${name}.`));
  const fields = value && typeof value === "object" && !Array.isArray(value) ? Object.entries(value) : [];
  return html`<details class="component" open=${open} onToggle=${(e) => setOpen(e.target.open)}>
    <summary title=${doc?.component?.description ?? ""}>${name}</summary>
    <fieldset disabled=${past}>
      ${fields.map(([k, v]) => html`<${Value} key=${k} ...${{ entity, component: name, doc, path: k, value: v, menu: (c, p) => html`<${Menu} entity=${entity} component=${c} path=${p} />` }} />`)}
      ${fields.length === 0 && value !== null && typeof value !== "object" && html`<code>${String(value)}</code>`}
      ${derived.map(([k, v]) => html`<div class="field computed"><div class="line"><span class="name">${k.slice(name.length + 1)}</span><code>${typeof v === "number" ? Number(v.toPrecision(6)) : JSON.stringify(v)}</code></div></div>`)}
      ${actions.map((t) => html`<${Action} key=${t} tool=${t} entity=${entity} />`)}
      ${!past && html`<p><${Confirm} class="quiet" onConfirm=${() => act("remove", { entity, component: name })}>Remove ${name}<//></p>`}
    </fieldset></details>`;
}

function Action({ tool, entity }) {
  const [schema, setSchema] = useState(tools.value.get(tool)?.inputSchema);
  useEffect(() => {
    if (!schema) call("help", { tool }).then((r) => setSchema(r.tool.inputSchema), () => {});
  }, [tool]);
  const label = tool.slice(tool.indexOf("_") + 1);
  return schema && html`<${Form} schema=${schema} skip=${["entity"]} label=${label} onSend=${(a) => act(tool, { entity, ...a }, (r) => { const { frame, ...rest } = r; return `${label}: ${JSON.stringify(rest)}`; })} />`;
}

function AddComponent({ entity, have }) {
  const [names, setNames] = useState([]);
  const load = () => { if (!names.length) call("components_info", { detail: false }).then((r) => setNames(r.components.map((c) => c.name)), () => {}); };
  return html`<p><select aria-label="add a component" onFocus=${load} onMouseDown=${load} value="" onChange=${(e) => { if (e.target.value) act("set", { entity, component: e.target.value, value: {} }, `${e.target.value} added`); e.target.value = ""; }}>
    <option value="">Add a component…</option>${names.filter((n) => !have.includes(n)).map((n) => html`<option>${n}</option>`)}</select></p>`;
}

// Menu is what can be asked about one value.
function Menu({ entity, component, path }) {
  const [open, setOpen] = useState(false);
  const full = `${component}.${path}`;
  const item = (label, f) => html`<button role="menuitem" onClick=${() => { setOpen(false); f(); }}>${label}</button>`;
  return html`<span class="menu"><button class="quiet" aria-haspopup="menu" aria-expanded=${open} aria-label=${`about ${full}`} onClick=${() => setOpen(!open)}>⋯</button>
    ${open && html`<span role="menu" onKeyDown=${(e) => e.key === "Escape" && setOpen(false)}>
      ${item("Pin its history", () => { pinned.value = [...pinned.value.filter((p) => p.entity !== entity || p.path !== full), { entity, path: full }]; tab.value = "time"; })}
      ${has("blame") && item("Who wrote it?", async () => {
        const r = await act("blame", { entity, path: full });
        for (const c of r?.changes ?? []) toast(`tick ${c.tick}: ${c.system ?? c.client ?? c.by ?? "outside systems"} wrote ${JSON.stringify(c.from)} → ${JSON.stringify(c.to)} (${c.how})`);
        if (r && !r.changes?.length) toast("no change is recorded");
      })}
      ${has("watch_add") && item("Log every change", () => act("watch_add", { entity, path: full }, (r) => `watch ${r.id} looks at ${full}`))}
      ${has("watch_add") && item("Pause at the next change", () => act("watch_add", { entity, path: full, action: "pause", limit: 1 }, (r) => `watch ${r.id} pauses when ${full} changes`))}
      ${item("Copy the path", () => navigator.clipboard?.writeText(full).then(() => toast(`copied ${full}`), () => {}))}
    </span>`}</span>`;
}
