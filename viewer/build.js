// Bundles src/ into one page, ../src/genalpha/view/viewer.html. With --check it only compares: exit code 1 if they differ.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "../src/genalpha/view/viewer.html");
const sources = ["build.js", "package-lock.json", ...readdirSync(join(here, "src")).sort().map((name) => `src/${name}`)];

// the same number is computed by a test that has no Node
const digest = createHash("sha256");
for (const name of sources) digest.update(name).update("\0").update(readFileSync(join(here, name))).update("\0");

const common = { bundle: true, minify: true, write: false, target: "es2022", charset: "utf8", logLevel: "warning" };
const script = await build({ ...common, entryPoints: [join(here, "src/main.js")], format: "iife", legalComments: "inline" });
const style = await build({ ...common, entryPoints: [join(here, "src/style.css")] });
const marks = { sources: digest.digest("hex"), script: script.outputFiles[0].text, style: style.outputFiles[0].text };
const page = readFileSync(join(here, "src/page.html"), "utf8").replace(/\{\{(\w+)\}\}/g, (_, name) => marks[name].trim());

if (process.argv.includes("--check")) {
  const same = readFileSync(target, "utf8") === page;
  console.log(same ? "viewer.html is the build of viewer/src" : "viewer.html is not the build of viewer/src: run npm run build");
  process.exit(same ? 0 : 1);
}
writeFileSync(target, page);
console.log(`viewer.html  ${(page.length / 1024).toFixed(0)} kB`);
