// gpb_merge.c: merges two bundles. Ids stay unique, and references by name follow them.
// SPDX-License-Identifier: MIT

#include "core/text/text.h"
#include "document/document.h"
#include "formats/gpb/gpb_format.h"

#include <string.h>

// The structs of `other` are moved, with the memory they point to.
typedef struct gpb_merger {
    tenon_gpb *into, *other;
    gpb_index index;    // Of `other`, before the merge.
    gpb_table table;    // Of `into`.
    uint32_t *numbers;  // For each reference of `other`: its new index, or TENON_NONE.
    // The blocks that receive the nodes and the animations of `other`; NULL: `other` keeps its
    // blocks.
    tenon_gpb_block *scene, *animations;
    tn_change change;
} gpb_merger;

static tenon_gpb_block *gpb_first_block(const tenon_gpb *doc, uint32_t kind)
{
    for (uint32_t i = 0; i < doc->block_count; i++)
        if (doc->blocks[i].kind == kind) return &doc->blocks[i];
    return NULL;
}

// The block of `into` that receives the contents of a block of `other`; NULL: it stays a block.
static tenon_gpb_block *gpb_host_of(const gpb_merger *merger, const tenon_gpb_block *block)
{
    if (block->kind == TENON_GPB_SCENE) return merger->scene;
    return block->kind == TENON_GPB_ANIMATIONS ? merger->animations : NULL;
}

// -- Ids and references

static bool gpb_merge_references(gpb_merger *merger)
{
    const tenon_gpb *other = merger->other;
    uint32_t count = other->reference_count;
    const uint32_t *owner_of = merger->index.owner_of;
    uint64_t renamed = 0, aliases = 0;
    merger->numbers =
        tn_change_alloc(&merger->change, count, sizeof *merger->numbers, "references");
    if (!merger->numbers) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t block = merger->index.block_of[i];
        const tenon_gpb_reference *r = &other->references[i];
        bool is_absorbed = block != TENON_NONE && gpb_host_of(merger, &other->blocks[block]);
        bool is_alias = owner_of[i] != TENON_NONE && owner_of[i] != i;
        merger->numbers[i] = TENON_NONE;
        aliases += is_alias;
        if (is_absorbed || is_alias) continue;
        merger->numbers[i] = gpb_table_add(&merger->table, r->id, r->type);
        if (merger->numbers[i] == TENON_NONE) return false;
        renamed += !tn_text_equal(r->id, merger->into->references[merger->numbers[i]].id);
    }
    for (uint32_t i = 0; i < count; i++)
        if (owner_of[i] != TENON_NONE) merger->numbers[i] = merger->numbers[owner_of[i]];
    tn_change_report(&merger->change, TENON_APPROXIMATED, "ids", renamed,
                     "a number was appended: the first bundle already has these ids");
    tn_change_report(&merger->change, TENON_DROPPED, "ids", aliases,
                     "additional ids of the same object: only the first is kept");
    return true;
}

// The new id of `id` of `other`; the same if no object has it.
static tenon_str gpb_new_id(const gpb_merger *merger, tenon_str id)
{
    uint32_t reference = id.size ? gpb_find_id(&merger->index, id) : TENON_NONE;
    uint32_t number = reference == TENON_NONE ? TENON_NONE : merger->numbers[reference];
    return number == TENON_NONE ? id : merger->into->references[number].id;
}

// The same for "#id".
static bool gpb_follow_xref(void *user, tenon_str *xref, uint32_t kind)
{
    const gpb_merger *merger = user;
    (void)kind;
    tenon_str old = gpb_xref_id(merger->other, *xref), id = gpb_new_id(merger, old);
    if (old.size == 0 || tn_text_equal(old, id)) return true;
    tenon_str made = gpb_make_xref(id, merger->change.arena, merger->change.err);
    if (made.size) *xref = made;
    return made.size > 0;
}

