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
} bbmod_mesh_exporter;

// State of exporting one part.
typedef struct bbmod_part_exporter {
    bbmod_mesh_exporter *meshes;
    const tn_part *part;
    const tenon_primitive *p;
    const tenon_layout *layout;
    bbmod_extent extent;
    uint64_t disputed_count, off_color_count;
} bbmod_part_exporter;

// -- Colors

// The byte with the nearest linear value.
static uint8_t bbmod_level(const bbmod_part_exporter *part_exporter, float value)
{
    const float *levels = part_exporter->meshes->levels;
    uint32_t low = 0, high = 255;
    if (!(value > 0)) return 0;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (levels[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    return (uint8_t)(levels[high] - value < value - levels[low] ? high : low);
}

static void bbmod_store_color(bbmod_part_exporter *part_exporter, const float *color, uint8_t *out)
{
    bool is_off = false;
    for (uint32_t k = 0; k < 3; k++) {
        out[k] = bbmod_level(part_exporter, color[k]);
        is_off = is_off ||
                 !(fabs((double)(part_exporter->meshes->levels[out[k]] - color[k])) <= LEVEL_SLACK);
    }
    double alpha = (double)color[3] > 0 ? (double)color[3] : 0;
    out[3] = (uint8_t)floor((alpha < 1 ? alpha : 1) * 255 + 0.5);
    is_off = is_off || !(fabs(out[3] / 255.0 - (double)color[3]) <= LEVEL_SLACK);
    part_exporter->off_color_count += is_off;
}

// -- Vertices

// The weighted mean of the bakes of a vertex's bones.
static tn_mat4 bbmod_mean_bake(bbmod_part_exporter *part_exporter, const uint32_t *bones,
                               const float *weights)
{
    const bbmod_new_bone *all = part_exporter->meshes->exporter->bones;
    tn_mat4 mean = {{0}};
    bool agree = true;
    for (uint32_t k = 0; k < TN_INFLUENCES && weights[k] > 0; k++) {
        for (int i = 0; i < 16; i++) mean.m[i] += (double)weights[k] * all[bones[k]].bake.m[i];
        agree = agree && bbmod_matrices_agree(&all[bones[0]].bake, &all[bones[k]].bake,
                                              &part_exporter->extent, ALIKE);
    }
    part_exporter->disputed_count += !agree;
    return mean;
}

static uint8_t *bbmod_append(uint8_t *at, const float *numbers, uint32_t count)
{
    tn_copy_numbers(at, numbers, count, 4, false);
    return at + 4 * (size_t)count;
}

static uint8_t *bbmod_append_mirrored(uint8_t *at, const float *numbers, uint32_t count)
{
    float mirrored[4];
    memcpy(mirrored, numbers, count * sizeof *mirrored);
    tn_mirror_floats(mirrored, 1, count);
    return bbmod_append(at, mirrored, count);
}

static uint8_t *bbmod_append_influences(bbmod_part_exporter *part_exporter, uint8_t *at,
                                        uint32_t vertex, tn_mat4 *bake)
{
    const bbmod_exporter *exporter = part_exporter->meshes->exporter;
    uint32_t bones[TN_INFLUENCES];
    float weights[TN_INFLUENCES], slots[TN_INFLUENCES] = {0};
    (void)tn_part_influences(part_exporter->part, vertex, bones, weights);
    for (uint32_t k = 0; k < TN_INFLUENCES && weights[k] > 0; k++)
        slots[k] = (float)exporter->plans[exporter->bones[bones[k]].plan].slot;
    *bake = bbmod_mean_bake(part_exporter, bones, weights);
    return bbmod_append(bbmod_append(at, slots, TN_INFLUENCES), weights, TN_INFLUENCES);
}

// Store a vertex, in the order of the layout. Returns whether the bake mirrors it.
static bool bbmod_store_vertex(bbmod_part_exporter *part_exporter, uint32_t vertex, uint8_t *record)
{
    const tenon_primitive *p = part_exporter->p;
    size_t i = vertex;
    tn_mat4 identity = tn_mat4_identity();
    tn_mat4 bake = tn_mat4_from_mat3(
        &part_exporter->meshes->exporter->sources[part_exporter->part->node].stretch.matrix,
        (tn_vec3){0, 0, 0});
    uint8_t *at = bbmod_append_mirrored(record, p->positions + 3 * i, 3);
    at = bbmod_append_mirrored(at, p->normals + 3 * i, 3);
    if (p->uvs[0]) at = bbmod_append(at, p->uvs[0] + 2 * i, 2);
    if (p->uvs[1]) at = bbmod_append(at, p->uvs[1] + 2 * i, 2);
    if (p->colors[0]) {
        bbmod_store_color(part_exporter, p->colors[0] + 4 * i, at);
        at += 4;
    }
    uint8_t *side = at + 12;
    if (p->tangents) at = bbmod_append_mirrored(at, p->tangents + 4 * i, 4);
    if (bbmod_has_bones(part_exporter->part))
        (void)bbmod_append_influences(part_exporter, at, vertex, &bake);
    if (bbmod_matrices_agree(&identity, &bake, &part_exporter->extent, UNTOUCHED)) return false;
    tn_mat4 mirrored = tn_mirror_mat4(&bake);
    tenon_bbmod_mesh one = {.vertices = {.data = record,
                                         .size = part_exporter->layout->stride,
                                         .count = 1,
                                         .layout = part_exporter->layout}};
    bbmod_move_vertices(&one, &mirrored);
    bool is_turned = tn_mat4_determinant(&bake) < 0;
    if (is_turned && p->tangents) side[3] ^= 0x80;  // Flip the sign of the float.
    return is_turned;
}

// -- Pieces

// Mirroring reverses the winding of triangles, except where the bake mirrors as well.
static bool bbmod_store_pieces(bbmod_part_exporter *part_exporter, const uint8_t *records,
                               const bool *is_turned, uint8_t *out)
{
    size_t stride = (size_t)part_exporter->layout->stride;
    uint32_t size = tn_piece_size(part_exporter->p->mode);
    uint64_t count = tn_piece_count(part_exporter->p);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t v[3] = {0, 0, 0};
        if (!tn_export_goes_on(part_exporter->meshes->exporter->export, 1)) return false;
        tn_piece_at(part_exporter->p, i, v);
        if (size == 3 && !is_turned[v[0]]) {
            uint32_t second = v[1];
            v[1] = v[2];
            v[2] = second;
        }
        for (uint32_t k = 0; k < size; k++, out += stride)
            memcpy(out, records + v[k] * stride, stride);
    }
    return true;
}

static bool bbmod_store_vertices(bbmod_part_exporter *part_exporter, uint8_t *out)
{
    tn_mark mark = tn_arena_mark(part_exporter->meshes->exporter->export->arena);
    size_t stride = (size_t)part_exporter->layout->stride;
    uint8_t *records = tn_export_alloc(part_exporter->meshes->exporter->export,
                                       part_exporter->p->vertex_count, stride);
    bool *is_turned = tn_export_alloc(part_exporter->meshes->exporter->export,
                                      part_exporter->p->vertex_count, sizeof *is_turned);
    if (!records || !is_turned) return false;
    for (uint32_t i = 0; i < part_exporter->p->vertex_count; i++) {
        if (!tn_export_goes_on(part_exporter->meshes->exporter->export, 1)) return false;
        is_turned[i] = bbmod_store_vertex(part_exporter, i, records + i * stride);
    }
    bool ok = bbmod_store_pieces(part_exporter, records, is_turned, out);
    tn_arena_rewind(part_exporter->meshes->exporter->export->arena, mark);
    return ok;
}

// -- Meshes

// As the engine's converter does, leave out attributes that the source does not have.
static tenon_bbmod_vertex_format bbmod_format_of(const tn_part *part)
{
    return (tenon_bbmod_vertex_format){.vertices = 1,
                                       .normals = 1,
                                       .texture_coords = part->p->uvs[0] != NULL,
                                       .texture_coords2 = part->p->uvs[1] != NULL,
                                       .colors = part->p->colors[0] != NULL,
                                       .tangent_w = part->p->tangents != NULL,
                                       .bones = bbmod_has_bones(part)};
}

static uint32_t bbmod_type_of(tenon_mode mode)
{
    uint32_t size = tn_piece_size(mode);
    return size == 1 ? TENON_BBMOD_POINTS : size == 2 ? TENON_BBMOD_LINES : TENON_BBMOD_TRIANGLES;
}

static bool bbmod_begin_mesh(bbmod_part_exporter *part_exporter, tenon_bbmod_mesh *mesh,
                             uint8_t **bytes)
{
    const bbmod_exporter *exporter = part_exporter->meshes->exporter;
    tn_refusal why;
    mesh->vertex_format = bbmod_format_of(part_exporter->part);
    mesh->primitive_type = bbmod_type_of(part_exporter->p->mode);
    mesh->material_index = part_exporter->p->material == TENON_NONE ? exporter->default_material
                                                                    : part_exporter->p->material;
    part_exporter->layout = bbmod_vertex_layout(
        &mesh->vertex_format, exporter->doc->base.dialect->flags, exporter->export->arena, &why);
    if (!part_exporter->layout)
        return tn_error(exporter->export->err, TENON_ERR_MEMORY, "out of memory while writing");
    uint64_t count = tn_piece_count(part_exporter->p) * tn_piece_size(part_exporter->p->mode);
    if (count > UINT32_MAX)
        return tn_error(exporter->export->err, TENON_ERR_LIMIT,
                        "a mesh has too many vertices for BBMOD");
    *bytes = tn_export_alloc(exporter->export, count, (size_t)part_exporter->layout->stride);
    mesh->vertices = (tenon_span){.data = *bytes,
                                  .size = count * part_exporter->layout->stride,
                                  .count = count,
                                  .layout = part_exporter->layout};
    return *bytes != NULL;
}

// Corners after the last complete line or triangle of a list.
static uint64_t bbmod_leftover(const tenon_primitive *p)
{
    bool is_list = p->mode == TENON_LINES || p->mode == TENON_TRIANGLES;
    uint64_t corners = p->indices ? p->index_count : p->vertex_count;
    return is_list ? corners % tn_piece_size(p->mode) : 0;
}

static bool bbmod_export_mesh(bbmod_mesh_exporter *meshes, const tn_part *part)
{
    bbmod_exporter *exporter = meshes->exporter;
    bbmod_part_exporter part_exporter = {
        .meshes = meshes, .part = part, .p = part->p, .extent = bbmod_extent_of(part->p)};
    tenon_bbmod_mesh *mesh = &exporter->doc->meshes[exporter->doc->mesh_count++];
    uint8_t *bytes = NULL;
    if (!bbmod_begin_mesh(&part_exporter, mesh, &bytes) ||
        !bbmod_store_vertices(&part_exporter, bytes))
        return false;
    if (tn_span_not_finite(&mesh->vertices, NULL) != TENON_ABSENT)
        return tn_error(exporter->export->err, TENON_ERR_VALUE,
                        "a vertex position is too large for BBMOD");
    bbmod_set_bounds(mesh);
    tn_tally_at(&exporter->tallies.leftover, bbmod_leftover(part->p), "meshes", part->mesh);
    tn_tally_at(&exporter->tallies.bakes, part_exporter.disputed_count, "meshes", part->mesh);
    tn_tally_at(&exporter->tallies.colors, part_exporter.off_color_count, "meshes", part->mesh);
    return true;
}

// -- Meshes of several nodes

static bool bbmod_is_same_stretch(const tn_mat3 *a, const tn_mat3 *b)
{
    double size = 0, gap = 0;
    for (int i = 0; i < 9; i++) {
        if (fabs(a->m[i]) > size) size = fabs(a->m[i]);
        if (fabs(a->m[i] - b->m[i]) > gap) gap = fabs(a->m[i] - b->m[i]);
    }
    return gap <= 1e-7 * size;
}

// An exported node with the same mesh, skin and stretch; TENON_NONE if there is none.
static uint32_t bbmod_find_variant(const bbmod_mesh_exporter *meshes, uint32_t node)
{
    const bbmod_exporter *exporter = meshes->exporter;
    const tenon_node *own = &exporter->scene->nodes[node];
    uint32_t at =
        exporter->rigid == TN_RIGID_WITHOUT_BONES ? meshes->newest[own->mesh] : TENON_NONE;
    for (int i = 0; i < VARIANTS_MOST && at != TENON_NONE; i++, at = meshes->variants[at].next) {
        uint32_t other = meshes->variants[at].node;
        if (exporter->scene->nodes[other].skin == own->skin &&
            bbmod_is_same_stretch(&exporter->sources[other].stretch.matrix,
                                  &exporter->sources[node].stretch.matrix))
            return other;
    }
    return TENON_NONE;
}

static void bbmod_add_variant(bbmod_mesh_exporter *meshes, uint32_t node)
{
    uint32_t *newest = &meshes->newest[meshes->exporter->scene->nodes[node].mesh];
    meshes->variants[meshes->variant_count] = (bbmod_variant){node, *newest};
    *newest = meshes->variant_count++;
}

// -- Nodes

// Export the parts of one node, from `first` on. Returns the first part of the next node; 0 on
// failure.
static uint32_t bbmod_show_parts(bbmod_mesh_exporter *meshes, uint32_t first, uint32_t *ref_count)
{
    bbmod_exporter *exporter = meshes->exporter;
    uint32_t node = exporter->rig.parts[first].node, end = first;
    uint32_t twin = bbmod_find_variant(meshes, node);
    bbmod_node_plan *plan = &exporter->plans[exporter->sources[node].plan];
    plan->first_ref = *ref_count;
    for (; end < exporter->rig.part_count && exporter->rig.parts[end].node == node; end++) {
        if (twin != TENON_NONE) continue;
        if (tn_piece_count(exporter->rig.parts[end].p) == 0) {
            tn_tally_at(&exporter->tallies.empty, 1, "meshes", exporter->rig.parts[end].mesh);
            continue;
        }
        exporter->refs[(*ref_count)++] = exporter->doc->mesh_count;
        if (!bbmod_export_mesh(meshes, &exporter->rig.parts[end])) return 0;
    }
    if (twin == TENON_NONE) {
        bbmod_add_variant(meshes, node);
    } else {
        const bbmod_node_plan *other = &exporter->plans[exporter->sources[twin].plan];
        for (uint32_t i = 0; i < other->ref_count; i++)
            exporter->refs[(*ref_count)++] = exporter->refs[other->first_ref + i];
    }
    plan->ref_count = *ref_count - plan->first_ref;
    return end;
}

bool bbmod_export_meshes(bbmod_exporter *exporter)
{
    bbmod_mesh_exporter meshes = {.exporter = exporter};
    uint32_t ref_count = 0;
    meshes.variants =
        tn_export_alloc(exporter->export, exporter->scene->node_count, sizeof *meshes.variants);
    meshes.newest =
        tn_export_alloc(exporter->export, exporter->scene->mesh_count, sizeof *meshes.newest);
    exporter->refs =
        tn_export_alloc(exporter->export, exporter->rig.part_count, sizeof *exporter->refs);
    exporter->doc->meshes =
        tn_export_alloc(exporter->export, exporter->rig.part_count, sizeof *exporter->doc->meshes);
    if (!meshes.variants || !meshes.newest || !exporter->refs || !exporter->doc->meshes)
        return false;
    for (uint32_t i = 0; i < exporter->scene->mesh_count; i++) meshes.newest[i] = TENON_NONE;
    for (int i = 0; i < 256; i++) meshes.levels[i] = (float)tn_linear_from_srgb(i / 255.0);
    for (uint32_t i = 0; i < exporter->rig.part_count;) {
        i = bbmod_show_parts(&meshes, i, &ref_count);
        if (i == 0) return false;
    }
    return true;
}
