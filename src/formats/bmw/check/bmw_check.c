// bmw_check.c: the rules of BMW for textures, nodes and names; others are in bmw_check_*.c.
// SPDX-License-Identifier: MIT

#include "formats/bmw/check/bmw_check.h"

#include "core/cursor/span.h"
#include "core/files/file.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "document/field_rules.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

uint32_t bmw_check_node_of_id(const bmw_checker *checker, uint32_t node_id)
{
    const bmw_sorted *nodes = &checker->nodes;
    // Nearly always, node i has the id i.
    bool is_there = node_id < nodes->count && nodes->names[node_id].node_id == node_id;
    return is_there ? node_id : bmw_names_find(nodes, (tenon_bmw_name){.node_id = node_id});
}

void bmw_check_number_text(double v, char *out)
{
    uint64_t thousandths = fabs(v) < 1e6 ? (uint64_t)(fabs(v) * 1000) : 0;
    if (fabs(v) < 1e6)
        snprintf(out, TN_NUMBER_MAX, "%s%" PRIu64 ".%03" PRIu64, v < 0 ? "-" : "",
                 thousandths / 1000, thousandths % 1000);
    else
        tn_f64_text(v, out);
}

// -- Textures

// Check the texture of a material, or the sidecar's override of it.
static void bmw_check_texture(bmw_checker *checker, tn_path_text path, tenon_str texture)
{
    char wanted[BMW_NAME_SIZE], shown[96], place[TN_PATH_SIZE];
    const char *model_path = checker->check->opts->model_path;
    tn_check_inside(checker->check, "texture-path", path, texture);
    size_t size = tenon_bmw_texture_name(texture, wanted, sizeof wanted);
    if (size == 0) return;
    tn_text_clean(wanted, size, shown, sizeof shown);
    if (!tn_text_equal(texture, (tenon_str){wanted, (uint32_t)size}))
        tn_found(checker->check, "texture-name", path, "the engine looks for '%s'", shown);
    if (size < 4 || memcmp(wanted + size - 4, ".dds", 4) != 0)
        tn_found(checker->check, "texture-kind", path,
                 "'%s' does not have the extension of a DDS file", shown);
    if (!model_path || !tn_name_stays_inside(texture)) return;
    tenon_error err = {0};
    const tn_search search = {checker->files, model_path, place, sizeof place, &err, NULL};
    tn_place found = bmw_names_find_file(&search, (tenon_str){wanted, (uint32_t)strlen(wanted)});
    if (err.code != TENON_OK)
        tn_check_fail(checker->check, &err);
    else if (found == TN_PLACE_MISSING)
        tn_found(checker->check, "texture-missing", path, "'%s' was not found next to the model",
                 shown);
}

static void bmw_check_textures(bmw_checker *checker)
{
    const tenon_str *overrides = checker->sidecar ? checker->sidecar->texture_overrides : NULL;
    uint32_t override_count = checker->sidecar ? checker->sidecar->texture_override_count : 0;
    uint64_t count = 0;
    tenon_str last = {"", 0};
    for (uint32_t m = 0; m < checker->doc->material_count; m++) {
        const tenon_bmw_material *material = &checker->doc->materials[m];
        for (uint32_t k = 0; k < material->texture_count; k++, count++) {
            // There is one for each mesh, so equal ones often follow each other.
            bool is_replaced = count < override_count && overrides[count].data;
            if (!is_replaced && !tn_text_equal(material->textures[k], last))
                bmw_check_texture(checker,
                                  tn_path("materials[%" PRIu32 "].textures[%" PRIu32 "]", m, k),
                                  material->textures[k]);
            last = material->textures[k];
        }
    }
    for (uint32_t i = 0; i < override_count; i++)
        if (overrides[i].data)
            bmw_check_texture(checker,
                              tn_path("%s:textureOverrides[%" PRIu32 "]", checker->sidecar_name, i),
                              overrides[i]);
    if (count < override_count) count = override_count;
    if (count && count != checker->doc->mesh_count)
        tn_found(checker->check, "texture-count", tn_path("materials"),
                 "textures: %" PRIu64 ", meshes: %" PRIu32, count, checker->doc->mesh_count);
}

