// gpb_import_mesh.c: imports nodes, skeletons and meshes.
// SPDX-License-Identifier: MIT
//
// The engine transforms a skinned vertex by its joints and their ancestors, and then by the node of
// the mesh and its ancestors. A scene ignores the node of the mesh. So if that node is not always
// at the origin, the skeleton has to be below it: the joints themselves if nothing else needs them
// at their place, otherwise copies.
//
// In the file, parts share the vertices of their mesh. In a scene, each part has only the vertices
// that it uses, which are at most as many as its indices. In the file, materials belong to nodes,
// in a scene to parts: nodes share a mesh if they have the same materials.

#include "formats/gpb/import/gpb_import.h"

#include "core/cursor/span.h"
#include "core/math/sort.h"
#include "core/math/tree_links.h"
#include "scene/model/origin.h"

#include <stdio.h>
#include <string.h>

#define GPB_MANY (TENON_NONE - 1)

// Facts about the nodes of the tree.
typedef struct gpb_rig_planner {
    gpb_importer *importer;
    const gpb_tree_node *nodes;
    uint32_t *roots;         // The root of its tree.
    uint32_t *anchors;       // The nearest, itself or above, with a transform; or TENON_NONE.
    uint32_t *movable_tops;  // The topmost of its ancestors without content; or TENON_NONE.
    uint32_t *users;         // For a root: where skins need its joints, or GPB_MANY.
    uint32_t *copies;        // Its newest copy; TENON_NONE if there is none.
    uint32_t *copy_anchors;  // The node that copy is below.
    bool *is_placed;         // It was moved to where a skin needs it.
} gpb_rig_planner;

static bool gpb_is_identity(const float m[16])
{
    for (int i = 0; i < 16; i++)
        if (m[i] != (i % 5 == 0)) return false;
    return true;
}

// -- Streams

// Find the streams of all vertices of a mesh. Returns the number of elements that cannot be used.
static uint64_t gpb_find_streams(const tenon_gpb_mesh *mesh, tn_vertices *vertices)
{
    uint64_t offset = 0, useless = 0;
    uint64_t stride = mesh->vertices.layout ? mesh->vertices.layout->stride : 0;
    *vertices = (tn_vertices){.count = mesh->vertices.count, .is_v_up = true};
    tn_vertex_stream *streams = vertices->streams;
    for (uint32_t i = 0; i < mesh->element_count; i++) {
        tenon_gpb_element e = mesh->elements[i];
        uint64_t size = 4 * (uint64_t)e.size;
        uint32_t meaning = e.usage - 1;  // Usages start at 1, in the order of tn_meaning.
        uint32_t least = meaning >= TN_NORMAL && meaning <= TN_BINORMAL ? 3 : 1;
        bool fits = offset <= stride && size <= stride - offset && e.size >= least && e.size <= 4;
        if (fits && meaning < TN_MEANING_COUNT && streams[meaning].count == 0)
            streams[meaning] = (tn_vertex_stream){&mesh->vertices, offset, e.size};
        else
            useless++;
        offset += size;
    }
    if (streams[TN_NORMAL].count == 0) streams[TN_TANGENT].count = 0;
    uint32_t weights = streams[TN_WEIGHTS].count, joints = streams[TN_JOINTS].count;
    streams[TN_WEIGHTS].count = streams[TN_JOINTS].count = weights < joints ? weights : joints;
    return useless;
}

// Whether a mesh can be skinned: its vertices have weights and joint indices.
static bool gpb_has_influences(const tenon_gpb_mesh *mesh)
{
    tn_vertices vertices;
    gpb_find_streams(mesh, &vertices);
    return vertices.streams[TN_POSITION].count && vertices.streams[TN_JOINTS].count;
}

// -- Skeletons

