// drop.ts: files that are dropped or chosen, with their folders, and those that came with the page.
// SPDX-License-Identifier: MIT

import type { Dropped } from "./protocol.ts";
import { extension } from "./text.ts";

const MODELS = /^(bbmod|bbanim|gpb|bmw|cem|cea|bplx|glb|gltf|fbx|obj)$/;
const FILES_MOST = 2000; // Of a folder.

export function isModel(name: string): boolean {
    return MODELS.test(extension(name));
}

/** Which of some files to show: that of a link, else the first model that is no clip. */
export function chooseModel(names: string[], linked?: string): string {
    const models = names.filter(isModel), alone = models.filter((name) => extension(name) !== "bbanim");
    return alone.find((name) => name === linked) ?? alone[0] ?? models[0] ?? names[0];
}

export function filesOf(list: Iterable<File>): Dropped[] {
    return [...list].map((file) => ({ name: file.webkitRelativePath || file.name, blob: file }));
}

async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
    const reader = folder.createReader(), all: FileSystemEntry[] = [];
    for (;;) {
        const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
        if (some.length === 0) return all;
        all.push(...some);
    }
}

async function collect(entry: FileSystemEntry, into: Dropped[]) {
    if (into.length >= FILES_MOST) return;
    if (entry.isDirectory) {
        for (const inside of await entriesOf(entry as FileSystemDirectoryEntry)) await collect(inside, into);
        return;
    }
    const blob = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    into.push({ name: entry.fullPath.replace(/^\/+/, ""), blob });
}

/** Everything that was dropped, folders with what is in them. */
export async function droppedFiles(data: DataTransfer): Promise<Dropped[]> {
    const entries = [...data.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => !!entry);
    if (!entries.some((entry) => entry.isDirectory)) return filesOf(data.files);
    const all: Dropped[] = [];
    for (const entry of entries) await collect(entry, all);
    return all;
}

/** Files that `tenon view` has put into the page. */
export function packedFiles(): { name: string; base64: string }[] {
    return [...document.querySelectorAll<HTMLScriptElement>("script[data-file]")].map((script) =>
        ({ name: script.dataset.file!, base64: script.textContent!.trim() }));
}
