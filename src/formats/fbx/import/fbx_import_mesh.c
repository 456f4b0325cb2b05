// fbx_import_mesh.c: meshes of the scene: a primitive for each material, with triangles, and for
// edges and points that are stored as polygons of two corners and of one.
// SPDX-License-Identifier: MIT

#include "formats/fbx/import/fbx_import_mesh.h"

#include "core/text/text.h"
#include "scene/model/origin.h"
#include "scene/model/space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CHAIN_MOST 64  // Vertices of one point that are compared with a corner.

// A mesh of the scene that was made of a geometry.
typedef struct mesh_build {
    uint32_t model;  // For which it was made.
    uint32_t mesh;
} mesh_build;

// Making the primitives of a mesh.
typedef struct mesh_builder {
    fbx_mesh *mesh;
    const fbx_geometry *geometry;
    const fbx_influences *influences;
    const uint32_t *slots;  // The materials of the scene.
    uint32_t slot_count;
    uint32_t *order;           // Polygons, sorted by slot: materials, none, lines, points.
    uint32_t *slot_starts;     // In `order`.
    uint32_t *vertices;        // Of each corner of the current slot.
    uint32_t *first_corners;   // Of each vertex: a corner,
    uint32_t *points;          // and its point.
    uint32_t *next;            // The next vertex of the same point.
    uint32_t *heads, *stamps;  // For each point: its vertices, and the slot that they are of.
    uint32_t vertex_count;
    uint32_t *triangles;
    tn_clipper clipper;
    float **offsets, **normal_offsets;  // Of each shape.
} mesh_builder;

// -- Vertices

static bool fbx_import_mesh_layer_equal(const fbx_layer *layer, uint32_t a, uint32_t b,
                                        uint32_t point)
{
    if (layer->mapping != FBX_BY_CORNER) return true;
    uint32_t x = fbx_layer_entry(layer, a, point), y = fbx_layer_entry(layer, b, point);
    if (x == y || x == TENON_NONE || y == TENON_NONE) return x == y;
    size_t width = layer->width;
    return memcmp(layer->values + width * x, layer->values + width * y, width * 4) == 0;
}

// Whether two corners of a point become one vertex.
static bool fbx_import_mesh_corners_equal(const fbx_mesh *mesh, uint32_t a, uint32_t b,
                                          uint32_t point)
{
    if (!fbx_import_mesh_layer_equal(&mesh->normals, a, b, point)) return false;
    for (int i = 0; i < TENON_UV_SETS && mesh->uvs[i].mapping; i++)
        if (!fbx_import_mesh_layer_equal(&mesh->uvs[i], a, b, point)) return false;
    for (int i = 0; i < TENON_COLOR_SETS && mesh->colors[i].mapping; i++)
        if (!fbx_import_mesh_layer_equal(&mesh->colors[i], a, b, point)) return false;
    return fbx_import_mesh_layer_equal(&mesh->tangents, a, b, point) &&
           fbx_import_mesh_layer_equal(&mesh->signs, a, b, point);
}

static uint32_t fbx_import_mesh_vertex(mesh_builder *b, uint32_t corner, uint32_t slot)
{
    uint32_t point = b->mesh->corners[corner];
    if (b->stamps[point] != slot + 1) {
        b->stamps[point] = slot + 1;
        b->heads[point] = TENON_NONE;
    }
    uint32_t steps = 0;
    for (uint32_t v = b->heads[point]; v != TENON_NONE && steps < CHAIN_MOST; v = b->next[v]) {
        if (fbx_import_mesh_corners_equal(b->mesh, corner, b->first_corners[v], point)) return v;
        steps++;
    }
    uint32_t fresh = b->vertex_count++;
    b->first_corners[fresh] = corner;
    b->points[fresh] = point;
    b->next[fresh] = b->heads[point];
    return b->heads[point] = fresh;
}

// -- Streams

static void fbx_import_mesh_mirror(const fbx_importer *importer, float *values, uint64_t count,
                                   uint32_t each)
{
    if (importer->is_mirrored) tn_mirror_floats(values, count, each);
}