// List the nodes with a mesh that their skin can move, and find out where each skin needs the trees
// of its joints.
static void gpb_list_rigs(gpb_rig_planner *planner)
{
    gpb_importer *importer = planner->importer;
    tn_scene_builder *builder = importer->builder;
    uint32_t count = importer->index.tree.count;
    importer->rig_of = tn_scene_array(builder, count, sizeof *importer->rig_of);
    bool *is_used = tn_scene_array(builder, count, sizeof *is_used);
    if (builder->failed) return;
    for (uint32_t i = 0; i < count; i++) {
        const tenon_gpb_model *model = &planner->nodes[i].node->model;
        importer->rig_of[i] = TENON_NONE;
        const tenon_gpb_mesh *mesh = gpb_find_mesh(&importer->index, model->mesh);
        if (!mesh || !model->has_skin) continue;
        if (model->skin.joint_count && gpb_has_influences(mesh))
            importer->rig_of[i] = importer->rig_count++;
        else
            gpb_tally_node(importer, &importer->lost.unskinned, i, "model.skin");
    }
    importer->rigs = tn_scene_array(builder, importer->rig_count, sizeof *importer->rigs);
    for (uint32_t i = 0; i < count && !builder->failed; i++) {
        if (importer->rig_of[i] == TENON_NONE) continue;
        const tenon_gpb_skin *skin = &planner->nodes[i].node->model.skin;
        gpb_rig *rig = &importer->rigs[importer->rig_of[i]];
        rig->node_index = i;
        rig->anchor = planner->anchors[i];
        rig->joints = tn_scene_array(builder, skin->joint_count, sizeof *rig->joints);
        for (uint32_t k = 0; k < skin->joint_count && !builder->failed; k++) {
            tenon_str id = gpb_xref_id(importer->doc, skin->joints[k]);
            rig->joints[k] = gpb_find_node(&importer->index, id);
            if (rig->joints[k] == TENON_NONE) {
                gpb_tally_node(importer, &importer->lost.joints, i, "model.skin.joints[%u]", k);
                continue;
            }
            uint32_t top = planner->roots[rig->joints[k]], user = planner->users[top];
            planner->users[top] = is_used[top] && user != rig->anchor ? GPB_MANY : rig->anchor;
            is_used[top] = true;
        }
    }
}

static uint32_t gpb_plan_scene_node(gpb_importer *importer, uint32_t node_index, uint32_t parent)
{
    uint32_t index = tn_list_add(importer->builder, &importer->scene_node_list,
                                 (void **)(void *)&importer->scene_nodes,
                                 &importer->scene_node_count, sizeof *importer->scene_nodes);
    if (index != TENON_NONE)
        importer->scene_nodes[index] =
            (gpb_scene_node){.node_index = node_index, .parent = parent, .next_copy = TENON_NONE};
    return index;
}

// The copy of a node, with its ancestors, below the node `anchor`.
static uint32_t gpb_copy_node(gpb_rig_planner *planner, uint32_t node_index, uint32_t anchor)
{
    gpb_importer *importer = planner->importer;
    uint32_t child = TENON_NONE;  // The next node is the parent of this one.
    uint32_t result = TENON_NONE;
    for (uint32_t at = node_index; !importer->builder->failed; at = planner->nodes[at].parent) {
        bool is_there = at != TENON_NONE && planner->copies[at] != TENON_NONE &&
                        planner->copy_anchors[at] == anchor;
        uint32_t copy = at == TENON_NONE ? anchor
                        : is_there       ? planner->copies[at]
                                         : gpb_plan_scene_node(importer, at, TENON_NONE);
        if (importer->builder->failed) break;
        if (child != TENON_NONE) importer->scene_nodes[child].parent = copy;
        if (result == TENON_NONE) result = copy;
        if (at == TENON_NONE || is_there) break;
        importer->scene_nodes[copy].next_copy = importer->scene_nodes[at].next_copy;
        importer->scene_nodes[at].next_copy = copy;
        planner->copies[at] = copy;
        planner->copy_anchors[at] = anchor;
        child = copy;
        gpb_tally_node(importer, &importer->lost.copied, at, "%s", "");
    }
    return result;
}

// Move or copy a joint to where its skin needs it. Returns its planned node.
static uint32_t gpb_place_joint(gpb_rig_planner *planner, uint32_t joint, uint32_t anchor)
{
    gpb_importer *importer = planner->importer;
    uint32_t top = planner->movable_tops[joint];
    if (anchor == TENON_NONE) return joint;
    if (planner->users[planner->roots[joint]] != anchor || top == TENON_NONE)
        return gpb_copy_node(planner, joint, anchor);
    if (planner->is_placed[top]) return joint;
    uint32_t parent = planner->nodes[top].parent;
    uint32_t place = parent == TENON_NONE ? anchor : gpb_copy_node(planner, parent, anchor);
    planner->is_placed[top] = true;
    if (importer->builder->failed) return joint;
    importer->scene_nodes[top].parent = place;
    gpb_tally_node(importer, &importer->lost.moved, top, "%s", "");
    return joint;
}

