// controls.ts: the bar above the model, keys, and the theme.
// SPDX-License-Identifier: MIT

import { button, byId, checkbox, el, fill, select } from "./dom.ts";
import type { Look, Looks } from "./looks.ts";
import type { Player } from "./player.ts";
import type { Shown } from "./shown.ts";
import type { Backdrop, Stage } from "./stage.ts";
import { showPanel } from "./tabs.ts";
import { nameOf } from "./text.ts";

type Parts = { stage: Stage; looks: Looks; player: Player; fit: () => void; choose: () => void; pick: () => void };

const KEYS: [string, string][] = [
    ["O", "open files"], ["F", "fit the model"], ["Space", "play or pause"], [", and .", "one frame back or on"],
    ["Arrows", "turn the camera"], ["+ and −", "closer and farther"], ["Enter", "bytes of what is in the middle"], ["G", "grid"], ["W", "wireframe"], ["B", "bones"],
    ["N", "names of bones"], ["X", "bounds"], ["1 to 5", "textured, plain, normals, UV, weights"],
    ["T", "light or dark"], ["M", "bytes"], ["C", "convert"], ["?", "this list"],
];

export function makeControls({ stage, looks, player, fit, choose, pick }: Parts) {
    const look = select("Look", [["textured", "Textured"], ["plain", "Plain"], ["normals", "Normals"], ["uv", "UV checker"],
                                 ["weights", "Weights"]], (value) => setLook(value as Look));
    const joint = select("Joint", [], (value) => chooseJoint(Number(value)));
    joint.hidden = true;
    const change = (set: (on: boolean) => void) => (on: boolean) => { set(on); looks.apply(); };
    const boxes = {
        grid: checkbox("Grid", true, (on) => stage.setGrid(on)),
        wireframe: checkbox("Wireframe", false, change((on) => { looks.wireframe = on; })),
        bones: checkbox("Bones", false, change((on) => { looks.showsBones = on; })),
        names: checkbox("Names", false, change((on) => { looks.showsNames = on; }), "Names of bones"),
        bounds: checkbox("Bounds", false, change((on) => { looks.showsBounds = on; })),
    };
    const light = el("input", { attrs: { type: "range", min: 0, max: 2, step: 0.05, value: 1, "aria-label": "Light" },
                                on: { input: () => stage.setLight(Number(light.value)) } });
    const backdrop = select("Background", [["auto", "Auto"], ["light", "Light"], ["gray", "Gray"], ["dark", "Dark"]],
                            (value) => stage.setBackdrop(value as Backdrop));
    const more = el("details", { class: "menu" }, el("summary", {}, "Scene"),
                    el("div", { class: "popup" }, el("label", { class: "field" }, el("span", {}, "Light"), light),
                       el("label", { class: "field" }, el("span", {}, "Background"), backdrop), ...Object.values(boxes)));
    byId("toolbar").hidden = true;
    fill(byId("toolbar"), look, joint, button("Fit", fit, { title: "Show all of the model (F)" }), more);

    function setLook(value: Look) {
        look.value = value;
        joint.hidden = value !== "weights";
        looks.setLook(value);
    }

    function chooseJoint(index: number) {
        looks.joint = index;
        joint.value = String(index);
        looks.apply();
    }

    const help = byId<HTMLDialogElement>("help");
    fill(byId("keys"), ...KEYS.flatMap(([key, what]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)]));
    byId("help-open").addEventListener("click", () => help.showModal());
    byId("help-close").addEventListener("click", () => help.close());

    function switchTheme() {
        const { dataset } = document.documentElement;
        const isDark = dataset.theme ? dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
        dataset.theme = isDark ? "light" : "dark";
        stage.paint();
    }
    byId("theme").addEventListener("click", switchTheme);

    const toggle = (name: keyof typeof boxes) => () => boxes[name].querySelector("input")!.click();
    const step = 0.12;
    const keys: Record<string, () => void> = {
        o: choose, f: fit, " ": () => player.toggle(), ",": () => player.nudge(-1), ".": () => player.nudge(1),
        g: toggle("grid"), w: toggle("wireframe"), b: toggle("bones"), n: toggle("names"), x: toggle("bounds"),
        "1": () => setLook("textured"), "2": () => setLook("plain"), "3": () => setLook("normals"), "4": () => setLook("uv"),
        "5": () => setLook("weights"), t: switchTheme, m: () => showPanel("panel-bytes"), c: () => showPanel("panel-convert"),
        "?": () => help.showModal(), Enter: pick, ArrowLeft: () => stage.turn(-step, 0), ArrowRight: () => stage.turn(step, 0),
        ArrowUp: () => stage.turn(0, step), ArrowDown: () => stage.turn(0, -step),
        "+": () => stage.turn(0, 0, 0.9), "=": () => stage.turn(0, 0, 0.9), "-": () => stage.turn(0, 0, 1.1),
    };
    addEventListener("keydown", (event) => {
        const target = event.target as HTMLElement, key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        const isTaken = target.closest("input, select, textarea, dialog, [role=tree], [role=listbox], [role=grid]") ||
            (/^( |Enter)$/.test(key) && target.closest("button, summary"));
        if (event.ctrlKey || event.metaKey || event.altKey || isTaken || !keys[key]) return;
        event.preventDefault();
        keys[key]();
    });

    return {
        chooseJoint,
        setLook,
        attach(shown: Shown | null) {
            const joints = shown?.joints ?? [];
            byId("toolbar").hidden = !shown;
            const names = joints.map((one, index) => new Option(nameOf(shown!.names.get(one)) || `joint ${index}`, String(index)));
            fill(joint, ...names);
            looks.joint = 0;
            for (const [name, on] of [["bones", looks.showsBones], ["names", looks.showsNames]] as const)
                boxes[name].querySelector("input")!.checked = on;
            look.querySelector<HTMLOptionElement>("[value=weights]")!.disabled = joints.length === 0;
            if (look.value === "weights" && joints.length === 0) setLook("textured");
        },
    };
}
