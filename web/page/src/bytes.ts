// bytes.ts: the byte map: every byte of the file and the fields that they are.
// SPDX-License-Identifier: MIT

import type { Part } from "../../npm/index.d.ts";
import { button, byId, el, fill } from "./dom.ts";
import { Rows } from "./rows.ts";
import { showPanel } from "./tabs.ts";
import { count as counted, hexOffset, nameOf, sizeText } from "./text.ts";
import { work } from "./work.ts";

const CHUNK = 4096, PARTS = 200;
const SMALL = matchMedia("(max-width: 520px)");

/** A value of a part, short. */
export function valueText(part: Part): string {
    const { value, count, elements, type } = part;
    if (part.kind === "rest") return "not read";
    if (elements) return `${count} × ${elements.map((one) => one.name || one.type).join(", ")}`;
    if (typeof value === "string") return JSON.stringify(nameOf(value)).slice(0, 200);
    if (Array.isArray(value)) return value.map(numberText).join(" ");
    if (value && typeof value === "object" && "hex" in value) return String((value as any).hex);
    if (value !== undefined) return numberText(value);
    return `${count ?? part.size} × ${type}`;
}

function numberText(value: unknown): string {
    return typeof value === "number" && !Number.isInteger(value) ? String(Number(value.toPrecision(7))) : String(value);
}

function kindOf(part: Part | undefined): string {
    if (!part) return "";
    if (part.kind) return part.kind;
    if (part.elements) return "records";
    if (/^str/.test(part.type)) return "text";
    return part.type.startsWith("f") ? "float" : part.type === "bytes" ? "raw" : "int";
}

export class ByteMap {
    private name = "";
    private size = 0;
    private perLine = SMALL.matches ? 8 : 16;
    private count = 0;
    private chunks = new Map<number, Uint8Array | null>();
    private pages = new Map<number, Part[] | null>();
    private starts: { offset: number; end: number; kind: string }[] = []; // Of known parts near the screen.
    private selected = { offset: -1, end: -1 };
    private field = -1;
    private hex = new Rows("Bytes", 20, "grid", (line, row) => this.paintLine(line, row));
    private fields = new Rows("Fields", 20, "listbox", (index, row) => this.paintField(index, row));
    private status = el("span", { class: "byte-status", attrs: { "aria-live": "polite" } });
    private find = el("input", { attrs: { type: "search", placeholder: "Field, text or offset", "aria-label": "Find in the bytes" },
                                 on: { keydown: (event: KeyboardEvent) => event.key === "Enter" && this.search() } });
    onSelect: ((part: Part, offset: number) => void)[] = [];

