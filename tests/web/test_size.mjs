// test_size.mjs: the sizes in docs/performance.md are those of what is built, within 5 %.
// `python3 tests/web/run_web.py build/release size --update` writes them there.
// SPDX-License-Identifier: MIT

import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { PACKAGE, ROOT } from "./package.mjs";

const MOST = 0.05;
const PAGE = join(ROOT, "docs/performance.md");

/** The line of a table, and its numbers: "| `tenon.wasm` | 1 234 567 | 456 789 |". */
function rowOf(name) {
    const lines = readFileSync(PAGE, "utf8").split("\n");
    const line = lines.find((one) => one.startsWith(`| \`${name}\` |`));
    assert.ok(line, `docs/performance.md has no row for ${name}`);
    const sizes = line.split("|").slice(2, 4).map((cell) => Number(cell.replaceAll(" ", "")));
    return { line, sizes };
}

function update(name, sizes) {
    const cells = sizes.map((size) => String(size).replace(/\B(?=(\d{3})+$)/g, " "));
    const page = readFileSync(PAGE, "utf8");
    writeFileSync(PAGE, page.replace(rowOf(name).line, `| \`${name}\` | ${cells.join(" | ")} |`));
}

for (const name of readdirSync(PACKAGE).filter((one) => one.endsWith(".wasm"))) {
    test(`size of ${name}`, () => {
        const bytes = readFileSync(join(PACKAGE, name));
        const sizes = [bytes.length, gzipSync(bytes, { level: 9 }).length];
        if (process.argv.includes("--update")) update(name, sizes);
        for (const [index, stated] of rowOf(name).sizes.entries())
            assert.ok(Math.abs(sizes[index] / stated - 1) <= MOST,
                      `${sizes[index]} bytes, but docs/performance.md says ${stated}; ` +
                      "'python3 tests/web/run_web.py build/release size --update' corrects it");
    });
}

test("the package has no files that are not needed", () => {
    const wanted = /^(README\.md|LICENSE|package\.json|index\.d\.ts|tenon(-cli)?\.wasm|\w+\.js)$/;
    for (const name of readdirSync(PACKAGE)) assert.match(name, wanted);
});