// Directions through the geometric transform: normals by the cofactors, tangents as they are.
static tn_vec3 fbx_import_mesh_turn(const tn_mat4 *m, bool is_normal, const float *from)
{
    tn_vec3 v = {(double)from[0], (double)from[1], (double)from[2]};
    if (is_normal) {
        tn_vec3 x = {m->m[0], m->m[1], m->m[2]}, y = {m->m[4], m->m[5], m->m[6]},
                z = {m->m[8], m->m[9], m->m[10]};
        tn_vec3 yz = tn_vec3_cross(y, z), zx = tn_vec3_cross(z, x), xy = tn_vec3_cross(x, y);
        tn_vec3 sum = tn_vec3_add(tn_vec3_scale(yz, v.x), tn_vec3_scale(zx, v.y));
        sum = tn_vec3_add(sum, tn_vec3_scale(xy, v.z));
        if (tn_vec3_dot(x, yz) < 0) sum = tn_vec3_scale(sum, -1);
        return tn_vec3_normalise(sum);
    }
    return tn_vec3_normalise(tn_mat4_vector(m, v));
}

static void fbx_import_mesh_normals(mesh_builder *b, tenon_primitive *p)
{
    const fbx_mesh *mesh = b->mesh;
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        uint32_t entry = fbx_layer_entry(&mesh->normals, b->first_corners[v], b->points[v]);
        if (entry == TENON_NONE) continue;
        tn_vec3 n =
            fbx_import_mesh_turn(&mesh->geometric, true, mesh->normals.values + 3 * (size_t)entry);
        float *out = p->normals + 3 * (size_t)v;
        out[0] = tn_to_float(n.x), out[1] = tn_to_float(n.y), out[2] = tn_to_float(n.z);
    }
    fbx_import_mesh_mirror(mesh->importer, p->normals, p->vertex_count, 3);
}

// The side of a tangent: the sign of the file, else that of its binormal.
static double fbx_import_mesh_side(const fbx_mesh *mesh, uint32_t corner, uint32_t point,
                                   const float *normal, const float *tangent)
{
    if (mesh->binormals.mapping) {
        uint32_t entry = fbx_layer_entry(&mesh->binormals, corner, point);
        const float *c = mesh->binormals.values + 3 * (size_t)entry;
        if (entry == TENON_NONE) return 1;
        double dot = 0;
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            dot += (double)c[k] * ((double)normal[i] * (double)tangent[j] -
                                   (double)normal[j] * (double)tangent[i]);
        }
        return dot < 0 ? -1 : 1;
    }
    if (!mesh->signs.mapping) return 1;
    uint32_t entry = fbx_layer_entry(&mesh->signs, corner, point);
    return entry != TENON_NONE && mesh->signs.values[entry] < 0 ? -1 : 1;
}

static void fbx_import_mesh_tangents(mesh_builder *b, tenon_primitive *p)
{
    const fbx_mesh *mesh = b->mesh;
    double hand = tn_mat4_mirrors(&mesh->geometric) ? -1 : 1;
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        uint32_t corner = b->first_corners[v], point = b->points[v];
        uint32_t entry = fbx_layer_entry(&mesh->tangents, corner, point);
        uint32_t normal = fbx_layer_entry(&mesh->normals, corner, point);
        if (entry == TENON_NONE || normal == TENON_NONE) continue;
        const float *from = mesh->tangents.values + 3 * (size_t)entry;
        tn_vec3 t = fbx_import_mesh_turn(&mesh->geometric, false, from);
        float *out = p->tangents + 4 * (size_t)v;
        out[0] = tn_to_float(t.x), out[1] = tn_to_float(t.y), out[2] = tn_to_float(t.z);
        out[3] =
            (float)(hand * fbx_import_mesh_side(mesh, corner, point,
                                                mesh->normals.values + 3 * (size_t)normal, from));
    }
    fbx_import_mesh_mirror(mesh->importer, p->tangents, p->vertex_count, 4);
}

