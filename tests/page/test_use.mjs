// test_use.mjs: converting, comparing, links, keys, narrow screens, screen readers.
// SPDX-License-Identifier: MIT

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { spawnSync } from "node:child_process";

import { SAMPLES, drop, openPage, startBrowser } from "./browser.mjs";
import { MODELS, copyInto, sampleFiles, scratch, tool } from "./models.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TARGETS = ["glb", "obj", "gpb", "bbmod", "bmw", "cea", "bplx"];

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());

function show(page, panel) {
    return page.evaluate((id) => document.getElementById(`tab-panel-${id}`).click(), panel);
}

test("a conversion gives the bytes of the tool", async (t) => {
    let equal = 0;
    for (const [index, name] of MODELS.entries()) {
        const folder = scratch(t), target = TARGETS[index % TARGETS.length], page = await openPage(browser);
        const files = copyInto(folder, sampleFiles(name));
        await drop(page, files, name);
        const made = await page.evaluate(async ([file, format]) => {
            const { files: all } = await tenonPage.work("convert", file, format, { name: `out.${format}` });
            return all.map((one) => ({ name: one.name, data: btoa(Array.from(one.data, (byte) => String.fromCharCode(byte)).join("")) }));
        }, [name, target]);
        const before = new Set(readdirSync(folder));
        assert.equal(tool(folder, "convert", "-q", name, `out.${target}`).status, 0);
        const written = readdirSync(folder).filter((one) => !before.has(one)).sort();
        // The module has no pictures to convert: where the tool does that, the two differ.
        if (written.some((one) => /\.(dds|png)$/.test(one))) continue;
        assert.deepEqual(made.map((one) => one.name).sort(), written);
        for (const { name: one, data } of made)
            assert.ok(readFileSync(join(folder, one)).equals(Buffer.from(data, "base64")), `${name} to ${target}: ${one}`);
        equal++;
        await page.close();
    }
    assert.ok(equal >= 5, `only ${equal} were compared`);
});

test("the form says what is lost, and saves one file or an archive", async (t) => {
    const page = await openPage(browser), folder = scratch(t);
    await drop(page, sampleFiles("crane.gpb"), "crane.gpb");
    await show(page, "convert");
    const choose = (value) => page.selectOption("#panel-convert select[aria-label=Format]", value);
    for (const [format, label, kept] of [["glb", "Save crane.glb", "verified"], ["bbmod", /Save \d+ files as crane.zip/, "verified"]]) {
        await choose(format);
        const button = page.locator("#panel-convert button.primary", { hasText: label });
        await button.waitFor({ timeout: 60000 });
        assert.ok((await page.textContent("#panel-convert")).includes(kept));
        const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
        await download.saveAs(join(folder, download.suggestedFilename()));
    }
    await page.fill("#panel-convert input[aria-label=Scale]", "2");
    await page.press("#panel-convert input[aria-label=Scale]", "Tab");
    await page.waitForTimeout(300);
    await page.locator("#panel-convert button.primary").waitFor({ timeout: 60000 });
    mkdirSync(join(folder, "unpacked"));
    const unpacked = spawnSync("python3", ["-m", "zipfile", "-e", "crane.zip", "unpacked"], { cwd: folder });
    assert.equal(unpacked.status, 0, String(unpacked.stderr));
    assert.ok(readdirSync(join(folder, "unpacked")).includes("crane.bbmod"));
    assert.equal(tool(folder, "verify", join(SAMPLES, "crane.gpb"), "unpacked/crane.bbmod").status, 0);
    assert.equal(page.errors.join("; "), "");
    await page.close();
});

test("nothing waits for a conversion, and it can be stopped", async (t) => {
    const page = await openPage(browser), file = join(scratch(t), "large.obj"), side = 400;
    const lines = Array.from({ length: side * side }, (_, i) => `v ${i % side} ${Math.sin(i)} ${Math.floor(i / side)}`);
    for (let i = 1; i < side * side - side; i++) lines.push(`f ${i} ${i + 1} ${i + side}`);
    writeFileSync(file, lines.join("\n"));
    await drop(page, [file], "large.obj");
    await show(page, "convert");
    const output = () => page.textContent("#panel-convert"), stop = page.locator("#panel-convert button", { hasText: "Stop" });
    await page.selectOption("#panel-convert select[aria-label=Format]", "cea");
    await stop.waitFor();
    await page.evaluate(() => tenonPage.work("bytes", "large.obj", 0, 16));
    assert.match(await output(), /Converting/);
    await stop.click();
    assert.match(await output(), /Stopped/);
    await page.waitForFunction(() => !document.body.hasAttribute("data-busy"));
    await page.selectOption("#panel-convert select[aria-label=Format]", "glb");
    await page.locator("#panel-convert button.primary").waitFor({ timeout: 60000 });
    await page.selectOption("#panel-convert select[aria-label=Format]", "cea");
    await drop(page, sampleFiles("crane.gpb"), "crane.gpb");
    await page.locator("#panel-convert button.primary", { hasText: "crane" }).waitFor({ timeout: 60000 });
    assert.equal(page.errors.join("; "), "");
    await page.close();
});