static bool gpb_anchor_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_rig *rigs = context;
    return rigs[a].anchor < rigs[b].anchor;
}

void gpb_plan_scene_nodes(gpb_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    gpb_rig_planner planner = {.importer = importer, .nodes = importer->index.tree.nodes};
    uint32_t count = importer->index.tree.count;
    uint32_t **arrays[] = {&planner.roots, &planner.anchors, &planner.movable_tops,
                           &planner.users, &planner.copies,  &planner.copy_anchors};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        *arrays[i] = tn_scene_array(builder, count, sizeof **arrays[i]);
    bool *has_content = tn_scene_array(builder, count, sizeof *has_content);
    planner.is_placed = tn_scene_array(builder, count, sizeof *planner.is_placed);
    if (builder->failed) return;
    for (uint32_t i = count; i-- > 0;) {  // It or a descendant has a mesh, a camera or a light.
        const tenon_gpb_node *node = planner.nodes[i].node;
        if (gpb_has_model(importer->doc->base.dialect->flags, &node->model) ||
            node->camera.camera_type || node->light.light_type)
            has_content[i] = true;
        uint32_t parent = planner.nodes[i].parent;
        if (has_content[i] && parent != TENON_NONE) has_content[parent] = true;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = planner.nodes[i].parent;
        bool is_root = parent == TENON_NONE;
        bool stays = gpb_is_identity(planner.nodes[i].node->transform) && !importer->is_animated[i];
        planner.roots[i] = is_root ? i : planner.roots[parent];
        planner.anchors[i] = !stays ? i : is_root ? TENON_NONE : planner.anchors[parent];
        planner.movable_tops[i] = has_content[i]                   ? TENON_NONE
                                  : is_root || has_content[parent] ? i
                                                                   : planner.movable_tops[parent];
        planner.users[i] = planner.copies[i] = TENON_NONE;
    }
    for (uint32_t i = 0; i < count && !builder->failed; i++)
        gpb_plan_scene_node(importer, i, planner.nodes[i].parent);
    gpb_list_rigs(&planner);
    // Skins that need joints at the same place are handled in sequence, so that they use the same
    // copies.
    uint32_t *sorted = tn_scene_array(builder, importer->rig_count, 2 * sizeof *sorted);
    if (builder->failed) return;
    tn_sort_all(sorted, importer->rig_count, gpb_anchor_before, importer->rigs);
    for (uint32_t i = 0; i < importer->rig_count && !builder->failed; i++) {
        gpb_rig *rig = &importer->rigs[sorted[i]];
        uint32_t joints = planner.nodes[rig->node_index].node->model.skin.joint_count;
        uint32_t tree = TENON_NONE, at = TENON_NONE;
        bool has_root = true;  // All joints exist and are in one tree.
        for (uint32_t k = 0; k < joints && !builder->failed; k++) {
            uint32_t joint = rig->joints[k];
            has_root = has_root && joint != TENON_NONE && (k == 0 || planner.roots[joint] == tree);
            if (joint == TENON_NONE) continue;
            tree = planner.roots[joint];
            at = rig->joints[k] = gpb_place_joint(&planner, joint, rig->anchor);
        }
        rig->root = TENON_NONE;
        if (builder->failed || !has_root) continue;
        const gpb_scene_node *scene_nodes = importer->scene_nodes;
        while (scene_nodes[at].parent != TENON_NONE && scene_nodes[at].parent != rig->anchor)
            at = scene_nodes[at].parent;
        rig->root = at;
    }
}

// -- Nodes and skins

