// browser.js: the package for browsers.
// SPDX-License-Identifier: MIT

import { makeTenon } from "./api.js";
import { connect } from "./remote.js";

export { TenonError } from "./api.js";

async function load() {
    const response = await fetch(new URL("./tenon.wasm", import.meta.url));
    if (!response.ok) throw new Error(`tenon.wasm: ${response.status} ${response.statusText}`);
    return response.arrayBuffer();
}

export const { open, openFile, formats, rules, version } = makeTenon(load);

export async function worker() {
    const thread = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    return connect({
        post: (message) => thread.postMessage(message),
        onMessage: (take) => thread.addEventListener("message", (event) => take(event.data)),
        onError: (take) =>
            thread.addEventListener("error", (event) => take(new Error(event.message))),
        end: () => thread.terminate(),
        hold: () => {},
    });
}
