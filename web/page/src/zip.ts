// zip.ts: an archive of files, stored as they are.
// SPDX-License-Identifier: MIT

import type { FileOutput } from "../../npm/index.d.ts";

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
    let value = n;
    for (let k = 0; k < 8; k++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
    return value;
});

function crc32(bytes: Uint8Array): number {
    let value = 0xffffffff;
    for (let i = 0; i < bytes.length; i++) value = TABLE[(value ^ bytes[i]) & 255] ^ (value >>> 8);
    return (value ^ 0xffffffff) >>> 0;
}

function record(signature: number, sizes: number[], numbers: number[]): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(4 + sizes.reduce((sum, size) => sum + size, 0)), view = new DataView(bytes.buffer);
    view.setUint32(0, signature, true);
    numbers.reduce((at, number, index) => {
        if (sizes[index] === 2) view.setUint16(at, number, true);
        else view.setUint32(at, number, true);
        return at + sizes[index];
    }, 4);
    return bytes;
}

/** Names are UTF-8. The date is always 1980, so that the same files give the same archive. */
export function zip(files: FileOutput[]): Blob {
    const parts: BlobPart[] = [], directory: Uint8Array<ArrayBuffer>[] = [];
    let at = 0;
    for (const { name, data } of files) {
        const path = new TextEncoder().encode(name), sum = crc32(data);
        const common = [20, 0x800, 0, 0, 33, sum, data.length, data.length, path.length, 0];
        const sizes = [2, 2, 2, 2, 2, 4, 4, 4, 2, 2];
        const head = record(0x04034b50, sizes, common);
        directory.push(record(0x02014b50, [2, ...sizes, 2, 2, 2, 4, 4], [20, ...common, 0, 0, 0, 0, at]), path);
        parts.push(head, path, data as Uint8Array<ArrayBuffer>);
        at += head.length + path.length + data.length;
    }
    const size = directory.reduce((sum, one) => sum + one.length, 0);
    const end = record(0x06054b50, [2, 2, 2, 2, 4, 4, 2], [0, 0, files.length, files.length, size, at, 0]);
    return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

/** Let the browser save bytes as a file. */
export function save(name: string, blob: Blob) {
    const link = document.createElement("a"), url = URL.createObjectURL(blob);
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
}

export function saveFiles(name: string, files: FileOutput[]) {
    if (files.length === 1) save(files[0].name, new Blob([files[0].data as Uint8Array<ArrayBuffer>]));
    else save(`${name}.zip`, zip(files));
}
