// verify_side.c: all that a scene draws, as one list of triangles and one of vertices.
// SPDX-License-Identifier: MIT

#include "scene/compare/verify.h"

#include "scene/model/pieces.h"
#include "scene/pose/pose.h"

#include <inttypes.h>

#define MOST (UINT32_MAX >> 2)  // Vertices, and pieces; see TN_OTHER().

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

// -- Pieces

static void add_piece(tn_verify_side *side, uint32_t part, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t piece = tn_piece_total(side), first = side->parts[part].first_vertex;
    uint32_t *corners = side->corners + 3 * (size_t)piece;
    corners[0] = first + a;
    corners[1] = first + b;
    corners[2] = first + c;
    side->piece_parts[piece] = part;
}

// Whether the polygons that a primitive names are made of its triangles.
static bool has_polygons(const tenon_primitive *p, uint64_t triangle_count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; p->polygon_sizes && i < p->polygon_count; i++) sum += p->polygon_sizes[i];
    return sum > 0 && p->mode == TENON_TRIANGLES && sum == triangle_count;
}

// Triangles with two corners in one vertex are never seen; strips are glued together with them.
static void add_triangles(tn_verify_side *side, uint32_t part, const tenon_primitive *p)
{
    uint64_t count = tn_piece_count(p);
    bool is_mirrored = tn_pose_mirrors(side->pose, side->parts[part].node);
    bool in_polygons = has_polygons(p, count);
    uint64_t polygon = 0, polygon_end = in_polygons ? p->polygon_sizes[0] : 0;
    uint32_t first = side->triangle_count;
    for (uint64_t i = 0; i < count; i++) {
        while (in_polygons && i >= polygon_end) {
            polygon_end += p->polygon_sizes[++polygon];
            first = side->triangle_count;
        }
        uint32_t v[3];
        tn_piece_at(p, i, v);
        if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0]) {
            add_piece(side, part, v[0], v[is_mirrored ? 2 : 1], v[is_mirrored ? 1 : 2]);
            side->triangle_count++;
        }
        bool is_last = in_polygons && i + 1 == polygon_end;
        if (is_last && side->triangle_count - first > 1)
            side->polygons[side->polygon_count++] =
                (tn_polygon){first, side->triangle_count - first};
    }
}

static void add_lines(tn_verify_side *side, uint32_t part, const tenon_primitive *p)
{
    for (uint64_t i = 0, count = tn_piece_count(p); i < count; i++) {
        uint32_t v[3];
        tn_piece_at(p, i, v);
        if (v[0] == v[1]) continue;
        add_piece(side, part, v[0], v[1], v[1]);
        side->line_count++;
    }
}

static void add_points(tn_verify_side *side, uint32_t part, const tenon_primitive *p)
{
    for (uint64_t i = 0, count = tn_piece_count(p); i < count; i++) {
        uint32_t v[3];
        tn_piece_at(p, i, v);
        add_piece(side, part, v[0], v[0], v[0]);
        side->point_count++;
    }
}

// -- Parts

typedef struct totals {
    uint64_t parts, vertices, pieces, polygons;
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
            sum.pieces += tn_piece_count(&mesh->primitives[p]);
            sum.polygons += mesh->primitives[p].polygon_count;
        }
    }
    return sum;
}

static void add_node(tn_verify_side *side, uint32_t node)
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
        side->vertex_count += mesh->primitives[p].vertex_count;
        side->part_count++;
    }
}

static bool allocate(tn_verify_room *room, tn_verify_side *side, const totals *sum)
{
    if (sum->parts > MOST || sum->vertices > MOST || sum->pieces > MOST) {
        room->failed = true;
        return tn_error(room->err, TENON_ERR_LIMIT, "%" PRIu64 " triangles are too many to compare",
                        sum->pieces);
    }
    side->parts = tn_verify_alloc(room, sum->parts, sizeof *side->parts);
    side->positions = tn_verify_alloc(room, sum->vertices, 3 * sizeof *side->positions);
    side->corners = tn_verify_alloc(room, sum->pieces, 3 * sizeof *side->corners);
    side->piece_parts = tn_verify_alloc(room, sum->pieces, sizeof *side->piece_parts);
    side->partners = tn_verify_alloc(room, sum->pieces, sizeof *side->partners);
    side->polygons = tn_verify_alloc(room, sum->polygons, sizeof *side->polygons);
    uint64_t nodes = side->scene->node_count, skins = side->scene->skin_count;
    side->node_parts = tn_verify_alloc(room, nodes + 1, sizeof *side->node_parts);
    side->skin_parts.starts = tn_verify_alloc(room, skins + 2, sizeof *side->skin_parts.starts);
    side->skin_parts.items = tn_verify_alloc(room, sum->parts, sizeof *side->skin_parts.items);
    side->moved_parts = tn_verify_alloc(room, sum->parts, sizeof *side->moved_parts);
    side->is_part_moved = tn_verify_alloc(room, sum->parts, sizeof *side->is_part_moved);
    side->is_skin_moved = tn_verify_alloc(room, skins, sizeof *side->is_skin_moved);
    return !room->failed;
}

// Put the vertices of a part where the pose has them.
static void place_part(tn_verify_side *side, uint32_t index)
{
    const tn_drawn *part = &side->parts[index];
    tenon_pose_skin(side->pose, part->node, part->primitive,
                    side->positions + 3 * (size_t)part->first_vertex, NULL);
}

