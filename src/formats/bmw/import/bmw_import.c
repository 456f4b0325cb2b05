// bmw_import.c: imports a BMW file and its sidecar into a scene; its nodes, as joints and as a
// tree.
// SPDX-License-Identifier: MIT
//
// A frame is a skinning matrix that includes all parents, and no bind pose is stored. So all joints
// are children of one node, and the inverse bind matrices are the identity.

#include "formats/bmw/import/bmw_import.h"

#include "core/cursor/span.h"
#include "core/files/file.h"
#include "core/text/text.h"
#include "document/document.h"
#include "formats/bmw/sidecar/bmw_sidecar.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SKIN_MOST 65535u  // Joints with weights; one more is for the static joint.
#define LEVELS    256     // Reading fails with more.

tenon_str bmw_import_format(bmw_importer *importer, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int size = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = size < 0 ? NULL : tn_scene_array(importer->builder, (uint64_t)size + 1, 1);
    if (!text) return (tenon_str){"", 0};
    va_start(args, fmt);
    (void)vsnprintf(text, (size_t)size + 1, fmt, args);
    va_end(args);
    return (tenon_str){text, (uint32_t)size};
}

// -- Nodes of the file

bmw_file_node *bmw_import_find_file_node(const bmw_importer *importer, uint32_t node_id)
{
    uint32_t at = bmw_names_find(&importer->by_id, (tenon_bmw_name){.node_id = node_id});
    return at == TENON_NONE ? NULL : &importer->file_nodes[at];
}

// The path is "root.children[2].children[0]", truncated if it is too long.
static void bmw_import_tally_node(const bmw_importer *importer, tn_tally *tally, uint32_t index)
{
    uint32_t steps[LEVELS], count = 0;
    if (tally->count++ > 0) return;
    const bmw_file_node *file_node = &importer->file_nodes[index];
    while (file_node->parent != TENON_NONE && count < LEVELS) {
        const bmw_file_node *parent = &importer->file_nodes[file_node->parent];
        steps[count++] = (uint32_t)(file_node->node - parent->node->children);
        file_node = parent;
    }
    size_t size = sizeof tally->path, used = (size_t)snprintf(tally->path, size, "root");
    while (count-- > 0 && used < size)
        used += (size_t)snprintf(tally->path + used, size - used, ".children[%u]", steps[count]);
}

static tn_mat4 bmw_import_nodes_local_of(const bmw_importer *importer,
                                         const bmw_file_node *file_node)
{
    const float *m = file_node->node->transform;
    if (!tn_all_finite(m, 16)) return tn_mat4_identity();
    return importer->doc->is_row_major ? tn_mat4_from_rows(m) : tn_mat4_from_columns(m);
}

// Find the rest transforms of nodes, and the first node that uses each mesh.
static void bmw_import_resolve_nodes(bmw_importer *importer)
{
    const tenon_bmw *doc = importer->doc;
    bmw_tallies *tallies = &importer->tallies;
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        importer->meshes[i] = (bmw_imported_mesh){
            .file_node = TENON_NONE, .mesh = TENON_NONE, .material = TENON_NONE};
    for (uint32_t i = 0; i < importer->file_node_count; i++) {
        bmw_file_node *file_node = &importer->file_nodes[i];
        tn_mat4 local = bmw_import_nodes_local_of(importer, file_node);
        if (!tn_all_finite(file_node->node->transform, 16))
            bmw_import_tally_node(importer, &tallies->bad_transforms, i);
        else if (!tn_stored_is_symmetric(file_node->node->transform))
            importer->is_order_visible = true;
        file_node->rest = tn_mat4_identity();
        if (file_node->parent != TENON_NONE)
            file_node->rest = tn_mat4_mul(&importer->file_nodes[file_node->parent].rest, &local);

        const tenon_span *meshes = &file_node->node->meshes;
        for (uint64_t k = 0; k < meshes->count; k++) {
            uint32_t index = tn_span_u32(meshes, k);
            bmw_imported_mesh *mesh = index < doc->mesh_count ? &importer->meshes[index] : NULL;
            if (!mesh || mesh->last == i + 1) {
                bmw_import_tally_node(importer, &tallies->bad_references, i);
                continue;
            }
            if (mesh->file_node == TENON_NONE) mesh->file_node = i;
            mesh->last = i + 1;
        }
    }
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        bmw_imported_mesh *mesh = &importer->meshes[i];
        bool is_empty = doc->meshes[i].vertices.count == 0;
        bool is_unused = mesh->file_node == TENON_NONE;
        tn_tally_at(&tallies->empty_meshes, is_empty, "meshes", i);
        tn_tally_at(&tallies->unused_meshes, !is_empty && is_unused, "meshes", i);
        if (is_empty) mesh->file_node = TENON_NONE;
    }
}

