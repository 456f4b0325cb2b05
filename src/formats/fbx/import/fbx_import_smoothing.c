// fbx_import_smoothing.c: normals of meshes that only say where they are smooth.
// SPDX-License-Identifier: MIT
//
// 3ds Max has 32 groups of polygons: two polygons that share a group, or are connected through
// others around a point, share a normal there. Maya and Blender mark edges: the polygons around a
// point share a normal up to the next edge that is hard.

#include "formats/fbx/import/fbx_import_mesh.h"

#include "core/math/sort.h"
#include "core/text/text.h"

#include <math.h>

#define GROUPS 32

typedef struct mesh_smoothing {
    const fbx_mesh *mesh;
    uint32_t *sets;          // Of each corner: another one of its set, or itself; see below.
    uint32_t *edges;         // Corners, sorted by the edges that start there.
    uint32_t *next_corners;  // Around the polygon.
} mesh_smoothing;

// -- Sets of corners that share a normal

// The first corner of a set. The ways to it are halved.
static uint32_t fbx_import_smoothing_find(uint32_t *sets, uint32_t corner)
{
    while (sets[corner] != corner) {
        sets[corner] = sets[sets[corner]];
        corner = sets[corner];
    }
    return corner;
}

static void fbx_import_smoothing_join(uint32_t *sets, uint32_t a, uint32_t b)
{
    a = fbx_import_smoothing_find(sets, a);
    b = fbx_import_smoothing_find(sets, b);
    if (a < b)
        sets[b] = a;
    else
        sets[a] = b;
}

// The ends of the edge that starts at a corner, the lesser one first.
static void fbx_import_smoothing_ends(const mesh_smoothing *s, uint32_t corner, uint32_t ends[2])
{
    uint32_t a = s->mesh->corners[corner], b = s->mesh->corners[s->next_corners[corner]];
    ends[0] = a < b ? a : b;
    ends[1] = a < b ? b : a;
}

static bool fbx_import_smoothing_before(const void *context, uint32_t a, uint32_t b)
{
    uint32_t x[2], y[2];
    fbx_import_smoothing_ends(context, a, x);
    fbx_import_smoothing_ends(context, b, y);
    return x[0] < y[0] || (x[0] == y[0] && x[1] < y[1]);
}

// Join the corners at both ends of an edge: all corners in `edges` from `first` to `end` start it.
static void fbx_import_smoothing_join_edge(mesh_smoothing *s, uint32_t first, uint32_t end)
{
    uint32_t at = s->edges[first], next = s->next_corners[at];
    for (uint32_t i = first + 1; i < end; i++) {
        uint32_t other = s->edges[i], after = s->next_corners[other];
        bool is_same_way = s->mesh->corners[other] == s->mesh->corners[at];
        fbx_import_smoothing_join(s->sets, at, is_same_way ? other : after);
        fbx_import_smoothing_join(s->sets, next, is_same_way ? after : other);
    }
}

// By edges: `marks` has one for each of the edges that the mesh lists. Edges that it does not list
// are hard.
static bool fbx_import_smoothing_by_edge(mesh_smoothing *s, const int32_t *marks, uint64_t count)
{
    const fbx_mesh *mesh = s->mesh;
    fbx_importer *importer = mesh->importer;
    uint64_t edge_count = 0;
    const int32_t *edges = fbx_import_i32s(importer, fbx_child(mesh->node, "Edges"), &edge_count);
    uint32_t *spare = fbx_import_alloc(importer, mesh->corner_count, sizeof *spare);
    uint8_t *is_smooth = fbx_import_alloc(importer, mesh->corner_count, 1);
    s->edges = fbx_import_alloc(importer, mesh->corner_count, sizeof *s->edges);
    if (importer->builder->failed) return false;
    for (uint64_t i = 0; i < edge_count && i < count; i++)
        if ((uint32_t)edges[i] < mesh->corner_count) is_smooth[edges[i]] = marks[i] != 0;
    for (uint32_t i = 0; i < mesh->corner_count; i++) s->edges[i] = i;
    tn_sort(s->edges, spare, mesh->corner_count, fbx_import_smoothing_before, s);
    for (uint32_t i = 0, end; i < mesh->corner_count; i = end) {
        bool joins = false;
        for (end = i; end < mesh->corner_count; end++) {
            if (fbx_import_smoothing_before(s, s->edges[i], s->edges[end])) break;
            joins = joins || is_smooth[s->edges[end]];
        }
        if (joins) fbx_import_smoothing_join_edge(s, i, end);
    }
    return true;
}

// By polygons: `masks` has the groups of each.
static bool fbx_import_smoothing_by_polygon(mesh_smoothing *s, const int32_t *masks, uint64_t count)
{
    const fbx_mesh *mesh = s->mesh;
    // The corners of each point, as lists; numbers are one more, so that 0 is none.
    uint32_t *heads = fbx_import_alloc(mesh->importer, mesh->point_count, sizeof *heads);
    uint32_t *next = fbx_import_alloc(mesh->importer, mesh->corner_count, sizeof *next);
    uint32_t *groups = fbx_import_alloc(mesh->importer, mesh->corner_count, sizeof *groups);
    if (!heads || !next || !groups) return false;
    for (uint32_t p = 0; p < mesh->polygon_count; p++)
        for (uint32_t c = mesh->starts[p]; c < mesh->starts[p + 1]; c++) {
            if (mesh->corners[c] >= mesh->point_count) continue;
            groups[c] = p < count ? (uint32_t)masks[p] : 0;
            next[c] = heads[mesh->corners[c]];
            heads[mesh->corners[c]] = c + 1;
        }
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        uint32_t firsts[GROUPS] = {0};
        for (uint32_t c = heads[i]; c; c = next[c - 1])
            for (uint32_t bits = groups[c - 1], k = 0; bits; bits >>= 1, k++) {
                if (!(bits & 1)) continue;
                if (firsts[k])
                    fbx_import_smoothing_join(s->sets, c - 1, firsts[k] - 1);
                else
                    firsts[k] = c;
            }
    }
    return true;
}

