// link.ts: the state of the page in its address, so that a link or a reload leads back to it.
// SPDX-License-Identifier: MIT

export type Link = Partial<Record<"model" | "view" | "clip" | "time" | "look" | "byte", string>>;

const DELAY = 300; // Milliseconds: browsers allow few changes of the address.

let timer = 0;

export function readLink(): Link {
    return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

export function writeLink(link: Link) {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
        const known = Object.entries(link).filter((pair): pair is [string, string] => pair[1] !== undefined);
        history.replaceState(null, "", `#${new URLSearchParams(known)}`);
    }, DELAY);
}