test("a damaged file is salvaged", async (t) => {
    const page = await openPage(browser), folder = scratch(t), file = join(folder, "cut.bplx");
    writeFileSync(file, readFileSync(join(SAMPLES, "crane.bplx")).subarray(0, 24000));
    await drop(page, [file], "cut.bplx");
    assert.ok(await page.evaluate(() => tenonPage.shown.meshes.length > 0));
    await show(page, "convert");
    await page.locator("#panel-convert button.primary").waitFor({ timeout: 60000 });
    assert.match(await page.textContent("#panel-convert"), /damaged/);
    await page.close();
});

test("two models side by side", async () => {
    const page = await openPage(browser);
    await drop(page, [...sampleFiles("crane.gpb"), join(SAMPLES, "crane.bbmod")], "crane.gpb");
    await show(page, "compare");
    await page.selectOption("#panel-compare select", "crane.bbmod");
    await page.waitForSelector("#panel-compare .finding.good", { timeout: 60000 });
    assert.match(await page.textContent("#panel-compare"), /differences/);
    await page.click("text=Distances as colors");
    await page.waitForFunction(() => tenonPage.looks.look === "distance");
    await page.click("text=Show that moment");
    assert.ok(await page.evaluate(() => tenonPage.player.clip >= 0));
    await page.click("text=Stop comparing");
    assert.equal(await page.evaluate(() => tenonPage.looks.look), "textured");
    assert.equal(page.errors.join("; "), "");
    await page.close();
});

test("an animation alone asks for its model", async () => {
    const page = await openPage(browser), alone = (name) => [join(SAMPLES, name)];
    await drop(page, alone("crane_travel.bbanim"), "crane_travel.bbanim");
    assert.match(await page.textContent("#message"), /an animation. Drop its model/);
    await drop(page, alone("crane.bbmod"), "crane.bbmod");
    assert.deepEqual(await page.evaluate(() => tenonPage.shown.clips.map((clip) => clip.name)), ["travel"]);
    await page.close();
});

test("what is dropped later joins the model", async () => {
    const page = await openPage(browser), alone = (name) => [join(SAMPLES, name)];
    await drop(page, alone("crane.bbmod"), "crane.bbmod");
    assert.equal(await page.evaluate(() => tenonPage.shown.clips.length), 0);
    await drop(page, alone("crane_lift.bbanim"), "crane.bbmod");
    assert.deepEqual(await page.evaluate(() => tenonPage.shown.clips.map((clip) => clip.name)), ["lift"]);
    await drop(page, [...alone("crane_paint.bbmat"), ...alone("crane.png")], "crane.bbmod");
    assert.ok(await page.evaluate(() => tenonPage.shown.meshes.some((mesh) => mesh.material.map)));
    await page.close();
});

test("files that are not models, and empty ones, are called that", async (t) => {
    const page = await openPage(browser), folder = scratch(t);
    for (const [name, content, message] of [["notes.txt", "hello\n", /nothing to draw: this is not a model in a known format/],
                                            ["empty.gpb", "", /nothing to draw: the file is empty/]]) {
        writeFileSync(join(folder, name), content);
        await drop(page, [join(folder, name)], name);
        assert.match(await page.textContent("#message"), message);
        assert.equal(await page.textContent("#badge"), "unknown");
        assert.match(await page.textContent("#panel-findings"), /The format is not known/);
    }
    await drop(page, sampleFiles("crane.glb"), "crane.glb");
    assert.equal(await page.textContent("#badge"), "glTF 2.0");
    assert.equal(page.errors.join("; "), "");
    await page.close();
});

test("a file of more than 500 MB is refused, and the page goes on", async (t) => {
    const page = await openPage(browser), file = join(scratch(t), "huge.glb");
    writeFileSync(file, "glTF");
    truncateSync(file, 500e6 + 1);
    await page.setInputFiles("#chooser", [file]);
    await page.waitForFunction(() => document.getElementById("message").textContent.includes("up to 500 MB"));
    assert.match(await page.textContent("#message"), /'huge.glb' has 500000001 bytes/);
    await drop(page, sampleFiles("crane.gpb"), "crane.gpb");
    assert.ok(await page.evaluate(() => tenonPage.shown.meshes.length > 0));
    // A clip of a BBMOD model is not one of this model.
    await drop(page, [join(SAMPLES, "crane_lift.bbanim")], "crane_lift.bbanim");
    assert.equal(page.errors.join("; "), "");
    await page.close();
});