static void fbx_import_mesh_uvs(mesh_builder *b, tenon_primitive *p)
{
    for (int set = 0; set < TENON_UV_SETS && p->uvs[set]; set++) {
        const fbx_layer *layer = &b->mesh->uvs[set];
        for (uint32_t v = 0; v < p->vertex_count; v++) {
            uint32_t entry = fbx_layer_entry(layer, b->first_corners[v], b->points[v]);
            if (entry == TENON_NONE) continue;
            const float *from = layer->values + 2 * (size_t)entry;
            p->uvs[set][2 * (size_t)v] = from[0];
            p->uvs[set][2 * (size_t)v + 1] = 1 - from[1];
        }
    }
    for (int set = 0; set < TENON_COLOR_SETS && p->colors[set]; set++) {
        const fbx_layer *layer = &b->mesh->colors[set];
        for (uint32_t v = 0; v < p->vertex_count; v++) {
            uint32_t entry = fbx_layer_entry(layer, b->first_corners[v], b->points[v]);
            float *out = p->colors[set] + 4 * (size_t)v;
            for (int k = 0; k < 4; k++)
                out[k] = entry == TENON_NONE ? 1 : layer->values[4 * (size_t)entry + (size_t)k];
        }
    }
}

static void fbx_import_mesh_weights(mesh_builder *b, tenon_primitive *p)
{
    const fbx_influences *from = b->influences;
    uint32_t most = 0;
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        uint32_t count = from->starts[b->points[v] + 1] - from->starts[b->points[v]];
        if (count > most) most = count;
    }
    p->influence_count = most < 4 ? 4 : (most + 3) / 4 * 4;
    p->joints = tn_scene_array(b->mesh->importer->builder, p->vertex_count,
                               p->influence_count * sizeof *p->joints);
    p->weights = tn_scene_floats(b->mesh->importer->builder, p->vertex_count, p->influence_count);
    if (b->mesh->importer->builder->failed) return;
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        uint32_t first = from->starts[b->points[v]], end = from->starts[b->points[v] + 1];
        size_t at = (size_t)v * p->influence_count;
        for (uint32_t i = first; i < end; i++, at++) {
            p->joints[at] = from->joints[i];
            p->weights[at] = from->weights[i];
        }
    }
}

// Offsets of the vertices, of those of their points; NULL if all are 0.
static float *fbx_import_mesh_morph(mesh_builder *b, const tenon_primitive *p, const float *offsets)
{
    bool is_moved = false;
    for (uint32_t v = 0; offsets && v < p->vertex_count && !is_moved; v++) {
        const float *from = offsets + 3 * (size_t)b->points[v];
        is_moved = from[0] != 0 || from[1] != 0 || from[2] != 0;
    }
    if (!is_moved) return NULL;
    float *out = tn_scene_floats(b->mesh->importer->builder, p->vertex_count, 3);
    for (uint32_t v = 0; out && v < p->vertex_count; v++)
        memcpy(out + 3 * (size_t)v, offsets + 3 * (size_t)b->points[v], 3 * sizeof *out);
    return out;
}

static void fbx_import_mesh_morphs(mesh_builder *b, tenon_primitive *p)
{
    tn_scene_builder *builder = b->mesh->importer->builder;
    uint32_t count = b->geometry->shape_count;
    if (count == 0) return;
    p->morphs = tn_scene_array(builder, count, sizeof *p->morphs);
    if (builder->failed) return;
    p->morph_count = count;
    for (uint32_t i = 0; i < count && !builder->failed; i++) {
        p->morphs[i].positions = fbx_import_mesh_morph(b, p, b->offsets[i]);
        if (p->normals) p->morphs[i].normals = fbx_import_mesh_morph(b, p, b->normal_offsets[i]);
    }
}

static void fbx_import_mesh_streams(mesh_builder *b, tenon_primitive *p)
{
    const fbx_mesh *mesh = b->mesh;
    for (uint32_t v = 0; v < p->vertex_count; v++)
        memcpy(p->positions + 3 * (size_t)v, mesh->positions + 3 * (size_t)b->points[v],
               3 * sizeof(float));
    if (p->normals) fbx_import_mesh_normals(b, p);
    if (p->tangents) fbx_import_mesh_tangents(b, p);
    fbx_import_mesh_uvs(b, p);
    if (b->influences->skin != TENON_NONE) fbx_import_mesh_weights(b, p);
    fbx_import_mesh_morphs(b, p);
}

