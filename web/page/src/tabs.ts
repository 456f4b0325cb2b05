// tabs.ts: panels in docks: beside and below the model, or all in one where the screen is narrow.
// SPDX-License-Identifier: MIT

import { byId, el } from "./dom.ts";

const NARROW = matchMedia("(max-width: 860px)");

type Panel = { section: HTMLElement; tab: HTMLButtonElement; dock: string };

const panels: Panel[] = [];
const chosen: Record<string, string> = {};

function dockOf(panel: Panel): string {
    return NARROW.matches ? "narrow" : panel.dock;
}

function mark(dock: string) {
    for (const panel of panels.filter((one) => dockOf(one) === dock)) {
        const isShown = panel.section.id === chosen[dock];
        panel.section.hidden = !isShown;
        panel.tab.setAttribute("aria-selected", String(isShown));
        panel.tab.tabIndex = isShown ? 0 : -1;
    }
    const shown = panels.find((one) => one.section.id === chosen[dock]);
    shown?.tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    shown?.section.dispatchEvent(new CustomEvent("shown"));
}

function arrange() {
    for (const dock of ["left", "right", "bottom", "narrow"]) {
        const inside = panels.filter((one) => dockOf(one) === dock);
        const tabs = byId(`dock-${dock}`).querySelector("[role=tablist]")!;
        tabs.append(...inside.map((one) => one.tab));
        byId(`dock-${dock}`).append(...inside.map((one) => one.section));
        byId(`dock-${dock}`).hidden = inside.length === 0;
        if (!inside.some((one) => one.section.id === chosen[dock])) chosen[dock] = inside[0]?.section.id ?? "";
        mark(dock);
    }
}

/** Make every section with data-dock a panel. */
export function makeTabs() {
    for (const section of document.querySelectorAll<HTMLElement>("section[data-dock]")) {
        const name = section.dataset.title!, id = `tab-${section.id}`;
        const tab = el("button", { attrs: { type: "button", role: "tab", id, "aria-controls": section.id },
                                   on: { click: () => showPanel(section.id), keydown: step } }, name);
        section.setAttribute("role", "tabpanel");
        section.setAttribute("aria-labelledby", id);
        section.tabIndex = 0;
        panels.push({ section, tab, dock: section.dataset.dock! });
    }
    arrange();
    NARROW.addEventListener("change", arrange);
}

function step(event: KeyboardEvent) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const tabs = [...(event.currentTarget as HTMLElement).parentElement!.children] as HTMLElement[];
    const next = tabs[(tabs.indexOf(event.currentTarget as HTMLElement) + by + tabs.length) % tabs.length];
    next.click();
    next.focus();
    event.preventDefault();
    event.stopPropagation();
}

export function showPanel(id: string) {
    const panel = panels.find((one) => one.section.id === id);
    if (!panel) return;
    chosen[dockOf(panel)] = id;
    mark(dockOf(panel));
}

export function isShown(id: string): boolean {
    return !byId(id).hidden;
}

/** A number beside the name of a panel, such as of findings. */
export function setBadge(id: string, text: string, kind = "") {
    const panel = panels.find((one) => one.section.id === id);
    if (!panel) return;
    panel.tab.replaceChildren(panel.section.dataset.title!);
    if (text) panel.tab.append(el("span", { class: `badge ${kind}` }, text));
}
