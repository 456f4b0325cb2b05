// glb.ts: in the worker, a GLB taken apart, so that the page has nothing to cut or parse.
// SPDX-License-Identifier: MIT

import { PICTURE_EXTRAS } from "./protocol.ts";

export type Split = { json: any; views: ArrayBuffer[] };

/** The JSON of a GLB, and the bytes of each of its buffer views. */
export function splitGlb(glb: Uint8Array): Split {
    const view = new DataView(glb.buffer, glb.byteOffset, glb.byteLength), size = view.getUint32(12, true);
    const json = JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + size))), start = 28 + size;
    const views = (json.bufferViews ?? []).map(({ byteOffset = 0, byteLength }: any) =>
        glb.slice(start + byteOffset, start + byteOffset + byteLength).buffer);
    return { json, views };
}

/** Names of pictures that are not in the GLB: of images, and in extras if glTF has no place. */
export function picturesOf(json: any): string[] {
    const paths = (json.images ?? []).map((image: any) => image.uri);
    for (const { extras } of json.materials ?? [])
        for (const key of PICTURE_EXTRAS) paths.push(extras?.[key]);
    const named = paths.filter((uri: unknown) => typeof uri === "string" && !uri.startsWith("data:"));
    return [...new Set<string>(named)];
}