static bool gpb_follow_block(gpb_merger *merger, tenon_gpb_block *block)
{
    tenon_gpb_animations all = gpb_animations_of(block);
    bool is_named =
        block->kind == TENON_GPB_ANIMATIONS && gpb_has(merger->into, TENON_GPB_BARE_ANIMATIONS);
    tenon_gpb_skin *skin = block->kind == TENON_GPB_SKIN    ? &block->body.skin
                           : block->kind == TENON_GPB_MODEL ? &block->body.model.skin
                                                            : NULL;
    bool ok = block->kind != TENON_GPB_MATERIAL ||
              gpb_follow_xref(merger, &block->body.material.effect, TENON_GPB_EFFECT);
    if (skin) skin->root_joint = gpb_new_id(merger, skin->root_joint);
    for (uint32_t i = 0; ok && block->kind == TENON_GPB_SKIN && i < skin->joint_count; i++)
        ok = gpb_follow_xref(merger, &skin->joints[i], TENON_GPB_NODE);
    if (block->kind == TENON_GPB_CHANNEL)
        block->body.channel.target_id = gpb_new_id(merger, block->body.channel.target_id);
    for (uint32_t i = 0; i < all.animation_count; i++) {
        tenon_gpb_animation *animation = &all.animations[i];
        for (uint32_t k = 0; k < animation->channel_count; k++)
            animation->channels[k].target_id = gpb_new_id(merger, animation->channels[k].target_id);
        if (is_named) animation->id = gpb_id_of(merger->into, block->reference);
    }
    return ok;
}

// -- Moving

// A copy of `items`, with room for `more`, in memory of `into`.
static void *gpb_with_room(gpb_merger *merger, const void *items, uint32_t count, uint64_t more,
                           size_t size)
{
    if (more > UINT32_MAX - count) {
        tn_error(merger->change.err, TENON_ERR_LIMIT, "too many nodes or animations");
        return NULL;
    }
    uint8_t *copy = tn_change_alloc(&merger->change, count + more, size, "nodes and animations");
    if (copy && count) memcpy(copy, items, count * size);
    return copy;
}

// Move the contents of blocks of `other` to their hosts.
static bool gpb_absorb(gpb_merger *merger)
{
    static const char why[] = "a scene has only one: the one of the first bundle is kept";
    tenon_gpb_scene *scene = merger->scene ? &merger->scene->body.scene : NULL;
    tenon_gpb_animations *all = merger->animations ? &merger->animations->body.animations : NULL;
    uint64_t nodes = 0, animations = 0;
    for (uint32_t b = 0; b < merger->other->block_count; b++) {
        const tenon_gpb_block *block = &merger->other->blocks[b];
        if (block->kind == TENON_GPB_SCENE) nodes += block->body.scene.node_count;
        if (block->kind == TENON_GPB_ANIMATIONS)
            animations += block->body.animations.animation_count;
    }
    if (scene) {
        scene->nodes =
            gpb_with_room(merger, scene->nodes, scene->node_count, nodes, sizeof *scene->nodes);
        if (!scene->nodes) return false;
    }
    if (all) {
        all->animations = gpb_with_room(merger, all->animations, all->animation_count, animations,
                                        sizeof *all->animations);
        if (!all->animations) return false;
    }
    for (uint32_t b = 0; b < merger->other->block_count; b++) {
        const tenon_gpb_block *block = &merger->other->blocks[b];
        const tenon_gpb_animations *more = &block->body.animations;
        const tenon_gpb_scene *from = &block->body.scene;
        const float *color = from->ambient_color;
        for (uint32_t i = 0;
             all && block->kind == TENON_GPB_ANIMATIONS && i < more->animation_count; i++)
            all->animations[all->animation_count++] = more->animations[i];
        if (!scene || block->kind != TENON_GPB_SCENE) continue;
        for (uint32_t i = 0; i < from->node_count; i++)
            scene->nodes[scene->node_count++] = from->nodes[i];
        bool has_two = scene->active_camera.size && from->active_camera.size;
        if (scene->active_camera.size == 0) scene->active_camera = from->active_camera;
        tn_change_report(&merger->change, TENON_DROPPED, "active camera", has_two, why);
        tn_change_report(&merger->change, TENON_DROPPED, "ambient color",
                         color[0] != 0 || color[1] != 0 || color[2] != 0, why);
    }
    return true;
}

