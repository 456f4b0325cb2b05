// served.ts: what a page has that a server delivers: it opens offline, and files can be opened with it.
// SPDX-License-Identifier: MIT

import { filesOf } from "./drop.ts";
import type { Dropped } from "./protocol.ts";

type LaunchQueue = { setConsumer: (consumer: (launch: { files: FileSystemFileHandle[] }) => void) => void };

/** Does nothing in the page that is one file: only the other has a manifest. */
export function startServed(add: (files: Dropped[]) => Promise<void>) {
    if (!document.querySelector("link[rel=manifest]")) return;
    // Browsers without it, or with storage turned off, show the page all the same.
    void navigator.serviceWorker?.register("service-worker.js").catch(() => {});
    const { launchQueue } = globalThis as { launchQueue?: LaunchQueue };
    launchQueue?.setConsumer(({ files }) =>
        void Promise.all(files.map((handle) => handle.getFile())).then((opened) => add(filesOf(opened))));
}