static void bmw_import_list_nodes(bmw_importer *importer)
{
    struct pending {
        const tenon_bmw_node *node;
        uint32_t parent;
    };
    tn_scene_builder *builder = importer->builder;
    const tenon_bmw *doc = importer->doc;
    uint64_t count = bmw_info_count_nodes(&doc->root);
    if (count >= TENON_NONE)
        tn_scene_fail(builder, TENON_ERR_LIMIT, "root", "the model has too many nodes");
    importer->file_nodes = tn_scene_array(builder, count, sizeof *importer->file_nodes);
    struct pending *stack = tn_scene_array(builder, count, sizeof *stack);
    tenon_bmw_name *ids = tn_scene_array(builder, count, sizeof *ids);
    uint32_t *room = tn_scene_array(builder, count, 2 * sizeof *room);
    uint32_t *names_room = tn_scene_array(builder, doc->name_count, 2 * sizeof *names_room);
    importer->meshes = tn_scene_array(builder, doc->mesh_count, sizeof *importer->meshes);
    if (builder->failed) return;

    // In file order, without recursion.
    bool has_ids = (doc->base.dialect->flags & TENON_BMW_NODE_IDS) != 0;
    uint32_t pending_count = 0;
    importer->are_ids_indices = true;
    stack[pending_count++] = (struct pending){&doc->root, TENON_NONE};
    while (pending_count) {
        struct pending next = stack[--pending_count];
        uint32_t index = importer->file_node_count++;
        importer->file_nodes[index] = (bmw_file_node){.node = next.node,
                                                      .parent = next.parent,
                                                      .tree_node = TENON_NONE,
                                                      .joint = TENON_NONE,
                                                      .shear_node = TENON_NONE,
                                                      .skin_joint = TENON_NONE};
        ids[index].node_id = has_ids ? next.node->node_id : index;
        importer->are_ids_indices = importer->are_ids_indices && ids[index].node_id == index;
        for (uint32_t i = next.node->child_count; i-- > 0;)
            stack[pending_count++] = (struct pending){&next.node->children[i], index};
    }
    importer->by_id = bmw_names_sort(ids, importer->file_node_count, false, room);
    bmw_sorted names = bmw_names_sort(doc->names, doc->name_count, false, names_room);
    for (uint32_t i = 0; i < importer->file_node_count && !builder->failed; i++) {
        uint32_t at = bmw_names_find(&names, ids[i]);
        tenon_str *name = &importer->file_nodes[i].name;
        if (at != TENON_NONE) *name = doc->names[at].name;
        if (name->size) continue;
        *name = bmw_import_format(importer, "node_%u", ids[i].node_id);
        bmw_import_tally_node(importer, &importer->tallies.unnamed_nodes, i);
    }
    bmw_import_resolve_nodes(importer);
}

// -- Joints

uint32_t bmw_import_static_joint(bmw_importer *importer)
{
    tenon_skin *skin = &importer->builder->scene->skins[importer->skin];
    if (skin->joint_count > importer->skin_size) return importer->skin_size;
    uint32_t node = tn_add_node(importer->builder, (tenon_str){"still", 5}, importer->skeleton);
    if (importer->builder->failed) return 0;
    importer->builder->scene->nodes[node].is_joint = true;
    skin->joints[skin->joint_count++] = node;
    return importer->skin_size;
}

