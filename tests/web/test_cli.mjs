// test_cli.mjs: the command-line tool of the package prints and writes what the native one does.
// SPDX-License-Identifier: MIT

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
    chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync,
    symlinkSync, writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { INSTALLED, ROOT, SAMPLES, TOOL, filesBelow, scratch } from "./package.mjs";

const PACKAGED = join(INSTALLED, "node_modules/.bin/tenon");
const MODELS = /\.(bbmod|bbanim|gpb|bmw|cem|cea|bplx|glb|gltf|obj|fbx)$/;
const TARGETS = ["glb", "obj", "gpb", "bbmod", "bmw", "cem", "cea", "bplx"];
// Cases of tests/cli that are about processes, signals or names that are not UTF-8.
const ELSEWHERE = ["imported.txt", "system.txt", "terminal.txt", "unwritable.txt"];
const FEW = ["merge.txt", "replace.txt", "streams.txt"]; // Without TENON_LONG.

function run(tool, folder, words, input = "") {
    const env = { ...process.env, NO_COLOR: "1" };
    const done = spawnSync(tool, words, { cwd: folder, input, env, maxBuffer: 2 ** 30 });
    if (done.error) throw done.error;
    const { status, stdout, stderr } = done;
    return { status, stdout: stdout.toString("latin1"), stderr: stderr.toString() };
}

/** The bytes of all files, by their paths. */
function contentOf(folder) {
    return Object.fromEntries(filesBelow(folder).map((file) =>
        [file.slice(folder.length), readFileSync(file, "latin1")]));
}

/** Run a command with both tools, each in a copy of the samples. */
function compare(t, words, { input, prepare = () => {}, inside = "." } = {}) {
    const [native, packaged] = [TOOL, PACKAGED].map((tool) => {
        const folder = scratch(t);
        cpSync(SAMPLES, folder, { recursive: true });
        prepare(folder);
        return { ...run(tool, join(folder, inside), words, input), files: contentOf(folder) };
    });
    assert.deepEqual(packaged, native, words.join(" "));
    return packaged;
}

test("every sample into every format", (t) => {
    let written = 0;
    for (const [index, name] of readdirSync(SAMPLES).filter((one) => MODELS.test(one)).entries())
        for (const step of [0, 3, 5]) {
            const target = TARGETS[(index + step) % TARGETS.length];
            const words = ["convert", name, `out.${target}`, "--textures", "copy"];
            written += compare(t, words).status === 0;
        }
    assert.ok(written >= 20, `only ${written} conversions`);
});

test("reports of every sample", (t) => {
    const models = readdirSync(SAMPLES).filter((one) => MODELS.test(one));
    for (const words of [["info"], ["info", "--tree"], ["check", "--json"], ["map", "--json"]])
        compare(t, [...words, ...models]);
});

test("standard input and output", (t) => {
    const input = readFileSync(join(SAMPLES, "crane.bplx"));
    assert.equal(compare(t, ["convert", "-", "-o", "-", "--to", "glb"], { input }).status, 0);
    compare(t, ["info", "-"], { input });
    compare(t, ["info", "-"], { input: input.subarray(0, 1000) });
    compare(t, ["info", "-"]);
    compare(t, ["dump", "crane.gpb"]);
});

test("paths and folders, also outside of the current one", (t) => {
    const prepare = (folder) => mkdirSync(join(folder, "a b/ü"), { recursive: true });
    const inside = "a b/ü";
    for (const words of [["../../crane.bbmod", "./x.glb"], ["../../crane.gpb", "../y.obj"],
                         ["../../../none.gpb", "x.glb"], ["../../crane.gpb", "none/x.glb"]])
        compare(t, ["convert", ...words], { prepare, inside });
    compare(t, ["convert", "../../", "-o", "all/", "--to", "bplx"], { prepare, inside });
    compare(t, ["info", "-r", "../.."], { prepare, inside });
    for (const name of ["", "/", "a\nb", "\u001b[2J"]) compare(t, ["info", name]);
    const folder = scratch(t), outside = scratch(t);
    copyFileSync(join(SAMPLES, "crane.cea"), join(folder, "crane.cea"));
    const done = run(PACKAGED, outside, ["convert", join(folder, "crane.cea"), join(folder, "x.glb")]);
    assert.equal(done.status, 0, done.stderr);
    assert.ok(existsSync(join(folder, "x.glb")));
});

