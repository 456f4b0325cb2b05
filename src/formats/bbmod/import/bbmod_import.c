// bbmod_import.c: a BBMOD model as a scene: nodes, skin, and meshes with welded vertices.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/import/bbmod_import.h"
#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"
#include "scene/model/origin.h"
#include "scene/model/space.h"

#include <stdio.h>
#include <string.h>

#define JOINTS_MOST 65536u  // The most that 16-bit joint indices can address.
#define PROBES_MOST 128     // Slots of the hash table that are tried for one vertex.

// -- Memory and tallies

void *bbmod_import_scratch(bbmod_importer *importer, uint64_t count, size_t size)
{
    return tn_scene_alloc(importer->builder, importer->scratch, count, size);
}

// Count `count` more in a mesh of the view, and one more in a node or bone.
//
// Only the first path is reported, so others are not computed.
static void bbmod_import_tally_mesh(const bbmod_importer *importer, tn_tally *tally, uint64_t count,
                                    uint32_t mesh)
{
    bool is_first = count && !tally->count;
    tn_tally_path(tally, count, "%s", is_first ? bbmod_mesh_path(&importer->view, mesh).text : "");
}

static void bbmod_import_tally_item(tn_tally *tally, const bbmod_tree *tree, uint32_t item)
{
    tn_tally_path(tally, 1, "%s", tally->count ? "" : bbmod_item_path(tree, item).text);
}

// -- Meshes to import

// The tally for a mesh that is not imported; NULL if it is.
static tn_tally *bbmod_import_reason_to_drop(bbmod_importer *importer, uint32_t index)
{
    const tenon_bbmod_mesh *mesh = importer->view.meshes[index].mesh;
    if (importer->mesh_plans[index].use_count == 0) return &importer->tallies.unused;
    if (mesh->vertices.count == 0 && mesh->bare_vertex_count == 0) return &importer->tallies.empty;
    if (!bbmod_element(&mesh->vertices, "position")) return &importer->tallies.without_positions;
    if (!bbmod_vertices_primitive(mesh->primitive_type)) return &importer->tallies.unknown;
    return bbmod_piece_count(mesh) ? NULL : &importer->tallies.empty;
}

// Decide which meshes are imported. Returns whether some have bones.
static bool bbmod_import_select_meshes(bbmod_importer *importer)
{
    const bbmod_tree *nodes = &importer->view.nodes;
    uint32_t mesh_count = importer->view.mesh_count;
    bbmod_mesh_plan *mesh_plans = bbmod_import_scratch(importer, mesh_count, sizeof *mesh_plans);
    importer->mesh_plans = mesh_plans;
    if (!mesh_plans) return false;
    bool has_refs = nodes->count && nodes->items[0].node;  // Versions 2 and 3.
    tn_tally unknown = {0};
    for (uint32_t n = 0; has_refs && n < nodes->count; n++) {
        const tenon_span *refs = &nodes->items[n].node->meshes;
        for (uint64_t i = 0; i < refs->count; i++) {
            uint32_t mesh = tn_span_u32(refs, i);
            if (mesh < mesh_count)
                mesh_plans[mesh].use_count++;
            else
                bbmod_import_tally_item(&unknown, nodes, n);
        }
    }
    tn_tally_report(importer->builder, &unknown, TENON_DROPPED, "references to meshes",
                    "the meshes do not exist");
    bool some_skinned = false;
    for (uint32_t i = 0; i < mesh_count; i++) {
        const tenon_span *vertices = &importer->view.meshes[i].mesh->vertices;
        if (!has_refs) mesh_plans[i].use_count = 1;
        tn_tally *reason = bbmod_import_reason_to_drop(importer, i);
        if (reason) bbmod_import_tally_mesh(importer, reason, 1, i);
        mesh_plans[i].shared = TENON_NONE;
        mesh_plans[i].is_shown = !reason;
        mesh_plans[i].is_skinned = !reason && bbmod_element(vertices, "bone_indices");
        some_skinned = some_skinned || mesh_plans[i].is_skinned;
    }
    return some_skinned;
}

// -- Welding

// The vertex of each corner of a mesh, and the first corner of each vertex. Vertices are numbered
// in the order of these.
typedef struct bbmod_weld {
    uint32_t *numbers, *firsts;
    uint32_t vertex_count;
} bbmod_weld;

