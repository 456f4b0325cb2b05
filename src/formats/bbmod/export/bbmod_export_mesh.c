// bbmod_export_mesh.c: exporting parts of a scene as meshes: lists of points, lines or triangles,
// without shared vertices.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/export/bbmod_export.h"

#include "formats/bbmod/bbmod_format.h"
#include "formats/bbmod/dialects/bbmod_dialects.h"

#include "core/cursor/span.h"
#include "scene/model/pieces.h"
#include "scene/model/space.h"

#include <math.h>
#include <string.h>

#define ALIKE         1e-5  // Smaller differences between the bakes of bones are ignored.
#define UNTOUCHED     2e-6  // A bake that moves vertices less than this is not applied.
#define VARIANTS_MOST 8     // Exported variants of a mesh that are compared.
#define LEVEL_SLACK   1e-6

// A mesh as exported for one node, so that other nodes can use it.
typedef struct bbmod_variant {
    uint32_t node;
    uint32_t next;  // Of the same mesh; TENON_NONE at the end.
} bbmod_variant;

typedef struct bbmod_mesh_exporter {
    bbmod_exporter *exporter;
    bbmod_variant *variants;
    uint32_t variant_count;
    uint32_t *newest;   // The last variant of each mesh of the scene; TENON_NONE if there is none.
    float levels[256];  // Linear values of color bytes.
    // The current part:
    const tn_part *part;
    const tenon_layout *layout;
    tn_vertices to;
    bbmod_extent extent;
    uint64_t bake_count;   // Vertices whose bones have different bakes.
    uint64_t color_count;  // Vertices whose color is rounded.
} bbmod_mesh_exporter;

// -- Vertices

// Returns whether the color was rounded.
static bool bbmod_export_store_color(const float levels[256], const float *color, uint8_t *out)
{
    bool is_rounded = false;
    for (uint32_t k = 0; k < 3; k++) {
        out[k] = tn_srgb_byte(levels, (double)color[k]);
        if (!(fabs((double)(levels[out[k]] - color[k])) <= LEVEL_SLACK)) is_rounded = true;
    }
    double alpha = (double)color[3] > 0 ? (double)color[3] : 0;
    out[3] = (uint8_t)floor((alpha < 1 ? alpha : 1) * 255 + 0.5);
    return is_rounded || !(fabs(out[3] / 255.0 - (double)color[3]) <= LEVEL_SLACK);
}

// Store bones and weights. Returns the weighted mean of the bakes of the bones.
static tn_mat4 bbmod_export_store_influences(bbmod_mesh_exporter *meshes, uint32_t vertex,
                                             uint8_t *record)
{
    const bbmod_exporter *exporter = meshes->exporter;
    uint32_t bones[TN_INFLUENCES];
    float weights[TN_INFLUENCES], slots[TN_INFLUENCES] = {0};
    tn_mat4 mean = {{0}};
    bool agree = true;
    (void)tn_part_influences(meshes->part, vertex, bones, weights);
    const tn_mat4 *first = &exporter->bones[bones[0]].bake;
    for (uint32_t k = 0; k < TN_INFLUENCES && weights[k] > 0; k++) {
        const bbmod_bone_plan *bone = &exporter->bones[bones[k]];
        slots[k] = (float)exporter->plans[bone->plan].slot;
        for (int i = 0; i < 16; i++) mean.m[i] += (double)weights[k] * bone->bake.m[i];
        agree = agree && bbmod_export_matrices_agree(first, &bone->bake, &meshes->extent, ALIKE);
    }
    meshes->bake_count += !agree;
    tn_copy_numbers(record + meshes->to.streams[TN_JOINTS].offset, slots, TN_INFLUENCES, 4, false);
    tn_copy_numbers(record + meshes->to.streams[TN_WEIGHTS].offset, weights, TN_INFLUENCES, 4,
                    false);
    return mean;
}