void gpb_import_scene_nodes(gpb_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    uint32_t count = importer->scene_node_count;
    tn_tree_link *links = tn_scene_array(builder, count, sizeof *links);
    if (builder->failed) return;
    for (uint32_t i = 0; i < count; i++) links[i].parent = importer->scene_nodes[i].parent;
    for (uint32_t at = tn_tree_link_all(links, count); at != TN_NO_NODE;
         at = tn_tree_next(links, count, at, TN_NO_NODE, NULL)) {
        gpb_scene_node *scene_node = &importer->scene_nodes[at];
        uint32_t parent = scene_node->parent, node_index = scene_node->node_index;
        if (parent != TENON_NONE) parent = importer->scene_nodes[parent].node;
        const tenon_gpb_node *from = importer->index.tree.nodes[node_index].node;
        tn_mat4 matrix = tn_mat4_from_columns(from->transform);
        scene_node->node = tn_add_node(builder, gpb_id_of(importer->doc, from->reference), parent);
        if (builder->failed) return;
        tn_set_matrix(builder, scene_node->node, matrix.m);
        tenon_node *node = &builder->scene->nodes[scene_node->node];
        node->is_joint = from->node_type == 2;
        if (!importer->is_animated[node_index]) continue;
        // Animated nodes have translation, rotation and scale, as in the engine.
        tn_trs trs;
        memcpy(matrix.m, node->matrix, sizeof matrix.m);
        (void)tn_mat4_decompose(&matrix, &trs);
        // The engine mirrors along Z. This matters only if a channel moves one component.
        if (trs.scale.x < 0) {
            trs.rotation = tn_quat_mul(trs.rotation, (tn_quat){0, 1, 0, 0});
            trs.scale.x = -trs.scale.x;
            trs.scale.z = -trs.scale.z;
        }
        if (node->has_matrix)
            gpb_tally_node(importer, &importer->lost.sheared, node_index, "transform");
        tn_set_trs(node, &trs);
    }
}

// Joints that do not exist in the bundle are added.
void gpb_import_skins(gpb_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    for (uint32_t r = 0; r < importer->rig_count && !builder->failed; r++) {
        const gpb_rig *rig = &importer->rigs[r];
        const gpb_scene_node *scene_nodes = importer->scene_nodes;
        const tenon_gpb_node *node = importer->index.tree.nodes[rig->node_index].node;
        const tenon_gpb_skin *from = &node->model.skin;
        uint32_t parent = rig->anchor == TENON_NONE ? TENON_NONE : scene_nodes[rig->anchor].node;
        uint32_t index =
            tn_add_skin(builder, gpb_id_of(importer->doc, node->reference), from->joint_count);
        if (builder->failed) return;
        tenon_skin *skin = &builder->scene->skins[index];
        tn_mat4 shape = tn_mat4_from_columns(from->bind_shape);
        bool has_shape = !gpb_is_identity(from->bind_shape);
        for (uint32_t i = 0; i < from->joint_count; i++) {
            tenon_str id = gpb_xref_id(importer->doc, from->joints[i]);
            skin->joints[i] = rig->joints[i] == TENON_NONE ? tn_add_node(builder, id, parent)
                                                           : scene_nodes[rig->joints[i]].node;
            if (builder->failed) return;
            builder->scene->nodes[skin->joints[i]].is_joint = true;
            float *bind = skin->inverse_binds + 16 * (size_t)i;
            if (i < from->bind_poses.count)
                tn_copy_numbers(bind, tn_span_record(&from->bind_poses, i), 16, 4, false);
            else
                gpb_tally_node(importer, &importer->lost.binds, rig->node_index,
                               "model.skin.bind_poses");
            if (!has_shape) continue;
            // Inverse bind matrices include the bind shape.
            tn_mat4 pose = tn_mat4_from_columns(bind), whole = tn_mat4_mul(&pose, &shape);
            tn_mat4_to_columns(&whole, bind);
        }
        skin->root = rig->root == TENON_NONE ? TENON_NONE : scene_nodes[rig->root].node;
        builder->scene->nodes[scene_nodes[rig->node_index].node].skin = index;
    }
}

#define GPB_BLOCK 256  // Vertices decoded at once.

typedef struct gpb_mesh_importer {
    gpb_importer *importer;
    uint32_t *blocks;   // For each node of the tree: the block of its mesh; TENON_NONE if none.
    uint8_t *uses;      // For each block: how the mesh is used.
    uint32_t *stamps;   // For each vertex: the number of the last part that used it.
    uint32_t *numbers;  // For each vertex: its index in that part.
    uint32_t *used;     // The vertices of the current part.
    uint32_t stamp;     // The number of the current part.
} gpb_mesh_importer;

enum { GPB_MESH_USED = 1, GPB_MESH_USED_BY_SKIN = 2 };

// -- Meshes

