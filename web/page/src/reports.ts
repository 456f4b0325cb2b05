// reports.ts: what is in the file, what is wrong with it, and what was lost on the way to the screen.
// SPDX-License-Identifier: MIT

import type { CheckResult, Fault, Finding, Info, Loss, Rule } from "../../npm/index.d.ts";
import { button, byId, el, facts, fill, hint } from "./dom.ts";
import { setBadge } from "./tabs.ts";
import { count, fraction, hexOffset, nameOf, sizeText } from "./text.ts";

export type Jump = {
    toBytes: (offset: number | undefined, path: string) => void;
};

const COUNTS: [keyof Info, string][] = [
    ["meshes", "Meshes"], ["vertices", "Vertices"], ["triangles", "Triangles"], ["nodes", "Nodes"],
    ["joints", "Joints"], ["materials", "Materials"], ["animations", "Animations"], ["channels", "Channels"],
    ["frames", "Frames"], ["fonts", "Fonts"], ["font_sizes", "Font sizes"],
];

export function paintInfo(info: Info, title: string) {
    const pairs: [string, string][] = [["Format", title], ["Version", info.version], ["Size", sizeText(info.size)]];
    if (info.dialect !== info.version) pairs.push(["Dialect", info.dialect]);
    if (info.also) pairs.push(["Could also be", info.also]);
    for (const [key, label] of COUNTS)
        if (info[key] !== undefined) pairs.push([label, Number(info[key]).toLocaleString("en")]);
    if (info.bounds) {
        const { min, max } = info.bounds;
        pairs.push(["Extent", max.map((value, k) => Number((value - min[k]).toPrecision(4))).join(" × ")]);
    }
    if (info.trailing) pairs.push(["After the end", sizeText(info.trailing)]);
    const states = { found: "", missing: "missing", outside: "outside of the folder" };
    const materials = info.material_list.map(({ name, texture, texture_state }) =>
        el("li", {}, el("b", {}, nameOf(name) || "(no name)"),
           texture !== undefined && ` ${nameOf(texture)}`,
           texture_state && states[texture_state] && el("span", { class: "badge warning" }, states[texture_state])));
    const clips = info.clips.map(({ name, seconds, frames }) =>
        el("li", {}, el("b", {}, nameOf(name) || "(no name)"),
           [seconds !== undefined && ` ${Number(seconds.toFixed(3))} s`, frames !== undefined && ` ${frames} frames`]
               .filter(Boolean).join(",")));
    const more = info.facts.map(({ label, text }): [string, string] => [label, nameOf(text)]);
    fill(byId("panel-info"), facts(pairs),
         materials.length > 0 && el("h3", {}, "Materials"), materials.length > 0 && el("ul", {}, ...materials),
         clips.length > 0 && el("h3", {}, "Clips"), clips.length > 0 && el("ul", {}, ...clips),
         more.length > 0 && el("h3", {}, "More"), more.length > 0 && facts(more));
}

/** Why a file could not be read to its end. */
export function faultCard(fault: Fault, jump: Jump): HTMLElement {
    const place = fault.offset !== undefined ? hexOffset(fault.offset) : fault.line ? `line ${fault.line}` : "";
    return el("article", { class: "finding error" },
              el("h3", {}, el("span", { class: "badge error" }, fault.code), fault.code === "format" ? " The format is not known" : " The file is damaged, or of another kind"),
              el("p", {}, fault.message), fault.path && el("p", { class: "path" }, fault.path),
              fault.note && el("p", { class: "hint" }, fault.note),
              fault.offset !== undefined &&
                  button(`Bytes at ${place}`, () => jump.toBytes(fault.offset, fault.path ?? ""), { class: "small" }));
}

function findingCard(finding: Finding, rules: Map<string, Rule>, jump: Jump): HTMLElement {
    const { rule, severity, path, offset, message, fix, more } = finding, known = rules.get(rule);
    const explain = el("details", {}, el("summary", {}, rule), el("p", {}, known?.summary ?? ""),
                       fix && el("p", {}, `Fix: ${fix}`));
    return el("article", { class: `finding ${severity}` },
              el("p", {}, el("span", { class: `badge ${severity}` }, severity), ` ${nameOf(message)}`),
              path && el("p", { class: "path" }, nameOf(path)), explain,
              el("div", { class: "bar" },
                 (offset !== undefined || path) && button("Bytes", () => jump.toBytes(offset, path), { class: "small" })),
              more ? el("p", { class: "hint" }, `and ${more} more of this rule`) : null);
}

/** Errors first, each kind in the order of the file. */
function bySeverity(findings: Finding[]): Finding[] {
    const order = ["error", "warning", "info"];
    return [...findings].sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}

export function paintFindings(fault: Fault | null, result: CheckResult | null, rules: Map<string, Rule>, jump: Jump) {
    const errors = (result?.errors ?? 0) + (fault ? 1 : 0), warnings = result?.warnings ?? 0;
    const panel = byId("panel-findings");
    setBadge("panel-findings", String(errors + warnings || ""), errors ? "error" : "warning");
    const summary = result && [count(errors, "error"), count(warnings, "warning"), count(result.infos, "note")].join(", ");
    fill(panel, fault && faultCard(fault, jump), result && el("p", { class: "hint" }, summary!),
         ...bySeverity(result?.findings ?? []).map((finding) => findingCard(finding, rules, jump)),
         result && result.findings.length === 0 && hint("Every rule of the format holds."));
}

export function lossList(losses: Loss[]): HTMLElement {
    const list = el("ul", { class: "losses" });
    for (const { kind, feature, count: times, why, path, error } of losses)
        list.append(el("li", { class: kind }, el("span", { class: `badge ${kind}` }, kind), ` ${nameOf(feature)} (${times}): ${nameOf(why)}`,
                       error ? ` Largest error: ${fraction(error)} of the diagonal.` : "",
                       path && el("span", { class: "path" }, nameOf(path))));
    return list;
}

/** What had to be assumed or left out to show the model. */
export function paintLosses(losses: Loss[], missing: string[]) {
    setBadge("panel-losses", String(losses.length + missing.length || ""));
    const names = missing.map((name) => el("li", {}, nameOf(name)));
    fill(byId("panel-losses"),
         missing.length > 0 && el("h3", {}, "Missing pictures"),
         missing.length > 0 && el("ul", {}, ...names),
         missing.length > 0 && hint("Drop these files on the page, and they are shown."),
         el("h3", {}, "To show this model"), losses.length > 0 ? lossList(losses) : hint("Nothing was lost or assumed."));
}
