// bbmod_import_mesh.c: the meshes of a BBMOD model: welding vertices, streams, indices.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/import/bbmod_import.h"

#include "formats/bbmod/bbmod_format.h"

#include "core/cursor/span.h"
#include "scene/model/space.h"

#include <string.h>

#define PROBES_MOST 128  // Slots of the hash table that are tried for one vertex.

// -- Meshes to import

// Vertices of each element of a list; 0 for strips, fans and unknown types.
static uint32_t bbmod_list_step(uint32_t type)
{
    return type == TENON_BBMOD_POINTS      ? 1
           : type == TENON_BBMOD_LINES     ? 2
           : type == TENON_BBMOD_TRIANGLES ? 3
                                           : 0;
}

// The number of points, lines or triangles.
static uint64_t bbmod_element_count(const tenon_bbmod_mesh *mesh)
{
    uint64_t count = mesh->vertices.count;
    if (mesh->primitive_type == TENON_BBMOD_POINTS) return count;
    if (mesh->primitive_type == TENON_BBMOD_LINES) return count / 2;
    if (mesh->primitive_type == TENON_BBMOD_LINE_STRIP) return count > 1 ? count - 1 : 0;
    return bbmod_triangle_count(mesh);
}

// Count how often nodes refer to each mesh.
static void bbmod_count_uses(bbmod_importer *m)
{
    const bbmod_tree *nodes = &m->view.nodes;
    bool is_listed = nodes->count && nodes->leaves[0].node;
    for (uint32_t i = 0; !is_listed && i < m->view.mesh_count; i++) m->shapes[i].use_count = 1;
    tn_tally unknown = {0};
    for (uint32_t n = 0; is_listed && n < nodes->count; n++) {
        const tenon_span *refs = &nodes->leaves[n].node->meshes;
        for (uint64_t i = 0; i < refs->count; i++) {
            uint32_t mesh = tn_span_u32(refs, i);
            if (mesh < m->view.mesh_count)
                m->shapes[mesh].use_count++;
            else
                bbmod_tally_leaf(&unknown, nodes, n);
        }
    }
    tn_tally_report(m->b, &unknown, TENON_DROPPED, "references to meshes",
                    "the meshes do not exist");
}

// Whether a mesh is imported; if not, the reason is counted.
static bool bbmod_judge(bbmod_importer *m, uint32_t index)
{
    const tenon_bbmod_mesh *mesh = m->view.meshes[index].mesh;
    bool is_known = bbmod_primitive_word(mesh->primitive_type) != NULL;
    bool has_positions = bbmod_element(&mesh->vertices, "position") != NULL;
    tn_tally *flaw = NULL;
    if (m->shapes[index].use_count == 0)
        flaw = &m->flaws.unused;
    else if (mesh->vertices.count == 0 && mesh->bare_vertex_count == 0)
        flaw = &m->flaws.empty;
    else if (!has_positions)
        flaw = &m->flaws.shapeless;
    else if (!is_known)
        flaw = &m->flaws.unknown;
    else if (bbmod_element_count(mesh) == 0)
        flaw = &m->flaws.empty;
    if (flaw) bbmod_tally_mesh(m, flaw, 1, index);
    return !flaw;
}

bool bbmod_judge_meshes(bbmod_importer *m)
{
    bool some_skinned = false;
    m->shapes = bbmod_scratch(m, m->view.mesh_count, sizeof *m->shapes);
    if (!m->shapes) return false;
    bbmod_count_uses(m);
    for (uint32_t i = 0; i < m->view.mesh_count; i++) {
        bbmod_shape *shape = &m->shapes[i];
        const tenon_span *vertices = &m->view.meshes[i].mesh->vertices;
        shape->shared = TENON_NONE;
        shape->is_shown = bbmod_judge(m, i);
        shape->is_skinned = shape->is_shown && bbmod_element(vertices, "bone_indices");
        some_skinned = some_skinned || shape->is_skinned;
    }
    return some_skinned;
}

// -- Welding

// The vertex of each corner of a mesh. Vertices are numbered in order of their first corner.
typedef struct bbmod_weld {
    const tenon_span *corners;
    uint32_t *numbers;
    uint32_t vertex_count;
} bbmod_weld;

