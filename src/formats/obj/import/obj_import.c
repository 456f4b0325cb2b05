// obj_import.c: imports an OBJ file: a node and a mesh for each object.
// SPDX-License-Identifier: MIT

#include "formats/obj/import/obj_import.h"
#include "formats/obj/obj_format.h"

#include <stdio.h>

// -- Faults and losses

bool obj_import_out_of_memory(obj_importer *importer)
{
    return tn_scene_fail(importer->builder, TENON_ERR_MEMORY, NULL, "out of memory");
}

void *obj_import_alloc(obj_importer *importer, uint64_t count, size_t size)
{
    tn_refusal why = TN_GRANTED;
    void *memory =
        importer->builder->failed ? NULL : tn_arena_alloc(importer->arena, count, size, &why);
    if (why == TN_OVER_LIMIT)
        tn_scene_fail(importer->builder, TENON_ERR_LIMIT, NULL,
                      "the scene would need more than %llu bytes",
                      (unsigned long long)importer->arena->limit);
    else if (!memory && !importer->builder->failed)
        obj_import_out_of_memory(importer);
    return memory;
}

static bool note_damage(obj_damage *damage, const obj_word *at, const char *message)
{
    if (damage->count++) return true;
    damage->line = at->line;
    damage->offset = at->offset;
    (void)snprintf(damage->why, sizeof damage->why, "%s", message);
    return true;
}

// The first fault stops the import, unless the file is to be recovered.
static bool handle_fault(void *user, obj_fault fault, const obj_word *at, const char *key,
                         const char *message)
{
    obj_importer *importer = user;
    tn_scene_builder *builder = importer->builder;
    (void)fault;
    if (builder->opts->salvage)
        return note_damage(key[0] == 'v' ? &importer->bad_vertices : &importer->bad_statements, at,
                           message);
    tn_scene_fail(builder, TENON_ERR_VALUE, key, "%s", message);
    builder->err->offset = at->offset;
    builder->err->line = at->line;
    builder->err->column = at->column;
    return false;
}

static bool read_model(obj_importer *importer, const tenon_obj *doc)
{
    obj_parser parser = {.arena = importer->arena,
                         .on_fault = handle_fault,
                         .user = importer,
                         .progress = importer->builder->opts->progress};
    if (obj_parse(&parser, doc->text, &importer->model)) return true;
    if (parser.cancelled)
        return tn_scene_fail(importer->builder, TENON_ERR_CANCELLED, NULL, "cancelled");
    if (parser.refusal == TN_OVER_LIMIT)
        return tn_scene_fail(importer->builder, TENON_ERR_LIMIT, NULL,
                             "the scene would need more than %llu bytes",
                             (unsigned long long)importer->arena->limit);
    return obj_import_out_of_memory(importer);
}

static const struct {
    tenon_loss_kind kind;
    const char *feature, *why;
} losses[OBJ_LOST_COUNT] = {
    [OBJ_LOST_FREE_FORM] = {TENON_DROPPED, "curves and surfaces", "only polygons are read"},
    [OBJ_LOST_DISPLAY] = {TENON_DROPPED, "display attributes", "not supported in scenes"},
    [OBJ_LOST_UNKNOWN] = {TENON_DROPPED, "statements", "they are unknown"},
    [OBJ_LOST_SHORT] = {TENON_DROPPED, "faces and lines", "they have too few corners"},
    [OBJ_LOST_WEIGHT] = {TENON_DROPPED, "weights of vertices",
                         "they have an effect only on curves"},
    [OBJ_LOST_DEPTH] = {TENON_DROPPED, "third texture coordinates",
                        "only 2D textures are supported"},
    [OBJ_LOST_NUMBERS] = {TENON_DROPPED, "numbers", "the statements have too many numbers"},
    [OBJ_LOST_NORMALS] = {TENON_DROPPED, "normals of corners", "the file has no normals"},
    [OBJ_LOST_GROUPS] = {TENON_DROPPED, "groups",
                         "meshes are made from the objects, which contain them"},
    [OBJ_LOST_CROSSING] = {TENON_APPROXIMATED, "polygons",
                           "their edges cross: the triangles are a guess"},
    [OBJ_LOST_FANS] = {TENON_APPROXIMATED, "polygons",
                       "too many corners: split into triangle fans"},
};

static void report_damage(const obj_importer *importer, const obj_damage *damage,
                          tenon_loss_kind kind, const char *feature)
{
    char path[32];
    const tenon_scene_opts *opts = importer->builder->opts;
    (void)snprintf(path, sizeof path, "line:%llu", (unsigned long long)damage->line);
    tenon_loss loss = {.kind = kind,
                       .feature = feature,
                       .why = damage->why,
                       .count = damage->count,
                       .path = path,
                       .offset = damage->offset,
                       .is_damage = true};
    if (damage->count && opts->lost) opts->lost(opts->user, &loss);
}

static void report_losses(const obj_importer *importer)
{
    report_damage(importer, &importer->bad_vertices, TENON_MADE_UP, "vertices");
    report_damage(importer, &importer->bad_statements, TENON_DROPPED, "statements");
    for (int i = 0; i < OBJ_LOST_COUNT; i++) {
        char path[32];
        (void)snprintf(path, sizeof path, "line:%llu",
                       (unsigned long long)importer->model.lost[i].line);
        if (i == OBJ_LOST_FREE_FORM)
            tn_scene_omit(importer->builder, losses[i].feature, importer->model.lost[i].count, path,
                          losses[i].why);
        else
            tn_scene_report(importer->builder, losses[i].kind, losses[i].feature,
                            importer->model.lost[i].count, path, losses[i].why);
    }
    tn_scene_report(importer->builder, TENON_DEFAULTED, "texture coordinates",
                    importer->missing_uvs, NULL,
                    "set to 0: other corners of the same mesh have some");
}

