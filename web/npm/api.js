// api.js: models, on top of the engine; the same in Node, in browsers and in workers.
// SPDX-License-Identifier: MIT

import { Engine, TenonError, cancelled } from "./engine.js";
import { JoinedFiles, MemoryFiles, plainPath } from "./files.js";

export { TenonError };

function usage(message) {
    return new TenonError({ code: "usage", message });
}

/** "gpb:1.4" as a format and a dialect; "glb" is a dialect of a format. */
function formatOf(text, formats) {
    if (typeof text !== "string") throw usage("the name of a format is missing");
    const [name, dialect] = text.split(":", 2);
    const format = formats.find((one) => one.name === name) ??
        formats.find((one) => one.extensions.includes(name)) ??
        formats.find((one) => one.dialects.includes(name));
    if (!format)
        throw new TenonError({ code: "unsupported", message: `there is no format '${name}'` });
    const byName = format.name !== name && format.dialects.includes(name) ? name : undefined;
    return { format, dialect: dialect ?? byName, extension: byName ?? extensionOf(format, name) };
}

function extensionOf(format, name) {
    return format.extensions.includes(name) ? name : format.extensions[0] ?? name;
}

function stem(name) {
    const base = name.slice(name.lastIndexOf("/") + 1), dot = base.lastIndexOf(".");
    return dot > 0 ? base.slice(0, dot) : base;
}

/** "#rrggbb" or "none" as numbers from 0 to 1. */
function colorOf(text) {
    if (text === "none") return [0, 0, 0, 0];
    if (!/^#[0-9a-f]{6}$/i.test(text)) throw usage(`'${text}' is not a color such as "#8090a0"`);
    return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16) / 255).concat(1);
}

/** Bytes of what a file may be given as. */
async function bytesOf(data, name) {
    if (data instanceof Uint8Array) return data;
    if (data instanceof ArrayBuffer) return new Uint8Array(data);
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (typeof Blob !== "undefined" && data instanceof Blob) return new Uint8Array(await data.arrayBuffer());
    throw usage(`the data of '${name}' are neither bytes nor a Blob`);
}

class Model {
    #tenon;
    #files;
    #info;
    #from;

    constructor(tenon, files, name, from) {
        this.#tenon = tenon;
        this.#files = files;
        this.#from = from;
        this.name = name;
    }

    async read(options) {
        try {
            this.#info = await this.#run("info", {}, {}, { full: options.full }, options);
            delete this.#info.files;
        } catch (error) {
            const isDamage = error instanceof TenonError && error.code !== "cancelled";
            if (!options.damaged || !isDamage) throw error;
            this.fault = error;
        }
        return this;
    }

    async #run(command, texts, numbers, flags, options, files = this.#files) {
        if (!this.#files) throw usage(`'${this.name}' is closed`);
        const { format, dialect } = this.#from ?? {};
        const all = { model: this.name, from: format?.name, from_dialect: dialect, ...texts };
        return this.#tenon.run(command, files, all, numbers, flags, options);
    }

    info() {
        if (!this.#files) throw usage(`'${this.name}' is closed`);
        if (this.fault) throw this.fault;
        return structuredClone(this.#info);
    }

    async check(options = {}) {
        const { files, ...result } = await this.#run("check", { profile: options.profile },
            { max_per_rule: options.maxPerRule }, {}, options);
        return result;
    }

    async map(options = {}) {
        const { parts, fault } = await this.#run("map", {},
            { first: options.from, end: options.to }, { cells: options.cells }, options);
        return fault ? { parts, fault: fault.error } : { parts };
    }

    async tree(options = {}) {
        return (await this.#run("tree", {}, {}, {}, options)).tree;
    }

    async trace(node, primitive, triangle, options = {}) {
        const { files, ...traced } =
            await this.#run("trace", {}, { node, primitive, triangle }, {}, options);
        return traced;
    }

    async traceBack(offset, options = {}) {
        const { files, ...corner } = await this.#run("trace_back", {}, { offset }, {}, options);
        return corner;
    }

    async convert(format, options = {}) {
        const to = formatOf(format, await this.#tenon.formats());
        const output = plainPath(options.name ?? `${stem(this.name)}.${to.extension}`);
        const folder = this.name.slice(0, this.name.lastIndexOf("/") + 1);
        const result = await this.#run("convert",
            { output: folder + output, to: to.format.name, as: to.dialect,
              textures: options.textures, grouping: options.grouping, units: options.units,
              clip: options.clip },
            { tolerance: options.tolerance, rate: options.rate, scale: options.scale,
              seconds: options.seconds },
            { verify: options.verify, strict: options.strict, lead_in: options.keepLeadIn,
              without_materials: options.materials === false,
              without_prefix: options.prefix === false, quantize: options.quantize },
            options);
        return modelFirst(result, folder, folder + output);
    }

    async verify(other, options = {}) {
        const { files, ...result } = await this.#compare("verify", other,
            { clip: options.clip }, { tolerance: options.tolerance, samples: options.samples },
            { rest: options.rest }, options);
        return result;
    }

