// obj_import.c: imports an OBJ file: a node and a mesh for each object.
// SPDX-License-Identifier: MIT

#include "formats/obj/obj_format.h"

#include "core/math/math.h"
#include "scene/model/origin.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// -- Faults and losses

void *obj_alloc(obj_importer *importer, uint64_t count, size_t size)
{
    return tn_scene_alloc(importer->builder, importer->arena, count, size);
}

// The first fault stops the import, unless the file is to be recovered.
static bool obj_handle_fault(void *user, obj_fault fault, const obj_word *at, const char *key,
                             const char *message)
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

static void obj_report_import_losses(const obj_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    const tenon_scene_opts *opts = builder->opts;
    char path[32];
    for (int i = 0; i < 2; i++) {
        const obj_damage *damage = i ? &importer->bad_statements : &importer->bad_vertices;
        (void)snprintf(path, sizeof path, "line:%" PRIu64, damage->line);
        const tenon_loss loss = {.kind = i ? TENON_DROPPED : TENON_SYNTHESIZED,
                                 .feature = i ? "statements" : "vertices",
                                 .why = damage->why,
                                 .count = damage->count,
                                 .path = path,
                                 .offset = damage->offset,
                                 .is_damage = true};
        if (damage->count && opts->events.on_loss) opts->events.on_loss(opts->events.user, &loss);
    }
    for (int i = 0; i < OBJ_LOST_COUNT; i++) {
        const obj_loss_tally *lost = &importer->model.lost[i];
        (void)snprintf(path, sizeof path, "line:%" PRIu64, lost->line);
        if (i == OBJ_LOST_FREE_FORM)
            tn_scene_omit(builder, losses[i].feature, lost->count, path, losses[i].why);
        else
            tn_scene_report(builder, losses[i].kind, losses[i].feature, lost->count, path,
                            losses[i].why);
    }
    tn_scene_report(builder, TENON_DEFAULTED, "texture coordinates", importer->missing_uvs, NULL,
                    "set to 0: other corners of the same mesh have some");
}

// -- Normals

// Parts without normals stay so, unless they have smoothing groups.
static bool obj_lacks_normals(const obj_part *part)
{
    bool is_wanted = part->is_smoothed || part->with_normal;
    return part->mode == TENON_TRIANGLES && is_wanted && part->with_normal < part->corner_count;
}

// Compute normals for corners without one, in parts that have smoothing groups or some normals. A
// corner in a smoothing group gets the mean normal of the faces around it in the group, others the
// normal of their face. Returns the number of corners; TENON_ABSENT without memory.
static uint64_t obj_compute_normals(obj_model *model, tn_arena *arena)
{
    uint64_t lacking = 0, corner_count = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const obj_part *part = &model->parts[i];
        if (obj_lacks_normals(part)) lacking += part->corner_count - part->with_normal;
    }
    // All corners of a vertex in a smoothing group share a normal, all other corners of a face
    // another.
    obj_triples shared;  // Vertices and smoothing groups.
    double(*sums)[3] = tn_arena_alloc(arena, lacking, sizeof *sums, NULL);
    uint32_t *owners = tn_arena_alloc(arena, lacking, sizeof *owners, NULL);  // Normals plus one.
    if (!sums || !owners || !obj_triples_begin(&shared, lacking, arena)) return TENON_ABSENT;
    for (uint32_t i = 0; i < model->element_count; i++) {
        const obj_element *element = &model->elements[i];
        if (!obj_lacks_normals(&model->parts[element->part])) continue;
        obj_corner *corners = model->corners + element->first;
        bool is_smooth = element->smoothing != 0 && element->smoothing != OBJ_NOT_SMOOTHED;
        uint32_t face_normal = TENON_NONE;
        double normal[3];
        const tn_outline outline = obj_outline(model, corners, element->count);
        tn_polygon_normal(&outline, normal);
        for (uint32_t k = 0; k < element->count; k++) {
            if (corners[k].vn != TENON_NONE) continue;
            bool is_added = is_smooth || face_normal == TENON_NONE;
            uint32_t index;
            if (is_smooth) {
                uint32_t item = obj_triples_add(&shared, corners[k].v, element->smoothing, 0);
                if (owners[item] == 0) owners[item] = ++count;
                index = owners[item] - 1;
            } else {
                if (face_normal == TENON_NONE) face_normal = count++;
                index = face_normal;
            }
            for (int j = 0; is_added && j < 3; j++) sums[index][j] += normal[j];
            corners[k].vn = model->normal_count + index;
            corner_count++;
        }
    }
    for (uint32_t i = 0; i < model->part_count; i++)
        if (obj_lacks_normals(&model->parts[i]))
            model->parts[i].with_normal = model->parts[i].corner_count;
    model->computed_normals =
        tn_arena_alloc(arena, count, 3 * sizeof *model->computed_normals, NULL);
    if (!model->computed_normals) return TENON_ABSENT;
    for (uint32_t i = 0; i < count; i++) {
        tn_vec3 n = tn_vec3_normalise((tn_vec3){sums[i][0], sums[i][1], sums[i][2]});
        float *out = model->computed_normals + 3 * (size_t)i;
        out[0] = tn_to_float(n.x), out[1] = tn_to_float(n.y), out[2] = tn_to_float(n.z);
    }
    return corner_count;
}

