// models.mjs: models for the tests of the page: the samples, and real ones if there are any.
// SPDX-License-Identifier: MIT

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

import { SAMPLES, TOOL } from "./browser.mjs";

export const CORPUS = process.env.TENON_CORPUS;
export const LONG = !!process.env.TENON_LONG;
export const MODELS = readdirSync(SAMPLES).filter((name) => /\.(bbmod|gpb|bmw|cem|cea|bplx|glb|fbx)$/.test(name));
const BESIDE = /\.(png|jpe?g|material|bbmat|bbanim|dds|tga|json|mtl|bin)$/i;

/** A folder that is removed when the test has ended. */
export function scratch(t) {
    const folder = mkdtempSync(join(tmpdir(), "tenon-page-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
}

/** A sample with everything that may belong to it. */
export function sampleFiles(name) {
    const beside = readdirSync(SAMPLES).filter((one) => BESIDE.test(one) && one !== "truth.json");
    return [name, ...beside].map((one) => join(SAMPLES, one));
}

export function tool(folder, ...words) {
    const done = spawnSync(TOOL, words, { cwd: folder, maxBuffer: 2 ** 30 });
    if (done.error) throw done.error;
    return { status: done.status, out: done.stdout.toString(), messages: done.stderr.toString() };
}

function filesBelow(folder) {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const path = join(folder, entry.name);
        return entry.isDirectory() ? filesBelow(path) : [path];
    }).sort();
}

/** As many real models as wanted, evenly spread. */
export function realModels(count, most = 4 << 20) {
    const isModel = (file) => /\.(bbmod|gpb|bmw|cem|cea|bplx|glb|gltf|obj|fbx)$/i.test(file);
    const isHostile = (file) => /^(attacks|gltf-validator)\//.test(file.slice(CORPUS.length + 1));
    const all = filesBelow(CORPUS).filter((file) => isModel(file) && !isHostile(file) && statSync(file).size <= most);
    return Array.from({ length: Math.min(count, all.length) }, (_, index) => all[Math.floor((index * all.length) / count)]);
}

/** A model with the files beside it, unless that is a library of many. */
export function withNeighbors(file) {
    const beside = readdirSync(dirname(file)).map((one) => join(dirname(file), one));
    const few = beside.length < 60 ? beside.filter((one) => BESIDE.test(one) && statSync(one).isFile()) : [];
    return [file, ...few.filter((one) => one !== file && statSync(one).size < 4 << 20)];
}

/** Numbers from 0 to 1 that are the same each time. */
export function random(seed) {
    let state = seed >>> 0;
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 2 ** 32;
    };
}

export function copyInto(folder, files) {
    mkdirSync(folder, { recursive: true });
    return files.map((file) => {
        copyFileSync(file, join(folder, basename(file)));
        return join(folder, basename(file));
    });
}
