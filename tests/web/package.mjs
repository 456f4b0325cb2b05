// package.mjs: the package under test, as it is installed, and the tool that it is compared with.
// SPDX-License-Identifier: MIT

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const SAMPLES = join(ROOT, "samples");
export const INSTALLED = process.env.TENON_PACKAGE;
export const TOOL = process.env.TENON ?? join(ROOT, "build/release/tenon");

const entry = createRequire(join(INSTALLED, "package.json")).resolve("tenon");
export const PACKAGE = dirname(entry);
export const tenon = await import(pathToFileURL(entry));

/** Run the tool. Returns its status, output and messages. */
export function tool(folder, ...words) {
    return run(folder, words, process.env);
}

/** The same without tenon-import. */
export function toolAlone(folder, ...words) {
    return run(folder, words, { ...process.env, TENON_IMPORT: "" });
}

function run(folder, words, env) {
    const done = spawnSync(TOOL, words, { cwd: folder, maxBuffer: 2 ** 30, env });
    if (done.error) throw done.error;
    return { status: done.status, out: done.stdout, messages: done.stderr.toString() };
}

/** The objects that the tool prints with --json. */
export function toolJson(folder, ...words) {
    const lines = tool(folder, ...words).out.toString().split("\n");
    return lines.filter((line) => line).map((line) => JSON.parse(line));
}

/** A folder that is removed when the test has ended. */
export function scratch(t) {
    const folder = mkdtempSync(join(tmpdir(), "tenon-web-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
}

/** All files below a folder. */
export function filesBelow(folder) {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const path = join(folder, entry.name);
        return entry.isDirectory() ? filesBelow(path) : [path];
    }).sort();
}

export const MODELS = /\.(bbmod|bbanim|gpb|bmw|cem|cea|bplx|glb|gltf|obj|fbx)$/i;
export const REAL_MOST = 4 << 20; // Bytes.
const HOSTILE = ["attacks", "gltf-validator"];

/** That many real models, evenly spread over all of TENON_CORPUS in the order of their paths. */
export function realModels(count) {
    const corpus = process.env.TENON_CORPUS;
    const all = filesBelow(corpus).filter((file) => {
        const top = file.slice(corpus.length + 1).split("/")[0];
        return MODELS.test(file) && !HOSTILE.includes(top) && statSync(file).size <= REAL_MOST;
    });
    const step = Math.max(1, all.length / count);
    return Array.from({ length: Math.min(count, all.length) },
                      (_, index) => all[Math.floor(index * step)]);
}

/** Errors of the package, for assert.rejects(). */
export function failsWith(code, more = {}) {
    return (error) => {
        if (!(error instanceof tenon.TenonError) || error.code !== code) return false;
        return Object.entries(more).every(([key, value]) => error[key] === value);
    };
}