// -- Nodes

// A node on the way to the current one.
typedef struct bmw_level {
    const tenon_bmw_node *node;
    uint32_t next;  // The child to be visited next.
} bmw_level;

// The path of a field of the node on the last level. A path that is too long ends with the last
// node that fits.
static tn_path_text bmw_check_node_path(const bmw_level *levels, uint32_t depth, const char *field)
{
    char path[sizeof((tn_path_text *)0)->text - 16] = "root";
    size_t size = strlen(path);
    for (uint32_t i = 0; i + 1 < depth; i++) {
        size_t room = sizeof path - size;
        int more = snprintf(path + size, room, ".children[%" PRIu32 "]", levels[i].next - 1);
        if (more < 0 || (size_t)more >= room) return tn_path("%.*s", (int)size, path);
        size += (size_t)more;
    }
    return tn_path("%s.%s", path, field);
}

static bool bmw_check_is_identity(const float m[16])
{
    for (int i = 0; i < 16; i++) {
        float off = m[i] - (i % 5 == 0 ? 1.0f : 0.0f);
        if (!(off < 1e-5f && off > -1e-5f)) return false;
    }
    return true;
}

// Visit all nodes, and count those that use each mesh. Not recursive: messages need too much memory
// for a small stack.
static void bmw_check_nodes(bmw_checker *checker)
{
    bmw_level levels[TN_DEPTH_MAX] = {{&checker->doc->root, 0}};
    uint32_t depth = 1, next_id = 0, mesh_count = checker->doc->mesh_count;
    bool is_in_order = checker->flags & TENON_BMW_NODE_IDS;
    uint32_t *references = tn_check_alloc(checker->check, mesh_count, sizeof *references);
    if (!references) return;
    for (;;) {
        const tenon_bmw_node *node = levels[depth - 1].node;
        if (is_in_order && node->node_id != next_id) {
            is_in_order = false;
            tn_found(checker->check, "node-id-order", bmw_check_node_path(levels, depth, "node_id"),
                     "the id is %" PRIu32 ", expected %" PRIu32, node->node_id, next_id);
        }
        next_id++;
        if (node->meshes.count && !bmw_check_is_identity(node->transform))
            tn_found(checker->check, "node-transform",
                     bmw_check_node_path(levels, depth, "transform"),
                     "the engine ignores this node's transform and draws the mesh as stored");
        bool is_reported = false;
        for (uint64_t i = 0; i < node->meshes.count; i++) {
            uint32_t mesh = tn_span_u32(&node->meshes, i);
            if (mesh < mesh_count) {
                if (references[mesh] < UINT32_MAX) references[mesh]++;
            } else if (!is_reported) {
                tn_found(checker->check, "node-mesh", bmw_check_node_path(levels, depth, "meshes"),
                         "mesh %" PRIu32 ", but the model has %" PRIu32 " meshes", mesh,
                         mesh_count);
                is_reported = true;
            }
        }
        // Up to the nearest level with a child that was not visited, and down to that child.
        while (depth > 0 && (depth == TN_DEPTH_MAX ||
                             levels[depth - 1].next >= levels[depth - 1].node->child_count))
            depth--;
        if (depth == 0) break;
        bmw_level *parent = &levels[depth - 1];
        levels[depth++] = (bmw_level){&parent->node->children[parent->next++], 0};
    }
    for (uint32_t m = 0; m < mesh_count; m++)
        if (references[m] != 1)
            tn_found(checker->check, "mesh-reference", tn_path("meshes[%" PRIu32 "]", m),
                     "nodes that use the mesh: %" PRIu32, references[m]);
    uint64_t repeated = 0;
    uint32_t first = 0;
    for (uint32_t i = 1; i < checker->nodes.count; i++)
        if (bmw_names_is_repeated(&checker->nodes, i) && repeated++ == 0)
            first = checker->nodes.names[checker->nodes.order[i]].node_id;
    if (repeated && (checker->flags & TENON_BMW_NODE_IDS))
        tn_found(checker->check, "node-id-duplicate", tn_path("root"),
                 "%" PRIu64 " of %" PRIu32
                 " nodes have the same id as another node, for example %" PRIu32,
                 repeated, checker->nodes.count, first);
}

