// bbmod_change.c: a model in another dialect; derived fields.
// SPDX-License-Identifier: MIT

#include "bbmod_format.h"
#include "bbmod_work.h"

void *bbmod_change_alloc(const tn_change *change, bool *failed, uint64_t count, size_t size,
                         const char *what)
{
    tn_refusal why;
    if (*failed) return NULL;
    void *memory = tn_arena_alloc(change->arena, count, size, &why);
    if (memory) return memory;
    *failed = true;
    tn_error(change->err, why == TN_OVER_LIMIT ? TENON_ERR_LIMIT : TENON_ERR_MEMORY,
             "no memory for the changed %s", what);
    return NULL;
}

void *bbmod_work_alloc(bbmod_work *work, uint64_t count, size_t size, const char *what)
{
    return bbmod_change_alloc(work->change, &work->failed, count, size, what);
}

// -- Derived fields

static uint32_t bbmod_count_nodes(const tenon_bbmod_node *node)
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < node->child_count; i++) count += bbmod_count_nodes(&node->children[i]);
    return count;
}

bool bbmod_finalize(void *any, tn_arena *arena, tenon_error *err)
{
    tenon_bbmod *doc = any;
    (void)arena;
    (void)err;
    bbmod_version version = bbmod_version_of(doc->base.dialect);
    doc->version_major = version.major;
    doc->version_minor = version.minor;
    return true;
}

static void bbmod_refresh(tenon_bbmod *doc)
{
    doc->node_count = bbmod_count_nodes(&doc->root);
    for (uint32_t i = 0; i < doc->mesh_count; i++) bbmod_set_bounds(&doc->meshes[i]);
}

// -- Changing

// Boxes that were not stored, or unset, are computed.
static void bbmod_make_up_bounds(bbmod_work *work, const tenon_bbmod *before)
{
    bool were_stored = bbmod_has(before, TENON_BBMOD_BOUNDS);
    tenon_bbmod *next = &work->next;
    for (uint32_t i = 0; i < next->mesh_count; i++)
        if (!were_stored || bbmod_box_is_unset(&next->meshes[i]))
            bbmod_set_bounds(&next->meshes[i]);
}

static bool bbmod_is_lifted(const tenon_dialect *dialect)
{
    uint32_t old = TENON_BBMOD_NESTED | TENON_BBMOD_MATRICES | TENON_BBMOD_DOCUMENT;
    bool has_magic = (dialect->flags & (TENON_BBMOD_LOWER | TENON_BBMOD_UPPER)) != 0;
    return has_magic && !(dialect->flags & old);
}

bool bbmod_change(void *any, const tn_change *change)
{
    tenon_bbmod *doc = any;
    bbmod_work work = {.change = change, .next = *doc};
    bool is_other = change->to != doc->base.dialect;
    if (is_other) bbmod_lift(&work);
    if (is_other && !work.failed) bbmod_lower(&work);
    if (work.failed) {
        if (change->err->code == TENON_OK)
            tn_error(change->err, TENON_ERR_MEMORY, "out of memory to change the model");
        return false;
    }
    bool has_boxes = (change->to->flags & TENON_BBMOD_BOUNDS) != 0;
    if (is_other && has_boxes) bbmod_make_up_bounds(&work, doc);
    if (change->opts->refresh && bbmod_is_lifted(change->to)) bbmod_refresh(&work.next);
    *doc = work.next;
    return true;
}