// -- Primitives and objects

// V goes up in OBJ.
static void obj_fill_vertices(obj_importer *importer, tenon_primitive *p)
{
    const obj_model *model = &importer->model;
    for (size_t i = 0; i < p->vertex_count; i++) {
        const uint32_t *corner = importer->vertices.items[i];
        for (size_t k = 0; k < 3; k++)
            p->positions[3 * i + k] = model->positions[3 * (size_t)corner[0] + k];
        if (p->uvs[0] && corner[1] == TENON_NONE) {
            importer->missing_uvs++;
        } else if (p->uvs[0]) {
            const float *uv = model->uvs + 2 * (size_t)corner[1];
            p->uvs[0][2 * i] = uv[0];
            p->uvs[0][2 * i + 1] = 1 - uv[1];
        }
        if (p->normals) {
            uint32_t index = corner[2], count = model->normal_count;
            const float *normal = index < count
                                      ? model->normals + 3 * (size_t)index
                                      : model->computed_normals + 3 * (size_t)(index - count);
            for (size_t k = 0; k < 3; k++) p->normals[3 * i + k] = normal[k];
        }
        if (p->colors[0]) {
            const float *color = model->colors + 3 * (size_t)corner[0];
            bool has_color = color[0] == color[0];
            for (size_t k = 0; k < 3; k++) p->colors[0][4 * i + k] = has_color ? color[k] : 1;
            p->colors[0][4 * i + 3] = 1;
        }
    }
}

// A triangle comes from a statement, up to the end of its line.
static void obj_add_origin(obj_importer *importer, uint32_t index, const tenon_primitive *p)
{
    const obj_model *model = &importer->model;
    const obj_part *part = &model->parts[index];
    tenon_str text = importer->doc->text;
    if (!importer->builder->origins || p->mode != TENON_TRIANGLES) return;
    uint32_t *firsts = obj_alloc(importer, p->index_count / 3, sizeof *firsts);
    uint32_t *sizes = obj_alloc(importer, p->index_count / 3, sizeof *sizes), triangle = 0;
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < part->element_count; i++) {
        const obj_element *element = &model->elements[importer->order[importer->starts[index] + i]];
        uint32_t left = text.size - element->offset;
        const char *line = text.data + element->offset, *end = memchr(line, '\n', left);
        for (uint32_t k = 2; k < element->count; k++, triangle++) {
            firsts[triangle] = element->offset;
            sizes[triangle] = end ? (uint32_t)(end - line) : left;
        }
    }
    tn_add_origin(importer->builder, p,
                  &(tn_origin){.corners = {.path = "text", .base = "text", .stride = 1, .size = 1},
                               .triangle_firsts = firsts,
                               .triangle_sizes = sizes});
}

