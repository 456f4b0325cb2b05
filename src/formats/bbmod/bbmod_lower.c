// bbmod_lower.c: a model of 3.4 as another dialect can hold it.
// SPDX-License-Identifier: MIT

#include "bbmod_format.h"
#include "bbmod_work.h"

#include "../../core/number.h"
#include "../../core/span.h"

#include <string.h>

// -- Nodes of its own

// Whatever is done to nodes must not be seen in the document before all is done.
static void bbmod_own_children(bbmod_work *work, tenon_bbmod_node *node)
{
    const tenon_bbmod_node *from = node->children;
    node->children = bbmod_work_alloc(work, node->child_count, sizeof *node->children, "nodes");
    for (uint32_t i = 0; i < node->child_count && !work->failed; i++) {
        node->children[i] = from[i];
        bbmod_own_children(work, &node->children[i]);
    }
}

// -- The text of the format

// Offsets have no index there, so they stand in the order of the bones.
static void bbmod_bare_offsets(bbmod_work *work, const bbmod_rig *rig)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < rig->joint_count; i++) count += rig->offsets[i].is_there;
    uint8_t *bytes = bbmod_work_alloc(work, count, 32, "bones");
    if (!bytes) return;
    work->next.bones = (tenon_span){
        .data = bytes, .size = 32 * count, .count = count, .layout = &bbmod_bare_bone_layout};
    for (uint32_t i = 0; i < rig->joint_count; i++) {
        float numbers[8];
        if (!rig->offsets[i].is_there) continue;
        bbmod_dual_store(rig->offsets[i].rigid, numbers);
        tn_copy_numbers(bytes, numbers, 8, 4, false);
        bytes += 32;
    }
}

// The flag behind the text must be one, since it is what tells the dialect from 3.4.
static void bbmod_index_texts(bbmod_work *work, tenon_bbmod_node *node)
{
    char *text = bbmod_work_alloc(work, TN_NUMBER_MAX, 1, "nodes");
    if (!text) return;
    node->is_bone = node->is_bone != 0;
    node->index_text = (tenon_str){text, (uint32_t)tn_f32_text(node->index, text)};
    for (uint32_t i = 0; i < node->child_count; i++) bbmod_index_texts(work, &node->children[i]);
}

static void bbmod_lower_to_document(bbmod_work *work, const bbmod_rig *rig)
{
    uint64_t weights = 0;
    bbmod_index_texts(work, &work->next.root);
    bbmod_bare_offsets(work, rig);
    for (uint32_t m = 0; m < work->next.mesh_count && !work->failed; m++) {
        tenon_bbmod_mesh *mesh = &work->next.meshes[m];
        if (!mesh->vertex_format.colors && !mesh->vertex_format.bones) continue;
        if (mesh->vertex_format.bones) weights += mesh->vertices.count;
        bbmod_reformat(work, mesh, mesh->vertex_format, TENON_BBMOD_DOCUMENT);
        if (!work->failed) bbmod_swap_colors(mesh);
    }
    tn_lose(work->change, TENON_DROPPED, "bone weights", weights,
            "the format's text leaves no room for them");
}

// -- Attributes

static void bbmod_drop_uv2(bbmod_work *work)
{
    uint64_t count = 0;
    for (uint32_t m = 0; m < work->next.mesh_count && !work->failed; m++) {
        tenon_bbmod_mesh *mesh = &work->next.meshes[m];
        tenon_bbmod_vertex_format format = mesh->vertex_format;
        if (!format.texture_coords2) continue;
        format.texture_coords2 = 0;
        bbmod_reformat(work, mesh, format, work->change->to->flags);
        count++;
    }
    tn_lose(work->change, TENON_DROPPED, "second texture coordinates", count,
            "there are none below version 3.3");
}

// -- The whole

static void bbmod_lower_with_rig(bbmod_work *work)
{
    uint32_t flags = work->change->to->flags;
    bbmod_view view;
    bbmod_rig rig;
    tenon_bbmod before = work->next;
    if (!bbmod_work_look(work, &before, &view) || !bbmod_work_rig(work, &view, &rig)) return;
    if (flags & TENON_BBMOD_DOCUMENT) {
        bbmod_lower_to_document(work, &rig);
        return;
    }
    bool is_v0 = !(flags & (TENON_BBMOD_LOWER | TENON_BBMOD_UPPER));
    bbmod_merging how = {.is_flat = is_v0 || (flags & TENON_BBMOD_MATRICES),
                         .is_posed = is_v0 || (flags & TENON_BBMOD_NO_BONE_COUNT),
                         .drops_unused = is_v0 || (flags & TENON_BBMOD_NESTED)};
    bbmod_merge_formats(work, &rig, how);
    if (work->failed) return;
    if (is_v0)
        bbmod_lower_to_v0(work);
    else if (flags & TENON_BBMOD_NESTED)
        bbmod_lower_to_v1(work, &rig);
    else if (flags & TENON_BBMOD_MATRICES)
        bbmod_lower_to_v2(work);
}

void bbmod_lower(bbmod_work *work)
{
    uint32_t flags = work->change->to->flags;
    bool has_own_formats = (flags & TENON_BBMOD_MESH_FORMATS) != 0;
    if (!has_own_formats || (flags & TENON_BBMOD_DOCUMENT)) {
        bbmod_own_children(work, &work->next.root);
        if (!work->failed) bbmod_lower_with_rig(work);
    } else if (!(flags & TENON_BBMOD_UV2)) {
        bbmod_drop_uv2(work);
    }
}
