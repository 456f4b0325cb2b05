// verify_posed_scene.c: all that a scene shows, as one list of triangles and one of vertices.
// SPDX-License-Identifier: MIT

#include "scene/compare/verify.h"

#include "scene/model/pieces.h"
#include "scene/pose/pose.h"

#include <inttypes.h>

#define MOST (UINT32_MAX >> 2)  // Vertices and pieces: see TN_PARTNER_PIECE().

// -- Pieces

static inline void verify_posed_scene_add_piece(tn_posed_scene *posed, uint32_t part, uint32_t a,
                                                uint32_t b, uint32_t c)
{
    uint32_t piece = tn_total_piece_count(posed), first = posed->parts[part].first_vertex;
    uint32_t *corners = posed->corners + 3 * (size_t)piece;
    corners[0] = first + a;
    corners[1] = first + b;
    corners[2] = first + c;
    posed->piece_parts[piece] = part;
}

// Triangles that use a vertex twice are invisible; triangle strips are joined with them.
static void verify_posed_scene_add_triangles(tn_posed_scene *posed, uint32_t part,
                                             const tenon_primitive *p)
{
    uint64_t count = tn_piece_count(p), in_polygons = 0;
    bool is_mirrored = tn_pose_mirrors(posed->pose, posed->parts[part].node);
    for (uint32_t i = 0; p->polygon_sizes && i < p->polygon_count; i++)
        in_polygons += p->polygon_sizes[i];
    bool has_polygons = in_polygons > 0 && p->mode == TENON_TRIANGLES && in_polygons == count;
    uint64_t polygon = 0, polygon_end = has_polygons ? p->polygon_sizes[0] : 0;
    uint32_t first = posed->triangle_count;
    bool is_plain = p->mode == TENON_TRIANGLES && p->indices && !has_polygons;
    for (uint64_t i = 0; is_plain && i < count; i++) {
        const uint32_t *v = p->indices + 3 * i;
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;
        verify_posed_scene_add_piece(posed, part, v[0], v[is_mirrored ? 2 : 1],
                                     v[is_mirrored ? 1 : 2]);
        posed->triangle_count++;
    }
    for (uint64_t i = 0; !is_plain && i < count; i++) {
        while (has_polygons && i >= polygon_end) {
            polygon_end += p->polygon_sizes[++polygon];
            first = posed->triangle_count;
        }
        uint32_t v[3];
        tn_piece_at(p, i, v);
        if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0]) {
            verify_posed_scene_add_piece(posed, part, v[0], v[is_mirrored ? 2 : 1],
                                         v[is_mirrored ? 1 : 2]);
            posed->triangle_count++;
        }
        bool is_last = has_polygons && i + 1 == polygon_end;
        if (is_last && posed->triangle_count - first > 1)
            posed->polygons[posed->polygon_count++] =
                (tn_polygon){first, posed->triangle_count - first};
    }
}

static void verify_posed_scene_add_lines_or_points(tn_posed_scene *posed, uint32_t part,
                                                   const tenon_primitive *p)
{
    bool is_line = tn_piece_size(p->mode) == 2;
    for (uint64_t i = 0, count = tn_piece_count(p); i < count; i++) {
        uint32_t v[3];
        tn_piece_at(p, i, v);
        if (is_line && v[0] == v[1]) continue;
        uint32_t end = is_line ? v[1] : v[0];
        verify_posed_scene_add_piece(posed, part, v[0], end, end);
        if (is_line)
            posed->line_count++;
        else
            posed->point_count++;
    }
}

// -- Parts

static bool verify_posed_scene_allocate(tn_match_context *context, tn_posed_scene *posed)
{
    const tenon_scene *scene = posed->scene;
    uint64_t parts = 0, vertices = 0, pieces = 0, polygons = 0;
    uint64_t nodes = scene->node_count, skins = scene->skin_count;
    for (uint32_t n = 0; n < scene->node_count; n++) {
        if (scene->nodes[n].mesh == TENON_NONE) continue;
        const tenon_mesh *mesh = &scene->meshes[scene->nodes[n].mesh];
        parts += mesh->primitive_count;
        for (uint32_t p = 0; p < mesh->primitive_count; p++) {
            vertices += mesh->primitives[p].vertex_count;
            pieces += tn_piece_count(&mesh->primitives[p]);
            polygons += mesh->primitives[p].polygon_count;
        }
    }
    if (parts > MOST || vertices > MOST || pieces > MOST) {
        context->failed = true;
        return tn_error(context->err, TENON_ERR_LIMIT,
                        "%" PRIu64 " triangles are too many to compare", pieces);
    }
    posed->parts = tn_match_alloc(context, parts, sizeof *posed->parts);
    posed->positions = tn_match_alloc(context, vertices + 1, 3 * sizeof *posed->positions);
    posed->corners = tn_match_alloc(context, pieces, 3 * sizeof *posed->corners);
    posed->piece_parts = tn_match_alloc(context, pieces, sizeof *posed->piece_parts);
    posed->partners = tn_match_alloc(context, pieces, sizeof *posed->partners);
    posed->polygons = tn_match_alloc(context, polygons, sizeof *posed->polygons);
    posed->node_parts = tn_match_alloc(context, nodes + 1, sizeof *posed->node_parts);
    posed->skin_parts.starts = tn_match_alloc(context, skins + 2, sizeof *posed->skin_parts.starts);
    posed->skin_parts.items = tn_match_alloc(context, parts, sizeof *posed->skin_parts.items);
    posed->moved_parts = tn_match_alloc(context, parts, sizeof *posed->moved_parts);
    posed->is_part_moved = tn_match_alloc(context, parts, sizeof *posed->is_part_moved);
    posed->is_skin_moved = tn_match_alloc(context, skins, sizeof *posed->is_skin_moved);
    return !context->failed;
}