static void obj_fill_primitive(obj_importer *importer, uint32_t index, tenon_primitive *p)
{
    tn_scene_builder *builder = importer->builder;
    obj_model *model = &importer->model;
    const obj_part *part = &model->parts[index];
    const uint32_t *order = importer->order + importer->starts[index];
    uint32_t used = 0, streams = 0;
    // Equal corners become one vertex.
    obj_triples_clear(&importer->vertices, part->corner_count);
    for (uint32_t i = 0; i < part->element_count; i++) {
        const obj_element *element = &model->elements[order[i]];
        const obj_corner *corner = model->corners + element->first;
        for (uint32_t k = 0; k < element->count; k++, corner++)
            importer->corner_vertices[used++] =
                obj_triples_add(&importer->vertices, corner->v, corner->vt, corner->vn);
    }
    if (part->with_uv) streams |= TN_WITH_UV0;
    if (part->with_normal) streams |= TN_WITH_NORMALS;
    bool has_color = false;
    for (uint32_t i = 0; model->colors && i < importer->vertices.count && !has_color; i++) {
        const float *color = model->colors + 3 * (size_t)importer->vertices.items[i][0];
        has_color = color[0] == color[0];
    }
    if (has_color) streams |= TN_WITH_COLOR;
    p->mode = part->mode;
    p->material = part->material == TENON_NONE ? TENON_NONE : importer->materials[part->material];
    tn_primitive_alloc(builder, p, importer->vertices.count, part->index_count, streams);
    // If all polygons are triangles, no list is needed.
    bool has_polygons =
        part->mode == TENON_TRIANGLES && part->index_count > 3 * (uint64_t)part->element_count;
    if (has_polygons)
        p->polygon_sizes = tn_scene_array(builder, part->element_count, sizeof *p->polygon_sizes);
    if (builder->failed) return;
    for (uint32_t i = 0; has_polygons && i < part->element_count; i++)
        p->polygon_sizes[p->polygon_count++] = model->elements[order[i]].count - 2;
    obj_fill_vertices(importer, p);

    const uint32_t *vertices = importer->corner_vertices;
    uint32_t *out = p->indices;
    for (uint32_t i = 0; i < part->element_count; i++) {
        const obj_element *element = &model->elements[order[i]];
        if (part->mode == TENON_TRIANGLES) {
            const tn_outline outline =
                obj_outline(model, model->corners + element->first, element->count);
            tn_clipping how = tn_triangulate(&importer->clipper, &outline, importer->triangles);
            if (how != TN_CLIPPED)
                obj_report_loss(model, how == TN_FAN ? OBJ_LOST_FANS : OBJ_LOST_CROSSING,
                                element->line, element->offset);
            uint32_t index_count = builder->pulse.stopped ? 0 : 3 * (element->count - 2);
            for (uint32_t k = 0; k < index_count; k++) *out++ = vertices[importer->triangles[k]];
        }
        for (uint32_t k = 0; part->mode == TENON_LINES && k + 1 < element->count; k++) {
            *out++ = vertices[k];
            *out++ = vertices[k + 1];
        }
        for (uint32_t k = 0; part->mode == TENON_POINTS && k < element->count; k++)
            *out++ = vertices[k];
        vertices += element->count;
    }
    obj_add_origin(importer, index, p);
    if (builder->pulse.stopped)
        (void)tn_scene_fail(builder, TENON_ERR_CANCELLED, NULL, "cancelled");
}

