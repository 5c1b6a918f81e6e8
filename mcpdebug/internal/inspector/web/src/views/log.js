// Log lines as they come, events to send, snapshots, and the Lua console.
import { html, Confirm, Panel, Refusal, bytes, useEffect, useRef, useState, useWatch } from "../ui.js";
import { act, call, context, explain, select, state, then, at, watch } from "../game.js";
import { Crash } from "./overview.js";
import { Form } from "../fields.js";
import { Typed } from "./world.js";

export function LogView() {
  return html`<div class="cards"><${Log} />${state.value === "crashed" && html`<${Crash} />`}<${Events} /></div>`;
}

function Log() {
  const [lines, setLines] = useState([]), [level, setLevel] = useState("debug"), [contains, setContains] = useState("");
  const end = useRef(null), follow = useRef(true), dropped = useRef(0);
  useEffect(() => {
    let after;
    setLines([]);
    return watch({
      tool: "get_logs", every: 500, args: () => ({ level, ...(contains && { contains }), ...(after && { after }), limit: 200 }),
      take: (r) => {
        if (!r) return;
        after = r.next;
        dropped.current += r.dropped ?? 0;
        if (r.lines.length) setLines((old) => [...old, ...r.lines].slice(-2000));
      },
    });
  }, [level, contains]);
  useEffect(() => { if (follow.current) end.current?.scrollTo(0, end.current.scrollHeight); }, [lines]);
  return html`<${Panel} title="Log" cls="wide" tools=${html`
      <label>from <select value=${level} onChange=${(e) => setLevel(e.target.value)}>${["debug", "info", "warn", "error"].map((l) => html`<option>${l}</option>`)}</select></label>
      <label>with <${Typed} value=${contains} onValue=${setContains} /></label>`}>
    <div class="log" ref=${end} tabindex="0" role="log" aria-label="log lines" onScroll=${(e) => { const el = e.currentTarget; follow.current = el.scrollHeight - el.scrollTop - el.clientHeight < 30; }}>
      ${lines.map((l) => html`<div key=${l.n} class=${l.level.toLowerCase().slice(0, 4)}><time>${l.time.slice(11, 23)}</time> <b>${l.level}</b> ${l.msg} ${l.attrs && html`<span class="dim">${Object.entries(l.attrs).map(([k, v]) => `${k}=${typeof v === "object" ? JSON.stringify(v) : v}`).join(" ")}</span>`}</div>`)}
      ${lines.length === 0 && html`<p class="dim">No lines.</p>`}</div><//>`;
}

function Events() {
  const [kinds, setKinds] = useState([]), [kind, setKind] = useState(""), [error, setError] = useState(null);
  useEffect(() => { call("send_event", {}).then((r) => setKinds(r.kinds), setError); }, [context.value?.build?.pid]);
  const k = kinds.find((k) => k.name === kind);
  return html`<${Panel} title="Events"><${Refusal} error=${error} />
    <label>kind <select value=${kind} onChange=${(e) => setKind(e.target.value)}><option value=""></option>${kinds.map((k) => html`<option>${k.name}</option>`)}</select></label>
    ${k && html`<p class="dim">${k.doc}</p><${Form} key=${kind} schema=${k.schema} label="Send" onSend=${(payload) => act("send_event", { kind, payload }, (r) => r.hint ?? `${kind} is on its way`)} />`}<//>`;
}

// Words that complete in the console.
const words = ["world.query", "world.entity", "world.spawn", "world.resource", "world.tool", "world.flush", "for e in world.query{} do end", "print", "pairs", "ipairs", "return", "local", "function"];