// -- Normals

static tn_vec3 fbx_import_smoothing_side(const fbx_mesh *mesh, uint32_t from, uint32_t to)
{
    const double *a = mesh->points + 3 * (size_t)from, *b = mesh->points + 3 * (size_t)to;
    return tn_vec3_normalise((tn_vec3){b[0] - a[0], b[1] - a[1], b[2] - a[2]});
}

// The normal of a polygon; zero if it has no area.
static tn_vec3 fbx_import_smoothing_face(const fbx_mesh *mesh, uint32_t polygon)
{
    tn_vec3 sum = {0, 0, 0};
    uint32_t first = mesh->starts[polygon], end = mesh->starts[polygon + 1];
    const double *o = mesh->points + 3 * (size_t)mesh->corners[first];
    for (uint32_t c = first + 1; c + 1 < end; c++) {
        const double *a = mesh->points + 3 * (size_t)mesh->corners[c];
        const double *b = mesh->points + 3 * (size_t)mesh->corners[c + 1];
        tn_vec3 x = {a[0] - o[0], a[1] - o[1], a[2] - o[2]};
        tn_vec3 y = {b[0] - o[0], b[1] - o[1], b[2] - o[2]};
        sum = tn_vec3_add(sum, tn_vec3_cross(x, y));
    }
    double length = tn_vec3_length(sum);
    return length > 0 && length < HUGE_VAL ? tn_vec3_scale(sum, 1 / length) : (tn_vec3){0, 0, 0};
}

// Add the normals of the polygons to their sets, weighted by the angles at the corners.
static void fbx_import_smoothing_add(mesh_smoothing *s, float *normals)
{
    const fbx_mesh *mesh = s->mesh;
    for (uint32_t p = 0; p < mesh->polygon_count; p++) {
        uint32_t first = mesh->starts[p], end = mesh->starts[p + 1];
        bool is_whole = end - first >= 3;
        for (uint32_t c = first; c < end; c++)
            is_whole = is_whole && mesh->corners[c] < mesh->point_count;
        if (!is_whole) continue;
        tn_vec3 face = fbx_import_smoothing_face(mesh, p);
        for (uint32_t c = first; c < end; c++) {
            uint32_t before = c == first ? end - 1 : c - 1;
            tn_vec3 x = fbx_import_smoothing_side(mesh, mesh->corners[c], mesh->corners[before]);
            tn_vec3 y = fbx_import_smoothing_side(mesh, mesh->corners[c],
                                                  mesh->corners[s->next_corners[c]]);
            double angle = tn_atan2(tn_vec3_length(tn_vec3_cross(x, y)), tn_vec3_dot(x, y));
            float *to = normals + 3 * (size_t)fbx_import_smoothing_find(s->sets, c);
            to[0] += tn_to_float(face.x * angle);
            to[1] += tn_to_float(face.y * angle);
            to[2] += tn_to_float(face.z * angle);
        }
    }
}

bool fbx_import_smooth(fbx_mesh *mesh)
{
    fbx_importer *importer = mesh->importer;
    const tenon_fbx_node *element = fbx_child(mesh->node, "LayerElementSmoothing");
    uint32_t corners = mesh->corner_count;
    uint64_t count = 0;
    if (!element || mesh->normals.mapping || !corners) return true;
    const int32_t *marks = fbx_import_i32s(importer, fbx_child(element, "Smoothing"), &count);
    mesh_smoothing s = {.mesh = mesh};
    s.sets = fbx_import_alloc(importer, corners, sizeof *s.sets);
    s.next_corners = fbx_import_alloc(importer, corners, sizeof *s.next_corners);
    float *normals = fbx_import_alloc(importer, corners, 3 * sizeof *normals);
    int32_t *indices = fbx_import_alloc(importer, corners, sizeof *indices);
    if (importer->builder->failed) return false;
    for (uint32_t p = 0; p < mesh->polygon_count; p++)
        for (uint32_t c = mesh->starts[p]; c < mesh->starts[p + 1]; c++)
            s.next_corners[c] = c + 1 < mesh->starts[p + 1] ? c + 1 : mesh->starts[p];
    for (uint32_t c = 0; c < corners; c++) s.sets[c] = c;
    bool by_edge = fbx_text_is(fbx_child(element, "MappingInformationType"), 0, "ByEdge");
    bool ok = by_edge ? fbx_import_smoothing_by_edge(&s, marks, count)
                      : fbx_import_smoothing_by_polygon(&s, marks, count);
    if (!ok || !tn_goes_on(&importer->builder->pulse, corners)) return false;
    fbx_import_smoothing_add(&s, normals);
    for (uint32_t c = 0; c < corners; c++)
        indices[c] = (int32_t)fbx_import_smoothing_find(s.sets, c);
    mesh->normals = (fbx_layer){.mapping = FBX_BY_CORNER,
                                .values = normals,
                                .width = 3,
                                .count = corners,
                                .indices = indices,
                                .index_count = corners};
    fbx_import_count(importer, FBX_UNREAD_SMOOTHING, 1, mesh->object);
    return true;
}
