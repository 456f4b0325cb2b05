// shown.ts: a model on the stage, made from a GLB.
// SPDX-License-Identifier: MIT

import {
    AnimationClip, Bone, Box3, Group, Mesh, Object3D, RepeatWrapping, SkinnedMesh, Sphere, SRGBColorSpace,
    Texture, Vector3,
} from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { PICTURE_EXTRAS, type View } from "./protocol.ts";
import { textureOf } from "./picture.ts";

/** Where a mesh of the stage is in the model. */
export type Place = { node: number; primitive: number };

export type Shown = {
    root: Group;
    clips: AnimationClip[];
    meshes: Mesh[];
    places: Map<Object3D, Place>;
    nodes: Map<number, Object3D>; // By their index in the scene.
    names: Map<Object3D, string>; // As they are in the file.
    joints: Object3D[];
    box: Box3;
};

/** Make textures of pictures without requests: those in the GLB, and those that were dropped. */
function pictureSource(parser: any, pictures: View["pictures"]) {
    const made = new Map<number, Promise<Texture | null>>();
    const blobOf = async (image: any): Promise<Blob | undefined> => {
        if (image.bufferView !== undefined) {
            const bytes = await parser.getDependency("bufferView", image.bufferView);
            return new Blob([bytes], { type: image.mimeType });
        }
        const { uri } = image;
        if (uri?.startsWith("data:")) {
            const binary = atob(uri.slice(uri.indexOf(",") + 1));
            return new Blob([Uint8Array.from(binary, (char) => char.charCodeAt(0))]);
        }
        return pictures.find((one) => one.path === uri)?.blob;
    };
    const pictureAt = (source: number) => {
        const load = async () => {
            const blob = await blobOf(parser.json.images[source]);
            return blob ? textureOf(blob) : null;
        };
        if (!made.has(source)) made.set(source, load().catch(() => null));
        return made.get(source)!;
    };
    return {
        name: "pictures",
        loadTexture: async (index: number) => {
            const { source, sampler, extensions } = parser.json.textures[index];
            const from = source ?? extensions?.EXT_texture_webp?.source;
            const base = from === undefined ? null : await pictureAt(from);
            if (!base) return null;
            const texture = base.clone();
            const { wrapS, wrapT } = parser.json.samplers?.[sampler] ?? {};
            const wraps: Record<number, any> = { 33071: 1001, 33648: 1002 };
            texture.wrapS = wraps[wrapS] ?? RepeatWrapping;
            texture.wrapT = wraps[wrapT] ?? RepeatWrapping;
            texture.needsUpdate = true;
            parser.associations.set(texture, { textures: index });
            return texture;
        },
    };
}

const ALL = 20000, SAMPLES = 4000; // Vertices that the extent of a model is computed from: all, or some of them.

/** Pictures that glTF cannot refer to, such as DDS, but whose names are kept. */
async function addNamedPictures(root: Object3D, { pictures, hasDdsFromBottom }: View) {
    const slots = { baseColorTexture: ["map"], normalTexture: ["normalMap"], emissiveTexture: ["emissiveMap"],
                    occlusionTexture: ["aoMap"], metallicRoughnessTexture: ["metalnessMap", "roughnessMap"] };
    const materials = new Set<any>();
    root.traverse((object) => [(object as Mesh).material ?? []].flat().forEach((one) => materials.add(one)));
    for (const material of materials) for (const key of PICTURE_EXTRAS) {
        const found = pictures.find((one) => one.path === material.userData[key]);
        const texture = found && await textureOf(found.blob, hasDdsFromBottom).catch(() => null);
        if (!texture) continue;
        texture.wrapS = texture.wrapT = RepeatWrapping;
        if (key === "baseColorTexture" || key === "emissiveTexture") texture.colorSpace = SRGBColorSpace;
        for (const slot of slots[key]) material[slot] ??= texture;
        material.needsUpdate = true;
    }
}

function middle(values: Float64Array, share: number): number {
    return values.sort()[Math.floor(share * values.length)] ?? 0;
}

/** The extent of some points. Those that are a thousand times farther away than nine tenths of the others
 *  are left out: in damaged files they would make all the rest too small to be seen. */
function extentOf(points: Vector3[]): { box: Box3; hasOutliers: boolean } {
    const known = points.filter((point) => Number.isFinite(point.x + point.y + point.z)), box = new Box3();
    const [x, y, z] = (["x", "y", "z"] as const).map((axis) => middle(Float64Array.from(known, (point) => point[axis]), 0.5));
    const center = new Vector3(x, y, z), distances = Float64Array.from(known, (point) => point.distanceTo(center));
    const most = 1000 * (middle(distances.slice(), 0.9) || Infinity);
    known.forEach((point, index) => { if (distances[index] <= most) box.expandByPoint(point); });
    return { box, hasOutliers: distances.some((distance) => distance > most) };
}

