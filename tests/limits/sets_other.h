// sets_other.h: OBJ and GPB files, and files beside models, of a size that can be chosen.
// SPDX-License-Identifier: MIT

#ifndef TENON_LIMITS_SETS_OTHER_H
#define TENON_LIMITS_SETS_OTHER_H

#include "set_text.h"

// -- Groups and materials

#define OBJ_TRIANGLE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

static inline void make_obj_groups(set_text *out, uint32_t n)
{
    set_put(out, OBJ_TRIANGLE);
    for (uint32_t i = 0; i < n; i++) set_put(out, "g g%u\nf 1 2 3\n", (unsigned)i);
}

static inline void make_obj_same_groups(set_text *out, uint32_t n)
{
    set_put(out, OBJ_TRIANGLE);
    for (uint32_t i = 0; i < n; i++) set_put(out, "g %s\nf 1 2 3\n", i % 2 ? "a" : "b");
}

static inline void make_obj_switches(set_text *out, uint32_t n)
{
    set_put(out, "mtllib side.mtl\n" OBJ_TRIANGLE);
    for (uint32_t i = 0; i < n; i++) set_put(out, "usemtl m%u\nf 1 2 3\n", (unsigned)i % 7);
}

static inline void make_obj_materials(set_text *out, uint32_t n)
{
    set_put(out, "mtllib side.mtl\n" OBJ_TRIANGLE);
    for (uint32_t i = 0; i < n; i++) set_put(out, "usemtl m%u\nf 1 2 3\n", (unsigned)i);
}

static inline void make_mtl(set_text *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        set_put(out, "newmtl m%u\nmap_Kd p%u.png\n", (unsigned)i, (unsigned)i % 9);
}

// All materials have the same name.
static inline void make_same_mtl(set_text *out, uint32_t n)
{
    set_repeat(out, "newmtl m0\nKd 1 0 0\n", n);
}

static inline void make_obj_libraries(set_text *out, uint32_t n)
{
    set_repeat(out, "mtllib side.mtl\n", n);
    set_put(out, OBJ_TRIANGLE "usemtl m1\nf 1 2 3\n");
}

static inline void make_small_mtl(set_text *out, uint32_t n)
{
    (void)n;
    make_mtl(out, 3);
}

static inline void make_obj_objects(set_text *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        set_put(out, "o a\nv 0 0 %u\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n", (unsigned)i);
}

static inline void make_obj_smoothing(set_text *out, uint32_t n)
{
    set_put(out, OBJ_TRIANGLE);
    for (uint32_t i = 0; i < n; i++) set_put(out, "s %u\nf 1 2 3\n", (unsigned)i);
}

// -- Polygons: one of n corners

static inline void put_polygon(set_text *out, uint32_t n)
{
    set_put(out, "f");
    for (uint32_t i = 1; i <= n; i++) set_put(out, " %u", (unsigned)i);
    set_put(out, "\n");
}

// Teeth: every second corner bends inwards.
static inline void make_obj_comb(set_text *out, uint32_t n)
{
    for (uint32_t i = 0; i + 2 < n; i++) set_put(out, "v %u %u 0\n", (unsigned)i, i % 2 ? 9u : 1u);
    set_put(out, "v %u 0 0\nv 0 0 0\n", (unsigned)n);
    put_polygon(out, n);
}

// A curve that bends inwards everywhere.
static inline void make_obj_bay(set_text *out, uint32_t n)
{
    for (uint32_t i = 0; i + 2 < n; i++) {
        long long x = i, half = n / 2;
        set_put(out, "v %lld %lld 0\n", x * 1000, (x - half) * (x - half));
    }
    set_put(out, "v %llu -9 0\nv 0 -9 0\n", (unsigned long long)n * 1000);
    put_polygon(out, n);
}

static inline void make_obj_point(set_text *out, uint32_t n)
{
    set_repeat(out, "v 1 1 1\n", n);
    put_polygon(out, n);
}

static inline void make_obj_line(set_text *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) set_put(out, "v %u 0 0\n", (unsigned)i);
    put_polygon(out, n);
}

// There and back, over and over.
static inline void make_obj_zigzag(set_text *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        set_put(out, "v %u %u 0\n", (unsigned)(i * 7919 % 1009), (unsigned)(i * 104729 % 997));
    put_polygon(out, n);
}

// All triangles share one corner.
static inline void make_obj_fan(set_text *out, uint32_t n)
{
    set_put(out, "v 0 0 1\n");
    for (uint32_t i = 0; i < n; i++) set_put(out, "v %u %u 0\n", (unsigned)i, (unsigned)i % 3);
    for (uint32_t i = 0; i + 1 < n; i++)
        set_put(out, "f 1 %u %u\n", (unsigned)i + 2, (unsigned)i + 3);
}