// Corners with the same bits are one vertex. The number of probes in the hash table is limited, so
// a file that provokes collisions gets some duplicate vertices, but does not take long.
static bool bbmod_import_weld_mesh(bbmod_importer *importer, const tenon_span *corners,
                                   bbmod_weld *weld)
{
    uint64_t size = 16, stride = corners->layout->stride;
    while (size < 2 * corners->count) size *= 2;
    *weld = (bbmod_weld){0};
    if (corners->count >= TENON_NONE)
        return tn_scene_fail(importer->builder, TENON_ERR_LIMIT, NULL,
                             "a mesh has too many vertices");
    weld->numbers = bbmod_import_scratch(importer, corners->count, sizeof *weld->numbers);
    weld->firsts = bbmod_import_scratch(importer, corners->count, sizeof *weld->firsts);
    uint32_t *table = bbmod_import_scratch(importer, size, sizeof *table);  // Vertex + 1; 0: empty.
    if (importer->builder->failed) return false;
    for (uint32_t i = 0; i < corners->count; i++) {
        const uint8_t *record = tn_span_record(corners, i);
        // Fibonacci hashing word by word: the size of records is a multiple of 4.
        uint64_t at = stride;
        for (uint64_t k = 0; k < stride; k += 4) {
            at = (at ^ tn_load32(record + k, false)) * UINT64_C(0x9e3779b97f4a7c15);
            at ^= at >> 32;
        }
        weld->numbers[i] = TENON_NONE;
        for (int probes = 0; probes < PROBES_MOST; probes++, at++) {
            uint32_t *entry = &table[at & (size - 1)];
            if (*entry == 0) {
                *entry = weld->vertex_count + 1;
                break;
            }
            const uint8_t *other = tn_span_record(corners, weld->firsts[*entry - 1]);
            if (memcmp(other, record, (size_t)stride) == 0) {
                weld->numbers[i] = *entry - 1;
                break;
            }
        }
        if (weld->numbers[i] != TENON_NONE) continue;
        weld->firsts[weld->vertex_count] = i;
        weld->numbers[i] = weld->vertex_count++;
    }
    return true;
}

// -- Primitives

static void bbmod_import_origin(bbmod_importer *importer, uint32_t index, const uint32_t *firsts,
                                const tenon_primitive *p)
{
    tn_origin origin = {.vertex_items = firsts};
    const bbmod_path part = bbmod_mesh_path(&importer->view, index);
    (void)snprintf(origin.part, TN_ORIGIN_PATH, "%s", part.text);
    (void)snprintf(origin.vertices.path, TN_ORIGIN_PATH, "%s.vertices", part.text);
    // The corners of a triangle in a list are side by side.
    bool is_list = importer->view.meshes[index].mesh->primitive_type == TENON_BBMOD_TRIANGLES;
    if (is_list) origin.corners = origin.vertices;
    tn_add_origin(importer->builder, p, &origin);
}

