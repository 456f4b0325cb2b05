// disk.js: the files of a folder, for Node: read when they are needed, straight into the module.
// SPDX-License-Identifier: MIT

import { closeSync, openSync, readSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";

import { FAILED, FILE, FOLDER, NOTHING } from "./files.js";

class DiskFiles {
    constructor(folder, model) {
        this.folder = folder;
        this.model = model;
    }

    look(path) {
        const full = join(this.folder, path);
        try {
            const found = statSync(full);
            if (found.isDirectory()) return { kind: FOLDER };
            if (!found.isFile()) return { kind: FAILED };
            if (path !== this.model && !this.isInside(full)) return { kind: NOTHING };
            return { kind: FILE, size: found.size, number: found.ino };
        } catch (error) {
            return { kind: /^(ENOENT|ENOTDIR)$/.test(error.code) ? NOTHING : FAILED };
        }
    }

    get size() {
        return this.look(this.model).size ?? 0;
    }

    // Links of sidecars that lead out of the folder are not there.
    isInside(full) {
        try {
            const way = relative(realpathSync(this.folder), realpathSync(full));
            return way.split(sep)[0] !== ".." && !isAbsolute(way);
        } catch {
            return false;
        }
    }

    open(path) {
        return openSync(join(this.folder, path), "r");
    }

    read(file, at, into) {
        return readSync(file, into, 0, into.length, at);
    }

    close(file) {
        closeSync(file);
    }

    list(folder) {
        try {
            const full = join(this.folder, folder);
            return readdirSync(full, { withFileTypes: true })
                .filter((entry) => !entry.isSymbolicLink() || this.isInside(join(full, entry.name)))
                .map((entry) => entry.name);
        } catch {
            return null;
        }
    }
}

export function diskFiles(path) {
    const name = basename(path);
    return { files: new DiskFiles(dirname(path), name), name };
}
