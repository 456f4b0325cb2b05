// bmw_describe_damaged.c: meshes of a damaged file, whose counts may be wrong.
// SPDX-License-Identifier: MIT
//
// The size of the weights follows only from their own counts, so damage in them hides everything
// after them. But vertices with matching faces can be found by a search: a count, so many vertices,
// a count, and triangles of them. Faces with a damaged count end where the next mesh or the root
// starts.

#include "formats/bmw/bmw_format.h"

#include "core/cursor/layout.h"
#include "core/cursor/span.h"

#include <inttypes.h>

#define BMW_FACES_TRIED    64  // At each end of a list of faces.
#define BMW_SHARE_LEAST    16  // A truncated list must contain at least 1/16 of its items.
#define BMW_VERTICES_TRIED 64
#define BMW_MESHES_TRIED   64     // Offsets at which all weights of a mesh are read.
#define BMW_MESHES_MOST    65536  // A root uses fewer meshes.

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

bool bmw_describe_skip_damaged_weights(tn_io *io, tenon_bmw_mesh *mesh, bmw_failed_searches *failed)
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

// -- Faces

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

// The number of faces between `pos` and the next mesh or the root; TENON_ABSENT if none is found.
static uint64_t bmw_describe_damaged_count_faces(const tn_io *io, uint64_t pos, bool is_last)
{
    uint64_t most = (io->end - pos) / 12;
    uint32_t tried = 0;
    for (uint64_t i = 0; i <= most; i++) {
        bool is_end = is_last ? bmw_describe_damaged_is_root(io, pos + 12 * i)
                              : bmw_describe_damaged_is_mesh(io, pos + 12 * i, &tried);
        if (is_end) return i;
    }
    return TENON_ABSENT;
}

bool bmw_describe_read_damaged_faces(tn_io *io, tenon_bmw_mesh *mesh, bool is_last,
                                     bmw_failed_searches *failed)
{
    const uint8_t *p = io->failed ? NULL : tn_peek(io, io->pos, 4);
    if (!p) return false;
    uint64_t start = io->pos, stated = tn_load32(p, false);
    bool is_odd = stated > (io->end - start - 4) / 12 || (stated == 0 && mesh->vertices.count >= 3);
    if (!is_odd || failed->ends) return false;
    uint64_t found = bmw_describe_damaged_count_faces(io, start + 4, is_last);
    failed->ends = found == TENON_ABSENT;
    if (failed->ends || found == stated) return false;
    uint32_t outer = tn_recoverable(io);
    tn_fail(io, TENON_ERR_VALUE, start, "faces",
            "the count is %" PRIu64 ", but %" PRIu64 " faces were found", stated, found);
    (void)tn_recover(io, outer);
    io->pos = start + 4;
    tn_records(io, "faces", &mesh->faces, found, &tn_layout_u32x3);
    return true;
}
