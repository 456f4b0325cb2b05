// looks.ts: ways to draw the model: materials in place of its own, and lines over it.
// SPDX-License-Identifier: MIT

import {
    Box3Helper, BufferAttribute, Color, DataTexture, DoubleSide, Group, Material, Mesh,
    MeshBasicMaterial, MeshLambertMaterial, MeshNormalMaterial, NearestFilter, RepeatWrapping,
    SkinnedMesh, SRGBColorSpace, Vector3,
} from "three";
import { disposeEdges, makeEdges } from "./edges.ts";
import { nowBox, type Shown } from "./shown.ts";
import type { Stage } from "./stage.ts";

export type Look = "textured" | "plain" | "normals" | "uv" | "weights" | "distance";

const LABELS_MOST = 300;

function checker(): DataTexture {
    const size = 16, data = new Uint8Array(4 * size * size);
    for (let i = 0; i < size * size; i++) {
        const x = i % size, y = Math.floor(i / size), isDark = (x + y) % 2 === 0;
        // The first column is red and the first row blue: the texture shows which way it is turned.
        const color = x === 0 ? [200, 60, 60] : y === 0 ? [60, 90, 200] : isDark ? [110, 110, 110] : [230, 230, 230];
        data.set([...color, 255], 4 * i);
    }
    const texture = new DataTexture(data, size, size);
    texture.wrapS = texture.wrapT = RepeatWrapping;
    texture.magFilter = NearestFilter;
    texture.colorSpace = SRGBColorSpace;
    texture.needsUpdate = true;
    return texture;
}

/** Blue, green, yellow, red for 0 to 1. */
export function heat(value: number, into: Color): Color {
    return into.setHSL((1 - Math.min(1, Math.max(0, value))) * 0.66, 0.85, 0.5);
}

export class Looks {
    private stage: Stage;
    private shown: Shown | null = null;
    private own = new Map<Mesh, Material | Material[]>();
    private lines = new Group();
    private turn = 0; // Of the lines.
    private checker: DataTexture | null = null;
    private bounds: Box3Helper | null = null;
    look: Look = "textured";
    joint = 0; // Whose weights are shown: an index into the joints.
    wireframe = false;
    showsBounds = false;
    showsBones = false;
    showsNames = false;

    constructor(stage: Stage) {
        this.stage = stage;
        stage.onOverlay.push({ isOn: () => !!this.shown && (this.showsBones || this.showsNames),
                               paint: (context) => this.paintBones(context, this.shown!) });
        stage.onFrame.push(() => this.moveBounds(), () => this.followLines());
    }

    attach(shown: Shown | null) {
        this.turn++;
        this.removeLines();
        this.lines = new Group();
        this.shown = shown;
        this.own.clear();
        for (const mesh of shown?.meshes ?? []) this.own.set(mesh, mesh.material);
        // A file without meshes is a skeleton.
        if (shown && shown.meshes.length === 0) this.showsBones = this.showsNames = shown.joints.length > 0;
        this.apply();
    }

    apply() {
        const shown = this.shown;
        if (!shown) return;
        for (const mesh of shown.meshes) {
            const old = mesh.material;
            mesh.material = this.materialFor(mesh);
            if (old !== mesh.material && old !== this.own.get(mesh)) (old as Material).dispose();
        }
        if (this.wireframe || this.lines.children.length > 0) void this.drawLines();
        if (this.bounds) this.stage.remove(this.bounds);
        this.bounds = this.showsBounds ? new Box3Helper(nowBox(shown), new Color(0xe0882a)) : null;
        if (this.bounds) this.stage.scene.add(this.bounds);
        this.stage.draw();
    }

    private materialFor(mesh: Mesh): Material | Material[] {
        const own = this.own.get(mesh)!, { uv } = mesh.geometry.attributes;
        const side = DoubleSide;
        switch (this.look) {
        case "plain":
            return new MeshLambertMaterial({ color: 0xb9b6ae, side, flatShading: !mesh.geometry.attributes.normal });
        case "normals":
            return new MeshNormalMaterial({ side, flatShading: !mesh.geometry.attributes.normal });
        case "uv":
            this.checker ??= checker();
            return uv ? new MeshBasicMaterial({ map: this.checker, side })
                : new MeshLambertMaterial({ color: 0xb9b6ae, side });
        case "weights":
            return this.weighColors(mesh as SkinnedMesh)
                ? new MeshBasicMaterial({ vertexColors: true, side })
                : new MeshLambertMaterial({ color: 0xb9b6ae, side });
        case "distance":
            return mesh.geometry.attributes.color?.name === "distance"
                ? new MeshBasicMaterial({ vertexColors: true, side }) : own;
        default:
            return own;
        }
    }