// Fibonacci hashing word by word: the size of records is a multiple of 4.
static uint64_t bbmod_hash(const uint8_t *record, uint64_t size)
{
    uint64_t hash = size;
    for (uint64_t i = 0; i < size; i += 4) {
        hash = (hash ^ tn_load32(record + i, false)) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

// The vertex of corner `i`. The number of probes is limited, so a file that provokes collisions
// gets some duplicate vertices, but does not take long.
static uint32_t bbmod_weld_corner(bbmod_weld *w, uint32_t *table, uint64_t mask, uint32_t i)
{
    uint64_t stride = w->corners->layout->stride;
    const uint8_t *record = tn_span_record(w->corners, i);
    uint64_t at = bbmod_hash(record, stride);
    for (int probes = 0; probes < PROBES_MOST; probes++, at++) {
        uint32_t *place = &table[at & mask];
        if (*place == 0) {
            *place = i + 1;
            break;
        }
        if (memcmp(tn_span_record(w->corners, *place - 1), record, (size_t)stride) == 0)
            return w->numbers[*place - 1];
    }
    return w->vertex_count++;
}

// Corners with the same bits are one vertex.
static bool bbmod_weld_mesh(bbmod_importer *m, const tenon_span *corners, bbmod_weld *w)
{
    uint64_t size = 16;
    while (size < 2 * corners->count) size *= 2;
    *w = (bbmod_weld){.corners = corners};
    if (corners->count >= TENON_NONE)
        return tn_scene_fail(m->b, TENON_ERR_LIMIT, NULL, "a mesh has too many vertices");
    w->numbers = bbmod_scratch(m, corners->count, sizeof *w->numbers);
    uint32_t *table = bbmod_scratch(m, size, sizeof *table);
    if (m->b->failed) return false;
    for (uint32_t i = 0; i < corners->count; i++)
        w->numbers[i] = bbmod_weld_corner(w, table, size - 1, i);
    return true;
}

// -- Streams

// Copy the floats of an attribute, once for each vertex.
static void bbmod_gather(const bbmod_weld *w, const char *name, float *out)
{
    const tenon_element *element = bbmod_element(w->corners, name);
    uint32_t next = 0;
    for (uint32_t i = 0; element && out && next < w->vertex_count; i++) {
        if (w->numbers[i] != next) continue;
        tn_span_f32(w->corners, element, i, 1, out + (size_t)next * element->count);
        next++;
    }
}

// In version 0 and in the document, blue is first.
static void bbmod_gather_colors(bbmod_importer *m, const bbmod_weld *w, float *out)
{
    const tenon_element *element = bbmod_element(w->corners, "color");
    bool is_swapped = bbmod_is_v0_doc(m->doc) || bbmod_has(m->doc, TENON_BBMOD_DOCUMENT);
    uint32_t next = 0;
    for (uint32_t i = 0; element && out && next < w->vertex_count; i++) {
        if (w->numbers[i] != next) continue;
        const uint8_t *bytes = tn_span_record(w->corners, i) + element->offset;
        float *color = out + 4 * (size_t)next++;
        color[0] = m->linear_levels[bytes[is_swapped ? 2 : 0]];
        color[1] = m->linear_levels[bytes[1]];
        color[2] = m->linear_levels[bytes[is_swapped ? 0 : 2]];
        color[3] = (float)(bytes[3] / 255.0);
    }
}

// Returns how many influences refer to bones that do not exist.
static uint64_t bbmod_load_joints(const bbmod_importer *m, const float slots[4], float weights[4],
                                  uint16_t joints[4])
{
    uint64_t strays = 0;
    for (int k = 0; k < 4; k++) {
        uint32_t slot = bbmod_slot(slots[k], m->rig.joint_count);
        uint32_t joint = slot == TENON_NONE ? TENON_NONE : m->joint_of_slot[slot];
        bool is_used = weights[k] > 0;
        strays += is_used && joint == TENON_NONE;
        if (!is_used || joint == TENON_NONE) weights[k] = 0;
        joints[k] = weights[k] > 0 ? (uint16_t)joint : 0;
    }
    return strays;
}

// Dialects without weights: the first bone has the weight 1.
static void bbmod_gather_influences(bbmod_importer *m, const bbmod_weld *w, tenon_primitive *p,
                                    uint32_t mesh)
{
    const tenon_element *element = bbmod_element(w->corners, "bone_indices");
    bool has_weights = bbmod_element(w->corners, "bone_weights") != NULL;
    uint64_t strays = 0;
    uint32_t next = 0;
    bbmod_gather(w, "bone_weights", p->weights);
    for (uint32_t i = 0; next < w->vertex_count; i++) {
        if (w->numbers[i] != next) continue;
        float slots[4], *weights = p->weights + 4 * (size_t)next;
        if (!has_weights) weights[0] = 1;
        tn_span_f32(w->corners, element, i, 1, slots);
        strays += bbmod_load_joints(m, slots, weights, p->joints + 4 * (size_t)next);
        next++;
    }
    bbmod_tally_mesh(m, &m->flaws.influences, strays, mesh);
    if (!has_weights) bbmod_tally_mesh(m, &m->flaws.weightless, next, mesh);
    if (m->rig.is_rigid) bbmod_tally_mesh(m, &m->flaws.blended, 1, mesh);
}

static void bbmod_fill_streams(bbmod_importer *m, const bbmod_weld *w, tenon_primitive *p,
                               uint32_t mesh)
{
    uint32_t count = w->vertex_count;
    bbmod_gather(w, "position", p->positions);
    tn_mirror_floats(p->positions, count, 3);
    bbmod_gather(w, "normal", p->normals);
    if (p->normals) tn_mirror_floats(p->normals, count, 3);
    bbmod_gather(w, "tangent_w", p->tangents);
    if (p->tangents) tn_mirror_floats(p->tangents, count, 4);
    bbmod_gather(w, "uv1", p->uvs[0]);
    bbmod_gather(w, "uv2", p->uvs[1]);
    bbmod_gather_colors(m, w, p->colors[0]);
    if (p->influence_count) bbmod_gather_influences(m, w, p, mesh);
}

static uint32_t bbmod_streams(const tenon_span *vertices, bool is_skinned)
{
    static const struct {
        const char *name;
        uint32_t stream;
    } streams[] = {{"normal", TN_WITH_NORMALS},
                   {"tangent_w", TN_WITH_TANGENTS},
                   {"uv1", TN_WITH_UV0},
                   {"uv2", TN_WITH_UV1},
                   {"color", TN_WITH_COLOR}};
    uint32_t with = is_skinned ? TN_WITH_SKIN : 0;
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++)
        if (bbmod_element(vertices, streams[i].name)) with |= streams[i].stream;
    return with;
}

// -- Indices

// Strips and fans become lists, so that the winding can be reversed.
static void bbmod_fill_triangles(const tenon_bbmod_mesh *mesh, const bbmod_weld *w,
                                 tenon_primitive *p)
{
    uint64_t count = bbmod_triangle_count(mesh);
    for (uint64_t t = 0; t < count; t++) {
        uint64_t corners[3];
        bbmod_triangle_corners(mesh, t, corners);
        p->indices[3 * t] = w->numbers[corners[0]];
        p->indices[3 * t + 1] = w->numbers[corners[2]];
        p->indices[3 * t + 2] = w->numbers[corners[1]];
    }
}

static void bbmod_fill_indices(const tenon_bbmod_mesh *mesh, const bbmod_weld *w,
                               tenon_primitive *p)
{
    if (p->mode == TENON_TRIANGLES)
        bbmod_fill_triangles(mesh, w, p);
    else
        memcpy(p->indices, w->numbers, p->index_count * sizeof *p->indices);
}

// -- Primitives

static tenon_mode bbmod_mode(uint32_t type)
{
    if (type == TENON_BBMOD_POINTS) return TENON_POINTS;
    if (type == TENON_BBMOD_LINES) return TENON_LINES;
    return type == TENON_BBMOD_LINE_STRIP ? TENON_LINE_STRIP : TENON_TRIANGLES;
}

// Corners of all complete elements.
static uint64_t bbmod_index_count(const tenon_bbmod_mesh *mesh)
{
    uint64_t count = bbmod_element_count(mesh);
    if (mesh->primitive_type == TENON_BBMOD_LINE_STRIP) return count + 1;
    return count * (bbmod_mode(mesh->primitive_type) == TENON_TRIANGLES
                        ? 3
                        : bbmod_list_step(mesh->primitive_type));
}

static void bbmod_report_mesh(bbmod_importer *m, const tenon_bbmod_mesh *mesh, uint32_t index)
{
    uint32_t step = bbmod_list_step(mesh->primitive_type);
    bool is_assumed = bbmod_has(m->doc, TENON_BBMOD_NESTED | TENON_BBMOD_DOCUMENT);
    bbmod_tally_mesh(m, &m->flaws.partial, step ? mesh->vertices.count % step : 0, index);
    if (bbmod_element(&mesh->vertices, "instance_id"))
        bbmod_tally_mesh(m, &m->flaws.ids, mesh->vertices.count, index);
    if (is_assumed && bbmod_element(&mesh->vertices, "color"))
        bbmod_tally_mesh(m, &m->flaws.colors, mesh->vertices.count, index);
    // Version 0 has no materials to choose from.
    if (!bbmod_is_v0_doc(m->doc) && mesh->material_index >= m->doc->material_count)
        bbmod_tally_mesh(m, &m->flaws.materials, 1, index);
}

void bbmod_fill_primitive(bbmod_importer *m, uint32_t index, tenon_primitive *p)
{
    const tenon_bbmod_mesh *mesh = m->view.meshes[index].mesh;
    tn_mark mark = tn_arena_mark(m->scratch);
    bbmod_weld weld;
    if (!bbmod_weld_mesh(m, &mesh->vertices, &weld)) return;
    p->mode = bbmod_mode(mesh->primitive_type);
    p->material = m->shapes[index].material;
    tn_primitive_alloc(m->b, p, weld.vertex_count, bbmod_index_count(mesh),
                       bbmod_streams(&mesh->vertices, m->shapes[index].is_skinned));
    if (m->b->failed) return;
    bbmod_fill_streams(m, &weld, p, index);
    bbmod_fill_indices(mesh, &weld, p);
    bbmod_report_mesh(m, mesh, index);
    tn_arena_rewind(m->scratch, mark);
}

void bbmod_report_meshes(const bbmod_importer *m)
{
    const bbmod_mesh_flaws *f = &m->flaws;
    tn_tally_report(m->b, &f->unused, TENON_DROPPED, "meshes", "not used by any node");
    tn_tally_report(m->b, &f->empty, TENON_DROPPED, "meshes", "empty");
    tn_tally_report(m->b, &f->shapeless, TENON_DROPPED, "meshes",
                    "their vertices have no positions");
    tn_tally_report(m->b, &f->unknown, TENON_DROPPED, "meshes", "unknown primitive type");
    tn_tally_report(m->b, &f->partial, TENON_DROPPED, "vertices",
                    "left over after the last complete triangle or line");
    tn_tally_report(m->b, &f->ids, TENON_DROPPED, "instance ids", "not supported by scenes");
    tn_tally_report(m->b, &f->materials, TENON_DROPPED, "references to materials",
                    "the materials do not exist");
    tn_tally_report(m->b, &f->influences, TENON_DROPPED, "influences", "the bones do not exist");
    tn_tally_report(m->b, &f->boneless, TENON_DROPPED, "bone weights", "the model has no bones");
    tn_tally_report(m->b, &f->weightless, TENON_MADE_UP, "bone weights",
                    "this dialect does not store weights; the first bone has weight 1");
    bool is_text = bbmod_has(m->doc, TENON_BBMOD_DOCUMENT);
    tn_tally_report(m->b, &f->colors, TENON_DEFAULTED, "vertex colors",
                    is_text ? "read as documented: a 32-bit ARGB number whose lowest byte is blue"
                            : "assumed red first (releases before 2.0.6 stored blue first, but the "
                              "file does not say which)");
    tn_tally_report(m->b, &f->blended, TENON_APPROXIMATED, "dual-quaternion skinning",
                    "the engine blends dual quaternions, other formats blend matrices");
}
