// Entities in a table: by archetype, by condition, sorted, any number of rows.
import { html, Panel, Refusal, bytes, text, useEffect, useLayoutEffect, useMemo, useRef, useState, useWatch } from "../ui.js";
import { act, at, call, filter, select, selected, then } from "../game.js";

const rowHeight = 24, margin = 12;

export function WorldView() {
  const [archetype, setArchetype] = useState(null);
  const where = filter.value;
  const [name, setName] = useState("");
  const [columns, setColumns] = useState("");
  const [sort, setSort] = useState("");
  const selection = useMemo(() => {
    const q = {};
    if (archetype) Object.assign(q, { with: archetype.components, exclusive: true }, archetype.target && { target: archetype.target });
    if (where.trim()) q.where = where.trim();
    if (name.trim()) q.name = name.trim();
    return q;
  }, [archetype, where, name]);
  const paths = columns.split(/[\s,]+/).filter(Boolean);
  return html`<div class="world">
    <${Archetypes} chosen=${archetype} onChoose=${setArchetype} />
    <${Panel} title="Entities" cls="grow" tools=${html`<${Spawn} />`}>
      <div class="filters">
        <label>where <${Typed} value=${where} onValue=${(v) => { filter.value = v; }} placeholder='Health.HP < 10 && Enemy.Kind == "Brute"' cls="wide" /></label>
        <label>name <${Typed} value=${name} onValue=${setName} placeholder="player" /></label>
        <label>columns <${Typed} value=${columns} onValue=${setColumns} placeholder="Position.X Health.HP" list="paths" cls="wide" /></label>
      </div>
      <${Paths} />
      <${Table} selection=${selection} paths=${paths} sort=${sort} onSort=${setSort} />
    <//></div>`;
}

// Typed is an input whose value counts when the typing rests.
export function Typed({ value, onValue, cls = "", ...rest }) {
  const [draft, setDraft] = useState(value);
  useEffect(() => {
    const t = setTimeout(() => onValue(draft), 300);
    return () => clearTimeout(t);
  }, [draft]);
  return html`<input type="search" class=${cls} value=${draft} onInput=${(e) => setDraft(e.target.value)} spellcheck=${false} autocomplete="off" ...${rest} />`;
}

function Paths() {
  const [paths, setPaths] = useState([]);
  useEffect(() => {
    call("components_info", { detail: true, maxBytes: 200000 }).then((r) => setPaths(r.components.flatMap((c) => (c.fields ?? []).map((f) => `${c.name}.${f.path}`))), () => {});
  }, []);
  return html`<datalist id="paths">${paths.map((p) => html`<option value=${p} />`)}</datalist>`;
}

function Archetypes({ chosen, onChoose }) {
  const { data, error } = useWatch("archetypes_list", () => then({ limit: 200 }), 2000, [at.value]);
  return html`<${Panel} title="Archetypes" cls="side"><${Refusal} error=${error} />
    <ul class="list" role="listbox" aria-label="archetypes">
      <li role="option" tabindex="0" aria-selected=${!chosen} onClick=${() => onChoose(null)} onKeyDown=${(e) => e.key === "Enter" && onChoose(null)}>All entities</li>
      ${data?.archetypes.map((a) => html`<li key=${a.id} role="option" tabindex="0" aria-selected=${chosen?.id === a.id} title=${`${bytes(a.bytes)}, ${a.bytesPerEntity} B an entity`}
        onClick=${() => onChoose(a)} onKeyDown=${(e) => e.key === "Enter" && onChoose(a)}><b>${a.entities}</b> ${a.components.join(" ") || "(nothing)"}${a.target && html` → <code>${a.target}</code>`}</li>`)}
    </ul>${data?.truncated && html`<p class="dim">and ${data.total - data.returned} more</p>`}<//>`;
}

