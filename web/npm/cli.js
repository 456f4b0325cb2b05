#!/usr/bin/env node
// cli.js: the command-line tool, as a program for WASI, for machines without the native one.
// SPDX-License-Identifier: MIT

import { chmodSync, readFileSync, realpathSync, statSync } from "node:fs";
import { isatty } from "node:tty";
import { setFlagsFromString } from "node:v8";

// Most commands use a small part of the program. Without the second flag, Node 20 ends in a
// segmentation fault after some programs.
setFlagsFromString("--wasm-lazy-compilation");
setFlagsFromString("--no-turbo-fast-api-calls");

// Node would print that WASI is experimental.
const { emitWarning } = process;
process.emitWarning = (warning, ...more) => {
    if (more[0] !== "ExperimentalWarning") emitWarning.call(process, warning, ...more);
};
const { WASI } = await import("node:wasi");

// The program sees all files, by the paths that they have here.
const env = { ...process.env, PWD: process.cwd() };
if (!env.COLUMNS && isatty(1)) env.COLUMNS = String(process.stdout.columns);
const wasi = new WASI({ version: "preview1", args: ["tenon", ...process.argv.slice(2)], env,
                        preopens: { "/": "/" }, returnOnExit: true });
const imports = { ...wasi.wasiImport };
let instance;

// WASI knows no permissions. Here, nobody else can read a file until it gets its name; then it has
// the permissions of the file that it replaces.
const mask = process.umask(0o077);

function path(at, size) {
    return "/" + new TextDecoder().decode(new Uint8Array(instance.exports.memory.buffer, at, size));
}

/** The permissions that a new file gets at a path. */
function modeAt(name) {
    try {
        return statSync(name).mode & 0o777;
    } catch {
        return 0o666 & ~mask;
    }
}

function setMode(name, mode) {
    try {
        chmodSync(name, mode);
    } catch {
        // Some file systems have no permissions.
    }
}

imports.path_rename = (folder, from, fromSize, toFolder, to, toSize) => {
    setMode(path(from, fromSize), modeAt(path(to, toSize)));
    return wasi.wasiImport.path_rename(folder, from, fromSize, toFolder, to, toSize);
};
imports.path_link = (folder, flags, from, fromSize, toFolder, to, toSize) => {
    setMode(path(from, fromSize), 0o666 & ~mask);
    return wasi.wasiImport.path_link(folder, flags, from, fromSize, toFolder, to, toSize);
};
imports.path_create_directory = (folder, name, size) => {
    const error = wasi.wasiImport.path_create_directory(folder, name, size);
    if (error === 0) setMode(path(name, size), 0o777 & ~mask);
    return error;
};

// Node 18 does not follow links with relative targets. It gets the path where they lead, in memory
// that the program does not know.
let page = 0;

function following(call) {
    return (folder, flags, at, size, ...more) => {
        const name = path(at, size), { memory } = instance.exports;
        let real = name;
        try {
            if (flags & 1) real = realpathSync(name);
        } catch {
            // The call says why.
        }
        if (real === name) return call(folder, flags, at, size, ...more);
        const bytes = new TextEncoder().encode(real.slice(1));
        page ||= memory.grow(1) * 65536;
        new Uint8Array(memory.buffer, page, bytes.length).set(bytes);
        return call(folder, flags, page, bytes.length, ...more);
    };
}

if (Number.parseInt(process.versions.node, 10) < 20)
    for (const name of ["path_open", "path_filestat_get"]) imports[name] = following(wasi.wasiImport[name]);

const program = new WebAssembly.Module(readFileSync(new URL("./tenon-cli.wasm", import.meta.url)));
instance = new WebAssembly.Instance(program, { wasi_snapshot_preview1: imports });

// What large files usually need: each step in which memory grows costs a garbage collection.
let size = 0;
for (const word of process.argv.slice(2)) {
    try {
        const found = statSync(word);
        if (found.isFile()) size += found.size;
    } catch {
        // It is no file.
    }
}
try {
    if (size >= 1 << 24) instance.exports.memory.grow(Math.ceil((5 * size) / 65536));
} catch {
    // Then it grows as far as it can when it is needed.
}

let status;
try {
    status = wasi.start(instance);
} catch (error) {
    // Its memory or stack is full, or it has a fault.
    if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
    console.error(`tenon: ${error.message}`);
    status = 3;
}
process.exit(status);
