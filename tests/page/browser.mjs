// browser.mjs: the page in Debian's Chromium.
// SPDX-License-Identifier: MIT

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const SAMPLES = join(ROOT, "samples");
export const PAGE = process.env.TENON_PAGE ?? join(ROOT, "build/release/page/tenon.html");
export const TOOL = process.env.TENON ?? join(ROOT, "build/release/tenon");
export const BROWSER = process.env.CHROMIUM ?? "/usr/bin/chromium";

// Software for WebGL, and nothing that looks for a network.
const FLAGS = [
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

export async function startBrowser() {
    if (!existsSync(BROWSER)) throw new Error(`${BROWSER} is not installed`);
    return chromium.launch({ executablePath: BROWSER, args: FLAGS });
}

/** Open the page. What it asks the network for, and its errors, are in the lists of the result. */
export async function openPage(browser, { width = 1280, height = 800, scheme = "light", path = PAGE, hash = "" } = {}) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme });
    const requests = [], errors = [];
    page.on("request", (request) => requests.push(request.url()));
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
        if (message.type() === "error" || /Content.Security/i.test(message.text())) errors.push(message.text());
    });
    await page.goto(pathToFileURL(path).href + hash);
    await page.waitForSelector("body[data-ready]", { timeout: 60000 });
    return Object.assign(page, { requests, errors });
}

/** Give files to the page and wait until all panels are filled. */
export async function drop(page, paths, name) {
    await page.evaluate(() => { delete document.body.dataset.shown; delete document.body.dataset.described; });
    await page.setInputFiles("#chooser", paths);
    const wanted = name ? JSON.stringify(name) : null;
    for (const mark of ["shown", "described"])
        await page.waitForSelector(wanted ? `body[data-${mark}=${wanted}]` : `body[data-${mark}]`, { timeout: 120000 });
}
