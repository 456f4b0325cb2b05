// worker.js: what runs in the worker: the package, called by messages.
// SPDX-License-Identifier: MIT

import { TenonError } from "./engine.js";

const isNode = typeof process === "object" && process.versions?.node;
// Not awaited here: a browser does not keep messages for listeners that are added later.
const loading = isNode ? import("./node.js") : import("./browser.js");
const models = new Map();
let count = 0;

function membersOf(error) {
    return { ...error, message: error.message };
}

async function answer({ id, model, method, args, options, flag, wantsProgress }, post) {
    // The page aborts by setting the flag, which progress looks at.
    const signal = flag && { get aborted() { return Atomics.load(flag, 0) !== 0; } };
    const onProgress = wantsProgress ? (...progress) => post({ id, progress }) : undefined;
    const all = { ...options, signal, onProgress };
    try {
        const tenon = await loading;
        const target = model ? models.get(model) : tenon;
        const values = args.map((value) => (value?.model ? models.get(value.model) : value));
        const result = await target[method](...values, all);
        if (method === "close") models.delete(model);
        if (method === "open" || method === "openFile") {
            models.set(++count, result);
            const { name, fault } = result;
            post({ id, result: { id: count, name, info: fault ? null : result.info(),
                                 fault: fault && membersOf(fault) } });
            return;
        }
        post({ id, result }, (result?.files ?? []).map((file) => file.data.buffer));
    } catch (error) {
        const isTenon = error instanceof TenonError;
        post({ id, error: isTenon ? { isTenon, members: membersOf(error) }
                                  : { message: String(error?.message ?? error) } });
    }
}

if (isNode) {
    const { parentPort } = await import("node:worker_threads");
    parentPort.on("message", (m) => answer(m, (...words) => parentPort.postMessage(...words)));
} else {
    addEventListener("message", (event) => answer(event.data, (m, t) => postMessage(m, t ?? [])));
}
