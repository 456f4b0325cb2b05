// work.ts: calls of the worker.
// SPDX-License-Identifier: MIT

import type { Fault } from "../../npm/index.d.ts";
import type { Calls } from "./protocol.ts";

declare const WORKER_SOURCE: string; // Its bundle, set by the build.

export class WorkError extends Error {
    fault: Fault;

    constructor(fault: Fault) {
        super(fault.message);
        this.fault = fault;
    }
}

type Pending = { resolve: (value: any) => void; reject: (error: Error) => void };

const pending = new Map<number, Pending>();
let sent = 0;
let worker: Worker;

/** Start the worker. Resolved when it has got a call: until then the page should not be busy, which would
 *  hold it up. */
export function startWorker(): Promise<void> {
    const url = URL.createObjectURL(new Blob([WORKER_SOURCE], { type: "text/javascript" }));
    worker = new Worker(url);
    const running = new Promise<void>((resolve) => pending.set(0, { resolve, reject: () => resolve() }));
    worker.addEventListener("message", ({ data: { id, result, error } }) => {
        const call = pending.get(id);
        pending.delete(id);
        document.body.toggleAttribute("data-busy", pending.size > 0);
        if (error) call?.reject(new WorkError(error));
        else call?.resolve(result);
    });
    worker.addEventListener("error", (event) => {
        for (const call of pending.values()) call.reject(new Error(event.message));
        pending.clear();
    });
    return running;
}

/** `work("check", name)`: runs in the worker. */
export function work<K extends keyof Calls>(name: K, ...args: Parameters<Calls[K]>):
    Promise<ReturnType<Calls[K]>> {
    document.body.toggleAttribute("data-busy", true);
    return new Promise((resolve, reject) => {
        pending.set(++sent, { resolve, reject });
        worker.postMessage({ id: sent, name, args });
    });
}
