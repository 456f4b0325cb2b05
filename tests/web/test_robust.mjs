// test_robust.mjs: damaged files and a module without memory end calls, not the program.
// SPDX-License-Identifier: MIT

import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { PACKAGE, ROOT, SAMPLES, failsWith, filesBelow, tenon } from "./package.mjs";

const { Engine } = await import(pathToFileURL(join(PACKAGE, "engine.js")));
const { MemoryFiles } = await import(pathToFileURL(join(PACKAGE, "files.js")));

const CODES = ["memory", "limit", "truncated", "format", "ambiguous", "version", "value", "trailing",
               "unsupported", "cancelled", "exists", "io"];

/** Numbers from 0 to 1 that are the same in every run. */
function makeRandom(seed) {
    return () => {
        seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
        return seed / 2 ** 32;
    };
}

/** What can be done with a file is done; errors of the library are fine. */
async function useFile(name, data) {
    let done = 0;
    const attempt = async (work) => {
        try {
            await work();
            done++;
        } catch (error) {
            const isExpected = error instanceof tenon.TenonError && CODES.includes(error.code);
            if (!isExpected) throw new Error(`${name}: ${error.code}: ${error.message}`);
        }
    };
    const model = await tenon.open({ name, data }, { damaged: true, full: true });
    await attempt(() => model.info());
    await attempt(() => model.check());
    await attempt(() => model.map({ to: 4096, cells: true }));
    await attempt(() => model.tree());
    await attempt(() => model.convert("glb"));
    await attempt(() => model.salvage({ to: "glb" }));
    model.close();
    return done;
}

test("every fixture, whole, cut and damaged", async (t) => {
    const random = makeRandom(1);
    const files = filesBelow(join(ROOT, "tests/fixtures")).filter((one) => statSync(one).size);
    assert.ok(files.length > 200);
    let count = 0;
    for (const file of files) {
        const bytes = readFileSync(file), name = basename(file);
        count += await useFile(name, bytes);
        await useFile(name, bytes.subarray(0, Math.floor(random() * bytes.length)));
        for (let i = 0; i < 4; i++) {
            const changed = Uint8Array.from(bytes);
            const at = Math.floor(random() * changed.length);
            changed.fill(random() < 0.5 ? 0xff : Math.floor(random() * 256), at, at + 4);
            await useFile(name, changed);
        }
    }
    t.diagnostic(`${files.length} files; ${count} calls of whole ones succeeded`);
    assert.ok(count > 3 * files.length);
});

test("hostile files", { skip: process.env.TENON_CORPUS ? false : "TENON_CORPUS is not set" },
     async () => {
         const files = filesBelow(join(process.env.TENON_CORPUS, "attacks"));
         assert.ok(files.length > 0);
         for (const file of files)
             if (statSync(file).size < 4 << 20) await useFile(basename(file), readFileSync(file));
     });

/** An engine whose modules have hardly any memory left. */
function smallEngine() {
    const engine = new Engine(() => Promise.resolve(readFileSync(join(PACKAGE, "tenon.wasm"))));
    const instantiate = engine.instantiate.bind(engine);
    engine.instances = 0;
    engine.instantiate = (room) => {
        const instance = instantiate(room), { allocate, release } = instance.exports;
        engine.instances++;
        let last = 0;
        for (const size of [1 << 30, 32 << 20])
            for (let at = allocate(size); at !== 0; at = allocate(size)) last = at;
        release(last);
        return instance;
    };
    return engine;
}

test("a module without memory ends one call", async () => {
    const engine = smallEngine();
    await engine.prepare();
    const files = new MemoryFiles([["a.obj", new Uint8Array(80 << 20).fill(0x20)]]);
    const small = new MemoryFiles([["crane.gpb", readFileSync(join(SAMPLES, "crane.gpb"))]]);
    for (let i = 0; i < 2; i++) {
        assert.throws(() => engine.run("info", files, { model: "a.obj" }, {}, {}),
                      failsWith("memory"));
        assert.equal(engine.run("info", small, { model: "crane.gpb" }, {}, {}).triangles, 348);
    }
    assert.equal(engine.instances, 4);
});

test("a fault of the module ends one call", async () => {
    const engine = new Engine(() => Promise.resolve(readFileSync(join(PACKAGE, "tenon.wasm"))));
    await engine.prepare();
    const files = new MemoryFiles([["crane.gpb", readFileSync(join(SAMPLES, "crane.gpb"))]]);
    const info = () => engine.run("info", files, { model: "crane.gpb" }, {}, {});
    assert.equal(info().triangles, 348);
    const broken = engine.instance;
    // A host that hands over handles that do not exist, and memory outside of the module.
    broken.exports = { ...broken.exports, call: () => broken.exports.release(0x7ffffff0) };
    assert.throws(info, failsWith("trap", { file: "crane.gpb" }));
    assert.notEqual(engine.instance, broken);
    assert.equal(info().triangles, 348);
    assert.notEqual(engine.instance, broken);
});

test("a stack that is full is a fault like any other", async () => {
    const model = await tenon.open({ name: "crane.gpb", data: readFileSync(join(SAMPLES, "crane.gpb")) });
    const deep = (depth) => (depth === 0 ? 0 : 1 + deep(depth - 1));
    const onProgress = () => deep(1e9);
    await assert.rejects(model.convert("glb", { onProgress }), RangeError);
    assert.equal((await model.convert("glb")).files.length, 1);
});

test("nesting as deep as it may be", async () => {
    const data = new TextEncoder().encode(`{"asset":${"[".repeat(100000)}`);
    await assert.rejects(tenon.open({ name: "deep.gltf", data }), (error) => CODES.includes(error.code));
});
