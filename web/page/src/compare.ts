// compare.ts: two models side by side: the same camera and time, distances as colors, differences.
// SPDX-License-Identifier: MIT

import { Color, Vector3 } from "three";
import type { DiffResult, VerifyResult } from "../../npm/index.d.ts";
import { verdictCard } from "./convert.ts";
import { button, byId, el, fill, hint, select } from "./dom.ts";
import { heat, type Looks } from "./looks.ts";
import type { Player } from "./player.ts";
import { disposeShown, makeShown, type Shown } from "./shown.ts";
import type { Stage } from "./stage.ts";
import { nameOf } from "./text.ts";
import { Helper, work } from "./work.ts";

type Parts = { stage: Stage; player: Player; looks: Looks };

/** Rest positions of all vertices in the scene. */
function worldPositions(shown: Shown): Float32Array {
    const total = shown.meshes.reduce((sum, mesh) => sum + mesh.geometry.attributes.position.count, 0);
    const all = new Float32Array(3 * total), point = new Vector3();
    let at = 0;
    shown.root.updateMatrixWorld(true);
    for (const mesh of shown.meshes)
        for (let i = 0; i < mesh.geometry.attributes.position.count; i++, at += 3)
            mesh.getVertexPosition(i, point).applyMatrix4(mesh.matrixWorld).toArray(all, at);
    return all;
}

export class Compare {
    private parts: Parts;
    private name = "";
    private shown: Shown | null = null;
    private other: Shown | null = null;
    private worst: Vector3 | null = null;
    private helper = new Helper();
    private turn = 0;
    private button = button("Stop comparing", () => this.stop(true), { class: "small" });
    private list = select("Other model", [], () => void this.run());
    private output = el("div", { attrs: { "aria-live": "polite" } });

    constructor(parts: Parts) {
        this.parts = parts;
        fill(byId("panel-compare"), el("label", { class: "field" }, el("span", {}, "Compare with"), this.list), this.button, this.output);
        parts.stage.onOverlay.push({ isOn: () => this.worst !== null, paint: (context) => this.paintWorst(context) });
    }

    /** The model that is shown, and those that it can be compared with. */
    attach(name: string, shown: Shown | null, names: string[]) {
        if (name !== this.name || shown !== this.shown) this.stop();
        Object.assign(this, { name, shown });
        const others = names.filter((one) => one !== name);
        fill(this.list, new Option(others.length ? "Choose a model" : "Drop a second model", ""),
             ...others.map((one) => new Option(nameOf(one), one)));
        this.list.disabled = others.length === 0;
        if (!this.other) fill(this.output, hint("Shows two models side by side, how far they are apart, and what differs."));
    }

    /** `fits`: the model has the whole width again. */
    stop(fits = false) {
        this.turn++;
        this.helper.cancel();
        this.button.hidden = true;
        this.worst = null;
        this.parts.stage.setOther(null);
        this.parts.player.follow(null);
        if (this.other) disposeShown(this.other);
        this.other = null;
        this.list.value = "";
        if (this.parts.looks.look === "distance") this.parts.looks.setLook("textured");
        fill(this.output);
        if (fits && this.shown) this.parts.stage.fit(this.shown.box);
    }

    private async run() {
        const chosen = this.list.value;
        this.stop();
        if (!chosen || !this.shown) return;
        this.list.value = chosen;
        const turn = this.turn, { stage, player } = this.parts;
        fill(this.output, hint("Comparing …"));
        try {
            const other = await makeShown(await work("view", chosen));
            if (turn !== this.turn) return disposeShown(other);
            this.other = other;
            stage.setOther(other.root);
            stage.fit(this.shown.box.clone().union(other.box));
            this.button.hidden = false;
            player.follow(other);
            const [verify, diff] = await Promise.all([this.helper.work("verify", this.name, chosen), this.helper.work("diff", this.name, chosen)]);
            if (turn === this.turn) this.paint(verify, diff);
        } catch (error) {
            if (turn === this.turn) fill(this.output, el("p", { class: "finding error" }, (error as Error).message));
        }
    }

    private paint(verify: VerifyResult, diff: DiffResult) {
        const worst = verify.worst as any;
        this.worst = worst?.where ? new Vector3(...worst.where) : null;
        const place = worst && [worst.clip && `clip '${worst.clip}'`, worst.seconds !== undefined && `${worst.seconds.toFixed(2)} s`,
                                worst.mesh && `mesh '${worst.mesh}'`, worst.joint && `joint '${worst.joint}'`].filter(Boolean).join(", ");
        const list = el("ul", { class: "losses" });
        for (const { kind, path, a, b, more } of diff.differences)
            list.append(el("li", {}, el("span", { class: "badge" }, kind), ` ${nameOf(path)}`, a !== undefined && `: ${nameOf(a)}`,
                           b !== undefined && ` → ${nameOf(b)}`, more ? ` and ${more} more` : ""));
        fill(this.output, verdictCard(verify), place && el("p", {}, `Worst: ${place}`),
             el("div", { class: "bar" }, place && button("Show that moment", () => this.goToWorst(worst), { class: "small" }),
                button("Distances as colors", () => void this.color(verify.diagonal), { class: "small" })),
             el("h3", {}, `${diff.count} differences`), list);
        this.parts.stage.draw();
    }

    private goToWorst({ clip, seconds }: { clip?: string; seconds?: number }) {
        const index = this.shown!.clips.findIndex((one) => one.name === clip);
        this.parts.player.choose(index, seconds ?? 0);
    }

    /** The distance of each vertex to the nearest of the other model, at rest; red is a hundredth of the diagonal. */
    private async color(diagonal: number) {
        if (!this.shown || !this.other) return;
        const { player, looks } = this.parts, { turn } = this;
        player.choose(-1);
        const distances = await this.helper.work("distances", worldPositions(this.shown), worldPositions(this.other));
        if (turn !== this.turn) return;
        const one = new Color();
        let at = 0;
        for (const mesh of this.shown.meshes) {
            const { count } = mesh.geometry.attributes.position, colors = new Float32Array(3 * count);
            for (let i = 0; i < count; i++, at++) heat(distances[at] / (0.01 * diagonal || 1), one).toArray(colors, 3 * i);
            looks.setColors(mesh, colors);
        }
        looks.setLook("distance");
    }

    private paintWorst(context: CanvasRenderingContext2D) {
        const at = this.worst && this.parts.stage.project(this.worst);
        if (!at) return;
        context.strokeStyle = "#e0382a";
        context.lineWidth = 2;
        context.beginPath();
        context.arc(at[0], at[1], 9, 0, 7);
        context.stroke();
    }
}
