// gpb_index.c: all nodes of a bundle in one array, objects found by their ids, and edits of the
// reference table.
// SPDX-License-Identifier: MIT

#include "formats/gpb/gpb_format.h"

#include "core/cursor/span.h"
#include "core/math/sort.h"
#include "core/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool gpb_is_named_like(tenon_str id, tenon_str node)
{
    // In a document that was cut, either may have no data.
    bool starts_so =
        node.size == 0 || (id.size >= node.size && memcmp(id.data, node.data, node.size) == 0);
    return starts_so && (id.size == node.size || id.data[node.size] == '.');
}

tenon_gpb_animations gpb_animations_of(const tenon_gpb_block *block)
{
    if (block->kind == TENON_GPB_ANIMATIONS) return block->body.animations;
    if (block->kind == TENON_GPB_ANIMATION)
        return (tenon_gpb_animations){1, (tenon_gpb_animation *)&block->body.animation};
    return (tenon_gpb_animations){0};
}

// -- Lights

double gpb_faded_distance(const float attenuation[3])
{
    double linear = attenuation[1], quadratic = attenuation[2];
    double remainder = GPB_FADED - attenuation[0];
    if (!(linear >= 0 && quadratic >= 0 && linear + quadratic > 0)) return HUGE_VAL;
    if (!(remainder > 0)) return 0;
    return quadratic > 0
               ? (sqrt(linear * linear + 4 * quadratic * remainder) - linear) / (2 * quadratic)
               : remainder / linear;
}

// -- Animations

gpb_attribute gpb_attribute_of(uint32_t target_attribute)
{
    static const gpb_attribute known[] = {
        [0] = {"none", 1, TENON_NONE},
        [1] = {"scale", 3, TENON_NONE},
        [2] = {"scale x", 1, TENON_NONE},
        [3] = {"scale y", 1, TENON_NONE},
        [4] = {"scale z", 1, TENON_NONE},
        [8] = {"rotate", 4, 0},
        [9] = {"translate", 3, TENON_NONE},
        [10] = {"translate x", 1, TENON_NONE},
        [11] = {"translate y", 1, TENON_NONE},
        [12] = {"translate z", 1, TENON_NONE},
        [16] = {"rotate translate", 7, 0},
        [17] = {"scale rotate translate", 10, 3},
        [18] = {"scale translate", 6, TENON_NONE},
        [19] = {"scale rotate", 7, 3},
    };
    if (target_attribute < sizeof known / sizeof known[0]) return known[target_attribute];
    return (gpb_attribute){NULL, 0, TENON_NONE};
}

// -- Nodes

bool gpb_is_shown_type(uint32_t type)
{
    return type == TENON_GPB_CAMERA || type == TENON_GPB_LIGHT || type == TENON_GPB_MODEL;
}

tenon_gpb_node gpb_node_for(const tenon_gpb_block *block)
{
    tenon_gpb_node node = {.reference = block ? block->reference : TENON_NONE,
                           .node_type = 1,
                           .transform = {[0] = 1, [5] = 1, [10] = 1, [15] = 1},
                           .parent_id = {"", 0},
                           .camera = {.reference = TENON_NONE},
                           .light = {.reference = TENON_NONE},
                           .model = {.mesh = {"", 0}, .skin = {.root_joint = {"", 0}}}};
    if (block && block->kind == TENON_GPB_CAMERA) node.camera = block->body.camera;
    if (block && block->kind == TENON_GPB_LIGHT) node.light = block->body.light;
    if (block && block->kind == TENON_GPB_MODEL) node.model = block->body.model;
    return node;
}

bool gpb_tree_add(gpb_tree *tree, tenon_gpb_node *nodes, uint32_t count, uint32_t parent,
                  uint32_t block, tn_arena *arena, tenon_error *err)
{
    if (count > tree->room - tree->count) {
        if (count > UINT32_MAX / 2 - tree->count)
            return tn_error(err, TENON_ERR_LIMIT, "too many nodes");
        uint32_t room = tree->count + count;
        if (room < 2 * (uint64_t)tree->count) room = 2 * tree->count;
        gpb_tree_node *larger = tn_arena_alloc_or_fail(arena, room, sizeof *larger, "nodes", err);
        if (!larger) return false;
        if (tree->count) memcpy(larger, tree->nodes, tree->count * sizeof *larger);
        tree->nodes = larger;
        tree->room = room;
    }
    for (uint32_t i = 0; i < count; i++)
        tree->nodes[tree->count++] = (gpb_tree_node){&nodes[i], parent, i, block};
    return true;
}

