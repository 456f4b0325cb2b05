// index.d.ts: what the package `tenon` provides. README.md has examples.
// SPDX-License-Identifier: MIT

/** A file of a model. `name` is its path, relative, with '/': sidecars are found as in a folder. */
export interface FileInput {
    name: string;
    /** Used, not copied, until the model is closed: do not change it. */
    data: Uint8Array | ArrayBuffer | Blob;
}

/** A file that was made. */
export interface FileOutput {
    name: string;
    data: Uint8Array;
}

/** Of every call that does work. */
export interface CallOptions {
    /** Cancels the call: it is looked at whenever progress is made. */
    signal?: AbortSignal;
    /** Called while a call works, with parts of the work. */
    onProgress?: (done: number, total: number) => void;
    /** What the call may cost, in bytes and steps, instead of what the size of the files allows. */
    limits?: { memory?: number; output?: number; work?: number };
}

export interface OpenOptions extends CallOptions {
    /** Read the model as this format, for example "gpb" or "gpb:1.4"; else it is found by content. */
    from?: string;
    /** Also compute for `info()` what requires visiting every vertex, such as missing bounds. */
    full?: boolean;
    /** Open a damaged file as well, for `map()` and `salvage()`; `fault` says what is wrong. */
    damaged?: boolean;
}

/** The word for why a call failed. "trap" is a fault of the module, which ends only this call. */
export type ErrorCode =
    | "memory" | "limit" | "truncated" | "format" | "ambiguous" | "version" | "value" | "trailing"
    | "unsupported" | "cancelled" | "exists" | "io" | "trap" | "usage";

export class TenonError extends Error {
    code: ErrorCode;
    /** The file that was read. */
    file?: string;
    /** The first byte of the field at fault. */
    offset?: number;
    /** Of a text, from 1. */
    line?: number;
    column?: number;
    /** The field, for example "meshes[2].vertices". */
    path?: string;
    /** A fact that helps. */
    note?: string;
    /** What was lost until the call failed. */
    losses?: Loss[];
}

/** Text of a file; its bytes, if it is not UTF-8. */
export type FileText = string | { hex: string };

export interface Info {
    file: string;
    format: string;
    version: string;
    dialect: string;
    /** Another dialect that fits just as well. */
    also?: string;
    size: number;
    meshes?: number;
    vertices?: number;
    triangles?: number;
    nodes?: number;
    joints?: number;
    animations?: number;
    channels?: number;
    frames?: number;
    materials?: number;
    fonts?: number;
    font_sizes?: number;
    bounds?: { min: [number, number, number]; max: [number, number, number] };
    clips: {
        name: FileText;
        seconds?: number;
        channels?: number;
        frames?: number;
        loop?: boolean;
        hold?: boolean;
    }[];
    /** Clips of a BBMOD model, each in a file of its own. */
    clip_files?: { name: FileText; file: string }[];
    material_list: {
        name: FileText;
        texture?: FileText;
        texture_state?: "found" | "missing" | "outside";
    }[];
    facts: { label: string; text: string }[];
    /** Bytes after the end of the model. */
    trailing?: number;
}

export interface Finding {
    /** Stable, for example "bplx/index-range". */
    rule: string;
    severity: "error" | "warning" | "info";
    path: string;
    offset?: number;
    message: string;
    fix?: string;
    /** On the last finding of a rule: how many more there are. */
    more?: number;
}

export interface CheckResult {
    file: string;
    format: string;
    version: string;
    dialect: string;
    size: number;
    errors: number;
    warnings: number;
    infos: number;
    findings: Finding[];
}

export interface CheckOptions extends CallOptions {
    /** Also check the limits of this engine, for example "bbmod". */
    profile?: string;
    /** Findings that are listed for each rule (20). */
    maxPerRule?: number;
}

/** One field of a file. */
export interface Part {
    offset: number;
    size: number;
    type: string;
    path: string;
    count?: number;
    kind?: "inferred" | "kept" | "rest";
    value?: unknown;
    stride?: number;
    elements?: { name: string; type: string; count: number; rows?: number; offset: number }[];
    tail?: { name: string; count: string; stride: number; elements: Part["elements"] };
}

export interface MapOptions extends CallOptions {
    /** Only parts with bytes from here (0) */
    from?: number;
    /** to here, exclusive (the end of the file). */
    to?: number;
    /** Every number of every array, in place of the arrays. */
    cells?: boolean;
}

