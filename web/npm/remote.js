// remote.js: models that are in a worker, as the page sees them.
// SPDX-License-Identifier: MIT

import { TenonError, cancelled } from "./engine.js";

// Whether a call can be cancelled while it works: a page needs to be isolated to have such memory.
const canShare = typeof SharedArrayBuffer !== "undefined" && globalThis.crossOriginIsolated !== false;

/** What is sent: a call has a number, and so does a model. */
export function connect({ post, onMessage, onError, end, hold }) {
    const calls = new Map();
    let count = 0, failure = null;

    function settle(id) {
        const call = calls.get(id);
        calls.delete(id);
        if (calls.size === 0) hold(false);
        call?.signal?.removeEventListener("abort", call.abort);
        return call;
    }

    onMessage(({ id, progress, result, error }) => {
        if (progress) {
            calls.get(id)?.onProgress?.(...progress);
            return;
        }
        const call = settle(id);
        if (error) call?.reject(error.isTenon ? new TenonError(error.members) : new Error(error.message));
        else call?.resolve(result);
    });
    onError((error) => {
        failure ??= new TenonError({ code: "trap", message: error.message });
        for (const id of [...calls.keys()]) settle(id).reject(failure);
    });
    hold(false);

    function call(model, method, args, options = {}) {
        const { signal, onProgress, ...rest } = options;
        return new Promise((resolve, reject) => {
            if (failure) return reject(failure);
            if (signal?.aborted) return reject(cancelled());
            const id = ++count;
            const flag = signal && canShare ? new Int32Array(new SharedArrayBuffer(4)) : undefined;
            // Without shared memory the worker goes on, and its result is not used.
            const abort = () => (flag ? Atomics.store(flag, 0, 1) : settle(id)?.reject(cancelled()));
            calls.set(id, { resolve, reject, onProgress, signal, abort });
            signal?.addEventListener("abort", abort);
            hold(true);
            post({ id, model, method, args, options: rest, flag, wantsProgress: !!onProgress });
        });
    }

    class RemoteModel {
        #id;
        #info;

        constructor({ id, name, info, fault }) {
            this.#id = id;
            this.#info = info;
            this.name = name;
            if (fault) this.fault = new TenonError(fault);
        }

        info() {
            if (this.fault) throw this.fault;
            return structuredClone(this.#info);
        }

        #call(method, args, options) {
            return call(this.#id, method, args, options);
        }

        check(options) {
            return this.#call("check", [], options);
        }

        map(options) {
            return this.#call("map", [], options);
        }

        tree(options) {
            return this.#call("tree", [], options);
        }

        trace(node, primitive, triangle, options) {
            return this.#call("trace", [node, primitive, triangle], options);
        }

        traceBack(offset, options) {
            return this.#call("traceBack", [offset], options);
        }

        convert(format, options) {
            return this.#call("convert", [format], options);
        }

        verify(other, options) {
            return this.#call("verify", [{ model: other.#id }], options);
        }

        diff(other, options) {
            return this.#call("diff", [{ model: other.#id }], options);
        }

        salvage(options) {
            return this.#call("salvage", [], options);
        }

        render(options) {
            return this.#call("render", [], options);
        }

        close() {
            call(this.#id, "close", []).catch(() => {});
        }
    }

    const opened = async (method, args, options) =>
        new RemoteModel(await call(0, method, args, options));
    return {
        open: (files, options) => opened("open", [files], options),
        openFile: (path, options) => opened("openFile", [path], options),
        formats: () => call(0, "formats", []),
        rules: () => call(0, "rules", []),
        version: () => call(0, "version", []),
        close() {
            end();
            failure ??= new TenonError({ code: "cancelled", message: "the worker is closed" });
            for (const id of [...calls.keys()]) settle(id).reject(failure);
        },
    };
}
