// gpb_import_links.c: adds objects of other bundles, and nodes for objects that have none, before
// the import.
// SPDX-License-Identifier: MIT

#include "formats/gpb/import/gpb_import.h"

#include "core/math/sort.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <string.h>

// An object of another bundle that this one uses.
typedef struct gpb_linked_object {
    tenon_str xref;
    uint32_t kind;  // TENON_GPB_MESH, TENON_GPB_EFFECT or TENON_GPB_NODE.
} gpb_linked_object;

// Collects the objects.
typedef struct gpb_joiner {
    gpb_importer *importer;
    tenon_gpb *doc;  // The copy to which objects are added.
    uint32_t object_count;
    gpb_linked_object *objects;
    uint32_t reference_room;
} gpb_joiner;

// -- Objects in use

static bool gpb_import_links_list_xref(void *user, tenon_str *xref, uint32_t kind)
{
    gpb_joiner *joiner = user;
    if (gpb_index_xref_file(joiner->doc, *xref).size == 0) return true;
    if (joiner->objects) joiner->objects[joiner->object_count] = (gpb_linked_object){*xref, kind};
    joiner->object_count++;
    return true;
}

static bool gpb_import_links_linked_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_linked_object *objects = context;
    int order = tn_text_order(objects[a].xref, objects[b].xref);
    return order ? order < 0 : objects[a].kind < objects[b].kind;
}

// -- Adding objects

static uint32_t gpb_import_links_reference(gpb_joiner *joiner, tenon_str id, uint32_t type)
{
    tenon_gpb *doc = joiner->doc;
    if (doc->reference_count == joiner->reference_room) {
        uint64_t room = 2 * (uint64_t)joiner->reference_room + 16;
        tenon_gpb_reference *larger =
            tn_scene_array(joiner->importer->builder, room, sizeof *larger);
        if (!larger) return TENON_NONE;
        if (doc->reference_count)
            memcpy(larger, doc->references, doc->reference_count * sizeof *larger);
        doc->references = larger;
        joiner->reference_room = room < TENON_NONE ? (uint32_t)room : TENON_NONE - 1;
    }
    doc->references[doc->reference_count] = (tenon_gpb_reference){.id = id, .type = type};
    return doc->reference_count++;
}

// Copy the trees of another bundle that are in use, without their models. Parents come before their
// children.
static void gpb_import_links_copy_trees(gpb_joiner *joiner, const gpb_link *link)
{
    tn_scene_builder *builder = joiner->importer->builder;
    const gpb_tree *tree = &link->index.tree;
    tenon_gpb_node **copies = tn_scene_array(builder, tree->count, sizeof *copies);
    for (uint32_t i = 0; i < tree->count && !builder->failed; i++) {
        const gpb_tree_node *from = &tree->nodes[i];
        bool is_root = from->parent == TENON_NONE;
        if (is_root ? !link->is_wanted[i] : !copies[from->parent]) continue;
        tenon_gpb_block *block = &joiner->doc->blocks[joiner->doc->block_count];
        if (is_root) {
            *block = (tenon_gpb_block){.kind = TENON_GPB_NODE};
            joiner->doc->block_count++;
        }
        tenon_gpb_node *to =
            is_root ? &block->body.node : &copies[from->parent]->children[from->index];
        *to = *from->node;
        if (gpb_has_model(link->index.doc->base.dialect->flags, &to->model))
            joiner->importer->losses.linked_models.count += 1;
        to->model = (tenon_gpb_model){.mesh = {"", 0}};
        to->camera.reference = to->light.reference = TENON_NONE;
        tenon_str id = gpb_index_id_of(link->index.doc, from->node->reference), file = link->file;
        char *linked_id = tn_scene_array(builder, (uint64_t)file.size + id.size + 2, 1);
        if (!linked_id) return;
        memcpy(linked_id, file.data, file.size);
        linked_id[file.size] = '#';
        if (id.size) memcpy(linked_id + file.size + 1, id.data, id.size);
        to->reference = gpb_import_links_reference(
            joiner, (tenon_str){linked_id, file.size + 1 + id.size}, TENON_GPB_NODE);
        to->children = tn_scene_array(builder, to->child_count, sizeof *to->children);
        if (is_root) block->reference = to->reference;
        copies[i] = to;
    }
}

// -- Objects without a node