export interface MapResult {
    parts: Part[];
    /** Why the file could not be read to its end. */
    fault?: Fault;
}

export interface Fault {
    code: ErrorCode;
    message: string;
    offset?: number;
    line?: number;
    column?: number;
    path?: string;
    note?: string;
}

export interface TreeNode {
    name: FileText;
    /** 0 for a root. */
    depth: number;
    kind: string;
    /** What it carries, such as "camera, 2 meshes". */
    what?: string;
}

/** Where something is in a file. */
export interface Place {
    path: string;
    /** Absent if it is in no bytes of this file. */
    offset?: number;
    size?: number;
}

export interface TraceResult {
    /** What says which vertices the triangle has. */
    triangle: Place;
    /** Its vertices; of several arrays that with the positions. */
    corners: [Place, Place, Place];
}

/** What a byte of a file is in the model. */
export interface TraceBackResult {
    node: number;
    primitive: number;
    triangle: number;
    /** Which of its vertices, 0 to 2; none: the byte says which vertices the triangle has. */
    corner?: number;
}

export interface Loss {
    kind: "dropped" | "approximated" | "defaulted" | "synthesized";
    feature: string;
    count: number;
    why: string;
    path?: string;
    /** The largest, measured, as a fraction of the model's diagonal. */
    error?: number;
}

export interface ConvertOptions extends CallOptions {
    /** Of the file that is written; its sidecars are named after it (the model's, with the
     *  extension of the format). */
    name?: string;
    /** What becomes of pictures: "keep" names them as they are, "embed" stores them in the file,
     *  "copy" writes them beside it. Usually "keep"; .glb files embed. */
    textures?: "keep" | "embed" | "copy";
    /** Of sampled curves, as a fraction of the diagonal (1e-4). */
    tolerance?: number;
    /** Frames or ticks per second. */
    rate?: number;
    /** Multiply all lengths (1). */
    scale?: number;
    /** Fail if something would be dropped or approximated. */
    strict?: boolean;
    /** glTF: store vertices as integers of 8 and 16 bits (KHR_mesh_quantization). */
    quantize?: boolean;
    /** GPB: how animations are grouped. */
    grouping?: "clips" | "nodes" | "encoder";
    /** FBX: "meters", or "keep" the numbers of the file (as the engine of the target expects). */
    units?: "keep" | "meters";
    /** FBX: keep the time before the first key of clips. */
    keepLeadIn?: boolean;
    /** OBJ: the pose at `seconds` of this clip, instead of the rest pose. */
    clip?: string;
    seconds?: number;
    /** Write material files beside the output (true). */
    materials?: boolean;
    /** Names of sidecars start with the name of the model (true). */
    prefix?: boolean;
    /** Compare the result with the model, in all poses. */
    verify?: boolean;
}

export interface ConvertResult {
    format: string;
    /** If the format is that of the model. */
    dialect?: string;
    /** The model, then its sidecars. What is beside the model with the same bytes is left out. */
    files: FileOutput[];
    losses: Loss[];
    /** With the option of that name. */
    verify?: VerifyResult;
}

export interface VerifyOptions extends CallOptions {
    /** The largest distance, as a fraction of the diagonal (1e-4). */
    tolerance?: number;
    /** Times of each clip besides its keys (16). */
    samples?: number;
    /** Only this clip. */
    clip?: string;
    /** Only the rest pose. */
    rest?: boolean;
}

export interface VerifyResult {
    verdict: "verified" | "not within tolerance" | "different" | "not verified";
    scope: "all" | "rest" | "pose";
    largest: number | "inf";
    rms: number | "inf";
    diagonal: number;
    /** "node": neither model has geometry, so their nodes are compared. */
    mode: "corner" | "surface" | "node";
    matched: number;
    reversed: number;
    surface: number;
    clips: number;
    missing_clips: number;
    extra_clips: number;
    missing_meshes: number;
    /** With mode "node". */
    missing_nodes?: number;
    [more: string]: unknown;
}

export interface DiffResult {
    /** Of all differences, those of `more` included. */
    count: number;
    differences: {
        kind: string;
        path: string;
        a?: string;
        b?: string;
        amount?: number;
        more?: number;
    }[];
}

export interface SalvageOptions extends CallOptions {
    /** Of the file that is written (the model's). */
    name?: string;
    /** Its format, for example "glb" (the model's). */
    to?: string;
}