bool gpb_tree_make(gpb_tree *tree, const tenon_gpb *doc, tn_arena *arena, tenon_error *err)
{
    *tree = (gpb_tree){0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < doc->block_count; i++) {
        tenon_gpb_block *block = &doc->blocks[i];
        tenon_gpb_scene *scene = &block->body.scene;
        if (block->kind == TENON_GPB_SCENE)
            ok = gpb_tree_add(tree, scene->nodes, scene->node_count, TENON_NONE, i, arena, err);
        if (block->kind == TENON_GPB_NODE)
            ok = gpb_tree_add(tree, &block->body.node, 1, TENON_NONE, i, arena, err);
    }
    for (uint32_t i = 0; ok && i < tree->count; i++) {
        gpb_tree_node at = tree->nodes[i];
        ok = gpb_tree_add(tree, at.node->children, at.node->child_count, i, at.block, arena, err);
    }
    return ok;
}

// -- Ids

static bool gpb_id_before(const void *context, uint32_t a, uint32_t b)
{
    const tenon_gpb *doc = context;
    return tn_text_order(doc->references[a].id, doc->references[b].id) < 0;
}

static void gpb_set_owner(gpb_index *index, uint32_t reference)
{
    if (reference < index->doc->reference_count) index->owner_of[reference] = reference;
}

static void gpb_set_entry_owner(void *user, uint32_t *entry)
{
    if (*entry) gpb_set_owner(user, *entry - 1);
}

bool gpb_place_before(const void *context, uint32_t a, uint32_t b)
{
    const tenon_gpb_reference *x = &((const tenon_gpb *)context)->references[a];
    const tenon_gpb_reference *y = &((const tenon_gpb *)context)->references[b];
    return x->offset != y->offset ? x->offset < y->offset : x->type < y->type;
}

bool gpb_index_make(gpb_index *index, const tenon_gpb *doc, tn_arena *arena, tenon_error *err)
{
    uint32_t count = doc->reference_count;
    *index = (gpb_index){.doc = doc};
    uint32_t *numbers =
        tn_arena_alloc_or_fail(arena, 5 * (uint64_t)count, sizeof *numbers, "references", err);
    if (!numbers) return false;
    index->by_id = numbers;
    index->node_of = numbers + 2 * (size_t)count;  // Sorting takes as much room again.
    index->block_of = index->node_of + count;
    index->owner_of = index->block_of + count;
    if (!gpb_tree_make(&index->tree, doc, arena, err)) return false;
    for (uint32_t i = 0; i < count; i++)
        index->node_of[i] = index->block_of[i] = index->owner_of[i] = TENON_NONE;
    for (uint32_t i = 0; i < doc->block_count; i++) {
        uint32_t reference = doc->blocks[i].reference;
        gpb_set_owner(index, reference);
        if (reference < count) index->block_of[reference] = i;
    }
    for (uint32_t i = 0; i < index->tree.count; i++) {
        const tenon_gpb_node *node = index->tree.nodes[i].node;
        gpb_set_owner(index, node->reference);
        if (node->reference < count) index->node_of[node->reference] = i;
        if (node->camera.camera_type) gpb_set_owner(index, node->camera.reference);
        if (node->light.light_type) gpb_set_owner(index, node->light.reference);
    }
    gpb_each_entry(doc, &index->tree, gpb_set_entry_owner, index);
    // If several references have the same offset, one of them owns the object. The engine finds a
    // mesh by any of them, but the name of a node is the first.
    uint32_t *order = index->by_id;
    tn_sort_all(order, count, gpb_place_before, doc);
    for (uint32_t i = 0, end; i < count; i = end) {
        uint32_t owner = TENON_NONE;
        for (end = i; end < count && !gpb_place_before(doc, order[i], order[end]); end++)
            if (owner == TENON_NONE) owner = index->owner_of[order[end]];
        if (owner == TENON_NONE || doc->references[owner].offset == 0) continue;
        for (uint32_t k = i; k < end; k++) {
            if (index->owner_of[order[k]] != TENON_NONE) continue;
            index->owner_of[order[k]] = owner;
            index->block_of[order[k]] = index->block_of[owner];
        }
    }
    tn_sort_all(index->by_id, count, gpb_id_before, doc);
    return true;
}

uint32_t gpb_find_id(const gpb_index *index, tenon_str id)
{
    const tenon_gpb *doc = index->doc;
    uint32_t low = 0, high = doc->reference_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tn_text_order(doc->references[index->by_id[middle]].id, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == doc->reference_count) return TENON_NONE;
    uint32_t found = index->by_id[low];
    return tn_text_equal(doc->references[found].id, id) ? found : TENON_NONE;
}

