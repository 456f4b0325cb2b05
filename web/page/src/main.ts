// main.ts: starts the page. What takes others' time comes first: the worker, and the canvas.
// SPDX-License-Identifier: MIT

import { byId } from "./dom.ts";
import { openPacked, startLibrary } from "./early.ts";
import { startWorker } from "./work.ts";

/** Before anything is painted, the graphics card has time for it. */
function startCanvas() {
    const canvas = byId<HTMLCanvasElement>("canvas"), { clientWidth, clientHeight } = canvas.parentElement!;
    if (devicePixelRatio === 1) Object.assign(canvas, { width: clientWidth, height: clientHeight });
    canvas.getContext("webgl2", { antialias: true, powerPreference: "high-performance" });
}

const running = startWorker();
startCanvas();

addEventListener("DOMContentLoaded", async () => {
    startLibrary();
    openPacked();
    await running;
    await import("./app.ts").catch((error) => {
        document.body.removeAttribute("data-starting");
        document.body.removeAttribute("data-empty");
        byId("message").hidden = false;
        byId("message").textContent = `This browser cannot draw models: ${error.message}`;
    });
});