    /** Colors by the weight of the chosen joint; false if the mesh has no skin. */
    private weighColors(mesh: SkinnedMesh): boolean {
        const { skinIndex, skinWeight, position, color } = mesh.geometry.attributes;
        if (!mesh.isSkinnedMesh || !skinIndex || !skinWeight) return false;
        const bone = mesh.skeleton.bones.indexOf(this.shown!.joints[this.joint] as any);
        const colors = new Float32Array(3 * position.count), one = new Color();
        for (let i = 0; i < position.count; i++) {
            let weight = 0;
            for (let k = 0; k < 4; k++)
                if (skinIndex.getComponent(i, k) === bone) weight += skinWeight.getComponent(i, k);
            (weight > 0 ? heat(weight, one) : one.set(0x33364a)).toArray(colors, 3 * i);
        }
        this.keepColor(mesh, color);
        mesh.geometry.setAttribute("color", new BufferAttribute(colors, 3));
        return true;
    }

    /** The color of the file comes back with its material. */
    private keepColor(mesh: Mesh, color: any) {
        if (!("fileColor" in mesh.userData)) mesh.userData.fileColor = color ?? null;
    }

    /** Colors that another part of the page has computed, 3 for each vertex. */
    setColors(mesh: Mesh, colors: Float32Array) {
        this.keepColor(mesh, mesh.geometry.attributes.color);
        const attribute = new BufferAttribute(colors, 3);
        attribute.name = "distance";
        mesh.geometry.setAttribute("color", attribute);
    }

    setLook(look: Look) {
        this.look = look;
        if (look !== "weights" && look !== "distance")
            for (const mesh of this.shown?.meshes ?? []) {
                if (!("fileColor" in mesh.userData)) continue;
                if (mesh.userData.fileColor) mesh.geometry.setAttribute("color", mesh.userData.fileColor);
                else mesh.geometry.deleteAttribute("color");
                delete mesh.userData.fileColor;
            }
        this.apply();
    }

    // -- Lines over the model

    private async drawLines() {
        const turn = ++this.turn, lines = new Group();
        if (this.wireframe)
            for (const mesh of this.shown!.meshes) {
                lines.add(await makeEdges(mesh));
                if (turn !== this.turn) return;
            }
        await this.stage.prepare(lines);
        if (turn !== this.turn) return;
        this.removeLines();
        this.lines = lines;
        this.stage.scene.add(lines);
        this.stage.draw();
    }

    private removeLines() {
        this.lines.removeFromParent();
        for (const one of this.lines.children) disposeEdges(one as Mesh);
    }

    private followLines(): boolean {
        if (this.lines.children.length > 0) this.shown?.root.updateMatrixWorld();
        for (const copy of this.lines.children) {
            copy.matrix.copy((copy.userData.original as Mesh).matrixWorld);
            copy.matrixWorldNeedsUpdate = true;
        }
        return false;
    }

    private moveBounds() {
        if (this.bounds && this.shown && this.shown.clips.length > 0) this.bounds.box.copy(nowBox(this.shown));
        return false;
    }

    private paintBones(context: CanvasRenderingContext2D, { joints, names }: Shown) {
        const isDark = this.stage.isDark, all = new Set(joints), point = new Vector3();
        const places = joints.map((joint) => this.stage.project(joint.getWorldPosition(point)));
        const at = new Map(joints.map((joint, index) => [joint, places[index]]));
        context.lineWidth = 1.5;
        context.strokeStyle = context.fillStyle = isDark ? "#ffb454" : "#b35900";
        if (this.showsBones) for (const joint of joints) {
            const here = at.get(joint), above = all.has(joint.parent!) ? at.get(joint.parent!) : null;
            if (!here) continue;
            context.beginPath();
            if (above) {
                context.moveTo(...above);
                context.lineTo(...here);
                context.stroke();
            }
            context.beginPath();
            context.arc(here[0], here[1], joint === joints[this.joint] ? 4.5 : 2.5, 0, 7);
            context.fill();
        }
        if (!this.showsNames) return;
        context.font = "11px system-ui, sans-serif";
        context.lineWidth = 3;
        context.strokeStyle = isDark ? "#17191b" : "#ffffff";
        for (const joint of joints.slice(0, LABELS_MOST)) {
            const here = at.get(joint), name = (names.get(joint) ?? "").slice(0, 40);
            if (!here) continue;
            context.strokeText(name, here[0] + 7, here[1] + 4);
            context.fillText(name, here[0] + 7, here[1] + 4);
        }
    }
}