// -- Lines

static inline void make_obj_blank_lines(set_text *out, uint32_t n)
{
    set_put(out, OBJ_TRIANGLE);
    set_repeat(out, "\n\n#\n \\\n", n);
    set_put(out, "f 1 2 3\n");
}

static inline void make_obj_long_line(set_text *out, uint32_t n)
{
    set_put(out, OBJ_TRIANGLE "f 1 2 3\ng");
    set_repeat(out, " \\\n g", n);
    set_put(out, "\nf 1 2 3\n");
}

static inline void make_obj_wrong_lines(set_text *out, uint32_t n)
{
    set_put(out, OBJ_TRIANGLE);
    set_repeat(out, "f 1 2 99999999\nnothing\nv x\n", n);
    set_put(out, "f 1 2 3\n");
}

// -- GPB: a table of references

static inline void gpb_begin(set_text *out, uint32_t references)
{
    set_put_bytes(out, "\xabGPB\xbb\r\n\x1a\n\1\5", 11);
    set_put_u32(out, references);
}

static inline void gpb_text(set_text *out, const char *text)
{
    set_put_u32(out, (uint32_t)strlen(text));
    set_put_bytes(out, text, strlen(text));
}

// All references have the same name and type; each leads to a mesh of no vertices and no parts.
static inline void make_gpb_references(set_text *out, uint32_t n)
{
    enum { ENTRY = 4 + 1 + 4 + 4, MESH = 4 + 4 + 40 + 4 };
    gpb_begin(out, n);
    for (uint32_t i = 0; i < n; i++) {
        gpb_text(out, "a");
        set_put_u32(out, 34);
        set_put_u32(out, 15 + ENTRY * n + 4 + MESH * i);
    }
    set_put_u32(out, n);
    for (uint32_t i = 0; i < MESH * n; i++) set_put_bytes(out, "", 1);
    set_put_u32(out, 0);
}

// As many, with names that all have one slot of a hash table.
static inline void make_gpb_flood(set_text *out, uint32_t n)
{
    enum { ENTRY = 4 + FLOOD_SIZE + 4 + 4, MESH = 4 + 4 + 40 + 4 };
    char name[FLOOD_SIZE + 1];
    gpb_begin(out, n);
    for (uint32_t i = 0; i < n; i++) {
        gpb_text(out, set_flood_name(i, name));
        set_put_u32(out, 34);
        set_put_u32(out, 15 + ENTRY * n + 4 + MESH * i);
    }
    set_put_u32(out, n);
    for (uint32_t i = 0; i < MESH * n; i++) set_put_bytes(out, "", 1);
    set_put_u32(out, 0);
}

// All point to one place.
static inline void make_gpb_one_place(set_text *out, uint32_t n)
{
    gpb_begin(out, n);
    for (uint32_t i = 0; i < n; i++) {
        gpb_text(out, "a");
        set_put_u32(out, 34);
        set_put_u32(out, 15 + 13 * n + 4);
    }
    set_put_u32(out, 1);
    for (int i = 0; i < 52; i++) set_put_bytes(out, "", 1);
    set_put_u32(out, 0);
}

// -- Files beside a model

// A chain of materials, each of which inherits from the one before.
static inline void make_material_chain(set_text *out, uint32_t n)
{
    set_put(out, "material m0\n{\n}\n");
    for (uint32_t i = 1; i < n; i++)
        set_put(out, "material m%u : m%u\n{\n}\n", (unsigned)i, (unsigned)i - 1);
    set_put(out, "material paint : m%u\n{\n}\n", (unsigned)n - 1);
}

// A cycle of them.
static inline void make_material_circle(set_text *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        set_put(out, "material m%u : m%u\n{\n}\n", (unsigned)i, (unsigned)(i + 1) % n);
    set_put(out, "material paint : m0\n{\n}\n");
}

static inline void make_material_deep(set_text *out, uint32_t n)
{
    set_repeat(out, "a\n{\n", n);
    set_repeat(out, "}\n", n);
}

static inline void make_material_same(set_text *out, uint32_t n)
{
    set_repeat(out, "material paint\n{\n u_a = 1, 2\n}\n", n);
}

static inline void make_sidecar(set_text *out, uint32_t n)
{
    set_put(out, "{\"defaultAnim\":\"c0\",\"clips\":[");
    for (uint32_t i = 0; i < n; i++)
        set_put(out, "%s{\"name\":\"c%u\",\"start\":0,\"end\":1}", i ? "," : "", (unsigned)i % 5);
    set_put(out, "]}");
}

#endif  // TENON_LIMITS_SETS_OTHER_H