tenon_str gpb_xref_id(const tenon_gpb *doc, tenon_str xref)
{
    if (xref.size > 1 && xref.data[0] == '#') return (tenon_str){xref.data + 1, xref.size - 1};
    bool is_plain = xref.size > 0 && xref.data[0] != '#';
    return is_plain && gpb_has(doc, TENON_GPB_DOCUMENT) ? xref : (tenon_str){"", 0};
}

tenon_str gpb_make_xref(tenon_str id, tn_arena *arena, tenon_error *err)
{
    tenon_str xref = tn_text_join(arena, (tenon_str){"#", 1}, id, "a reference", err);
    return xref.data ? xref : (tenon_str){"", 0};
}

tenon_str gpb_xref_file(const tenon_gpb *doc, tenon_str xref)
{
    bool may_have_file = xref.size && gpb_has(doc, TENON_GPB_DOCUMENT);
    const char *sign = may_have_file ? memchr(xref.data, '#', xref.size) : NULL;
    return sign ? (tenon_str){xref.data, (uint32_t)(sign - xref.data)} : (tenon_str){"", 0};
}

// -- Entries and names of objects

static void gpb_each_entry_of_model(tenon_gpb_model *model, gpb_entry_fn *fn, void *user)
{
    fn(user, &model->entry);
    fn(user, &model->skin.entry);
    for (uint32_t i = 0; i < model->material_count; i++) fn(user, &model->materials[i].entry);
}

void gpb_each_entry(const tenon_gpb *doc, const gpb_tree *tree, gpb_entry_fn *fn, void *user)
{
    for (uint32_t i = 0; i < tree->count; i++)
        gpb_each_entry_of_model(&tree->nodes[i].node->model, fn, user);
    for (uint32_t b = 0; b < doc->block_count; b++) {
        tenon_gpb_block *block = &doc->blocks[b];
        tenon_gpb_animations all = gpb_animations_of(block);
        for (uint32_t i = 0; i < all.animation_count; i++) {
            fn(user, &all.animations[i].entry);
            for (uint32_t k = 0; k < all.animations[i].channel_count; k++)
                fn(user, &all.animations[i].channels[k].entry);
        }
        for (uint32_t i = 0; block->kind == TENON_GPB_MESH && i < block->body.mesh.part_count; i++)
            fn(user, &block->body.mesh.parts[i].entry);
        if (block->kind == TENON_GPB_CHANNEL) fn(user, &block->body.channel.entry);
        if (block->kind == TENON_GPB_MODEL) gpb_each_entry_of_model(&block->body.model, fn, user);
        if (block->kind == TENON_GPB_MATERIAL) fn(user, &block->body.material.entry);
        if (block->kind == TENON_GPB_PART) fn(user, &block->body.part.entry);
        if (block->kind == TENON_GPB_SKIN) fn(user, &block->body.skin.entry);
    }
}

static bool gpb_each_xref_of_model(tenon_gpb_model *model, gpb_xref_fn *fn, void *user)
{
    bool ok = fn(user, &model->mesh, TENON_GPB_MESH);
    for (uint32_t i = 0; ok && i < model->skin.joint_count; i++)
        ok = fn(user, &model->skin.joints[i], TENON_GPB_NODE);
    for (uint32_t i = 0; ok && i < model->material_count; i++)
        ok = fn(user, &model->materials[i].effect, TENON_GPB_EFFECT);
    return ok;
}

bool gpb_each_xref(const tenon_gpb *doc, const gpb_tree *tree, gpb_xref_fn *fn, void *user)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < tree->count; i++)
        ok = gpb_each_xref_of_model(&tree->nodes[i].node->model, fn, user);
    for (uint32_t b = 0; ok && b < doc->block_count; b++) {
        tenon_gpb_block *block = &doc->blocks[b];
        if (block->kind == TENON_GPB_MODEL)
            ok = gpb_each_xref_of_model(&block->body.model, fn, user);
        if (block->kind == TENON_GPB_SCENE)
            ok = fn(user, &block->body.scene.active_camera, TENON_GPB_NODE);
    }
    return ok;
}

uint32_t gpb_find_node(const gpb_index *index, tenon_str id)
{
    uint32_t reference = id.size ? gpb_find_id(index, id) : TENON_NONE;
    return reference == TENON_NONE ? TENON_NONE : index->node_of[reference];
}