// -- Names

static void bmw_check_names(bmw_checker *checker)
{
    tn_check *check = checker->check;
    const tenon_bmw *doc = checker->doc;
    if (!(checker->flags & TENON_BMW_NAMES)) return;
    for (uint32_t i = 0; i < doc->name_count; i++)
        if (bmw_check_node_of_id(checker, doc->names[i].node_id) == TENON_NONE)
            tn_found(check, "name-node", tn_path("names[%" PRIu32 "].node_id", i),
                     "the name is for node %" PRIu32 ", which does not exist",
                     doc->names[i].node_id);
    uint32_t *room = tn_check_alloc(check, doc->name_count, 4 * sizeof *room);
    if (!room) return;
    bmw_sorted ids = bmw_names_sort(doc->names, doc->name_count, false, room);
    bmw_sorted texts =
        bmw_names_sort(doc->names, doc->name_count, true, room + 2 * (size_t)doc->name_count);
    for (uint32_t i = 1; i < doc->name_count; i++) {
        uint32_t id = ids.order[i], text = texts.order[i];
        if (bmw_names_is_repeated(&ids, i))
            tn_found(check, "name-duplicate", tn_path("names[%" PRIu32 "].node_id", id),
                     "node %" PRIu32 " already has a different name", doc->names[id].node_id);
        if (bmw_names_is_repeated(&texts, i))
            tn_found(check, "name-duplicate", tn_path("names[%" PRIu32 "].name", text),
                     "node %" PRIu32 " has the same name", doc->names[texts.order[i - 1]].node_id);
    }
    if (doc->name_count < checker->nodes.count)
        tn_found(check, "name-missing", tn_path("root"), "names: %" PRIu32 ", nodes: %" PRIu32,
                 doc->name_count, checker->nodes.count);
}

// -- All

void bmw_check(tn_check *check, const void *any)
{
    const tenon_bmw *doc = any;
    const tenon_files *files = check->opts->files;
    bmw_checker checker = {.check = check,
                           .doc = doc,
                           .flags = doc->base.dialect->flags,
                           .nodes = bmw_names_nodes_by_id(doc, check->arena),
                           .files = files ? files : tenon_system_files()};
    if (checker.nodes.order)
        checker.uses = tn_check_alloc(check, checker.nodes.count, sizeof *checker.uses);
    if (!checker.uses) {
        check->failed = true;
        return;
    }
    tn_check_fields(check, doc);
    if (!(checker.flags & TENON_BMW_ANIMATIONS_FIRST))
        tn_found(check, "layout-old", tn_path("header"),
                 "the layout is %s, which the engine does not read", doc->base.dialect->name);
    bmw_check_sidecar(&checker);
    bmw_check_textures(&checker);
    // A root that was not read is all zeros, which is not a valid matrix.
    checker.has_nodes = doc->root.meshes.count || doc->root.child_count;
    for (int i = 0; i < 16; i++) checker.has_nodes |= doc->root.transform[i] != 0;
    if (checker.has_nodes) {
        bmw_check_nodes(&checker);
        bmw_check_names(&checker);
        bmw_check_node_matrices(&checker);
    }
    bmw_check_motion(&checker);
    bmw_check_meshes(&checker);
    tenon_bmw_sidecar_free(checker.sidecar);
}
