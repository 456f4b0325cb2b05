// edges.ts: the edges of triangles, as lines over a mesh. Large meshes take several turns of the page.
// SPDX-License-Identifier: MIT

import { BufferAttribute, BufferGeometry, Mesh, MeshBasicMaterial, SkinnedMesh } from "three";
import { triangleCount } from "./pick.ts";
import { nextTurn } from "./upload.ts";

const SLICE = 50000; // Triangles.

/** A mesh that draws the edges of another one, with its vertices and pose. */
export async function makeEdges(mesh: Mesh): Promise<Mesh> {
    const { index, attributes, morphAttributes, morphTargetsRelative, boundingSphere } = mesh.geometry, count = triangleCount(mesh);
    const ends = new Uint32Array(6 * count), geometry = new BufferGeometry();
    for (let first = 0; first < count; first += SLICE) {
        if (first > 0) await nextTurn();
        for (let i = 3 * first; i < 3 * Math.min(count, first + SLICE); i += 3) {
            const [a, b, c] = index ? [index.array[i], index.array[i + 1], index.array[i + 2]] : [i, i + 1, i + 2];
            ends[2 * i] = ends[2 * i + 5] = a;
            ends[2 * i + 1] = ends[2 * i + 2] = b;
            ends[2 * i + 3] = ends[2 * i + 4] = c;
        }
    }
    geometry.setIndex(new BufferAttribute(ends, 1));
    Object.assign(geometry, { morphAttributes, morphTargetsRelative, boundingSphere });
    for (const [name, attribute] of Object.entries(attributes)) geometry.setAttribute(name, attribute);
    const material = new MeshBasicMaterial({ color: 0x1c6e8c, transparent: true, opacity: 0.55 });
    const skinned = mesh as SkinnedMesh, lines = skinned.isSkinnedMesh ? new SkinnedMesh(geometry, material) : new Mesh(geometry, material);
    if (skinned.isSkinnedMesh) {
        (lines as unknown as SkinnedMesh).bind(skinned.skeleton, skinned.bindMatrix);
        (lines as unknown as SkinnedMesh).boundingSphere = skinned.boundingSphere;
    }
    // Lines with the skin of a mesh: three.js has no class for them.
    Object.assign(lines, { isMesh: false, isLine: true, isLineSegments: true });
    lines.morphTargetInfluences = mesh.morphTargetInfluences;
    lines.frustumCulled = false;
    lines.matrixAutoUpdate = false;
    lines.userData.original = mesh;
    return lines;
}

/** Free what is not shared with the mesh. */
export function disposeEdges(lines: Mesh) {
    for (const name of Object.keys(lines.geometry.attributes)) lines.geometry.deleteAttribute(name);
    lines.geometry.dispose();
    (lines.material as MeshBasicMaterial).dispose();
}
