// fileset.ts: in the worker, the files that were dropped, as the module reads them.
// SPDX-License-Identifier: MIT

import { FILE, FOLDER, NOTHING, plainPath } from "../../npm/files.js";
import { baseName, extension, stem } from "./text.ts";

const WHOLE_MOST = 64 << 20; // Larger files are read in pieces, not into memory.

/** A file on the disk, or one that came with the page. */
export type Source = Blob | Uint8Array<ArrayBuffer>;

type Opened = { source: Source; data: Uint8Array | null };

export function sizeOf(source: Source): number {
    return source instanceof Blob ? source.size : source.length;
}

export function blobOf(source: Source): Blob {
    return source instanceof Blob ? source : new Blob([source]);
}

/** Files by path. An alias is a second path of a file, where a model looks for it. */
export class FileSet {
    private files = new Map<string, Source>();
    private numbers = new Map<Source, number>();
    private aliases = new Map<string, string>();
    private reader = new FileReaderSync();
    size = 0; // Bytes that the next call needs, about.

    add(path: string, source: Source) {
        const plain = plainPath(path);
        this.files.set(plain, source);
        if (!this.numbers.has(source)) this.numbers.set(source, this.numbers.size + 1);
        return plain;
    }

    remove(path: string) {
        this.files.delete(path);
    }

    names(): string[] {
        return [...this.files.keys()];
    }

    source(path: string): Source | undefined {
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
        const source = this.source(path);
        if (source) return { kind: FILE, size: sizeOf(source), number: this.numbers.get(source)! };
        const folder = path === "" || path === "." ? "" : path.replace(/\/*$/, "/");
        const isFolder = folder === "" || this.all().some((name) => name.startsWith(folder));
        return { kind: isFolder ? FOLDER : NOTHING };
    }

    open(path: string): Opened {
        const source = this.source(path)!;
        if (!(source instanceof Blob)) return { source, data: source };
        const isSmall = source.size <= WHOLE_MOST;
        return { source, data: isSmall ? new Uint8Array(this.reader.readAsArrayBuffer(source)) : null };
    }

    read({ source, data }: Opened, at: number, into: Uint8Array): number {
        const part = data ? data.subarray(at, at + into.length)
            : new Uint8Array(this.reader.readAsArrayBuffer((source as Blob).slice(at, at + into.length)));
        into.set(part);
        return part.length;
    }

    /** Some bytes of a file, without its others. */
    async bytes(path: string, from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
        const source = this.source(path);
        if (!source) return new Uint8Array();
        return source instanceof Blob ? new Uint8Array(await source.slice(from, to).arrayBuffer()) : source.slice(from, to);
    }

    close() {}

    list(folder: string): string[] {
        const start = folder === "" || folder === "." ? "" : folder.replace(/\/*$/, "/");
        const inside = this.all().filter((name) => name.startsWith(start));
        return [...new Set(inside.map((name) => name.slice(start.length).split("/")[0]))];
    }
}
