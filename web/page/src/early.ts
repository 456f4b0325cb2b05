// early.ts: what does not wait for three.js: the library starts, and opens what came with the page.
// SPDX-License-Identifier: MIT

import { byId } from "./dom.ts";
import { chooseModel, packedFiles } from "./drop.ts";
import { readLink } from "./link.ts";
import type { Opened, View } from "./protocol.ts";
import { work } from "./work.ts";

/** A model that the worker opens already. */
export type Coming = { opened: Promise<Opened>; view: Promise<View> };

export let ready: Promise<void>;

/** What came with the page; null: nothing. */
export let packed: (Coming & { name: string; names: string[] }) | null = null;

export function startLibrary() {
    ready = work("start", byId("wasm").textContent!);
}

export function openPacked() {
    const files = packedFiles();
    document.body.toggleAttribute("data-empty", files.length === 0);
    document.body.toggleAttribute("data-starting", files.length > 0);
    if (files.length === 0) return;
    const names = files.map((file) => file.name), name = chooseModel(names, readLink().model);
    void work("add", [], files);
    packed = { name, names, opened: work("open", name), view: work("view", name) };
}