test("exit statuses and messages", (t) => {
    const cases = { 0: [["version"], ["help", "convert"], ["convert", "--help"]],
                    1: [["check", "crane.png"], ["diff", "crane.gpb", "crane.cea"],
                        ["convert", "--strict", "crane.gpb", "x.obj"]],
                    2: [[], ["convrt"], ["convert", "crane.gpb"], ["info", "--verfy", "crane.gpb"],
                        ["convert", "crane.gpb", "crane.cea"], ["convert", "crane.gpb", "crane.gpb"]],
                    3: [["info", "none.gpb"], ["convert", "crane.gpb", "crane.png/x.glb"]] };
    for (const [status, commands] of Object.entries(cases))
        for (const words of commands)
            assert.equal(compare(t, words).status, Number(status), words.join(" "));
});

test("files are replaced, with their permissions and links", (t) => {
    const prepare = (folder) => {
        chmodSync(join(folder, "crane.bplx"), 0o640);
        symlinkSync("crane.bplx", join(folder, "link.bplx"));
    };
    compare(t, ["convert", "--in-place", "link.bplx", "--as", "script"], { prepare });
    compare(t, ["convert", "-f", "crane.gpb", "crane.cea"], { prepare });
    compare(t, ["convert", "crane.gpb", "link.bplx"], { prepare });
    const folder = scratch(t);
    copyFileSync(join(SAMPLES, "crane.bplx"), join(folder, "crane.bplx"));
    chmodSync(join(folder, "crane.bplx"), 0o640);
    run(PACKAGED, folder, ["convert", "--in-place", "crane.bplx", "--as", "script"]);
    run(PACKAGED, folder, ["convert", "crane.bplx", "new/", "--to", "glb"]);
    run(PACKAGED, folder, ["convert", "crane.bplx", "new.glb"]);
    const modeOf = (name) => statSync(join(folder, name)).mode & 0o777;
    const mask = process.umask();
    assert.equal(modeOf("crane.bplx"), 0o640);
    assert.equal(modeOf("new.glb"), 0o666 & ~mask);
    assert.equal(modeOf("new"), 0o777 & ~mask);
    assert.equal(modeOf("new/crane.glb"), 0o666 & ~mask);
});

test("pictures that need libjpeg are not available", (t) => {
    const folder = scratch(t);
    cpSync(SAMPLES, folder, { recursive: true });
    writeFileSync(join(folder, "crane.png"), "\xff\xd8\xff\xe0\0\x10JFIF\0", "latin1");
    const words = ["convert", "crane.gpb", "out.bmw", "--textures"];
    const done = run(PACKAGED, folder, [...words, "copy"]);
    assert.equal(done.status, 3);
    assert.match(done.stderr, /needs libjpeg/);
    assert.equal(existsSync(join(folder, "out.bmw")), false);
    assert.equal(run(PACKAGED, folder, [...words, "refer"]).status, 0);
});

test("a reader that has seen enough", (t) => {
    const folder = scratch(t);
    const line = `"${PACKAGED}" map --all "${join(SAMPLES, "crane.gpb")}" | head -n 1`;
    const done = run("/bin/sh", folder, ["-c", line]);
    assert.equal(done.stderr, "");
    assert.match(done.stdout, /^offset/);
});

for (const name of process.env.TENON_LONG ? readdirSync(join(ROOT, "tests/cli")) : FEW) {
    if (ELSEWHERE.includes(name)) continue;
    test(`tests/cli/${name}`, (t) => {
        // By that name, in a folder of its own.
        const tool = join(scratch(t), "tenon");
        writeFileSync(tool, `#!/bin/sh\nexec "${process.execPath}" "${PACKAGED}" "$@"\n`,
                      { mode: 0o755 });
        const words = ["-B", join(ROOT, "tests/run_cli.py"), join(ROOT, "tests/cli", name)];
        const done = spawnSync("python3", words, { env: { ...process.env, TENON: tool } });
        assert.equal(done.status, 0, done.stdout.toString());
    });
}
