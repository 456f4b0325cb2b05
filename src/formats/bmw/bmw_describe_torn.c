// bmw_describe_torn.c: meshes of a damaged file, in which the list of weights is not to be trusted.
// SPDX-License-Identifier: MIT
//
// How long that list is, only its own counts say, so that damage in it hides the vertices, the
// faces and the nodes behind it. But vertices and faces that fit each other are found again: a
// count, so many vertices, a count, and triangles of them.

#include "bmw_format.h"

#include "../../core/layout.h"
#include "../../core/span.h"

#define BMW_FACES_TRIED 64  // At each end of a list of faces.
#define BMW_SHARE_LEAST 16  // At least this part of a list that is cut must be there.

// Zeros are faces, too, but most of those have an area.
static bool bmw_are_faces(const uint8_t *faces, uint32_t count, uint32_t vertex_count)
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

// Whether vertices and faces begin there that fit each other.
static bool bmw_is_body(const tn_io *io, uint64_t pos)
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
    return bmw_are_faces(first, tried, vertices) &&
           bmw_are_faces(first + 12 * (size_t)(faces - tried), tried, vertices);
}

// Whether they may begin there, and the file ends in them: what is there of the last list is not
// next to nothing.
static bool bmw_is_cut_body(const tn_io *io, uint64_t pos)
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
           bmw_are_faces(p + 4, tried, (uint32_t)vertices);
}

static uint64_t bmw_find_body(const tn_io *io, uint64_t pos)
{
    while (pos + 8 <= io->end && !bmw_is_body(io, pos)) pos += 4;
    return pos + 8 <= io->end ? pos : TENON_ABSENT;
}

// Where the weights at `pos` end, by their own counts.
static uint64_t bmw_end_of_weights(const tn_io *io, uint64_t pos)
{
    const uint8_t *p = tn_peek(io, pos, 4);
    if (!p) return TENON_ABSENT;
    uint64_t size = tn_layout_measure(&bmw_weighted_layout, p + 4, io->end - pos - 4,
                                      tn_load32(p, false), false);
    return size == TENON_ABSENT ? TENON_ABSENT : pos + 4 + size;
}

bool bmw_pass_weights(tn_io *io, tenon_bmw_mesh *mesh, bool *is_hopeless)
{
    uint64_t start = io->pos, end = bmw_end_of_weights(io, start);
    bool is_bare = end == start + 4;  // Without weights, so with nothing to doubt.
    bool is_sound =
        end != TENON_ABSENT && (is_bare || bmw_is_body(io, end) || bmw_is_cut_body(io, end));
    if (io->failed || *is_hopeless || is_sound) return false;
    uint64_t found = bmw_find_body(io, start + 4);
    *is_hopeless = found == TENON_ABSENT;  // Looking again would take as long.
    if (*is_hopeless) return false;
    uint32_t stated = tn_load32(tn_peek(io, start, 4), false);
    uint32_t outer = tn_recoverable(io);
    tn_fail(io, TENON_ERR_VALUE, start, "weighted_vertices",
            "they do not end where the vertices begin");
    (void)tn_recover(io, outer);
    mesh->weighted_vertices = (tenon_span){.layout = &bmw_weighted_layout};
    tn_cut_at(io, "weighted_vertices", 0, stated);
    io->pos = found;
    return true;
}