static void list_skin_parts(tn_verify_side *side)
{
    const tenon_scene *scene = side->scene;
    uint32_t *next = side->skin_parts.starts + 1;  // Of each skin.
    for (uint32_t i = 0; i < side->part_count; i++) {
        uint32_t skin = scene->nodes[side->parts[i].node].skin;
        if (skin != TENON_NONE) next[skin + 1]++;
    }
    for (uint32_t i = 0; i < scene->skin_count; i++) next[i + 1] += next[i];
    for (uint32_t i = 0; i < side->part_count; i++) {
        uint32_t skin = scene->nodes[side->parts[i].node].skin;
        if (skin != TENON_NONE) side->skin_parts.items[next[skin]++] = i;
    }
}

bool tn_verify_side_begin(tn_verify_room *room, tn_verify_side *side, const tenon_scene *scene)
{
    totals sum = count_all(scene);
    *side = (tn_verify_side){.scene = scene, .animation = TENON_NONE};
    if (!allocate(room, side, &sum)) return false;
    side->pose = tenon_pose_new(scene, &room->arena.allocator, room->err);
    if (!side->pose) {
        room->failed = true;
        return false;
    }
    for (uint32_t n = 0; n < scene->node_count; n++) {
        side->node_parts[n] = side->part_count;
        add_node(side, n);
    }
    side->node_parts[scene->node_count] = side->part_count;
    list_skin_parts(side);
    for (uint32_t size = 3; size > 0; size--)
        for (uint32_t i = 0; i < side->part_count; i++) {
            const tn_drawn *part = &side->parts[i];
            const tenon_primitive *p = &scene->meshes[part->mesh].primitives[part->primitive];
            if (tn_piece_size(p->mode) != size) continue;
            (size == 3 ? add_triangles : size == 2 ? add_lines : add_points)(side, i, p);
        }
    for (uint32_t i = 0; i < tn_piece_total(side); i++) side->partners[i] = TENON_NONE;
    for (uint32_t i = 0; i < side->part_count; i++) place_part(side, i);
    return true;
}

void tn_verify_side_end(tn_verify_side *side)
{
    tenon_pose_free(side->pose);
    side->pose = NULL;
}

static void add_moved_part(tn_verify_side *side, uint32_t part)
{
    if (side->is_part_moved[part]) return;
    side->is_part_moved[part] = true;
    side->moved_parts[side->moved_count++] = part;
}

// The parts of a node that moves, and those of the skins that it is a joint of.
static void add_moved_node(tn_verify_side *side, uint32_t node)
{
    const tenon_pose *pose = side->pose;
    for (uint32_t i = side->node_parts[node]; i < side->node_parts[node + 1]; i++)
        add_moved_part(side, i);
    for (uint64_t k = pose->joint_starts[node]; k < pose->joint_starts[node + 1]; k++) {
        uint32_t skin = pose->joint_places[k].skin;
        if (side->is_skin_moved[skin]) continue;
        side->is_skin_moved[skin] = true;
        const uint32_t *starts = side->skin_parts.starts;
        for (uint32_t i = starts[skin]; i < starts[skin + 1]; i++)
            add_moved_part(side, side->skin_parts.items[i]);
    }
}

// Put back at rest what the last animation has moved.
static void forget_moved(tn_verify_side *side)
{
    tenon_pose_set(side->pose, TENON_NONE, 0);
    for (uint32_t i = 0; i < side->moved_count; i++) {
        uint32_t skin = side->scene->nodes[side->parts[side->moved_parts[i]].node].skin;
        place_part(side, side->moved_parts[i]);
        side->is_part_moved[side->moved_parts[i]] = false;
        if (skin != TENON_NONE) side->is_skin_moved[skin] = false;
    }
    side->moved_count = 0;
}

void tn_verify_side_pose(tn_verify_side *side, uint32_t animation, double seconds)
{
    const tn_subtrees *trees = &side->pose->trees;
    const tn_moved_roots *roots = &side->pose->roots;
    if (animation >= side->scene->animation_count) animation = TENON_NONE;
    bool is_other = animation != side->animation;
    if (is_other) forget_moved(side);
    tenon_pose_set(side->pose, animation, seconds);
    for (uint32_t i = 0; is_other && i < roots->count; i++)
        for (uint32_t k = 0; k < trees->sizes[roots->nodes[i]]; k++)
            add_moved_node(side, trees->nodes[trees->places[roots->nodes[i]] + k]);
    side->animation = animation;
    for (uint32_t i = 0; i < side->moved_count; i++) place_part(side, side->moved_parts[i]);
}

// -- Who moves it

const tn_drawn *tn_verify_side_part(const tn_verify_side *side, uint32_t vertex)
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

uint32_t tn_verify_side_mover(const tn_verify_side *side, uint32_t vertex)
{
    const tn_drawn *part = tn_verify_side_part(side, vertex);
    const tenon_node *node = &side->scene->nodes[part->node];
    const tenon_primitive *p = &side->scene->meshes[part->mesh].primitives[part->primitive];
    if (node->skin == TENON_NONE || p->influence_count == 0) return part->node;
    size_t at = (size_t)(vertex - part->first_vertex) * p->influence_count, most = at;
    for (size_t i = at; i < at + p->influence_count; i++)
        if (p->weights[i] > p->weights[most]) most = i;
    return side->scene->skins[node->skin].joints[p->joints[most]];
}
