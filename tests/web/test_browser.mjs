// test_browser.mjs: in Chromium, the package says and makes what it does in Node, which
// test_same.mjs compares with the tool.
// SPDX-License-Identifier: MIT

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { examine } from "./examine.mjs";
import {
    MODELS, PACKAGE, ROOT, SAMPLES, filesBelow, realModels, scratch, tenon,
} from "./package.mjs";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const CHROMIUM = process.env.CHROMIUM ?? PLACES.find((path) => existsSync(path));
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
               "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const TARGETS = ["glb", "gltf", "obj", "gpb", "bbmod", "bmw", "cem", "cea", "bplx"];
const SECONDS = 600;

const HERE = dirname(fileURLToPath(import.meta.url));
const reason = CHROMIUM ? false : "Chromium is not installed";

/** Models to examine: each a list of paths, the model first. */
const jobs = new Map();
const answers = new Map();

// What the page does: it asks for one model after the other.
const PAGE = `<!doctype html><title>tenon</title><script type="module">
import * as tenon from "/package/browser.js";
import { examine } from "/here/examine.mjs";
const post = (path, value) => fetch(path, { method: "POST", body: JSON.stringify(value) });
addEventListener("error", (event) => post("/fault", event.message));
addEventListener("unhandledrejection", (event) => post("/fault", String(event.reason?.stack)));
const load = async (path) => new Uint8Array(await (await fetch("/file?" + encodeURIComponent(path))).arrayBuffer());
const { list, targets } = await (await fetch("/jobs")).json();
const kept = new Map();
for (const { id, files } of list) {
    const given = [];
    for (const { name, path } of files) {
        if (!kept.has(path)) kept.set(path, await load(path));
        given.push({ name, data: kept.get(path) });
    }
    if (kept.size > 100) kept.clear();
    await post("/answer?" + encodeURIComponent(id), await examine(tenon, given, targets));
}
// The same in a worker, and calls that are cancelled.
const worker = await tenon.worker();
const sample = { name: "crane.gpb", data: await load("${join(SAMPLES, "crane.gpb")}") };
const here = await (await tenon.open(sample)).convert("glb");
const model = await worker.open(sample);
const there = await model.convert("glb");
const same = JSON.stringify(here) === JSON.stringify(there);
const many = await Promise.all(["glb", "cea", "bplx"].map((one) => model.convert(one)));
const controller = new AbortController();
const cancelled = await model.convert("glb", { signal: controller.signal,
    onProgress: () => controller.abort() }).then(() => "done", (error) => error.code);
const missing = await model.convert("png").then(() => "done", (error) => error.code);
worker.close();
await post("/done", { same, many: many.length, cancelled, missing, isolated: crossOriginIsolated });
</script>`;

function addJob(id, paths, names = paths.map((path) => basename(path))) {
    jobs.set(id, paths.map((path, index) => ({ path, name: names[index] })));
}

function types(path) {
    return path.endsWith(".wasm") ? "application/wasm"
        : /\.m?js$/.test(path) ? "text/javascript" : "application/octet-stream";
}

/** Serve the page, and wait for what it posts. */
function serve(done, failed) {
    const known = new Set([...jobs.values()].flat().map((file) => file.path));
    known.add(join(SAMPLES, "crane.gpb"));
    return createServer((request, response) => {
        const [path, query = ""] = request.url.split("?");
        const argument = decodeURIComponent(query);
        const send = (body, type) => {
            response.writeHead(200, { "Content-Type": type,
                                      "Cross-Origin-Opener-Policy": "same-origin",
                                      "Cross-Origin-Embedder-Policy": "require-corp" });
            response.end(body);
        };
        const folder = { "/package/": PACKAGE, "/here/": HERE }[path.match(/^\/\w+\//)?.[0]];
        if (request.method === "POST") {
            const parts = [];
            request.on("data", (part) => parts.push(part));
            request.on("end", () => {
                const value = JSON.parse(Buffer.concat(parts).toString());
                if (path === "/answer") answers.set(argument, value);
                if (path === "/done") done(value);
                if (path === "/fault") failed(new Error(value));
                send("", "text/plain");
            });
        } else if (path === "/") {
            send(PAGE, "text/html");
        } else if (path === "/jobs") {
            const list = [...jobs].map(([id, files]) => ({ id, files }));
            send(JSON.stringify({ list, targets: TARGETS }), "application/json");
        } else if (folder || (path === "/file" && known.has(argument))) {
            const file = folder ? join(folder, basename(path)) : argument;
            send(readFileSync(file), types(file));
        } else {
            response.writeHead(404).end();
        }
    });
}

/** Open the page in a browser without any history. Returns what it says at its end. */
async function browse(t) {
    const profile = scratch(t);
    let settle, fail;
    const said = new Promise((resolve, reject) => ([settle, fail] = [resolve, reject]));
    const server = serve(settle, fail);
    await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
    const address = `http://127.0.0.1:${server.address().port}/`;
    const browser = spawn(CHROMIUM, [...FLAGS, `--user-data-dir=${profile}`, address],
                          { stdio: "ignore", detached: true });
    browser.on("error", fail);
    browser.on("exit", () => fail(new Error("the browser has ended")));
    const timer = setTimeout(() => fail(new Error(`${SECONDS} seconds have passed`)), SECONDS * 1000);
    try {
        return await said;
    } finally {
        clearTimeout(timer);
        const ended = new Promise((done) => browser.on("exit", done));
        process.kill(-browser.pid, "SIGKILL");
        await ended;
        server.closeAllConnections?.();
        server.close();
    }
}

const samples = readdirSync(SAMPLES).map((name) => join(SAMPLES, name));
for (const path of samples.filter((one) => MODELS.test(one)))
    addJob(`samples/${basename(path)}`, [path, ...samples]);
for (const path of filesBelow(join(ROOT, "tests/fixtures")))
    if (statSync(path).size) addJob(path.slice(ROOT.length + 1), [path]);
const real = process.env.TENON_CORPUS ? realModels(200) : [];
for (const path of real) addJob(path, [path]);

test("Chromium says and makes what Node does", { skip: reason }, async (t) => {
    const end = await browse(t);
    const { cancelled, ...rest } = end;
    assert.deepEqual(rest, { same: true, many: 3, missing: "unsupported", isolated: true });
    assert.match(cancelled, /^(cancelled|done)$/); // The worker may have ended before.
    let conversions = 0;
    for (const [id, files] of jobs) {
        const given = files.map(({ name, path }) => ({ name, data: readFileSync(path) }));
        const wanted = await examine(tenon, given, TARGETS);
        assert.deepEqual(answers.get(id), wanted, id);
        conversions += TARGETS.filter((target) => !wanted[target].error).length;
    }
    t.diagnostic(`${jobs.size} models, ${real.length} of them real; ${conversions} conversions`);
    assert.ok(conversions > jobs.size);
});