// Store the vertices of all points, lines or triangles.
static bool bbmod_export_store_vertices(bbmod_mesh_exporter *meshes, uint8_t *out)
{
    const tn_export *export = meshes->exporter->export;
    const tn_part *part = meshes->part;
    const tenon_primitive *p = part->p;
    const tenon_layout *layout = meshes->layout;
    const tn_mat4 identity = tn_mat4_identity();
    const tn_mat4 stretch = tn_mat4_from_mat3(&meshes->exporter->sources[part->node].stretch.matrix,
                                              (tn_vec3){0, 0, 0});
    tn_mark mark = tn_arena_mark(export->arena);
    size_t stride = (size_t)layout->stride;
    uint8_t *records = tn_export_alloc(export, p->vertex_count, stride);
    bool *is_mirrored = tn_export_alloc(export, p->vertex_count, sizeof *is_mirrored);
    if (!records || !is_mirrored) return false;
    tn_pack_vertices(&meshes->to, p, records);
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        uint8_t *record = records + i * stride;
        if (!tn_export_goes_on(export, 1)) return false;
        if (p->colors[0])
            meshes->color_count +=
                bbmod_export_store_color(meshes->levels, p->colors[0] + 4 * (size_t)i,
                                         record + tn_layout_find(layout, "color")->offset);
        tn_mat4 bake = stretch;
        if (bbmod_export_has_bones(part)) bake = bbmod_export_store_influences(meshes, i, record);
        if (bbmod_export_matrices_agree(&identity, &bake, &meshes->extent, UNTOUCHED)) continue;
        tn_mat4 mirrored = tn_mirror_mat4(&bake);
        tenon_bbmod_mesh one = {.vertices = bbmod_span(record, 1, layout)};
        bbmod_move_vertices(&one, 0, 1, &mirrored);
        is_mirrored[i] = tn_mat4_determinant(&bake) < 0;
        // Flip the sign of the fourth number.
        if (is_mirrored[i] && p->tangents)
            record[meshes->to.streams[TN_TANGENT].offset + 15] ^= 0x80;
    }
    uint32_t size = tn_piece_size(p->mode);
    uint64_t count = tn_piece_count(p);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t v[3] = {0, 0, 0};
        if (!tn_export_goes_on(export, 1)) return false;
        tn_piece_at(p, i, v);
        // Reverse the winding, because the space is mirrored, unless the baked transform mirrors as
        // well.
        if (size == 3 && !is_mirrored[v[0]]) tn_reverse_triangle(v);
        for (uint32_t k = 0; k < size; k++, out += stride)
            memcpy(out, records + v[k] * stride, stride);
    }
    tn_arena_rewind(export->arena, mark);
    return true;
}

// -- Meshes

static bool bbmod_export_mesh(bbmod_mesh_exporter *meshes, const tn_part *part)
{
    bbmod_exporter *exporter = meshes->exporter;
    const tn_export *export = exporter->export;
    const tenon_primitive *p = part->p;
    tenon_bbmod_mesh *mesh = &exporter->doc->meshes[exporter->doc->mesh_count++];
    uint32_t piece_size = tn_piece_size(p->mode);
    // As the engine's converter does, leave out attributes that the source does not have.
    mesh->vertex_format = (tenon_bbmod_vertex_format){.vertices = 1,
                                                      .normals = 1,
                                                      .texture_coords = p->uvs[0] != NULL,
                                                      .texture_coords2 = p->uvs[1] != NULL,
                                                      .colors = p->colors[0] != NULL,
                                                      .tangent_w = p->tangents != NULL,
                                                      .bones = bbmod_export_has_bones(part)};
    mesh->primitive_type = piece_size == 1   ? TENON_BBMOD_POINTS
                           : piece_size == 2 ? TENON_BBMOD_LINES
                                             : TENON_BBMOD_TRIANGLES;
    mesh->material_index = p->material == TENON_NONE ? exporter->default_material : p->material;
    const tenon_layout *layout = bbmod_vertex_layout(
        &mesh->vertex_format, exporter->doc->base.dialect->flags, export->arena, export->err);
    if (!layout) return false;
    uint64_t count = tn_piece_count(p) * piece_size;
    if (count > UINT32_MAX)
        return tn_error(export->err, TENON_ERR_LIMIT, "a mesh has too many vertices for BBMOD");
    uint8_t *bytes = tn_export_alloc(export, count, (size_t)layout->stride);
    if (!bytes) return false;
    mesh->vertices = bbmod_span(bytes, count, layout);
    meshes->part = part;
    meshes->layout = layout;
    meshes->to = bbmod_streams(&mesh->vertices);
    meshes->extent = bbmod_export_extent_of(p);
    meshes->bake_count = meshes->color_count = 0;
    if (!bbmod_export_store_vertices(meshes, bytes)) return false;
    if (tn_span_not_finite(&mesh->vertices, NULL) != TENON_ABSENT)
        return tn_error(export->err, TENON_ERR_VALUE, "a vertex position is too large for BBMOD");
    bbmod_set_bounds(mesh);
    // Corners after the last complete line or triangle of a list.
    bool is_list = p->mode == TENON_LINES || p->mode == TENON_TRIANGLES;
    uint64_t corners = p->indices ? p->index_count : p->vertex_count;
    tn_tally_at(&exporter->tallies.leftover, is_list ? corners % piece_size : 0, "meshes",
                part->mesh);
    tn_tally_at(&exporter->tallies.bakes, meshes->bake_count, "meshes", part->mesh);
    tn_tally_at(&exporter->tallies.colors, meshes->color_count, "meshes", part->mesh);
    return true;
}

