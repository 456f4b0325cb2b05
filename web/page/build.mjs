// build.mjs: puts the page into one file, and into a folder for servers.
// SPDX-License-Identifier: MIT
//
// Usage: node build.mjs MODULE.wasm FOLDER

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const [module, folder] = process.argv.slice(2);

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

/** What is given is allowed in addition, or in the head. */
function page({ workers = "", policy = "", head = "" }) {
    const all = { ...parts, head, policy: `default-src 'none'; script-src ${hash(script)} 'wasm-unsafe-eval'; ` +
        `style-src ${hash(parts.style)}; worker-src blob:${workers}; ${policy}base-uri 'none'; form-action 'none'` };
    return readFileSync(join(HERE, "page.html"), "utf8").replace(/\{\{(\w+)\}\}/g, (_, name) => all[name]);
}

writeFileSync(join(folder, "tenon.html"), page({}));

// A server's page asks that server for three files: the service worker, the manifest and its icon.
const site = join(folder, "site"), served = page({
    workers: " 'self'", policy: "manifest-src 'self'; ", head: '<link rel="manifest" href="tenon.webmanifest">' });
mkdirSync(site, { recursive: true });
writeFileSync(join(site, "index.html"), served);
for (const name of readdirSync(join(HERE, "served"))) {
    const text = readFileSync(join(HERE, "served", name), "utf8");
    const version = createHash("sha256").update(served).digest("hex").slice(0, 16);
    writeFileSync(join(site, name), text.replace("{{hash}}", version));
}