// Add a node and a mesh for each object, with its parts in file order.
static void obj_import_objects(obj_importer *importer)
{
    tn_scene_builder *builder = importer->builder;
    const obj_model *model = &importer->model;
    uint32_t object_count = model->objects.count;
    uint64_t empty = 0, unnamed = 0;
    // Sort the elements by part, and allocate memory for obj_fill_primitive().
    uint64_t part_most = 0, polygon_most = 3;
    for (uint32_t i = 0; i < model->part_count; i++)
        if (model->parts[i].corner_count > part_most) part_most = model->parts[i].corner_count;
    for (uint32_t i = 0; i < model->element_count; i++)
        if (model->elements[i].count > polygon_most) polygon_most = model->elements[i].count;
    uint32_t *order = obj_alloc(importer, model->element_count, sizeof *order);
    uint32_t *starts = obj_alloc(importer, model->part_count, sizeof *starts);
    importer->order = order;
    importer->starts = starts;
    importer->corner_vertices = obj_alloc(importer, part_most, sizeof(uint32_t));
    importer->triangles = obj_alloc(importer, polygon_most - 2, 3 * sizeof(uint32_t));
    if (builder->failed) return;
    // Counting sort by part, in file order.
    uint32_t start = 0;
    for (uint32_t i = 0; i < model->part_count; i++) {
        starts[i] = start;
        start += model->parts[i].element_count;
    }
    for (uint32_t i = 0; i < model->element_count; i++)
        order[starts[model->elements[i].part]++] = i;
    for (uint32_t i = 0; i < model->part_count; i++) starts[i] -= model->parts[i].element_count;
    if (!obj_triples_begin(&importer->vertices, part_most, importer->arena) ||
        !tn_clipper_begin(&importer->clipper, polygon_most, model->corner_count, importer->arena,
                          &builder->pulse)) {
        tn_scene_fail(builder, TENON_ERR_MEMORY, NULL, "out of memory");
        return;
    }
    // Linked lists of the parts of each object.
    uint32_t *first = obj_alloc(importer, object_count, sizeof *first);
    uint32_t *next = obj_alloc(importer, model->part_count, sizeof *next);
    uint32_t *counts = obj_alloc(importer, object_count, sizeof *counts);
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
            obj_fill_primitive(importer, part, p++);
    }
    tn_scene_report(builder, TENON_SYNTHESIZED, "names", unnamed, NULL,
                    "the mesh has none in the file");
    tn_scene_report(builder, TENON_DROPPED, "objects", empty, NULL, "they have no faces");
}

// A file with vertices only is a point cloud.
static void obj_import_points(obj_importer *importer)
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
    importer->doc = doc;
    tn_scene_builder *builder = importer->builder;
    obj_model *model = &importer->model;
    obj_parser parser = {.arena = importer->arena,
                         .on_fault = obj_handle_fault,
                         .user = importer,
                         .events = builder->opts->events};
    if (!obj_parse(&parser, doc->text, model)) {
        if (parser.cancelled)
            tn_scene_fail(builder, TENON_ERR_CANCELLED, NULL, "cancelled");
        else if (parser.refusal == TN_OVER_LIMIT)
            tn_scene_fail(builder, TENON_ERR_LIMIT, NULL,
                          "the scene would need more than %" PRIu64 " bytes",
                          importer->arena->limit);
        else
            tn_scene_fail(builder, TENON_ERR_MEMORY, NULL,
                          "out of memory");  // Keeps the error of a fault.
        return;
    }
    if (model->element_count == 0) {
        if (model->position_count) obj_import_points(importer);
        obj_report_import_losses(importer);
        return;
    }
    obj_import_materials(importer);
    if (builder->failed) return;
    uint64_t computed = obj_compute_normals(model, importer->arena), unused = 0;
    if (computed == TENON_ABSENT)
        tn_scene_fail(builder, TENON_ERR_MEMORY, NULL, "out of memory");
    else
        tn_scene_report(builder, TENON_SYNTHESIZED, "normals", computed, NULL,
                        "computed, because some corners have no normals or only smoothing groups");
    bool *is_used = obj_alloc(importer, model->position_count, sizeof *is_used);
    if (builder->failed) return;
    for (uint32_t i = 0; i < model->corner_count; i++) is_used[model->corners[i].v] = true;
    for (uint32_t i = 0; i < model->position_count; i++) unused += !is_used[i];
    tn_scene_report(builder, TENON_DROPPED, "vertices", unused, NULL,
                    "not used by a face, line or point");
    obj_import_objects(importer);
    if (!builder->failed) obj_report_import_losses(importer);
}

void obj_import(tn_scene_builder *builder, const void *doc)
{
    tn_arena arena = tn_arena_make(&builder->opts->allocator, builder->arena->limit);
    obj_importer importer = {.builder = builder, .arena = &arena};
    obj_import_scene(&importer, doc);
    tn_arena_free(&arena);
}