// In a bundle without nodes, each camera, light and model gets a node. A separate channel gets an
// animation.
static void gpb_import_links_nodes_for_objects(gpb_joiner *joiner, bool has_nodes)
{
    gpb_losses *lost = &joiner->importer->losses;
    for (uint32_t b = 0; b < joiner->doc->block_count; b++) {
        tenon_gpb_block *block = &joiner->doc->blocks[b], from = *block;
        uint32_t kind = block->kind;
        bool is_shown =
            kind == TENON_GPB_CAMERA || kind == TENON_GPB_LIGHT || kind == TENON_GPB_MODEL;
        bool is_loose =
            kind == TENON_GPB_MATERIAL || kind == TENON_GPB_PART || kind == TENON_GPB_SKIN;
        if (kind == TENON_GPB_CHANNEL) {
            tenon_gpb_channel *channel =
                tn_scene_array(joiner->importer->builder, 1, sizeof *channel);
            if (!channel) return;
            *channel = from.body.channel;
            block->kind = TENON_GPB_ANIMATION;
            block->body.animation =
                (tenon_gpb_animation){.id = gpb_index_id_of(joiner->doc, from.reference),
                                      .channel_count = 1,
                                      .channels = channel};
        }
        if (is_loose || (is_shown && has_nodes)) {
            tn_tally_path(&lost->loose_objects, 1, "blocks[%" PRIu32 "]", b);
            continue;
        }
        if (!is_shown) continue;
        tn_tally_path(&lost->synthesized_nodes, 1, "blocks[%" PRIu32 "]", b);
        block->kind = TENON_GPB_NODE;
        block->body.node = gpb_index_node_for(&from);
    }
}

// -- The whole

void gpb_import_join_links(gpb_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    gpb_joiner joiner = {.importer = importer, .doc = &importer->joined};
    importer->joined = *importer->doc;
    joiner.reference_room = importer->doc->reference_count;
    gpb_tree tree;
    if (!gpb_index_tree_make(&tree, importer->doc, builder->arena, builder->err))
        builder->failed = true;
    if (builder->failed) return;
    (void)gpb_index_each_xref(joiner.doc, &tree, gpb_import_links_list_xref, &joiner);
    uint32_t count = joiner.object_count;
    bool has_loose = false;
    for (uint32_t b = 0; b < importer->doc->block_count; b++) {
        uint32_t kind = importer->doc->blocks[b].kind;
        has_loose = has_loose || (kind != TENON_GPB_NODE &&
                                  !gpb_object_is_block(importer->doc->base.dialect->flags, kind));
    }
    if (count == 0 && !has_loose) return;
    joiner.objects = tn_scene_array(builder, count, sizeof *joiner.objects);
    uint32_t *order = tn_scene_array(builder, count, sizeof *order);
    uint32_t *spare = tn_scene_array(builder, count, sizeof *spare);
    tenon_gpb_block *blocks =
        tn_scene_array(builder, (uint64_t)importer->doc->block_count + count, sizeof *blocks);
    if (builder->failed) return;
    joiner.object_count = 0;
    (void)gpb_index_each_xref(joiner.doc, &tree, gpb_import_links_list_xref, &joiner);
    if (importer->doc->block_count)
        memcpy(blocks, importer->doc->blocks, importer->doc->block_count * sizeof *blocks);
    importer->joined.blocks = blocks;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    tn_sort(order, spare, count, gpb_import_links_linked_before, joiner.objects);
    gpb_import_links_nodes_for_objects(&joiner, tree.count > 0);
    for (uint32_t i = 0; i < count && !builder->failed; i++) {
        bool is_new =
            i == 0 || gpb_import_links_linked_before(joiner.objects, order[i - 1], order[i]);
        if (!is_new) continue;
        const gpb_linked_object *object = &joiner.objects[order[i]];
        tenon_error err;
        gpb_link *link =
            gpb_follow_link(&importer->links, gpb_index_xref_file(joiner.doc, object->xref), &err);
        if (!link && err.code != TENON_OK) {
            tn_scene_fail(builder, err.code, NULL, "%s", err.message);
            break;
        }
        uint32_t found = link ? gpb_find_linked(link, object->xref, object->kind) : TENON_NONE;
        if (found == TENON_NONE) continue;  // The user of the object reports this.
        if (object->kind == TENON_GPB_NODE) {
            const gpb_tree *linked = &link->index.tree;
            if (!link->is_wanted)
                link->is_wanted = tn_scene_array(builder, linked->count, sizeof *link->is_wanted);
            while (linked->nodes[found].parent != TENON_NONE) found = linked->nodes[found].parent;
            if (!builder->failed) link->is_wanted[found] = true;
            continue;
        }
        tenon_gpb_block *block = &joiner.doc->blocks[joiner.doc->block_count];
        *block = link->index.doc->blocks[found];
        block->reference = gpb_import_links_reference(&joiner, object->xref, object->kind);
        if (!builder->failed) joiner.doc->block_count++;
    }
    for (uint32_t i = 0; i < importer->links.count && !builder->failed; i++)
        if (importer->links.items[i].is_wanted)
            gpb_import_links_copy_trees(&joiner, &importer->links.items[i]);
    importer->doc = &importer->joined;
    for (uint32_t i = 0; i < importer->links.count && !builder->failed; i++) {
        const gpb_link *link = &importer->links.items[i];
        char shown[48];
        tn_text_clean(link->file.data, link->file.size, shown, sizeof shown);
        if (!link->doc)
            tn_scene_report(builder, TENON_DROPPED, "other bundles", 1, shown, link->why);
    }
}