// Fill in the vertices of a mesh of the view.
static void bbmod_import_fill_primitive(bbmod_importer *importer, uint32_t index,
                                        tenon_primitive *p)
{
    const tenon_bbmod *doc = importer->doc;
    const tenon_bbmod_mesh *mesh = importer->view.meshes[index].mesh;
    const tenon_span *vertices = &mesh->vertices;
    const bbmod_primitive *primitive = bbmod_vertices_primitive(mesh->primitive_type);
    uint64_t count = bbmod_piece_count(mesh);
    bbmod_mesh_tallies *tallies = &importer->tallies;
    tn_mark mark = tn_arena_mark(importer->scratch);
    bbmod_weld weld;
    if (!bbmod_import_weld_mesh(importer, vertices, &weld)) return;
    p->mode = primitive->mode;
    p->material = importer->mesh_plans[index].material;
    tn_vertices from = bbmod_streams(vertices);
    from.count = weld.vertex_count;
    from.records = weld.firsts;
    const tenon_element *colors = bbmod_element(vertices, "color");
    tn_import_vertices(importer->builder, &from,
                       p->mode == TENON_LINE_STRIP ? count + 1 : count * primitive->size,
                       (importer->mesh_plans[index].is_skinned ? TN_WITH_SKIN : 0u) |
                           (colors ? TN_WITH_COLOR : 0u),
                       p);
    if (importer->builder->failed) return;
    if (colors) {
        // In version 0 and in the format's document, blue is first.
        float *color = p->colors[0];
        bool is_swapped = bbmod_is_v0_doc(doc) || bbmod_has(doc, TENON_BBMOD_DOCUMENT);
        for (uint32_t i = 0; i < weld.vertex_count; i++, color += 4) {
            const uint8_t *bytes = tn_span_record(vertices, weld.firsts[i]) + colors->offset;
            color[0] = importer->linear_levels[bytes[is_swapped ? 2 : 0]];
            color[1] = importer->linear_levels[bytes[1]];
            color[2] = importer->linear_levels[bytes[is_swapped ? 0 : 2]];
            color[3] = (float)(bytes[3] / 255.0);
        }
    }
    if (p->influence_count) {
        // Dialects without weights: the first bone has the weight 1.
        bool has_weights = from.streams[TN_WEIGHTS].count > 0;
        uint64_t unknown = 0;  // Influences of bones that do not exist.
        for (uint32_t i = 0; i < p->vertex_count; i++) {
            float slots[4], *weights = p->weights + 4 * (size_t)i;
            uint16_t *joints = p->joints + 4 * (size_t)i;
            if (!has_weights) weights[0] = 1;
            tn_read_stream(&from, TN_JOINTS, i, 1, slots);
            for (int k = 0; k < 4; k++) {
                uint32_t slot = bbmod_slot(slots[k], importer->rig.joint_count);
                uint32_t joint = slot == TENON_NONE ? TENON_NONE : importer->joint_of_slot[slot];
                bool is_used = weights[k] > 0;
                unknown += is_used && joint == TENON_NONE;
                if (!is_used || joint == TENON_NONE) weights[k] = 0;
                joints[k] = weights[k] > 0 ? (uint16_t)joint : 0;
            }
        }
        bbmod_import_tally_mesh(importer, &tallies->influences, unknown, index);
        if (!has_weights)
            bbmod_import_tally_mesh(importer, &tallies->without_weights, p->vertex_count, index);
        if (importer->rig.is_rigid) bbmod_import_tally_mesh(importer, &tallies->blended, 1, index);
    }
    // Strips and fans become lists, so that the winding can be reversed.
    for (uint64_t t = 0; p->mode == TENON_TRIANGLES && t < count; t++) {
        uint64_t corners[3];
        bbmod_triangle_corners(mesh, t, corners);
        p->indices[3 * t] = weld.numbers[corners[0]];
        p->indices[3 * t + 1] = weld.numbers[corners[2]];
        p->indices[3 * t + 2] = weld.numbers[corners[1]];
    }
    bbmod_import_origin(importer, index, weld.firsts, p);
    if (p->mode != TENON_TRIANGLES)
        memcpy(p->indices, weld.numbers, p->index_count * sizeof *p->indices);
    tn_arena_rewind(importer->scratch, mark);
    bbmod_import_tally_mesh(importer, &tallies->partial, vertices->count % primitive->step, index);
    if (bbmod_element(vertices, "instance_id"))
        bbmod_import_tally_mesh(importer, &tallies->ids, vertices->count, index);
    if (bbmod_has(doc, TENON_BBMOD_NESTED | TENON_BBMOD_DOCUMENT) && colors)
        bbmod_import_tally_mesh(importer, &tallies->colors, vertices->count, index);
    // Version 0 has no materials.
    if (!bbmod_is_v0_doc(doc) && mesh->material_index >= doc->material_count)
        bbmod_import_tally_mesh(importer, &tallies->materials, 1, index);
}

// -- Nodes

// The joints of the rig become the first nodes of the scene, with the same numbers.
static void bbmod_import_joints(bbmod_importer *importer)
{
    const tenon_bbmod *doc = importer->doc;
    const bbmod_rig *rig = &importer->rig;
    tn_scene_builder *builder = importer->builder;
    for (uint32_t i = 0; i < rig->joint_count; i++) {
        const bbmod_joint *joint = &rig->joints[i];
        (void)tn_add_node(builder, joint->name, joint->parent);
        if (builder->failed) return;
        tenon_node *node = &builder->scene->nodes[i];
        node->is_joint = joint->is_bone;
        if (rig->is_rigid) {
            tn_vec3 t = tn_mirror_vec3(tn_dquat_translation(joint->rest));
            tn_quat r = tn_mirror_quat(joint->rest.real);
            memcpy(node->translation, &t, sizeof node->translation);
            memcpy(node->rotation, &r, sizeof node->rotation);
        } else {
            // The inverse transform, which is applied after the root, becomes a part of the root.
            bool is_root = joint->parent == TENON_NONE;
            tn_mat4 local = is_root ? tn_mat4_mul(&rig->above, &joint->local) : joint->local;
            tn_mat4 mirrored = tn_mirror_mat4(&local);
            tn_set_matrix(builder, i, mirrored.m);
        }
    }
    bool is_nested = bbmod_has(doc, TENON_BBMOD_NESTED);
    const float *root = is_nested ? doc->v1_skeleton.transform : doc->root.transform;
    bool is_inverse =
        rig->joint_count && !rig->is_rigid && bbmod_root_is_inverse(root, doc->inverse_transform);
    tn_scene_report(builder, TENON_SYNTHESIZED, "the root's transform", is_inverse,
                    is_nested ? "skeleton.transform" : "root.transform",
                    "the file stores its inverse, which was inverted again");
}

