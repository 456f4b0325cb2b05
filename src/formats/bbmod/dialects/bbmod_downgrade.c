// bbmod_downgrade.c: downgrading a model from 3.4 to another dialect.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"
#include "formats/bbmod/dialects/bbmod_dialects.h"

#include "core/cursor/span.h"
#include "core/text/number.h"

#include <string.h>

// -- Copying nodes

// Copy all nodes, because the document must not change before everything has succeeded.
static void bbmod_downgrade_copy_children(bbmod_converter *converter, tenon_bbmod_node *node)
{
    const tenon_bbmod_node *from = node->children;
    node->children = bbmod_dialects_converter_alloc(converter, node->child_count,
                                                    sizeof *node->children, "nodes");
    for (uint32_t i = 0; i < node->child_count && !converter->failed; i++) {
        node->children[i] = from[i];
        bbmod_downgrade_copy_children(converter, &node->children[i]);
    }
}

// -- Dialects of the format's document

// Remove the indices of offsets and sort them by bone. Readers assign them to the nodes that are
// bones in ascending order; offsets that would get another bone are reported. Of two entries of a
// bone the last counts.
static void bbmod_downgrade_bare_offsets(bbmod_converter *converter, const bbmod_view *view)
{
    const tenon_span from = converter->next.bones;
    uint32_t slot_count = view->nodes.count;
    uint64_t count = 0, misplaced = 0;
    tn_refusal why;
    uint32_t *slots = bbmod_tree_entry_slots(view, converter->change->arena, &why);
    if (!slots) {
        converter->failed = !tn_arena_fail(converter->change->arena, why, "the changed bones",
                                           converter->change->err);
        return;
    }
    const uint8_t **offsets =
        bbmod_dialects_converter_alloc(converter, slot_count, sizeof *offsets, "bones");
    uint8_t *bytes = bbmod_dialects_converter_alloc(converter, from.count, 32, "bones");
    if (!offsets || !bytes) return;
    for (uint64_t i = 0; i < from.count; i++)
        if (slots[i] != TENON_NONE) offsets[slots[i]] = tn_span_record(&from, i) + 4;
    for (uint32_t slot = 0; slot < slot_count; slot++) count += offsets[slot] != NULL;
    uint32_t *expected = bbmod_tree_bare_slots(view, count, converter->change->arena, &why);
    if (!expected) {
        converter->failed = !tn_arena_fail(converter->change->arena, why, "the changed bones",
                                           converter->change->err);
        return;
    }
    converter->next.bones = (tenon_span){
        .data = bytes, .size = 32 * count, .count = count, .layout = &bbmod_bare_bone_layout};
    for (uint32_t slot = 0, i = 0; slot < slot_count; slot++) {
        if (!offsets[slot]) continue;
        misplaced += expected[i] != slot;
        memcpy(bytes + 32 * (uint64_t)i++, offsets[slot], 32);
    }
    tn_change_report(converter->change, TENON_DROPPED, "offsets of bones", from.count - count,
                     "no node has this index, or another entry has it, too");
    tn_change_report(converter->change, TENON_DROPPED, "indices of offsets", misplaced,
                     "this dialect stores offsets in the order of the bones, without indices");
}

static void bbmod_downgrade_index_texts(bbmod_converter *converter, tenon_bbmod_node *node)
{
    char *text = bbmod_dialects_converter_alloc(converter, TN_NUMBER_MAX, 1, "nodes");
    if (!text) return;
    node->index_text = (tenon_str){text, (uint32_t)tn_f32_text(node->index, text)};
    for (uint32_t i = 0; i < node->child_count; i++)
        bbmod_downgrade_index_texts(converter, &node->children[i]);
}

static void bbmod_downgrade_to_document(bbmod_converter *converter, const bbmod_view *view)
{
    uint32_t flags = converter->change->to->flags;
    uint64_t weights = 0, types = 0;
    if (flags & TENON_BBMOD_TEXT_INDEX)
        bbmod_downgrade_index_texts(converter, &converter->next.root);
    if (flags & TENON_BBMOD_BARE_OFFSETS) bbmod_downgrade_bare_offsets(converter, view);
    for (uint32_t m = 0; m < converter->next.mesh_count && !converter->failed; m++) {
        tenon_bbmod_mesh *mesh = &converter->next.meshes[m];
        bool is_weightless = mesh->vertex_format.bones && (flags & TENON_BBMOD_NO_WEIGHTS);
        if ((flags & TENON_BBMOD_BYTE_PRIMITIVE) && mesh->primitive_type > UINT8_MAX) {
            mesh->primitive_type = 0;
            types++;
        }
        if (!mesh->vertex_format.colors && !is_weightless) continue;
        if (is_weightless) weights += mesh->vertices.count;
        bbmod_bake_reformat(converter, mesh, mesh->vertex_format, flags);
        if (!converter->failed) bbmod_bake_swap_colors(mesh);
    }
    tn_change_report(converter->change, TENON_DROPPED, "bone weights", weights,
                     "this dialect does not store weights");
    tn_change_report(converter->change, TENON_DROPPED, "unknown primitive types", types,
                     "values above 255 do not fit in one byte");
}

// -- Attributes

static void bbmod_downgrade_drop_uv2(bbmod_converter *converter)
{
    uint64_t count = 0;
    for (uint32_t m = 0; m < converter->next.mesh_count && !converter->failed; m++) {
        tenon_bbmod_mesh *mesh = &converter->next.meshes[m];
        tenon_bbmod_vertex_format format = mesh->vertex_format;
        if (!format.texture_coords2) continue;
        format.texture_coords2 = 0;
        bbmod_bake_reformat(converter, mesh, format, converter->change->to->flags);
        count++;
    }
    tn_change_report(converter->change, TENON_DROPPED, "second texture coordinates", count,
                     "only version 3.3 and later have a second set");
}

// -- Models

void bbmod_downgrade(bbmod_converter *converter)
{
    uint32_t flags = converter->change->to->flags;
    bool is_v0 = !(flags & (TENON_BBMOD_LOWER | TENON_BBMOD_UPPER));
    if ((flags & TENON_BBMOD_MESH_FORMATS) && !(flags & TENON_BBMOD_DOCUMENT)) {
        if (!(flags & TENON_BBMOD_UV2)) bbmod_downgrade_drop_uv2(converter);
        return;
    }
    bbmod_downgrade_copy_children(converter, &converter->next.root);
    bbmod_view view;
    bbmod_rig rig;
    tenon_bbmod before = converter->next;
    if (!bbmod_dialects_converter_view(converter, &before, &view)) return;
    if (flags & TENON_BBMOD_DOCUMENT) {
        bbmod_downgrade_to_document(converter, &view);
        return;
    }
    if (!bbmod_dialects_converter_rig(converter, &view, &rig)) return;
    bbmod_merge_opts opts = {.is_flat = is_v0 || (flags & TENON_BBMOD_MATRICES),
                             .is_posed = is_v0 || (flags & TENON_BBMOD_NO_BONE_COUNT),
                             .drops_unused = is_v0 || (flags & TENON_BBMOD_NESTED)};
    bbmod_downgrade_merge_formats(converter, &rig, opts);
    if (converter->failed) return;
    if (is_v0)
        bbmod_downgrade_to_v0(converter);
    else if (flags & TENON_BBMOD_NESTED)
        bbmod_downgrade_to_v1(converter, &rig);
    else if (flags & TENON_BBMOD_MATRICES)
        bbmod_downgrade_to_v2(converter);
}