// List the parts by node and by skin.
static void verify_posed_scene_list_parts(tn_posed_scene *posed)
{
    const tenon_scene *scene = posed->scene;
    uint32_t *next = posed->skin_parts.starts + 1;  // Of each skin: where its next part goes.
    for (uint32_t n = 0; n < scene->node_count; n++) {
        const tenon_node *node = &scene->nodes[n];
        posed->node_parts[n] = posed->part_count;
        if (node->mesh == TENON_NONE) continue;
        const tenon_mesh *mesh = &scene->meshes[node->mesh];
        for (uint32_t p = 0; p < mesh->primitive_count; p++) {
            posed->parts[posed->part_count++] =
                (tn_verify_part){.node = n,
                                 .mesh = node->mesh,
                                 .primitive = p,
                                 .first_vertex = posed->vertex_count,
                                 .partner_mesh = TENON_NONE,
                                 .node_hash = tn_name_hash(node->name)};
            posed->vertex_count += mesh->primitives[p].vertex_count;
        }
        if (node->skin != TENON_NONE) next[node->skin + 1] += mesh->primitive_count;
    }
    posed->node_parts[scene->node_count] = posed->part_count;
    for (uint32_t i = 0; i < scene->skin_count; i++) next[i + 1] += next[i];
    for (uint32_t i = 0; i < posed->part_count; i++) {
        uint32_t skin = scene->nodes[posed->parts[i].node].skin;
        if (skin != TENON_NONE) posed->skin_parts.items[next[skin]++] = i;
    }
}

static void verify_posed_scene_update_part(tn_posed_scene *posed, uint32_t index)
{
    const tn_verify_part *part = &posed->parts[index];
    float *positions = posed->positions + 3 * (size_t)part->first_vertex;
    if (posed->reach > 0)
        tn_place_skeleton_points(tenon_pose_global(posed->pose, part->node), posed->reach,
                                 positions);
    else
        tenon_pose_skin(posed->pose, part->node, part->primitive, positions, NULL);
}

bool tn_posed_scene_begin(tn_match_context *context, tn_posed_scene *posed,
                          const tenon_scene *scene, double reach)
{
    *posed = (tn_posed_scene){
        .scene = scene, .animation = TENON_NONE, .is_at_rest = true, .reach = reach};
    if (!verify_posed_scene_allocate(context, posed)) return false;
    posed->pose = tenon_pose_new(scene, &context->arena.allocator, context->err);
    if (!posed->pose) {
        context->failed = true;
        return false;
    }
    verify_posed_scene_list_parts(posed);
    for (uint32_t size = 3; size > 0; size--)
        for (uint32_t i = 0; i < posed->part_count; i++) {
            const tn_verify_part *part = &posed->parts[i];
            const tenon_primitive *p = &scene->meshes[part->mesh].primitives[part->primitive];
            if (tn_piece_size(p->mode) == size)
                (size == 3 ? verify_posed_scene_add_triangles
                           : verify_posed_scene_add_lines_or_points)(posed, i, p);
        }
    for (uint32_t i = 0; i < tn_total_piece_count(posed); i++) posed->partners[i] = TENON_NONE;
    for (uint32_t i = 0; i < posed->part_count; i++) verify_posed_scene_update_part(posed, i);
    return true;
}

