// test_samples.mjs: every sample is shown, with what belongs to it, and nothing leaves the page.
// SPDX-License-Identifier: MIT

import assert from "node:assert/strict";
import { readdirSync, statSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";

import { PAGE, SAMPLES, drop, openPage, startBrowser } from "./browser.mjs";

const MODELS = readdirSync(SAMPLES).filter((name) => /\.(bbmod|gpb|bmw|cem|cea|bplx|glb|fbx)$/.test(name));
const BESIDE = readdirSync(SAMPLES).filter((name) => /\.(png|material|bbmat|bbanim|dds|json)$/.test(name) && name !== "truth.json");

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());

function paths(...names) {
    return names.map((name) => join(SAMPLES, name));
}

test("the page is small, and allows nothing but its own script", () => {
    const page = readFileSync(PAGE);
    assert.ok(statSync(PAGE).size <= 3e6, `${page.length} bytes`);
    assert.ok(gzipSync(page).length <= 1.1e6, `${gzipSync(page).length} bytes compressed`);
    const policy = page.toString().match(/http-equiv="Content-Security-Policy" content="([^"]*)"/)[1];
    assert.match(policy, /^default-src 'none'; script-src 'sha256-[\w+/=]+' 'wasm-unsafe-eval'; style-src 'sha256-[\w+/=]+'; worker-src blob:; base-uri 'none'; form-action 'none'$/);
    assert.doesNotMatch(page.toString().replace(/<script[^]*?<\/script>/g, ""), /https?:\/\//);
});

for (const name of MODELS) test(`samples/${name}`, async () => {
    const page = await openPage(browser);
    await drop(page, paths(name, ...BESIDE), name);
    await page.waitForSelector("#panel-bytes [role=option]");
    const state = await page.evaluate(() => {
        const { shown, stage } = tenonPage;
        stage.renderer.render(stage.scene, stage.camera);
        return { triangles: stage.renderer.info.render.triangles, meshes: shown.meshes.length,
                 clips: shown.clips.map((clip) => clip.name), size: shown.box.max.y - shown.box.min.y,
                 mapped: shown.meshes.some((mesh) => mesh.material.map),
                 nodes: document.querySelectorAll("#panel-tree [role=treeitem]").length,
                 fields: document.querySelectorAll("#panel-bytes [role=option]").length };
    });
    assert.equal(state.triangles, 348);
    assert.ok(state.meshes > 0 && state.fields > 0, JSON.stringify(state));
    assert.equal(state.nodes > 0, name !== "crane.cem");
    assert.ok(Math.abs(state.size - 7.738) < 0.01, `it is ${state.size} high`);
    for (const clip of name === "crane.cem" ? [] : ["lift", "travel"]) assert.ok(state.clips.includes(clip), clip);
    assert.equal(state.mapped, name !== "crane_script.bplx", "its texture is shown");
    assert.equal(page.errors.join("; "), "");
    assert.deepEqual(page.requests.filter((url) => !/^(file|blob):/.test(url)), []);
    await page.close();
});
