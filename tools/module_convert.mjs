// module_convert.mjs: converts samples with the npm package, as tools/portability wants it.
// SPDX-License-Identifier: MIT
//
// node module_convert.mjs PACKAGE "SAMPLE..." "FORMAT...": each samples/SAMPLE is converted to each
// format, into the folder module/SAMPLE-FORMAT.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";

const [packageFolder, samples, formats] = argv.slice(2);
const about = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
const entry = about.exports["."].node;
const tenon = await import(pathToFileURL(resolve(packageFolder, entry)));

for (const sample of samples.split(" "))
    for (const format of formats.split(" ")) {
        const folder = join("module", `${sample.replace(".", "-")}-${format}`);
        mkdirSync(folder, { recursive: true });
        const model = await tenon.openFile(join("samples", sample));
        try {
            const { files } = await model.convert(format, { name: `crane.${format}` });
            for (const { name, data } of files) writeFileSync(join(folder, name), data);
        } catch (error) {
            if (!(error instanceof tenon.TenonError)) throw error;
        }
        model.close();
    }