test("a link leads back to the clip, its time and the camera", async () => {
    const page = await openPage(browser, { hash: "#clip=lift&time=0.5&view=10,5,5,0,3,0&look=normals" });
    await drop(page, sampleFiles("crane.gpb"), "crane.gpb");
    await page.waitForFunction(() => tenonPage.player.time === 0.5);
    const state = await page.evaluate(() => ({ view: tenonPage.stage.view, look: tenonPage.looks.look, clip: tenonPage.shown.clips[tenonPage.player.clip].name }));
    assert.deepEqual(state, { view: "10,5,5,0,3,0", look: "normals", clip: "lift" });
    await page.waitForFunction(() => location.hash.includes("clip=lift"));
    await page.close();
});

test("everything has a key", async () => {
    const page = await openPage(browser);
    await drop(page, sampleFiles("crane.gpb"), "crane.gpb");
    let asked = 0;
    page.on("filechooser", () => asked++);
    await page.evaluate(() => tenonPage.player.choose(1, 0.5));
    const state = async () => JSON.stringify([asked, await page.evaluate(() => ({
        view: tenonPage.stage.view, look: tenonPage.looks.look, plays: tenonPage.player.isPlaying, theme: document.documentElement.dataset.theme,
        time: tenonPage.player.isPlaying ? 0 : tenonPage.player.time, help: document.getElementById("help").open,
        message: document.getElementById("message").textContent, boxes: [...document.querySelectorAll("#toolbar input")].map((box) => box.checked),
        tabs: [...document.querySelectorAll("[role=tab][aria-selected=true]")].map((tab) => tab.id) }))]);
    // Every line of the help.
    const keys = { O: ["o"], Arrows: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"], "+ and −": ["+", "-"], F: ["f"], Enter: ["Enter"],
                   ", and .": [",", "."], G: ["g"], W: ["w"], B: ["b"], N: ["n"], X: ["x"], "1 to 5": ["2", "3", "4", "5", "1"], T: ["t"],
                   M: ["m"], C: ["c"], Space: [" ", " "], "?": ["?"] };
    const listed = await page.evaluate(() => [...document.querySelectorAll("#keys kbd")].map((key) => key.textContent));
    assert.deepEqual(Object.keys(keys).sort(), listed.sort());
    const resize = async (width, narrow) => {
        await page.setViewportSize({ width, height: 800 });
        await page.waitForSelector("#dock-narrow", { state: narrow });
    };
    await page.focus("#canvas");
    const missing = [];
    for (const key of Object.values(keys).flat()) {
        const isNarrow = key === "m"; // There, the bytes are one of the tabs.
        if (isNarrow) await resize(360, "visible");
        const before = await state();
        await page.keyboard.press(key);
        for (let tries = 0; tries < 50 && await state() === before; tries++) await page.waitForTimeout(100);
        if (await state() === before) missing.push(key);
        if (isNarrow) await resize(1280, "hidden");
    }
    assert.deepEqual(missing, []);
    await page.keyboard.press("Escape");
    // Tabs, the tree, fields and bytes by arrows.
    await page.focus("#tab-panel-info");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement.id), "tab-panel-findings");
    for (const [list, chosen] of [["#panel-tree [role=tree]", "#panel-tree [aria-selected=true]"], ["#panel-bytes [role=listbox]", "#panel-bytes [aria-selected=true]"]]) {
        await page.focus(list);
        await page.keyboard.press("ArrowDown");
        await page.waitForSelector(chosen);
    }
    assert.equal(page.errors.join("; "), "");
    await page.close();
});

test("nothing moves where less motion is wished", async () => {
    const page = await openPage(browser);
    await drop(page, sampleFiles("crane.gpb"), "crane.gpb");
    const moving = () => page.evaluate(() => {
        document.body.toggleAttribute("data-busy", true);
        return document.getAnimations().length + Number(tenonPage.player.isPlaying);
    });
    assert.ok(await moving() > 0);
    await page.emulateMedia({ reducedMotion: "reduce" });
    assert.equal(await moving(), 0);
    await page.close();
});

for (const [width, scheme] of [[1280, "light"], [1280, "dark"], [360, "light"], [360, "dark"]])
    test(`axe-core finds nothing serious: ${width} pixels, ${scheme}`, async () => {
        const page = await openPage(browser, { width, height: 740, scheme });
        const judge = async (where) => {
            await page.evaluate(AXE);
            const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
            const serious = violations.filter((one) => ["serious", "critical"].includes(one.impact));
            assert.deepEqual(serious.map((one) => `${where}: ${one.id}: ${one.nodes[0].html} ${one.nodes[0].failureSummary}`), []);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
            assert.ok(!wide, `${where}: wider than the screen`);
        };
        await judge("empty");
        await drop(page, sampleFiles("crane.gpb"), "crane.gpb");
        for (const panel of ["tree", "files", "info", "findings", "losses", "convert", "compare", "bytes"]) {
            await show(page, panel);
            await page.waitForTimeout(panel === "convert" ? 1500 : 150);
            await judge(panel);
        }
        await page.close();
    });
