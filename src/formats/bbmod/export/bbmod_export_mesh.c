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
    bbmod_exporter *w;
    bbmod_variant *variants;
    uint32_t variant_count;
    uint32_t *newest;   // The last variant of each mesh of the scene; TENON_NONE if there is none.
    float levels[256];  // Linear values of color bytes.
} bbmod_mesh_exporter;

// State of exporting one part.
typedef struct bbmod_part_exporter {
    bbmod_mesh_exporter *m;
    const tn_part *part;
    const tenon_primitive *p;
    const tenon_layout *layout;
    bbmod_extent extent;
    uint64_t disputed_count, off_color_count;
} bbmod_part_exporter;

// -- Colors

// The byte with the nearest linear value.
static uint8_t bbmod_level(const bbmod_part_exporter *o, float value)
{
    const float *levels = o->m->levels;
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

static void bbmod_put_color(bbmod_part_exporter *o, const float *color, uint8_t *out)
{
    bool is_off = false;
    for (uint32_t k = 0; k < 3; k++) {
        out[k] = bbmod_level(o, color[k]);
        is_off = is_off || !(fabs((double)(o->m->levels[out[k]] - color[k])) <= LEVEL_SLACK);
    }
    double alpha = (double)color[3] > 0 ? (double)color[3] : 0;
    out[3] = (uint8_t)floor((alpha < 1 ? alpha : 1) * 255 + 0.5);
    is_off = is_off || !(fabs(out[3] / 255.0 - (double)color[3]) <= LEVEL_SLACK);
    o->off_color_count += is_off;
}

// -- Vertices

// The weighted mean of the bakes of a vertex's bones.
static tn_mat4 bbmod_mean_bake(bbmod_part_exporter *o, const uint32_t *bones, const float *weights)
{
    const bbmod_new_bone *all = o->m->w->bones;
    tn_mat4 mean = {{0}};
    bool agree = true;
    for (uint32_t k = 0; k < TN_INFLUENCES && weights[k] > 0; k++) {
        for (int i = 0; i < 16; i++) mean.m[i] += (double)weights[k] * all[bones[k]].bake.m[i];
        agree =
            agree && bbmod_move_alike(&all[bones[0]].bake, &all[bones[k]].bake, &o->extent, ALIKE);
    }
    o->disputed_count += !agree;
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

static uint8_t *bbmod_append_influences(bbmod_part_exporter *o, uint8_t *at, uint32_t vertex,
                                        tn_mat4 *bake)
{
    const bbmod_exporter *w = o->m->w;
    uint32_t bones[TN_INFLUENCES];
    float weights[TN_INFLUENCES], slots[TN_INFLUENCES] = {0};
    (void)tn_part_influences(o->part, vertex, bones, weights);
    for (uint32_t k = 0; k < TN_INFLUENCES && weights[k] > 0; k++)
        slots[k] = (float)w->limbs[w->bones[bones[k]].limb].slot;
    *bake = bbmod_mean_bake(o, bones, weights);
    return bbmod_append(bbmod_append(at, slots, TN_INFLUENCES), weights, TN_INFLUENCES);
}

// Store a vertex, in the order of the layout. Returns whether the bake mirrors it.
static bool bbmod_mold_vertex(bbmod_part_exporter *o, uint32_t vertex, uint8_t *record)
{
    const tenon_primitive *p = o->p;
    size_t i = vertex;
    tn_mat4 identity = tn_mat4_identity();
    tn_mat4 bake =
        tn_mat4_from_mat3(&o->m->w->bodies[o->part->node].stretch.matrix, (tn_vec3){0, 0, 0});
    uint8_t *at = bbmod_append_mirrored(record, p->positions + 3 * i, 3);
    at = bbmod_append_mirrored(at, p->normals + 3 * i, 3);
    if (p->uvs[0]) at = bbmod_append(at, p->uvs[0] + 2 * i, 2);
    if (p->uvs[1]) at = bbmod_append(at, p->uvs[1] + 2 * i, 2);
    if (p->colors[0]) {
        bbmod_put_color(o, p->colors[0] + 4 * i, at);
        at += 4;
    }
    uint8_t *side = at + 12;
    if (p->tangents) at = bbmod_append_mirrored(at, p->tangents + 4 * i, 4);
    if (bbmod_has_bones(o->part)) (void)bbmod_append_influences(o, at, vertex, &bake);
    if (bbmod_move_alike(&identity, &bake, &o->extent, UNTOUCHED)) return false;
    tn_mat4 mirrored = tn_mirror_mat4(&bake);
    tenon_bbmod_mesh one = {
        .vertices = {.data = record, .size = o->layout->stride, .count = 1, .layout = o->layout}};
    bbmod_move_vertices(&one, &mirrored);
    bool is_turned = tn_mat4_determinant(&bake) < 0;
    if (is_turned && p->tangents) side[3] ^= 0x80;  // Flip the sign of the float.
    return is_turned;
}

// -- Pieces

// Mirroring reverses the winding of triangles, except where the bake mirrors as well.
static bool bbmod_mold_pieces(bbmod_part_exporter *o, const uint8_t *records, const bool *is_turned,
                              uint8_t *out)
{
    size_t stride = (size_t)o->layout->stride;
    uint32_t size = tn_piece_size(o->p->mode);
    uint64_t count = tn_piece_count(o->p);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t v[3] = {0, 0, 0};
        if (!tn_export_goes_on(o->m->w->e, 1)) return false;
        tn_piece_at(o->p, i, v);
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

static bool bbmod_mold(bbmod_part_exporter *o, uint8_t *out)
{
    tn_mark mark = tn_arena_mark(o->m->w->e->arena);
    size_t stride = (size_t)o->layout->stride;
    uint8_t *records = tn_export_alloc(o->m->w->e, o->p->vertex_count, stride);
    bool *is_turned = tn_export_alloc(o->m->w->e, o->p->vertex_count, sizeof *is_turned);
    if (!records || !is_turned) return false;
    for (uint32_t i = 0; i < o->p->vertex_count; i++) {
        if (!tn_export_goes_on(o->m->w->e, 1)) return false;
        is_turned[i] = bbmod_mold_vertex(o, i, records + i * stride);
    }
    bool ok = bbmod_mold_pieces(o, records, is_turned, out);
    tn_arena_rewind(o->m->w->e->arena, mark);
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

static bool bbmod_begin_mesh(bbmod_part_exporter *o, tenon_bbmod_mesh *mesh, uint8_t **bytes)
{
    const bbmod_exporter *w = o->m->w;
    tn_refusal why;
    mesh->vertex_format = bbmod_format_of(o->part);
    mesh->primitive_type = bbmod_type_of(o->p->mode);
    mesh->material_index = o->p->material == TENON_NONE ? w->default_material : o->p->material;
    o->layout =
        bbmod_vertex_layout(&mesh->vertex_format, w->doc->base.dialect->flags, w->e->arena, &why);
    if (!o->layout) return tn_error(w->e->err, TENON_ERR_MEMORY, "out of memory while writing");
    uint64_t count = tn_piece_count(o->p) * tn_piece_size(o->p->mode);
    if (count > UINT32_MAX)
        return tn_error(w->e->err, TENON_ERR_LIMIT, "a mesh has too many vertices for BBMOD");
    *bytes = tn_export_alloc(w->e, count, (size_t)o->layout->stride);
    mesh->vertices = (tenon_span){
        .data = *bytes, .size = count * o->layout->stride, .count = count, .layout = o->layout};
    return *bytes != NULL;
}

// Corners after the last complete line or triangle of a list.
static uint64_t bbmod_leftover(const tenon_primitive *p)
{
    bool is_list = p->mode == TENON_LINES || p->mode == TENON_TRIANGLES;
    uint64_t corners = p->indices ? p->index_count : p->vertex_count;
    return is_list ? corners % tn_piece_size(p->mode) : 0;
}

static bool bbmod_export_mesh(bbmod_mesh_exporter *m, const tn_part *part)
{
    bbmod_exporter *w = m->w;
    bbmod_part_exporter o = {
        .m = m, .part = part, .p = part->p, .extent = bbmod_extent_of(part->p)};
    tenon_bbmod_mesh *mesh = &w->doc->meshes[w->doc->mesh_count++];
    uint8_t *bytes = NULL;
    if (!bbmod_begin_mesh(&o, mesh, &bytes) || !bbmod_mold(&o, bytes)) return false;
    if (tn_span_not_finite(&mesh->vertices, NULL) != TENON_ABSENT)
        return tn_error(w->e->err, TENON_ERR_VALUE, "a vertex position is too large for BBMOD");
    bbmod_set_bounds(mesh);
    tn_tally_at(&w->notes.leftover, bbmod_leftover(part->p), "meshes", part->mesh);
    tn_tally_at(&w->notes.disputed, o.disputed_count, "meshes", part->mesh);
    tn_tally_at(&w->notes.colors, o.off_color_count, "meshes", part->mesh);
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
static uint32_t bbmod_find_variant(const bbmod_mesh_exporter *m, uint32_t node)
{
    const bbmod_exporter *w = m->w;
    const tenon_node *own = &w->s->nodes[node];
    uint32_t at = w->rigid == TN_RIGID_WITHOUT_BONES ? m->newest[own->mesh] : TENON_NONE;
    for (int i = 0; i < VARIANTS_MOST && at != TENON_NONE; i++, at = m->variants[at].next) {
        uint32_t other = m->variants[at].node;
        if (w->s->nodes[other].skin == own->skin &&
            bbmod_is_same_stretch(&w->bodies[other].stretch.matrix,
                                  &w->bodies[node].stretch.matrix))
            return other;
    }
    return TENON_NONE;
}

static void bbmod_add_variant(bbmod_mesh_exporter *m, uint32_t node)
{
    uint32_t *newest = &m->newest[m->w->s->nodes[node].mesh];
    m->variants[m->variant_count] = (bbmod_variant){node, *newest};
    *newest = m->variant_count++;
}

// -- Nodes

// Export the parts of one node, from `first` on. Returns the first part of the next node; 0 on
// failure.
static uint32_t bbmod_show_parts(bbmod_mesh_exporter *m, uint32_t first, uint32_t *ref_count)
{
    bbmod_exporter *w = m->w;
    uint32_t node = w->rig.parts[first].node, end = first;
    uint32_t twin = bbmod_find_variant(m, node);
    bbmod_node_plan *limb = &w->limbs[w->bodies[node].limb];
    limb->first_ref = *ref_count;
    for (; end < w->rig.part_count && w->rig.parts[end].node == node; end++) {
        if (twin != TENON_NONE) continue;
        if (tn_piece_count(w->rig.parts[end].p) == 0) {
            tn_tally_at(&w->notes.empty, 1, "meshes", w->rig.parts[end].mesh);
            continue;
        }
        w->refs[(*ref_count)++] = w->doc->mesh_count;
        if (!bbmod_export_mesh(m, &w->rig.parts[end])) return 0;
    }
    if (twin == TENON_NONE) {
        bbmod_add_variant(m, node);
    } else {
        const bbmod_node_plan *other = &w->limbs[w->bodies[twin].limb];
        for (uint32_t i = 0; i < other->ref_count; i++)
            w->refs[(*ref_count)++] = w->refs[other->first_ref + i];
    }
    limb->ref_count = *ref_count - limb->first_ref;
    return end;
}

bool bbmod_export_meshes(bbmod_exporter *w)
{
    bbmod_mesh_exporter m = {.w = w};
    uint32_t ref_count = 0;
    m.variants = tn_export_alloc(w->e, w->s->node_count, sizeof *m.variants);
    m.newest = tn_export_alloc(w->e, w->s->mesh_count, sizeof *m.newest);
    w->refs = tn_export_alloc(w->e, w->rig.part_count, sizeof *w->refs);
    w->doc->meshes = tn_export_alloc(w->e, w->rig.part_count, sizeof *w->doc->meshes);
    if (!m.variants || !m.newest || !w->refs || !w->doc->meshes) return false;
    for (uint32_t i = 0; i < w->s->mesh_count; i++) m.newest[i] = TENON_NONE;
    for (int i = 0; i < 256; i++) m.levels[i] = (float)tn_linear_from_srgb(i / 255.0);
    for (uint32_t i = 0; i < w->rig.part_count;) {
        i = bbmod_show_parts(&m, i, &ref_count);
        if (i == 0) return false;
    }
    return true;
}
