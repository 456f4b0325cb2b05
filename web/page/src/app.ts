// app.ts: the page: files come in, models are shown, panels follow.
// SPDX-License-Identifier: MIT

import { Vector3 } from "three";
import type { Format, Rule } from "../../npm/index.d.ts";
import { ByteMap } from "./bytes.ts";
import { Compare } from "./compare.ts";
import { ConvertPanel } from "./convert.ts";
import { button, byId, el, fill } from "./dom.ts";
import { chooseModel, droppedFiles, filesOf, isModel } from "./drop.ts";
import { packed, ready, type Coming } from "./early.ts";
import { makeControls } from "./controls.ts";
import { paintFonts } from "./fonts.ts";
import { Looks } from "./looks.ts";
import { readLink, writeLink } from "./link.ts";
import { Picker } from "./pick.ts";
import { Player } from "./player.ts";
import type { Dropped, Opened, View } from "./protocol.ts";
import { paintFindings, paintInfo, paintLosses, type Jump } from "./reports.ts";
import { Selection } from "./select.ts";
import { startServed } from "./served.ts";
import { disposeShown, makeShown, type Shown } from "./shown.ts";
import { Stage } from "./stage.ts";
import { makeTabs, setBadge, showPanel } from "./tabs.ts";
import { extension, nameOf, sizeText } from "./text.ts";
import { Tree } from "./tree.ts";
import { work, WorkError } from "./work.ts";

makeTabs();
const stage = new Stage(byId<HTMLCanvasElement>("canvas"), byId<HTMLCanvasElement>("overlay"));
const player = new Player(stage), looks = new Looks(stage), picker = new Picker(stage);
const compare = new Compare({ stage, player, looks });
const tree = new Tree(), bytes = new ByteMap(), converter = new ConvertPanel();
const rules = new Map<string, Rule>();
let formats: Format[] = [];
let names: string[] = []; // Files that are there.
let opened: Opened | null = null;
let shown: Shown | null = null;
let turn = 0;

function say(text: string, kind = "") {
    fill(byId("message"), text);
    byId("message").className = kind;
    byId("message").hidden = text === "";
}

const jump: Jump = { toBytes: (offset, path) => void bytes.goTo(offset, path) };

// -- Opening

async function add(files: Dropped[]) {
    if (files.length === 0) return;
    const added = await work("add", files, []);
    names = [...new Set([...names, ...added])];
    paintFiles();
    // Files that belong to a model join the one that is shown; clips are of BBMOD models.
    const joins = (name: string) => !isModel(name) || (extension(name) === "bbanim" && extension(opened!.name) === "bbmod");
    const isPart = opened && added.every(joins);
    await open(isPart ? opened!.name : chooseModel(added, link.model));
}

/** Open a file that was added; `coming` if the worker does that already. */
async function open(name: string, coming?: Coming) {
    const now = ++turn, isSame = opened?.name === name, view = stage.view, { clip, time, isPlaying } = player;
    document.body.removeAttribute("data-empty");
    say(`Reading ${nameOf(name)} …`);
    try {
        const asked = coming ?? { opened: work("open", name), view: work("view", name) };
        asked.view.catch(() => {}); // show() says why.
        const result = await asked.opened;
        if (now !== turn) return;
        opened = result;
        await show(now, asked.view, isSame ? view : "");
        if (now !== turn) return;
        fill(byId("title"), nameOf(name));
        document.title = `${nameOf(name)} - Tenon`;
        paintFiles();
        await describe(now);
        if (now === turn && !isSame) applyLink();
        if (now === turn && isSame && clip >= 0) {
            player.choose(clip, time);
            player.toggle(isPlaying);
        }
    } catch (error) {
        if (now === turn) say((error as Error).message, "error");
    }
}

/** The panels and the toolbar, for what is on the stage now. */
function attachShown() {
    player.attach(shown, opened?.info ?? null);
    controls.attach(shown);
    compare.attach(opened?.name ?? "", shown, names.filter(isModel));
}

function replaceShown(next: Shown | null) {
    compare.stop();
    player.attach(null, null);
    if (shown) disposeShown(shown);
    picker.mark(null);
    shown = next;
    stage.setFirst(shown?.root ?? null);
    looks.attach(shown);
}

/** Draw the model before anything else is done with it. */
async function show(now: number, coming: Promise<View>, view: string) {
    const { name } = opened!;
    let message: [string, string] = ["", ""];
    try {
        const result = await coming;
        if (now !== turn) return;
        const next = await makeShown(result);
        await stage.upload(next.root, next.box);
        if (now !== turn) return disposeShown(next);
        replaceShown(next);
        if (view) stage.view = view;
        else stage.fit(next.box, new Vector3(0.9, 0.55, 1.3));
        markShown(name);
        await stage.drawn();
        if (now !== turn) return;
        paintLosses(result.losses, result.missing);
        if (result.isSalvaged) message = ["This file is damaged. What is intact in it is shown.", "warning"];
        else if (result.missing.length)
            message = [`Missing: ${result.missing.slice(0, 5).map(nameOf).join(", ")}. Drop the files here to see them.`, "warning"];
    } catch (error) {
        if (now !== turn) return;
        replaceShown(null);
        paintLosses([], []);
        // What is unknown was not recovered for the same reason, in worse words.
        const isUnknown = opened!.fault?.code === "format", why = isUnknown ? opened!.fault!.message : (error as WorkError).message;
        if (opened!.info?.format === "bbanim") message = ["This is an animation. Drop its model, a .bbmod file, to see it move.", "warning"];
        else if (!opened!.info?.fonts) message = [`There is nothing to draw: ${why}`, "warning"];
        markShown(name);
    }
    document.body.removeAttribute("data-starting");
    attachShown();
    say(...message);
}