uint32_t gpb_find_block(const gpb_index *index, tenon_str xref, uint32_t kind)
{
    tenon_str id = gpb_xref_id(index->doc, xref);
    uint32_t reference = id.size ? gpb_find_id(index, id) : TENON_NONE;
    uint32_t block = reference == TENON_NONE ? TENON_NONE : index->block_of[reference];
    bool is_right = block != TENON_NONE && index->doc->blocks[block].kind == kind;
    return is_right ? block : TENON_NONE;
}

uint32_t gpb_find_mesh_block(const gpb_index *index, tenon_str xref)
{
    return gpb_find_block(index, xref, TENON_GPB_MESH);
}

const tenon_gpb_mesh *gpb_find_mesh(const gpb_index *index, tenon_str xref)
{
    uint32_t block = gpb_find_mesh_block(index, xref);
    return block == TENON_NONE ? NULL : &index->doc->blocks[block].body.mesh;
}

tenon_str gpb_id_of(const tenon_gpb *doc, uint32_t reference)
{
    return reference < doc->reference_count ? doc->references[reference].id : (tenon_str){"", 0};
}

// -- Paths

#define GPB_PATH_LEVELS 16  // Deeper paths do not fit.

// Append a part if all of it fits.
static bool gpb_extend_path(tn_path_text *path, const char *part)
{
    size_t used = strlen(path->text), more = strlen(part);
    if (more >= sizeof path->text - used - 1) return false;
    path->text[used] = '.';
    memcpy(path->text + used + 1, part, more + 1);
    return true;
}

tn_path_text gpb_node_path(const gpb_index *index, uint32_t node_index, const char *inside)
{
    const gpb_tree_node *nodes = index->tree.nodes;
    uint32_t chain[GPB_PATH_LEVELS], depth = 0;
    for (uint32_t at = node_index; at != TENON_NONE; at = nodes[at].parent)
        chain[depth++ % GPB_PATH_LEVELS] = at;
    uint32_t kind = index->doc->blocks[nodes[node_index].block].kind;
    bool is_bare = kind != TENON_GPB_SCENE;
    tn_path_text path = tn_path("blocks[%u]%s", nodes[node_index].block,
                                kind == TENON_GPB_NODE ? ".node"
                                : is_bare              ? ""
                                                       : ".scene");
    uint32_t shown = depth < GPB_PATH_LEVELS ? depth : GPB_PATH_LEVELS;
    for (uint32_t i = 0; i < shown; i++) {
        const gpb_tree_node *at = &nodes[chain[(depth - 1 - i) % GPB_PATH_LEVELS]];
        bool is_root = at->parent == TENON_NONE;
        tn_path_text part = tn_path("%s[%u]", is_root ? "nodes" : "children", at->index);
        // A node that is too deep for a path is shown by its nearest ancestor that fits.
        if (!(is_root && is_bare) && !gpb_extend_path(&path, part.text)) return path;
    }
    if (inside[0] && depth <= GPB_PATH_LEVELS) gpb_extend_path(&path, inside);
    return path;
}

// -- The reference table

static void *gpb_table_alloc(gpb_table *table, uint64_t count, size_t size)
{
    void *memory =
        table->failed ? NULL
                      : tn_arena_alloc_or_fail(table->arena, count, size, "references", table->err);
    if (!memory) table->failed = true;
    return memory;
}

static gpb_table_id *gpb_table_find(const gpb_table *table, tenon_str id)
{
    return (gpb_table_id *)tn_name_find(&table->names, id);
}

static void gpb_table_take(gpb_table *table, tenon_str id)
{
    gpb_table_id *name = gpb_table_find(table, id);
    if (!name) {
        name = gpb_table_alloc(table, 1, sizeof *name);
        if (!name) return;
        *name = (gpb_table_id){.named = {.name = id}, .next = 2};
        (void)tn_name_enter(&table->names, &name->named);
    }
    name->users++;
}

static bool gpb_table_id_is_free(const gpb_table *table, tenon_str id)
{
    const gpb_table_id *name = gpb_table_find(table, id);
    return !name || !name->users;
}

gpb_table gpb_table_begin(tenon_gpb *doc, tn_arena *arena, uint32_t more, tenon_error *err)
{
    gpb_table table = {.doc = doc, .arena = arena, .err = err, .is_sorted = true};
    uint64_t room = (uint64_t)doc->reference_count + more;
    for (uint32_t i = 1; table.is_sorted && i < doc->reference_count; i++)
        table.is_sorted = tn_text_order(doc->references[i].id, doc->references[i - 1].id) >= 0;
    if (room > UINT32_MAX / 4)
        table.failed = !tn_error(err, TENON_ERR_LIMIT, "too many references");
    table.room = (uint32_t)room;
    table.dropped = gpb_table_alloc(&table, room, sizeof *table.dropped);
    tenon_gpb_reference *references = gpb_table_alloc(&table, room, sizeof *references);
    if (table.failed) return table;
    for (uint32_t i = 0; i < doc->reference_count; i++) {
        references[i] = doc->references[i];
        gpb_table_take(&table, references[i].id);
    }
    doc->references = references;
    return table;
}

