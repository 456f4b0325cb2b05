// test_bytes.mjs: a triangle on the screen leads to its bytes in the file, in every format.
// SPDX-License-Identifier: MIT

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";

import { SAMPLES, drop, openPage, startBrowser } from "./browser.mjs";
import { MODELS, random, scratch, tool } from "./models.mjs";

const COUNT = 100;

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());

/** Random triangles of what is shown: where they are in the model, and their corners. */
function chooseTriangles(page, numbers) {
    return page.evaluate((all) => {
        const { shown } = tenonPage, lists = shown.meshes.map((mesh) => mesh.geometry);
        const counts = lists.map((geometry) => (geometry.index?.count ?? geometry.attributes.position.count) / 3);
        const total = counts.reduce((sum, count) => sum + count, 0);
        return all.map((number) => {
            let triangle = Math.floor(number * total), at = 0;
            while (triangle >= counts[at]) triangle -= counts[at++];
            const { index, attributes } = lists[at], { node, primitive } = shown.places.get(shown.meshes[at]);
            const corners = [0, 1, 2].map((k) => {
                const vertex = index ? index.getX(3 * triangle + k) : 3 * triangle + k;
                return [0, 1, 2].map((axis) => attributes.position.getComponent(vertex, axis));
            });
            return { node, primitive, triangle, corners };
        });
    }, numbers);
}

/** The three numbers at the start of a vertex; formats have other units and may be mirrored. */
function isSame(bytes, offset, corner, { size, isBig }) {
    const read = size === 8 ? (isBig ? "readDoubleBE" : "readDoubleLE") : isBig ? "readFloatBE" : "readFloatLE";
    const file = [0, 1, 2].map((k) => bytes[read](offset + k * size));
    return [1, 0.01].some((unit) => [[0, 1, 2], [0, 2, 1]].some((order) =>
        order.every((axis, k) => Math.abs(Math.abs(file[axis] * unit) - Math.abs(corner[k])) < 1e-4)));
}

/** The bytes of a triangle and of its corners lead back to what has the same bytes. */
async function compareBack(page, name, traced, where) {
    const places = [traced.triangle, ...traced.corners].filter((place) => place.offset !== undefined);
    assert.ok(places.length > 0, where);
    for (const place of places) {
        const again = await page.evaluate(async ([file, offset]) => {
            const { node, primitive, triangle, corner } = await tenonPage.work("traceBack", file, offset);
            const there = await tenonPage.work("trace", file, node, primitive, triangle);
            return corner === undefined ? there.triangle : there.corners[corner];
        }, [name, place.offset]);
        // The first vertex of a triangle without indices is where the triangle is.
        assert.deepEqual([again.path, again.offset], [place.path, place.offset], where);
    }
}

async function compareTriangles(page, file, check) {
    const next = random(1), name = basename(file);
    const chosen = await chooseTriangles(page, Array.from({ length: COUNT }, next));
    assert.equal(chosen.length, COUNT);
    for (const { node, primitive, triangle, corners } of chosen) {
        const traced = await page.evaluate((args) => tenonPage.work("trace", ...args), [name, node, primitive, triangle]);
        const where = `${name}: triangle ${triangle} of part ${primitive} of node ${node}`;
        check(traced, corners, where);
        await compareBack(page, name, traced, where);
    }
}

for (const name of MODELS) test(`samples/${name}`, async () => {
    const page = await openPage(browser), file = join(SAMPLES, name), bytes = readFileSync(file);
    await drop(page, [file], name);
    const kind = { size: name.endsWith(".fbx") ? 8 : 4, isBig: /\.ce[am]$/.test(name) };
    await compareTriangles(page, file, (traced, corners, where) => {
        for (const [k, corner] of corners.entries())
            assert.ok(isSame(bytes, traced.corners[k].offset, corner, kind), `${where}: ${traced.corners[k].path}`);
        assert.ok(traced.triangle.path && traced.triangle.offset < bytes.length, where);
    });
    assert.equal(page.errors.join("; "), "");
    await page.close();
});