    async diff(other, options = {}) {
        const { count, differences } = await this.#compare("diff", other, {},
            { tolerance: options.tolerance }, {}, options);
        return { count, differences };
    }

    async #compare(command, other, texts, numbers, flags, options) {
        if (!(other instanceof Model) || !other.#files) throw usage("the other model is not open");
        const joined = new JoinedFiles({ a: this.#files, b: other.#files });
        return this.#run(command, { ...texts, model: `a/${this.name}`, other: `b/${other.name}`,
                                    from: undefined, from_dialect: undefined },
            numbers, flags, options, joined);
    }

    async salvage(options = {}) {
        const to = options.to && formatOf(options.to, await this.#tenon.formats());
        const extension = to ? `.${to.extension}` : this.name.match(/\.[^./]*$/)?.[0] ?? "";
        const folder = this.name.slice(0, this.name.lastIndexOf("/") + 1);
        const output = plainPath(options.name ?? stem(this.name) + extension);
        const result = await this.#run("salvage",
            { output: folder + output, to: to ? to.format.name : undefined,
              as: to ? to.dialect : undefined }, {}, {}, options);
        if (result.fault) result.fault = result.fault.error;
        return modelFirst(result, folder, folder + output);
    }

    async render(options = {}) {
        const output = plainPath(options.name ?? `${stem(this.name)}.png`);
        const folder = this.name.slice(0, this.name.lastIndexOf("/") + 1);
        const [red, green, blue, alpha] = colorOf(options.background ?? "#b4bdc8");
        const result = await this.#run("render",
            { output: folder + output, clip: options.clip, style: options.style },
            { width: options.width, height: options.height, azimuth: options.azimuth ?? 35,
              elevation: options.elevation ?? 20, seconds: options.seconds,
              red, green, blue, alpha },
            { bones: options.bones, without_textures: options.textures === false }, options);
        return modelFirst(result, folder, folder + output);
    }

    close() {
        this.#files = null;
        this.#info = null;
    }
}

/** The files of a result without the model's folder, the model in front. */
function modelFirst(result, folder, output) {
    const isModel = (file) => plainPath(file.name) === output;
    const files = [...result.files.filter(isModel), ...result.files.filter((f) => !isModel(f))];
    result.files = files.map(({ name, data }) => {
        const path = plainPath(name);
        return { name: path.startsWith(folder) ? path.slice(folder.length) : path, data };
    });
    return result;
}

/** The functions of index.d.ts. `load` gives the bytes of the module; `diskFiles`, which may be
 *  missing, the files of a folder on the disk. */
export function makeTenon(load, diskFiles) {
    const engine = new Engine(load);
    let known = null;

    async function run(...words) {
        await engine.prepare();
        return engine.run(...words);
    }

    async function describe() {
        known ??= await run("formats", new MemoryFiles([]), {}, {}, {});
        return known;
    }

    const shared = { run, formats: async () => (await describe()).formats };

    async function openIn(files, name, options) {
        const from = options.from && formatOf(options.from, await shared.formats());
        return new Model(shared, files, name, from).read(options);
    }

    return {
        async open(files, options = {}) {
            if (options.signal?.aborted) throw cancelled();
            const list = Array.isArray(files) ? files : [files];
            if (list.length === 0) throw usage("there is no file to open");
            const pairs = [];
            for (const { name, data } of list) {
                if (typeof name !== "string" || !plainPath(name)) throw usage("a file has no name");
                pairs.push([name, await bytesOf(data, name)]);
            }
            return openIn(new MemoryFiles(pairs), plainPath(list[0].name), options);
        },
        async openFile(path, options = {}) {
            if (!diskFiles) throw usage("files on a disk can be opened in Node only");
            const { files, name } = diskFiles(path);
            return openIn(files, name, options);
        },
        async formats() {
            return structuredClone(await shared.formats());
        },
        async rules() {
            return structuredClone((await describe()).rules);
        },
        async version() {
            return (await describe()).version;
        },
    };
}
