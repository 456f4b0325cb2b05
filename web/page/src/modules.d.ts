// modules.d.ts: what TypeScript does not know by itself.
// SPDX-License-Identifier: MIT

declare module "*/npm/files.js" {
    export const NOTHING: number, FILE: number, FOLDER: number;
    export function plainPath(path: string): string;
}

declare module "*/npm/api.js" {
    export function makeTenon(load: () => Promise<ArrayBuffer | WebAssembly.Module>, diskFiles: unknown): unknown;
}

/** In workers only. */
declare class FileReaderSync {
    readAsArrayBuffer(blob: Blob): ArrayBuffer;
}