// -- Objects

// Linked lists of the parts of each object, in file order.
typedef struct obj_part_lists {
    uint32_t *first;  // Of each object; TENON_NONE if it has no parts.
    uint32_t *next;   // Of each part.
    uint32_t *counts;
} obj_part_lists;

static bool list_parts(obj_importer *importer, obj_part_lists *lists)
{
    uint32_t objects = importer->model.objects.count;
    lists->first = obj_import_alloc(importer, objects, sizeof *lists->first);
    lists->counts = obj_import_alloc(importer, objects, sizeof *lists->counts);
    lists->next = obj_import_alloc(importer, importer->model.part_count, sizeof *lists->next);
    if (importer->builder->failed) return false;
    for (uint32_t i = 0; i < objects; i++) lists->first[i] = TENON_NONE;
    for (uint32_t i = importer->model.part_count; i-- > 0;) {
        uint32_t object = importer->model.parts[i].object;
        lists->next[i] = lists->first[object];
        lists->first[object] = i;
        lists->counts[object]++;
    }
    return true;
}

static void add_object(obj_importer *importer, const obj_part_lists *lists, uint32_t object)
{
    tn_scene_builder *builder = importer->builder;
    tenon_str name = importer->model.objects.items[object];
    if (name.size == 0) name = (tenon_str){"mesh", 4};
    uint32_t node = tn_add_node(builder, name, TENON_NONE);
    uint32_t mesh = tn_add_mesh(builder, name, lists->counts[object]);
    if (builder->failed) return;
    builder->scene->nodes[node].mesh = mesh;
    tenon_primitive *p = builder->scene->meshes[mesh].primitives;
    for (uint32_t part = lists->first[object]; part != TENON_NONE; part = lists->next[part])
        if (!builder->failed) obj_fill_primitive(importer, part, p++);
}

static void add_objects(obj_importer *importer)
{
    obj_part_lists lists;
    uint64_t empty = 0, unnamed = 0;
    if (!obj_prepare_meshes(importer) || !list_parts(importer, &lists)) return;
    for (uint32_t i = 0; i < importer->model.objects.count && !importer->builder->failed; i++) {
        bool is_empty = lists.first[i] == TENON_NONE;
        empty += is_empty && importer->model.has_objects;
        unnamed += !is_empty && importer->model.objects.items[i].size == 0;
        if (!is_empty) add_object(importer, &lists, i);
    }
    tn_scene_report(importer->builder, TENON_MADE_UP, "names", unnamed, NULL,
                    "the mesh has none in the file");
    tn_scene_report(importer->builder, TENON_DROPPED, "objects", empty, NULL, "they have no faces");
}

// -- Points

// A file with vertices only is a point cloud.
static void add_point_cloud(obj_importer *importer)
{
    const obj_model *m = &importer->model;
    const tenon_str name = {"points", 6};
    uint32_t node = tn_add_node(importer->builder, name, TENON_NONE),
             mesh = tn_add_mesh(importer->builder, name, 1);
    if (importer->builder->failed) return;
    importer->builder->scene->nodes[node].mesh = mesh;
    tenon_primitive *p = importer->builder->scene->meshes[mesh].primitives;
    tn_primitive_alloc(importer->builder, p, m->position_count, 0, m->colors ? TN_WITH_COLOR : 0);
    p->mode = TENON_POINTS;
    for (size_t i = 0; i < p->vertex_count && !importer->builder->failed; i++) {
        for (size_t k = 0; k < 3; k++) {
            p->positions[3 * i + k] = m->positions[3 * i + k];
            if (!m->colors) continue;
            float color = m->colors[3 * i + k];
            p->colors[0][4 * i + k] = color == color ? color : 1;
        }
        if (m->colors) p->colors[0][4 * i + 3] = 1;
    }
    tn_scene_report(importer->builder, TENON_APPROXIMATED, "meshes", 1, NULL,
                    "the file has no faces: its vertices became points");
}

// Report vertices that no element uses.
static void report_unused_vertices(obj_importer *importer)
{
    uint64_t unused = 0;
    bool *is_used = obj_import_alloc(importer, importer->model.position_count, sizeof *is_used);
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < importer->model.corner_count; i++)
        is_used[importer->model.corners[i].v] = true;
    for (uint32_t i = 0; i < importer->model.position_count; i++) unused += !is_used[i];
    tn_scene_report(importer->builder, TENON_DROPPED, "vertices", unused, NULL,
                    "not used by a face, line or point");
}

// -- The scene

static void add_normals(obj_importer *importer)
{
    uint64_t count = obj_compute_normals(&importer->model, importer->arena);
    if (count == TENON_ABSENT)
        obj_import_out_of_memory(importer);
    else
        tn_scene_report(importer->builder, TENON_MADE_UP, "normals", count, NULL,
                        "computed, because some corners have no normals or only smoothing groups");
}

static void import_scene(obj_importer *importer, const tenon_obj *doc)
{
    if (!read_model(importer, doc)) return;
    if (importer->model.element_count == 0) {
        if (importer->model.position_count) add_point_cloud(importer);
        report_losses(importer);
        return;
    }
    obj_add_materials(importer);
    if (importer->builder->failed) return;
    add_normals(importer);
    report_unused_vertices(importer);
    if (!importer->builder->failed) add_objects(importer);
    if (!importer->builder->failed) report_losses(importer);
}

void obj_import(tn_scene_builder *builder, const void *doc)
{
    tn_arena arena = tn_arena_make(&builder->opts->allocator, builder->arena->limit);
    obj_importer importer = {.builder = builder, .arena = &arena};
    import_scene(&importer, doc);
    tn_arena_free(&arena);
}