// -- Primitives

// Sort the polygons by slot. Those that cannot be drawn are in none.
static bool fbx_import_mesh_sort(mesh_builder *b)
{
    fbx_mesh *mesh = b->mesh;
    fbx_importer *importer = mesh->importer;
    uint32_t none = b->slot_count, lines = none + 1, points = none + 2, skipped = none + 3;
    uint32_t *slot_of = fbx_import_alloc(importer, mesh->polygon_count, sizeof *slot_of);
    b->order = fbx_import_alloc(importer, mesh->polygon_count, sizeof *b->order);
    b->slot_starts = fbx_import_alloc(importer, (uint64_t)skipped + 2, sizeof *b->slot_starts);
    if (importer->builder->failed) return false;
    for (uint32_t p = 0; p < mesh->polygon_count; p++) {
        uint32_t first = mesh->starts[p], end = mesh->starts[p + 1];
        uint32_t at = p < mesh->material_count ? p : mesh->material_count - 1;
        int32_t material = mesh->materials ? mesh->materials[at] : 0;
        // Old files may count from more than 0.
        uint32_t slot = material < 0 ? none : (uint32_t)material;
        if (slot >= none) slot = material < 0 || none == 0 ? none : none - 1;
        if (end - first == 2) slot = lines;
        if (end - first == 1) slot = points;
        at = p < mesh->hole_count ? p : mesh->hole_count - 1;
        bool is_hole = mesh->holes && mesh->holes[at], is_broken = false;
        for (uint32_t c = first; c < end; c++) is_broken |= mesh->corners[c] >= mesh->point_count;
        fbx_import_count(importer, FBX_UNREAD_HOLES, is_hole, mesh->object);
        fbx_import_count(importer, FBX_UNREAD_FACES, is_broken, mesh->object);
        slot_of[p] = is_hole || is_broken ? skipped : slot;
        b->slot_starts[slot_of[p] + 1]++;
    }
    for (uint32_t i = 0; i <= skipped; i++) b->slot_starts[i + 1] += b->slot_starts[i];
    for (uint32_t p = 0; p < mesh->polygon_count; p++) b->order[b->slot_starts[slot_of[p]]++] = p;
    for (uint32_t i = skipped + 1; i-- > 0;) b->slot_starts[i + 1] = b->slot_starts[i];
    b->slot_starts[0] = 0;
    return tn_goes_on(&importer->builder->pulse, mesh->corner_count / 16);
}

static bool fbx_import_mesh_begin(mesh_builder *b)
{
    fbx_mesh *mesh = b->mesh;
    fbx_importer *importer = mesh->importer;
    uint32_t corners = mesh->corner_count, points = mesh->point_count, largest = 3;
    for (uint32_t p = 0; p < mesh->polygon_count; p++)
        if (mesh->starts[p + 1] - mesh->starts[p] > largest)
            largest = mesh->starts[p + 1] - mesh->starts[p];
    b->vertices = fbx_import_alloc(importer, corners, sizeof *b->vertices);
    b->first_corners = fbx_import_alloc(importer, corners, sizeof *b->first_corners);
    b->points = fbx_import_alloc(importer, corners, sizeof *b->points);
    b->next = fbx_import_alloc(importer, corners, sizeof *b->next);
    b->heads = fbx_import_alloc(importer, points, sizeof *b->heads);
    b->stamps = fbx_import_alloc(importer, points, sizeof *b->stamps);
    b->triangles = fbx_import_alloc(importer, largest, 3 * sizeof *b->triangles);
    if (importer->builder->failed || !fbx_import_mesh_sort(b)) return false;
    if (tn_clipper_begin(&b->clipper, largest, corners, &importer->scratch,
                         &importer->builder->pulse))
        return true;
    return tn_scene_fail(importer->builder, TENON_ERR_MEMORY, NULL, "out of memory");
}

