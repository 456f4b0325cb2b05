// protocol.ts: what the page asks the worker, and what it gets.
// SPDX-License-Identifier: MIT

import type {
    CheckResult, ConvertOptions, DiffResult, Fault, FileOutput, Format, Info, Loss, Part, Rule,
    TraceBackResult, TraceResult, TreeNode, VerifyResult,
} from "../../npm/index.d.ts";

/** A file with its path. */
export type Dropped = { name: string; blob: Blob };

export type Opened = {
    name: string;
    size: number;
    info: Info | null;
    fault: Fault | null; // Why the file could not be read to its end.
};

/** What is shown: the model as GLB. */
export type View = {
    json: unknown; // Of the GLB.
    views: ArrayBuffer[]; // Its buffer views.
    losses: Loss[];
    isSalvaged: boolean;
    pictures: { path: string; blob: Blob }[]; // Those beside the model that it names.
    missing: string[];
    hasDdsFromBottom: boolean; // As Beowolf reads them.
};

/** Parts of a map; `values` of a record or array are not in it. */
// Members of a material's extras that name a picture which was missing.
export const PICTURE_EXTRAS = ["baseColorTexture", "normalTexture", "emissiveTexture", "occlusionTexture",
                               "metallicRoughnessTexture"] as const;

/** The glyphs of a font at one size. */
export type FontSize = { title: string; offset: number; width: number; height: number; texels: Uint8Array; glyphs: number[] };

export type MapSummary = { count: number; fault: Fault | null };

export type Converted = { files: FileOutput[]; losses: Loss[]; verify?: VerifyResult };

export type Calls = {
    start: (wasm: string) => void; // The module, compressed, as base64.
    about: () => { version: string; formats: Format[]; rules: Rule[] };
    add: (files: Dropped[], packed: { name: string; base64: string }[]) => string[];
    remove: (names: string[]) => string[];
    open: (name: string) => Opened;
    view: (name: string) => View;
    distances: (points: Float32Array, others: Float32Array) => Float32Array;
    fonts: (name: string) => FontSize[]; // Of the file that was mapped.
    check: (name: string) => CheckResult;
    tree: (name: string) => TreeNode[];
    map: (name: string) => MapSummary;
    parts: (from: number, to: number) => Part[];
    partAt: (offset: number) => number;
    cellAt: (name: string, offset: number) => Part | null;
    search: (text: string, from: number) => number;
    locate: (path: string) => { index: number; offset: number; size: number } | null;
    bytes: (name: string, from: number, to: number) => Uint8Array;
    convert: (name: string, format: string, options: ConvertOptions) => Converted;
    salvage: (name: string, format: string) => Converted;
    verify: (a: string, b: string) => VerifyResult;
    diff: (a: string, b: string) => DiffResult;
    trace: (name: string, node: number, primitive: number, triangle: number) => TraceResult;
    traceBack: (name: string, offset: number) => TraceBackResult;
};