tn_posed_scene *tn_posed_scene_copy(tn_match_context *context, const tn_posed_scene *from)
{
    const tenon_scene *scene = from->scene;
    tn_posed_scene *posed = tn_match_alloc(context, 1, sizeof *posed);
    float *positions =
        tn_match_alloc(context, (uint64_t)from->vertex_count + 1, 3 * sizeof *posed->positions);
    uint32_t *moved_parts = tn_match_alloc(context, from->part_count, sizeof *posed->moved_parts);
    bool *is_part_moved = tn_match_alloc(context, from->part_count, sizeof *posed->is_part_moved);
    bool *is_skin_moved = tn_match_alloc(context, scene->skin_count, sizeof *posed->is_skin_moved);
    if (context->failed) return NULL;
    *posed = *from;
    posed->positions = positions;
    posed->moved_parts = moved_parts;
    posed->is_part_moved = is_part_moved;
    posed->is_skin_moved = is_skin_moved;
    posed->animation = TENON_NONE;
    posed->is_at_rest = true;
    posed->moved_count = 0;
    posed->pose = tenon_pose_new(scene, &context->arena.allocator, context->err);
    context->failed = !posed->pose;
    if (context->failed) return NULL;
    for (uint32_t i = 0; i < posed->part_count; i++) verify_posed_scene_update_part(posed, i);
    return posed;
}

void tn_posed_scene_end(tn_posed_scene *posed)
{
    tenon_pose_free(posed->pose);
    posed->pose = NULL;
}

// -- Posing

static void verify_posed_scene_add_moved_part(tn_posed_scene *posed, uint32_t part)
{
    if (posed->is_part_moved[part]) return;
    posed->is_part_moved[part] = true;
    posed->moved_parts[posed->moved_count++] = part;
}

// Add the parts of a node that moves, and those of the skins that it is a joint of.
static void verify_posed_scene_add_moved_node(tn_posed_scene *posed, uint32_t node)
{
    const tenon_pose *pose = posed->pose;
    for (uint32_t i = posed->node_parts[node]; i < posed->node_parts[node + 1]; i++)
        verify_posed_scene_add_moved_part(posed, i);
    for (uint64_t k = pose->joint_starts[node]; k < pose->joint_starts[node + 1]; k++) {
        uint32_t skin = pose->skin_joints[k].skin;
        if (posed->is_skin_moved[skin]) continue;
        posed->is_skin_moved[skin] = true;
        const uint32_t *starts = posed->skin_parts.starts;
        for (uint32_t i = starts[skin]; i < starts[skin + 1]; i++)
            verify_posed_scene_add_moved_part(posed, posed->skin_parts.items[i]);
    }
}

void tn_pose_nodes(tn_posed_scene *posed, uint32_t animation, double seconds)
{
    const tn_subtrees *trees = &posed->pose->trees;
    const tn_moved_roots *roots = &posed->pose->roots;
    if (animation >= posed->scene->animation_count) animation = TENON_NONE;
    bool is_other = animation != posed->animation;
    if (is_other) {
        // Put back what the last animation moved.
        tenon_pose_set(posed->pose, TENON_NONE, 0);
        for (uint32_t i = 0; i < posed->moved_count; i++) {
            uint32_t part = posed->moved_parts[i];
            uint32_t skin = posed->scene->nodes[posed->parts[part].node].skin;
            if (!posed->is_at_rest) verify_posed_scene_update_part(posed, part);
            posed->is_part_moved[part] = false;
            if (skin != TENON_NONE) posed->is_skin_moved[skin] = false;
        }
        posed->moved_count = 0;
        posed->is_at_rest = true;
    }
    tenon_pose_set(posed->pose, animation, seconds);
    for (uint32_t i = 0; is_other && i < roots->count; i++)
        for (uint32_t k = 0; k < trees->sizes[roots->nodes[i]]; k++)
            verify_posed_scene_add_moved_node(posed,
                                              trees->nodes[trees->places[roots->nodes[i]] + k]);
    posed->animation = animation;
}

void tn_pose_vertices(tn_posed_scene *posed)
{
    for (uint32_t i = 0; i < posed->moved_count; i++)
        verify_posed_scene_update_part(posed, posed->moved_parts[i]);
    if (posed->moved_count) posed->is_at_rest = false;
}

void tn_pose_scene(tn_posed_scene *posed, uint32_t animation, double seconds)
{
    tn_pose_nodes(posed, animation, seconds);
    tn_pose_vertices(posed);
}

// -- Looking up

const tn_verify_part *tn_part_of_vertex(const tn_posed_scene *posed, uint32_t vertex)
{
    uint32_t low = 0, high = posed->part_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (posed->parts[middle].first_vertex <= vertex)
            low = middle;
        else
            high = middle;
    }
    return &posed->parts[low];
}

uint32_t tn_main_joint(const tn_posed_scene *posed, uint32_t vertex)
{
    const tn_verify_part *part = tn_part_of_vertex(posed, vertex);
    const tenon_node *node = &posed->scene->nodes[part->node];
    const tenon_primitive *p = &posed->scene->meshes[part->mesh].primitives[part->primitive];
    if (node->skin == TENON_NONE || p->influence_count == 0) return part->node;
    size_t at = (size_t)(vertex - part->first_vertex) * p->influence_count, most = at;
    for (size_t i = at; i < at + p->influence_count; i++)
        if (p->weights[i] > p->weights[most]) most = i;
    return posed->scene->skins[node->skin].joints[p->joints[most]];
}
