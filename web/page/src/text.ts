// text.ts: numbers and names as people read them.
// SPDX-License-Identifier: MIT

import type { FileText } from "../../npm/index.d.ts";

// What could reorder or hide text on the screen.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A name from a file, on one line. */
export function nameOf(text: FileText | undefined): string {
    if (text === undefined) return "";
    return typeof text === "string" ? text.replace(HIDDEN, "\ufffd") : `0x${text.hex}`;
}

export function sizeText(bytes: number): string {
    if (bytes < 1000) return `${bytes} bytes`;
    const units = ["kB", "MB", "GB"];
    let size = bytes / 1000, unit = 0;
    while (size >= 999.5 && unit < 2) {
        size /= 1000;
        unit++;
    }
    return `${size.toFixed(size < 10 ? 1 : 0)} ${units[unit]}`;
}

export function hexOffset(offset: number): string {
    return `0x${offset.toString(16).padStart(6, "0")}`;
}

export function count(number: number, noun: string, plural = `${noun}s`): string {
    return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}

export function seconds(time: number): string {
    return `${time.toFixed(2)} s`;
}

/** A distance as a fraction of the model's diagonal. */
export function fraction(value: number | "inf" | undefined): string {
    if (value === undefined) return "";
    if (value === "inf") return "infinite";
    return value === 0 ? "0" : value.toPrecision(2);
}

export function baseName(path: string): string {
    return path.slice(path.lastIndexOf("/") + 1);
}

export function extension(path: string): string {
    const base = baseName(path), dot = base.lastIndexOf(".");
    return dot < 0 ? "" : base.slice(dot + 1).toLowerCase();
}

export function stem(path: string): string {
    const base = baseName(path), dot = base.lastIndexOf(".");
    return dot > 0 ? base.slice(0, dot) : base;
}
