// read.mjs: what glTF-Transform finds in files, one JSON object a line.
// SPDX-License-Identifier: MIT
//
// Usage: node read.mjs FILE...
//
// Extensions, materials with their textures and pictures, animations, and what nodes, meshes and
// skins are made of. Numbers are those of floats. Pictures are sums of their bytes; accessors,
// which many objects share, are numbers in the list 'accessors'. Nodes and the meshes of nodes are
// their names.

import { createHash } from "node:crypto";
import { createRequire } from "node:module";

import { Logger, NodeIO } from "@gltf-transform/core";
import { ALL_EXTENSIONS } from "@gltf-transform/extensions";
import { MeshoptDecoder } from "meshoptimizer";
import { $attributes, GraphEdge, RefList, RefMap, RefSet } from "property-graph";

const draco3d = createRequire(import.meta.url)("draco3dgltf");

// The elements as floats, whatever their type in the file is.
function describeAccessor(accessor, accessors) {
    if (!accessors.has(accessor)) accessors.set(accessor, accessors.size);
    return `accessor ${accessors.get(accessor)}`;
}

function elements(accessor) {
    const values = [];
    const element = [];
    for (let i = 0; i < accessor.getCount(); i++) {
        accessor.getElement(i, element);
        for (const value of element) values.push(Math.fround(value));
    }
    return { type: accessor.getType(), values };
}

function describeValue(value, accessors) {
    const child = (edge) => describe(edge.getChild(), accessors);
    if (value instanceof GraphEdge) return child(value);
    if (value instanceof RefList || value instanceof RefSet) return [...value.values()].map(child);
    if (value instanceof RefMap) {
        return Object.fromEntries(value.keys().map((key) => [key, child(value.get(key))]));
    }
    if (ArrayBuffer.isView(value)) {
        return createHash("sha256").update(value).digest("hex").slice(0, 16);
    }
    if (typeof value === "number") return Math.fround(value);
    if (Array.isArray(value)) return value.map((item) => describeValue(item, accessors));
    if (value && typeof value === "object") {
        return Object.fromEntries(
            Object.entries(value).map(([key, item]) => [key, describeValue(item, accessors)]));
    }
    return value;
}

// All attributes of a property. One that others refer to by name is its name there.
function describe(property, accessors, isTop = false) {
    const kind = property.propertyType;
    if (kind === "Accessor") return describeAccessor(property, accessors);
    if (!isTop && (kind === "Node" || kind === "Mesh" || kind === "Skin")) {
        return `${kind} ${property.getName()}`;
    }
    const out = {};
    for (const [key, value] of Object.entries(property[$attributes])) {
        // A picture beside the file may be in it; samplers are shown in their channels.
        const isPlace = kind === "Texture" && key === "uri";
        const isShared = kind === "Animation" && key === "samplers";
        if (!isPlace && !isShared) out[key] = describeValue(value, accessors);
    }
    return out;
}

const io = new NodeIO()
    .setLogger(new Logger(Logger.Verbosity.SILENT))
    .registerExtensions(ALL_EXTENSIONS)
    .registerDependencies({
        "draco3d.decoder": await draco3d.createDecoderModule(),
        "meshopt.decoder": MeshoptDecoder,
    });

async function read(file) {
    const root = (await io.read(file)).getRoot();
    const { json } = await io.readAsJSON(file);
    const accessors = new Map();
    const list = (items) => items.map((item) => describe(item, accessors, true));
    return {
        file,
        used: json.extensionsUsed ?? [],
        required: json.extensionsRequired ?? [],
        asset: { copyright: json.asset.copyright ?? null },
        root: describeValue(root[$attributes].extensions, accessors),
        extras: describeValue(root[$attributes].extras, accessors),
        scenes: list(root.listScenes()),
        nodes: list(root.listNodes()),
        meshes: list(root.listMeshes()),
        skins: list(root.listSkins()),
        cameras: list(root.listCameras()),
        materials: list(root.listMaterials()),
        textures: list(root.listTextures()),
        animations: list(root.listAnimations()),
        accessors: [...accessors.keys()].map(elements),
    };
}

for (const file of process.argv.slice(2)) {
    try {
        console.log(JSON.stringify(await read(file)));
    } catch (error) {
        console.log(JSON.stringify({ file, error: String(error) }));
    }
}
