// files.js: the files that one call sees: those of a model, and over them those that it writes.
// SPDX-License-Identifier: MIT

/** What is at a path, as web/module/web_files.c knows it. */
export const NOTHING = 0, FILE = 1, FOLDER = 2, FAILED = 3;

/** A path without "./" at the start. */
export function plainPath(path) {
    return path.replace(/^(?:\.\/+)+/, "").replace(/\/{2,}/g, "/");
}

/** Files in memory. */
export class MemoryFiles {
    /** `files` are pairs of a path and bytes. */
    constructor(files) {
        this.files = new Map(files.map(([name, data]) => [plainPath(name), data]));
        this.numbers = new Map([...this.files.keys()].map((name, index) => [name, index + 1]));
    }

    look(path) {
        const data = this.files.get(path);
        if (data) return { kind: FILE, size: data.length, number: this.numbers.get(path) };
        const folder = path === "" || path === "." ? "" : path.replace(/\/*$/, "/");
        const isFolder = folder === "" || [...this.files.keys()].some((n) => n.startsWith(folder));
        return { kind: isFolder ? FOLDER : NOTHING };
    }

    /** Bytes of all files together. */
    get size() {
        let size = 0;
        for (const data of this.files.values()) size += data.length;
        return size;
    }

    open(path) {
        return this.files.get(path);
    }

    read(data, at, into) {
        const part = data.subarray(at, at + into.length);
        into.set(part);
        return part.length;
    }

    close() {}

    list(folder) {
        const start = folder === "" || folder === "." ? "" : folder.replace(/\/*$/, "/");
        const names = new Set();
        for (const name of this.files.keys())
            if (name.startsWith(start)) names.add(name.slice(start.length).split("/")[0]);
        return [...names];
    }
}

/** Several sets of files, each in a folder. */
export class JoinedFiles {
    constructor(folders) {
        this.folders = folders;
    }

    find(path) {
        const slash = path.indexOf("/");
        const files = this.folders[slash < 0 ? path : path.slice(0, slash)];
        return [files, slash < 0 ? "" : path.slice(slash + 1)];
    }

    look(path) {
        const [files, rest] = this.find(path);
        if (!files) return { kind: path === "" ? FOLDER : NOTHING };
        const found = files.look(rest);
        // Numbers of different sets differ.
        const index = Object.values(this.folders).indexOf(files);
        return { ...found, number: found.number * 2 + index };
    }

    get size() {
        return Object.values(this.folders).reduce((size, files) => size + files.size, 0);
    }

    open(path) {
        const [files, rest] = this.find(path);
        return { files, file: files.open(rest) };
    }

    read(opened, at, into) {
        return opened.files.read(opened.file, at, into);
    }

    close(opened) {
        opened.files.close(opened.file);
    }

    list(folder) {
        const [files, rest] = this.find(folder);
        return files ? files.list(rest) : null;
    }
}

/** Bytes that are written one piece after the other. Nothing is copied to make room for more. */
class Output {
    constructor(number) {
        this.number = number;
        this.size = 0;
        this.full = []; // Pieces before the last.
        this.last = new Uint8Array(65536);
        this.used = 0; // Bytes of the last.
    }

    append(bytes) {
        const fits = Math.min(bytes.length, this.last.length - this.used);
        this.last.set(bytes.subarray(0, fits), this.used);
        this.used += fits;
        this.size += bytes.length;
        if (fits === bytes.length) return;
        this.full.push(this.last);
        this.last = new Uint8Array(Math.max(this.size, bytes.length - fits));
        this.last.set(bytes.subarray(fits));
        this.used = bytes.length - fits;
    }

    bytes() {
        const all = new Uint8Array(this.size);
        let at = 0;
        for (const piece of this.full) {
            all.set(piece, at);
            at += piece.length;
        }
        all.set(this.last.subarray(0, this.used), at);
        return all;
    }
}

const FIRST_OUTPUT = 2 ** 40;

/** What a call sees: handles are numbers from 1. */
export class CallFiles {
    constructor(base) {
        this.base = base;
        this.outputs = new Map();
        this.handles = new Map();
        this.count = 0;
    }

    look(path) {
        const output = this.outputs.get(path);
        if (output) return { kind: FILE, size: output.size, number: output.number };
        return this.base.look(path);
    }

    open(path) {
        const output = this.outputs.get(path);
        this.handles.set(++this.count, output ? { output } : { file: this.base.open(path) });
        return this.count;
    }

    read(handle, at, into) {
        const { output, file } = this.handles.get(handle);
        if (!output) return this.base.read(file, at, into);
        const part = output.bytes().subarray(at, at + into.length);
        into.set(part);
        return part.length;
    }

    create(path) {
        if (this.look(path).kind !== NOTHING) return 0;
        const output = new Output(FIRST_OUTPUT + ++this.count);
        this.outputs.set(path, output);
        this.handles.set(this.count, { output });
        return this.count;
    }

    write(handle, bytes) {
        this.handles.get(handle).output.append(bytes);
    }

    close(handle) {
        const { file } = this.handles.get(handle) ?? {};
        if (file !== undefined) this.base.close(file);
        this.handles.delete(handle);
    }

    rename(from, to, replaces) {
        if (!replaces && this.look(to).kind !== NOTHING) return false;
        this.outputs.set(to, this.outputs.get(from));
        this.outputs.delete(from);
        return true;
    }

    remove(path) {
        return this.outputs.delete(path);
    }

    /** The bytes of a file that was written, or that was there already. */
    bytes(path) {
        const output = this.outputs.get(path);
        if (output) return output.bytes();
        const handle = this.open(path), data = new Uint8Array(this.look(path).size);
        for (let at = 0, got; at < data.length; at += got) {
            got = this.read(handle, at, data.subarray(at));
            if (got === 0) break;
        }
        this.close(handle);
        return data;
    }

    /** Close what a call that failed has left open. */
    closeAll() {
        for (const handle of [...this.handles.keys()]) this.close(handle);
    }
}
