// bmw_check.c: the rules of BMW for textures, nodes and names; others are in bmw_check_*.c.
// SPDX-License-Identifier: MIT

#include "formats/bmw/check/bmw_check.h"

#include "core/cursor/span.h"
#include "core/files/file.h"
#include "core/text/text.h"
#include "document/field_rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool bmw_check_has_flag(const bmw_checker *checker, uint32_t flag)
{
    return (checker->doc->base.dialect->flags & flag) != 0;
}

uint64_t bmw_check_node_of_id(const bmw_checker *checker, uint32_t node_id)
{
    const bmw_sorted *nodes = &checker->nodes;
    // Nearly always, node i has the id i.
    bool is_there = node_id < nodes->count &&
                    ((const tenon_bmw_node *)nodes->items[node_id])->node_id == node_id;
    return is_there ? node_id : bmw_names_find(nodes, &(tenon_bmw_node){.node_id = node_id});
}

uint64_t bmw_check_mark_animated(bmw_checker *checker, uint32_t node_id)
{
    uint64_t node = bmw_check_node_of_id(checker, node_id);
    checker->has_motion = true;
    if (node != TENON_ABSENT) checker->uses[node].is_animated = true;
    return node;
}

// -- Textures

// A texture of a material, or the sidecar's override of it.
typedef struct bmw_texture {
    tenon_str name;
    tn_path_text path;
} bmw_texture;

static bool bmw_check_ends_with(const char *text, size_t size, const char *end)
{
    size_t end_size = strlen(end);
    return size >= end_size && memcmp(text + size - end_size, end, end_size) == 0;
}

static void bmw_check_texture_file(bmw_checker *checker, const bmw_texture *texture,
                                   const char *wanted, const char *shown)
{
    char place[TN_PATH_SIZE];
    const char *model_path = checker->check->opts->model_path;
    tenon_str name = {wanted, (uint32_t)strlen(wanted)};
    tenon_error err = {0};
    if (!model_path) return;
    const tn_search search = {checker->files, model_path, place, sizeof place, &err, NULL};
    tn_place found = bmw_names_find_file(&search, name);
    if (err.code != TENON_OK)
        tn_check_fail(checker->check, &err);
    else if (found == TN_PLACE_MISSING)
        tn_found(checker->check, BMW_TEXTURE_MISSING, texture->path,
                 "'%s' was not found next to the model", shown);
}

static void bmw_check_texture(bmw_checker *checker, const bmw_texture *texture)
{
    char wanted[BMW_NAME_SIZE], shown[96];
    tn_check_inside(checker->check, BMW_TEXTURE_PATH, texture->path, texture->name);
    size_t size = tenon_bmw_texture_name(texture->name, wanted, sizeof wanted);
    tn_text_clean(wanted, size, shown, sizeof shown);
    if (size == 0) return;
    if (size != texture->name.size || memcmp(wanted, texture->name.data, size) != 0)
        tn_found(checker->check, BMW_TEXTURE_NAME, texture->path, "the engine looks for '%s'",
                 shown);
    if (!bmw_check_ends_with(wanted, size, ".dds"))
        tn_found(checker->check, BMW_TEXTURE_KIND, texture->path,
                 "'%s' does not have the extension of a DDS file", shown);
    if (tn_name_stays_inside(texture->name))
        bmw_check_texture_file(checker, texture, wanted, shown);
}

static void bmw_check_override(bmw_checker *checker, uint32_t i)
{
    bmw_texture texture = {checker->sidecar->texture_overrides[i],
                           tn_path("%s:textureOverrides[%" PRIu32 "]", checker->sidecar_name, i)};
    bmw_check_texture(checker, &texture);
}

static void bmw_check_textures(bmw_checker *checker)
{
    uint32_t override_count = checker->sidecar ? checker->sidecar->texture_override_count : 0;
    uint64_t count = 0;
    tenon_str last = {"", 0};
    for (uint32_t m = 0; m < checker->doc->material_count; m++) {
        const tenon_bmw_material *material = &checker->doc->materials[m];
        for (uint32_t k = 0; k < material->texture_count; k++, count++) {
            // There is one for each mesh, so equal ones often follow each other.
            bmw_texture texture = {material->textures[k],
                                   tn_path("materials[%" PRIu32 "].textures[%" PRIu32 "]", m, k)};
            bool is_replaced =
                count < override_count && checker->sidecar->texture_overrides[count].data;
            if (!is_replaced && !tn_text_equal(texture.name, last))
                bmw_check_texture(checker, &texture);
            last = texture.name;
        }
    }
    for (uint32_t i = 0; i < override_count; i++)
        if (checker->sidecar->texture_overrides[i].data) bmw_check_override(checker, i);
    if (count < override_count) count = override_count;
    if (count && count != checker->doc->mesh_count)
        tn_found(checker->check, BMW_TEXTURE_COUNT, tn_path("materials"),
                 "textures: %" PRIu64 ", meshes: %" PRIu32, count, checker->doc->mesh_count);
}

