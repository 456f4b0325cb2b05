// select.ts: model, tree and bytes lead to each other.
// SPDX-License-Identifier: MIT

import type { Part } from "../../npm/index.d.ts";
import type { ByteMap } from "./bytes.ts";
import { byId } from "./dom.ts";
import { cornersOf, type Picked, type Picker } from "./pick.ts";
import type { Shown } from "./shown.ts";
import { nameOf } from "./text.ts";
import type { Tree } from "./tree.ts";
import { work } from "./work.ts";

type Parts = {
    picker: Picker;
    tree: Tree;
    bytes: ByteMap;
    say: (text: string) => void;
    chooseJoint: (index: number) => void;
    now: () => { shown: Shown | null; name: string }; // The model, and its file.
};

export class Selection {
    private parts: Parts;
    private turn = 0;

    constructor(parts: Parts) {
        this.parts = parts;
        parts.tree.onSelect.push((name) => void this.fromTree(name));
        parts.bytes.onSelect.push((part, offset) => void this.fromBytes(part, offset));
        let down = [0, 0];
        byId("canvas").addEventListener("pointerdown", (event) => { down = [event.offsetX, event.offsetY]; });
        byId("canvas").addEventListener("pointerup", (event) => {
            const moved = Math.hypot(event.offsetX - down[0], event.offsetY - down[1]);
            if (event.button === 0 && moved < 4) void this.fromPoint(event.offsetX, event.offsetY);
        });
    }

    private partOf(mesh: Picked["mesh"]): { node: number; primitive: number; text: string; name?: string } {
        const { shown } = this.parts.now(), { node, primitive } = shown!.places.get(mesh)!;
        const object = shown!.nodes.get(node), name = object && shown!.names.get(object);
        return { node, primitive, name, text: `part ${primitive} of '${nameOf(name ?? "")}'` };
    }

    // -- From the model

    /** Returns whether a triangle is there. */
    async fromPoint(x: number, y: number): Promise<boolean> {
        const { picker, now } = this.parts, { shown } = now();
        if (!shown) return false;
        const found = await picker.at(shown, x, y);
        picker.mark(found);
        if (found) await this.trace(found);
        return found !== null;
    }

    /** Show the bytes of a triangle. */
    async trace({ mesh, triangle }: Picked) {
        const { tree, say, bytes, now } = this.parts, turn = ++this.turn, { name: file } = now();
        const { node, primitive, name, text } = this.partOf(mesh), what = `Triangle ${triangle} of ${text}`;
        if (name) tree.selectName(name);
        say(what);
        const traced = await work("trace", file, node, primitive, triangle).catch(() => null);
        if (!traced || turn !== this.turn || now().name !== file) return;
        const { path, offset, size } = traced.triangle;
        const vertices = traced.corners.map((corner) => corner.path.replace(/.*(?=\[)/, "")).join(" ");
        say(`${what}: ${path}, vertices ${vertices}`);
        if (offset !== undefined) await bytes.go(offset, size, path);
    }

    // -- From bytes

    /** Show what a byte is: a vertex, a triangle, or the node of that name. */
    async fromBytes({ path, value }: Pick<Part, "path" | "value">, offset: number) {
        const { picker, tree, say, now } = this.parts, turn = ++this.turn, { shown, name: file } = now();
        const found = shown && await work("traceBack", file, offset).catch(() => null);
        if (turn !== this.turn || now().shown !== shown) return;
        const mesh = found && shown.meshes.find((one) => {
            const place = shown.places.get(one);
            return place?.node === found.node && place.primitive === found.primitive;
        });
        picker.mark(mesh ? { mesh, triangle: found.triangle, corner: found.corner } : null);
        if (mesh) {
            const { text, name } = this.partOf(mesh), { triangle, corner } = found;
            const vertex = corner === undefined ? "Triangle" : `Vertex ${cornersOf(mesh, triangle)[corner]} in triangle`;
            if (name) tree.selectName(name);
            say(`${vertex} ${triangle} of ${text}`);
        } else if (typeof value === "string" && this.showNode(nameOf(value))) {
            tree.selectName(nameOf(value));
            say(`${path}: the node '${nameOf(value)}'`);
        } else say("");
    }

    // -- From the tree

    private async fromTree(name: string) {
        this.showNode(name);
        const index = await work("search", name, 0);
        if (index >= 0) await this.parts.bytes.selectField(index);
    }

    /** Mark the joint of that name; false if there is no such node. */
    private showNode(name: string): boolean {
        const { shown } = this.parts.now();
        for (const [object, own] of shown?.names ?? []) {
            if (name === "" || nameOf(own) !== name) continue;
            const index = shown!.joints.indexOf(object);
            if (index >= 0) this.parts.chooseJoint(index);
            return true;
        }
        return false;
    }
}