// -- Skins

static void bbmod_import_set_bind(const bbmod_importer *importer, uint32_t slot,
                                  const tn_mat4 *offset)
{
    uint32_t joint = slot < importer->rig.joint_count ? importer->joint_of_slot[slot] : TENON_NONE;
    if (joint == TENON_NONE) return;
    float *binds = importer->builder->scene->skins[importer->skin].inverse_binds;
    tn_mat4 mirrored = tn_mirror_mat4(offset);
    tn_mat4_to_columns(&mirrored, binds + 16 * (size_t)joint);
}

// The joints of the skin are the bones that have a node and an offset, in the order of their slots.
static void bbmod_import_skin(bbmod_importer *importer)
{
    const bbmod_rig *rig = &importer->rig;
    uint32_t count = 0, *joint_of_slot;
    joint_of_slot = bbmod_import_scratch(importer, rig->joint_count, sizeof *joint_of_slot);
    if (!joint_of_slot) return;
    importer->joint_of_slot = joint_of_slot;
    for (uint32_t slot = 0; slot < rig->joint_count; slot++) {
        bool is_bone = rig->offsets[slot].is_there && rig->by_slot[slot] != TENON_NONE;
        joint_of_slot[slot] = is_bone && count < JOINTS_MOST ? count++ : TENON_NONE;
    }
    if (count == 0) {
        // Without bones, meshes with weights follow their nodes.
        for (uint32_t i = 0; i < importer->view.mesh_count; i++) {
            bool is_skinned = importer->mesh_plans[i].is_skinned;
            bbmod_import_tally_mesh(importer, &importer->tallies.without_bones, is_skinned, i);
            importer->mesh_plans[i].is_skinned = false;
        }
        return;
    }
    uint32_t skin = tn_add_skin(importer->builder, (tenon_str){"", 0}, count);
    if (importer->builder->failed) return;
    importer->skin = skin;
    for (uint32_t slot = 0; slot < rig->joint_count; slot++) {
        if (joint_of_slot[slot] == TENON_NONE) continue;
        importer->builder->scene->skins[skin].joints[joint_of_slot[slot]] = rig->by_slot[slot];
        if (!rig->is_rigid) continue;
        tn_mat4 offset = tn_dquat_to_mat4(rig->offsets[slot].rigid);
        bbmod_import_set_bind(importer, slot, &offset);
    }
    if (!rig->is_rigid) {
        // Offsets that are matrices. The rig has split them, so they are read again.
        const tenon_bbmod *doc = importer->doc;
        for (uint32_t i = 0; i < importer->view.bones.count; i++) {
            const float *offset = importer->view.bones.items[i].v1_bone->offset;
            tn_mat4 matrix =
                doc->column_vectors ? tn_mat4_from_rows(offset) : tn_mat4_from_columns(offset);
            if (rig->joints[i].is_bone)
                bbmod_import_set_bind(importer, rig->joints[i].slot, &matrix);
        }
        for (uint64_t i = 0; i < doc->bones.count; i++) {
            float numbers[17];
            tn_copy_numbers(numbers, tn_span_record(&doc->bones, i), 17, 4, false);
            tn_mat4 matrix = tn_mat4_from_columns(numbers + 1);
            bbmod_import_set_bind(importer, bbmod_slot(numbers[0], rig->joint_count), &matrix);
        }
    }
}

// -- Meshes of nodes

// The meshes of a node: stored indices, or consecutive indices.
typedef struct bbmod_mesh_refs {
    const tenon_span *stored;  // NULL: consecutive, from `first` on.
    uint32_t first;
    uint64_t count;
} bbmod_mesh_refs;