// Add the sidecar's node, a joint for every node that has weights or is moved, and one skin for all
// meshes, with room for the static joint.
static void bmw_import_joints(bmw_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    const tenon_bmw_sidecar *sidecar = importer->sidecar ? importer->sidecar : &bmw_default_sidecar;
    if (builder->failed) return;
    const double *axis = sidecar->rotation_angle, *t = sidecar->translation, *k = sidecar->scale;
    bool has_axis = axis[0] != 0 || axis[1] != 0 || axis[2] != 0;
    if (!has_axis)
        tn_scene_report(builder, TENON_DROPPED, "rotation", 1, "rotationAngle",
                        "the axis is 0 0 0, which makes the model invisible in the engine");
    bool is_moved = t[0] != 0 || t[1] != 0 || t[2] != 0 || k[0] != 1 || k[1] != 1 || k[2] != 1;
    if (is_moved || (has_axis && sidecar->rotation != 0)) {
        importer->model = tn_add_node(builder, (tenon_str){"model", 5}, TENON_NONE);
        if (builder->failed) return;
        tenon_node *node = &builder->scene->nodes[importer->model];
        tn_quat q = tn_quat_from_axis_angle((tn_vec3){axis[0], axis[1], axis[2]},
                                            tn_radians(sidecar->rotation));
        memcpy(node->rotation, &q, sizeof node->rotation);
        memcpy(node->translation, t, sizeof node->translation);
        memcpy(node->scale, k, sizeof node->scale);
    }
    for (uint32_t i = 0; i < importer->file_node_count && !builder->failed; i++) {
        bmw_file_node *file_node = &importer->file_nodes[i];
        tenon_str name = file_node->name;
        if (!file_node->is_weighted && !file_node->is_moved) continue;
        if (importer->skeleton == TENON_NONE)
            importer->skeleton = tn_add_node(builder, (tenon_str){"skeleton", 8}, importer->model);
        uint32_t parent = importer->skeleton;
        if (file_node->is_sheared) {
            tenon_str shear = bmw_import_format(importer, "%.*s_shear", (int)name.size, name.data);
            parent = file_node->shear_node = tn_add_node(builder, shear, parent);
        }
        file_node->joint = tn_add_node(builder, name, parent);
        if (builder->failed) return;
        builder->scene->nodes[file_node->joint].is_joint = true;
        if (file_node->is_weighted && importer->skin_size < SKIN_MOST)
            file_node->skin_joint = importer->skin_size++;
        // The frames of a node without weights include no bind pose: they are its transform.
        if (!file_node->is_weighted) file_node->tree_node = file_node->joint;
    }
    if (builder->failed || importer->skin_size == 0) return;
    uint32_t index = tn_add_skin(builder, (tenon_str){"skin", 4}, importer->skin_size + 1);
    if (builder->failed) return;
    tenon_skin *skin = &builder->scene->skins[index];
    skin->root = importer->skeleton;
    skin->joint_count = importer->skin_size;
    for (uint32_t i = 0; i < importer->file_node_count; i++)
        if (importer->file_nodes[i].skin_joint != TENON_NONE)
            skin->joints[importer->file_nodes[i].skin_joint] = importer->file_nodes[i].joint;
    importer->skin = index;
}

// -- The tree

static void bmw_import_tree(bmw_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    if (builder->failed) return;
    for (uint32_t i = 0; i < importer->doc->mesh_count; i++) importer->meshes[i].last = 0;
    for (uint32_t i = 0; i < importer->file_node_count && !builder->failed; i++) {
        bmw_file_node *file_node = &importer->file_nodes[i];
        if (file_node->tree_node == TENON_NONE) {
            bool is_root = file_node->parent == TENON_NONE;
            uint32_t parent =
                is_root ? importer->model : importer->file_nodes[file_node->parent].tree_node;
            tenon_str name = file_node->name;
            // The joint has the name already.
            if (file_node->joint != TENON_NONE)
                name = bmw_import_format(importer, "%.*s_rest", (int)name.size, name.data);
            tn_mat4 local = bmw_import_nodes_local_of(importer, file_node);
            file_node->tree_node = tn_add_node(builder, name, parent);
            tn_set_matrix(builder, file_node->tree_node, local.m);
        }
        // A single mesh is added to the node itself; of several, each gets a child node.
        const tenon_span *meshes = &file_node->node->meshes;
        for (uint64_t k = 0; k < meshes->count && !builder->failed; k++) {
            uint32_t index = tn_span_u32(meshes, k), node = file_node->tree_node;
            if (index >= importer->doc->mesh_count) continue;
            bmw_imported_mesh *mesh = &importer->meshes[index];
            if (mesh->mesh == TENON_NONE || mesh->last == i + 1) continue;
            mesh->last = i + 1;
            if (meshes->count > 1)
                node = tn_add_node(builder, builder->scene->meshes[mesh->mesh].name, node);
            if (builder->failed) return;
            builder->scene->nodes[node].mesh = mesh->mesh;
            if (mesh->is_skinned) builder->scene->nodes[node].skin = importer->skin;
        }
    }
}

