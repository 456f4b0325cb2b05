// test_real.mjs: models made by other programs are shown, with what is beside them.
// SPDX-License-Identifier: MIT

import assert from "node:assert/strict";
import { basename } from "node:path";
import { after, before, test } from "node:test";

import { drop, openPage, startBrowser } from "./browser.mjs";
import { CORPUS, realModels, withNeighbors } from "./models.mjs";

const COUNT = 60;

let browser;
before(async () => { if (CORPUS) browser = await startBrowser(); });
after(() => browser?.close());

test("real models", { skip: CORPUS ? false : "TENON_CORPUS is not set" }, async (t) => {
    const models = realModels(COUNT), silent = [];
    let drawn = 0;
    assert.equal(models.length, COUNT);
    for (const file of models) {
        const page = await openPage(browser), name = basename(file);
        await drop(page, withNeighbors(file), name);
        const { meshes, joints, fonts, says, fields } = await page.evaluate(() => ({
            meshes: tenonPage.shown?.meshes.length ?? 0, joints: tenonPage.shown?.joints.length ?? 0,
            fonts: !document.getElementById("fonts").hidden, says: document.getElementById("message").textContent,
            fields: tenonPage.opened ? 1 : 0 }));
        const isDrawn = meshes > 0 || joints > 0 || fonts;
        drawn += isDrawn;
        if (!isDrawn && !says) silent.push(file);
        assert.ok(fields, file);
        assert.equal(page.errors.join("; "), "", file);
        assert.deepEqual(page.requests.filter((url) => !/^(file|blob):/.test(url)), [], file);
        await page.close();
    }
    t.diagnostic(`${drawn} of ${COUNT} are drawn; the others say why not`);
    assert.deepEqual(silent, []);
    assert.ok(drawn >= COUNT * 0.8, `only ${drawn}`);
});