// The plan that a node refers to; NULL if the mesh does not exist or is not imported.
static bbmod_mesh_plan *bbmod_import_plan_at(const bbmod_importer *importer,
                                             const bbmod_mesh_refs *refs, uint64_t i)
{
    uint32_t mesh = refs->stored ? tn_span_u32(refs->stored, i) : refs->first + (uint32_t)i;
    if (mesh >= importer->view.mesh_count || !importer->mesh_plans[mesh].is_shown) return NULL;
    return &importer->mesh_plans[mesh];
}

// A node of a scene has one mesh; further meshes get child nodes. *node may be TENON_NONE: then a
// node is added.
static void bbmod_import_attach_mesh(bbmod_importer *importer, tenon_str name, uint32_t *node,
                                     uint32_t mesh, bool is_skinned)
{
    tn_scene_builder *builder = importer->builder;
    uint32_t target = *node;
    if (target == TENON_NONE || builder->scene->nodes[target].mesh != TENON_NONE)
        target = tn_add_node(builder, name, *node);
    if (builder->failed) return;
    if (*node == TENON_NONE) *node = target;
    builder->scene->nodes[target].mesh = mesh;
    if (is_skinned) builder->scene->nodes[target].skin = importer->skin;
}

// Meshes that only this node uses become one mesh; skinned ones become another.
static void bbmod_import_own_meshes(bbmod_importer *importer, tenon_str name, uint32_t *node,
                                    const bbmod_mesh_refs *refs, bool is_skinned)
{
    tn_scene_builder *builder = importer->builder;
    uint32_t count = 0;
    for (uint64_t i = 0; i < refs->count; i++) {
        const bbmod_mesh_plan *plan = bbmod_import_plan_at(importer, refs, i);
        count += plan && plan->use_count == 1 && plan->is_skinned == is_skinned;
    }
    if (!count || builder->failed) return;
    uint32_t mesh = tn_add_mesh(builder, name, count);
    if (builder->failed) return;
    tenon_primitive *p = builder->scene->meshes[mesh].primitives;
    for (uint64_t i = 0; i < refs->count && !builder->failed; i++) {
        const bbmod_mesh_plan *plan = bbmod_import_plan_at(importer, refs, i);
        if (plan && plan->use_count == 1 && plan->is_skinned == is_skinned)
            bbmod_import_fill_primitive(importer, (uint32_t)(plan - importer->mesh_plans), p++);
    }
    if (!builder->failed) bbmod_import_attach_mesh(importer, name, node, mesh, is_skinned);
}

// Add the meshes of a node. `node` is an index into the nodes of the scene, or TENON_NONE. Returns
// whether a node was added.
static bool bbmod_import_node_meshes(bbmod_importer *importer, tenon_str name, uint32_t node,
                                     const bbmod_mesh_refs *refs)
{
    tn_scene_builder *builder = importer->builder;
    uint32_t target = node;
    bbmod_import_own_meshes(importer, name, &target, refs, false);
    bbmod_import_own_meshes(importer, name, &target, refs, true);
    for (uint64_t i = 0; i < refs->count && !builder->failed; i++) {
        bbmod_mesh_plan *plan = bbmod_import_plan_at(importer, refs, i);
        if (!plan || plan->use_count < 2) continue;
        if (plan->shared == TENON_NONE) {
            plan->shared = tn_add_mesh(builder, name, 1);
            if (builder->failed) break;
            bbmod_import_fill_primitive(importer, (uint32_t)(plan - importer->mesh_plans),
                                        builder->scene->meshes[plan->shared].primitives);
        }
        if (!builder->failed)
            bbmod_import_attach_mesh(importer, name, &target, plan->shared, plan->is_skinned);
    }
    return target != node;
}

// -- Models

