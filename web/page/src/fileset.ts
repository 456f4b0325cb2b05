// fileset.ts: in the worker, the files that were dropped, as the module reads them.
// SPDX-License-Identifier: MIT

import { FILE, FOLDER, NOTHING, plainPath } from "../../npm/files.js";
import { baseName, extension, stem } from "./text.ts";

const WHOLE_MOST = 64 << 20; // Larger files are read in pieces, not into memory.

type Opened = { blob: Blob; data: Uint8Array | null };

/** Files by path. An alias is a second path of a file, where a model looks for it. */
export class FileSet {
    private files = new Map<string, Blob>();
    private numbers = new Map<Blob, number>();
    private aliases = new Map<string, string>();
    private reader = new FileReaderSync();
    size = 0; // Bytes that the next call needs, about.

    add(path: string, blob: Blob) {
        const plain = plainPath(path);
        this.files.set(plain, blob);
        if (!this.numbers.has(blob)) this.numbers.set(blob, this.numbers.size + 1);
        return plain;
    }

    remove(path: string) {
        this.files.delete(path);
    }

    names(): string[] {
        return [...this.files.keys()];
    }

    blob(path: string): Blob | undefined {
        return this.files.get(path) ?? this.files.get(this.aliases.get(path) ?? "");
    }

    /** A path that names a file by another: its own, or that of a file with the same base name. */
    find(path: string): string | undefined {
        if (this.files.has(path)) return path;
        const wanted = baseName(path.replaceAll("\\", "/")).toLowerCase();
        return this.names().find((name) => baseName(name).toLowerCase() === wanted);
    }

    /** Give a file that was dropped the path at which a model looks for it. */
    alias(path: string, target: string) {
        if (path !== target && !this.files.has(path)) this.aliases.set(path, target);
    }

    /** Clips of a BBMOD model are MODEL_CLIP.bbanim; one with any other name joins `model`. */
    aliasClips(model: string) {
        const folder = model.slice(0, model.length - baseName(model).length);
        const isClip = (name: string) => extension(name) === "bbanim";
        const owners = this.names().filter((name) => extension(name) === "bbmod").map(stem);
        for (const name of this.names().filter(isClip)) {
            const isOwned = owners.some((owner) => baseName(name).startsWith(`${owner}_`));
            if (!isOwned) this.alias(`${folder}${stem(model)}_${baseName(name)}`, name);
        }
    }

    clearAliases() {
        this.aliases.clear();
    }

    // -- As the package reads files

    private all(): string[] {
        return [...this.files.keys(), ...this.aliases.keys()];
    }

    look(path: string) {
        const blob = this.blob(path);
        if (blob) return { kind: FILE, size: blob.size, number: this.numbers.get(blob)! };
        const folder = path === "" || path === "." ? "" : path.replace(/\/*$/, "/");
        const isFolder = folder === "" || this.all().some((name) => name.startsWith(folder));
        return { kind: isFolder ? FOLDER : NOTHING };
    }

    open(path: string): Opened {
        const blob = this.blob(path)!;
        const isSmall = blob.size <= WHOLE_MOST;
        return { blob, data: isSmall ? new Uint8Array(this.reader.readAsArrayBuffer(blob)) : null };
    }

    read({ blob, data }: Opened, at: number, into: Uint8Array): number {
        const part = data ? data.subarray(at, at + into.length)
            : new Uint8Array(this.reader.readAsArrayBuffer(blob.slice(at, at + into.length)));
        into.set(part);
        return part.length;
    }

    close() {}

    list(folder: string): string[] {
        const start = folder === "" || folder === "." ? "" : folder.replace(/\/*$/, "/");
        const inside = this.all().filter((name) => name.startsWith(start));
        return [...new Set(inside.map((name) => name.slice(start.length).split("/")[0]))];
    }
}
