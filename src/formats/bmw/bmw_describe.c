// bmw_describe.c: the bytes of a BMW file in all layouts.
// SPDX-License-Identifier: MIT

#include "formats/bmw/bmw_format.h"

#include "core/cursor/layout.h"
#include "core/cursor/span.h"

#include <inttypes.h>
#include <string.h>

#define BMW_FACES_TRIED    64  // At each end of a list of faces.
#define BMW_SHARE_LEAST    16  // A truncated list must contain at least 1/16 of its items.
#define BMW_VERTICES_TRIED 64
#define BMW_MESHES_TRIED   64     // Offsets at which all weights of a mesh are read.
#define BMW_MESHES_MOST    65536  // A root uses fewer meshes.

#define HEADER_FLAGS                                                                 \
    (TENON_BMW_HEADER_BARE | TENON_BMW_HEADER_NEWLINE | TENON_BMW_HEADER_NUL_FIRST | \
     TENON_BMW_HEADER_RETURN)

static const tenon_element bmw_vertex_elements[] = {
    {"position", TENON_TYPE_F32, 3, 0, 0},
    {"color", TENON_TYPE_I32, 4, 0, 12},
    {"uv", TENON_TYPE_F32, 2, 0, 28},
    {"normal", TENON_TYPE_F32, 3, 0, 36},
};
const tenon_layout bmw_vertex_layout = {bmw_vertex_elements, 4, 48, NULL, 0, NULL};

static const tenon_element bmw_influence_elements[] = {
    {"node_id", TENON_TYPE_U32, 1, 0, 0},
    {"weight", TENON_TYPE_F32, 1, 0, 4},
};
static const tenon_layout bmw_influence_layout = {bmw_influence_elements, 2, 8, NULL, 0, NULL};

static const tenon_element bmw_weighted_elements[] = {
    {"vertex_id", TENON_TYPE_U32, 1, 0, 0},
    {"influence_count", TENON_TYPE_U32, 1, 0, 4},
};
const tenon_layout bmw_weighted_layout = {bmw_weighted_elements, 2, 8,
                                          &bmw_influence_layout, 1, "influences"};

static const tenon_element bmw_matrix_element = {"", TENON_TYPE_F32, 16, 0, 0};
const tenon_layout bmw_matrix_layout = {&bmw_matrix_element, 1, 64, NULL, 0, NULL};

bool bmw_describe_ends_affine(const uint8_t *matrix)
{
    for (uint32_t i = 12; i < 16; i++)
        if (tn_load_f32(matrix + 4 * i, false) != (i == 15 ? 1.0f : 0.0f)) return false;
    return true;
}

// R2a stores the lower halves of two doubles as duration and rate, which are zeros. So frames are
// counted as long as the last row of a row-major matrix is 0, 0, 0, 1.
static uint64_t bmw_describe_count_frames(tn_io *io, const void *subject)
{
    (void)subject;
    uint64_t count = 0;
    for (const uint8_t *m; (m = tn_peek(io, io->pos + 64 * count, 64)) != NULL; count++)
        if (!bmw_describe_ends_affine(m)) break;
    return count;
}

static void bmw_describe_animations(tn_io *io, tenon_bmw *doc)
{
    tn_list(io, "animations", &doc->animations, &doc->animation_count, sizeof *doc->animations, 12);
    for (uint32_t i = 0; tn_next(io, i, doc->animation_count); i++) {
        tenon_bmw_animation *animation = &doc->animations[i];
        tn_u32(io, "duration", &animation->duration);
        tn_u32(io, "rate", &animation->rate);
        tn_list(io, "bones", &animation->bones, &animation->bone_count, sizeof *animation->bones,
                4);
        for (uint32_t k = 0; tn_next(io, k, animation->bone_count); k++) {
            tenon_bmw_bone *bone = &animation->bones[k];
            uint64_t frame_count = animation->duration;
            tn_u32(io, "node_id", &bone->node_id);
            if (tn_has(io, TENON_BMW_FRAMES_INFERRED)) {
                tn_inferred_u32(io, "frame_count", &bone->frame_count, bmw_describe_count_frames,
                                NULL);
                frame_count = bone->frame_count;
            } else if (!tn_has(io, TENON_BMW_FRAMES_LITERAL)) {
                frame_count++;  // Ticks 0 to duration; the format's own text omits this.
            }
            tn_as(io, TN_ROLE_JUDGED);  // By its own rules: the first frame may be NaNs.
            tn_records(io, "frames", &bone->frames, frame_count, &bmw_matrix_layout);
        }
    }
}

// -- Damaged meshes

