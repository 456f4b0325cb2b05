// rows.ts: a list of any length, of which only the rows on the screen exist.
// SPDX-License-Identifier: MIT

import { el } from "./dom.ts";

const TALLEST = 8e6; // Browsers stop at about 30 million pixels: longer lists are scrolled faster.

export class Rows {
    readonly element: HTMLElement;
    private spacer = el("div", { class: "rows-spacer" });
    private window = el("div", { class: "rows-window" });
    private height: number;
    private count = 0;
    private paint: (index: number, row: HTMLElement) => void;
    private pool: HTMLElement[] = [];
    private asked = false;
    first = 0;

    /** `paint` fills a row, which may have shown another one before. */
    constructor(label: string, height: number, role: string, paint: (index: number, row: HTMLElement) => void) {
        this.height = height;
        this.paint = paint;
        this.element = el("div", { class: "rows", attrs: { tabindex: 0, role, "aria-label": label },
                                   on: { scroll: () => this.refresh() } }, this.spacer, this.window);
        new ResizeObserver(() => this.refresh()).observe(this.element);
    }

    get visible(): number {
        return Math.ceil(this.element.clientHeight / this.height) + 1;
    }

    private get scale(): number {
        return Math.max(1, (this.count * this.height) / TALLEST);
    }

    setCount(count: number) {
        this.count = count;
        this.spacer.style.height = `${(count * this.height) / this.scale}px`;
        this.refresh();
    }

    refresh() {
        if (this.asked) return;
        this.asked = true;
        requestAnimationFrame(() => {
            this.asked = false;
            this.show();
        });
    }

    private show() {
        const { scrollTop, clientHeight, scrollHeight } = this.element;
        if (!clientHeight) return;
        const range = Math.max(1, scrollHeight - clientHeight), most = this.count * this.height - clientHeight;
        const at = this.scale === 1 ? scrollTop : (scrollTop / range) * most;
        this.first = Math.max(0, Math.floor(at / this.height));
        const shown = Math.min(this.visible, this.count - this.first);
        while (this.pool.length < shown) {
            const row = el("div", { class: "row" });
            this.pool.push(row);
            this.window.append(row);
        }
        this.window.style.transform = `translateY(${scrollTop - (at - this.first * this.height)}px)`;
        this.pool.forEach((row, index) => {
            row.hidden = index >= shown;
            if (index < shown) this.paint(this.first + index, row);
        });
    }

    /** Scroll, if it is needed, so that a row is on the screen. */
    reveal(index: number) {
        const { clientHeight, scrollHeight } = this.element;
        const fits = Math.floor(clientHeight / this.height);
        if (index > this.first && index < this.first + fits - 1) return this.refresh();
        const at = Math.max(0, index - Math.floor(fits / 3)) * this.height;
        const range = scrollHeight - clientHeight, most = this.count * this.height - clientHeight;
        this.element.scrollTop = this.scale === 1 ? at : (at / Math.max(1, most)) * range;
        this.refresh();
    }
}
