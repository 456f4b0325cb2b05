// service-worker.js: keeps the page, so that it opens without a network. The build sets the name.
// SPDX-License-Identifier: MIT

const NAME = "tenon-{{hash}}", FILES = ["./", "tenon.webmanifest", "icon.svg"];

addEventListener("install", (event) => {
    const fill = async () => {
        const cache = await caches.open(NAME);
        await cache.addAll(FILES);
        await self.skipWaiting();
    };
    event.waitUntil(fill());
});

addEventListener("activate", (event) => {
    const clean = async () => {
        const old = (await caches.keys()).filter((name) => name.startsWith("tenon-") && name !== NAME);
        await Promise.all(old.map((name) => caches.delete(name)));
        await self.clients.claim();
    };
    event.waitUntil(clean());
});

addEventListener("fetch", (event) => {
    const { request } = event, path = request.mode === "navigate" ? "./" : request;
    event.respondWith(caches.match(path).then((found) => found ?? fetch(request)));
});
