// engine.js: calls of the WebAssembly module. A call leaves nothing in it.
// SPDX-License-Identifier: MIT

import { CallFiles, FAILED, FILE, plainPath } from "./files.js";

/** Why a call failed; index.d.ts has its members. */
export class TenonError extends Error {
    constructor(members) {
        super(members.message);
        this.name = "TenonError";
        Object.assign(this, members);
    }
}

const KEPT_MEMORY = 16 * 1024 * 1024; // A larger one is not used again.
const PAGE = 65536;

const encoder = new TextEncoder(), decoder = new TextDecoder();

export class Engine {
    /** `load` gives the bytes of the module, or the module. */
    constructor(load) {
        this.load = load;
        this.module = null;
        this.instance = null;
    }

    async prepare() {
        this.module ??= this.load().then((given) =>
            given instanceof WebAssembly.Module ? given : WebAssembly.compile(given));
        try {
            this.compiled = await this.module;
        } catch (error) {
            this.module = null;
            throw error;
        }
    }

    /** The texts, numbers and flags of a call, and what it works on. */
    run(command, base, texts, numbers, flags, { signal, onProgress, limits } = {}) {
        if (signal?.aborted) throw cancelled();
        // What files usually need: each step in which memory grows costs a garbage collection.
        const room = 5 * base.size;
        const instance = (room < KEPT_MEMORY && this.instance) || this.instantiate(room);
        if (instance === this.instance) this.instance = null; // Until this call has ended well.
        const files = (instance.call.files = new CallFiles(base));
        instance.call.progress = (done, total) => {
            onProgress?.(done, total);
            return !signal?.aborted;
        };
        instance.call.failure = null;
        try {
            const limited = { max_memory: limits?.memory, max_output: limits?.output,
                              max_work: limits?.work, ...numbers };
            const result = invoke(instance, command, texts, limited, flags);
            if (instance.memory.buffer.byteLength <= KEPT_MEMORY) this.instance = instance;
            if (instance.call.failure) throw instance.call.failure;
            if (!result) throw new TenonError({ code: "memory", message: "out of memory" });
            if (result.error) {
                const { error, losses } = result;
                throw new TenonError({ ...error, file: texts.model, ...(losses && { losses }) });
            }
            result.files = (result.files ?? [])
                .map((name) => ({ name, data: files.bytes(plainPath(name)) }));
            return result;
        } catch (error) {
            if (instance.call.failure) throw instance.call.failure;
            // The stack of the module, or of the engine that runs it, is full, or it has a fault.
            if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
            throw new TenonError({ code: "trap", message: error.message, file: texts.model });
        } finally {
            files.closeAll();
            instance.call.files = null;
        }
    }

    /** A new module with room for that many bytes, if it is large, and there is that much. */
    instantiate(room) {
        const call = {};
        let memory;
        // Pointers above 2 GiB arrive as negative numbers.
        const bytes = (at, size) => new Uint8Array(memory.buffer, at >>> 0, size >>> 0);
        const text = (at, size) => plainPath(decoder.decode(bytes(at, size)));
        // What a callback throws must not pass through the module: the call ends, and then it is
        // thrown.
        const guarded = (fallback, fn) => (...args) => {
            try {
                return fn(...args);
            } catch (error) {
                call.failure ??= error;
                return fallback;
            }
        };
        const put = (name, out, size) => {
            const encoded = encoder.encode(name);
            if (encoded.length > size) return -1;
            bytes(out, size).set(encoded);
            return encoded.length;
        };
        let listed = [];
        const imports = {
            look: guarded(FAILED, (path, size, info, handle) => {
                const name = text(path, size);
                const found = call.files.look(name);
                if (found.kind !== FILE) return found.kind;
                new Float64Array(memory.buffer, info >>> 0, 2).set([found.size, found.number]);
                if (handle)
                    new Int32Array(memory.buffer, handle >>> 0, 1)[0] = call.files.open(name);
                return FILE;
            }),
            read: guarded(-1, (handle, at, into, size) =>
                call.files.read(handle, at, bytes(into, size))),
            create: guarded(0, (path, size) => call.files.create(text(path, size))),
            write: guarded(0, (handle, from, size) => {
                call.files.write(handle, bytes(from, size));
                return 1;
            }),
            close: guarded(undefined, (handle) => call.files.close(handle)),
            rename: guarded(0, (from, fromSize, to, toSize, replaces) =>
                call.files.rename(text(from, fromSize), text(to, toSize), replaces !== 0) ? 1 : 0),
            remove: guarded(0, (path, size) => (call.files.remove(text(path, size)) ? 1 : 0)),
            list: guarded(-1, (path, size) => {
                listed = call.files.base.list(text(path, size)) ?? [];
                return listed.length;
            }),
            entry: guarded(-1, (index, out, size) => put(listed[index], out, size)),
            progress: guarded(0, (done, total) =>
                call.failure || !call.progress(done, total) ? 0 : 1),
        };
        const instance = new WebAssembly.Instance(this.compiled, { tenon: imports });
        memory = instance.exports.memory;
        try {
            if (room >= KEPT_MEMORY) memory.grow(Math.ceil(room / PAGE));
        } catch {
            // Then it grows as far as it can when it is needed.
        }
        return { call, memory, exports: instance.exports };
    }
}

export function cancelled() {
    return new TenonError({ code: "cancelled", message: "the signal was aborted" });
}

/** The result of a call, parsed; null if the module ran out of memory. */
function invoke(instance, command, texts, numbers, flags) {
    const { exports, memory } = instance;
    const pointers = [];
    const toMemory = (text) => {
        const encoded = encoder.encode(text);
        const at = exports.allocate(encoded.length + 1) >>> 0;
        if (at === 0) throw new TenonError({ code: "memory", message: "out of memory" });
        const view = new Uint8Array(memory.buffer, at, encoded.length + 1);
        view.set(encoded);
        view[encoded.length] = 0;
        pointers.push(at);
        return at;
    };
    const set = (setter, name, ...value) => {
        if (!setter(toMemory(name), ...value))
            throw new TenonError({ code: "usage", message: `there is no option '${name}'` });
    };
    exports.begin();
    for (const [name, value] of Object.entries(texts))
        if (value !== undefined) set(exports.text, name, toMemory(value));
    for (const [name, value] of Object.entries(numbers))
        if (value !== undefined) set(exports.number, name, value);
    for (const [name, value] of Object.entries(flags)) if (value) set(exports.flag, name);
    exports.call(toMemory(command));
    const at = exports.result() >>> 0;
    const json = at === 0 ? null
        : decoder.decode(new Uint8Array(memory.buffer, at, exports.result_size()));
    exports.end();
    for (const pointer of pointers) exports.release(pointer);
    return json === null ? null : JSON.parse(json);
}