function markShown(name: string) {
    performance.mark("shown");
    document.body.dataset.shown = name;
}

/** The panels: structure first, then what takes longer. */
async function describe(now: number) {
    const { name, info, fault, size } = opened!;
    await learn();
    if (now !== turn) return;
    const format = formats.find((one) => one.name === info?.format);
    const title = format?.title ?? info?.format ?? "";
    if (info) paintInfo(info, title);
    else fill(byId("panel-info"), el("p", { class: "hint" }, `${nameOf(name)}, ${sizeText(size)}`));
    fill(byId("badge"), fault ? (fault.code === "format" ? "unknown" : "damaged")
         : title.endsWith(info!.version) ? title : `${title} ${info!.version}`);
    converter.attach(name, fault !== null);
    paintFindings(fault, null, rules, jump);
    if (fault) showPanel("panel-findings");
    const tried = async <T>(call: Promise<T>, otherwise: T) => call.catch(() => otherwise);
    const nodes = await tried(work("tree", name), []);
    if (now !== turn) return;
    tree.attach(nodes);
    const map = await tried(work("map", name), { count: 0, fault: null });
    if (now !== turn) return;
    bytes.attach(name, size, map.count);
    paintFonts(info?.fonts ? await tried(work("fonts", name), []) : []);
    if (now !== turn) return;
    const checked = fault ? null : await tried(work("check", name), null);
    if (now !== turn) return;
    paintFindings(fault, checked, rules, jump);
    document.body.dataset.described = name;
}

// -- Links

/** The state in the address, once: model, camera, clip, time, look, byte. */
let link = readLink();

function applyLink() {
    const { view, clip, time, look, byte } = link;
    link = {};
    if (view) stage.view = view;
    if (clip !== undefined && shown) player.choose(shown.clips.findIndex((one) => one.name === clip), Number(time ?? 0));
    if (look) controls.setLook(look as any);
    if (byte) void bytes.selectByte(Number(byte));
}

function saveLink() {
    if (!opened || player.isPlaying) return;
    const clip = shown?.clips[player.clip]?.name;
    writeLink({ model: opened.name, view: stage.view, clip, time: clip === undefined ? undefined : player.time.toFixed(3),
                look: looks.look === "textured" ? undefined : looks.look,
                byte: bytes.offset < 0 ? undefined : String(bytes.offset) });
}
stage.onMove.push(saveLink);
player.onChange.push(saveLink);
bytes.onSelect.push(saveLink);

// -- Files

function paintFiles() {
    const isUsed = (name: string) => name === opened?.name;
    const list = el("ul", { class: "files" });
    for (const name of names) {
        const label = nameOf(name);
        list.append(el("li", { class: isUsed(name) ? "current" : "" },
                       isModel(name) ? button(label, () => void open(name), { class: "link" }) : el("span", {}, label),
                       button("×", () => void forget(name), { class: "icon", attrs: { "aria-label": `Remove ${label}` } })));
    }
    setBadge("panel-files", names.length > 1 ? String(names.length) : "");
    fill(byId("panel-files"), list, button("Add files", choose, { class: "small" }));
}

async function forget(name: string) {
    names = await work("remove", [name]);
    paintFiles();
    if (name === opened?.name) {
        turn++;
        opened = null;
        replaceShown(null);
        attachShown();
        document.body.toggleAttribute("data-empty", true);
        say("");
    } else if (opened) await open(opened.name);
}

function choose() {
    byId<HTMLInputElement>("chooser").click();
}

byId<HTMLInputElement>("chooser").addEventListener("change", (event) => {
    const input = event.target as HTMLInputElement;
    void add(filesOf(input.files!));
    input.value = "";
});
for (const id of ["open", "welcome-open"]) byId(id).addEventListener("click", choose);
addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.toggleAttribute("data-drag", true);
});
addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.removeAttribute("data-drag");
});
addEventListener("drop", async (event) => {
    event.preventDefault();
    document.body.removeAttribute("data-drag");
    await add(await droppedFiles(event.dataTransfer!));
});

/** Without a mouse: what the camera looks at. */
async function pickMiddle() {
    if (shown && !await selection.fromPoint(...stage.middle)) say("Nothing is in the middle of the picture.");
}

const controls = makeControls({ stage, looks, player, fit: () => shown && stage.fit(shown.box), choose, pick: () => void pickMiddle() });
const selection = new Selection({ picker, tree, bytes, say, chooseJoint: controls.chooseJoint,
                                  now: () => ({ shown, name: opened?.name ?? "" }) });

// -- Start

/** Formats and rules, after the first model has been shown. */
async function learn() {
    if (formats.length) return;
    const about = await work("about");
    for (const rule of about.rules) rules.set(rule.id, rule);
    ({ formats } = about);
    converter.setFormats(formats);
}

async function start() {
    await ready;
    showPanel("panel-info");
    if (packed) {
        ({ names } = packed);
        await open(packed.name, packed);
    }
    await learn();
    startServed(add);
    document.body.dataset.ready = "";
}

void start().catch((error) => {
    document.body.removeAttribute("data-empty");
    document.body.removeAttribute("data-starting");
    say(`The library could not be started: ${error.message}`, "error");
});

/** For tests. */
Object.assign(globalThis, { tenonPage: { stage, player, looks, picker, bytes, work, selection, open, add,
                                         get shown() { return shown; }, get opened() { return opened; } } });