// -- The sidecar

// Report that the sidecar, or the value at `field` of it, cannot be used. `line` may be 0.
static void bmw_import_report_sidecar(const bmw_importer *importer, const char *field,
                                      uint64_t line, uint64_t column, const char *message)
{
    char name[BMW_NAME_SIZE], shown[BMW_NAME_SIZE], path[BMW_NAME_SIZE + 160];
    char why[sizeof((tenon_error *)0)->message + 64];
    if (!bmw_sidecar_name_of(importer->builder->opts->model_path, name, sizeof name)) return;
    tn_text_clean(name, strlen(name), shown, sizeof shown);
    (void)snprintf(path, sizeof path, "%s%s%s", shown, *field ? ":" : "", field);
    if (line)
        (void)snprintf(why, sizeof why, "line %" PRIu64 ", column %" PRIu64 ": %s", line, column,
                       message);
    else
        (void)snprintf(why, sizeof why, "%s", message);
    tn_scene_report(importer->builder, TENON_DROPPED, *field ? "value of the sidecar" : "sidecar",
                    1, path, why);
}

// Faults in the sidecar are reported, but the model is imported.
static void bmw_import_sidecar(bmw_importer *importer)
{
    tenon_error err;
    const tenon_read_opts opts = {.allocator = importer->builder->opts->allocator,
                                  .files = importer->files};
    if (!importer->builder->opts->model_path) return;
    importer->sidecar = tenon_bmw_sidecar_beside(importer->builder->opts->model_path, &opts, &err);
    if (tn_is_outage(&err))
        tn_scene_fail(importer->builder, err.code, NULL, "%s", err.message);
    else if (err.code != TENON_OK)
        bmw_import_report_sidecar(importer, "", err.line, err.column, err.message);
    if (!importer->sidecar) return;
    for (uint32_t i = 0; i < importer->sidecar->listed_fault_count; i++) {
        const tenon_bmw_sidecar_fault *fault = &importer->sidecar->faults[i];
        bmw_import_report_sidecar(importer, fault->path.data, fault->line, fault->column,
                                  fault->message.data);
    }
    tn_scene_report(importer->builder, TENON_DROPPED, "values of the sidecar",
                    importer->sidecar->fault_count - importer->sidecar->listed_fault_count, NULL,
                    "more values that cannot be used");
}

// -- Losses

