// validate.mjs: what Khronos' glTF-Validator reports for files, one JSON object a line.
// SPDX-License-Identifier: MIT
//
// Usage: node validate.mjs FILE...
//
// Files that a model names are read from its folder. Pictures that do not exist are listed as
// missing, and another one is shown to the validator instead.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const validator = createRequire(import.meta.url)("gltf-validator");
const SEVERITIES = ["error", "warning", "information", "hint"];
const PICTURE = /\.(png|jpe?g)$/i;
const PIXEL = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC",
    "base64");

async function resource(folder, uri, missing) {
    try {
        return new Uint8Array(await readFile(path.join(folder, decodeURIComponent(uri))));
    } catch (error) {
        if (error.code !== "ENOENT" || !PICTURE.test(uri)) throw error;
        missing.push(uri);
        return new Uint8Array(PIXEL);
    }
}

async function validate(file) {
    const missing = [];
    const report = await validator.validateBytes(new Uint8Array(await readFile(file)), {
        uri: path.basename(file),
        maxIssues: 0,
        externalResourceFunction: (uri) => resource(path.dirname(file), uri, missing),
    });
    const issues = report.issues.messages.map((issue) => ({
        severity: SEVERITIES[issue.severity],
        code: issue.code,
        pointer: issue.pointer ?? "",
        message: issue.message,
    }));
    return { file, issues, missing };
}

for (const file of process.argv.slice(2)) {
    console.log(JSON.stringify(await validate(file)));
}
