// bbmod_recover.c: recovering a damaged BBMOD or BBANIM file.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"
#include "formats/bbmod/bbmod_tree.h"

#include "core/cursor/span.h"
#include "document/outliers.h"
#include "document/recover.h"
#include "document/view.h"

#include <stdio.h>
#include <string.h>

// -- Outliers

static bool bbmod_recover_open(tn_view *view)
{
    bbmod_view *found = tn_arena_alloc(view->arena, 1, sizeof *found, NULL);
    if (!found || !bbmod_view_make(found, view->doc, view->arena, NULL)) return false;
    view->index = found;
    view->mesh_count = found->mesh_count;
    return true;
}

// If the file is cut, bones may be missing, so indices are not checked.
static void bbmod_recover_view_mesh(const tn_view *view, uint32_t index, tn_mesh_view *mesh)
{
    const bbmod_view *found = view->index;
    const tenon_bbmod *doc = view->doc;
    tenon_bbmod_mesh *m = (tenon_bbmod_mesh *)found->meshes[index].mesh;
    bool is_nested = bbmod_has(doc, TENON_BBMOD_NESTED);
    mesh->path = tn_path("%s", bbmod_mesh_path(found, index).text);
    mesh->vertex_count = m->vertices.count;
    mesh->array_count = 1;
    mesh->arrays[0] = (tn_array_view){&m->vertices, "vertices"};
    mesh->position = bbmod_element(&m->vertices, "position");
    mesh->joints = bbmod_element(&m->vertices, "bone_indices");
    mesh->weights = bbmod_element(&m->vertices, "bone_weights");
    if (!doc->is_cut) mesh->joint_count = is_nested ? doc->v1_bone_count : doc->bones.count;
    if (m->primitive_type != TENON_BBMOD_TRIANGLES) mesh->part_count = 0;
}

// -- Materials

// Add names for the materials that meshes use.
static bool bbmod_recover_name_materials(tenon_bbmod *doc, uint32_t wanted, const tn_change *change)
{
    const uint32_t most = 1024;  // More is not plausible.
    uint32_t had = doc->material_names ? doc->material_count : 0;
    bool is_named = doc->base.dialect->flags & TENON_BBMOD_NAMES;
    if (wanted > most || wanted <= had) return true;
    doc->material_count = wanted;
    if (!is_named) return true;
    tenon_str *names = tn_change_alloc(change, wanted, sizeof *names, "names of materials");
    char *texts = tn_change_alloc(change, wanted - had, 24, "names of materials");
    if (!names || !texts) return false;
    if (had) memcpy(names, doc->material_names, had * sizeof *names);
    for (uint32_t i = had; i < wanted; i++, texts += 24) {
        int size = snprintf(texts, 24, "Material%u", (unsigned)i);
        names[i] = (tenon_str){texts, (uint32_t)size};
    }
    doc->material_names = names;
    tn_change_report(change, TENON_SYNTHESIZED, "names of materials", wanted - had,
                     "the file ends before them; numbered instead");
    return true;
}

// -- Models

