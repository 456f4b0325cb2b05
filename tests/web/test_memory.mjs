// test_memory.mjs: what models take is given back.
// SPDX-License-Identifier: MIT

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { SAMPLES, filesBelow, tenon } from "./package.mjs";

const OPENS = 10000, MIB = 1 << 20;
const MODELS = ["crane.bbmod", "crane.gpb", "crane.bmw", "crane.cem", "crane.cea", "crane.bplx",
                "crane.glb", "crane.fbx"];

/** What the process has, after everything that is not used was freed. */
async function resident() {
    for (let i = 0; i < 3; i++) {
        gc();
        await new Promise((done) => setTimeout(done, 10));
    }
    return process.memoryUsage().rss;
}

test(`${OPENS} opens do not grow memory`, async (t) => {
    const all = filesBelow(SAMPLES).map((path) => ({ name: path.slice(SAMPLES.length + 1),
                                                     data: readFileSync(path) }));
    const sets = MODELS.map((name) => [all.find((file) => file.name === name), ...all]);
    const openSome = async (count) => {
        for (let i = 0; i < count; i++) {
            const model = await tenon.open(sets[i % sets.length]);
            assert.ok(model.info().size > 0);
            if (i % 100 === 0) await model.convert("glb");
            if (i % 2) model.close(); // The others are forgotten.
        }
    };
    await openSome(OPENS / 10);
    const before = await resident();
    await openSome(OPENS);
    const grown = (await resident()) - before;
    t.diagnostic(`${(grown / MIB).toFixed(1)} MiB more than after the first ${OPENS / 10}`);
    assert.ok(grown < 16 * MIB, `${grown} bytes`);
});

test("the memory of a large model is given back", async (t) => {
    const line = "v 0.125 0.25 0.5\n".repeat(1000), faces = "f 1 2 3\n".repeat(1000);
    const large = new TextEncoder().encode(line.repeat(300) + faces.repeat(300));
    const convert = async () => {
        const model = await tenon.open({ name: "large.obj", data: large });
        return (await model.convert("glb")).files[0].data.length;
    };
    assert.ok((await convert()) > MIB);
    const before = await resident();
    for (let i = 0; i < 20; i++) await convert();
    const grown = (await resident()) - before;
    t.diagnostic(`${(grown / MIB).toFixed(1)} MiB more after 20 conversions`);
    assert.ok(grown < 64 * MIB, `${grown} bytes`);
});

test("models of which none is closed take no module each", async () => {
    const file = { name: "crane.gpb", data: readFileSync(join(SAMPLES, "crane.gpb")) };
    const models = [];
    const before = await resident();
    for (let i = 0; i < 1000; i++) models.push(await tenon.open(file));
    const grown = (await resident()) - before;
    assert.ok(grown < 32 * MIB, `${grown} bytes`);
    assert.equal((await models[999].convert("glb")).files.length, 1);
});