export function ConsoleView() {
  const [code, setCode] = useState("for e in world.query{with={'Health'}} do print(e.name, e.Health.HP) end");
  const [out, setOut] = useState([]), [names, setNames] = useState([]), [busy, setBusy] = useState(false);
  const past = useRef({ list: [], at: 0 });
  useEffect(() => { call("components_info", { detail: false }).then((r) => setNames(r.components.map((c) => c.name)), () => {}); }, []);
  const run = async (dryRun) => {
    past.current.list.push(code);
    past.current.at = past.current.list.length;
    setBusy(true);
    try {
      const r = await call("run_lua", then({ code, ...(dryRun && { dryRun: true }) }));
      const c = Object.entries(r.changes ?? {}).filter(([, n]) => n).map(([k, n]) => `${n} ${k}`).join(", ");
      setOut((o) => [...o, { code, text: [r.printed?.trimEnd(), ...(r.values ?? []).map((v) => `→ ${JSON.stringify(v)}`), c && `changed: ${c}${dryRun ? " (taken back)" : ""}`].filter(Boolean).join("\n") }].slice(-50));
    } catch (e) {
      setOut((o) => [...o, { code, bad: true, text: explain(e) }].slice(-50));
    }
    setBusy(false);
  };
  const key = (e) => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
      e.preventDefault();
      run(false);
    } else if (e.altKey && (e.key === "ArrowUp" || e.key === "ArrowDown")) {
      e.preventDefault();
      const p = past.current;
      p.at = Math.min(p.list.length, Math.max(0, p.at + (e.key === "ArrowUp" ? -1 : 1)));
      if (p.list[p.at] !== undefined) setCode(p.list[p.at]);
    } else if (e.key === " " && e.ctrlKey) {
      e.preventDefault();
      const el = e.target, upto = el.value.slice(0, el.selectionStart), start = upto.match(/[\w.]*$/)[0];
      const hit = start && [...words, ...names].find((w) => w.toLowerCase().startsWith(start.toLowerCase()) && w !== start);
      if (hit) setCode(upto.slice(0, upto.length - start.length) + hit + el.value.slice(el.selectionStart));
    }
  };
  return html`<div class="cards"><${Panel} title="Lua" cls="wide" tools=${html`<button disabled=${busy} onClick=${() => run(false)}>Run</button><button disabled=${busy} onClick=${() => run(true)}>Try without changing</button><button onClick=${() => act("reset_sandbox", {}, "globals are cleared")}>Reset</button>`}>
      <textarea class="code" aria-label="Lua source" rows="8" spellcheck=${false} value=${code} onInput=${(e) => setCode(e.target.value)} onKeyDown=${key}></textarea>
      <p class="dim">Ctrl+Enter runs, Alt+↑ and Alt+↓ bring back earlier scripts, Ctrl+Space completes.${at.value !== null && ` Reads tick ${at.value}.`}</p>
      <div class="out" role="log" aria-label="output">${out.map((o) => html`<pre class=${o.bad ? "refusal" : ""}>${o.text || "(nothing)"}</pre>`)}</div><//>
    <${Snapshots} /></div>`;
}

function Snapshots() {
  const { data, error } = useWatch("snapshot_list", {}, 4000);
  const [name, setName] = useState("snapshot"), [diff, setDiff] = useState(null);
  const compare = async (from) => {
    try {
      setDiff({ from, ...(await call("snapshot_diff", { from, limit: 100 })) });
    } catch (e) {
      setDiff({ from, error: e });
    }
  };
  return html`<${Panel} title="Snapshots" cls="wide" tools=${html`<input aria-label="name" value=${name} onInput=${(e) => setName(e.target.value)} /><button onClick=${() => act("snapshot_save", { name }, (r) => `saved ${r.entities} entities, ${bytes(r.bytes)}`)}>Save</button>`}>
    <${Refusal} error=${error} />
    <ul class="list">${data?.snapshots?.map((s) => html`<li><b>${s.name}</b> ${s.entities} entities, ${bytes(s.bytes)} <button onClick=${() => compare(s.name)}>Compare with now</button> <${Confirm} onConfirm=${() => act("snapshot_load", { name: s.name }, (r) => `loaded ${r.entities} entities`)}>Load<//></li>`)}</ul>
    ${data?.snapshots?.length === 0 && html`<p class="dim">None yet.</p>`}
    ${diff && html`<h3>${diff.from} → now</h3><${Refusal} error=${diff.error} />
      ${!diff.error && html`<p>${diff.spawned} spawned, ${diff.despawned} despawned, ${diff.added} added, ${diff.removed} removed, ${diff.changed} values changed, ${diff.resourcesChanged} resources</p>
      <div class="scroll"><table class="plain"><tbody>${(diff.rows ?? []).map((r) => html`<tr><td>${r.kind}</td><td><button class="entity" onClick=${() => select(r.entity)}>${r.entity ?? ""}</button></td><td>${r.component ?? ""} ${r.path ?? ""}</td><td><code>${JSON.stringify(r.from)}</code> → <code>${JSON.stringify(r.to)}</code></td></tr>`)}</tbody></table></div>`}`}<//>`;
}
