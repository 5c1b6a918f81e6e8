// Small pieces that every panel is made of.
import { h, render } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import htm from "htm";
import uPlot from "uplot";
import { explain, selected, select, watch } from "./game.js";

export const html = htm.bind(h);
export { h, render, useEffect, useLayoutEffect, useMemo, useRef, useState };

// useWatch asks a tool again and again while the component is shown.
export function useWatch(tool, args, every = 1000, deps = []) {
  const [got, setGot] = useState({ data: null, error: null });
  const latest = useRef(args);
  latest.current = args;
  useEffect(() => watch({
    tool, every, args: () => (typeof latest.current === "function" ? latest.current() : latest.current),
    take: (data, error) => setGot((old) => ({ data: data ?? (error ? old.data : null), error })),
  }), [tool, every, ...deps]);
  return got;
}

export const Refusal = ({ error }) => error && html`<p class="refusal" role="alert">${explain(error)}</p>`;

export const Entity = ({ id, name }) => (id
  ? html`<button class=${`entity ${selected.value === id ? "on" : ""}`} onClick=${() => select(id)}>${name || ""} <code>${id}</code></button>`
  : html`<code>null</code>`);

export const Panel = ({ title, tools, children, cls = "" }) => html`<section class=${`panel ${cls}`} aria-label=${title}>
  <header><h2>${title}</h2>${tools}</header><div class="body">${children}</div></section>`;

export const Bar = ({ share, title }) => html`<span class="bar" title=${title}><span style=${{ width: `${Math.min(100, Math.max(0, share * 100))}%` }}></span></span>`;

export const number = (v) => (typeof v !== "number" ? String(v ?? "") : Number.isInteger(v) ? String(v) : Number(v.toPrecision(6)).toString());
export const bytes = (n) => (n < 1024 ? `${n} B` : n < 1 << 20 ? `${(n / 1024).toFixed(1)} KiB` : `${(n / (1 << 20)).toFixed(1)} MiB`);
export const text = (v) => (v === undefined ? "" : typeof v === "string" ? v : typeof v === "number" ? number(v) : JSON.stringify(v));

// Confirm is a button for what cannot be taken back: the second press does it.
export function Confirm({ children, onConfirm, ...rest }) {
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    if (!armed) return;
    const t = setTimeout(() => setArmed(false), 3000);
    return () => clearTimeout(t);
  }, [armed]);
  return html`<button ...${rest} class=${armed ? "danger" : rest.class ?? ""} onClick=${() => { if (armed) onConfirm(); setArmed(!armed); }}>${armed ? "Sure?" : children}</button>`;
}

// Chart draws series over ticks or frames; null is a gap.
export function Chart({ x, series, height = 140, bars = false, onPick }) {
  const box = useRef(null), plot = useRef(null);
  const names = series.map((s) => s.name).join("\n");
  useLayoutEffect(() => {
    const style = getComputedStyle(box.current);
    const ink = style.color, grid = style.outlineColor; // a canvas knows no variables
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid }, font: "11px system-ui" };
    const u = plot.current = new uPlot({
      width: box.current.clientWidth || 300, height, scales: { x: { time: false } }, legend: { show: series.length > 1, live: true },
      cursor: { drag: { x: false, y: false } }, axes: [axis, { ...axis, size: 56 }],
      series: [{}, ...series.map((s, i) => ({
        label: s.name, stroke: colour(i), width: 1.5, spanGaps: false,
        ...(bars ? { paths: uPlot.paths.bars({ size: [0.9, 20] }), fill: colour(i), points: { show: false } } : { points: { show: x.length < 80 } }),
      }))],
    }, [x, ...series.map((s) => s.values)], box.current);
    if (onPick) u.over.addEventListener("click", () => { if (u.cursor.idx != null) onPick(u.data[0][u.cursor.idx]); });
    const ro = new ResizeObserver(() => box.current && u.setSize({ width: box.current.clientWidth, height }));
    ro.observe(box.current);
    return () => { ro.disconnect(); u.destroy(); };
  }, [names, height, bars]);
  useEffect(() => { plot.current?.setData([x, ...series.map((s) => s.values)]); }, [x, series]);
  return html`<div class="chart" ref=${box}></div>`;
}

const hues = [205, 35, 130, 350, 275, 60, 180, 310];
export const colour = (i, alpha = 1) => `hsl(${hues[i % hues.length]} 70% 55% / ${alpha})`;

// Flame draws a tree of {name, value, children} as rows of boxes; a press on
// one makes it the root.
export function Flame({ root, unit = "" }) {
  const [path, setPath] = useState([]);
  const [about, setAbout] = useState("");
  let top = root;
  const trail = [root];
  for (const name of path) {
    const next = top.children?.find((c) => c.name === name);
    if (!next) break;
    trail.push(top = next);
  }
  const rows = [];
  const place = (n, depth, from, width, up) => {
    if (width < 0.003 || depth > 40) return;
    (rows[depth] ??= []).push({ n, from, width, up });
    let x = from;
    for (const c of n.children ?? []) {
      const w = (width * c.value) / (n.value || 1);
      place(c, depth + 1, x, w, [...up, c.name]);
      x += w;
    }
  };
  place(top, 0, 0, 1, path.slice(0, trail.length - 1));
  return html`<div class="flame" role="group" aria-label="flame graph">
    <nav>${trail.map((n, i) => html`<button onClick=${() => setPath(path.slice(0, i))}>${n.name}</button>`)}<output>${about}</output></nav>
    ${rows.map((row) => html`<div class="row">${row.map(({ n, from, width, up }) => {
      const label = `${n.name}: ${number(n.value)} ${unit} (${((100 * n.value) / (root.value || 1)).toFixed(1)} %)`;
      return html`<button title=${label} style=${{ left: `${from * 100}%`, width: `${width * 100}%`, background: colour(hash(n.name), 0.22) }}
        onMouseEnter=${() => setAbout(label)} onFocus=${() => setAbout(label)} onClick=${() => setPath(up)}>${n.name}</button>`;
    })}</div>`)}</div>`;
}

function hash(s) {
  let n = 0;
  for (let i = 0; i < s.length; i++) n = (n * 31 + s.charCodeAt(i)) | 0;
  return Math.abs(n);
}