// The size of the weights follows only from their own counts, so damage in them hides everything
// after them. But vertices with matching faces can be found by a search: a count, so many vertices,
// a count, and triangles of them.

// Searches that found nothing. They are slow, so they are not repeated.
typedef struct bmw_failed_searches {
    bool surfaces;  // Vertices followed by matching faces.
    bool ends;      // The mesh or root that follows faces.
} bmw_failed_searches;

// Whether the bytes are plausible faces: at most half of them are degenerate, as zeros would be.
static bool bmw_describe_damaged_are_faces(const uint8_t *faces, uint32_t count,
                                           uint32_t vertex_count)
{
    uint32_t flat = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *p = faces + 12 * (size_t)i;
        uint32_t a = tn_load32(p, false), b = tn_load32(p + 4, false), c = tn_load32(p + 8, false);
        if (a >= vertex_count || b >= vertex_count || c >= vertex_count) return false;
        flat += a == b || b == c || c == a;
    }
    return 2 * flat <= count;
}

// Whether vertices followed by matching faces start at `pos`.
static bool bmw_describe_damaged_is_surface(const tn_io *io, uint64_t pos)
{
    const uint8_t *p = tn_peek(io, pos, 4);
    uint32_t vertices = p ? tn_load32(p, false) : 0;
    if (vertices < 3 || !tn_peek(io, pos + 4, 48 * (uint64_t)vertices)) return false;
    pos += 4 + 48 * (uint64_t)vertices;
    p = tn_peek(io, pos, 4);
    uint32_t faces = p ? tn_load32(p, false) : 0;
    const uint8_t *first = faces ? tn_peek(io, pos + 4, 12 * (uint64_t)faces) : NULL;
    if (!first) return false;
    uint32_t tried = faces < BMW_FACES_TRIED ? faces : BMW_FACES_TRIED;
    return bmw_describe_damaged_are_faces(first, tried, vertices) &&
           bmw_describe_damaged_are_faces(first + 12 * (size_t)(faces - tried), tried, vertices);
}

// Whether vertices start at `pos`: their colors are 0 to 255. The faces after them may be damaged.
static bool bmw_describe_damaged_are_vertices(const tn_io *io, uint64_t pos)
{
    const uint8_t *p = tn_peek(io, pos, 4);
    uint32_t count = p ? tn_load32(p, false) : 0;
    if (count < 3 || !tn_peek(io, pos + 4, BMW_VERTEX_SIZE * (uint64_t)count)) return false;
    uint32_t tried = count < BMW_VERTICES_TRIED ? count : BMW_VERTICES_TRIED, all = 0;
    for (uint32_t i = 0; i < tried; i++)
        for (uint32_t k = 0; k < 4; k++)
            all |= tn_load32(p + 4 + BMW_VERTEX_SIZE * (size_t)i + 12 + 4 * (size_t)k, false);
    return all <= 255;
}

// Whether vertices or faces may start at `pos` that are truncated by the end of the file. Enough of
// the truncated list must be left.
static bool bmw_describe_damaged_is_truncated_surface(const tn_io *io, uint64_t pos)
{
    const uint8_t *p = tn_peek(io, pos, 4);
    if (!p) return true;
    uint64_t vertices = tn_load32(p, false), left = io->end - pos - 4;
    if (48 * vertices > left) return 48 * vertices / BMW_SHARE_LEAST <= left;
    pos += 4 + 48 * vertices;
    p = tn_peek(io, pos, 4);
    if (!p) return true;
    uint64_t faces = tn_load32(p, false), whole = (io->end - pos - 4) / 12;
    uint32_t tried = whole < BMW_FACES_TRIED ? (uint32_t)whole : BMW_FACES_TRIED;
    return faces > whole && faces / BMW_SHARE_LEAST <= whole &&
           bmw_describe_damaged_are_faces(p + 4, tried, (uint32_t)vertices);
}

// The end of the weights at `pos`, by their own counts.
static uint64_t bmw_describe_damaged_end_of_weights(const tn_io *io, uint64_t pos)
{
    const uint8_t *p = tn_peek(io, pos, 4);
    if (!p) return TENON_ABSENT;
    uint64_t size = tn_layout_measure(&bmw_weighted_layout, p + 4, io->end - pos - 4,
                                      tn_load32(p, false), false);
    return size == TENON_ABSENT ? TENON_ABSENT : pos + 4 + size;
}

