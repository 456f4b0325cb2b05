// validate.mjs: what Khronos' glTF-Validator says of files, one JSON object a line.
// SPDX-License-Identifier: MIT
//
// Usage: node validate.mjs FILE...
//
// Files that a model names are taken from its folder. One that is not there counts as an error.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const validator = createRequire(import.meta.url)("gltf-validator");
const SEVERITIES = ["error", "warning", "information", "hint"];

async function validate(file) {
    const folder = path.dirname(file);
    const report = await validator.validateBytes(new Uint8Array(await readFile(file)), {
        uri: path.basename(file),
        maxIssues: 0,
        externalResourceFunction: async (uri) =>
            new Uint8Array(await readFile(path.join(folder, decodeURIComponent(uri)))),
    });
    const issues = report.issues.messages.map((issue) => ({
        severity: SEVERITIES[issue.severity],
        code: issue.code,
        pointer: issue.pointer ?? "",
        message: issue.message,
    }));
    return { file, issues };
}

for (const file of process.argv.slice(2)) {
    console.log(JSON.stringify(await validate(file)));
}
