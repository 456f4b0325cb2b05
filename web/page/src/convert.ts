// convert.ts: the form for conversions: what is lost, and how far the result is off, before saving.
// SPDX-License-Identifier: MIT

import type { ConvertOptions, Format, VerifyResult } from "../../npm/index.d.ts";
import { button, byId, checkbox, el, facts, fill, hint, select } from "./dom.ts";
import type { Converted } from "./protocol.ts";
import { lossList } from "./reports.ts";
import { fraction, sizeText, stem } from "./text.ts";
import { Helper, WorkError } from "./work.ts";
import { saveFiles } from "./zip.ts";

const MODES = { corner: "corner by corner", surface: "surface to surface", node: "node by node" };

export function verdictCard(verify: VerifyResult): HTMLElement {
    const isGood = verify.verdict === "verified";
    return el("div", { class: `finding ${isGood ? "good" : "warning"}` },
              el("p", {}, el("b", {}, verify.verdict)),
              facts([["largest distance", `${fraction(verify.largest)} of the diagonal`],
                     ["mean (RMS)", fraction(verify.rms)],
                     ["compared", MODES[verify.mode]]]));
}

export class ConvertPanel {
    private name = "";
    private formats: Format[] = [];
    private isDamaged = false;
    private result: Converted | null = null;
    private helper = new Helper();
    private turn = 0;
    private target = select("Format", [], () => this.chooseTarget());
    private dialect = select("Dialect", [], () => void this.run());
    private textures = select("Pictures", [["", "default"], ["keep", "keep names"], ["embed", "embed"], ["copy", "copy"]],
                              () => void this.run());
    private scale = el("input", { attrs: { type: "number", step: "any", min: 0, value: 1, "aria-label": "Scale" },
                                  on: { change: () => void this.run() } });
    private rate = el("input", { attrs: { type: "number", step: "any", min: 0, placeholder: "default", "aria-label": "Frames per second" },
                                 on: { change: () => void this.run() } });
    private verify = checkbox("Measure the error", true, () => void this.run());
    private output = el("div", { attrs: { "aria-live": "polite" } });

    constructor() {
        byId("panel-convert").addEventListener("shown", () => {
            if (!this.result && this.name) void this.run();
        });
    }

    setFormats(formats: Format[]) {
        this.formats = formats.filter((format) => format.writes);
        // glTF is best known by its one-file form.
        const options = this.formats.flatMap((format): [string, string][] => {
            const names = format.dialects.filter((dialect) => format.extensions.includes(dialect));
            return names.length > 1 ? names.map((one) => [one, `${format.title} .${one}`])
                : [[format.name, format.title]];
        });
        fill(this.target, ...options.map(([value, text]) => new Option(text, value)));
        const row = (label: string, control: HTMLElement) => el("label", { class: "field" }, el("span", {}, label), control);
        fill(byId("panel-convert"), row("Convert to", this.target), row("Dialect", this.dialect), row("Pictures", this.textures),
             row("Scale", this.scale), row("Frames per second", this.rate), this.verify, this.output);
        this.chooseTarget(false);
    }

    attach(name: string, isDamaged: boolean) {
        this.cancel();
        Object.assign(this, { name, isDamaged, result: null });
        fill(this.output, hint("Choose a format to see what the conversion keeps."));
        if (!byId("panel-convert").hidden) void this.run();
    }

    private chooseTarget(runs = true) {
        const format = this.formats.find((one) => one.name === this.target.value);
        const dialects = format && format.dialects.length > 1 ? format.dialects : [];
        fill(this.dialect, new Option("default", ""), ...dialects.map((one) => new Option(one, one)));
        this.dialect.disabled = dialects.length === 0;
        if (runs) void this.run();
    }

    private options(): ConvertOptions {
        const number = (input: HTMLInputElement) => Number(input.value) || undefined;
        return { textures: (this.textures.value || undefined) as ConvertOptions["textures"], scale: number(this.scale),
                 rate: number(this.rate), verify: this.verify.querySelector("input")!.checked && !this.isDamaged };
    }

    private cancel() {
        this.turn++;
        this.helper.cancel();
        fill(this.output, hint("Stopped."));
    }

    private async run() {
        if (!this.name) return;
        this.cancel();
        const { turn } = this, format = this.target.value + (this.dialect.value ? `:${this.dialect.value}` : "");
        fill(this.output, hint(this.isDamaged ? "Recovering …" : "Converting …"),
             button("Stop", () => this.cancel(), { class: "small" }));
        try {
            const result = this.isDamaged ? await this.helper.work("salvage", this.name, format)
                : await this.helper.work("convert", this.name, format, this.options());
            if (turn !== this.turn) return;
            this.result = result;
            this.paint(result);
        } catch (error) {
            if (turn !== this.turn) return;
            const { losses } = (error as WorkError).fault as any ?? {};
            fill(this.output, el("p", { class: "finding error" }, (error as Error).message), losses && lossList(losses));
        }
    }

    private paint({ files, losses, verify }: Converted) {
        const name = stem(this.name), label = files.length > 1 ? `Save ${files.length} files as ${name}.zip` : `Save ${files[0].name}`;
        const save = button(label, () => void saveFiles(name, files), { class: "primary" });
        fill(this.output, this.isDamaged && hint("The file is damaged: this is what is intact in it."), save,
             el("ul", { class: "plain" }, ...files.map((file) => el("li", {}, `${file.name}, ${sizeText(file.data.length)}`))),
             verify && verdictCard(verify), el("h3", {}, "Lost or changed"),
             losses.length ? lossList(losses) : hint("Nothing."));
    }
}
