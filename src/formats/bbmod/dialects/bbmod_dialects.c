// bbmod_dialects.c: changing the dialect of a model; derived fields.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/dialects/bbmod_dialects.h"
#include "formats/bbmod/bbmod_format.h"

#include <inttypes.h>

// -- Memory

void *bbmod_alloc(bbmod_converter *converter, uint64_t count, size_t size, const char *what)
{
    const tn_change *change = converter->change;
    tn_refusal why;
    void *memory = converter->failed ? NULL : tn_arena_alloc(change->arena, count, size, &why);
    if (memory || converter->failed) return memory;
    converter->failed = true;
    if (why == TN_OVER_LIMIT && size && count <= UINT64_MAX / size)
        tn_error(change->err, TENON_ERR_LIMIT,
                 "the changed %s need %" PRIu64 " bytes, the memory limit of %" PRIu64
                 " leaves %" PRIu64,
                 what, count * size, change->arena->limit,
                 change->arena->limit - change->arena->used);
    else
        (void)tn_arena_fail(change->arena, why, what, change->err);
    return NULL;
}

bool bbmod_dialects_refuse(bbmod_converter *converter, tn_refusal why, const char *what)
{
    converter->failed = true;
    return tn_arena_fail(converter->change->arena, why, what, converter->change->err);
}

bool bbmod_dialects_view(bbmod_converter *converter, const tenon_bbmod *doc, bbmod_view *view)
{
    tn_refusal why;
    if (converter->failed) return false;
    return bbmod_tree_view_make(view, doc, converter->change->arena, &why) ||
           bbmod_dialects_refuse(converter, why, "the changed nodes");
}

bool bbmod_dialects_rig(bbmod_converter *converter, const bbmod_view *view, bbmod_rig *rig)
{
    tn_refusal why;
    if (converter->failed) return false;
    return bbmod_rig_make(rig, view, converter->change->arena, &why) ||
           bbmod_dialects_refuse(converter, why, "the changed nodes");
}

void bbmod_dialects_drop_trailing(const tn_change *change, tenon_doc *next)
{
    tn_change_report(change, TENON_DROPPED, "bytes after the end", next->trailing.size,
                     "another dialect could read them as data");
    next->trailing = (tenon_span){0};
}

// -- Derived fields

bool bbmod_dialects_finalize(void *any, tn_arena *arena, tenon_error *err)
{
    tenon_bbmod *doc = any;
    (void)arena;
    (void)err;
    bbmod_version version = bbmod_version_of(doc->base.dialect);
    doc->version_major = version.major;
    doc->version_minor = version.minor;
    return true;
}

// -- Changing

bool bbmod_change(void *any, const tn_change *change)
{
    tenon_bbmod *doc = any;
    bbmod_converter converter = {.change = change, .next = *doc};
    tenon_bbmod *next = &converter.next;
    bool is_other = change->to != doc->base.dialect;
    if (is_other) bbmod_upgrade(&converter);
    if (is_other && !converter.failed) bbmod_downgrade(&converter);
    if (converter.failed) return false;
    if (is_other) bbmod_dialects_drop_trailing(change, &next->base);
    bool has_boxes = (change->to->flags & TENON_BBMOD_BOUNDS) != 0;
    bool were_stored = bbmod_tree_has(doc, TENON_BBMOD_BOUNDS);
    for (uint32_t i = 0; has_boxes && i < next->mesh_count; i++) {
        bool is_missing =
            is_other && (!were_stored || bbmod_vertices_box_is_unset(&next->meshes[i]));
        if (is_missing || change->opts->refresh) bbmod_bake_set_bounds(&next->meshes[i]);
    }
    bbmod_tree_item root = {.node = &next->root};
    if (change->opts->refresh) next->node_count = (uint32_t)bbmod_tree_count(&root);
    *doc = *next;
    return true;
}
