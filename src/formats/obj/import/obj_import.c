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
    return tn_scene_alloc(importer->builder, importer->arena, count, size);
}

// The first fault stops the import, unless the file is to be recovered.
static bool obj_import_handle_fault(void *user, obj_fault fault, const obj_word *at,
                                    const char *key, const char *message)
{
    obj_importer *importer = user;
    tn_scene_builder *builder = importer->builder;
    (void)fault;
    if (builder->opts->salvage) {
        obj_damage *damage = key[0] == 'v' ? &importer->bad_vertices : &importer->bad_statements;
        if (damage->count++) return true;
        damage->line = at->line;
        damage->offset = at->offset;
        (void)snprintf(damage->why, sizeof damage->why, "%s", message);
        return true;
    }
    tn_scene_fail(builder, TENON_ERR_VALUE, key, "%s", message);
    builder->err->offset = at->offset;
    builder->err->line = at->line;
    builder->err->column = at->column;
    return false;
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

static void obj_import_report_damage(const obj_importer *importer, const obj_damage *damage,
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

static void obj_import_report_losses(const obj_importer *importer)
{
    obj_import_report_damage(importer, &importer->bad_vertices, TENON_MADE_UP, "vertices");
    obj_import_report_damage(importer, &importer->bad_statements, TENON_DROPPED, "statements");
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

// Add a node and a mesh for each object, with its parts in file order.
static void obj_import_objects(obj_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    const obj_model *model = &importer->model;
    uint32_t object_count = model->objects.count;
    uint64_t empty = 0, unnamed = 0;
    if (!obj_import_prepare_meshes(importer)) return;
    // Linked lists of the parts of each object.
    uint32_t *first = obj_import_alloc(importer, object_count, sizeof *first);
    uint32_t *next = obj_import_alloc(importer, model->part_count, sizeof *next);
    uint32_t *counts = obj_import_alloc(importer, object_count, sizeof *counts);
    if (builder->failed) return;
    for (uint32_t i = 0; i < object_count; i++) first[i] = TENON_NONE;
    for (uint32_t i = model->part_count; i-- > 0;) {
        uint32_t object = model->parts[i].object;
        next[i] = first[object];
        first[object] = i;
        counts[object]++;
    }
    for (uint32_t i = 0; i < object_count && !builder->failed; i++) {
        tenon_str name = model->objects.items[i].name;
        if (counts[i] == 0) {
            empty += model->has_objects;
            continue;
        }
        unnamed += name.size == 0;
        if (name.size == 0) name = (tenon_str){"mesh", 4};
        uint32_t node = tn_add_node(builder, name, TENON_NONE);
        uint32_t mesh = tn_add_mesh(builder, name, counts[i]);
        if (builder->failed) return;
        builder->scene->nodes[node].mesh = mesh;
        tenon_primitive *p = builder->scene->meshes[mesh].primitives;
        for (uint32_t part = first[i]; part != TENON_NONE && !builder->failed; part = next[part])
            obj_import_fill_primitive(importer, part, p++);
    }
    tn_scene_report(builder, TENON_MADE_UP, "names", unnamed, NULL,
                    "the mesh has none in the file");
    tn_scene_report(builder, TENON_DROPPED, "objects", empty, NULL, "they have no faces");
}

// -- The scene

// A file with vertices only is a point cloud.
static void obj_import_point_cloud(obj_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    const obj_model *model = &importer->model;
    const tenon_str name = {"points", 6};
    uint32_t node = tn_add_node(builder, name, TENON_NONE), mesh = tn_add_mesh(builder, name, 1);
    if (builder->failed) return;
    builder->scene->nodes[node].mesh = mesh;
    tenon_primitive *p = builder->scene->meshes[mesh].primitives;
    tn_primitive_alloc(builder, p, model->position_count, 0, model->colors ? TN_WITH_COLOR : 0);
    p->mode = TENON_POINTS;
    for (size_t i = 0; i < p->vertex_count && !builder->failed; i++) {
        for (size_t k = 0; k < 3; k++) {
            p->positions[3 * i + k] = model->positions[3 * i + k];
            if (!model->colors) continue;
            float color = model->colors[3 * i + k];
            p->colors[0][4 * i + k] = color == color ? color : 1;
        }
        if (model->colors) p->colors[0][4 * i + 3] = 1;
    }
    tn_scene_report(builder, TENON_APPROXIMATED, "meshes", 1, NULL,
                    "the file has no faces: its vertices became points");
}

static void obj_import_scene(obj_importer *importer, const tenon_obj *doc)
{
    tn_scene_builder *builder = importer->builder;
    obj_model *model = &importer->model;
    obj_parser parser = {.arena = importer->arena,
                         .on_fault = obj_import_handle_fault,
                         .user = importer,
                         .progress = builder->opts->progress};
    if (!obj_parse(&parser, doc->text, model)) {
        if (parser.cancelled)
            tn_scene_fail(builder, TENON_ERR_CANCELLED, NULL, "cancelled");
        else if (parser.refusal == TN_OVER_LIMIT)
            tn_scene_fail(builder, TENON_ERR_LIMIT, NULL,
                          "the scene would need more than %llu bytes",
                          (unsigned long long)importer->arena->limit);
        else
            obj_import_out_of_memory(importer);  // Keeps the error of a fault.
        return;
    }
    if (model->element_count == 0) {
        if (model->position_count) obj_import_point_cloud(importer);
        obj_import_report_losses(importer);
        return;
    }
    obj_import_materials(importer);
    if (builder->failed) return;
    uint64_t computed = obj_import_compute_normals(model, importer->arena), unused = 0;
    if (computed == TENON_ABSENT)
        obj_import_out_of_memory(importer);
    else
        tn_scene_report(builder, TENON_MADE_UP, "normals", computed, NULL,
                        "computed, because some corners have no normals or only smoothing groups");
    bool *is_used = obj_import_alloc(importer, model->position_count, sizeof *is_used);
    if (builder->failed) return;
    for (uint32_t i = 0; i < model->corner_count; i++) is_used[model->corners[i].v] = true;
    for (uint32_t i = 0; i < model->position_count; i++) unused += !is_used[i];
    tn_scene_report(builder, TENON_DROPPED, "vertices", unused, NULL,
                    "not used by a face, line or point");
    obj_import_objects(importer);
    if (!builder->failed) obj_import_report_losses(importer);
}

void obj_import(tn_scene_builder *builder, const void *doc)
{
    tn_arena arena = tn_arena_make(&builder->opts->allocator, builder->arena->limit);
    obj_importer importer = {.builder = builder, .arena = &arena};
    obj_import_scene(&importer, doc);
    tn_arena_free(&arena);
}
