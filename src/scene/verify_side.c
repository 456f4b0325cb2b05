// verify_side.c: all that a scene draws, as one list of triangles and one of vertices.
// SPDX-License-Identifier: MIT

#include "verify.h"

#include "pieces.h"
#include "pose.h"

#include <inttypes.h>

#define MOST (UINT32_MAX >> 2)  // Vertices, and triangles; see TN_OTHER().

void *tn_verify_alloc(tn_verify_room *room, uint64_t count, size_t size)
{
    tn_refusal why;
    if (room->failed) return NULL;
    void *memory = tn_arena_alloc(&room->arena, count, size, &why);
    if (memory) return memory;
    room->failed = true;
    if (why == TN_OVER_LIMIT)
        tn_error(room->err, TENON_ERR_LIMIT, "comparing needs more than %" PRIu64 " bytes",
                 room->arena.limit);
    else
        tn_error(room->err, TENON_ERR_MEMORY, "out of memory");
    return NULL;
}

bool tn_verify_expect(tn_verify_room *room, bool is_wanted)
{
    if (is_wanted || room->failed) return is_wanted;
    room->failed = true;
    return tn_error(room->err, TENON_ERR_CANCELLED, "cancelled");
}

// -- Triangles

static uint64_t triangle_count(const tenon_primitive *p)
{
    return tn_piece_size(p->mode) == 3 ? tn_piece_count(p) : 0;
}

// Triangles with two corners in one vertex are never seen; strips are glued together with them.
static void add_triangles(tn_side *side, uint32_t part, const tenon_primitive *p)
{
    uint32_t first = side->parts[part].first_vertex;
    bool is_mirrored = tn_pose_mirrors(side->pose, side->parts[part].node);
    for (uint64_t i = 0, count = triangle_count(p); i < count; i++) {
        uint32_t v[3];
        tn_piece_at(p, i, v);
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;
        uint32_t *corners = side->corners + 3 * (size_t)side->triangle_count;
        corners[0] = first + v[0];
        corners[1] = first + v[is_mirrored ? 2 : 1];
        corners[2] = first + v[is_mirrored ? 1 : 2];
        side->triangle_parts[side->triangle_count++] = part;
    }
}

// -- Parts

typedef struct totals {
    uint64_t parts, vertices, triangles;
} totals;

static totals count_all(const tenon_scene *scene)
{
    totals sum = {0};
    for (uint32_t n = 0; n < scene->node_count; n++) {
        if (scene->nodes[n].mesh == TENON_NONE) continue;
        const tenon_mesh *mesh = &scene->meshes[scene->nodes[n].mesh];
        sum.parts += mesh->primitive_count;
        for (uint32_t p = 0; p < mesh->primitive_count; p++) {
            sum.vertices += mesh->primitives[p].vertex_count;
            sum.triangles += triangle_count(&mesh->primitives[p]);
        }
    }
    return sum;
}

static void add_node(tn_side *side, uint32_t node)
{
    const tenon_node *n = &side->scene->nodes[node];
    if (n->mesh == TENON_NONE) return;
    const tenon_mesh *mesh = &side->scene->meshes[n->mesh];
    for (uint32_t p = 0; p < mesh->primitive_count; p++) {
        side->parts[side->part_count] = (tn_drawn){.node = node,
                                                   .mesh = n->mesh,
                                                   .primitive = p,
                                                   .first_vertex = side->vertex_count,
                                                   .partner_mesh = TENON_NONE,
                                                   .node_hash = tn_name_hash(n->name)};
        add_triangles(side, side->part_count, &mesh->primitives[p]);
        side->vertex_count += mesh->primitives[p].vertex_count;
        side->part_count++;
    }
}

static bool allocate(tn_verify_room *room, tn_side *side, const totals *sum)
{
    if (sum->parts > MOST || sum->vertices > MOST || sum->triangles > MOST) {
        room->failed = true;
        return tn_error(room->err, TENON_ERR_LIMIT, "%" PRIu64 " triangles are too many to compare",
                        sum->triangles);
    }
    side->parts = tn_verify_alloc(room, sum->parts, sizeof *side->parts);
    side->positions = tn_verify_alloc(room, sum->vertices, 3 * sizeof *side->positions);
    side->corners = tn_verify_alloc(room, sum->triangles, 3 * sizeof *side->corners);
    side->triangle_parts = tn_verify_alloc(room, sum->triangles, sizeof *side->triangle_parts);
    side->partners = tn_verify_alloc(room, sum->triangles, sizeof *side->partners);
    return !room->failed;
}

bool tn_side_begin(tn_verify_room *room, tn_side *side, const tenon_scene *scene)
{
    totals sum = count_all(scene);
    *side = (tn_side){.scene = scene};
    if (!allocate(room, side, &sum)) return false;
    side->pose = tenon_pose_new(scene, &room->arena.allocator, room->err);
    if (!side->pose) {
        room->failed = true;
        return false;
    }
    for (uint32_t n = 0; n < scene->node_count; n++) add_node(side, n);
    for (uint32_t i = 0; i < side->triangle_count; i++) side->partners[i] = TENON_NONE;
    tn_side_pose(side, TENON_NONE, 0);
    return true;
}

void tn_side_end(tn_side *side)
{
    tenon_pose_free(side->pose);
    side->pose = NULL;
}

void tn_side_pose(tn_side *side, uint32_t animation, double seconds)
{
    tenon_pose_set(side->pose, animation, seconds);
    for (uint32_t i = 0; i < side->part_count; i++) {
        const tn_drawn *part = &side->parts[i];
        tenon_pose_skin(side->pose, part->node, part->primitive,
                        side->positions + 3 * (size_t)part->first_vertex, NULL);
    }
}

// -- Who moves it

const tn_drawn *tn_side_part(const tn_side *side, uint32_t vertex)
{
    uint32_t low = 0, high = side->part_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (side->parts[middle].first_vertex <= vertex)
            low = middle;
        else
            high = middle;
    }
    return &side->parts[low];
}

uint32_t tn_side_mover(const tn_side *side, uint32_t vertex)
{
    const tn_drawn *part = tn_side_part(side, vertex);
    const tenon_node *node = &side->scene->nodes[part->node];
    const tenon_primitive *p = &side->scene->meshes[part->mesh].primitives[part->primitive];
    if (node->skin == TENON_NONE || p->influence_count == 0) return part->node;
    size_t at = (size_t)(vertex - part->first_vertex) * p->influence_count, most = at;
    for (size_t i = at; i < at + p->influence_count; i++)
        if (p->weights[i] > p->weights[most]) most = i;
    return side->scene->skins[node->skin].joints[p->joints[most]];
}
