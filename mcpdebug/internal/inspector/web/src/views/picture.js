// What the game shows: live, zoomed and panned, with entities to choose.
import { html, Panel, Refusal, useEffect, useRef, useState } from "../ui.js";
import { act, call, raw, select, selected, watch } from "../game.js";

export function PictureView() {
  const [shot, setShot] = useState(null), [error, setError] = useState(null);
  const [hz, setHz] = useState(2), [zoom, setZoom] = useState({ k: 1, x: 0, y: 0 });
  const [camera, setCamera] = useState(null), [mark, setMark] = useState(null);
  const drag = useRef(null), img = useRef(null);

  useEffect(() => {
    let on = true, last = 0;
    const loop = async () => {
      while (on) {
        if (hz > 0 && !document.hidden) {
          try {
            const r = await raw("screenshot", {});
            if (!on) return;
            const c = r.content.find((c) => c.type === "image");
            if (c) setShot(`data:${c.mimeType};base64,${c.data}`);
            setError(null);
          } catch (e) {
            setError(e);
          }
        }
        last = 1000 / Math.max(hz, 0.5);
        await new Promise((f) => setTimeout(f, error ? 2000 : last));
      }
    };
    loop();
    return () => { on = false; };
  }, [hz]);
  useEffect(() => watch({ tool: "camera_info", args: {}, every: 500, take: (c) => c && setCamera(c) }), []);
  useEffect(() => watch({
    tool: "info", every: 500, args: () => selected.value && { entity: selected.value, referencedBy: false },
    take: (r) => setMark(place(r?.components)),
  }), []);

  // The host's camera says which part of the world the picture shows.
  const view = camera?.viewport;
  const toWorld = (e) => {
    const b = img.current.getBoundingClientRect();
    return view && { x: view.minX + ((e.clientX - b.left) / b.width) * (view.maxX - view.minX), y: view.minY + ((e.clientY - b.top) / b.height) * (view.maxY - view.minY) };
  };
  const pick = async (e) => {
    const p = toWorld(e);
    if (!p) return;
    const c = await positions();
    if (!c) return;
    const reach = (view.maxX - view.minX) / 20;
    try {
      const dx = `(${c}.X-(${p.x}))`, dy = `(${c}.Y-(${p.y}))`;
      const r = await call("query", { with: [c], where: `${dx}*${dx}+${dy}*${dy} < ${reach * reach}`, sort: `${dx}*${dx}+${dy}*${dy}`, limit: 1, values: false });
      if (r.entities[0]) select(r.entities[0].entity);
    } catch (x) {
      setError(x);
    }
  };
  const wheel = (e) => {
    e.preventDefault();
    setZoom((z) => ({ ...z, k: Math.min(16, Math.max(1, z.k * (e.deltaY < 0 ? 1.2 : 1 / 1.2))) }));
  };
  return html`<${Panel} title="Picture" cls="wide" tools=${html`
      <label>rate <select value=${hz} onChange=${(e) => setHz(Number(e.target.value))}>${[0, 2, 5, 10].map((n) => html`<option value=${n}>${n ? `${n} Hz` : "still"}</option>`)}</select></label>
      <button onClick=${() => setZoom((z) => ({ ...z, k: z.k * 1.5 }))}>+</button><button onClick=${() => setZoom({ k: 1, x: 0, y: 0 })}>1:1</button>
      <${Ray} camera=${camera} />`}>
    <${Refusal} error=${error} />
    <div class="picture" onWheel=${wheel} onPointerDown=${(e) => { drag.current = { x: e.clientX, y: e.clientY, z: zoom, moved: false }; e.currentTarget.setPointerCapture(e.pointerId); }}
      onPointerMove=${(e) => { const d = drag.current; if (d && (d.moved ||= Math.hypot(e.clientX - d.x, e.clientY - d.y) > 4)) setZoom({ ...d.z, x: d.z.x + e.clientX - d.x, y: d.z.y + e.clientY - d.y }); }}
      onPointerUp=${(e) => { const d = drag.current; drag.current = null; if (d && !d.moved) pick(e); }}>
      <div style=${{ transform: `translate(${zoom.x}px, ${zoom.y}px) scale(${zoom.k})` }}>
        ${shot && html`<img ref=${img} src=${shot} alt="the game's picture" draggable=${false} />`}
        ${mark && view && html`<span class="cross" aria-hidden="true" style=${{ left: `${(100 * (mark.X - view.minX)) / (view.maxX - view.minX)}%`, top: `${(100 * (mark.Y - view.minY)) / (view.maxY - view.minY)}%` }}></span>`}
      </div></div>
    <p class="dim">Press an entity to choose it; drag to move; wheel to zoom.</p><//>`;
}

// place finds where an entity is: in Position, else in the first component
// with numbers X and Y.
const is = (v) => typeof v?.X === "number" && typeof v?.Y === "number";
const place = (components) => components && (is(components.Position) ? components.Position : Object.values(components).find(is) ?? null);

let found = null;
async function positions() {
  if (found) return found;
  const r = await call("components_info", { detail: true, maxBytes: 200000 }).catch(() => null);
  const fits = (r?.components ?? []).filter((c) => ["X", "Y"].every((p) => c.fields?.some((f) => f.path === p && /float|int/.test(f.type))));
  return (found = (fits.find((c) => c.name === "Position") ?? fits[0])?.name ?? null);
}

function Ray({ camera }) {
  const [hit, setHit] = useState("");
  const cast = async () => {
    if (!camera) return;
    const v = camera.viewport;
    const r = await act("physics_raycast", { x1: camera.x, y1: camera.y, x2: v.maxX, y2: camera.y });
    if (r) setHit(r.hit ? `hits ${r.entity}` : "hits nothing");
    if (r?.entity) select(r.entity);
  };
  return html`<button title="from the middle to the right" onClick=${cast}>Raycast</button><span role="status">${hit}</span>`;
}
