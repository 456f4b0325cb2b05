// worker.ts: the library and the files, in a thread besides the page's.
// SPDX-License-Identifier: MIT

import { makeTenon } from "../../npm/api.js";
import type { Model, Part, Tenon } from "../../npm/index.d.ts";
import { blobOf, FileSet, sizeOf } from "./fileset.ts";
import { nearestDistances } from "./near.ts";
import { picturesOf, splitGlb } from "./glb.ts";
import type { Calls, Dropped, FontSize, View } from "./protocol.ts";
import { baseName, extension, stem } from "./text.ts";

const SIZE_MOST = 500e6;
const PICTURE = /^(png|jpe?g|dds|tga|webp|bmp|gif)$/;

const files = new FileSet();
let tenon: Tenon;
let model: Model | null = null; // The one that was opened last.
let map: { name: string; parts: Part[] } = { name: "", parts: [] };

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
    const fast = (Uint8Array as any).fromBase64;
    if (fast) return fast.call(Uint8Array, text);
    const binary = atob(text), bytes = new Uint8Array(binary.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

async function compile(base64: string): Promise<WebAssembly.Module> {
    const gzip = new DecompressionStream("gzip"), writer = gzip.writable.getWriter();
    void writer.write(decodeBase64(base64));
    void writer.close();
    // Functions are compiled when they are called first: this is no long work.
    return new WebAssembly.Module(await new Response(gzip.readable).arrayBuffer());
}

async function opened(name: string): Promise<Model> {
    if (model?.name === name) return model;
    const source = files.source(name);
    if (!source) throw new Error(`there is no file '${name}'`);
    const size = sizeOf(source);
    if (size > SIZE_MOST)
        throw new Error(`'${name}' has ${size} bytes; the page shows models of up to 500 MB. ` +
                        "The command-line tool has no such limit.");
    files.size = size;
    return tenon.openFile(name, { damaged: true });
}

/** Files that a model looks for elsewhere than where they were dropped: the same name is enough. */
async function join(name: string): Promise<Model> {
    files.clearAliases();
    if (extension(name) === "bbmod") files.aliasClips(name);
    const folder = name.slice(0, name.length - baseName(name).length);
    const first = await opened(name);
    let isJoined = false;
    if (first.fault) return first;
    for (const { texture, texture_state } of first.info().material_list) {
        if (typeof texture !== "string" || texture_state !== "missing") continue;
        const found = files.find(texture);
        if (!found) continue;
        files.alias(folder + texture.replaceAll("\\", "/"), found);
        isJoined = true;
    }
    if (!isJoined) return first;
    model = null;
    return opened(name);
}

function decoded(uri: string): string {
    try {
        return decodeURIComponent(uri);
    } catch {
        return uri; // Then it is meant as it is.
    }
}

function lookUp(uri: string, name: string): string | undefined {
    const path = decoded(uri);
    const folder = name.slice(0, name.length - baseName(name).length);
    const found = files.find(folder + path) ?? files.find(path);
    // Beowolf has .dds where a model names .png.
    return found ?? files.names().find((one) => stem(one) === stem(path) && PICTURE.test(extension(one)));
}

async function viewOf(one: Model, name: string): Promise<View> {
    const isDamaged = one.fault !== undefined;
    const output = `${stem(name)} (shown).glb`;
    const result = isDamaged ? await one.salvage({ to: "glb", name: output })
        : await one.convert("glb", { textures: "keep", name: output });
    const split = splitGlb(result.files[0].data);
    const wanted = picturesOf(split.json), pictures: View["pictures"] = [], missing: string[] = [];
    // Those that glTF cannot refer to were converted, and are beside the result.
    const made = new Map(result.files.slice(1).map((file) =>
        [file.name, new Blob([file.data as Uint8Array<ArrayBuffer>])]));
    for (const path of wanted) {
        const found = lookUp(path, name), source = found && files.source(found);
        const blob = made.get(decoded(path)) ?? (source && blobOf(source));
        if (blob) pictures.push({ path, blob });
        else missing.push(path);
    }
    return { ...split, losses: result.losses, isSalvaged: isDamaged, pictures,
             missing, hasDdsFromBottom: extension(name) === "bmw" };
}

function indexAt(parts: Part[], offset: number): number {
    let low = 0, high = parts.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (parts[middle].offset <= offset) low = middle + 1;
        else high = middle;
    }
    // Parts without bytes share the offset of what follows them.
    let index = low - 1;
    while (index > 0 && parts[index].size === 0) index--;
    return index;
}

