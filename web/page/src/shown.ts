// shown.ts: a model on the stage, made from a GLB.
// SPDX-License-Identifier: MIT

import {
    AnimationClip, Bone, Box3, Group, Mesh, Object3D, RepeatWrapping, SkinnedMesh, SRGBColorSpace,
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

const SAMPLES = 20000; // Vertices of a mesh that its bounds are computed from, if it moves or has no more.

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

function measure(root: Object3D): Box3 {
    const box = new Box3(), point = new Vector3();
    root.updateMatrixWorld(true);
    root.traverse((object) => {
        const mesh = object as SkinnedMesh, { geometry } = mesh;
        if (!mesh.isMesh && !(object as any).isPoints && !(object as any).isLine) return;
        const { count } = geometry.attributes.position, step = Math.ceil(count / SAMPLES);
        if (step === 1 || mesh.isSkinnedMesh || mesh.morphTargetInfluences) {
            mesh.skeleton?.update();
            for (let i = 0; i < count; i += step)
                box.expandByPoint((mesh.isMesh ? mesh.getVertexPosition(i, point)
                    : point.fromBufferAttribute(geometry.attributes.position, i)).applyMatrix4(mesh.matrixWorld));
        } else {
            if (!geometry.boundingBox) geometry.computeBoundingBox();
            if (!geometry.boundingBox!.isEmpty())
                box.union(geometry.boundingBox!.clone().applyMatrix4(mesh.matrixWorld));
        }
    });
    return box;
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
    const box = measure(shown.root);
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