export interface SalvageResult {
    format: string;
    dialect?: string;
    /** Why the file could not be read to its end; absent, if only its contents are damaged. */
    fault?: Fault;
    /** Errors that `check()` finds in a file that could be read. */
    errors: number;
    cuts: { path: string; offset: number; kept: number; stated: number }[];
    losses: Loss[];
    files: FileOutput[];
}

export interface RenderOptions extends CallOptions {
    /** Of the picture (the model's, with .png). */
    name?: string;
    /** In pixels (512). */
    width?: number;
    height?: number;
    /** Where it is seen from, in degrees: to the right of the front (35) and above (20). */
    azimuth?: number;
    elevation?: number;
    /** "none" is transparent ("#b4bdc8"). */
    background?: string;
    style?: "shaded" | "normals" | "uv" | "colors" | "wireframe";
    /** Also draw joints, and the lines between them. */
    bones?: boolean;
    /** Load textures (true). JPEG files are not. */
    textures?: boolean;
    /** The pose at `seconds` of this clip, instead of the rest pose. */
    clip?: string;
    seconds?: number;
}

export interface RenderResult {
    /** A PNG file. */
    files: FileOutput[];
    /** Textures that cannot be drawn. */
    losses: Loss[];
}

/** A model and the files beside it. Nothing has to be closed for the sake of memory: a model holds
 *  no more than its files. */
export interface Model {
    readonly name: string;
    /** Why a file that was opened with `damaged` could not be read. */
    readonly fault?: TenonError;
    /** What is in it. Throws `fault`, if there is one. */
    info(): Info;
    /** Everything that breaks a rule of the format. */
    check(options?: CheckOptions): Promise<CheckResult>;
    /** The fields of the file, in the order of its bytes. */
    map(options?: MapOptions): Promise<MapResult>;
    /** Its nodes, joints or bones, each after its parent. */
    tree(options?: CallOptions): Promise<TreeNode[]>;
    /** The bytes of a triangle of a node: numbers as in the glTF file that `convert()` makes. */
    trace(node: number, primitive: number, triangle: number, options?: CallOptions):
        Promise<TraceResult>;
    /** The reverse: the first triangle that a byte of the file belongs to. Fails if there is none. */
    traceBack(offset: number, options?: CallOptions): Promise<TraceBackResult>;
    /** `format` is the name of one, or of a dialect: "glb", "gpb", "gpb:1.4", "cea". */
    convert(format: string, options?: ConvertOptions): Promise<ConvertResult>;
    /** Pose both and measure how far they are apart. */
    verify(other: Model, options?: VerifyOptions): Promise<VerifyResult>;
    /** What differs, by meaning. */
    diff(other: Model, options?: { tolerance?: number } & CallOptions): Promise<DiffResult>;
    /** What is intact in a damaged file, as a file. */
    salvage(options?: SalvageOptions): Promise<SalvageResult>;
    /** A picture of it, the same on every machine. */
    render(options?: RenderOptions): Promise<RenderResult>;
    /** Forget the files. Every later call fails. */
    close(): void;
}

export interface Format {
    name: string;
    title: string;
    engine: string;
    extensions: string[];
    /** Models can be converted from it, and to it. */
    reads: boolean;
    writes: boolean;
    dialects: string[];
}

/** A rule that `check()` applies. */
export interface Rule {
    /** Stable, for example "bplx/index-range". */
    id: string;
    severity: "error" | "warning" | "info";
    /** What it requires. */
    summary: string;
    /** How to fix what breaks it, if that is simple. */
    fix?: string;
    /** The engine whose limit it is; none: it applies to every file. */
    profile?: string;
}

export interface Tenon {
    /** Open a model: the first file, with those beside it. */
    open(files: FileInput | FileInput[], options?: OpenOptions): Promise<Model>;
    /** Node: open a model on the disk. It and the files beside it are read when they are needed. */
    openFile(path: string, options?: OpenOptions): Promise<Model>;
    formats(): Promise<Format[]>;
    /** All rules: what the ids of findings mean. */
    rules(): Promise<Rule[]>;
    /** The version of the library. */
    version(): Promise<string>;
}

export const open: Tenon["open"];
export const openFile: Tenon["openFile"];
export const formats: Tenon["formats"];
export const rules: Tenon["rules"];
export const version: Tenon["version"];

/** The same in a thread of its own, so that a page stays responsive. */
export interface TenonWorker extends Tenon {
    /** End the thread. Every call that is not finished fails. */
    close(): void;
}
export function worker(): Promise<TenonWorker>;
