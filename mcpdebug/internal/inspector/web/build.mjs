// Bundles the page into one self-contained document: what the server answers
// at "/" and what hosts of MCP Apps show. Run by scripts/inspector.sh.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync, gzipSync, constants } from "node:zlib";

const [esbuildPath, dir, mode] = process.argv.slice(2);
const { default: esbuild } = await import(pathToFileURL(esbuildPath).href);
const web = resolve(dir, "web");
const vendor = (name) => join(web, "vendor", name);

const { outputFiles } = await esbuild.build({
  entryPoints: [join(web, "src", "main.js")],
  bundle: true, minify: true, write: false, format: "iife", target: "es2022", charset: "utf8",
  legalComments: "none", // the licences are beside the vendored files
  outdir: "out",
  alias: {
    "preact": vendor("preact.mjs"), "preact/hooks": vendor("hooks.mjs"), "htm": vendor("htm.mjs"),
    "@preact/signals": vendor("signals.mjs"), "@preact/signals-core": vendor("signals-core.mjs"), "uplot": vendor("uplot.mjs"),
    "uplot.css": vendor("uplot.css"),
  },
});
const text = (ending) => outputFiles.find((f) => f.path.endsWith(ending)).text.trim();
const html = readFileSync(join(web, "page.html"), "utf8")
  .replace("/*style*/", () => text(".css"))
  .replace("/*script*/", () => text(".js").replaceAll("</script", "<\\/script"));

const file = join(dir, "inspector.html.gz");
if (mode === "check") {
  if (gunzipSync(readFileSync(file)).toString("utf8") !== html) {
    console.error(`${file} is not what its sources give: run make inspector`);
    process.exit(1);
  }
  console.log("ok  the inspector's page is what its sources give");
} else {
  const gz = gzipSync(html, { level: constants.Z_BEST_COMPRESSION });
  gz[9] = 255; // the same bytes whatever the system
  writeFileSync(file, gz);
  console.log(`${file}: ${html.length} bytes, ${gz.length} compressed`);
}
