// node.js: the package for Node.
// SPDX-License-Identifier: MIT

import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";

import { makeTenon } from "./api.js";
import { diskFiles } from "./disk.js";
import { connect } from "./remote.js";

export { TenonError } from "./api.js";

const load = () => readFile(new URL("./tenon.wasm", import.meta.url));

export const { open, openFile, formats, rules, version } = makeTenon(load, diskFiles);

export async function worker() {
    const thread = new Worker(new URL("./worker.js", import.meta.url));
    return connect({
        post: (message) => thread.postMessage(message),
        onMessage: (take) => thread.on("message", take),
        onError: (take) => {
            thread.on("error", take);
            thread.on("exit", () => take(new Error("the thread has ended")));
        },
        end: () => thread.terminate(),
        hold: (isBusy) => (isBusy ? thread.ref() : thread.unref()),
    });
}