// Skip damaged weights and continue with the vertices. Returns whether the weights were damaged and
// the vertices were found.
static bool bmw_describe_skip_damaged_weights(tn_io *io, tenon_bmw_mesh *mesh,
                                              bmw_failed_searches *failed)
{
    uint64_t start = io->pos, end = bmw_describe_damaged_end_of_weights(io, start);
    bool is_bare = end == start + 4;  // The mesh has no weights.
    bool is_sound = end != TENON_ABSENT && (is_bare || bmw_describe_damaged_is_surface(io, end) ||
                                            bmw_describe_damaged_are_vertices(io, end) ||
                                            bmw_describe_damaged_is_truncated_surface(io, end));
    if (io->failed || failed->surfaces || is_sound) return false;
    uint64_t found = start + 4;
    while (found + 8 <= io->end && !bmw_describe_damaged_is_surface(io, found)) found += 4;
    failed->surfaces = found + 8 > io->end;
    if (failed->surfaces) return false;
    uint32_t stated = tn_load32(tn_peek(io, start, 4), false);
    uint32_t outer = tn_recoverable(io);
    tn_fail(io, TENON_ERR_VALUE, start, "weighted_vertices",
            "the weights do not end where the vertices begin");
    (void)tn_recover(io, outer);
    mesh->weighted_vertices = (tenon_span){.layout = &bmw_weighted_layout};
    tn_cut_at(io, "weighted_vertices", 0, stated);
    io->pos = found;
    return true;
}

// Whether the root may start at `pos`: id 0, a matrix, and the count of its meshes.
static bool bmw_describe_damaged_is_root(const tn_io *io, uint64_t pos)
{
    bool has_id = io->flags & TENON_BMW_NODE_IDS;
    const uint8_t *p = tn_peek(io, pos, has_id ? 72 : 68);
    if (!p || (has_id && tn_load32(p, false) != 0)) return false;
    p += has_id ? 4 : 0;
    float m[16];
    tn_copy_numbers(m, p, 16, 4, false);
    bool is_row_major = m[12] == 0 && m[13] == 0 && m[14] == 0;
    bool is_column_major = m[3] == 0 && m[7] == 0 && m[11] == 0;
    return tn_all_finite(m, 16) && m[15] == 1 && (is_row_major || is_column_major) &&
           tn_load32(p + 64, false) < BMW_MESHES_MOST;
}

// Whether a mesh may start at `pos`. Reading its weights is slow, so that is done a few times only.
static bool bmw_describe_damaged_is_mesh(const tn_io *io, uint64_t pos, uint32_t *tried)
{
    const uint8_t *p = tn_peek(io, pos, 16);
    if (!p) return false;
    if (!(io->flags & TENON_BMW_WEIGHTS)) return bmw_describe_damaged_is_surface(io, pos);
    if (tn_load32(p, false) == 0) return bmw_describe_damaged_is_surface(io, pos + 4);
    bool may_be_weights = tn_load32(p + 8, false) - 1 < 16;  // Of the first vertex.
    if (!may_be_weights || *tried == BMW_MESHES_TRIED) return false;
    ++*tried;
    uint64_t end = bmw_describe_damaged_end_of_weights(io, pos);
    return end != TENON_ABSENT && bmw_describe_damaged_is_surface(io, end);
}

// Read faces whose count is damaged: they end where the next mesh or the root starts. Returns
// whether the count was damaged and the end was found.
static bool bmw_describe_read_damaged_faces(tn_io *io, tenon_bmw_mesh *mesh, bool is_last,
                                            bmw_failed_searches *failed)
{
    const uint8_t *p = io->failed ? NULL : tn_peek(io, io->pos, 4);
    if (!p) return false;
    uint64_t start = io->pos, stated = tn_load32(p, false), most = (io->end - start - 4) / 12;
    bool is_odd = stated > most || (stated == 0 && mesh->vertices.count >= 3);
    if (!is_odd || failed->ends) return false;
    uint64_t found = 0;
    uint32_t tried = 0;
    while (found <= most &&
           !(is_last ? bmw_describe_damaged_is_root(io, start + 4 + 12 * found)
                     : bmw_describe_damaged_is_mesh(io, start + 4 + 12 * found, &tried)))
        found++;
    failed->ends = found > most;
    if (failed->ends || found == stated) return false;
    uint32_t outer = tn_recoverable(io);
    tn_fail(io, TENON_ERR_VALUE, start, "faces",
            "the count is %" PRIu64 ", but %" PRIu64 " faces were found", stated, found);
    (void)tn_recover(io, outer);
    io->pos = start + 4;
    tn_records(io, "faces", &mesh->faces, found, &tn_layout_u32x3);
    return true;
}

// -- The file