// Allocate the streams of a primitive, and copy the vertices. The caller sets the indices. The skin
// has `joint_count` joints; 0 if there is none.
static void gpb_fill_primitive(gpb_importer *importer, const tn_vertices *from,
                               uint64_t index_count, uint32_t joint_count, tenon_primitive *p)
{
    tn_import_vertices(importer->builder, from, index_count, joint_count ? TN_WITH_SKIN : 0, p);
    if (importer->builder->failed) return;
    // The binormal determines the handedness of the tangent.
    bool lacks_sides = from->streams[TN_TANGENT].count == 3;
    bool has_binormals = from->streams[TN_BINORMAL].count > 0;
    if (lacks_sides && !has_binormals) importer->lost.sides.count += p->vertex_count;
    for (uint64_t i = 0; lacks_sides && has_binormals && i < p->vertex_count; i++) {
        const float *n = p->normals + 3 * i;
        float *t = p->tangents + 4 * i, b[3];
        tn_read_stream(from, TN_BINORMAL, i, 1, b);
        tn_vec3 side = tn_vec3_cross((tn_vec3){n[0], n[1], n[2]}, (tn_vec3){t[0], t[1], t[2]});
        t[3] = tn_vec3_dot(side, (tn_vec3){b[0], b[1], b[2]}) < 0 ? -1 : 1;
    }
    // Influences of joints that do not exist get a weight of 0.
    float block[4 * GPB_BLOCK], most = joint_count < 65536 ? (float)joint_count : 65536;
    for (uint64_t at = 0, count; joint_count && at < p->vertex_count; at += count) {
        count = p->vertex_count - at < GPB_BLOCK ? p->vertex_count - at : GPB_BLOCK;
        uint16_t *joints = p->joints + 4 * at;
        float *weights = p->weights + 4 * at;
        tn_read_stream(from, TN_JOINTS, at, count, block);
        bool are_plain = tn_joints_are_plain(block, 4 * count, most - 1);
        for (uint64_t i = 0; i < 4 * count && !are_plain; i++) {
            if (block[i] >= 0 && block[i] < most) continue;
            importer->lost.influences.count += weights[i] != 0;
            block[i] = weights[i] = 0;
        }
        for (uint64_t i = 0; i < 4 * count; i++) joints[i] = (uint16_t)(int32_t)block[i];
    }
}

static uint32_t gpb_index_at(const tenon_span *indices, uint64_t i)
{
    const uint8_t *p = tn_span_record(indices, i);
    uint64_t width = indices->layout->stride;
    return width == 1 ? *p : width == 2 ? tn_load16(p, false) : tn_load32(p, false);
}

// Find the vertices of a part, in the order of first use. Returns how many.
static uint64_t gpb_pick_vertices(gpb_mesh_importer *meshes, const tenon_gpb_mesh *mesh,
                                  const tenon_gpb_part *part)
{
    uint64_t count = 0;
    meshes->stamp++;
    for (uint64_t i = 0; i < part->indices.count; i++) {
        uint32_t vertex = gpb_index_at(&part->indices, i);
        if (vertex >= mesh->vertices.count || meshes->stamps[vertex] == meshes->stamp) continue;
        meshes->stamps[vertex] = meshes->stamp;
        meshes->numbers[vertex] = (uint32_t)count;
        meshes->used[count++] = vertex;
    }
    return count;
}

// Primitive types are the numbers of OpenGL, in files and in scenes.
static void gpb_import_part(gpb_mesh_importer *meshes, tn_vertices from, uint32_t joint_count,
                            uint32_t block, uint32_t index, tenon_primitive *p)
{
    gpb_importer *importer = meshes->importer;
    const tenon_gpb_mesh *mesh = &importer->doc->blocks[block].body.mesh;
    const tenon_gpb_part *part = &mesh->parts[index];
    bool is_known = part->primitive_type <= TENON_TRIANGLE_FAN;
    bool has_indices = part->indices.layout && part->indices.count && is_known;
    if (!is_known)
        tn_tally_path(&importer->lost.primitives, 1, "blocks[%u].mesh.parts[%u].primitive_type",
                      block, index);
    p->mode = is_known ? (tenon_mode)part->primitive_type : TENON_TRIANGLES;
    bool is_whole = mesh->part_count == 1;
    if (has_indices && !is_whole) {
        from.records = meshes->used;
        from.count = gpb_pick_vertices(meshes, mesh, part);
    }
    if (!has_indices) from.count = 0;
    gpb_fill_primitive(importer, &from, has_indices ? part->indices.count : 0, joint_count, p);
    if (importer->builder->failed || !p->indices) return;
    tn_origin origin = {.vertex_items = is_whole ? NULL : meshes->used};
    (void)snprintf(origin.part, TN_ORIGIN_PATH, "blocks[%u].mesh", block);
    (void)snprintf(origin.corners.path, TN_ORIGIN_PATH, "blocks[%u].mesh.parts[%u].indices", block,
                   index);
    (void)snprintf(origin.vertices.path, TN_ORIGIN_PATH, "blocks[%u].mesh.vertices", block);
    tn_add_origin(importer->builder, p, &origin);
    if (is_whole && tn_span_top(&part->indices) < mesh->vertices.count) {
        tn_span_indices(&part->indices, p->indices);
        return;
    }
    for (uint32_t i = 0; i < p->index_count; i++) {
        uint32_t vertex = gpb_index_at(&part->indices, i);
        bool exists = vertex < mesh->vertices.count;
        p->indices[i] = !exists ? TENON_NONE : is_whole ? vertex : meshes->numbers[vertex];
    }
}

