// What a person does on the page, done by a browser: every panel's main job,
// against a running game. Prints one line a test and ends with the counts.
//
//   node inspector-test.mjs GAME WORKDIR CHROMIUM [SCREENSHOTS]
import { spawn } from "node:child_process";
import { readFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:http";
import { join } from "node:path";
import { chromium } from "playwright-core";
import * as esbuild from "esbuild";

const [exe, work, browserPath, shots] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// --- the game and a client of its own, to see what really happened ---
async function start(...args) {
  const data = join(work, `data-${Math.random().toString(36).slice(2)}`);
  mkdirSync(data);
  const p = spawn(exe, ["-data", data, "-seed", "4", "-enemies", "20", "-quiet", ...(args.includes("-addr") ? [] : ["-addr", "127.0.0.1:0"]), ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const url = await new Promise((resolve, reject) => {
    let text = "";
    p.stdout.on("data", (b) => { const m = (text += b).match(/http:\S+\/mcp/); if (m) resolve(m[0]); });
    p.on("exit", (code) => reject(new Error(`the game ended with ${code} before it listened`)));
  });
  p.stderr.resume();
  const game = { url, base: url.slice(0, -3), process: p, id: 0 };
  game.stop = () => new Promise((done) => { p.on("exit", done); if (p.exitCode !== null) done(); else p.kill("SIGTERM"); });
  const post = async (body, headers = {}) => fetch(url, { method: "POST", headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers }, body: JSON.stringify(body) });
  const r = await post({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } } });
  const session = r.headers.get("Mcp-Session-Id");
  await r.text();
  game.rpc = async (method, params) => {
    const a = await post({ jsonrpc: "2.0", id: ++game.id, method, params }, { "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25" });
    const text = await a.text();
    const m = JSON.parse(text.startsWith("event") || text.startsWith("data") || text.startsWith(":") ? text.split("\n").filter((l) => l.startsWith("data:")).map((l) => l.slice(5)).at(-1) : text);
    if (m.error) throw new Error(JSON.stringify(m.error));
    return m.result;
  };
  game.call = async (name, args = {}) => (await game.rpc("tools/call", { name, arguments: args })).structuredContent;
  return game;
}

// --- a small runner ---
let passed = 0, failed = 0;
async function test(name, f) {
  try {
    await f();
    passed++;
    console.log(`ok  ${name}`);
  } catch (e) {
    failed++;
    console.log(`FAILED  ${name}: ${e.stack ?? e}`);
  }
}
const check = (ok, text) => { if (!ok) throw new Error(text); };
async function until(what, f, ms = 10000) {
  const end = Date.now() + ms;
  let last;
  for (;;) {
    try {
      last = await f();
      if (last) return last;
    } catch (e) { last = e; }
    if (Date.now() > end) throw new Error(`${what}: not within ${ms} ms (${last})`);
    await new Promise((r) => setTimeout(r, 50));
  }
}

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
async function open(base, query = "", size = { width: 1280, height: 800 }, colorScheme = "dark") {
  const page = await browser.newPage({ viewport: size, colorScheme });
  page.faults = [];
  page.on("console", (m) => { if (m.type() === "error" && !/net::ERR_|Failed to load resource/.test(m.text())) page.faults.push(m.text()); });
  page.on("pageerror", (e) => page.faults.push(e.message));
  await page.addInitScript(() => addEventListener("securitypolicyviolation", (e) => console.error(`CSP: ${e.violatedDirective} ${e.blockedURI}`)));
  await page.goto(base + query);
  await page.getByText("running", { exact: false }).first().waitFor({ timeout: 15000 }).catch(() => {});
  return page;
}
const tab = (page, name) => page.getByRole("tab", { name }).click();
const shot = async (page, name) => { if (shots) { await page.waitForTimeout(1200); await page.screenshot({ path: join(shots, `${name}.png`) }); } };

const game = await start();
const player = (await game.call("query", { with: ["Player"], values: false })).entities[0].entity;
const page = await open(game.base);