static void bbmod_import_model(bbmod_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    tn_srgb_levels(importer->linear_levels);
    builder->failed =
        !bbmod_view_make(&importer->view, importer->doc, importer->scratch, builder->err) ||
        !bbmod_rig_make(&importer->rig, &importer->view, importer->scratch, builder->err);
    if (builder->failed) return;
    bbmod_import_joints(importer);
    if (bbmod_import_select_meshes(importer)) bbmod_import_skin(importer);
    bbmod_import_materials(importer);
    if (builder->failed) return;
    if (bbmod_is_v0_doc(importer->doc)) {
        bbmod_mesh_refs refs = {.count = importer->view.mesh_count};
        bool is_added =
            bbmod_import_node_meshes(importer, (tenon_str){"RootNode", 8}, TENON_NONE, &refs);
        tn_scene_report(builder, TENON_SYNTHESIZED, "nodes", is_added, "meshes[0]",
                        "version 0 does not store any");
    } else {
        // Up to version 2 the engine ignores the node transform of a mesh without bones. The nodes
        // of version 1 have no transform: if there is a skeleton, it contains them all, and only
        // their meshes are imported.
        const bbmod_tree *tree = &importer->view.nodes;
        bool is_nested = bbmod_has(importer->doc, TENON_BBMOD_NESTED);
        bool is_moved = is_nested ? importer->view.bones.count == 0
                                  : importer->rig.is_rigid || importer->skin != TENON_NONE;
        tn_tally added = {0};
        for (uint32_t n = 0; is_nested && is_moved && n < tree->count && !builder->failed; n++)
            (void)tn_add_node(builder, tree->items[n].v1_node->name, tree->items[n].parent);
        bbmod_mesh_refs refs = {0};
        for (uint32_t n = 0; n < tree->count && !builder->failed; n++) {
            const tenon_bbmod_v1_node *v1 = tree->items[n].v1_node;
            const tenon_bbmod_node *node = tree->items[n].node;
            refs.stored = is_nested ? NULL : &node->meshes;
            refs.count = is_nested ? v1->mesh_count : node->meshes.count;
            if (bbmod_import_node_meshes(importer, is_nested ? v1->name : node->name,
                                         is_moved ? n : TENON_NONE, &refs))
                bbmod_import_tally_item(&added, tree, n);
            if (is_nested) refs.first += v1->mesh_count;
        }
        tn_tally_report(
            builder, &added, TENON_SYNTHESIZED, "nodes",
            is_nested
                ? "added for meshes, which version 1 does not attach to the skeleton"
                : "added for meshes without bones, which version 2 draws without a node transform");
    }
    if (!builder->failed) bbmod_import_clips(importer);
    if (builder->failed) return;
    const bbmod_mesh_tallies *tallies = &importer->tallies;
    tn_tally_report(builder, &tallies->unused, TENON_DROPPED, "meshes", "not used by any node");
    tn_tally_report(builder, &tallies->empty, TENON_DROPPED, "meshes", "empty");
    tn_tally_report(builder, &tallies->without_positions, TENON_DROPPED, "meshes",
                    "their vertices have no positions");
    tn_tally_report(builder, &tallies->unknown, TENON_DROPPED, "meshes", "unknown primitive type");
    tn_tally_report(builder, &tallies->partial, TENON_DROPPED, "vertices",
                    "left over after the last complete triangle or line");
    tn_tally_report(builder, &tallies->ids, TENON_DROPPED, "instance ids",
                    "not supported by scenes");
    tn_tally_report(builder, &tallies->materials, TENON_DROPPED, "references to materials",
                    "the materials do not exist");
    tn_tally_report(builder, &tallies->influences, TENON_DROPPED, "influences",
                    "the bones do not exist");
    tn_tally_report(builder, &tallies->without_bones, TENON_DROPPED, "bone weights",
                    "the model has no bones");
    tn_tally_report(builder, &tallies->without_weights, TENON_SYNTHESIZED, "bone weights",
                    "this dialect does not store weights; the first bone has weight 1");
    bool is_text = bbmod_has(importer->doc, TENON_BBMOD_DOCUMENT);
    tn_tally_report(builder, &tallies->colors, TENON_DEFAULTED, "vertex colors",
                    is_text ? "read as documented: a 32-bit ARGB number whose lowest byte is blue"
                            : "assumed red first (releases before 2.0.6 stored blue first, but the "
                              "file does not say which)");
    tn_tally_report(builder, &tallies->blended, TENON_APPROXIMATED, "dual-quaternion skinning",
                    "the engine blends dual quaternions, other formats blend matrices");
    tn_scene_report(
        builder, TENON_SYNTHESIZED, "handedness", 1, NULL,
        "not stored in the file; assumed left-handed with the up axis as stored, and mirrored Z");
}

void bbmod_import(tn_scene_builder *builder, const void *doc)
{
    tn_arena scratch = tn_arena_make(&builder->opts->allocator, builder->arena->limit);
    bbmod_importer importer = {
        .builder = builder, .doc = doc, .scratch = &scratch, .skin = TENON_NONE};
    bbmod_import_model(&importer);
    tn_arena_free(&scratch);
}
