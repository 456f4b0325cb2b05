// test_same.mjs: the package gives the bytes, losses and findings of the tool: for every sample, and,
// if TENON_CORPUS names a folder of real models, for 200 of those.
// SPDX-License-Identifier: MIT

import assert from "node:assert/strict";
import {
    copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync,
} from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { test } from "node:test";

import {
    MODELS, REAL_MOST, ROOT, SAMPLES, filesBelow, realModels, scratch, tenon, tool, toolAlone,
    toolJson,
} from "./package.mjs";

const TARGETS = ["glb", "gltf", "obj", "gpb", "bbmod", "bmw", "cem", "cea", "bplx"];
const REAL_COUNT = 200;

// What the package says where the tool decodes or encodes a picture: then the two differ.
const NEEDS_PICTURES = /picture cannot be converted|need conversion to PNG/;

// The module has no libdraco, which is in a program beside the tool, tenon-import.
const NEEDS_DRACO = /requires the extension 'KHR_draco_mesh_compression', which is not supported/;

/** The result of a call, or its error as the tool prints it. */
async function outcome(work) {
    try {
        return await work();
    } catch (error) {
        if (!(error instanceof tenon.TenonError)) throw error;
        const { name, file, losses, ...members } = error;
        return { error: { ...members, message: error.message } };
    }
}

function withoutFile({ file, ...rest }) {
    return rest;
}

async function compareReports(folder, name, options) {
    const json = (...words) => toolJson(folder, ...words, "--json", name);
    const model = await tenon.openFile(join(folder, name), { damaged: true });
    assert.deepEqual(withoutFile(await outcome(() => model.info())), withoutFile(json("info")[0]));
    assert.deepEqual(withoutFile(await outcome(() => model.check())), withoutFile(json("check")[0]));
    const fault = json("info")[0].error;
    const parts = await outcome(async () => {
        const map = await model.map({ cells: options.cells });
        return map.parts;
    });
    const lines = options.cells ? json("map", "--all") : json("map");
    if (!parts.error) assert.deepEqual(parts, lines.filter((line) => !line.error));
    if (fault) return null;
    assert.deepEqual(await outcome(() => model.tree()), json("info", "--tree")[0].tree);
    return model;
}

/** The tool adds which of its options changes a default. */
function withoutHint({ why, ...loss }) {
    return loss.kind === "defaulted" ? loss : { why, ...loss };
}

/** Returns whether bytes were compared. */
async function compareConversion(model, folder, name, target) {
    const before = new Set(readdirSync(folder)), output = `out.${target}`;
    const where = `${name} to ${target}`;
    // In this order: sidecars that are there already with the same bytes are not written.
    const got = await outcome(() => model.convert(target, { name: output }));
    const wanted = toolJson(folder, "convert", "--json", name, output)[0];
    if (got.error && NEEDS_DRACO.test(got.error.message)) {
        const alone = toolAlone(folder, "convert", "--json", "--force", name, output);
        assert.match(alone.messages + alone.out, /compressed by Draco needs tenon-import/, where);
        assert.equal(got.error.code, "unsupported", where);
        for (const made of readdirSync(folder)) if (!before.has(made)) rmSync(join(folder, made));
        return false;
    }
    const isSame = !wanted.error && !NEEDS_PICTURES.test(JSON.stringify(got.losses));
    if (wanted.error) assert.equal(got.error?.code, wanted.error.code, where);
    else assert.equal(got.error, undefined, where);
    if (isSame) {
        assert.deepEqual(got.losses.map(withoutHint), wanted.losses.map(withoutHint), where);
        const names = got.files.map((file) => file.name).sort();
        assert.deepEqual(names, [...wanted.files].sort(), where);
        for (const file of got.files)
            assert.ok(readFileSync(join(folder, file.name)).equals(file.data),
                      `${where}: ${file.name} differs`);
    }
    for (const made of readdirSync(folder)) if (!before.has(made)) rmSync(join(folder, made));
    return isSame;
}

