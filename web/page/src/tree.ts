// tree.ts: the nodes of the model, as the file has them.
// SPDX-License-Identifier: MIT

import type { TreeNode } from "../../npm/index.d.ts";
import { byId, el, fill, hint } from "./dom.ts";
import { Rows } from "./rows.ts";
import { nameOf } from "./text.ts";

export class Tree {
    private nodes: TreeNode[] = [];
    private selected = -1;
    private rows = new Rows("Nodes of the model", 24, "tree", (index, row) => this.paint(index, row));
    onSelect: ((name: string, index: number) => void)[] = [];

    constructor() {
        this.rows.element.addEventListener("click", (event) => {
            const row = (event.target as HTMLElement).closest<HTMLElement>("[data-index]");
            if (row) this.select(Number(row.dataset.index), true);
        });
        this.rows.element.addEventListener("keydown", (event) => {
            const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
            if (!by || this.nodes.length === 0) return;
            event.preventDefault();
            this.select(Math.min(this.nodes.length - 1, Math.max(0, this.selected + by)), true);
        });
        byId("panel-tree").addEventListener("shown", () => this.rows.refresh());
    }

    attach(nodes: TreeNode[]) {
        this.nodes = nodes;
        this.selected = -1;
        fill(byId("panel-tree"), nodes.length ? this.rows.element : hint("This file has no nodes."));
        this.rows.setCount(nodes.length);
    }

    private paint(index: number, row: HTMLElement) {
        const { name, depth, kind, what } = this.nodes[index], isPlain = kind === "node";
        row.dataset.index = String(index);
        row.setAttribute("role", "treeitem");
        row.setAttribute("aria-level", String(depth + 1));
        row.setAttribute("aria-selected", String(index === this.selected));
        row.style.paddingInlineStart = `${8 + 14 * Math.min(depth, 12)}px`;
        fill(row, el("span", { class: "name" }, nameOf(name) || "(no name)"),
             el("span", { class: "kind" }, [isPlain ? "" : kind, what].filter(Boolean).join(", ")));
    }

    select(index: number, isUser = false) {
        this.selected = index;
        if (index >= 0) this.rows.reveal(index);
        else this.rows.refresh();
        if (isUser && index >= 0)
            for (const listener of this.onSelect) listener(nameOf(this.nodes[index].name), index);
    }

    selectName(name: string) {
        const index = this.nodes.findIndex((node) => nameOf(node.name) === name);
        if (index >= 0) this.select(index);
    }
}
