// bmw_small_help.h: small BMW models made by hand, for tests.
// SPDX-License-Identifier: MIT
//
// Define _DEFAULT_SOURCE before the first #include of the program.

#ifndef TENON_TESTS_BMW_SMALL_HELP_H
#define TENON_TESTS_BMW_SMALL_HELP_H

#include "../scratch.h"
#include "bmw_direct.h"

// -- Files made here: R4, column by column

static inline void put_u32(blob *b, uint32_t value)
{
    uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                        (uint8_t)(value >> 24)};
    blob_add(b, bytes, 4);
}

static inline void put_f32(blob *b, double value)
{
    float number = (float)value;
    uint32_t bits;
    memcpy(&bits, &number, 4);
    put_u32(b, bits);
}

static inline void put_text(blob *b, const char *text)
{
    blob_add(b, text, strlen(text) + 1);
}

static inline rows moved(double x, double y, double z)
{
    return (rows){{1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z}};
}

static inline void put_matrix(blob *b, rows r)
{
    for (int column = 0; column < 4; column++) {
        for (int row = 0; row < 3; row++) put_f32(b, r.m[4 * row + column]);
        put_f32(b, column == 3);
    }
}

static inline void put_vertex(blob *b, double x, double y, double z)
{
    put_f32(b, x), put_f32(b, y), put_f32(b, z);
    for (int i = 0; i < 4; i++) put_u32(b, 255);
    put_f32(b, 0.25), put_f32(b, 0.25);
    put_f32(b, 0), put_f32(b, 0), put_f32(b, 1);
}

// A small model: root 0 with "hip" 1 and "box" 2, each with one child.
typedef struct small {
    const char *texture;  // NULL: none.
    const char *hip;      // The name of node 1; NULL: no names at all.
    uint32_t hip_id;      // 1, if it is 0.
    bool is_weighted;     // The vertices of mesh 0: (0 0 0) not at all, (1 0 0) and (0 1 0) by hip.
    bool is_rooted;       // By the root instead.
    uint32_t rate, frame_count;
    rows frames[3];  // Of hip.
    rows box;        // The position of box, which shows mesh 1; all 0: the origin.
    bool moves_box;  // The same frames for box.
} small;

static inline void put_mesh(blob *b, bool is_weighted, uint32_t node)
{
    put_u32(b, is_weighted ? 2 : 0);
    for (uint32_t i = 1; is_weighted && i < 3; i++) {
        put_u32(b, i), put_u32(b, 1);
        put_u32(b, node), put_f32(b, 1);
    }
    put_u32(b, 3);
    put_vertex(b, 0, 0, 0), put_vertex(b, 1, 0, 0), put_vertex(b, 0, 1, 0);
    put_u32(b, 1);
    put_u32(b, 0), put_u32(b, 1), put_u32(b, 2);
}

static inline void put_node(blob *b, uint32_t id, rows transform, int mesh, uint32_t child_count)
{
    put_u32(b, id);
    put_matrix(b, transform);
    put_u32(b, mesh >= 0);
    if (mesh >= 0) put_u32(b, (uint32_t)mesh);
    put_u32(b, child_count);
}

static inline void put_animation(blob *b, const small *m, uint32_t hip)
{
    put_u32(b, m->frame_count > 0);
    if (!m->frame_count) return;
    put_u32(b, m->frame_count - 1), put_u32(b, m->rate), put_u32(b, m->moves_box ? 2 : 1);
    for (uint32_t k = 0; k <= m->moves_box; k++) {
        put_u32(b, k ? 2 : hip);
        for (uint32_t i = 0; i < m->frame_count; i++) put_matrix(b, m->frames[i]);
    }
}

static inline blob make_small(const small *m)
{
    blob b = {0};
    uint32_t hip = m->hip_id ? m->hip_id : 1;
    put_text(&b, "Beo-Model-Wolf Format Version 1");
    put_u32(&b, 1), put_u32(&b, m->texture != NULL);
    if (m->texture) put_text(&b, m->texture);
    put_animation(&b, m, hip);
    put_u32(&b, 2);
    put_mesh(&b, m->is_weighted, m->is_rooted ? 0 : hip), put_mesh(&b, false, 0);
    put_node(&b, 0, IDENTITY, 0, 2);
    put_node(&b, hip, moved(0, 5, 0), -1, 0);
    put_node(&b, 2, m->box.m[10] == 0 ? IDENTITY : m->box, 1, 0);
    put_u32(&b, m->hip ? 3 : 0);
    if (!m->hip) return b;
    put_u32(&b, 0), put_text(&b, "top");
    put_u32(&b, hip), put_text(&b, m->hip);
    put_u32(&b, 2), put_text(&b, "box");
    return b;
}

// "walk.bmw" in the scratch folder: another model, whose hip, which has another number, moves.
static inline void save_walk(void)
{
    const small other = {.hip = "hip",
                         .hip_id = 7,
                         .rate = 10,
                         .frame_count = 2,
                         .frames = {IDENTITY, moved(0, 0, 5)}};
    blob walk = make_small(&other);
    scratch_save("walk.bmw", walk.data, walk.size);
    blob_free(&walk);
}

// The scene of a model with a sidecar, in the scratch folder.
static inline bmw_made make_beside(const small *parts, const char *sidecar)
{
    blob file = make_small(parts);
    scratch_save("m.bmw", file.data, file.size);
    scratch_save("m.json", sidecar, strlen(sidecar));
    return make_with(file, (tenon_scene_opts){.model_path = scratch("m.bmw")});
}

#endif  // TENON_TESTS_BMW_SMALL_HELP_H
