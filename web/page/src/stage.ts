// stage.ts: the canvas: camera, lights, grid. Frames are drawn when something has changed.
// SPDX-License-Identifier: MIT

import {
    AmbientLight, Box3, Color, DirectionalLight, GridHelper, HemisphereLight, Object3D, PerspectiveCamera,
    Scene, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { forgetUploads, nextTurn, preparePrograms, uploadArrays } from "./upload.ts";

/** Draws over the model, while it is on. */
export type Painter = { isOn: () => boolean; paint: (context: CanvasRenderingContext2D) => void };

export type Backdrop = "auto" | "light" | "dark" | "gray";

const BACKDROPS = { light: 0xf4f4f1, dark: 0x17191b, gray: 0x808080 };

export class Stage {
    readonly scene = new Scene();
    readonly camera = new PerspectiveCamera(45, 1, 0.01, 1000);
    readonly renderer: WebGLRenderer;
    readonly controls: OrbitControls;
    readonly onFrame: ((seconds: number) => boolean)[] = []; // True: another frame is needed.
    readonly onOverlay: Painter[] = [];
    readonly onMove: (() => void)[] = [];
    private overlay: HTMLCanvasElement;
    private grid: GridHelper | null = null;
    private sun = new DirectionalLight(0xffffff, 2);
    private lights = [new HemisphereLight(0xffffff, 0x8d8a85, 1.6), new AmbientLight(0xffffff, 0.4)];
    private size = "";
    private asked = false;
    private last = 0;
    private backdrop: Backdrop = "auto";
    private showsGrid = true;
    private shown = new Box3();
    private other: Object3D | null = null; // A model in the right half, while the first is in the left.
    private first: Object3D | null = null;

    constructor(canvas: HTMLCanvasElement, overlay: HTMLCanvasElement) {
        // The same options as in main.ts, which has made it.
        const context = canvas.getContext("webgl2", { antialias: true, powerPreference: "high-performance" });
        this.renderer = new WebGLRenderer({ canvas, context: context ?? undefined });
        this.size = `${canvas.width} ${canvas.height}`;
        if (devicePixelRatio !== 1) this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        this.renderer.debug.checkShaderErrors = false; // Asking waits for all that is drawn.
        this.overlay = overlay;
        this.scene.add(this.camera, ...this.lights);
        this.camera.add(this.sun); // The light stays where the viewer is.
        this.sun.position.set(-0.6, 1, 1);
        this.camera.position.set(4, 3, 6);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = false;
        this.controls.addEventListener("change", () => {
            this.draw();
            for (const listener of this.onMove) listener();
        });
        new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.paint());
        canvas.addEventListener("webglcontextrestored", () => this.draw());
        this.resize();
        this.paint();
    }

    draw() {
        if (this.asked) return;
        this.asked = true;
        requestAnimationFrame((now) => this.frame(now / 1000));
    }

    private frame(now: number) {
        this.asked = false;
        if (!this.first) return;
        const passed = this.last ? Math.min(now - this.last, 0.1) : 0;
        const goesOn = this.onFrame.map((step) => step(passed)).some(Boolean);
        this.last = goesOn ? now : 0;
        this.render();
        this.paintOverlay();
        if (goesOn) this.draw();
    }

    private paintOverlay() {
        const { overlay } = this, painters = this.onOverlay.filter((one) => one.isOn());
        overlay.hidden = painters.length === 0;
        if (overlay.hidden) return;
        const context = overlay.getContext("2d")!, ratio = this.renderer.getPixelRatio();
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.clearRect(0, 0, overlay.width, overlay.height);
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        for (const { paint } of painters) paint(context);
    }

    private render() {
        const { clientWidth: width, clientHeight: height } = this.renderer.domElement;
        if (!this.other) return this.renderer.render(this.scene, this.camera);
        const half = Math.floor(width / 2);
        this.renderer.setScissorTest(true);
        for (const [side, left] of [[this.first, 0], [this.other, half]] as const) {
            for (const object of [this.first, this.other]) if (object) object.visible = object === side;
            this.renderer.setViewport(left, 0, half, height);
            this.renderer.setScissor(left, 0, half, height);
            this.renderer.render(this.scene, this.camera);
        }
        for (const object of [this.first, this.other]) if (object) object.visible = true;
        this.renderer.setScissorTest(false);
        this.renderer.setViewport(0, 0, width, height);
    }

    /** Give a model to the graphics card before it is drawn, if it is large. Nothing may be left to ask
     *  for while it is drawn: the page would wait. */
    async upload(root: Object3D, box: Box3) {
        this.shown.copy(box);
        await this.prepare(root);
    }

    /** The same for what is drawn with it. */
    async prepare(root: Object3D) {
        const { renderer, camera, scene } = this;
        if (!await uploadArrays(renderer, root)) return;
        renderer.domElement.addEventListener("webglcontextlost", () => forgetUploads(root), { once: true });
        this.setGrid(this.showsGrid);
        await preparePrograms(renderer, async () => {
            await renderer.compileAsync(scene, camera);
            await renderer.compileAsync(root, camera, scene);
        });
    }

    /** The model that is looked at. */
    setFirst(object: Object3D | null) {
        this.first = object;
        this.renderer.domElement.hidden = !object;
        if (object) this.scene.add(object);
    }

    /** Resolved when what was asked for is on the screen. */
    async drawn(): Promise<void> {
        for (let i = 0; i < 2 && !document.hidden; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
        await nextTurn();
    }

    /** Show a second one beside it; null: no more. */
    setOther(object: Object3D | null) {
        this.other?.removeFromParent();
        this.other = object;
        if (object) this.scene.add(object);
        this.resize();
    }

    private resize() {
        const { clientWidth: width, clientHeight: height } = this.renderer.domElement.parentElement!;
        if (!width || !height) return;
        // Setting the size makes new buffers, even if it is the same.
        const size = `${width} ${height}`;
        if (size !== this.size) this.renderer.setSize(width, height, false);
        this.size = size;
        const ratio = this.renderer.getPixelRatio();
        this.overlay.width = width * ratio;
        this.overlay.height = height * ratio;
        this.camera.aspect = (this.other ? width / 2 : width) / height;
        this.camera.updateProjectionMatrix();
        this.draw();
    }

    /** Where a point of the scene is in the overlay; null if it is behind the camera. */
    project(point: Vector3): [number, number] | null {
        const { clientWidth: width, clientHeight: height } = this.renderer.domElement;
        const p = point.clone().project(this.camera);
        return p.z > 1 ? null : [((p.x + 1) / 2) * (this.other ? width / 2 : width), ((1 - p.y) / 2) * height];
    }

    /** A point of the canvas for the camera, -1 to 1; null in the half of the other model. */
    cameraPoint(x: number, y: number): Vector2 | null {
        const { clientWidth, clientHeight: height } = this.renderer.domElement;
        const width = this.other ? clientWidth / 2 : clientWidth;
        return x > width ? null : new Vector2((x / width) * 2 - 1, 1 - (y / height) * 2);
    }

    /** The middle of the picture of the first model, as a point of the canvas. */
    get middle(): [number, number] {
        const { clientWidth, clientHeight } = this.renderer.domElement;
        return [clientWidth / (this.other ? 4 : 2), clientHeight / 2];
    }

    // -- What is around the model

    setBackdrop(backdrop: Backdrop) {
        this.backdrop = backdrop;
        this.paint();
    }

    get isDark(): boolean {
        if (this.backdrop !== "auto") return this.backdrop === "dark";
        const { theme } = document.documentElement.dataset;
        return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    }

    paint() {
        const color = this.backdrop === "gray" ? BACKDROPS.gray : BACKDROPS[this.isDark ? "dark" : "light"];
        this.scene.background = new Color(color);
        this.setGrid(this.showsGrid);
    }

    setLight(strength: number) {
        this.sun.intensity = 2 * strength;
        this.lights[0].intensity = 1.6 * strength;
        this.lights[1].intensity = 0.4 * strength;
        this.draw();
    }

    /** A grid below the model: its cells are 1, 10, 100 ... units, so that it shows how large it is. */
    setGrid(shows: boolean) {
        this.showsGrid = shows;
        if (this.grid) {
            this.scene.remove(this.grid);
            this.grid.dispose();
            this.grid = null;
        }
        if (shows && !this.shown.isEmpty()) {
            const size = this.shown.getSize(new Vector3()), center = this.shown.getCenter(new Vector3());
            const cell = 10 ** Math.floor(Math.log10(Math.max(size.x, size.z, size.y * 0.2, 1e-6)));
            const half = Math.max(2, Math.ceil((0.75 * Math.max(size.x, size.z, cell)) / cell));
            const [main, thin] = this.isDark ? [0x565b60, 0x303438] : [0xb4b4ae, 0xdededa];
            this.grid = new GridHelper(2 * half * cell, 2 * half, main, thin);
            this.grid.position.set(Math.round(center.x / cell) * cell, this.shown.min.y,
                                   Math.round(center.z / cell) * cell);
            this.scene.add(this.grid);
        }
        this.draw();
    }

    // -- The camera

    /** Look at all of `box`, from the direction in which the camera is, or from `direction`. */
    fit(box: Box3, direction?: Vector3) {
        if (box.isEmpty()) return;
        this.shown.copy(box);
        const center = box.getCenter(new Vector3()), size = box.getSize(new Vector3());
        const from = (direction ?? this.camera.position.clone().sub(this.controls.target)).normalize();
        // Near enough that the corner that needs most room just fits.
        const right = new Vector3().crossVectors(this.camera.up, from).normalize();
        const up = new Vector3().crossVectors(from, right), corner = new Vector3();
        const tall = Math.tan((this.camera.fov * Math.PI) / 360), wide = tall * this.camera.aspect;
        let distance = Math.max(size.length() / 1000, 1e-6);
        for (let i = 0; i < 8; i++) {
            corner.set(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5).multiply(size);
            const across = Math.abs(corner.dot(right)) / wide, along = Math.abs(corner.dot(up)) / tall;
            distance = Math.max(distance, corner.dot(from) + 1.12 * Math.max(across, along));
        }
        this.camera.position.copy(center).addScaledVector(from, distance);
        this.camera.near = distance / 1000;
        this.camera.far = distance * 100;
        this.camera.updateProjectionMatrix();
        this.controls.target.copy(center);
        this.controls.update();
        // The model first: the grid needs a program for the graphics card as well.
        requestAnimationFrame(() => requestAnimationFrame(() => this.setGrid(this.showsGrid)));
        this.draw();
    }

    /** Turn around the target, in radians; for the keyboard. */
    turn(around: number, up: number, closer = 1) {
        const offset = this.camera.position.clone().sub(this.controls.target);
        const radius = offset.length() * closer;
        const polar = Math.acos(Math.min(1, Math.max(-1, offset.y / offset.length()))) - up;
        const angle = Math.atan2(offset.x, offset.z) + around;
        const kept = Math.min(Math.PI - 0.01, Math.max(0.01, polar));
        offset.setFromSphericalCoords(radius, kept, angle);
        this.camera.position.copy(this.controls.target).add(offset);
        this.controls.update();
        this.draw();
    }

    get view(): string {
        const { position: p } = this.camera, { target: t } = this.controls;
        return [p.x, p.y, p.z, t.x, t.y, t.z].map((n) => Number(n.toPrecision(5))).join(",");
    }

    set view(text: string) {
        const numbers = text.split(",").map(Number);
        if (numbers.length !== 6 || !numbers.every(Number.isFinite)) return;
        this.camera.position.fromArray(numbers);
        this.controls.target.fromArray(numbers, 3);
        this.controls.update();
        this.draw();
    }

    remove(object: Object3D) {
        object.removeFromParent();
        this.draw();
    }
}
