// test_api.mjs: what the functions of the package take, give and throw.
// SPDX-License-Identifier: MIT

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { PACKAGE, ROOT, SAMPLES, failsWith, scratch, tenon } from "./package.mjs";

const sample = (name) => ({ name, data: readFileSync(join(SAMPLES, name)) });
const openSample = (...names) => tenon.open(names.map(sample));

test("the module imports nothing but functions of the package", async () => {
    const bytes = readFileSync(join(PACKAGE, "tenon.wasm"));
    const imports = WebAssembly.Module.imports(await WebAssembly.compile(bytes));
    assert.deepEqual([...new Set(imports.map((one) => one.module))], ["tenon"]);
    assert.equal(imports.length, 10);
});

test("the package has the version of the library", async () => {
    const { version } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
    assert.equal(await tenon.version(), version);
});

test("files may be bytes, buffers and blobs", async () => {
    const { data } = sample("crane.gpb");
    const buffer = data.buffer.slice(data.byteOffset, data.byteOffset + data.length);
    for (const given of [data, buffer, new DataView(buffer), new Blob([data])]) {
        const model = await tenon.open({ name: "crane.gpb", data: given });
        assert.equal(model.info().triangles, 348);
    }
    await assert.rejects(tenon.open({ name: "crane.gpb", data: "text" }), failsWith("usage"));
    await assert.rejects(tenon.open({ data }), failsWith("usage"));
    await assert.rejects(tenon.open([]), failsWith("usage"));
});

test("sidecars are found by their names, also below a folder", async () => {
    const names = ["crane.bbmod", "crane_lift.bbanim", "crane_travel.bbanim"];
    const inFolder = names.map((name) => ({ ...sample(name), name: `./models//${name}` }));
    for (const files of [names.map(sample), inFolder]) {
        const model = await tenon.open(files);
        assert.deepEqual(model.info().clip_files.map((clip) => clip.name), ["lift", "travel"]);
        const { files: made } = await model.convert("gltf");
        assert.deepEqual(made.map((file) => file.name), ["crane.gltf", "crane.bin"]);
        assert.equal(JSON.parse(new TextDecoder().decode(made[0].data)).animations.length, 2);
    }
    const alone = await openSample("crane.bbmod");
    assert.equal(alone.info().clip_files, undefined);
});

test("the files of a model are those of the folder, and nothing outside is read", async (t) => {
    const folder = scratch(t), models = join(folder, "models");
    mkdirSync(models);
    for (const name of ["crane.bbmod", "crane_lift.bbanim"])
        writeFileSync(join(models, name), sample(name).data);
    writeFileSync(join(folder, "secret.bbanim"), sample("crane_travel.bbanim").data);
    symlinkSync("../secret.bbanim", join(models, "crane_travel.bbanim"));
    const model = await tenon.openFile(join(models, "crane.bbmod"));
    assert.deepEqual(model.info().clip_files.map((clip) => clip.name), ["lift"]);
    const { files } = await model.convert("bbmod", { name: "copy.bbmod" });
    assert.deepEqual(files.map((file) => file.name), ["copy.bbmod", "copy_lift.bbanim"]);
    assert.deepEqual(readdirSync(models).length, 3);
    await assert.rejects(tenon.openFile(join(folder, "none.gpb")), failsWith("io"));
    await assert.rejects(tenon.openFile(folder), failsWith("io"));
});

test("a format is named by itself, an extension or a dialect", async () => {
    const model = await openSample("crane.gpb");
    const wanted = { glb: "crane.glb", gltf: "crane.gltf", cea: "crane.cea", "gpb:1.4": "crane.gpb",
                     modeldata: "crane.cem", "bbmod:3.1": "crane.bbmod" };
    for (const [format, name] of Object.entries(wanted))
        assert.equal((await model.convert(format)).files[0].name, name);
    assert.equal((await model.convert("gpb:1.4")).dialect, "1.4");
    await assert.rejects(model.convert("png"), failsWith("unsupported"));
    await assert.rejects(model.convert(), failsWith("usage"));
    await assert.rejects(tenon.open(sample("crane.gpb"), { from: "bbmod" }),
                         (error) => error instanceof tenon.TenonError && error.code !== "usage");
    assert.equal((await tenon.open(sample("crane.gpb"), { from: "gpb" })).info().format, "gpb");
});

test("a map is of a range", async () => {
    const model = await openSample("crane.gpb");
    const { parts } = await model.map();
    const size = parts.reduce((sum, part) => sum + part.size, 0);
    assert.equal(size, model.info().size);
    const [large] = parts.filter((part) => part.elements).sort((a, b) => b.size - a.size);
    const from = large.offset + 3 * large.stride, to = from + large.stride;
    const { parts: cells } = await model.map({ from, to, cells: true });
    assert.equal(cells.length, large.elements.length);
    assert.equal(cells[0].offset, from);
    assert.match(cells[0].path, /\[3\]\.position$/);
    assert.deepEqual((await model.map({ from, to })).parts, [large]);
});

