// test_hostile.mjs: names and contents run no script, broken files show what is intact.
// SPDX-License-Identifier: MIT

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { SAMPLES, drop, openPage, startBrowser } from "./browser.mjs";
import { LONG, MODELS, random, scratch, tool } from "./models.mjs";

const ATTACKS = ["<img src=x onerror=\"window.attacked=1\">", "</script><script>window.attacked=1</script>",
                 "\"><svg onload=window.attacked=1>", "javascript:window.attacked=1", "{{constructor}}", "\u202egpb.exe"];

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());

/** A glTF model in which every text is an attack. */
function hostileModel(attack) {
    const positions = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer);
    const times = Buffer.from(new Float32Array([0, 1, 0, 0, 0, 1, 1, 1]).buffer);
    const data = Buffer.concat([positions, times]).toString("base64");
    return JSON.stringify({
        asset: { version: "2.0", generator: attack }, scene: 0, scenes: [{ name: attack, nodes: [0] }],
        nodes: [{ name: attack, mesh: 0, extras: { [attack]: attack } }], extensionsUsed: [attack],
        meshes: [{ name: attack, primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
        materials: [{ name: attack, pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }],
        textures: [{ source: 0 }], images: [{ name: attack, uri: `${encodeURIComponent(attack)}.png` }],
        animations: [{ name: attack, samplers: [{ input: 1, output: 2 }], channels: [{ sampler: 0, target: { node: 0, path: "translation" } }] }],
        buffers: [{ byteLength: 68, uri: `data:application/octet-stream;base64,${data}` }],
        bufferViews: [{ buffer: 0, byteLength: 36 }, { buffer: 0, byteOffset: 36, byteLength: 8 }, { buffer: 0, byteOffset: 44, byteLength: 24 }],
        accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: "VEC3", min: [0, 0, 0], max: [1, 1, 0] },
                    { bufferView: 1, componentType: 5126, count: 2, type: "SCALAR", min: [0], max: [1] },
                    { bufferView: 2, componentType: 5126, count: 2, type: "VEC3" }],
    });
}

const PANELS = ["tree", "files", "info", "findings", "losses", "convert", "compare", "bytes"];

async function lookAtEverything(page) {
    for (const panel of PANELS) {
        await page.evaluate((id) => document.getElementById(`tab-panel-${id}`).click(), panel);
        await page.waitForTimeout(panel === "convert" ? 700 : 100);
    }
}

async function isUntouched(page) {
    assert.equal(await page.evaluate(() => window.attacked), undefined);
    const made = await page.evaluate(() => ["img", "svg", "iframe", "object", "embed", "base"].filter((tag) => document.querySelector(tag)));
    assert.deepEqual(made, []);
    assert.deepEqual(page.requests.filter((url) => !/^(file|blob):/.test(url)), []);
    assert.equal(page.requests.filter((url) => url.startsWith("file:")).length, 1);
    assert.equal(page.errors.join("; "), "");
}

for (const [index, attack] of ATTACKS.entries()) test(`names: ${attack}`, async (t) => {
    const folder = scratch(t), page = await openPage(browser), name = index % 2 ? "model.gltf" : "<img src=x onerror=attacked=1>.gltf";
    writeFileSync(join(folder, name), hostileModel(attack));
    await drop(page, [join(folder, name)]);
    assert.equal(await page.evaluate(() => tenonPage.shown.clips.length), 1);
    await page.evaluate(() => { tenonPage.looks.showsNames = tenonPage.looks.showsBones = true; tenonPage.looks.apply(); });
    await lookAtEverything(page);
    await isUntouched(page);
    await page.close();
});

test("an attack in findings, in losses and in a page that 'tenon view' made", async (t) => {
    const folder = scratch(t), name = `a'"<&.gpb`, bytes = readFileSync(join(SAMPLES, "crane.gpb"));
    // The same length: the name of a node, and that of a joint which then does not exist.
    const at = bytes.indexOf("wheel_left_front");
    bytes.write("<svg onload=x>//", at, "latin1");
    writeFileSync(join(folder, name), bytes);
    const made = tool(folder, "view", name, "-o", "made.html");
    assert.equal(made.status, 0, made.messages);
    const page = await openPage(browser, { path: join(folder, "made.html") });
    await page.waitForSelector("body[data-described]");
    assert.equal(await page.textContent("#title"), name);
    await lookAtEverything(page);
    await isUntouched(page);
    await page.close();
});

test("the policy stops scripts, styles and requests that someone adds", async () => {
    const page = await openPage(browser);
    await page.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "window.attacked = 1";
        document.body.append(script);
        document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.attacked=1'><p style='color:red' id=styled>");
    });
    const fetched = await page.evaluate(() => fetch("data:text/plain,x").then(() => "allowed", () => "refused"));
    assert.equal(fetched, "refused");
    assert.equal(await page.evaluate(() => window.attacked), undefined);
    assert.ok(page.errors.length >= 3);
    await page.close();
});

// -- Broken files

for (const name of LONG ? MODELS : ["crane.gpb", "crane.fbx"]) test(`cut and changed: ${name}`, async (t) => {
    const folder = scratch(t), whole = readFileSync(join(SAMPLES, name)), next = random(7), page = await openPage(browser);
    for (const [index, share] of [0.03, 0.5, 0.97].entries()) {
        writeFileSync(join(folder, name), whole.subarray(0, Math.floor(whole.length * share)));
        await drop(page, [join(folder, name)], name);
        assert.ok(await page.evaluate(() => document.querySelectorAll("#panel-findings .error").length > 0), `cut ${index}`);
        await page.evaluate(() => document.getElementById("tab-panel-bytes").click());
        await page.waitForSelector("#panel-bytes [role=option]");
    }
    const changed = Buffer.from(whole);
    for (let i = 0; i < 200; i++) changed[Math.floor(next() * changed.length)] = Math.floor(next() * 256);
    writeFileSync(join(folder, name), changed);
    await drop(page, [join(folder, name)], name);
    writeFileSync(join(folder, name), whole);
    await drop(page, [join(folder, name)], name);
    assert.ok(await page.evaluate(() => tenonPage.shown.meshes.length > 0), "a whole file is shown afterwards");
    assert.equal(page.errors.join("; "), "");
    await page.close();
});
