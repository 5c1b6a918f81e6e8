// Typed editors, made from a component's description document.
import { html, Entity, number, text, useState } from "./ui.js";
import { explain, write } from "./game.js";

// fieldOf finds what the description says about a path: indices and keys of a
// path stand for any.
export function fieldOf(doc, path) {
  const guide = doc?.guide?.fields ?? [];
  const plain = (p) => p.replaceAll(/\[[^\]]*\]/g, "[]");
  return guide.find((f) => f.path === path) ?? guide.find((f) => plain(f.path) === plain(path)) ?? null;
}

const isColour = (path, type, v) => Array.isArray(v) && (v.length === 3 || v.length === 4) && /uint8/.test(type ?? "") && /colou?r|tint|rgb/i.test(path);
const hex = (v) => `#${v.slice(0, 3).map((n) => Math.round(n).toString(16).padStart(2, "0")).join("")}`;
const isEntity = (f, v) => f?.type === "entity" || (typeof v === "string" && /^\d+v\d+$/.test(v));

// Value shows one value of a component and lets a person change it. children
// of structs, lists and maps are shown below it.
export function Value({ entity, component, doc, path, value, menu, depth = 0 }) {
  const f = fieldOf(doc, path);
  const name = path.match(/(\[[^\]]*\]|[^.[]+)$/)?.[0] ?? path;
  const nested = value !== null && typeof value === "object" && !isColour(path, f?.type, value);
  const numbers = Array.isArray(value) && value.length <= 4 && value.every((v) => typeof v === "number");
  const entries = !nested || numbers ? [] : Array.isArray(value) ? value.map((v, i) => [`${path}[${i}]`, v])
    : Object.entries(value).map(([k, v]) => [/^map\[|^\$/.test(f?.type ?? "") || !/^\w+$/.test(k) ? `${path}[${JSON.stringify(k)}]` : `${path}.${k}`, v]);
  const title = [f?.type, f?.unit && `in ${f.unit}`, f?.min !== undefined && `at least ${f.min}`, f?.max !== undefined && `at most ${f.max}`, f?.doc].filter(Boolean).join("; ");
  return html`<div class="field" style=${{ "--depth": depth }}>
    <div class="line"><span class="name" title=${title}>${name}${f?.unit && html` <small>${f.unit}</small>`}</span>
      <${Editor} ...${{ entity, component, path, value, f, nested: nested && !numbers }} />${menu?.(component, path)}</div>
    ${entries.map(([p, v]) => html`<${Value} key=${p} ...${{ entity, component, doc, path: p, value: v, menu, depth: depth + 1 }} />`)}
  </div>`;
}

function Editor({ entity, component, path, value, f, nested }) {
  const [draft, setDraft] = useState(null); // what is being typed
  const [refusal, setRefusal] = useState("");
  const readOnly = f?.readOnly;
  const save = async (v) => {
    setDraft(null);
    try {
      await write(entity, component, { [path]: v });
      setRefusal("");
    } catch (e) {
      setRefusal(explain(e));
    }
  };
  const id = `${entity}-${component}-${path}`;
  const note = refusal && html`<p class="refusal" role="alert">${refusal} <button onClick=${() => setRefusal("")}>ok</button></p>`;
  const typed = (props) => html`<input id=${id} aria-label=${path} disabled=${readOnly} ...${props}
    onInput=${(e) => setDraft(e.target.value)} onKeyDown=${(e) => { if (e.key === "Escape") setDraft(null); if (e.key === "Enter") e.target.blur(); }}
    onBlur=${(e) => { if (draft !== null) save(props.parse ? props.parse(e.target.value) : e.target.value); }} />`;

  if (f?.enum?.length) {
    const known = f.enum.includes(value);
    return html`<select aria-label=${path} disabled=${readOnly} value=${value} onChange=${(e) => save(e.target.value)}>
      ${!known && html`<option value=${value}>${text(value)}</option>`}${f.enum.map((l) => html`<option value=${l}>${l}</option>`)}</select>${note}`;
  }
  if (typeof value === "boolean") return html`<input type="checkbox" aria-label=${path} disabled=${readOnly} checked=${value} onChange=${(e) => save(e.target.checked)} />${note}`;
  if (typeof value === "number") {
    const ranged = f?.min !== undefined && f?.max !== undefined && Number.isFinite(f.min) && Number.isFinite(f.max);
    const step = /int/.test(f?.type ?? "") ? 1 : "any";
    return html`${ranged && html`<input type="range" aria-label=${`${path} slider`} disabled=${readOnly} min=${f.min} max=${f.max} step=${step === 1 ? 1 : (f.max - f.min) / 200} value=${value} onChange=${(e) => save(Number(e.target.value))} />`}
      ${typed({ type: "text", inputMode: "decimal", class: "num", value: draft ?? number(value), parse: (s) => (s.trim() !== "" && Number.isFinite(Number(s)) ? Number(s) : s) })}${note}`;
  }
  if (isColour(path, f?.type, value)) {
    return html`<input type="color" aria-label=${path} disabled=${readOnly} value=${hex(value)} onChange=${(e) => save([1, 3, 5].map((i) => parseInt(e.target.value.slice(i, i + 2), 16)).concat(value.slice(3)))} />
      <small>${value.join(" ")}</small>${note}`;
  }
  if (isEntity(f, value)) return html`<${Entity} id=${value} />${!readOnly && typed({ type: "text", class: "short", value: draft ?? value ?? "", placeholder: "42v3", parse: (s) => s.trim() || null })}${note}`;
  if (typeof value === "string" && value.length < 200 && !value.includes("\n")) return html`${typed({ type: "text", value: draft ?? value })}${note}`;
  if (draft === null) {
    const size = Array.isArray(value) ? `${value.length} ${value.length === 1 ? "element" : "elements"}` : value === null ? "null" : typeof value === "string" ? `${value.length} characters` : `${Object.keys(value).length} fields`;
    return html`<span class="value">${nested ? html`<small>${size}</small>` : html`<code>${text(value)}</code>`}</span>
      ${!readOnly && html`<button class="quiet" aria-label=${`edit ${path} as JSON`} onClick=${() => setDraft(JSON.stringify(value, null, nested ? 1 : 0))}>{…}</button>`}${note}`;
  }
  const commit = () => {
    try {
      save(JSON.parse(draft));
    } catch (e) {
      setRefusal(`This is not JSON: ${e.message}`);
    }
  };
  return html`<textarea aria-label=${`${path} as JSON`} rows=${Math.min(12, draft.split("\n").length + 1)} value=${draft} onInput=${(e) => setDraft(e.target.value)}></textarea>
    <span><button onClick=${commit}>Set</button> <button onClick=${() => { setDraft(null); setRefusal(""); }}>Cancel</button></span>${note}`;
}

// Form asks for the arguments of a tool or an event from their schema.
export function Form({ schema, skip = [], label, onSend }) {
  const [values, setValues] = useState({});
  const props = Object.entries(schema?.properties ?? {}).filter(([k]) => !skip.includes(k));
  const put = (k, v) => setValues({ ...values, [k]: v });
  const submit = (e) => {
    e.preventDefault();
    const out = {};
    for (const [k, p] of props) {
      const v = values[k];
      if (v === undefined || v === "") continue;
      out[k] = p.type === "number" || p.type === "integer" ? (Number.isFinite(Number(v)) ? Number(v) : v) : p.type === "boolean" ? v === true || v === "true" : p.type === "array" || p.type === "object" || !p.type ? parsed(v) : v;
    }
    onSend(out);
  };
  return html`<form class="form" onSubmit=${submit}>
    ${props.map(([k, p]) => html`<label title=${p.description ?? ""}><span>${k}${schema.required?.includes(k) && html`<b aria-label="required">*</b>`}</span>
      ${p.enum ? html`<select value=${values[k] ?? ""} onChange=${(e) => put(k, e.target.value)}><option value=""></option>${p.enum.map((v) => html`<option>${v}</option>`)}</select>`
      : p.type === "boolean" ? html`<input type="checkbox" checked=${values[k] ?? false} onChange=${(e) => put(k, e.target.checked)} />`
      : html`<input type="text" placeholder=${[p.type, p.minimum !== undefined && `≥ ${p.minimum}`, p.maximum !== undefined && `≤ ${p.maximum}`].filter(Boolean).join(" ")} value=${values[k] ?? ""} onInput=${(e) => put(k, e.target.value)} />`}</label>`)}
    <button type="submit">${label}</button></form>`;
}

const parsed = (s) => {
  try {
    return JSON.parse(s);
  } catch {
    return s;
  }
};
