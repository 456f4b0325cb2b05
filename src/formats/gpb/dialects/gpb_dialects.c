// gpb_dialects.c: upgrades and downgrades bundles, and reports what is lost.
// SPDX-License-Identifier: MIT

#include "core/text/text.h"
#include "formats/gpb/gpb_format.h"
#include "formats/gpb/gpb_index.h"
#include "formats/gpb/gpb_table.h"

#include "core/cursor/span.h"

#include <string.h>

bool gpb_dialects_gains(uint32_t from, const tn_change *change, uint32_t flag)
{
    return !(from & flag) && (change->to->flags & flag);
}

bool gpb_dialects_loses(uint32_t from, const tn_change *change, uint32_t flag)
{
    return (from & flag) && !(change->to->flags & flag);
}

// -- Key times

static bool gpb_dialects_change_times(tenon_gpb_channel *channel, bool to_float,
                                      const tn_change *change, uint64_t *rounded)
{
    tenon_span *times = &channel->key_times;
    uint8_t *data =
        tn_arena_alloc_or_fail(change->arena, times->count, 4, "key times", change->err);
    if (!data) return false;
    for (uint64_t i = 0; i < times->count; i++) {
        const uint8_t *old = times->data + 4 * i;
        uint32_t whole = to_float ? tn_load32(old, false) : 0;
        float time = to_float ? (float)whole : tn_load_f32(old, false);
        // Rounded to whole milliseconds and clamped to the range of a u32.
        if (!to_float && time >= 4294967040.0f)
            whole = UINT32_MAX;
        else if (!to_float && time > 0)
            whole = (uint32_t)((double)time + 0.5);
        *rounded += (double)time != (double)whole;
        tn_copy_numbers(data + 4 * i, to_float ? (void *)&time : (void *)&whole, 1, 4, false);
    }
    times->data = data;
    times->layout = to_float ? &tn_layout_f32 : &tn_layout_u32;
    return true;
}

static bool gpb_dialects_change_all_times(tenon_gpb *doc, uint32_t from, const tn_change *change)
{
    bool to_float = gpb_dialects_gains(from, change, TENON_GPB_FLOAT_TIMES);
    if (!to_float && !gpb_dialects_loses(from, change, TENON_GPB_FLOAT_TIMES)) return true;
    uint64_t rounded = 0;
    bool ok = true;
    for (uint32_t b = 0; ok && b < doc->block_count; b++) {
        const tenon_gpb_animations *all = &doc->blocks[b].body.animations;
        if (doc->blocks[b].kind != TENON_GPB_ANIMATIONS) continue;
        for (uint32_t i = 0; i < all->animation_count; i++)
            for (uint32_t k = 0; ok && k < all->animations[i].channel_count; k++)
                ok = gpb_dialects_change_times(&all->animations[i].channels[k], to_float, change,
                                               &rounded);
    }
    tn_change_report(change, TENON_APPROXIMATED, "key times", rounded,
                     to_float ? "rounded: a float cannot hold every whole number of milliseconds"
                              : "rounded to whole milliseconds");
    return ok;
}

// -- Animations: in one container, or as separate objects

// All animations of the document in one list.
static bool gpb_dialects_collect_animations(const tenon_gpb *doc, tenon_gpb_animations *all,
                                            const tn_change *change)
{
    uint64_t count = 0;
    for (uint32_t b = 0; b < doc->block_count; b++) {
        const tenon_gpb_block *block = &doc->blocks[b];
        if (block->kind == TENON_GPB_ANIMATIONS) count += block->body.animations.animation_count;
        if (block->kind == TENON_GPB_ANIMATION || block->kind == TENON_GPB_CHANNEL) count++;
    }
    *all = (tenon_gpb_animations){0};
    if (count > UINT32_MAX) return tn_error(change->err, TENON_ERR_LIMIT, "too many animations");
    all->animations = tn_arena_alloc_or_fail(change->arena, count, sizeof *all->animations,
                                             "animations", change->err);
    if (!all->animations) return false;
    for (uint32_t b = 0; b < doc->block_count; b++) {
        tenon_gpb_block *block = &doc->blocks[b];
        const tenon_gpb_animations *own = &block->body.animations;
        if (block->kind == TENON_GPB_CHANNEL)
            all->animations[all->animation_count++] =
                (tenon_gpb_animation){.id = gpb_index_id_of(doc, block->reference),
                                      .channel_count = 1,
                                      .channels = &block->body.channel};
        if (block->kind == TENON_GPB_ANIMATION)
            all->animations[all->animation_count++] = block->body.animation;
        for (uint32_t i = 0; block->kind == TENON_GPB_ANIMATIONS && i < own->animation_count; i++)
            all->animations[all->animation_count++] = own->animations[i];
    }
    return true;
}