function measure(root: Object3D, most = ALL): Box3 {
    const points: Vector3[] = [], whole = new Box3(), drawn: SkinnedMesh[] = [];
    root.updateMatrixWorld(true);
    root.traverse((object) => {
        const { isMesh, isPoints, isLine } = object as any;
        if (isMesh || isPoints || isLine) drawn.push(object as SkinnedMesh);
    });
    const total = drawn.reduce((sum, { geometry }) => sum + geometry.attributes.position.count, 0);
    const step = total <= most ? 1 : Math.ceil(total / SAMPLES);
    for (const mesh of drawn) {
        const { position } = mesh.geometry.attributes, { boundingBox } = mesh.geometry;
        mesh.skeleton?.update();
        for (let i = 0; i < position.count; i += step) {
            const point = new Vector3();
            if (mesh.isMesh) mesh.getVertexPosition(i, point);
            else point.fromBufferAttribute(position, i);
            points.push(point.applyMatrix4(mesh.matrixWorld));
        }
        // Of a large model, the points are a part only.
        const isStill = !mesh.isSkinnedMesh && !mesh.morphTargetInfluences;
        if (step > 1 && isStill && boundingBox && !boundingBox.isEmpty()) whole.union(boundingBox.clone().applyMatrix4(mesh.matrixWorld));
    }
    const { box, hasOutliers } = extentOf(points);
    const isFar = whole.getSize(new Vector3()).length() > 1000 * box.getSize(new Vector3()).length();
    return hasOutliers || isFar ? box : box.union(whole);
}

/** Joints are bones of skins, and nodes that the file calls so; without meshes, all nodes. */
function findJoints(root: Group, meshes: Mesh[]): Object3D[] {
    const joints: Object3D[] = [];
    root.traverse((object) => {
        const isJoint = (object as Bone).isBone || object.userData.joint === true;
        const isNode = meshes.length === 0 && object !== root && !(object as any).isLight;
        if (isJoint || isNode) joints.push(object);
    });
    return joints;
}

export async function makeShown(view: View): Promise<Shown> {
    const loader = new GLTFLoader();
    loader.register((parser: any) => pictureSource(parser, view.pictures) as any);
    loader.register(() => ({ name: "views", loadBufferView: async (index: number) => view.views[index] }) as any);
    const gltf = await loader.parseAsync(view.json as any, "");
    const { parser } = gltf as any;
    const root = new Group();
    root.add(gltf.scene);
    const shown: Shown = { root, clips: gltf.animations, meshes: [], places: new Map(), nodes: new Map(),
                           names: new Map(), joints: [], box: new Box3() };
    for (const [object, at] of parser.associations) {
        if (at?.nodes === undefined || !(object as Object3D).isObject3D) continue;
        shown.nodes.set(at.nodes, object);
        shown.names.set(object, parser.json.nodes[at.nodes].name ?? "");
    }
    const nodeOf = (object: Object3D | null): number => {
        const at = object && parser.associations.get(object);
        return at?.nodes ?? (object ? nodeOf(object.parent) : -1);
    };
    root.traverse((object) => {
        const mesh = object as Mesh;
        const isDrawn = mesh.isMesh || (object as any).isPoints || (object as any).isLine;
        if (!isDrawn) return;
        object.frustumCulled = false; // Animations leave the bounds of the rest pose.
        // Only the order of drawing depends on it: three.js would pose every vertex of a skin.
        mesh.geometry.boundingSphere ??= new Sphere();
        if ((mesh as SkinnedMesh).isSkinnedMesh) (mesh as SkinnedMesh).boundingSphere = mesh.geometry.boundingSphere;
        shown.places.set(object, { node: nodeOf(object), primitive: parser.associations.get(object)?.primitives ?? 0 });
        if (mesh.isMesh) shown.meshes.push(mesh);
        for (const material of [mesh.material].flat() as any[])
            if (material.map) material.map.colorSpace = SRGBColorSpace;
    });
    await addNamedPictures(root, view);
    shown.box = measure(root);
    shown.joints = findJoints(root, shown.meshes);
    if (shown.box.isEmpty())
        for (const joint of shown.joints)
            shown.box.expandByPoint(joint.getWorldPosition(new Vector3()));
    return shown;
}

export function nowBox(shown: Shown): Box3 {
    const box = measure(shown.root, SAMPLES); // In every frame.
    return box.isEmpty() ? shown.box : box;
}

export function disposeShown(shown: Shown) {
    shown.root.removeFromParent();
    shown.root.traverse((object) => {
        const mesh = object as Mesh;
        mesh.geometry?.dispose();
        for (const material of [mesh.material ?? []].flat() as any[]) {
            for (const value of Object.values(material)) if ((value as Texture)?.isTexture) (value as Texture).dispose();
            material.dispose();
        }
    });
}
