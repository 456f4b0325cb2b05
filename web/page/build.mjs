// build.mjs: puts the page into one file.
// SPDX-License-Identifier: MIT
//
// Usage: node build.mjs MODULE.wasm OUT.html

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const [module, out] = process.argv.slice(2);

async function bundle(entry, define = {}) {
    const result = await build({
        entryPoints: [join(HERE, "src", entry)], bundle: true, minify: true, format: "iife", write: false,
        target: "es2022", charset: "ascii", legalComments: "none", define, logLevel: "warning",
    });
    // In a page, "</script" would end the script.
    return result.outputFiles[0].text.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
}

function hash(text) {
    return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

const worker = await bundle("worker.ts");
const script = await bundle("main.ts", { WORKER_SOURCE: JSON.stringify(worker) });
const css = readFileSync(join(HERE, "page.css"), "utf8");
const parts = {
    style: css.replace(/^\/\*.*\*\/\n/, ""),
    script,
    wasm: gzipSync(readFileSync(module), { level: 9 }).toString("base64"),
    files: "<!-- files -->",
};
parts.policy = `default-src 'none'; script-src ${hash(parts.script)} 'wasm-unsafe-eval'; ` +
    `style-src ${hash(parts.style)}; worker-src blob:; base-uri 'none'; form-action 'none'`;
const page = readFileSync(join(HERE, "page.html"), "utf8").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
writeFileSync(out, page);
