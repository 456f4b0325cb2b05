// pick.ts: the triangle under a point of the canvas, found in slices of time.
// SPDX-License-Identifier: MIT

import {
    BufferAttribute, BufferGeometry, DoubleSide, Mesh, MeshBasicMaterial, Points, PointsMaterial, Ray, Raycaster,
    SkinnedMesh, Vector3,
} from "three";
import type { Shown } from "./shown.ts";
import type { Stage } from "./stage.ts";

const SLICE = 12; // Milliseconds of work before the page has its turn.

/** A triangle, or one of its corners. */
export type Picked = { mesh: Mesh; triangle: number; corner?: number };

/** The vertices of a triangle of a mesh. */
export function cornersOf(mesh: Mesh, triangle: number): [number, number, number] {
    const { index } = mesh.geometry, first = 3 * triangle;
    return index ? [index.getX(first), index.getX(first + 1), index.getX(first + 2)]
        : [first, first + 1, first + 2];
}

export function triangleCount(mesh: Mesh): number {
    const { index, attributes } = mesh.geometry;
    return Math.floor((index ? index.count : attributes.position?.count ?? 0) / 3);
}

export class Picker {
    private stage: Stage;
    private marker: Mesh;
    private dot: Points; // A corner, or the middle: the triangle may be small or seen from its edge.
    private marked: Picked | null = null;
    private turn = 0;

    constructor(stage: Stage) {
        this.stage = stage;
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new BufferAttribute(new Float32Array(9), 3));
        const material = new MeshBasicMaterial({ color: 0xff7a1a, side: DoubleSide, transparent: true, opacity: 0.9,
                                                 depthTest: false });
        this.marker = new Mesh(geometry, material);
        this.marker.frustumCulled = false;
        this.marker.renderOrder = 1;
        this.marker.visible = false;
        this.dot = new Points(new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(3), 3)),
                              new PointsMaterial({ color: 0xe0382a, size: 7, sizeAttenuation: false, depthTest: false, transparent: true }));
        this.dot.frustumCulled = false;
        this.dot.renderOrder = 2;
        this.dot.visible = false;
        stage.scene.add(this.marker, this.dot);
        stage.onFrame.push(() => this.follow());
    }

    /** The nearest triangle at that point of the canvas; null if there is none. */
    async at(shown: Shown, x: number, y: number): Promise<Picked | null> {
        const turn = ++this.turn, point = this.stage.cameraPoint(x, y);
        if (!point) return null;
        const caster = new Raycaster(), local = new Ray(), corners = [new Vector3(), new Vector3(), new Vector3()];
        caster.setFromCamera(point, this.stage.camera);
        const hit = new Vector3();
        let best: Picked | null = null, nearest = Infinity, until = performance.now() + SLICE;
        shown.root.updateMatrixWorld(true);
        for (const mesh of shown.meshes) {
            if (!mesh.visible) continue;
            const skinned = mesh as SkinnedMesh, count = triangleCount(mesh);
            local.copy(caster.ray).applyMatrix4(mesh.matrixWorld.clone().invert());
            if (!skinned.isSkinnedMesh && !mesh.morphTargetInfluences && mesh.geometry.boundingBox &&
                !local.intersectsBox(mesh.geometry.boundingBox)) continue;
            for (let triangle = 0; triangle < count; triangle++) {
                if (triangle % 256 === 255 && performance.now() > until) {
                    await new Promise((resolve) => setTimeout(resolve));
                    if (turn !== this.turn) return null;
                    until = performance.now() + SLICE;
                }
                cornersOf(mesh, triangle).forEach((vertex, k) => mesh.getVertexPosition(vertex, corners[k]));
                if (!local.intersectTriangle(corners[0], corners[1], corners[2], false, hit)) continue;
                hit.applyMatrix4(mesh.matrixWorld);
                const distance = hit.distanceTo(caster.ray.origin);
                if (distance < nearest) [best, nearest] = [{ mesh, triangle }, distance];
            }
        }
        return best;
    }

    mark(picked: Picked | null) {
        this.marked = picked;
        this.marker.visible = this.dot.visible = !!picked;
        this.stage.draw();
    }

    private follow(): boolean {
        if (!this.marked) return false;
        const { mesh, triangle, corner } = this.marked, position = this.marker.geometry.attributes.position;
        const point = new Vector3(), at = new Vector3();
        mesh.updateWorldMatrix(true, false);
        cornersOf(mesh, triangle).forEach((vertex, k) => {
            mesh.getVertexPosition(vertex, point).applyMatrix4(mesh.matrixWorld);
            position.setXYZ(k, point.x, point.y, point.z);
            if (corner === undefined) at.addScaledVector(point, 1 / 3);
            else if (corner === k) at.copy(point);
        });
        position.needsUpdate = true;
        this.dot.geometry.attributes.position.setXYZ(0, at.x, at.y, at.z).needsUpdate = true;
        return false;
    }
}
