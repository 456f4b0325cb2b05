// picture.ts: textures from the bytes of pictures.
// SPDX-License-Identifier: MIT

import { DataTexture, RGBAFormat, SRGBColorSpace, Texture, UnsignedByteType } from "three";

type Pixels = { width: number; height: number; data: Uint8Array<ArrayBuffer> };

/** A picture as a texture with rows from the top, as glTF has them; null if it cannot be read.
 *  `isFromBottom`: a DDS file has its rows the other way. */
export async function textureOf(blob: Blob, isFromBottom = false): Promise<Texture | null> {
    const head = new Uint8Array(await blob.slice(0, 4).arrayBuffer());
    const isDds = String.fromCharCode(...head) === "DDS ";
    const pixels = isDds ? readDds(await blob.arrayBuffer())
        : await bitmapOf(blob) ?? readTga(new Uint8Array(await blob.arrayBuffer()));
    if (!pixels) return null;
    if (!("data" in pixels)) {
        const texture = new Texture(pixels as ImageBitmap);
        texture.flipY = false;
        texture.needsUpdate = true;
        return texture;
    }
    const { data, width, height } = pixels;
    for (let y = 0; isDds && isFromBottom && 2 * y < height - 1; y++) {
        const upper = 4 * width * y, lower = 4 * width * (height - 1 - y), row = data.slice(upper, upper + 4 * width);
        data.copyWithin(upper, lower, lower + 4 * width);
        data.set(row, lower);
    }
    const texture = new DataTexture(data, width, height, RGBAFormat, UnsignedByteType);
    texture.colorSpace = SRGBColorSpace;
    texture.generateMipmaps = true;
    texture.needsUpdate = true;
    return texture;
}

async function bitmapOf(blob: Blob): Promise<ImageBitmap | null> {
    try {
        return await createImageBitmap(blob, { colorSpaceConversion: "none", premultiplyAlpha: "none" });
    } catch {
        return null;
    }
}

// -- DDS: uncompressed, and the block formats BC1 to BC3

export function readDds(buffer: ArrayBuffer): Pixels | null {
    if (buffer.byteLength < 128) return null;
    const view = new DataView(buffer), word = (at: number) => view.getUint32(at, true);
    const height = word(12), width = word(16), flags = word(80);
    const fourcc = String.fromCharCode(...new Uint8Array(buffer, 84, 4));
    if (width * height === 0 || width * height > 1 << 26) return null;
    const data = new Uint8Array(4 * width * height);
    if (flags & 4) {
        const kind = ["DXT1", "DXT3", "DXT5"].indexOf(fourcc);
        const size = Math.ceil(width / 4) * Math.ceil(height / 4) * (kind === 0 ? 8 : 16);
        if (kind < 0 || buffer.byteLength < 128 + size) return null;
        readBlocks(new Uint8Array(buffer, 128), kind, width, height, data);
        return { width, height, data };
    }
    const step = word(88) / 8, masks = [word(92), word(96), word(100), word(104)];
    if (![1, 2, 3, 4].includes(step) || buffer.byteLength < 128 + step * width * height) return null;
    const bytes = new Uint8Array(buffer, 128);
    for (let i = 0; i < width * height; i++) {
        let value = 0;
        for (let k = 0; k < step; k++) value += bytes[i * step + k] * 2 ** (8 * k);
        for (let k = 0; k < 4; k++) {
            const mask = masks[k] >>> 0;
            const low = mask & -mask, most = mask && Math.floor(mask / (low >>> 0));
            data[4 * i + k] = mask ? Math.round((((value & mask) >>> 0) / (low >>> 0) / most) * 255)
                : k === 3 ? 255 : data[4 * i];
        }
    }
    return { width, height, data };
}

function readBlocks(bytes: Uint8Array, kind: number, width: number, height: number, out: Uint8Array) {
    const size = kind === 0 ? 8 : 16, across = Math.ceil(width / 4);
    for (let block = 0; block < across * Math.ceil(height / 4); block++) {
        const at = block * size, color = at + size - 8;
        const ends = [bytes[color] | bytes[color + 1] << 8, bytes[color + 2] | bytes[color + 3] << 8];
        const [a, b] = ends.map((c) => [(c >> 11) * 255 / 31, (c >> 5 & 63) * 255 / 63, (c & 31) * 255 / 31]);
        const isFour = kind > 0 || ends[0] > ends[1];
        const mix = (s: number, t: number) => a.map((v, k) => (v * s + b[k] * t) / (s + t));
        const colors = isFour ? [a, b, mix(2, 1), mix(1, 2)] : [a, b, mix(1, 1), [0, 0, 0]];
        const alphas = kind === 2 ? alphaRamp(bytes[at], bytes[at + 1]) : [];
        for (let i = 0; i < 16; i++) {
            const x = (block % across) * 4 + (i % 4), y = Math.floor(block / across) * 4 + (i >> 2);
            if (x >= width || y >= height) continue;
            const which = bytes[color + 4 + (i >> 2)] >> (2 * (i % 4)) & 3;
            let alpha = !isFour && which === 3 ? 0 : 255;
            if (kind === 1) alpha = (bytes[at + (i >> 1)] >> (4 * (i % 2)) & 15) * 17;
            if (kind === 2) {
                const bit = 3 * i, low = at + 2 + (bit >> 3);
                alpha = alphas[(bytes[low] | bytes[low + 1] << 8) >> (bit & 7) & 7];
            }
            out.set([...colors[which].map(Math.round), Math.round(alpha)], 4 * (y * width + x));
        }
    }
}

function alphaRamp(a: number, b: number): number[] {
    const steps = a > b ? 7 : 5, ramp = [a, b];
    for (let i = 1; i < steps; i++) ramp.push((a * (steps - i) + b * i) / steps);
    return a > b ? ramp : [...ramp, 0, 255];
}

// -- TGA: true color and gray, plain and packed

export function readTga(bytes: Uint8Array): Pixels | null {
    const kind = bytes[2], width = bytes[12] | bytes[13] << 8, height = bytes[14] | bytes[15] << 8;
    const step = bytes[16] / 8, isPacked = kind === 10 || kind === 11, isGray = kind === 3 || kind === 11;
    const isKnown = (kind === 2 || kind === 10) && (step === 3 || step === 4) || isGray && step === 1;
    if (bytes.length < 18 || !isKnown || bytes[1] !== 0 || width * height === 0) return null;
    const data = new Uint8Array(4 * width * height), isFromTop = (bytes[17] & 32) !== 0;
    let at = 18 + bytes[0];
    const put = (i: number, from: number) => {
        const row = Math.floor(i / width), y = isFromTop ? row : height - 1 - row;
        const [b, g, r] = isGray ? [0, 0, 0] : [0, 1, 2];
        const alpha = step === 4 ? bytes[from + 3] : 255;
        data.set([bytes[from + r], bytes[from + g], bytes[from + b], alpha], 4 * (y * width + i % width));
    };
    for (let i = 0; i < width * height && at < bytes.length;) {
        const head = isPacked ? bytes[at++] : 127, isRun = isPacked && head >= 128;
        for (let k = 0; k <= (head & 127) && i < width * height; k++, i++) {
            put(i, at);
            if (!isRun) at += step;
        }
        if (isRun) at += step;
    }
    return { width, height, data };
}