test("errors have a code, a file, an offset and a path", async () => {
    const data = sample("crane.gpb").data.subarray(0, 30000);
    const place = { offset: 58, path: "references[1].offset", file: "crane.gpb" };
    await assert.rejects(tenon.open({ name: "crane.gpb", data }), failsWith("truncated", place));
    const model = await tenon.open({ name: "crane.gpb", data }, { damaged: true });
    assert.throws(() => model.info(), failsWith("truncated", place));
    await assert.rejects(model.check(), failsWith("truncated", place));
    const { parts, fault } = await model.map();
    assert.equal(fault.code, "truncated");
    assert.equal(parts.at(-1).kind, "rest");
    await assert.rejects(model.salvage(), failsWith("value"));
    await assert.rejects(tenon.open({ name: "x", data: new Uint8Array(9) }), failsWith("format"));
});

test("what a call may cost is limited", async () => {
    const model = await openSample("crane.gpb");
    for (const limits of [{ memory: 20000 }, { output: 1000 }, { work: 10 }])
        await assert.rejects(model.convert("glb", { limits }), failsWith("limit"));
    assert.equal((await model.convert("glb")).files.length, 1);
});

test("progress is reported, and ends a call", async () => {
    const model = await openSample("crane.gpb");
    const seen = [];
    await model.convert("glb", { onProgress: (done, total) => seen.push([done, total]) });
    assert.ok(seen.length > 0);
    assert.ok(seen.every(([done, total]) => done >= 0 && done <= total));
    const controller = new AbortController(), { signal } = controller;
    await assert.rejects(model.convert("glb", { signal, onProgress: () => controller.abort() }),
                         failsWith("cancelled"));
    await assert.rejects(model.check({ signal }), failsWith("cancelled"));
    await assert.rejects(tenon.open(sample("crane.gpb"), { signal }), failsWith("cancelled"));
    // What the callback throws comes out unchanged.
    const own = new Error("of the caller");
    await assert.rejects(model.convert("glb", { onProgress: () => { throw own; } }),
                         (error) => error === own);
    assert.equal((await model.convert("glb")).files.length, 1);
});

test("results are independent of each other and of the model", async () => {
    const model = await openSample("crane.gpb");
    const [first, second] = [await model.convert("glb"), await model.convert("glb")];
    first.files[0].data.fill(0);
    first.losses.length = 0;
    model.info().clips.length = 0;
    assert.equal(second.files[0].data[0], "g".charCodeAt());
    assert.equal(model.info().clips.length, 2);
    assert.equal((await model.convert("glb")).losses.length, second.losses.length);
    assert.ok(second.losses.length > 0);
});

test("options of conversions", async () => {
    const model = await openSample("crane.gpb", "crane.material", "crane.png");
    const names = async (format, options) =>
        (await model.convert(format, options)).files.map((file) => file.name);
    assert.deepEqual(await names("gltf", { name: "a.gltf" }), ["a.gltf", "a.bin"]);
    assert.deepEqual(await names("gpb:1.4", { name: "b.gpb" }), ["b.gpb", "b.material"]);
    assert.deepEqual(await names("bbmod:3.1", { materials: false, textures: "keep" }),
                     ["crane.bbmod", "crane_travel.bbanim", "crane_lift.bbanim"]);
    const verified = await model.convert("gpb", { name: "c.gpb", textures: "embed", verify: true });
    assert.equal(verified.verify.verdict, "verified");
    const sizeOf = async (options) => {
        const { files } = await model.convert("bplx", options);
        return (await tenon.open({ name: "x.bplx", data: files[0].data }, { full: true })).info().bounds.max[1];
    };
    assert.ok(Math.abs((await sizeOf({ scale: 3 })) / (await sizeOf({})) - 3) < 1e-5);
    const integers = await (await openSample("crane.glb")).convert("glb", { quantize: true, verify: true });
    assert.equal(integers.verify.verdict, "verified");
    assert.ok(new TextDecoder().decode(integers.files[0].data).includes("KHR_mesh_quantization"));
    const posed = await model.convert("obj", { clip: "lift", seconds: 1 });
    const rest = await model.convert("obj");
    assert.notDeepEqual(posed.files[0].data, rest.files[0].data);
});

test("pictures", async () => {
    const model = await openSample("crane.gpb", "crane.material", "crane.png");
    const { files, losses } = await model.render({ width: 64, height: 48 });
    assert.equal(files[0].name, "crane.png");
    assert.equal(losses.length, 0);
    const view = new DataView(files[0].data.buffer);
    assert.deepEqual([view.getUint32(16), view.getUint32(20)], [64, 48]);
    const others = [{ clip: "lift", seconds: 1 }, { style: "wireframe" }, { bones: true },
                    { azimuth: 180 }, { background: "none" }, { textures: false }];
    for (const options of others) {
        const other = await model.render({ width: 64, height: 48, ...options });
        assert.notDeepEqual(other.files[0].data, files[0].data, JSON.stringify(options));
    }
    await assert.rejects(model.render({ style: "oil" }), failsWith("unsupported"));
    await assert.rejects(model.render({ clip: "none" }), failsWith("value"));
    await assert.rejects(model.render({ width: -1 }), failsWith("value"));
    await assert.rejects(model.render({ background: "red" }), failsWith("usage"));
    await assert.rejects(model.render({ width: 16384, height: 16384 }), failsWith("limit"));
});

