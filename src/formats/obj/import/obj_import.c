// obj_import.c: imports an OBJ file: a node and a mesh for each object.
// SPDX-License-Identifier: MIT

#include "formats/obj/import/obj_import.h"
#include "formats/obj/obj_format.h"

#include <stdio.h>

// -- Faults and losses

bool obj_import_out_of_memory(obj_importer *s)
{
    return tn_scene_fail(s->b, TENON_ERR_MEMORY, NULL, "out of memory");
}

void *obj_import_alloc(obj_importer *s, uint64_t count, size_t size)
{
    tn_refusal why = TN_GRANTED;
    void *memory = s->b->failed ? NULL : tn_arena_alloc(s->arena, count, size, &why);
    if (why == TN_OVER_LIMIT)
        tn_scene_fail(s->b, TENON_ERR_LIMIT, NULL, "the scene would need more than %llu bytes",
                      (unsigned long long)s->arena->limit);
    else if (!memory && !s->b->failed)
        obj_import_out_of_memory(s);
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
static bool meet_fault(void *user, obj_fault fault, const obj_word *at, const char *key,
                       const char *message)
{
    obj_importer *s = user;
    tn_scene_builder *b = s->b;
    (void)fault;
    if (b->opts->salvage) return note_damage(key[0] == 'v' ? &s->points : &s->others, at, message);
    tn_scene_fail(b, TENON_ERR_VALUE, key, "%s", message);
    b->err->offset = at->offset;
    b->err->line = at->line;
    b->err->column = at->column;
    return false;
}

static bool read_model(obj_importer *s, const tenon_obj *doc)
{
    obj_parser reader = {
        .arena = s->arena, .wrong = meet_fault, .user = s, .progress = s->b->opts->progress};
    if (obj_read(&reader, doc->text, &s->m)) return true;
    if (reader.cancelled) return tn_scene_fail(s->b, TENON_ERR_CANCELLED, NULL, "cancelled");
    if (reader.refusal == TN_OVER_LIMIT)
        return tn_scene_fail(s->b, TENON_ERR_LIMIT, NULL,
                             "the scene would need more than %llu bytes",
                             (unsigned long long)s->arena->limit);
    return obj_import_out_of_memory(s);
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

static void tell_damage(const obj_importer *s, const obj_damage *damage, tenon_loss_kind kind,
                        const char *feature)
{
    char path[32];
    const tenon_scene_opts *opts = s->b->opts;
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

static void tell_losses(const obj_importer *s)
{
    tell_damage(s, &s->points, TENON_MADE_UP, "vertices");
    tell_damage(s, &s->others, TENON_DROPPED, "statements");
    for (int i = 0; i < OBJ_LOST_COUNT; i++) {
        char path[32];
        (void)snprintf(path, sizeof path, "line:%llu", (unsigned long long)s->m.lost[i].line);
        if (i == OBJ_LOST_FREE_FORM)
            tn_scene_omit(s->b, losses[i].feature, s->m.lost[i].count, path, losses[i].why);
        else
            tn_scene_report(s->b, losses[i].kind, losses[i].feature, s->m.lost[i].count, path,
                            losses[i].why);
    }
    tn_scene_report(s->b, TENON_DEFAULTED, "texture coordinates", s->missing_uvs, NULL,
                    "set to 0: other corners of the same mesh have some");
}

// -- Objects

// Linked lists of the parts of each object, in file order.
typedef struct obj_lists {
    uint32_t *first;  // Of each object; TENON_NONE if it has no parts.
    uint32_t *next;   // Of each part.
    uint32_t *counts;
} obj_lists;

static bool list_parts(obj_importer *s, obj_lists *lists)
{
    uint32_t objects = s->m.objects.count;
    lists->first = obj_import_alloc(s, objects, sizeof *lists->first);
    lists->counts = obj_import_alloc(s, objects, sizeof *lists->counts);
    lists->next = obj_import_alloc(s, s->m.part_count, sizeof *lists->next);
    if (s->b->failed) return false;
    for (uint32_t i = 0; i < objects; i++) lists->first[i] = TENON_NONE;
    for (uint32_t i = s->m.part_count; i-- > 0;) {
        uint32_t object = s->m.parts[i].object;
        lists->next[i] = lists->first[object];
        lists->first[object] = i;
        lists->counts[object]++;
    }
    return true;
}

static void add_object(obj_importer *s, const obj_lists *lists, uint32_t object)
{
    tn_scene_builder *b = s->b;
    tenon_str name = s->m.objects.items[object];
    if (name.size == 0) name = (tenon_str){"mesh", 4};
    uint32_t node = tn_add_node(b, name, TENON_NONE);
    uint32_t mesh = tn_add_mesh(b, name, lists->counts[object]);
    if (b->failed) return;
    b->scene->nodes[node].mesh = mesh;
    tenon_primitive *p = b->scene->meshes[mesh].primitives;
    for (uint32_t part = lists->first[object]; part != TENON_NONE; part = lists->next[part])
        if (!b->failed) obj_fill_primitive(s, part, p++);
}

static void add_objects(obj_importer *s)
{
    obj_lists lists;
    uint64_t empty = 0, unnamed = 0;
    if (!obj_prepare_meshes(s) || !list_parts(s, &lists)) return;
    for (uint32_t i = 0; i < s->m.objects.count && !s->b->failed; i++) {
        bool is_empty = lists.first[i] == TENON_NONE;
        empty += is_empty && s->m.has_objects;
        unnamed += !is_empty && s->m.objects.items[i].size == 0;
        if (!is_empty) add_object(s, &lists, i);
    }
    tn_scene_report(s->b, TENON_MADE_UP, "names", unnamed, NULL, "the mesh has none in the file");
    tn_scene_report(s->b, TENON_DROPPED, "objects", empty, NULL, "they have no faces");
}

// -- Points

// A file with vertices only is a point cloud.
static void add_cloud(obj_importer *s)
{
    const obj_model *m = &s->m;
    const tenon_str name = {"points", 6};
    uint32_t node = tn_add_node(s->b, name, TENON_NONE), mesh = tn_add_mesh(s->b, name, 1);
    if (s->b->failed) return;
    s->b->scene->nodes[node].mesh = mesh;
    tenon_primitive *p = s->b->scene->meshes[mesh].primitives;
    tn_primitive_alloc(s->b, p, m->position_count, 0, m->colors ? TN_WITH_COLOR : 0);
    p->mode = TENON_POINTS;
    for (size_t i = 0; i < p->vertex_count && !s->b->failed; i++) {
        for (size_t k = 0; k < 3; k++) {
            p->positions[3 * i + k] = m->positions[3 * i + k];
            if (!m->colors) continue;
            float color = m->colors[3 * i + k];
            p->colors[0][4 * i + k] = color == color ? color : 1;
        }
        if (m->colors) p->colors[0][4 * i + 3] = 1;
    }
    tn_scene_report(s->b, TENON_APPROXIMATED, "meshes", 1, NULL,
                    "the file has no faces: its vertices became points");
}

// Report vertices that no element uses.
static void tell_unused(obj_importer *s)
{
    uint64_t unused = 0;
    bool *is_used = obj_import_alloc(s, s->m.position_count, sizeof *is_used);
    if (s->b->failed) return;
    for (uint32_t i = 0; i < s->m.corner_count; i++) is_used[s->m.corners[i].v] = true;
    for (uint32_t i = 0; i < s->m.position_count; i++) unused += !is_used[i];
    tn_scene_report(s->b, TENON_DROPPED, "vertices", unused, NULL,
                    "not used by a face, line or point");
}

// -- The scene

static void make_normals(obj_importer *s)
{
    uint64_t count = obj_export_normals(&s->m, s->arena);
    if (count == TENON_ABSENT)
        obj_import_out_of_memory(s);
    else
        tn_scene_report(s->b, TENON_MADE_UP, "normals", count, NULL,
                        "computed, because some corners have no normals or only smoothing groups");
}

static void make_scene(obj_importer *s, const tenon_obj *doc)
{
    if (!read_model(s, doc)) return;
    if (s->m.element_count == 0) {
        if (s->m.position_count) add_cloud(s);
        tell_losses(s);
        return;
    }
    obj_add_materials(s);
    if (s->b->failed) return;
    make_normals(s);
    tell_unused(s);
    if (!s->b->failed) add_objects(s);
    if (!s->b->failed) tell_losses(s);
}

void obj_import(tn_scene_builder *b, const void *doc)
{
    tn_arena arena = tn_arena_make(&b->opts->allocator, b->arena->limit);
    obj_importer s = {.b = b, .arena = &arena};
    make_scene(&s, doc);
    tn_arena_free(&arena);
}
