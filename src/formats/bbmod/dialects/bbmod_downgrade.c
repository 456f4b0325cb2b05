// bbmod_downgrade.c: downgrading a model from 3.4 to another dialect.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"
#include "formats/bbmod/dialects/bbmod_dialects.h"

#include "core/cursor/span.h"
#include "core/text/number.h"

#include <string.h>

// -- Copying nodes

// Copy all nodes, because the document must not change before everything has succeeded.
static void bbmod_own_children(bbmod_work *work, tenon_bbmod_node *node)
{
    const tenon_bbmod_node *from = node->children;
    node->children = bbmod_work_alloc(work, node->child_count, sizeof *node->children, "nodes");
    for (uint32_t i = 0; i < node->child_count && !work->failed; i++) {
        node->children[i] = from[i];
        bbmod_own_children(work, &node->children[i]);
    }
}

// -- Dialects of the document

// Remove the indices of offsets and sort them by bone. Readers assign them to the nodes that are
// bones in ascending order; offsets that would get another bone are reported. Of two entries of a
// bone the last counts.
static void bbmod_bare_offsets(bbmod_work *work, const bbmod_view *view)
{
    const tenon_span from = work->next.bones;
    uint32_t slot_count = view->nodes.count;
    uint64_t count = 0, strangers = 0;
    tn_refusal why;
    uint32_t *slots = bbmod_entry_slots(view, work->change->arena, &why);
    if (!slots) {
        bbmod_change_refuse(work->change, &work->failed, why, "bones");
        return;
    }
    const uint8_t **offsets = bbmod_work_alloc(work, slot_count, sizeof *offsets, "bones");
    uint8_t *bytes = bbmod_work_alloc(work, from.count, 32, "bones");
    if (!offsets || !bytes) return;
    for (uint64_t i = 0; i < from.count; i++)
        if (slots[i] != TENON_NONE) offsets[slots[i]] = tn_span_record(&from, i) + 4;
    for (uint32_t slot = 0; slot < slot_count; slot++) count += offsets[slot] != NULL;
    uint32_t *expected = bbmod_bare_slots(view, count, work->change->arena, &why);
    if (!expected) {
        bbmod_change_refuse(work->change, &work->failed, why, "bones");
        return;
    }
    work->next.bones = (tenon_span){
        .data = bytes, .size = 32 * count, .count = count, .layout = &bbmod_bare_bone_layout};
    for (uint32_t slot = 0, i = 0; slot < slot_count; slot++) {
        if (!offsets[slot]) continue;
        strangers += expected[i] != slot;
        memcpy(bytes + 32 * (uint64_t)i++, offsets[slot], 32);
    }
    tn_change_report(work->change, TENON_DROPPED, "offsets of bones", from.count - count,
                     "no node has this index, or another entry has it, too");
    tn_change_report(work->change, TENON_DROPPED, "indices of offsets", strangers,
                     "this dialect stores offsets in the order of the bones, without indices");
}

static void bbmod_index_texts(bbmod_work *work, tenon_bbmod_node *node)
{
    char *text = bbmod_work_alloc(work, TN_NUMBER_MAX, 1, "nodes");
    if (!text) return;
    node->index_text = (tenon_str){text, (uint32_t)tn_f32_text(node->index, text)};
    for (uint32_t i = 0; i < node->child_count; i++) bbmod_index_texts(work, &node->children[i]);
}

static void bbmod_downgrade_to_document(bbmod_work *work, const bbmod_view *view)
{
    uint32_t flags = work->change->to->flags;
    uint64_t weights = 0, types = 0;
    if (flags & TENON_BBMOD_TEXT_INDEX) bbmod_index_texts(work, &work->next.root);
    if (flags & TENON_BBMOD_BARE_OFFSETS) bbmod_bare_offsets(work, view);
    for (uint32_t m = 0; m < work->next.mesh_count && !work->failed; m++) {
        tenon_bbmod_mesh *mesh = &work->next.meshes[m];
        bool is_weightless = mesh->vertex_format.bones && (flags & TENON_BBMOD_NO_WEIGHTS);
        if ((flags & TENON_BBMOD_BYTE_PRIMITIVE) && mesh->primitive_type > UINT8_MAX) {
            mesh->primitive_type = 0;
            types++;
        }
        if (!mesh->vertex_format.colors && !is_weightless) continue;
        if (is_weightless) weights += mesh->vertices.count;
        bbmod_reformat(work, mesh, mesh->vertex_format, flags);
        if (!work->failed) bbmod_swap_colors(mesh);
    }
    tn_change_report(work->change, TENON_DROPPED, "bone weights", weights,
                     "this dialect does not store weights");
    tn_change_report(work->change, TENON_DROPPED, "unknown primitive types", types,
                     "values above 255 do not fit in one byte");
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
    tn_change_report(work->change, TENON_DROPPED, "second texture coordinates", count,
                     "only version 3.3 and later have a second set");
}

// -- Models

static void bbmod_downgrade_with_rig(bbmod_work *work)
{
    uint32_t flags = work->change->to->flags;
    bbmod_view view;
    bbmod_rig rig;
    tenon_bbmod before = work->next;
    if (!bbmod_work_look(work, &before, &view)) return;
    if (flags & TENON_BBMOD_DOCUMENT) {
        bbmod_downgrade_to_document(work, &view);
        return;
    }
    if (!bbmod_work_rig(work, &view, &rig)) return;
    bool is_v0 = !(flags & (TENON_BBMOD_LOWER | TENON_BBMOD_UPPER));
    bbmod_merging how = {.is_flat = is_v0 || (flags & TENON_BBMOD_MATRICES),
                         .is_posed = is_v0 || (flags & TENON_BBMOD_NO_BONE_COUNT),
                         .drops_unused = is_v0 || (flags & TENON_BBMOD_NESTED)};
    bbmod_merge_formats(work, &rig, how);
    if (work->failed) return;
    if (is_v0)
        bbmod_downgrade_to_v0(work);
    else if (flags & TENON_BBMOD_NESTED)
        bbmod_downgrade_to_v1(work, &rig);
    else if (flags & TENON_BBMOD_MATRICES)
        bbmod_downgrade_to_v2(work);
}

void bbmod_downgrade(bbmod_work *work)
{
    uint32_t flags = work->change->to->flags;
    bool has_own_formats = (flags & TENON_BBMOD_MESH_FORMATS) != 0;
    if (!has_own_formats || (flags & TENON_BBMOD_DOCUMENT)) {
        bbmod_own_children(work, &work->next.root);
        if (!work->failed) bbmod_downgrade_with_rig(work);
    } else if (!(flags & TENON_BBMOD_UV2)) {
        bbmod_drop_uv2(work);
    }
}