test("a closed model cannot be used", async () => {
    const model = await openSample("crane.gpb"), other = await openSample("crane.cea");
    model.close();
    assert.throws(() => model.info(), failsWith("usage"));
    await assert.rejects(model.convert("glb"), failsWith("usage"));
    await assert.rejects(other.verify(model), failsWith("usage"));
    await assert.rejects(other.diff({}), failsWith("usage"));
});

test("a triangle leads to its bytes", async () => {
    const model = await tenon.openFile(join(SAMPLES, "crane.bplx"));
    const { triangle, corners } = await model.trace(0, 0, 1);
    assert.deepEqual(triangle, { path: "faces[1]", offset: 18907, size: 12 });
    assert.deepEqual(corners[0], { path: "positions[0]", offset: 399, size: 12 });
    assert.deepEqual(await model.traceBack(corners[2].offset), { node: 0, primitive: 0, triangle: 1, corner: 2 });
    assert.deepEqual(await model.traceBack(triangle.offset), { node: 0, primitive: 0, triangle: 1 });
    await assert.rejects(model.traceBack(0), failsWith("value"));
    await assert.rejects(model.trace(0, 0, 348), failsWith("value"));
});

test("rules say what findings mean", async () => {
    const rules = await tenon.rules();
    const one = rules.find((rule) => rule.id === "bplx/index-range");
    assert.equal(one.severity, "error");
    assert.ok(one.summary.length > 10);
    assert.ok(rules.some((rule) => rule.profile === "bbmod") && rules.some((rule) => rule.fix));
    assert.equal(new Set(rules.map((rule) => rule.id)).size, rules.length);
});

test("formats are those of the library", async () => {
    const formats = await tenon.formats();
    const names = formats.map((format) => format.name);
    for (const name of ["bbmod", "gpb", "bmw", "modeldata", "bplx", "gltf", "obj", "fbx"])
        assert.ok(names.includes(name), name);
    assert.deepEqual(formats.find((one) => one.name === "fbx").writes, false);
});

test("the types name every function and every member of results", async () => {
    const types = readFileSync(join(PACKAGE, "index.d.ts"), "utf8");
    for (const name of Object.keys(tenon))
        assert.match(types, new RegExp(`export (const|class|function) ${name}\\b`));
    const model = await openSample("crane.bbmod", "crane_lift.bbanim");
    const result = await model.convert("gltf", { verify: true });
    const objects = [model.info(), await model.check(), result, result.losses[0] ?? {},
                     ...(await model.map()).parts, ...(await model.tree())];
    for (const key of new Set(objects.flatMap((one) => Object.keys(one))))
        assert.match(types, new RegExp(`\\b${key}\\??:`), key);
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(model)))
        if (name !== "constructor" && name !== "read")
            assert.match(types, new RegExp(`^    ${name}\\(`, "m"), name);
});

test("a worker gives the same", async (t) => {
    const worker = await tenon.worker();
    t.after(() => worker.close());
    assert.equal(await worker.version(), await tenon.version());
    const model = await worker.open(sample("crane.gpb")), here = await openSample("crane.gpb");
    assert.deepEqual(model.info(), here.info());
    const seen = [];
    const result = await model.convert("glb", { onProgress: (done) => seen.push(done) });
    assert.deepEqual(result, await here.convert("glb"));
    assert.ok(seen.length > 0);
    const other = await worker.openFile(join(SAMPLES, "crane.cea"));
    assert.equal((await model.verify(other)).verdict, "verified");
    assert.deepEqual(await model.tree(), await here.tree());
    assert.deepEqual(await model.check(), await here.check());
    const data = sample("crane.gpb").data.subarray(0, 52000);
    await assert.rejects(worker.open({ name: "crane.gpb", data }), failsWith("truncated"));
    const damaged = await worker.open({ name: "crane.gpb", data }, { damaged: true });
    assert.equal(damaged.fault.code, "truncated");
    assert.equal((await damaged.salvage()).files[0].name, "crane.gpb");
    const controller = new AbortController(), { signal } = controller;
    const onProgress = () => controller.abort();
    // The worker has ended before the flag is set, or has not: both are right.
    await model.convert("glb", { signal, onProgress }).catch((error) =>
        assert.ok(failsWith("cancelled")(error)));
    await assert.rejects(model.convert("glb", { signal }), failsWith("cancelled"));
    model.close();
    await assert.rejects(model.convert("glb"));
    worker.close();
    await assert.rejects(other.tree(), failsWith("cancelled"));
});

test("a worker that is not closed does not keep a program from ending", async (t) => {
    const folder = scratch(t);
    const program = join(folder, "program.mjs");
    writeFileSync(program, `import { worker } from "${join(PACKAGE, "node.js")}";
const w = await worker();
console.log(await w.version());\n`);
    const { spawnSync } = await import("node:child_process");
    const done = spawnSync(process.execPath, [program], { timeout: 60000 });
    assert.equal(done.stdout.toString().trim(), await tenon.version());
    assert.equal(done.status, 0);
});