uint32_t gpb_table_add(gpb_table *table, tenon_str id, uint32_t type)
{
    tenon_gpb *doc = table->doc;
    if (table->failed || doc->reference_count >= table->room) return TENON_NONE;
    if (!id.size) id = (tenon_str){"", 0};
    tenon_str unique = id;
    for (gpb_table_id *name = gpb_table_find(table, id); !gpb_table_id_is_free(table, unique);) {
        char suffix[16];
        int size = snprintf(suffix, sizeof suffix, "_%u", name->next++);
        unique = tn_text_join(table->arena, id, (tenon_str){suffix, (uint32_t)size},
                              "the reference table", table->err);
        table->failed = !unique.data;
        if (table->failed) return TENON_NONE;
    }
    gpb_table_take(table, unique);
    if (table->failed) return TENON_NONE;
    doc->references[doc->reference_count] = (tenon_gpb_reference){unique, type, 0};
    return doc->reference_count++;
}

bool gpb_table_can_add(const gpb_table *table, tenon_str id)
{
    return id.size > 0 && !table->failed && gpb_table_id_is_free(table, id);
}

void gpb_table_drop(gpb_table *table, uint32_t reference)
{
    if (table->failed || reference >= table->doc->reference_count || table->dropped[reference])
        return;
    table->dropped[reference] = true;
    gpb_table_find(table, table->doc->references[reference].id)->users--;
}

// The new index of each reference, or TENON_NONE.
typedef struct gpb_renumbering {
    const uint32_t *numbers;
    uint32_t count;
} gpb_renumbering;

static void gpb_table_renumber_one(const gpb_renumbering *renumbering, uint32_t *reference)
{
    *reference = *reference < renumbering->count ? renumbering->numbers[*reference] : TENON_NONE;
}

static void gpb_table_renumber_entry(void *user, uint32_t *entry)
{
    uint32_t reference = *entry ? *entry - 1 : TENON_NONE;
    gpb_table_renumber_one(user, &reference);
    *entry = reference == TENON_NONE ? 0 : reference + 1;
}

void gpb_table_renumber(tenon_gpb *doc, const gpb_tree *tree, const uint32_t *numbers,
                        uint32_t count)
{
    gpb_renumbering renumbering = {numbers, count};
    for (uint32_t i = 0; i < doc->block_count; i++) {
        tenon_gpb_block *block = &doc->blocks[i];
        gpb_table_renumber_one(&renumbering, &block->reference);
        if (block->kind == TENON_GPB_CAMERA) block->body.camera.reference = block->reference;
        if (block->kind == TENON_GPB_LIGHT) block->body.light.reference = block->reference;
    }
    gpb_each_entry(doc, tree, gpb_table_renumber_entry, &renumbering);
    for (uint32_t i = 0; i < tree->count; i++) {
        tenon_gpb_node *node = tree->nodes[i].node;
        gpb_table_renumber_one(&renumbering, &node->reference);
        gpb_table_renumber_one(&renumbering, &node->camera.reference);
        gpb_table_renumber_one(&renumbering, &node->light.reference);
    }
}

bool gpb_table_end(gpb_table *table)
{
    tenon_gpb *doc = table->doc;
    uint32_t count = doc->reference_count, kept = 0;
    uint32_t *order = gpb_table_alloc(table, count, sizeof *order);
    uint32_t *spare = gpb_table_alloc(table, count, sizeof *spare);
    uint32_t *numbers = gpb_table_alloc(table, count, sizeof *numbers);
    tenon_gpb_reference *references = gpb_table_alloc(table, count, sizeof *references);
    gpb_tree tree;
    if (table->failed || !gpb_tree_make(&tree, doc, table->arena, table->err)) return false;
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = TENON_NONE;
        if (!table->dropped[i]) order[kept++] = i;
    }
    if (table->is_sorted) tn_sort(order, spare, kept, gpb_id_before, doc);
    for (uint32_t i = 0; i < kept; i++) {
        references[i] = doc->references[order[i]];
        numbers[order[i]] = i;
    }
    doc->references = references;
    doc->reference_count = kept;
    gpb_table_renumber(doc, &tree, numbers, count);
    return true;
}