static uint32_t *fbx_import_mesh_triangles(mesh_builder *b, uint32_t polygon,
                                           const uint32_t *vertices, uint32_t *out)
{
    const fbx_mesh *mesh = b->mesh;
    uint32_t first = mesh->starts[polygon], count = mesh->starts[polygon + 1] - first;
    const tn_outline outline = {mesh->positions, mesh->corners + first, 1, count};
    tn_clipping how = tn_triangulate(&b->clipper, &outline, b->triangles);
    fbx_import_count(mesh->importer, FBX_UNREAD_CROSSING, how == TN_CROSSING, mesh->object);
    fbx_import_count(mesh->importer, FBX_UNREAD_FANS, how == TN_FAN, mesh->object);
    if (mesh->importer->builder->pulse.stopped) return out;
    for (uint32_t i = 0; i < 3 * (count - 2); i += 3) {
        uint32_t second = mesh->is_reversed ? 2 : 1;
        out[0] = vertices[b->triangles[i]];
        out[1] = vertices[b->triangles[i + second]];
        out[2] = vertices[b->triangles[i + 3 - second]];
        out += 3;
    }
    return out;
}

// The textures of a material name sets of coordinates: their numbers are those of the first mesh
// that has them.
static void fbx_import_mesh_find_sets(const fbx_mesh *mesh, uint32_t material)
{
    fbx_importer *importer = mesh->importer;
    tenon_material *to = &importer->builder->scene->materials[material];
    for (uint32_t slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        fbx_uv_use *use = &importer->uv_uses[material][slot];
        uint32_t set = 0;
        if (!use->name.size) continue;
        while (set < TENON_UV_SETS &&
               !(mesh->uvs[set].mapping && tn_text_equal(mesh->uv_names[set], use->name)))
            set++;
        if (set == TENON_UV_SETS) continue;
        bool differs = use->is_found && to->textures[slot].uv_set != set;
        fbx_import_count(importer, FBX_UNREAD_TEXTURE_SETS, differs, mesh->object);
        if (!use->is_found) to->textures[slot].uv_set = set;
        use->is_found = true;
    }
}

// Triangles come from the polygons of a slot in their order.
static void fbx_import_mesh_origin(mesh_builder *b, uint32_t slot, const tenon_primitive *p)
{
    const fbx_mesh *mesh = b->mesh;
    fbx_importer *importer = mesh->importer;
    if (!importer->builder->origins || p->mode != TENON_TRIANGLES) return;
    tn_origin origin = {.vertices.records = 3};
    uint32_t *firsts = fbx_import_alloc(importer, p->index_count / 3, sizeof *firsts);
    uint32_t *sizes = fbx_import_alloc(importer, p->index_count / 3, sizeof *sizes), count = 0;
    if (importer->builder->failed) return;
    for (uint32_t i = b->slot_starts[slot]; i < b->slot_starts[slot + 1]; i++) {
        uint32_t first = mesh->starts[b->order[i]], size = mesh->starts[b->order[i] + 1] - first;
        for (uint32_t k = 2; k < size; k++, count++) firsts[count] = first, sizes[count] = size;
    }
    char path[TN_ORIGIN_PATH - 16];
    fbx_path(importer->doc, mesh->node, origin.part, sizeof origin.part);
    const char *const names[] = {"PolygonVertexIndex", "Vertices"};
    tn_origin_array *arrays[] = {&origin.corners, &origin.vertices};
    for (int k = 0; k < 2; k++) {
        const tenon_fbx_node *node = fbx_child(mesh->node, names[k]);
        if (!node) continue;
        fbx_path(importer->doc, node, path, sizeof path);
        (void)snprintf(arrays[k]->path, TN_ORIGIN_PATH, "%s.values[0].data", path);
    }
    origin.triangle_firsts = firsts;
    origin.triangle_sizes = sizes;
    origin.vertex_items = b->points;
    tn_add_origin(importer->builder, p, &origin);
}