// Table shows a window of rows and asks for the values of those alone.
function Table({ selection, paths, sort, onSort }) {
  const box = useRef(null);
  const [view, setView] = useState({ first: 0, count: 40 });
  const measure = () => {
    const el = box.current;
    if (!el) return;
    const first = Math.max(0, Math.floor(el.scrollTop / rowHeight) - margin), count = Math.ceil(el.clientHeight / rowHeight) + 2 * margin;
    setView((v) => (v.first === first && v.count === count ? v : { first, count }));
  };
  useLayoutEffect(() => {
    measure();
    const ro = new ResizeObserver(measure);
    ro.observe(box.current);
    return () => ro.disconnect();
  }, []);
  useEffect(() => { box.current.scrollTop = 0; }, [selection]);
  const shown = useMemo(() => paths, [paths.join(" ")]);
  const args = () => then({ ...selection, limit: view.count, offset: view.first, ...(shown.length ? { select: shown } : { values: false }), ...(sort && { sort }), maxBytes: 200000 });
  const { data, error } = useWatch("query", args, 500, [JSON.stringify(selection), shown.join(" "), sort, view.first, view.count, at.value]);
  const total = data?.matched ?? 0, rows = data?.entities ?? [], from = data?.offset ?? view.first;
  const by = (p) => () => onSort(sort === p ? `-${p}` : sort === `-${p}` ? "" : p);
  const head = (p) => html`<th scope="col" aria-sort=${sort === p ? "ascending" : sort === `-${p}` ? "descending" : "none"}><button onClick=${by(p)}>${p}${sort === p ? " ▲" : sort === `-${p}` ? " ▼" : ""}</button></th>`;
  const move = (e) => {
    const i = rows.findIndex((r) => r.entity === selected.value), step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    const next = rows[Math.min(rows.length - 1, Math.max(0, i + step))];
    if (next) select(next.entity);
  };
  return html`<${Refusal} error=${error} />
    <p class="dim" aria-live="polite">${total.toLocaleString("en")} ${total === 1 ? "entity" : "entities"}${data?.hint && rows.length === 0 ? `: ${data.hint}` : ""}</p>
    <div class="table" ref=${box} onScroll=${measure} tabindex="0" role="region" aria-label="table of entities" onKeyDown=${move}>
      <div style=${{ height: `${total * rowHeight + 30}px` }}><table style=${{ transform: `translateY(${from * rowHeight}px)` }}>
        <thead><tr><th scope="col">entity</th><th scope="col">name</th>${shown.length ? shown.map(head) : html`<th scope="col">components</th>`}</tr></thead>
        <tbody>${rows.map((r) => html`<tr key=${r.entity} class=${selected.value === r.entity ? "on" : ""} onClick=${() => select(r.entity)}>
          <td><code>${r.entity}</code></td><td>${r.name ?? ""}</td>
          ${shown.length ? shown.map((p) => html`<td class=${typeof r.values?.[p] === "number" ? "num" : ""}>${text(r.values?.[p])}</td>`) : html`<td class="dim">${(r.components ?? []).join(" ")}</td>`}</tr>`)}</tbody>
      </table></div></div>`;
}

function Spawn() {
  const [open, setOpen] = useState(false), [draft, setDraft] = useState('{"Position": {"X": 100, "Y": 100}}');
  if (at.value !== null) return null;
  const go = async () => {
    let components;
    try {
      components = JSON.parse(draft);
    } catch (e) {
      return act("spawn", { components: draft });
    }
    const r = await act("spawn", { components }, (r) => `spawned ${r.entity}`);
    if (r) {
      select(r.entity);
      setOpen(false);
    }
  };
  return html`<button onClick=${() => setOpen(!open)} aria-expanded=${open}>Spawn…</button>
    ${open && html`<div class="pop"><textarea aria-label="components as JSON" rows="5" value=${draft} onInput=${(e) => setDraft(e.target.value)}></textarea><button onClick=${go}>Spawn</button></div>`}`;
}