// The blocks without animations, with room for `more`.
static tenon_gpb_block *gpb_dialects_other_blocks(const tenon_gpb *doc, gpb_table *table,
                                                  uint32_t more, uint32_t *count)
{
    uint64_t room = (uint64_t)doc->block_count + more;
    tenon_gpb_block *blocks =
        tn_arena_alloc_or_fail(table->arena, room, sizeof *blocks, "blocks", table->err);
    *count = 0;
    for (uint32_t b = 0; blocks && b < doc->block_count; b++) {
        uint32_t kind = doc->blocks[b].kind;
        if (kind == TENON_GPB_ANIMATIONS || kind == TENON_GPB_ANIMATION ||
            kind == TENON_GPB_CHANNEL)
            gpb_table_drop(table, doc->blocks[b].reference);
        else
            blocks[(*count)++] = doc->blocks[b];
    }
    return blocks;
}

static bool gpb_dialects_pack_animations(tenon_gpb *doc, const tn_change *change)
{
    static const tenon_str name = {"__Animations__", 14};
    tenon_gpb_animations all;
    uint32_t count;
    if (!gpb_dialects_collect_animations(doc, &all, change)) return false;
    gpb_table table = gpb_table_begin(doc, change->arena, 1, change->err);
    tenon_gpb_block *blocks =
        table.failed ? NULL : gpb_dialects_other_blocks(doc, &table, 1, &count);
    if (!blocks) return false;
    if (all.animation_count) {
        blocks[count++] =
            (tenon_gpb_block){.kind = TENON_GPB_ANIMATIONS,
                              .reference = gpb_table_add(&table, name, TENON_GPB_ANIMATIONS),
                              .body.animations = all};
    }
    doc->blocks = blocks;
    doc->block_count = count;
    return gpb_table_end(&table);
}

// A bare animation has the id of its reference as its name, which must be unique.
static bool gpb_dialects_unpack_animations(tenon_gpb *doc, const tn_change *change)
{
    tenon_gpb_animations all;
    uint32_t count;
    uint64_t renamed = 0;
    if (!gpb_dialects_collect_animations(doc, &all, change)) return false;
    gpb_table table = gpb_table_begin(doc, change->arena, all.animation_count, change->err);
    tenon_gpb_block *blocks =
        table.failed ? NULL : gpb_dialects_other_blocks(doc, &table, all.animation_count, &count);
    if (!blocks) return false;
    for (uint32_t i = 0; i < all.animation_count; i++) {
        tenon_gpb_animation *animation = &all.animations[i];
        uint32_t reference = gpb_table_add(&table, animation->id, TENON_GPB_ANIMATIONS);
        if (reference == TENON_NONE) return false;
        renamed += !tn_text_equal(animation->id, doc->references[reference].id);
        animation->id = doc->references[reference].id;
        blocks[count++] = (tenon_gpb_block){.kind = TENON_GPB_ANIMATIONS,
                                            .reference = reference,
                                            .body.animations = {1, animation}};
    }
    doc->blocks = blocks;
    doc->block_count = count;
    tn_change_report(change, TENON_APPROXIMATED, "animation names", renamed,
                     "a number was appended: each animation object needs a unique name");
    return gpb_table_end(&table);
}