static void bmw_describe_node(tn_io *io, tenon_bmw_node *node)
{
    if (tn_has(io, TENON_BMW_NODE_IDS)) tn_u32(io, "node_id", &node->node_id);
    tn_f32s(io, "transform", node->transform, 16);
    tn_counted(io, "meshes", &node->meshes, &tn_layout_u32);
    // The fewest bytes of a node. io->flags are read without tn_has(), which records their use:
    // this bound rejects nothing that the nodes themselves would not.
    uint64_t least = io->flags & TENON_BMW_NODE_IDS ? 76 : 72;
    tn_list(io, "children", &node->children, &node->child_count, sizeof *node->children, least);
    for (uint32_t i = 0; tn_next(io, i, node->child_count); i++)
        bmw_describe_node(io, &node->children[i]);
}

uint32_t bmw_describe_header(uint32_t flags, char out[BMW_HEADER_MOST])
{
    uint32_t size = sizeof BMW_HEADER - 1;
    bool has_nul = !(flags & TENON_BMW_HEADER_BARE), nul_first = flags & TENON_BMW_HEADER_NUL_FIRST;
    memcpy(out, BMW_HEADER, size);
    if (has_nul && nul_first) out[size++] = '\0';
    if (flags & TENON_BMW_HEADER_RETURN) out[size++] = '\r';
    if (flags & TENON_BMW_HEADER_NEWLINE) out[size++] = '\n';
    if (has_nul && !nul_first) out[size++] = '\0';
    return size;
}

void bmw_describe(tn_io *io, void *any)
{
    tenon_bmw *doc = any;
    char header[BMW_HEADER_MOST];
    // Every converter ends the header with a NUL.
    if (tn_has(io, HEADER_FLAGS)) tn_doubt(io);
    tn_magic(io, "header", header, bmw_describe_header(io->flags, header));
    tn_list(io, "materials", &doc->materials, &doc->material_count, sizeof *doc->materials, 4);
    for (uint32_t i = 0; tn_next(io, i, doc->material_count); i++) {
        tenon_bmw_material *material = &doc->materials[i];
        tn_list(io, "textures", &material->textures, &material->texture_count,
                sizeof *material->textures, 1);
        for (uint32_t k = 0; tn_next(io, k, material->texture_count); k++)
            tn_strz(io, "", &material->textures[k]);
    }

    bool has_animations = tn_has(io, TENON_BMW_ANIMATIONS);
    bool animations_first = has_animations && tn_has(io, TENON_BMW_ANIMATIONS_FIRST);
    if (animations_first) bmw_describe_animations(io, doc);
    bmw_failed_searches failed = {0};
    uint64_t least = 4;  // Bytes of a mesh. As for nodes, without tn_has().
    if (io->flags & TENON_BMW_WEIGHTS) least += 4;
    if (io->flags & TENON_BMW_FACES) least += 4;
    tn_list(io, "meshes", &doc->meshes, &doc->mesh_count, sizeof *doc->meshes, least);
    for (uint32_t i = 0; tn_next(io, i, doc->mesh_count); i++) {
        tenon_bmw_mesh *mesh = &doc->meshes[i];
        bool has_weights = tn_has(io, TENON_BMW_WEIGHTS), has_faces = tn_has(io, TENON_BMW_FACES);
        bool can_go_on = io->keeps_parts && has_faces, is_last = i + 1 == doc->mesh_count;
        if (can_go_on && has_weights && bmw_describe_skip_damaged_weights(io, mesh, &failed))
            has_weights = false;
        if (has_weights)
            tn_counted(io, "weighted_vertices", &mesh->weighted_vertices, &bmw_weighted_layout);
        tn_counted(io, "vertices", &mesh->vertices, &bmw_vertex_layout);
        if (can_go_on && bmw_describe_read_damaged_faces(io, mesh, is_last, &failed)) continue;
        if (has_faces) tn_counted(io, "faces", &mesh->faces, &tn_layout_u32x3);
    }
    tn_enter(io, "root");
    bmw_describe_node(io, &doc->root);
    tn_leave(io);
    // An empty R2 file can be read as R3, with the first number of a matrix as an id.
    if (tn_has(io, TENON_BMW_NODE_IDS) && doc->root.node_id != 0) tn_doubt(io);
    if (has_animations && !animations_first) bmw_describe_animations(io, doc);
    if (tn_has(io, TENON_BMW_NAMES)) {
        tn_list(io, "names", &doc->names, &doc->name_count, sizeof *doc->names, 5);
        for (uint32_t i = 0; tn_next(io, i, doc->name_count); i++) {
            tn_u32(io, "node_id", &doc->names[i].node_id);
            tn_strz(io, "name", &doc->names[i].name);
        }
    }

    // Trials need only the structure.
    if (io->mode == TN_READ && !io->skip_text) bmw_matrix_find_order(doc);
}