static void bmw_import_report(const bmw_importer *importer)
{
    const bmw_tallies *all = &importer->tallies;
    const struct {
        const tn_tally *tally;
        tenon_loss_kind kind;
        const char *feature, *why;
    } losses[] = {
        {&all->unnamed_nodes, TENON_SYNTHESIZED, "names", "nodes without a name were numbered"},
        {&all->bad_transforms, TENON_APPROXIMATED, "transforms of nodes",
         "replaced by the identity, because a number was not finite"},
        {&all->unused_meshes, TENON_DROPPED, "meshes", "not used by any node"},
        {&all->empty_meshes, TENON_DROPPED, "meshes", "empty"},
        {&all->bad_references, TENON_DROPPED, "meshes of nodes",
         "repeated in the node, or the mesh does not exist"},
        {&all->matrix_order, TENON_DEFAULTED, "matrix order",
         "cannot be detected without a translation; the usual order of the layout was used"},
        {&all->meshes_without_faces, TENON_APPROXIMATED, "meshes",
         "imported as points, because they have no faces"},
        {&all->weights_without_vertex, TENON_DROPPED, "weights", "their vertices do not exist"},
        {&all->weights_without_node, TENON_DROPPED, "weights", "their nodes do not exist"},
        {&all->invalid_weights, TENON_DROPPED, "weights", "negative or NaN"},
        {&all->excess_weights, TENON_DROPPED, "weights",
         "more than 64 per vertex, or more than 65535 joints"},
        {&all->unweighted, TENON_SYNTHESIZED, "weights",
         "added for vertices without weights in a mesh with weights, so that they do not move"},
        {&all->large_colors, TENON_APPROXIMATED, "vertex colors",
         "only the lowest 8 bits of values above 255 are used, as in the engine"},
        {&all->ignored_alphas, TENON_DROPPED, "vertex alpha",
         "the engine uses only the transparency of the texture"},
        {&all->excess_textures, TENON_DROPPED, "textures",
         "not used: each mesh uses the texture with the same index, and there are more textures "
         "than meshes"},
        {&all->untextured_meshes, TENON_SYNTHESIZED, "materials",
         "a plain material for meshes without a texture"},
        {&all->masked_meshes, TENON_APPROXIMATED, "transparency",
         "imported as an alpha mask; the engine blends textures that were .png files"},
        {&all->unnamed_animations, TENON_SYNTHESIZED, "names of clips",
         "animations without a clip were numbered"},
        {&all->nameless_clips, TENON_SYNTHESIZED, "names of clips",
         "clips without a name were numbered"},
        {&all->held_ticks, TENON_APPROXIMATED, "durations",
         "one tick shorter: the clip ends at the last frame instead of showing it for one more "
         "tick"},
        {&all->empty_animations, TENON_DROPPED, "animations", "they do not move anything"},
        {&all->replaced_clips, TENON_DROPPED, "clips",
         "replaced by a later clip with the same name"},
        {&all->bad_ranges, TENON_APPROXIMATED, "clips",
         "they start or end outside the animation, or end before they start"},
        {&all->matched_by_id, TENON_DEFAULTED, "bones of clips",
         "not found by name; matched by number"},
        {&all->missing_rates, TENON_DEFAULTED, "rates",
         "not stored in the file; set to 60 ticks per second or the given rate"},
        {&all->bones_without_node, TENON_DROPPED, "bones",
         "their nodes do not exist, or they have no frames"},
        {&all->repeated_bones, TENON_DROPPED, "bones",
         "another bone of the same animation moves the same node"},
        {&all->frames_not_finite, TENON_APPROXIMATED, "frames",
         "invalid matrices were replaced by the next valid one"},
        {&all->frames_not_affine, TENON_APPROXIMATED, "frames",
         "the last row of the matrix was replaced by 0 0 0 1"},
        {&all->close_frames, TENON_DROPPED, "frames", "the times are equal or not finite"},
    };
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        tn_tally_report(importer->builder, losses[i].tally, losses[i].kind, losses[i].feature,
                        losses[i].why);
    uint64_t joints = 0, sheared = 0;
    for (uint32_t i = 0; i < importer->file_node_count; i++) {
        joints += importer->file_nodes[i].joint != TENON_NONE;
        sheared += importer->file_nodes[i].shear_node != TENON_NONE;
    }
    tn_scene_report(importer->builder, TENON_APPROXIMATED, "joints", joints, NULL,
                    "all joints are below the root, because frames include their parents and the "
                    "file has no bind pose");
    tn_scene_report(importer->builder, TENON_SYNTHESIZED, "nodes", sheared, NULL,
                    "sheared joints need two nodes and keys without interpolation");
    tn_scene_report(importer->builder, TENON_APPROXIMATED, "times between frames",
                    sheared < joints ? importer->clip_count : 0, "animations[0]",
                    "interpolated; the engine does not interpolate between frames");
}

// -- The importer

void bmw_import(tn_scene_builder *builder, const void *doc)
{
    bmw_importer importer = {.builder = builder,
                             .doc = doc,
                             .files =
                                 builder->opts->files ? builder->opts->files : tenon_system_files(),
                             .model = TENON_NONE,
                             .skeleton = TENON_NONE,
                             .skin = TENON_NONE};
    bmw_import_sidecar(&importer);
    bmw_import_list_nodes(&importer);
    bmw_import_list_clips(&importer);
    bmw_import_mark_weights(&importer);
    bmw_import_mark_motion(&importer);
    bmw_import_joints(&importer);
    bmw_import_set_rest_pose(&importer);
    bmw_import_materials(&importer);
    bmw_import_meshes(&importer);
    bmw_import_tree(&importer);
    bmw_import_animations(&importer);
    if (importer.is_order_visible && importer.doc->is_order_assumed)
        tn_tally_path(&importer.tallies.matrix_order, 1, "root");
    if (!builder->failed) bmw_import_report(&importer);
    for (uint32_t i = 0; i < importer.clip_doc_count; i++) tn_doc_free(importer.clip_docs[i]);
    tenon_bmw_sidecar_free(importer.sidecar);
}