static bool gpb_dialects_change_animations(tenon_gpb *doc, uint32_t from, const tn_change *change)
{
    if (gpb_dialects_gains(from, change, TENON_GPB_BARE_ANIMATIONS))
        return gpb_dialects_unpack_animations(doc, change);
    bool is_loose = gpb_dialects_loses(from, change, TENON_GPB_BARE_ANIMATIONS);
    bool leaves_document = gpb_dialects_loses(from, change, TENON_GPB_DOCUMENT);
    for (uint32_t b = 0; leaves_document && b < doc->block_count; b++)
        is_loose = is_loose || doc->blocks[b].kind == TENON_GPB_ANIMATION ||
                   doc->blocks[b].kind == TENON_GPB_CHANNEL;
    return !is_loose || gpb_dialects_pack_animations(doc, change);
}

// -- Blocks

static void gpb_dialects_drop_entry(void *user, uint32_t *entry)
{
    if (*entry) gpb_table_drop(user, *entry - 1);
    *entry = 0;
}

// Remove objects and references that only dialect "document" has.
static bool gpb_dialects_drop_blocks(tenon_gpb *doc, const tn_change *change)
{
    uint32_t kept = 0;
    uint64_t effects = 0, others = 0;
    gpb_tree tree;
    if (!gpb_index_tree_make(&tree, doc, change->arena, change->err)) return false;
    gpb_table table = gpb_table_begin(doc, change->arena, 0, change->err);
    if (table.failed) return false;
    gpb_index_each_entry(doc, &tree, gpb_dialects_drop_entry, &table);
    for (uint32_t b = 0; b < doc->block_count; b++) {
        const tenon_gpb_block *block = &doc->blocks[b];
        bool is_effect = block->kind == TENON_GPB_EFFECT;
        bool is_other = !is_effect && gpb_object_is_document_type(block->kind);
        effects += is_effect;
        others += is_other;
        if (is_effect || is_other)
            gpb_table_drop(&table, block->reference);
        else
            doc->blocks[kept++] = *block;
    }
    doc->block_count = kept;
    tn_change_report(change, TENON_DROPPED, "effects", effects,
                     "only the 'document' dialects have shaders");
    tn_change_report(change, TENON_DROPPED, "objects", others,
                     "only the 'document' dialects have materials, models, skins and mesh parts as "
                     "separate objects");
    return gpb_table_end(&table);
}

// Dialect "document" has materials and animations in the table. Add them, by name and id, if no
// other object has that id.
static bool gpb_dialects_add_entries(tenon_gpb *doc, const tn_change *change)
{
    gpb_tree tree;
    uint64_t more = 0, lost = 0;
    if (!gpb_index_tree_make(&tree, doc, change->arena, change->err)) return false;
    for (uint32_t i = 0; i < tree.count; i++) more += tree.nodes[i].node->model.material_count;
    for (uint32_t b = 0; b < doc->block_count; b++)
        if (doc->blocks[b].kind == TENON_GPB_ANIMATIONS)
            more += doc->blocks[b].body.animations.animation_count;
    if (more > UINT32_MAX) return tn_error(change->err, TENON_ERR_LIMIT, "too many objects");
    gpb_table table = gpb_table_begin(doc, change->arena, (uint32_t)more, change->err);
    for (uint32_t i = 0; i < tree.count && !table.failed; i++) {
        tenon_gpb_model *model = &tree.nodes[i].node->model;
        for (uint32_t k = 0; k < model->material_count && !table.failed; k++) {
            tenon_gpb_material *material = &model->materials[k];
            bool is_free = gpb_table_can_add(&table, material->name);
            lost += material->name.size && !is_free;
            if (is_free)
                material->entry = 1 + gpb_table_add(&table, material->name, TENON_GPB_MATERIAL);
            material->name = (tenon_str){"", 0};
        }
    }
    for (uint32_t b = 0; b < doc->block_count && !table.failed; b++) {
        const tenon_gpb_animations *all = &doc->blocks[b].body.animations;
        if (doc->blocks[b].kind != TENON_GPB_ANIMATIONS) continue;
        for (uint32_t i = 0; i < all->animation_count && !table.failed; i++)
            if (gpb_table_can_add(&table, all->animations[i].id))
                all->animations[i].entry =
                    1 + gpb_table_add(&table, all->animations[i].id, TENON_GPB_ANIMATION);
    }
    tn_change_report(change, TENON_DROPPED, "material names", lost,
                     "ids must be unique, and another object already has this id");
    return !table.failed && gpb_table_end(&table);
}

