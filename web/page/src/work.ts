// work.ts: calls of the worker, and of further ones for what takes long.
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

const threads = new Set<Thread>();
let source = "";

/** A worker, and the calls that it has not answered yet. */
class Thread {
    readonly running: Promise<void>;
    private pending = new Map<number, Pending>();
    private sent = 0;
    private worker: Worker;

    constructor() {
        source ||= URL.createObjectURL(new Blob([WORKER_SOURCE], { type: "text/javascript" }));
        this.worker = new Worker(source);
        threads.add(this);
        this.running = new Promise((resolve) => this.pending.set(0, { resolve, reject: () => resolve() }));
        this.worker.addEventListener("message", ({ data: { id, result, error } }) => {
            const call = this.pending.get(id);
            this.pending.delete(id);
            showBusy();
            if (error) call?.reject(new WorkError(error));
            else call?.resolve(result);
        });
        this.worker.addEventListener("error", (event) => {
            for (const call of this.pending.values()) call.reject(new Error(event.message));
            this.pending.clear();
            showBusy();
        });
    }

    get isBusy(): boolean {
        return this.pending.size > 0;
    }

    call(name: string, args: unknown[]): Promise<any> {
        const answer = new Promise((resolve, reject) => this.pending.set(++this.sent, { resolve, reject }));
        this.worker.postMessage({ id: this.sent, name, args });
        showBusy();
        return answer;
    }

    end() {
        this.worker.terminate();
        threads.delete(this);
        showBusy();
    }
}

function showBusy() {
    document.body.toggleAttribute("data-busy", [...threads].some((one) => one.isBusy));
}

let first: Thread;
const setUp: [name: string, args: unknown[]][] = []; // What every worker has to know: the library, and the files.

/** Start the worker. Resolved when it has got a call: until then the page should not be busy, which would
 *  hold it up. */
export function startWorker(): Promise<void> {
    first = new Thread();
    return first.running;
}

/** `work("check", name)`: runs in the worker. */
export function work<K extends keyof Calls>(name: K, ...args: Parameters<Calls[K]>):
    Promise<ReturnType<Calls[K]>> {
    if (name === "start" || name === "add" || name === "remove") {
        setUp.push([name, args]);
        for (const thread of threads) if (thread !== first) void thread.call(name, args);
    }
    return first.call(name, args);
}

/** A worker for calls that may take long, so that others need not wait for them. */
export class Helper {
    private thread: Thread | null = null;

    work<K extends keyof Calls>(name: K, ...args: Parameters<Calls[K]>): Promise<ReturnType<Calls[K]>> {
        if (!this.thread) {
            this.thread = new Thread();
            for (const [one, its] of setUp) void this.thread.call(one, its);
        }
        return this.thread.call(name, args);
    }

    /** Stop what it does. A call that is stopped is never answered. */
    cancel() {
        if (!this.thread?.isBusy) return;
        this.thread.end();
        this.thread = null;
    }
}