for (const name of readdirSync(SAMPLES).filter((one) => MODELS.test(one))) {
    test(`samples/${name}`, async (t) => {
        const folder = scratch(t);
        for (const file of filesBelow(SAMPLES)) copyFileSync(file, join(folder, basename(file)));
        const model = await compareReports(folder, name, { cells: true });
        let equal = 0;
        for (const target of TARGETS)
            equal += await compareConversion(model, folder, name, target);
        if (extname(name) !== ".bbanim") assert.ok(equal >= 7, `only ${equal} were compared`);
    });
}

test("fixtures: the same reports", async () => {
    const files = filesBelow(join(ROOT, "tests/fixtures")).filter((file) => MODELS.test(file));
    assert.ok(files.length > 100);
    for (const file of files)
        await compareReports(dirname(file), basename(file), { cells: false });
});

test("verify, diff and salvage say what the tool says", async (t) => {
    const folder = scratch(t);
    for (const file of filesBelow(SAMPLES)) copyFileSync(file, join(folder, basename(file)));
    const a = await tenon.openFile(join(folder, "crane.gpb"));
    const b = await tenon.openFile(join(folder, "crane.cea"));
    const { a: nameA, b: nameB, unit_unknown, ...verdict } =
        toolJson(folder, "verify", "--json", "crane.gpb", "crane.cea")[0];
    assert.deepEqual(await a.verify(b), verdict);
    const { differences } = await a.diff(b);
    assert.deepEqual(differences,
                     toolJson(folder, "diff", "--json", "crane.gpb", "crane.cea"));
    const data = readFileSync(join(folder, "crane.gpb")).subarray(0, 52000);
    writeFileSync(join(folder, "cut.gpb"), data);
    const damaged = await tenon.open({ name: "cut.gpb", data }, { damaged: true });
    for (const target of ["gpb", "glb"]) {
        const wanted = toolJson(folder, "salvage", "--json", "cut.gpb", `whole.${target}`)[0];
        const got = await damaged.salvage({ name: `whole.${target}`, to: target });
        assert.deepEqual(got.fault, wanted.fault.error);
        assert.deepEqual(got.cuts, wanted.cuts);
        assert.ok(readFileSync(join(folder, `whole.${target}`)).equals(got.files[0].data));
    }
});

test("pictures are those of the tool", async (t) => {
    const folder = scratch(t);
    for (const file of filesBelow(SAMPLES)) copyFileSync(file, join(folder, basename(file)));
    for (const name of ["crane.gpb", "crane.bbmod", "crane.fbx"]) {
        const model = await tenon.openFile(join(folder, name));
        const cases = [[[], {}], [["--size", "200x100", "--view", "back", "--bones"],
                                  { width: 200, height: 100, azimuth: 180, elevation: 0, bones: true }]];
        for (const [words, options] of cases) {
            assert.equal(tool(folder, "render", name, "--force", "-o", "seen.png", ...words).status, 0);
            const { files } = await model.render({ name: "x.png", ...options });
            assert.ok(readFileSync(join(folder, "seen.png")).equals(files[0].data), name);
        }
    }
});

// -- Real models

const CORPUS = process.env.TENON_CORPUS;
test("real models", { skip: CORPUS ? false : "TENON_CORPUS is not set" }, async (t) => {
    const models = realModels(REAL_COUNT);
    assert.equal(models.length, REAL_COUNT);
    let equal = 0;
    for (const [index, file] of models.entries()) {
        const target = TARGETS[index % TARGETS.length];
        const folder = join(scratch(t), "models");
        mkdirSync(folder);
        // With what is beside it, if that is not a library of hundreds of models.
        const beside = readdirSync(dirname(file)).map((one) => join(dirname(file), one));
        for (const one of [file, ...(beside.length < 60 ? beside : [])])
            if (statSync(one).isFile() && statSync(one).size <= REAL_MOST)
                copyFileSync(one, join(folder, basename(one)));
        try {
            const model = await compareReports(folder, basename(file), { cells: false });
            if (model) equal += await compareConversion(model, folder, basename(file), target);
        } catch (error) {
            error.message = `${file}: ${error.message}`;
            throw error;
        }
    }
    t.diagnostic(`${models.length} models, ${equal} conversions with equal bytes`);
    assert.ok(equal >= REAL_COUNT / 2, `only ${equal} conversions were compared`);
});