test("OBJ: the statement of a face", async (t) => {
    const folder = scratch(t), file = join(folder, "crane.obj");
    assert.equal(tool(folder, "convert", join(SAMPLES, "crane.gpb"), "crane.obj").status, 0);
    const text = readFileSync(file, "latin1"), lines = text.split("\n").filter((line) => line.startsWith("v "));
    const page = await openPage(browser);
    await drop(page, [file], "crane.obj");
    await compareTriangles(page, file, ({ triangle: { offset, size } }, corners, where) => {
        const statement = text.slice(offset, offset + size);
        assert.match(statement, /^f /, where);
        const points = statement.split(/\s+/).slice(1).map((word) => lines[parseInt(word, 10) - 1].split(" ").slice(1, 4).map(Number));
        for (const corner of corners)
            assert.ok(points.some((point) => point.every((value, k) => Math.abs(value - corner[k]) < 1e-4)), where);
    });
    await page.close();
});

test("a byte shows what it is in the model", async () => {
    const page = await openPage(browser);
    await drop(page, [join(SAMPLES, "crane.bplx")], "crane.bplx");
    const marked = () => page.evaluate(() => {
        const { children } = tenonPage.stage.scene, dot = children.find((one) => one.isPoints);
        return dot.visible && [...dot.geometry.attributes.position.array].map((value) => Number(value.toFixed(4)));
    });
    const select = async (field, text) => {
        await page.fill("#panel-bytes input", field);
        await page.press("#panel-bytes input", "Enter");
        await page.waitForFunction((wanted) => document.getElementById("message").textContent.includes(wanted), text);
        await page.waitForTimeout(200);
    };
    // The vertex with the position there, which the file has in other units and with another axis up.
    await select("0x18f", "Vertex 0 in triangle 0 of part 0");
    const first = await page.evaluate(() => tenonPage.shown.meshes[0].getVertexPosition(0, tenonPage.stage.camera.position.clone()).toArray()
        .map((value) => Number(value.toFixed(4))));
    assert.deepEqual(await marked(), first);
    await select("0x49db", "Triangle 1 of part 0"); // Its indices.
    assert.ok(await marked());
    await select("bones[3].name", "the node '");
    assert.equal(await marked(), false);
    assert.match(await page.evaluate(() => new Promise((resolve) => setTimeout(() => resolve(location.hash), 500))), /byte=\d+/);
    assert.equal(page.errors.join("; "), "");
    await page.close();
});

test("a click on the model shows its bytes, and a byte its field", async () => {
    const page = await openPage(browser);
    await drop(page, [join(SAMPLES, "crane.bplx")], "crane.bplx");
    const { width, height } = await page.locator("#canvas").boundingBox();
    for (let y = 0.3; y < 0.7 && !(await page.textContent("#message")).includes("faces["); y += 0.04) {
        await page.click("#canvas", { position: { x: width * 0.32, y: height * y } });
        await page.waitForTimeout(400);
    }
    assert.match(await page.textContent("#message"), /Triangle \d+ of part 0 of 'mesh': faces\[\d+\], vertices \[\d+\] \[\d+\] \[\d+\]/);
    await page.waitForSelector("#panel-bytes .byte.selected");
    assert.match(await page.textContent(".byte-status"), /^faces\[\d+\]/);
    await page.fill("#panel-bytes input", "0x18f");
    await page.press("#panel-bytes input", "Enter");
    await page.waitForFunction(() => document.querySelector(".byte-status").textContent.startsWith("positions[0]"));
    await page.fill("#panel-bytes input", "bones[3].name");
    await page.press("#panel-bytes input", "Enter");
    await page.waitForFunction(() => document.querySelector(".byte-status").textContent.startsWith("bones[3].name"));
    await page.close();
});
