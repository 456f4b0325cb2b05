// test_size.mjs: the sizes in docs/performance.md are those of what is built, within 5 %.
// SPDX-License-Identifier: MIT

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { PACKAGE, ROOT } from "./package.mjs";

const MOST = 0.05;

/** The row of a table, as numbers: "| `tenon.wasm` | 1 234 567 | 456 789 |". */
function statedSizes(name) {
    const page = readFileSync(join(ROOT, "docs/performance.md"), "utf8");
    const row = page.split("\n").find((line) => line.startsWith(`| \`${name}\` |`));
    assert.ok(row, `docs/performance.md has no row for ${name}`);
    return row.split("|").slice(2, 4).map((cell) => Number(cell.replaceAll(" ", "")));
}

for (const name of readdirSync(PACKAGE).filter((one) => one.endsWith(".wasm"))) {
    test(`size of ${name}`, () => {
        const bytes = readFileSync(join(PACKAGE, name));
        const sizes = [bytes.length, gzipSync(bytes, { level: 9 }).length];
        for (const [index, stated] of statedSizes(name).entries())
            assert.ok(Math.abs(sizes[index] / stated - 1) <= MOST,
                      `${sizes[index]} bytes, but docs/performance.md says ${stated}`);
    });
}

test("the package has no files that are not needed", () => {
    const wanted = /^(README\.md|LICENSE|package\.json|index\.d\.ts|tenon(-cli)?\.wasm|\w+\.js)$/;
    for (const name of readdirSync(PACKAGE)) assert.match(name, wanted);
});