// Add a mesh with the materials of a node; TENON_NONE for a mesh without a node.
static uint32_t gpb_import_add_mesh(gpb_mesh_importer *meshes, uint32_t block, uint32_t node_index)
{
    static const char suffix[] = "_Mesh";
    gpb_importer *importer = meshes->importer;
    const tenon_gpb_mesh *mesh = &importer->doc->blocks[block].body.mesh;
    uint32_t count = mesh->part_count ? mesh->part_count : 1, suffix_size = sizeof suffix - 1;
    // All objects of a bundle share one set of names, so encoders call the mesh of the node "hull"
    // "hull_Mesh".
    tenon_str name = gpb_id_of(importer->doc, importer->doc->blocks[block].reference);
    if (name.size > suffix_size &&
        memcmp(name.data + name.size - suffix_size, suffix, suffix_size) == 0)
        name.size -= suffix_size;
    uint32_t index = tn_add_mesh(importer->builder, name, count);
    if (importer->builder->failed) return TENON_NONE;
    tn_vertices from;
    gpb_find_streams(mesh, &from);
    uint32_t first_material = 0, material_count = 0, joint_count = 0;
    if (node_index != TENON_NONE) {
        const tenon_gpb_model *model = &importer->index.tree.nodes[node_index].node->model;
        bool is_skinned = importer->rig_of[node_index] != TENON_NONE;
        joint_count = is_skinned ? model->skin.joint_count : 0;
        first_material = importer->first_material[node_index];
        material_count = importer->first_material[node_index + 1] - first_material;
    }
    tenon_primitive *primitives = importer->builder->scene->meshes[index].primitives;
    for (uint32_t i = 0; i < count && !importer->builder->failed; i++) {
        if (i < material_count) primitives[i].material = importer->materials[first_material + i];
        if (mesh->part_count)
            gpb_import_part(meshes, from, joint_count, block, i, &primitives[i]);
        else
            gpb_fill_primitive(importer, &from, 0, joint_count, &primitives[i]);
    }
    return index;
}

// Order by mesh, then by materials. Each node with a skin has a separate mesh.
static bool gpb_mesh_use_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_mesh_importer *meshes = context;
    const gpb_importer *importer = meshes->importer;
    if (meshes->blocks[a] != meshes->blocks[b]) return meshes->blocks[a] < meshes->blocks[b];
    uint32_t x = importer->first_material[a], x_end = importer->first_material[a + 1];
    uint32_t y = importer->first_material[b], y_end = importer->first_material[b + 1];
    for (; x < x_end && y < y_end; x++, y++)
        if (importer->materials[x] != importer->materials[y])
            return importer->materials[x] < importer->materials[y];
    if (x_end - x != y_end - y) return x_end - x < y_end - y;
    return importer->rig_of[a] < importer->rig_of[b];
}

