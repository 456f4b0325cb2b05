// player.ts: plays the clips of a model, and the bar below it.
// SPDX-License-Identifier: MIT

import { AnimationMixer, LoopOnce, LoopRepeat, type AnimationAction } from "three";
import type { Info } from "../../npm/index.d.ts";
import { button, byId, checkbox, el, fill, hint, select } from "./dom.ts";
import type { Shown } from "./shown.ts";
import type { Stage } from "./stage.ts";
import { nameOf } from "./text.ts";

export class Player {
    private stage: Stage;
    private mixer: AnimationMixer | null = null;
    private action: AnimationAction | null = null;
    private shown: Shown | null = null;
    private other: { shown: Shown; mixer: AnimationMixer } | null = null; // Has the same pose.
    private frames: (number | undefined)[] = [];
    private slider = el("input", { attrs: { type: "range", min: 0, step: "any", "aria-label": "Time" },
                                   on: { input: () => this.seek(Number(this.slider.value)) } });
    private label = el("output", { class: "time" });
    private playButton = button("Play", () => this.toggle(), { title: "Play or pause (Space)" });
    private list = select("Clip", [], (value) => this.choose(Number(value)));
    private bar: HTMLElement[] = [];
    private speed = 1;
    private loops = true;
    clip = -1; // -1: the rest pose.
    isPlaying = false;
    onChange: (() => void)[] = [];

    constructor(stage: Stage) {
        this.stage = stage;
        stage.onFrame.push((passed) => this.step(passed));
        const speeds: [string, string][] = ["0.1", "0.25", "0.5", "1", "2", "4"].map((s) => [s, `${s} ×`]);
        const speed = select("Speed", speeds, (value) => { this.speed = Number(value); });
        speed.value = "1";
        const loop = checkbox("Loop", true, (on) => { this.loops = on; this.choose(this.clip, this.time); });
        this.bar = [this.playButton, this.list, this.slider, this.label, speed, loop];
    }

    attach(shown: Shown | null, info: Info | null) {
        this.mixer?.stopAllAction();
        this.shown = shown;
        this.mixer = shown ? new AnimationMixer(shown.root) : null;
        this.action = null;
        const clips = shown?.clips ?? [];
        const framesOf = (name: string) => info?.clips.find((clip) => nameOf(clip.name) === name)?.frames;
        this.frames = clips.map((clip) => framesOf(clip.name));
        fill(this.list, new Option("Rest pose", "-1"),
             ...clips.map((clip, index) => new Option(nameOf(clip.name) || `clip ${index + 1}`, String(index))));
        // It is always there: if it came and went, the canvas would change its size.
        byId("player").classList.toggle("none", clips.length === 0);
        fill(byId("player"), ...(clips.length ? this.bar : [hint("No clips")]));
        this.isPlaying = false;
        this.choose(-1);
    }

    /** Pose a second model as the first, by the names of clips; null: no more. */
    follow(shown: Shown | null) {
        this.other?.mixer.stopAllAction();
        this.other = shown && { shown, mixer: new AnimationMixer(shown.root) };
        this.poseOther();
    }

    private poseOther() {
        if (!this.other) return;
        const { shown, mixer } = this.other, name = this.shown?.clips[this.clip]?.name;
        const clip = shown.clips.find((one) => one.name === name);
        mixer.stopAllAction();
        if (!clip) return;
        const action = mixer.clipAction(clip).setLoop(LoopOnce, 1);
        action.clampWhenFinished = true;
        action.reset().play();
        action.time = Math.min(this.time, clip.duration);
        mixer.update(0);
    }

    get duration(): number {
        return this.shown?.clips[this.clip]?.duration ?? 0;
    }

    get time(): number {
        return this.action?.time ?? 0;
    }

    choose(clip: number, time = 0) {
        const chosen = this.shown?.clips[clip];
        this.mixer?.stopAllAction();
        this.clip = chosen ? clip : -1;
        this.action = chosen && this.mixer ? this.mixer.clipAction(chosen) : null;
        if (this.action) {
            this.action.setLoop(this.loops ? LoopRepeat : LoopOnce, Infinity);
            this.action.clampWhenFinished = true;
            this.action.play();
        }
        this.list.value = String(this.clip);
        this.slider.max = String(this.duration || 1);
        this.slider.disabled = !chosen;
        if (!chosen) this.isPlaying = false;
        this.seek(Math.min(time, this.duration));
    }

    seek(time: number) {
        if (this.action && this.mixer) {
            this.action.reset().play();
            this.action.time = Math.min(Math.max(time, 0), this.duration);
            this.action.paused = false;
            this.mixer.update(0);
        } else if (this.mixer) this.mixer.update(0);
        this.report();
        this.stage.draw();
    }

    toggle(on = !this.isPlaying) {
        if (!this.action && this.shown?.clips.length) this.choose(0);
        if (on && !this.loops && this.time >= this.duration) this.seek(0);
        this.isPlaying = on && !!this.action;
        this.report();
        this.stage.draw();
    }

    /** One frame of the format, or a sixtieth of a second. */
    nudge(frames: number) {
        const all = this.frames[this.clip];
        const step = all && all > 1 ? this.duration / (all - 1) : 1 / 60;
        this.toggle(false);
        this.seek(this.time + frames * step);
    }

    private step(passed: number): boolean {
        if (!this.isPlaying || !this.mixer || !this.action) return false;
        this.mixer.update(passed * this.speed);
        if (!this.loops && this.time >= this.duration) this.isPlaying = false;
        this.report();
        return this.isPlaying;
    }

    private report() {
        this.poseOther();
        const all = this.frames[this.clip], { time, duration } = this;
        this.slider.value = String(time);
        const at = all && all > 1 && duration ? `frame ${Math.round((time / duration) * (all - 1))} of ${all - 1}` : "";
        this.label.textContent = this.clip < 0 ? "" : `${time.toFixed(2)} / ${duration.toFixed(2)} s${at && ` · ${at}`}`;
        this.slider.setAttribute("aria-valuetext", `${time.toFixed(2)} seconds`);
        this.playButton.textContent = this.isPlaying ? "Pause" : "Play";
        for (const listener of this.onChange) listener();
    }
}