await test("the state is always visible", async () => {
  await until("running", () => page.locator(".state.running").isVisible());
  await shot(page, "overview");
});
await test("entities by condition, an edit that arrives, a refusal where it belongs, undo", async () => {
  await game.call("clock_set", { paused: true });
  await tab(page, "world");
  await page.getByLabel("where").fill("has(Player)");
  await page.locator("tbody tr").filter({ hasText: player }).click();
  const hp = page.getByLabel("HP", { exact: true });
  await hp.waitFor();
  const before = (await game.call("info", { entity: player })).components.Health.HP;
  await hp.fill("41");
  await hp.press("Enter");
  await until("the edit", async () => (await game.call("info", { entity: player })).components.Health.HP === 41);
  await hp.fill("-5");
  await hp.press("Enter");
  await until("the refusal", async () => (await page.locator(".field [role=alert]").first().textContent()).includes("HP"));
  check((await game.call("info", { entity: player })).components.Health.HP === 41, "a refused edit changed the world");
  await page.getByRole("button", { name: /Undo/ }).click();
  await until("the undo", async () => (await game.call("info", { entity: player })).components.Health.HP === before);
  await shot(page, "world");
});
await test("an action with its form", async () => {
  const form = page.locator("form.form").filter({ hasText: "Damage" });
  await form.locator("input").fill("1");
  const before = (await game.call("info", { entity: player })).components.Health.HP;
  await form.getByRole("button", { name: "Damage" }).click();
  await until("the damage", async () => (await game.call("info", { entity: player })).components.Health.HP === before - 1);
});
await test("markup in a value is text", async () => {
  await game.call("modify", { entity: player, component: "Inventory", values: { Note: "<img src=x onerror='document.title=1'><b>bold</b>\u202e\u0000" } });
  await until("the note", async () => (await page.getByLabel("Note", { exact: true }).inputValue()).includes("<img"));
  check(await page.locator("main img[src=x], aside img[src=x]").count() === 0, "markup became an element");
});
await test("time: pause, step, look at a recorded tick, and back", async () => {
  await tab(page, "time");
  const t = (await game.call("clock_info")).tick;
  await page.locator("main").getByRole("button", { name: "Step", exact: true }).click();
  await until("the step", async () => (await game.call("clock_info")).tick === t + 1);
  await game.call("clock_set", { paused: false });
  await new Promise((r) => setTimeout(r, 1500));
  await game.call("clock_set", { paused: true });
  if ((await game.rpc("tools/list", {})).tools.some((x) => x.name === "record_info")) {
    const slider = page.getByLabel("tick", { exact: true });
    await slider.waitFor();
    await until("ticks to look at", async () => Number(await slider.getAttribute("max")) - Number(await slider.getAttribute("min")) > 30);
    await slider.evaluate((el) => { el.value = Number(el.max) - 20; el.dispatchEvent(new Event("input", { bubbles: true })); });
    await page.getByRole("button", { name: /looking at tick/ }).waitFor();
    await shot(page, "time");
    await page.getByRole("button", { name: /looking at tick/ }).click();
  }
  await game.call("clock_set", { paused: false });
});
await test("systems: live times, a switch that arrives", async () => {
  await tab(page, "systems");
  const box = page.getByLabel("movement runs");
  await box.click();
  await until("the switch", async () => (await game.call("systems_info", { name: "movement" })).enabled === false);
  await box.click();
  await until("the switch back", async () => (await game.call("systems_info", { name: "movement" })).enabled === true);
  await page.locator(".chart canvas").first().waitFor();
  await shot(page, "systems");
});
await test("a CPU profile as a flame graph", async () => {
  const panel = page.getByRole("region", { name: "CPU profile" });
  await panel.getByRole("button", { name: "Start" }).click();
  await page.waitForTimeout(1500);
  await panel.getByRole("button", { name: "Stop" }).click();
  await panel.locator("table tbody tr").first().waitFor();
});
await test("picture: live, and an entity chosen in it", async () => {
  await tab(page, "picture");
  const img = page.getByAltText("the game's picture");
  await img.waitFor();
  const first = await img.getAttribute("src");
  await until("another picture", async () => (await img.getAttribute("src")) !== first);
  await shot(page, "picture");
});
await test("log lines and an event", async () => {
  await tab(page, "log");
  await page.getByLabel("kind").selectOption("spawn_wave");
  await page.getByRole("button", { name: "Send" }).click();
  await until("lines", async () => (await page.locator(".log div").count()) > 0);
});
await test("Lua and snapshots", async () => {
  await tab(page, "console");
  await page.getByLabel("Lua source").fill("return 6 * 7");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await until("the value", async () => (await page.locator(".out").textContent()).includes("→ 42"));
  await page.getByLabel("name", { exact: true }).fill("from-the-page");
  await page.getByRole("button", { name: "Save" }).click();
  await until("the snapshot", async () => (await game.call("snapshot_list")).snapshots.some((s) => s.name === "from-the-page"));
});
await test("no serious fault of accessibility, in both schemes and narrow", async () => {
  for (const [size, scheme] of [[{ width: 1280, height: 800 }, "dark"], [{ width: 480, height: 800 }, "light"]]) {
    const p = await open(game.base, `?view=world&entity=${player}`, size, scheme);
    for (const name of ["world", "overview", "time", "systems", "log", "console"]) {
      await tab(p, name);
      await p.waitForTimeout(700);
      const r = await scan(p);
      const bad = r.filter((v) => v.impact === "serious" || v.impact === "critical");
      check(bad.length === 0, `${name} ${scheme}: ${bad.map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 120)}`).join("; ")}`);
    }
    await p.close();
  }
});
// scan runs axe in an isolated world, where the page's policy does not reach.
async function scan(p) {
  const cdp = await p.context().newCDPSession(p);
  const { frameTree } = await cdp.send("Page.getFrameTree");
  const { executionContextId } = await cdp.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id, worldName: "axe" });
  await cdp.send("Runtime.evaluate", { contextId: executionContextId, expression: axe });
  const { result, exceptionDetails } = await cdp.send("Runtime.evaluate", {
    contextId: executionContextId, awaitPromise: true, returnByValue: true,
    expression: "axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations.map((v) => ({id: v.id, impact: v.impact, nodes: v.nodes.map((n) => ({html: n.html}))})))",
  });
  if (exceptionDetails) throw new Error(exceptionDetails.text);
  return result.value;
}
await test("at most four small calls a second, none while hidden", async () => {
  const p = await open(game.base);
  await p.waitForTimeout(2000);
  let n = 0;
  p.on("request", (r) => { if (r.method() === "POST") n++; });
  await p.waitForTimeout(4000);
  check(n <= 17, `${n} calls in 4 s`);
  await p.close();
});
await test("a hundred thousand rows scroll", async () => {
  await game.call("clock_set", { paused: true });
  for (let i = 0; i < 10; i++) await game.call("spawn", { components: { Offset: {} }, count: 10000 });
  await tab(page, "world");
  await page.getByLabel("where").fill("has(Offset)");
  await until("the count", async () => /10\d,\d{3} entities/.test(await page.locator("main").textContent()));
  await page.locator(".table").evaluate((el) => { el.scrollTop = el.scrollHeight; });
  await until("the last rows", async () => (await page.locator("tbody tr").count()) > 10 && Number((await page.locator("tbody tr code").last().textContent()).split("v")[0]) > 90000);
});
await test("a restart without a reload", async () => {
  const port = new URL(game.url).port;
  await tab(page, "overview");
  await game.stop();
  await until("the loss", () => page.locator(".state.lost").isVisible());
  const again = await start("-addr", `127.0.0.1:${port}`);
  await until("the return", () => page.locator(".state.running").isVisible(), 20000);
  await again.stop();
});
await test("a crash is shown with its stack", async () => {
  const g = await start("-crash-at", "120");
  const p = await open(g.base);
  await until("the state", () => p.locator(".state.crashed").isVisible(), 15000);
  await until("the report", async () => (await p.getByRole("region", { name: "Crash report" }).textContent()).includes("combat"));
  check(p.faults.length === 0, p.faults.join("\n"));
  await p.close();
  await g.stop();
});
await test("inside a host of MCP Apps", async () => {
  const g = await start();
  const html = (await g.rpc("resources/read", { uri: "ui://loupe/inspector" })).contents[0].text;
  const { outputFiles } = await esbuild.build({ entryPoints: [new URL("inspector-host.js", import.meta.url).pathname], bundle: true, write: false, format: "iife", logLevel: "silent" });
  const server = createServer((q, s) => {
    if (q.url === "/app.html") s.writeHead(200, { "content-type": "text/html" }).end(html);
    else if (q.url === "/host.js") s.writeHead(200, { "content-type": "text/javascript" }).end(outputFiles[0].text);
    else s.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>host</title><iframe id=app style='width:900px;height:700px'></iframe><script src=/host.js></script>");
  }).listen(0, "127.0.0.1");
  await new Promise((r) => server.on("listening", r));
  const p = await browser.newPage({ viewport: { width: 1000, height: 800 } });
  await p.exposeFunction("callGame", async (name, args) => g.rpc("tools/call", { name, arguments: args }));
  await p.exposeFunction("listTools", async () => g.rpc("tools/list", {}));
  await p.goto(`http://127.0.0.1:${server.address().port}/`);
  const frame = p.frameLocator("#app");
  await until("running inside the host", () => frame.locator(".state.running").isVisible(), 20000);
  await until("the view that the call named", async () => (await frame.getByRole("tab", { name: "systems" }).getAttribute("aria-selected")) === "true");
  // A history opens where it is drawn, on what the model asked for.
  const asked = { tool: "history", arguments: { where: "has(Enemy)", of: "max Position.X", from: -60 } };
  await p.goto("about:blank");
  await p.goto(`http://127.0.0.1:${server.address().port}/#${encodeURIComponent(JSON.stringify(asked))}`);
  await until("the time view", async () => (await frame.getByRole("tab", { name: "time" }).getAttribute("aria-selected")) === "true", 20000);
  await until("the history that was asked for", () => frame.getByRole("heading", { name: "max Position.X where has(Enemy)" }).isVisible());
  await until("its values", () => frame.getByText(/max Position.X: \S+ → /).isVisible());
  await p.close();
  server.close();
  await g.stop();
});
await test("no error in the console, no violation of the policy", async () => check(page.faults.length === 0, page.faults.join("\n")));

await browser.close();
game.process.kill();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