const calls: { [K in keyof Calls]: (...args: Parameters<Calls[K]>) =>
    Promise<ReturnType<Calls[K]>> | ReturnType<Calls[K]> } = {
    async start(wasm) {
        const diskFiles = (name: string) => ({ files, name });
        tenon = makeTenon(() => compile(wasm), diskFiles) as unknown as Tenon;
        await tenon.formats();
    },

    async about() {
        return { version: await tenon.version(), formats: await tenon.formats(),
                 rules: await tenon.rules() };
    },

    add(dropped: Dropped[], packed) {
        model = null;
        return [...dropped.map(({ name, blob }) => files.add(name, blob)),
                ...packed.map(({ name, base64 }) => files.add(name, decodeBase64(base64)))];
    },

    remove(names) {
        model = null;
        for (const name of names) files.remove(name);
        return files.names();
    },

    async open(name) {
        model = null;
        model = await join(name);
        const { fault } = model;
        const plain = fault ? { ...fault, message: fault.message } : null;
        return { name, size: sizeOf(files.source(name)!), info: fault ? null : model.info(), fault: plain };
    },

    async view(name) {
        return viewOf(await opened(name), name);
    },

    distances(points, others) {
        return nearestDistances(points, others);
    },

    async fonts(name) {
        const value = (path: string) => map.parts.find((part) => part.path === path)?.value;
        const found: FontSize[] = [];
        for (const { path, offset, size } of map.parts.filter((part) => part.path.endsWith(".texels"))) {
            const base = path.slice(0, -".texels".length), width = Number(value(`${base}.width`));
            const height = Number(value(`${base}.height`)), glyphs = map.parts.find((part) => part.path === `${base}.glyphs`);
            if (!glyphs?.stride || !(width * height > 0) || width * height > size) continue;
            const table = await files.bytes(name, glyphs.offset, glyphs.offset + glyphs.size);
            const records = new DataView(table.buffer), { stride } = glyphs;
            const codes = Array.from({ length: glyphs.count ?? 0 }, (_, k) => records.getUint32(k * stride, true));
            const family = value(base.replace(/\.sizes\[\d+\]$/, ".family"));
            found.push({ title: `${family ?? "font"} ${value(`${base}.size`) ?? ""}`, offset, width, height,
                         texels: await files.bytes(name, offset, offset + width * height), glyphs: codes });
        }
        return found;
    },

    async check(name) {
        return (await opened(name)).check();
    },

    async tree(name) {
        const one = await opened(name);
        if (!one.fault) return one.tree();
        const { files: [{ data }] } = await one.salvage({ to: "glb" });
        return (await tenon.open({ name: "shown.glb", data })).tree();
    },

    async map(name) {
        const { parts, fault } = await (await opened(name)).map();
        map = { name, parts };
        return { count: parts.length, fault: fault ?? null };
    },

    parts(from, to) {
        return map.parts.slice(from, to);
    },

    partAt(offset) {
        return indexAt(map.parts, offset);
    },

    async cellAt(name, offset) {
        const { parts } = await (await opened(name)).map({ from: offset, to: offset + 1, cells: true });
        return parts.findLast((part) => part.offset <= offset && offset < part.offset + part.size) ?? null;
    },

    search(text, from) {
        const wanted = text.toLowerCase(), all = map.parts;
        for (let i = 0; i < all.length; i++) {
            const index = (from + i) % all.length, { path, value } = all[index];
            if (path.toLowerCase().includes(wanted)) return index;
            if (typeof value === "string" && value.toLowerCase().includes(wanted)) return index;
        }
        return -1;
    },

    /** The part with that path, or the array that the path leads into. */
    locate(path) {
        for (let wanted = path; wanted !== "";) {
            const index = map.parts.findIndex((part) => part.path === wanted);
            const inside = index >= 0 ? index
                : map.parts.findIndex((part) => part.path.startsWith(`${wanted}.`) ||
                                                part.path.startsWith(`${wanted}[`));
            if (inside >= 0) {
                const { offset, size } = map.parts[inside];
                return { index: inside, offset, size };
            }
            const cut = Math.max(wanted.lastIndexOf("."), wanted.lastIndexOf("["));
            wanted = wanted.slice(0, Math.max(cut, 0));
        }
        return null;
    },

    bytes(name, from, to) {
        return files.bytes(name, from, to);
    },

    async convert(name, format, options) {
        return (await opened(name)).convert(format, options);
    },

    async salvage(name, format) {
        return (await opened(name)).salvage({ to: format });
    },

    async verify(a, b) {
        return (await opened(a)).verify(await tenon.openFile(b));
    },

    async diff(a, b) {
        return (await opened(a)).diff(await tenon.openFile(b));
    },

    async trace(name, node, primitive, triangle) {
        return (await opened(name)).trace(node, primitive, triangle);
    },

    async traceBack(name, offset) {
        return (await opened(name)).traceBack(offset);
    },
};

function buffersOf(result: any): Transferable[] {
    if (result?.views) return result.views;
    if (ArrayBuffer.isView(result)) return [result.buffer as ArrayBuffer];
    return (result?.files ?? []).map((file: any) => file.data?.buffer).filter(Boolean);
}

let queue: Promise<unknown> = Promise.resolve(); // One call after the other, in their order.

addEventListener("message", () => postMessage({ id: 0 }), { once: true });
addEventListener("message", ({ data: { id, name, args } }) => {
    queue = queue.then(async () => {
        try {
            const result = await (calls as any)[name](...args);
            postMessage({ id, result }, { transfer: buffersOf(result) });
        } catch (error: any) {
            postMessage({ id, error: { ...error, message: String(error?.message ?? error) } });
        }
    });
});
