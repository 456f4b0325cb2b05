// test_poses.mjs: what is on the screen is where the true positions of the crane are, at all times.
// SPDX-License-Identifier: MIT

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { SAMPLES, drop, openPage, startBrowser } from "./browser.mjs";
import { MODELS, sampleFiles } from "./models.mjs";

const TRUTH = JSON.parse(readFileSync(join(SAMPLES, "truth.json"), "utf8")).poses;
// Frames of BMW, and those that BBMOD is written with, are sampled: linear between them.
const TOLERANCE = { "crane.bmw": 0.02, "crane.bbmod": 0.002 };
const USUAL = 1e-3; // Times in files are floats, and frames of some formats are rounded.

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());

/** The corners of all triangles on the screen, 9 numbers each. */
function corners(page, clip, time) {
    return page.evaluate(([name, seconds]) => {
        const { shown, player, stage } = tenonPage, out = [], point = stage.camera.position.clone();
        player.choose(shown.clips.findIndex((one) => one.name === name), seconds);
        shown.root.updateMatrixWorld(true);
        for (const mesh of shown.meshes) {
            const { index, attributes } = mesh.geometry;
            mesh.skeleton?.update();
            const count = index?.count ?? attributes.position.count;
            for (let i = 0; i < count; i++) {
                mesh.getVertexPosition(index ? index.getX(i) : i, point).applyMatrix4(mesh.matrixWorld);
                out.push(point.x, point.y, point.z);
            }
        }
        return out;
    }, [clip, time]);
}

function triangles(numbers) {
    const point = (at) => numbers.slice(at, at + 3);
    return Array.from({ length: numbers.length / 9 }, (_, i) => [point(9 * i), point(9 * i + 3), point(9 * i + 6)]);
}

/** CEM has no clips, and bones of BPLX have no weights. */
function isStill(name) {
    return /\.(cem|bplx)$/.test(name);
}

function distance(a, b) {
    return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** How far the corners of two triangles are apart, whichever comes first. */
function apart(a, b) {
    return Math.min(...[0, 1, 2].map((turn) => Math.max(...a.map((corner, k) => distance(corner, b[(k + turn) % 3])))));
}

for (const name of MODELS) test(`samples/${name}`, async () => {
    const page = await openPage(browser), poses = isStill(name) ? TRUTH.slice(0, 1) : TRUTH;
    await drop(page, sampleFiles(name), name);
    const rest = triangles(await corners(page, null, 0)), truly = triangles(TRUTH[0].positions);
    const partners = rest.map((triangle) => {
        const gaps = truly.map((one) => apart(triangle, one));
        const best = gaps.indexOf(Math.min(...gaps));
        assert.ok(gaps[best] < 1e-4, `a triangle is ${gaps[best]} from the nearest`);
        return best;
    });
    assert.equal(rest.length, truly.length);
    assert.ok(new Set(partners).size > 340);
    for (const { clip, time, positions } of poses) {
        const now = triangles(await corners(page, clip, time)), wanted = triangles(positions);
        const worst = Math.max(...now.map((triangle, i) => apart(triangle, wanted[partners[i]])));
        assert.ok(worst < (TOLERANCE[name] ?? USUAL), `${clip} at ${time}: ${worst}`);
    }
    await page.close();
});
