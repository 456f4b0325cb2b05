// test_served.mjs: the page on a server: it opens offline, and files are opened with it.
// SPDX-License-Identifier: MIT

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join } from "node:path";
import { after, before, test } from "node:test";

import { PAGE, ROOT, SAMPLES, drop, startBrowser } from "./browser.mjs";

const SITE = join(dirname(PAGE), "site");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json" };

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());

/** Serve the folder; `asked` has what was asked for. */
async function serve(t) {
    const asked = [], server = createServer((request, response) => {
        const name = request.url === "/" ? "index.html" : request.url.slice(1);
        asked.push(name);
        try {
            const bytes = readFileSync(join(SITE, name));
            response.writeHead(200, { "Content-Type": TYPES[extname(name)] }).end(bytes);
        } catch {
            response.writeHead(404).end();
        }
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const stop = () => new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
    });
    t.after(stop);
    return { url: `http://127.0.0.1:${server.address().port}/`, asked, stop };
}

async function openServed(context, url) {
    const page = await context.newPage(), requests = [], errors = [];
    page.on("request", (request) => requests.push(request.url()));
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await page.goto(url);
    await page.waitForSelector("body[data-ready]", { timeout: 60000 });
    return Object.assign(page, { requests, errors });
}

test("it opens without its server, and asks no other", async (t) => {
    const { url, asked, stop } = await serve(t), context = await browser.newContext();
    const first = await openServed(context, url);
    await first.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
    await first.waitForFunction(() => navigator.serviceWorker.controller);
    await first.close();
    await stop();
    const page = await openServed(context, url);
    await drop(page, [join(SAMPLES, "crane.bplx")], "crane.bplx");
    assert.ok(await page.evaluate(() => tenonPage.shown.meshes.length > 0));
    const known = ["index.html", "service-worker.js", "tenon.webmanifest", "icon.svg", "favicon.ico"];
    assert.deepEqual(asked.filter((name) => !known.includes(name)), []);
    for (const { requests, errors } of [first, page]) {
        assert.deepEqual(requests.filter((one) => !one.startsWith(url) && !one.startsWith("blob:")), []);
        assert.equal(errors.join("; "), "");
    }
    await context.close();
});

test("files that the system opens with it are shown", async (t) => {
    const { url } = await serve(t), context = await browser.newContext();
    await context.addInitScript(() => {
        Object.defineProperty(window, "launchQueue", { value: { setConsumer: (consumer) => { window.launch = consumer; } } });
    });
    const page = await openServed(context, url), base64 = readFileSync(join(SAMPLES, "crane.bplx")).toString("base64");
    await page.evaluate((text) => {
        const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
        window.launch({ files: [{ getFile: async () => new File([bytes], "opened.bplx") }] });
    }, base64);
    await page.waitForSelector('body[data-described="opened.bplx"]', { timeout: 60000 });
    assert.ok(await page.evaluate(() => tenonPage.shown.meshes.length > 0));
    await context.close();
});

test("the manifest lists what the page reads, and only the served page has it", () => {
    const { file_handlers: [{ accept }] } = JSON.parse(readFileSync(join(SITE, "tenon.webmanifest"), "utf8"));
    const source = readFileSync(join(ROOT, "web/page/src/drop.ts"), "utf8");
    const models = source.match(/MODELS = \/\^\(([\w|]+)\)\$\//)[1].split("|").map((name) => `.${name}`);
    assert.deepEqual(Object.values(accept).flat().sort(), models.sort());
    const policyOf = (file) => readFileSync(file, "utf8").match(/http-equiv="Content-Security-Policy" content="([^"]*)"/)[1];
    const served = policyOf(join(SITE, "index.html"));
    assert.match(served, /; worker-src blob: 'self'; manifest-src 'self'; base-uri/);
    assert.equal(served.replace(" 'self'; manifest-src 'self'", ""), policyOf(PAGE));
    assert.ok(!readFileSync(PAGE, "utf8").includes("rel=\"manifest\""));
    assert.doesNotMatch(readFileSync(join(SITE, "service-worker.js"), "utf8"), /\{\{/);
});