// Meshes come first, then other objects. Bundles with fonts have no counts. Unknown bytes lose
// their meaning in a new place.
static bool gpb_move_blocks(gpb_merger *merger)
{
    tenon_gpb *into = merger->into;
    const tenon_gpb *docs[] = {into, merger->other};
    uint64_t room = (uint64_t)into->block_count + merger->other->block_count;
    uint64_t unknown = into->base.trailing.size + merger->other->base.trailing.size;
    tenon_gpb_block *blocks = tn_change_alloc(&merger->change, room, sizeof *blocks, "blocks");
    uint32_t count = 0;
    if (!blocks) return false;
    for (int pass = 0; pass < 4; pass++) {  // Meshes of both, then objects of both.
        const tenon_gpb *doc = docs[pass & 1];
        for (uint32_t i = 0; i < doc->block_count; i++) {
            if ((doc->blocks[i].kind == TENON_GPB_MESH) != (pass < 2)) continue;
            if (doc == merger->other && gpb_host_of(merger, &doc->blocks[i])) continue;
            unknown += doc->blocks[i].gap.size;
            blocks[count] = doc->blocks[i];
            blocks[count++].gap = (tenon_span){0};
        }
    }
    into->base.trailing = (tenon_span){0};
    into->end_counts |= merger->other->end_counts;
    into->blocks = blocks;
    into->block_count = count;
    tn_change_report(&merger->change, TENON_DROPPED, "unknown bytes", unknown,
                     "they do not belong to an object");
    if (!gpb_first_block(into, TENON_GPB_FONT)) return true;
    into->end_counts = 0;
    for (uint32_t i = 0; i < count; i++) blocks[i].counts = 0;
    return true;
}

bool gpb_merge_doc(void *into, tenon_doc *any, const tenon_merge_opts *opts, tenon_error *err)
{
    tenon_doc *base = into;
    tenon_gpb *other = tenon_as_gpb(any);
    gpb_merger merger = {.into = into, .other = other};
    tenon_change_opts change = {.dialect = base->dialect->name, .events = opts->events};
    if (!tn_doc_change(any, &change, err)) return false;
    // The limits of both documents apply to the merged one together.
    tn_arena *arena = &base->owner->arena;
    uint64_t room = UINT64_MAX - arena->limit, more = any->owner->arena.limit;
    arena->limit += more < room ? more : room;
    merger.change = (tn_change){base->dialect, &change, arena, err, false};
    if (!gpb_index_make(&merger.index, other, arena, err)) return false;
    merger.scene = gpb_first_block(into, TENON_GPB_SCENE);
    if (!gpb_has(into, TENON_GPB_BARE_ANIMATIONS))
        merger.animations = gpb_first_block(into, TENON_GPB_ANIMATIONS);
    merger.table = gpb_table_begin(into, arena, other->reference_count, err);
    if (merger.table.failed || !gpb_merge_references(&merger)) return false;
    gpb_table_renumber(other, &merger.index.tree, merger.numbers, other->reference_count);
    for (uint32_t i = 0; i < merger.index.tree.count; i++) {
        tenon_gpb_node *node = merger.index.tree.nodes[i].node;
        tenon_str *parent = &node->parent_id;
        // Parents are named by plain ids, but a third-party exporter writes "#id".
        bool is_plain = !parent->size || gpb_find_id(&merger.index, *parent) != TENON_NONE;
        if (is_plain) *parent = gpb_new_id(&merger, *parent);
        if (!is_plain && !gpb_follow_xref(&merger, parent, TENON_GPB_NODE)) return false;
        tenon_str *root = &node->model.skin.root_joint;
        *root = gpb_new_id(&merger, *root);
    }
    for (uint32_t i = 0; i < other->block_count; i++)
        if (!gpb_follow_block(&merger, &other->blocks[i])) return false;
    if (!gpb_each_xref(other, &merger.index.tree, gpb_follow_xref, &merger) ||
        !gpb_absorb(&merger) || !gpb_move_blocks(&merger) || !gpb_table_end(&merger.table))
        return false;
    other->block_count = other->reference_count = 0;
    return tn_doc_finalize(base, err);
}