// Order the blocks as the encoder does: meshes first, with counts, except in bundles with fonts.
static bool gpb_dialects_order_blocks(tenon_gpb *doc, const tn_change *change)
{
    tenon_gpb_block *blocks = tn_arena_alloc_or_fail(change->arena, doc->block_count,
                                                     sizeof *blocks, "blocks", change->err);
    uint32_t count = 0, fonts = 0;
    if (!blocks) return false;
    for (int objects = 0; objects < 2; objects++)
        for (uint32_t b = 0; b < doc->block_count; b++)
            if ((doc->blocks[b].kind != TENON_GPB_MESH) == (objects == 1))
                blocks[count++] = doc->blocks[b];
    for (uint32_t b = 0; b < count; b++) fonts += blocks[b].kind == TENON_GPB_FONT;
    doc->blocks = blocks;
    bool has_counts = fonts == 0;
    doc->end_counts = has_counts ? TENON_GPB_COUNTS_MESHES | TENON_GPB_COUNTS_OBJECTS : 0;
    return true;
}

// -- All changes

// Some variants of dialect "document" do not say which parts a node has. Reading guesses. A guess
// that was right for the file that was read may be wrong for other documents.
#define GPB_GUESSED (TENON_GPB_NOTHING | TENON_GPB_NO_MODEL | TENON_GPB_PLAIN_SKIN)

static bool gpb_change_dialect(tenon_gpb *doc, const tn_change *change)
{
    uint32_t from = doc->base.dialect->flags;
    if (change->to->flags & GPB_GUESSED)
        return tn_error(change->err, TENON_ERR_UNSUPPORTED,
                        "'%s' files can be read and rewritten, but not written from other "
                        "dialects: they do not say which parts a node has",
                        change->to->name);
    // Objects change their sizes, so unknown bytes between them lose their meaning.
    uint64_t unknown = doc->base.trailing.size;
    for (uint32_t b = 0; b < doc->block_count; b++) {
        unknown += doc->blocks[b].gap.size;
        doc->blocks[b].gap = (tenon_span){0};
    }
    doc->base.trailing = (tenon_span){0};
    tn_change_report(change, TENON_DROPPED, "unknown bytes", unknown,
                     "they do not belong to an object");
    if (!gpb_change_models(doc, from, change)) return false;
    if (!gpb_dialects_change_animations(doc, from, change)) return false;
    if (!gpb_dialects_change_all_times(doc, from, change)) return false;
    for (uint32_t b = 0; b < doc->block_count; b++)
        if (doc->blocks[b].kind == TENON_GPB_FONT &&
            !gpb_change_font(&doc->blocks[b].body.font, from, change))
            return false;
    if (gpb_dialects_loses(from, change, TENON_GPB_DOCUMENT) &&
        !(gpb_dialects_drop_blocks(doc, change) && gpb_dialects_order_blocks(doc, change)))
        return false;
    if (gpb_dialects_gains(from, change, TENON_GPB_DOCUMENT)) {
        doc->end_counts = doc->is_uncounted = 0;
        for (uint32_t b = 0; b < doc->block_count; b++) doc->blocks[b].counts = 0;
        if (!gpb_dialects_add_entries(doc, change)) return false;
    }
    doc->version[0] = 1;
    doc->version[1] = gpb_dialect_minor(change->to);
    return true;
}

bool gpb_change(void *any, const tn_change *change)
{
    tenon_gpb *doc = any;
    uint32_t from = doc->base.dialect->flags;
    bool refresh = change->opts->refresh;
    if (change->to != doc->base.dialect && !gpb_change_dialect(doc, change)) return false;
    if (refresh && !gpb_finalize_refresh_references(doc, change->arena, change->err)) return false;
    if (refresh || gpb_dialects_gains(from, change, TENON_GPB_PARENT_ID))
        return gpb_finalize_refresh_parents(doc, change->arena, change->err);
    return true;
}