static void fbx_import_mesh_primitive(mesh_builder *b, uint32_t slot, tenon_primitive *p)
{
    fbx_mesh *mesh = b->mesh;
    tn_scene_builder *builder = mesh->importer->builder;
    uint32_t first = b->slot_starts[slot], end = b->slot_starts[slot + 1];
    uint64_t index_count = 0, used = 0;
    b->vertex_count = 0;
    for (uint32_t i = first; i < end; i++) {
        uint32_t polygon = b->order[i];
        uint32_t start = mesh->starts[polygon], stop = mesh->starts[polygon + 1];
        for (uint32_t c = start; c < stop; c++)
            b->vertices[used++] = fbx_import_mesh_vertex(b, c, slot);
        index_count += stop - start < 3 ? stop - start : 3 * (uint64_t)(stop - start - 2);
    }
    uint32_t streams = 0;
    p->mode = slot == b->slot_count + 1   ? TENON_LINES
              : slot == b->slot_count + 2 ? TENON_POINTS
                                          : TENON_TRIANGLES;
    if (mesh->normals.mapping) streams |= TN_WITH_NORMALS;
    if (mesh->normals.mapping && mesh->tangents.mapping) streams |= TN_WITH_TANGENTS;
    p->material = slot < b->slot_count ? b->slots[slot] : TENON_NONE;
    if (p->material != TENON_NONE) fbx_import_mesh_find_sets(mesh, p->material);
    tn_primitive_alloc(builder, p, b->vertex_count, index_count, streams);
    for (int i = 0; i < TENON_UV_SETS && mesh->uvs[i].mapping; i++)
        p->uvs[i] = tn_scene_floats(builder, b->vertex_count, 2);
    for (int i = 0; i < TENON_COLOR_SETS && mesh->colors[i].mapping; i++)
        p->colors[i] = tn_scene_floats(builder, b->vertex_count, 4);
    bool has_polygons = p->mode == TENON_TRIANGLES && index_count > 3 * (uint64_t)(end - first);
    if (has_polygons)
        p->polygon_sizes = tn_scene_array(builder, end - first, sizeof *p->polygon_sizes);
    if (builder->failed) return;
    fbx_import_mesh_streams(b, p);
    const uint32_t *vertices = b->vertices;
    uint32_t *out = p->indices;
    for (uint32_t i = first; i < end && !builder->failed; i++) {
        uint32_t polygon = b->order[i];
        uint32_t count = mesh->starts[polygon + 1] - mesh->starts[polygon];
        if (has_polygons) p->polygon_sizes[p->polygon_count++] = count - 2;
        if (p->mode == TENON_TRIANGLES)
            out = fbx_import_mesh_triangles(b, polygon, vertices, out);
        else
            for (uint32_t k = 0; k < count; k++) *out++ = vertices[k];
        vertices += count;
    }
    fbx_import_mesh_origin(b, slot, p);
    if (builder->pulse.stopped || !tn_goes_on(&builder->pulse, (uint32_t)(used / 4)))
        (void)tn_scene_fail(builder, TENON_ERR_CANCELLED, NULL, "cancelled");
}

// -- Meshes

// Points through the geometric transform, in meters.
static bool fbx_import_mesh_place(fbx_mesh *mesh, const fbx_model *model)
{
    fbx_importer *importer = mesh->importer;
    mesh->geometric = model->geometric;
    if (!mesh->positions)
        mesh->positions = fbx_import_alloc(importer, 3 * (uint64_t)mesh->point_count, 4);
    if (importer->builder->failed) return false;
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        const double *p = mesh->points + 3 * (size_t)i;
        tn_vec3 scaled = {p[0] * importer->unit, p[1] * importer->unit, p[2] * importer->unit};
        tn_vec3 placed = tn_mat4_point(&mesh->geometric, scaled);
        float *out = mesh->positions + 3 * (size_t)i;
        out[0] = tn_to_float(placed.x), out[1] = tn_to_float(placed.y);
        out[2] = tn_to_float(placed.z);
    }
    fbx_import_mesh_mirror(importer, mesh->positions, mesh->point_count, 3);
    mesh->is_reversed = tn_mat4_mirrors(&mesh->geometric) != importer->is_mirrored;
    return true;
}

