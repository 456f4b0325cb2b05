// wasi_run.mjs: runs a WebAssembly program with Node: node wasi_run.mjs PROGRAM.wasm ARGUMENT...
// SPDX-License-Identifier: MIT
//
// The program sees the folder that Node was started in, /tmp and the environment, and nothing else.

import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { argv, cwd, env, exit } from "node:process";
import { setFlagsFromString } from "node:v8";
import { WASI } from "node:wasi";

// With them, Node 20 ends in a segmentation fault after some programs that were all right.
setFlagsFromString("--no-turbo-fast-api-calls");

const [program, ...words] = argv.slice(2);
const wasi = new WASI({
    version: "preview1",
    args: [program, ...words],
    env: { ...env, PWD: cwd(), TMPDIR: "/tmp" },
    preopens: { ".": cwd(), "/tmp": tmpdir() },
    returnOnExit: true,
});
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
exit(wasi.start(instance));
