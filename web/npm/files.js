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

/** Bytes that are written one piece after the other. */
class Output {
    constructor(number) {
        this.number = number;
        this.data = new Uint8Array(65536);
        this.size = 0;
    }

    append(bytes) {
        if (this.size + bytes.length > this.data.length) {
            const grown = new Uint8Array(2 * (this.size + bytes.length));
            grown.set(this.data.subarray(0, this.size));
            this.data = grown;
        }
        this.data.set(bytes, this.size);
        this.size += bytes.length;
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
        const part = output.data.subarray(at, Math.min(at + into.length, output.size));
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
        if (output) return output.data.slice(0, output.size);
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