// The morph targets of a mesh, with their weights at rest.
static void fbx_import_mesh_targets(fbx_importer *importer, const fbx_geometry *geometry,
                                    uint32_t index)
{
    tn_scene_builder *builder = importer->builder;
    uint32_t count = geometry->shape_count;
    if (count == 0) return;
    tenon_str *names = tn_scene_array(builder, count, sizeof *names);
    double *weights = tn_scene_array(builder, count, sizeof *weights);
    for (uint32_t i = 0; i < count && !builder->failed; i++)
        names[i] = tn_scene_text(builder, geometry->shapes[i].name);
    for (uint32_t i = 0; i < geometry->channel_count && !builder->failed; i++) {
        const fbx_channel *channel = &geometry->channels[i];
        fbx_import_shape_weights(geometry, i, channel->percent, weights + channel->first_shape);
    }
    if (builder->failed) return;
    tenon_mesh *mesh = &builder->scene->meshes[index];
    mesh->morph_count = count;
    mesh->morph_names = names;
    mesh->morph_weights = weights;
}

// The materials of a model, in the order of its slots.
static uint32_t *fbx_import_mesh_slots(fbx_importer *importer, uint32_t model, uint32_t *count)
{
    fbx_links links = fbx_import_children(importer, importer->models[model].object);
    uint32_t *slots = fbx_import_alloc(importer, links.count, sizeof *slots);
    *count = 0;
    for (uint32_t i = 0; slots && i < links.count; i++) {
        const fbx_link *link = &importer->links[links.items[i]];
        const fbx_object *object = &importer->objects[link->child];
        if (object->kind == FBX_MATERIAL && !link->property.size) slots[(*count)++] = object->index;
    }
    return slots;
}

// Returns the mesh; TENON_NONE: the geometry has nothing that can be drawn.
static uint32_t fbx_import_mesh_build(mesh_builder *b, uint32_t model)
{
    fbx_mesh *mesh = b->mesh;
    fbx_importer *importer = mesh->importer;
    tn_scene_builder *builder = importer->builder;
    uint32_t primitive_count = 0;
    if (!fbx_import_mesh_place(mesh, &importer->models[model]) || !fbx_import_mesh_begin(b))
        return TENON_NONE;
    bool is_cloud = mesh->polygon_count == 0 && mesh->point_count > 0;
    for (uint32_t slot = 0; slot < b->slot_count + 3; slot++)
        primitive_count += b->slot_starts[slot + 1] > b->slot_starts[slot];
    if (primitive_count == 0 && !is_cloud) return TENON_NONE;
    tenon_str name = importer->objects[mesh->object].name;
    if (!name.size) name = importer->objects[importer->models[model].object].name;
    uint32_t index = tn_add_mesh(builder, name, is_cloud ? 1 : primitive_count);
    if (builder->failed) return TENON_NONE;
    tenon_primitive *p = builder->scene->meshes[index].primitives;
    if (is_cloud) {
        p->mode = TENON_POINTS;
        tn_primitive_alloc(builder, p, mesh->point_count, 0, 0);
        if (!builder->failed)
            memcpy(p->positions, mesh->positions, 3 * sizeof(float) * (size_t)mesh->point_count);
        return builder->failed ? TENON_NONE : index;
    }
    for (uint32_t i = 0; i < b->geometry->shape_count && !builder->failed; i++)
        (void)fbx_import_shape_offsets(mesh, &b->geometry->shapes[i], &b->offsets[i],
                                       &b->normal_offsets[i]);
    for (uint32_t slot = 0; slot < b->slot_count + 3 && !builder->failed; slot++)
        if (b->slot_starts[slot + 1] > b->slot_starts[slot])
            fbx_import_mesh_primitive(b, slot, p++);
    fbx_import_mesh_targets(importer, b->geometry, index);
    return builder->failed ? TENON_NONE : index;
}

// Whether a mesh that was made for one model is right for another.
static bool fbx_import_mesh_serves(fbx_importer *importer, uint32_t a, uint32_t b)
{
    const fbx_model *x = &importer->models[a], *y = &importer->models[b];
    if (memcmp(&x->geometric, &y->geometric, sizeof x->geometric) != 0) return false;
    uint32_t a_count, b_count;
    const uint32_t *a_slots = fbx_import_mesh_slots(importer, a, &a_count),
                   *b_slots = fbx_import_mesh_slots(importer, b, &b_count);
    return a_slots && b_slots && a_count == b_count &&
           memcmp(a_slots, b_slots, a_count * sizeof *a_slots) == 0;
}

