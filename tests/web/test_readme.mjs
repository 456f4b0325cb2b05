// test_readme.mjs: the examples of the README run, and print what their comments say.
// SPDX-License-Identifier: MIT

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { INSTALLED, PACKAGE, ROOT, SAMPLES, scratch } from "./package.mjs";

const PAGES = [join(PACKAGE, "README.md"), join(ROOT, "docs/javascript.md")];

/** The programs in a page of Markdown, and what they say that they print. */
function examplesOf(page) {
    const text = readFileSync(page, "utf8");
    return [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, program]) => ({
        program,
        prints: [...program.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, said]) => said),
    }));
}

test("the commands in the README run", (t) => {
    const folder = scratch(t);
    cpSync(SAMPLES, folder, { recursive: true });
    cpSync(join(INSTALLED, "node_modules"), join(folder, "node_modules"), { recursive: true });
    const page = readFileSync(PAGES[0], "utf8");
    const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands);
    const commands = blocks.filter((one) => one.startsWith("npx tenon"));
    assert.equal(commands.length, 1);
    const done = spawnSync("/bin/sh", ["-ec", commands[0]], { cwd: folder });
    assert.equal(done.status, 0, done.stderr.toString());
});

for (const page of PAGES) {
    const examples = examplesOf(page);
    test(`${page.slice(page.lastIndexOf("/") + 1)} has examples`, () => assert.ok(examples.length));
    for (const [index, { program, prints }] of examples.entries()) {
        test(`example ${index + 1} of ${page.slice(page.lastIndexOf("/") + 1)}`, (t) => {
            const folder = scratch(t);
            cpSync(SAMPLES, folder, { recursive: true });
            cpSync(join(INSTALLED, "node_modules"), join(folder, "node_modules"),
                   { recursive: true });
            writeFileSync(join(folder, "example.mjs"), program);
            const done = spawnSync(process.execPath, ["example.mjs"], { cwd: folder });
            assert.equal(done.status, 0, done.stderr.toString());
            const lines = done.stdout.toString().split("\n");
            for (const said of prints)
                assert.ok(lines.includes(said), `'${said}' is not printed:\n${lines.join("\n")}`);
        });
    }
}