bool bbmod_recover(void *any, const tn_change *change)
{
    static const tn_views views = {.open = bbmod_recover_open, .mesh = bbmod_recover_view_mesh};
    static const float matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    static const float dual_quaternion[8] = {0, 0, 0, 1}, nowhere[16];
    tenon_bbmod *doc = any;
    uint32_t flags = doc->base.dialect->flags, wanted = 0;  // Materials that meshes need.
    tn_filtered materials = {0};
    bbmod_view view;
    doc->is_cut = change->is_cut;
    bool ok = tn_view_remove_outliers(change, &views, doc);
    doc->is_cut = false;
    if (!ok) return false;
    if (!bbmod_view_make(&view, doc, change->arena, change->err)) return false;
    for (uint32_t i = 0; i < view.mesh_count; i++) {
        tenon_bbmod_mesh *mesh = (tenon_bbmod_mesh *)view.meshes[i].mesh;
        // A material index that is too large is damaged; the original is unknown.
        if (!change->is_cut && doc->material_count && mesh->material_index >= doc->material_count) {
            mesh->material_index = 0;
            if (materials.count++ == 0)
                materials.first = tn_path("%s", bbmod_mesh_path(&view, i).text);
        }
        if (mesh->material_index >= wanted && mesh->material_index < TENON_NONE)
            wanted = mesh->material_index + 1;
        // Drop the last triangle if it is incomplete.
        tenon_span *vertices = &mesh->vertices;
        uint64_t rest = mesh->primitive_type == TENON_BBMOD_TRIANGLES ? vertices->count % 3 : 0;
        if (rest) *vertices = bbmod_span(vertices->data, vertices->count - rest, vertices->layout);
    }
    tn_report_filtered(change, &materials, TENON_DEFAULTED, "materials of meshes",
                       "the material does not exist; the first one is used");
    if (flags & TENON_BBMOD_NESTED) {
        tenon_bbmod_v1_bone *root = &doc->v1_skeleton;
        if (!root->name.data || memcmp(root->transform, nowhere, sizeof nowhere) == 0)
            doc->v1_bone_count = 0;
        for (uint32_t i = 0; i < view.nodes.count; i++) {
            tenon_bbmod_v1_node *node = (tenon_bbmod_v1_node *)view.nodes.items[i].v1_node;
            if (!node->name.data) node->name = (tenon_str){"", 0};
        }
        return bbmod_recover_name_materials(doc, wanted, change);
    }
    if (bbmod_is_v0_doc(doc)) return true;
    // A root that was not read gets the identity.
    bool has_matrices = flags & TENON_BBMOD_MATRICES;
    tenon_bbmod_node *root = &doc->root;
    if (!root->name.data || !root->name.size) root->name = (tenon_str){"RootNode", 8};
    if (!root->index_text.data) root->index_text = (tenon_str){"0", 1};
    if (memcmp(root->transform, nowhere, sizeof nowhere) == 0) {
        memcpy(root->transform, has_matrices ? matrix : dual_quaternion,
               has_matrices ? sizeof matrix : sizeof dual_quaternion);
        if (has_matrices && memcmp(doc->inverse_transform, nowhere, sizeof nowhere) == 0)
            memcpy(doc->inverse_transform, matrix, sizeof matrix);
        tn_change_report(change, TENON_SYNTHESIZED, "nodes", 1,
                         "the file ends before its root; a root without a transform was added");
    }
    bool *is_shown = tn_change_alloc(change, doc->mesh_count, sizeof *is_shown, "meshes");
    if (!is_shown) return false;
    tn_node_recovery recovery = {.change = change, .mesh_count = doc->mesh_count};
    for (uint32_t i = 0; i < view.nodes.count; i++) {
        tenon_bbmod_node *node = (tenon_bbmod_node *)view.nodes.items[i].node;
        tn_recover_node(&recovery, &node->meshes, node->transform,
                        has_matrices ? matrix : dual_quaternion, has_matrices ? 16 : 8);
        tn_mark_shown(&node->meshes, is_shown, doc->mesh_count);
    }
    tn_report_nodes(&recovery);
    if (recovery.failed) return false;
    if (!doc->bones.layout) doc->bones = (tenon_span){0};
    if (change->is_cut && !tn_attach_to_root(change, &doc->root.meshes, is_shown, doc->mesh_count))
        return false;
    return bbmod_recover_name_materials(doc, wanted, change);
}

// -- Animations

// Whether a frame consists of plausible dual quaternions: the length of the first half is about 1.
static bool bbmod_recover_frame_is_good(const void *context, const uint8_t *frame)
{
    const tenon_span *frames = context;
    float q[8];
    for (uint64_t at = 0; at + sizeof q <= frames->layout->stride; at += sizeof q) {
        tn_copy_numbers(q, frame + at, 8, 4, false);
        if (!tn_all_finite(q, 8) || !tn_is_plausible_rotation(q)) return false;
    }
    return true;
}

bool bbanim_recover(void *any, const tn_change *change)
{
    tenon_bbanim *doc = any;
    const tenon_span frames = doc->frames;
    tn_filtered bad = {0};
    doc->is_cut = false;
    if (doc->base.dialect->flags & TENON_BBANIM_KEYFRAMES) return true;
    if (frames.count != doc->frame_count) {
        tn_change_report(change, TENON_DROPPED, "frames", doc->frame_count - frames.count,
                         "the file ends before them; the clip is shorter");
        doc->frame_count = (uint32_t)frames.count;
        doc->duration = (double)frames.count;
    }
    bool ok = tn_repeat_plausible(change, &doc->frames, frames.count ? frames.layout->stride : 0,
                                  bbmod_recover_frame_is_good, &frames, "frames", &bad);
    tn_report_filtered(change, &bad, TENON_APPROXIMATED, "frames",
                       "damaged; replaced by the previous frame");
    return ok;
}