// Show a mesh at the node of a model; at a child of it, if it has a mesh already.
static void fbx_import_mesh_show(fbx_importer *importer, uint32_t geometry, uint32_t model,
                                 uint32_t mesh, uint32_t skin)
{
    tn_scene_builder *builder = importer->builder;
    uint32_t node = importer->models[model].scaled;
    if (builder->scene->nodes[node].mesh != TENON_NONE)
        node = tn_add_node(builder, builder->scene->meshes[mesh].name, node);
    if (builder->failed) return;
    builder->scene->nodes[node].mesh = mesh;
    builder->scene->nodes[node].skin = skin;
    // Memory of the scene, since that of the geometry is freed.
    if (fbx_import_grow_in(importer, builder->arena, (void **)&importer->shows,
                           importer->show_count, &importer->show_room, sizeof *importer->shows))
        importer->shows[importer->show_count++] =
            (fbx_show){node, geometry, importer->models[model].scaled};
}

static void fbx_import_geometry(fbx_importer *importer, uint32_t index)
{
    fbx_geometry *geometry = &importer->geometries[index];
    enum { BUILDS_MOST = 8 };
    mesh_build builds[BUILDS_MOST];
    uint32_t build_count = 0;
    fbx_mesh mesh;
    fbx_influences influences = {.skin = TENON_NONE};
    fbx_links links = fbx_import_parents(importer, geometry->object);
    mesh_builder b = {.mesh = &mesh, .geometry = geometry, .influences = &influences};
    bool is_read = false;
    for (uint32_t i = 0; i < links.count; i++) {
        const fbx_link *link = &importer->links[links.items[i]];
        geometry->user_count +=
            importer->objects[link->parent].kind == FBX_MODEL && !link->property.size;
    }
    for (uint32_t i = 0; i < links.count && !importer->builder->failed; i++) {
        const fbx_link *link = &importer->links[links.items[i]];
        if (importer->objects[link->parent].kind != FBX_MODEL || link->property.size) continue;
        uint32_t model = importer->objects[link->parent].index, k = 0, skin = TENON_NONE;
        if (!is_read) {
            is_read = true;
            if (!fbx_import_read_mesh(importer, geometry, &mesh) ||
                !fbx_import_skin(importer, geometry, mesh.point_count, model, &influences))
                return;
            b.offsets = fbx_import_alloc(importer, geometry->shape_count, sizeof *b.offsets);
            b.normal_offsets =
                fbx_import_alloc(importer, geometry->shape_count, sizeof *b.normal_offsets);
        }
        skin = influences.skin;
        if (skin != TENON_NONE && geometry->user_count > 1)
            skin = fbx_import_skin_instance(importer, &influences, model);
        while (k < build_count && !fbx_import_mesh_serves(importer, builds[k].model, model)) k++;
        if (importer->builder->failed) return;
        if (k == build_count) {
            if (build_count == BUILDS_MOST) k = build_count = 0;
            tn_mark mark = tn_arena_mark(&importer->scratch);
            mesh.positions = NULL;
            b.slots = fbx_import_mesh_slots(importer, model, &b.slot_count);
            builds[k] = (mesh_build){model, fbx_import_mesh_build(&b, model)};
            build_count++;
            tn_arena_rewind(&importer->scratch, mark);
        }
        if (builds[k].mesh != TENON_NONE && !importer->builder->failed)
            fbx_import_mesh_show(importer, index, model, builds[k].mesh, skin);
    }
}

void fbx_import_meshes(fbx_importer *importer)
{
    for (uint32_t i = 0; i < importer->geometry_count && !importer->builder->failed; i++) {
        tn_mark mark = tn_arena_mark(&importer->scratch);
        fbx_import_geometry(importer, i);
        tn_arena_rewind(&importer->scratch, mark);
    }
}