    constructor() {
        const panel = byId("panel-bytes");
        const bar = el("div", { class: "bar" }, this.find, button("Find", () => this.search()), this.status);
        const split = el("div", { class: "split" }, this.hex.element, this.fields.element);
        fill(panel, bar, split);
        SMALL.addEventListener("change", () => {
            this.perLine = SMALL.matches ? 8 : 16;
            this.hex.setCount(Math.ceil(this.size / this.perLine));
        });
        panel.addEventListener("shown", () => { this.hex.refresh(); this.fields.refresh(); });
        this.hex.element.addEventListener("click", (event) => {
            const { offset } = (event.target as HTMLElement).dataset;
            if (offset) this.selectByte(Number(offset));
        });
        this.fields.element.addEventListener("click", (event) => {
            const row = (event.target as HTMLElement).closest<HTMLElement>("[data-index]");
            if (row) this.selectField(Number(row.dataset.index));
        });
        this.fields.element.addEventListener("keydown", (event) => {
            const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12 }[event.key];
            if (!by) return;
            event.preventDefault();
            this.selectField(Math.min(this.count - 1, Math.max(0, this.field + by)));
        });
        this.hex.element.addEventListener("keydown", (event) => {
            const line = this.perLine;
            const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: line, ArrowUp: -line, PageDown: 16 * line, PageUp: -16 * line }[event.key];
            if (!by) return;
            event.preventDefault();
            this.selectByte(Math.min(this.size - 1, Math.max(0, this.selected.offset + by)));
        });
    }

    attach(name: string, size: number, count: number) {
        Object.assign(this, { name, size, count, field: -1, starts: [] });
        this.selected = { offset: -1, end: -1 };
        this.chunks.clear();
        this.pages.clear();
        this.hex.setCount(Math.ceil(size / this.perLine));
        this.fields.setCount(count);
        this.status.textContent = size ? `${sizeText(size)}, ${counted(count, "field")}` : "";
    }

    /** The first byte that is selected; -1: none. */
    get offset(): number {
        return this.selected.offset;
    }

    // -- Rows

    private part(index: number): Part | undefined {
        const page = Math.floor(index / PARTS), found = this.pages.get(page);
        if (found === undefined) {
            this.pages.set(page, null);
            const { name } = this;
            void work("parts", page * PARTS, (page + 1) * PARTS).then((parts) => {
                if (this.name !== name) return;
                this.pages.set(page, parts);
                for (const part of parts)
                    if (part.size) this.starts.push({ offset: part.offset, end: part.offset + part.size, kind: kindOf(part) });
                this.starts.sort((a, b) => a.offset - b.offset);
                this.fields.refresh();
                this.hex.refresh();
            });
        }
        return found?.[index % PARTS];
    }

    private chunk(index: number): Uint8Array | null {
        const found = this.chunks.get(index);
        if (found !== undefined) return found;
        this.chunks.set(index, null);
        const { name } = this;
        void work("bytes", name, index * CHUNK, (index + 1) * CHUNK).then((bytes) => {
            if (this.name !== name) return;
            if (this.chunks.size > 400) this.chunks.clear();
            this.chunks.set(index, bytes);
            this.hex.refresh();
        }).catch(() => {
            // Browsers refuse files that have changed since they were chosen.
            this.status.textContent = "The file cannot be read any more: drop it again.";
        });
        return null;
    }

    private kindAt(offset: number): string {
        let low = 0, high = this.starts.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.starts[middle].offset <= offset) low = middle + 1;
            else high = middle;
        }
        const found = this.starts[low - 1];
        return found && offset < found.end ? found.kind : "";
    }

    private paintLine(line: number, row: HTMLElement) {
        const offset = line * this.perLine, bytes = this.chunk(Math.floor(offset / CHUNK));
        const cells: Node[] = [el("span", { class: "offset" }, hexOffset(offset))];
        let text = "";
        for (let i = 0; i < this.perLine; i++) {
            const at = offset + i, value = bytes?.[at % CHUNK];
            const isIn = at >= this.selected.offset && at < this.selected.end;
            const known = at < this.size ? (value === undefined ? "··" : value.toString(16).padStart(2, "0")) : "  ";
            cells.push(el("span", { class: `byte ${this.kindAt(at)}${isIn ? " selected" : ""}`,
                                    attrs: { "data-offset": at < this.size ? at : undefined } }, known));
            text += value === undefined || at >= this.size ? " " : value > 31 && value < 127 ? String.fromCharCode(value) : "·";
        }
        row.setAttribute("role", "row");
        fill(row, el("span", { attrs: { role: "gridcell" } }, ...cells), el("span", { class: "ascii", attrs: { role: "gridcell" } }, text));
    }

    private paintField(index: number, row: HTMLElement) {
        const part = this.part(index);
        row.dataset.index = String(index);
        row.setAttribute("role", "option");
        row.setAttribute("aria-selected", String(index === this.field));
        if (!part) return fill(row, "…");
        fill(row, el("span", { class: "offset" }, part.kind === "inferred" ? "inferred" : hexOffset(part.offset)),
             el("span", { class: `path ${kindOf(part)}`, title: part.path }, part.path || (part.kind === "rest" ? "rest of the file" : part.kind ?? "")),
             el("span", { class: "type" }, part.type), el("span", { class: "value" }, valueText(part)));
    }

    // -- Selecting

    private async mark(index: number, offset: number, end: number, status: string) {
        this.selected = { offset, end };
        this.field = index;
        this.status.textContent = status;
        // The rows may have been without height until now.
        await new Promise((resolve) => requestAnimationFrame(resolve));
        this.hex.reveal(Math.floor(offset / this.perLine));
        this.fields.reveal(index);
        for (let line = 0; line <= this.hex.visible; line++) {
            const at = (this.hex.first + line) * this.perLine;
            if (!this.kindAt(at)) void work("partAt", at).then((one) => one >= 0 && this.part(one));
        }
    }

    async selectField(index: number) {
        const [part] = await work("parts", index, index + 1);
        if (!part) return;
        await this.mark(index, part.offset, part.offset + part.size,
                        `${part.path}: ${part.size} bytes at ${hexOffset(part.offset)}`);
        for (const listener of this.onSelect) listener(part, part.offset);
    }

    async selectByte(offset: number) {
        const [index, cell] = await Promise.all([work("partAt", offset), work("cellAt", this.name, offset).catch(() => null)]);
        if (!cell) return;
        await this.mark(index, cell.offset, cell.offset + cell.size,
                        `${cell.path || "unread"} = ${valueText(cell)} at ${hexOffset(cell.offset)}`);
        for (const listener of this.onSelect) listener(cell, offset);
    }

    /** Show some bytes, for example those of a finding. */
    async go(offset: number, size = 1, what = "") {
        showPanel("panel-bytes");
        const index = await work("partAt", offset);
        await this.mark(Math.max(0, index), offset, offset + Math.max(1, size), what || hexOffset(offset));
    }

    /** Show the bytes of a finding, and what they are in the model. */
    async goTo(offset: number | undefined, path: string) {
        const found = offset === undefined ? await work("locate", path) : { offset, size: 1, index: await work("partAt", offset) };
        if (!found) return;
        await this.go(found.offset, found.size, path);
        const [part] = await work("parts", found.index, found.index + 1);
        if (part) for (const listener of this.onSelect) listener(part, found.offset);
    }

    private async search() {
        const text = this.find.value.trim();
        if (!text) return;
        const offset = /^0x[0-9a-f]+$/i.test(text) ? parseInt(text, 16) : /^\d+$/.test(text) ? Number(text) : -1;
        if (offset >= 0 && offset < this.size) return this.selectByte(offset);
        const index = await work("search", text, this.field + 1);
        if (index >= 0) await this.selectField(index);
        else this.status.textContent = `'${text}' was not found`;
    }
}