// -- Nodes

// A traversal of the tree, and the path of the current node. Paths that are too long end with the
// last node that fits.
typedef struct bmw_tree_walk {
    bmw_checker *checker;
    uint32_t next_id;
    bool is_in_order;
    size_t size, cut;  // Bytes of the path; how many levels it lacks.
    char path[sizeof((tn_path_text *)0)->text - 16];
} bmw_tree_walk;

static tn_path_text bmw_check_walk_path(const bmw_tree_walk *walk, const char *field)
{
    return walk->cut ? tn_path("%s", walk->path) : tn_path("%s.%s", walk->path, field);
}

static size_t bmw_check_walk_down(bmw_tree_walk *walk, uint32_t child)
{
    size_t before = walk->size, room = sizeof walk->path - before;
    int size = walk->cut ? 0 : snprintf(walk->path + before, room, ".children[%" PRIu32 "]", child);
    bool fits = !walk->cut && size > 0 && (size_t)size < room;
    if (fits) walk->size += (size_t)size;
    walk->path[walk->size] = '\0';
    walk->cut += !fits;
    return before;
}

static void bmw_check_walk_up(bmw_tree_walk *walk, size_t before)
{
    if (walk->cut) walk->cut--;
    walk->size = before;
    walk->path[before] = '\0';
}

static void bmw_check_node_meshes(bmw_tree_walk *walk, const tenon_bmw_node *node)
{
    bmw_checker *checker = walk->checker;
    bool is_reported = false;
    for (uint64_t i = 0; i < node->meshes.count; i++) {
        uint32_t mesh = tn_span_u32(&node->meshes, i);
        if (mesh < checker->doc->mesh_count) {
            if (checker->references[mesh] < UINT32_MAX) checker->references[mesh]++;
        } else if (!is_reported) {
            tn_found(checker->check, BMW_NODE_MESH, bmw_check_walk_path(walk, "meshes"),
                     "mesh %" PRIu32 ", but the model has %" PRIu32 " meshes", mesh,
                     checker->doc->mesh_count);
            is_reported = true;
        }
    }
}

static bool bmw_check_is_identity(const float m[16])
{
    for (int i = 0; i < 16; i++) {
        float off = m[i] - (i % 5 == 0 ? 1.0f : 0.0f);
        if (!(off < 1e-5f && off > -1e-5f)) return false;
    }
    return true;
}

static void bmw_check_node(bmw_tree_walk *walk, const tenon_bmw_node *node)
{
    bmw_checker *checker = walk->checker;
    if (bmw_check_has_flag(checker, TENON_BMW_NODE_IDS) && walk->is_in_order &&
        node->node_id != walk->next_id) {
        walk->is_in_order = false;
        tn_found(checker->check, BMW_NODE_ID_ORDER, bmw_check_walk_path(walk, "node_id"),
                 "the id is %" PRIu32 ", expected %" PRIu32, node->node_id, walk->next_id);
    }
    walk->next_id++;
    if (node->meshes.count && !bmw_check_is_identity(node->transform))
        tn_found(checker->check, BMW_NODE_TRANSFORM, bmw_check_walk_path(walk, "transform"),
                 "the engine ignores this node's transform and draws the mesh as stored");
    bmw_check_node_meshes(walk, node);
}

// Not recursive: the messages of a node need too much memory for a small stack.
static void bmw_check_tree(bmw_tree_walk *walk, const tenon_bmw_node *root)
{
    struct {
        const tenon_bmw_node *node;
        uint32_t next;  // The next child.
        size_t before;  // The path without this node.
    } levels[TN_DEPTH_MAX];
    uint32_t depth = 0;
    bmw_check_node(walk, root);
    levels[depth].node = root;
    levels[depth++].next = 0;
    while (depth > 0) {
        uint32_t top = depth - 1, next = levels[top].next++;
        if (next >= levels[top].node->child_count || depth == TN_DEPTH_MAX) {
            if (--depth > 0) bmw_check_walk_up(walk, levels[top].before);
            continue;
        }
        levels[depth].node = &levels[top].node->children[next];
        levels[depth].next = 0;
        levels[depth].before = bmw_check_walk_down(walk, next);
        bmw_check_node(walk, levels[depth++].node);
    }
}

// A root that was not read is all zeros, which is not a valid matrix.
static bool bmw_check_is_read(const tenon_bmw_node *root)
{
    bool is_zero = true;
    for (int i = 0; i < 16; i++) is_zero = is_zero && root->transform[i] == 0;
    return !is_zero || root->meshes.count || root->child_count;
}

