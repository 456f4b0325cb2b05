// worker.ts: the library and the files, in a thread besides the page's.
// SPDX-License-Identifier: MIT

import { makeTenon } from "../../npm/api.js";
import type { Model, Part, Tenon } from "../../npm/index.d.ts";
import { FileSet } from "./fileset.ts";
import { nearestDistances } from "./near.ts";
import { PICTURE_EXTRAS, type Calls, type Dropped, type FontSize, type View } from "./protocol.ts";
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

async function unpack(base64: string): Promise<ArrayBuffer> {
    const stream = new Blob([decodeBase64(base64)]).stream();
    return new Response(stream.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function opened(name: string): Promise<Model> {
    if (model?.name === name) return model;
    const blob = files.blob(name);
    if (!blob) throw new Error(`there is no file '${name}'`);
    if (blob.size > SIZE_MOST)
        throw new Error(`'${name}' has ${blob.size} bytes; the page shows models of up to 500 MB. ` +
                        "The command-line tool has no such limit.");
    files.size = blob.size;
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

/** Names of pictures in a GLB, which are not in it: of images, and in extras if glTF has no place. */
function picturesOf(glb: Uint8Array): string[] {
    const view = new DataView(glb.buffer, glb.byteOffset, glb.byteLength);
    const json = JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + view.getUint32(12, true))));
    const paths = (json.images ?? []).map((image: any) => image.uri);
    for (const { extras } of json.materials ?? [])
        for (const key of PICTURE_EXTRAS) paths.push(extras?.[key]);
    const named = paths.filter((uri: unknown) => typeof uri === "string" && !uri.startsWith("data:"));
    return [...new Set<string>(named)];
}

function transferable(bytes: Uint8Array): ArrayBuffer {
    const isAll = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength;
    return (isAll ? bytes : bytes.slice()).buffer as ArrayBuffer;
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

async function viewOf(one: Model, name: string, isDamaged: boolean): Promise<View> {
    const output = `${stem(name)} (shown).glb`;
    const result = isDamaged ? await one.salvage({ to: "glb", name: output })
        : await one.convert("glb", { textures: "keep", name: output });
    const glb = result.files[0].data;
    const wanted = picturesOf(glb), pictures: View["pictures"] = [], missing: string[] = [];
    // Those that glTF cannot refer to were converted, and are beside the result.
    const made = new Map(result.files.slice(1).map((file) =>
        [file.name, new Blob([file.data as Uint8Array<ArrayBuffer>])]));
    for (const path of wanted) {
        const found = lookUp(path, name), blob = made.get(decoded(path)) ?? (found && files.blob(found));
        if (blob) pictures.push({ path, blob });
        else missing.push(path);
    }
    return { glb: transferable(glb), losses: result.losses, isSalvaged: isDamaged, pictures,
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
        tenon = makeTenon(() => unpack(wasm), diskFiles) as unknown as Tenon;
        return { version: await tenon.version(), formats: await tenon.formats(),
                 rules: await tenon.rules() };
    },

    add(dropped: Dropped[], packed) {
        model = null;
        const data = packed.map(({ name, base64 }) =>
            ({ name, blob: new Blob([decodeBase64(base64)]) }));
        return [...dropped, ...data].map(({ name, blob }) => files.add(name, blob));
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
        return { name, size: files.blob(name)!.size, info: fault ? null : model.info(), fault: plain };
    },

    async view(name, isDamaged) {
        return viewOf(await opened(name), name, isDamaged);
    },

    async viewOther(name) {
        const other = await opened(name);
        return viewOf(other, name, other.fault !== undefined);
    },

    distances(points, others) {
        return nearestDistances(points, others);
    },

    async fonts(name) {
        const value = (path: string) => map.parts.find((part) => part.path === path)?.value;
        const blob = files.blob(name)!, found: FontSize[] = [];
        for (const { path, offset, size } of map.parts.filter((part) => part.path.endsWith(".texels"))) {
            const base = path.slice(0, -".texels".length), width = Number(value(`${base}.width`));
            const height = Number(value(`${base}.height`)), glyphs = map.parts.find((part) => part.path === `${base}.glyphs`);
            if (!glyphs?.stride || !(width * height > 0) || width * height > size) continue;
            const bytes = async (at: number, length: number) => blob.slice(at, at + length).arrayBuffer();
            const records = new DataView(await bytes(glyphs.offset, glyphs.size)), { stride } = glyphs;
            const codes = Array.from({ length: glyphs.count ?? 0 }, (_, k) => records.getUint32(k * stride, true));
            const family = value(base.replace(/\.sizes\[\d+\]$/, ".family"));
            found.push({ title: `${family ?? "font"} ${value(`${base}.size`) ?? ""}`, offset, width, height,
                         texels: new Uint8Array(await bytes(offset, width * height)), glyphs: codes });
        }
        return found;
    },

    async check(name) {
        return (await opened(name)).check();
    },

    async tree(name) {
        return (await opened(name)).tree();
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

    async bytes(name, from, to) {
        const blob = files.blob(name);
        return blob ? new Uint8Array(await blob.slice(from, to).arrayBuffer()) : new Uint8Array();
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
};

function buffersOf(result: any): Transferable[] {
    if (result?.glb) return [result.glb];
    if (ArrayBuffer.isView(result)) return [result.buffer as ArrayBuffer];
    return (result?.files ?? []).map((file: any) => file.data?.buffer).filter(Boolean);
}

let queue: Promise<unknown> = Promise.resolve(); // One call after the other, in their order.

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