// -- Meshes of several nodes

// An exported node with the same mesh, skin and stretch; TENON_NONE if there is none.
static uint32_t bbmod_export_find_variant(const bbmod_mesh_exporter *meshes, uint32_t node)
{
    const bbmod_exporter *exporter = meshes->exporter;
    const tenon_node *own = &exporter->scene->nodes[node];
    bool is_free = exporter->rigid == TN_RIGID_WITHOUT_BONES;
    uint32_t at = is_free ? meshes->newest[own->mesh] : TENON_NONE;
    for (int i = 0; i < VARIANTS_MOST && at != TENON_NONE; i++, at = meshes->variants[at].next) {
        uint32_t other = meshes->variants[at].node;
        const double *a = exporter->sources[other].stretch.matrix.m;
        const double *b = exporter->sources[node].stretch.matrix.m;
        double size = 0, gap = 0;
        for (int k = 0; k < 9; k++) {
            if (fabs(a[k]) > size) size = fabs(a[k]);
            if (fabs(a[k] - b[k]) > gap) gap = fabs(a[k] - b[k]);
        }
        if (exporter->scene->nodes[other].skin == own->skin && gap <= 1e-7 * size) return other;
    }
    return TENON_NONE;
}

// -- Nodes

bool bbmod_export_meshes(bbmod_exporter *exporter)
{
    const tn_export *export = exporter->export;
    const tenon_scene *scene = exporter->scene;
    uint32_t part_count = exporter->rig.part_count, ref_count = 0;
    bbmod_mesh_exporter meshes = {.exporter = exporter};
    meshes.variants = tn_export_alloc(export, scene->node_count, sizeof *meshes.variants);
    meshes.newest = tn_export_alloc(export, scene->mesh_count, sizeof *meshes.newest);
    exporter->refs = tn_export_alloc(export, part_count, sizeof *exporter->refs);
    exporter->doc->meshes = tn_export_alloc(export, part_count, sizeof *exporter->doc->meshes);
    if (!meshes.variants || !meshes.newest || !exporter->refs || !exporter->doc->meshes)
        return false;
    for (uint32_t i = 0; i < scene->mesh_count; i++) meshes.newest[i] = TENON_NONE;
    tn_srgb_levels(meshes.levels);
    const tn_part *parts = exporter->rig.parts;
    for (uint32_t first = 0, end = 0; first < part_count; first = end) {
        uint32_t node = parts[first].node;
        bbmod_node_plan *plan = &exporter->plans[exporter->sources[node].plan];
        plan->first_ref = ref_count;
        while (end < part_count && parts[end].node == node) end++;
        uint32_t twin = bbmod_export_find_variant(&meshes, node);
        if (twin != TENON_NONE) {
            const bbmod_node_plan *other = &exporter->plans[exporter->sources[twin].plan];
            for (uint32_t i = 0; i < other->ref_count; i++)
                exporter->refs[ref_count++] = exporter->refs[other->first_ref + i];
            plan->ref_count = other->ref_count;
            continue;
        }
        for (uint32_t i = first; i < end; i++) {
            bool is_empty = tn_piece_count(parts[i].p) == 0;
            tn_tally_at(&exporter->tallies.empty, is_empty, "meshes", parts[i].mesh);
            if (is_empty) continue;
            exporter->refs[ref_count++] = exporter->doc->mesh_count;
            if (!bbmod_export_mesh(&meshes, &parts[i])) return false;
        }
        uint32_t *newest = &meshes.newest[scene->nodes[node].mesh];
        meshes.variants[meshes.variant_count] = (bbmod_variant){node, *newest};
        *newest = meshes.variant_count++;
        plan->ref_count = ref_count - plan->first_ref;
    }
    return true;
}