void gpb_import_meshes(gpb_importer *importer)
{
    gpb_mesh_importer meshes = {.importer = importer};
    tn_scene_builder *builder = importer->builder;
    uint32_t node_count = importer->index.tree.count;
    uint64_t most = 0;
    for (uint32_t i = 0; i < importer->doc->block_count; i++) {
        const tenon_gpb_block *block = &importer->doc->blocks[i];
        if (block->kind == TENON_GPB_MESH && block->body.mesh.vertices.count > most)
            most = block->body.mesh.vertices.count;
    }
    meshes.stamps = tn_scene_array(builder, most, sizeof *meshes.stamps);
    meshes.numbers = tn_scene_array(builder, most, sizeof *meshes.numbers);
    meshes.used = tn_scene_array(builder, most, sizeof *meshes.used);
    uint32_t *sorted = tn_scene_array(builder, node_count, 2 * sizeof *sorted);
    uint32_t *firsts = tn_scene_array(builder, node_count, sizeof *firsts);
    meshes.blocks = tn_scene_array(builder, node_count, sizeof *meshes.blocks);
    meshes.uses = tn_scene_array(builder, importer->doc->block_count, 1);
    if (builder->failed) return;
    for (uint32_t i = 0; i < node_count; i++) {
        const tenon_gpb_model *model = &importer->index.tree.nodes[i].node->model;
        meshes.blocks[i] = gpb_find_mesh_block(&importer->index, model->mesh);
        if (meshes.blocks[i] != TENON_NONE)
            meshes.uses[meshes.blocks[i]] |=
                importer->rig_of[i] == TENON_NONE ? GPB_MESH_USED : GPB_MESH_USED_BY_SKIN;
        else if (gpb_has_model(importer->doc->base.dialect->flags, model))
            gpb_tally_node(importer, &importer->lost.models, i, "model.mesh");
    }
    tn_sort_all(sorted, node_count, gpb_mesh_use_before, &meshes);
    for (uint32_t i = 0; i < node_count; i++) {  // The first node with an equal mesh.
        bool is_new = i == 0 || gpb_mesh_use_before(&meshes, sorted[i - 1], sorted[i]);
        firsts[sorted[i]] = is_new ? sorted[i] : firsts[sorted[i - 1]];
    }
    for (uint32_t i = 0; i < node_count && !builder->failed; i++) {
        if (meshes.blocks[i] == TENON_NONE) continue;
        uint32_t mesh = firsts[i] == i
                            ? gpb_import_add_mesh(&meshes, meshes.blocks[i], i)
                            : builder->scene->nodes[importer->scene_nodes[firsts[i]].node].mesh;
        if (!builder->failed) builder->scene->nodes[importer->scene_nodes[i].node].mesh = mesh;
    }
    // Add meshes that no node uses if the bundle has no nodes, with a node for each.
    gpb_import_losses *lost = &importer->lost;
    bool has_nodes = importer->index.tree.count > 0;
    for (uint32_t i = 0; i < importer->doc->block_count && !builder->failed; i++) {
        const tenon_gpb_block *block = &importer->doc->blocks[i];
        if (block->kind != TENON_GPB_MESH) continue;
        // Count what a scene cannot represent of a mesh.
        const tenon_gpb_mesh *mesh = &block->body.mesh;
        tn_vertices vertices;
        uint64_t useless = gpb_find_streams(mesh, &vertices), unused = 0;
        if (mesh->part_count > 1) {
            uint32_t before = meshes.stamp;
            for (uint32_t k = 0; k < mesh->part_count; k++)
                if (mesh->parts[k].indices.layout)
                    gpb_pick_vertices(&meshes, mesh, &mesh->parts[k]);
            for (uint64_t k = 0; k < mesh->vertices.count; k++)
                unused += meshes.stamps[k] <= before;
        }
        bool has_weights = gpb_has_influences(mesh) && meshes.uses[i] == GPB_MESH_USED;
        uint64_t lost_vertices =
            vertices.streams[TN_POSITION].count == 0 ? mesh->vertices.count : 0;
        tn_tally_path(&lost->elements, useless, "blocks[%u].mesh.elements", i);
        tn_tally_path(&lost->positions, lost_vertices, "blocks[%u].mesh.vertices", i);
        tn_tally_path(&lost->loose, unused, "blocks[%u].mesh.vertices", i);
        tn_tally_path(&lost->weights, has_weights, "blocks[%u].mesh.vertices", i);
        if (meshes.uses[i]) continue;
        tn_tally_path(has_nodes ? &lost->meshes : &lost->synthesized_nodes, 1, "blocks[%u].mesh",
                      i);
        if (has_nodes) continue;
        uint32_t added = gpb_import_add_mesh(&meshes, i, TENON_NONE);
        uint32_t node =
            tn_add_node(builder, gpb_id_of(importer->doc, block->reference), TENON_NONE);
        if (!builder->failed) builder->scene->nodes[node].mesh = added;
    }
}