static void bmw_check_ids(bmw_checker *checker)
{
    uint64_t repeated = 0;
    uint32_t first = 0;
    for (uint64_t i = 1; i < checker->nodes.count; i++) {
        const tenon_bmw_node *a = checker->nodes.items[i - 1], *b = checker->nodes.items[i];
        if (a->node_id != b->node_id) continue;
        if (repeated++ == 0) first = b->node_id;
    }
    if (repeated && bmw_check_has_flag(checker, TENON_BMW_NODE_IDS))
        tn_found(checker->check, BMW_NODE_ID_DUPLICATE, tn_path("root"),
                 "%" PRIu64 " of %" PRIu64
                 " nodes have the same id as another node, for example %" PRIu32,
                 repeated, checker->nodes.count, first);
}

static void bmw_check_nodes(bmw_checker *checker)
{
    bmw_tree_walk walk = {.checker = checker, .is_in_order = true, .size = 4, .path = "root"};
    checker->references =
        tn_check_alloc(checker->check, checker->doc->mesh_count, sizeof *checker->references);
    if (!checker->references) return;
    bmw_check_tree(&walk, &checker->doc->root);
    bmw_check_ids(checker);
    for (uint32_t m = 0; m < checker->doc->mesh_count; m++)
        if (checker->references[m] != 1)
            tn_found(checker->check, BMW_MESH_REFERENCE, tn_path("meshes[%" PRIu32 "]", m),
                     "nodes that use the mesh: %" PRIu32, checker->references[m]);
}

// -- Names

// The path of the name that `item` of a sorted list points to.
static tn_path_text bmw_check_name_path(const bmw_checker *checker, const void *item,
                                        const char *field)
{
    uint64_t index = (uint64_t)((const tenon_bmw_name *)item - checker->doc->names);
    return tn_path("names[%" PRIu64 "].%s", index, field);
}

static void bmw_check_name_repeats(bmw_checker *checker)
{
    bmw_sorted ids =
        bmw_names_by_id(checker->doc->names, checker->doc->name_count, checker->check->arena);
    bmw_sorted texts =
        bmw_names_by_text(checker->doc->names, checker->doc->name_count, checker->check->arena);
    checker->check->failed = checker->check->failed || !ids.items || !texts.items;
    for (uint64_t i = 1; !checker->check->failed && i < ids.count; i++) {
        if (ids.compare(ids.items[i - 1], ids.items[i]) == 0)
            tn_found(checker->check, BMW_NAME_DUPLICATE,
                     bmw_check_name_path(checker, ids.items[i], "node_id"),
                     "node %" PRIu32 " already has a different name",
                     ((const tenon_bmw_name *)ids.items[i])->node_id);
        if (texts.compare(texts.items[i - 1], texts.items[i]) == 0)
            tn_found(checker->check, BMW_NAME_DUPLICATE,
                     bmw_check_name_path(checker, texts.items[i], "name"),
                     "node %" PRIu32 " has the same name",
                     ((const tenon_bmw_name *)texts.items[i - 1])->node_id);
    }
}

static void bmw_check_names(bmw_checker *checker)
{
    const tenon_bmw *doc = checker->doc;
    if (!bmw_check_has_flag(checker, TENON_BMW_NAMES)) return;
    for (uint32_t i = 0; i < doc->name_count; i++)
        if (bmw_check_node_of_id(checker, doc->names[i].node_id) == TENON_ABSENT)
            tn_found(checker->check, BMW_NAME_NODE, tn_path("names[%" PRIu32 "].node_id", i),
                     "the name is for node %" PRIu32 ", which does not exist",
                     doc->names[i].node_id);
    bmw_check_name_repeats(checker);
    if (doc->name_count < checker->nodes.count)
        tn_found(checker->check, BMW_NAME_MISSING, tn_path("root"),
                 "names: %" PRIu32 ", nodes: %" PRIu64, doc->name_count, checker->nodes.count);
}

// -- All

static void bmw_check_layout(bmw_checker *checker)
{
    if (bmw_check_has_flag(checker, TENON_BMW_ANIMATIONS_FIRST)) return;
    tn_found(checker->check, BMW_LAYOUT_OLD, tn_path("header"),
             "the layout is %s, which the engine does not read", checker->doc->base.dialect->name);
}

void bmw_check(tn_check *check, const void *any)
{
    const tenon_files *files = check->opts->files;
    bmw_checker checker = {
        .check = check, .doc = any, .files = files ? files : tenon_system_files()};
    checker.nodes = bmw_names_nodes_by_id(checker.doc, check->arena);
    checker.uses = checker.nodes.items
                       ? tn_check_alloc(check, checker.nodes.count, sizeof *checker.uses)
                       : NULL;
    if (!checker.uses) {
        check->failed = true;
        return;
    }
    tn_check_fields(check, any);
    bmw_check_layout(&checker);
    bmw_check_sidecar(&checker);
    bmw_check_textures(&checker);
    checker.has_nodes = bmw_check_is_read(&checker.doc->root);
    if (checker.has_nodes) {
        bmw_check_nodes(&checker);
        bmw_check_names(&checker);
        bmw_check_node_matrices(&checker);
    }
    bmw_check_motion(&checker);
    bmw_check_meshes(&checker);
    tenon_bmw_sidecar_free(checker.sidecar);
}
