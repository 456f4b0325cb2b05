// make_big_kinds.c: big files of the binary formats.
// SPDX-License-Identifier: MIT

#include "make_big_models.h"

#include <math.h>
#include <string.h>

static void put_transposed(big_out *out, const float m[16])
{
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++) big_f32(out, m[4 * column + row]);
}

// -- BBMOD

static void put_bbmod_vertex(big_out *out, uint32_t mesh, uint32_t quad, uint32_t corner)
{
    uint32_t column, row;
    big_triangle(quad, corner, &column, &row);
    big_vertex v = big_vertex_at(mesh, column, row);
    big_put_position(out, &v);
    big_put_normal(out, &v);
    big_put_uv(out, &v);
    big_u32(out, 0xffffffff);
    big_put_tangent(out, &v);
    big_f32(out, 1);
    big_put_float_joints(out, &v);
    big_put_weights(out, &v);
}

static void put_bbmod_mesh(big_out *out, const big_size *size, uint32_t mesh)
{
    float min[3], max[3];
    big_box(mesh, size->rows, min, max);
    big_u32(out, 0);
    big_f32s(out, min, 3);
    big_f32s(out, max, 3);
    const uint8_t format[8] = {1, 1, 1, 0, 1, 1, 1, 0};
    big_bytes(out, format, sizeof format);
    big_u32(out, 4);
    big_u32(out, 6 * size->quad_count);
    for (uint32_t q = 0; q < size->quad_count; q++)
        for (uint32_t c = 0; c < 6; c++) put_bbmod_vertex(out, mesh, q, c);
}

static void put_bbmod_node(big_out *out, uint32_t joint, uint32_t child_count)
{
    char name[16];
    float dq[8];
    big_joint_name(joint, name);
    big_dual(joint, 0, dq);
    big_strz(out, name);
    big_f32(out, (float)joint);
    big_u8(out, 1);
    const float still[4] = {0, 0, 0, 1};
    big_f32s(out, still, 4);
    big_f32s(out, dq + 4, 4);
    if (joint) {
        big_u32(out, 0);
        big_u32(out, child_count);
    }
}

static void make_bbmod(big_out *out, const big_size *size)
{
    big_strz(out, "BBMOD");
    big_u8(out, 3);
    big_u8(out, 4);
    big_u32(out, size->mesh_count);
    for (uint32_t m = 0; m < size->mesh_count; m++) put_bbmod_mesh(out, size, m);
    big_u32(out, BIG_JOINTS);
    put_bbmod_node(out, 0, 0);
    big_u32(out, size->mesh_count);
    for (uint32_t m = 0; m < size->mesh_count; m++) big_u32(out, m);
    big_u32(out, BIG_JOINTS - 1);
    for (uint32_t j = 1; j < BIG_JOINTS; j++) put_bbmod_node(out, j, 0);
    big_u32(out, BIG_JOINTS);
    for (uint32_t j = 0; j < BIG_JOINTS; j++) {
        float bind[16];
        big_inverse_bind(j, bind);
        const float dq[8] = {0, 0, 0, 1, bind[12] / 2, bind[13] / 2, bind[14] / 2, 0};
        big_f32(out, (float)j);
        big_f32s(out, dq, 8);
    }
    big_u32(out, 1);
    big_strz(out, "cloth");
}

static void make_bbanim(big_out *out, const big_size *size)
{
    big_strz(out, "BBANIM");
    const uint8_t head[3] = {3, 4, 1};
    big_bytes(out, head, sizeof head);
    big_f64(out, size->frame_count);
    big_f64(out, BIG_RATE);
    big_u32(out, BIG_JOINTS);
    big_u32(out, BIG_JOINTS);
    for (uint32_t f = 0; f < size->frame_count; f++) {
        for (uint32_t j = 0; j < BIG_JOINTS; j++) {
            float dq[8];
            big_dual(j, f, dq);
            big_f32s(out, dq, 8);
        }
    }
    big_u32(out, 0);
}

// -- GPB

enum { GPB_SCENE = 1, GPB_NODE = 2, GPB_ANIMATIONS = 3, GPB_MESH = 34 };

// Marks: animations, scene, root, joints, then a mesh and a node for each sheet.
enum { MARK_ANIMATIONS, MARK_SCENE, MARK_JOINTS, MARK_MESHES = MARK_JOINTS + BIG_JOINTS };

static void put_gpb_reference(big_out *out, const char *id, uint32_t type, uint32_t mark)
{
    big_str32(out, id);
    big_u32(out, type);
    big_u32(out, *big_mark(out, mark));
}

static void mark_here(big_out *out, uint32_t slot)
{
    *big_mark(out, slot) = (uint32_t)out->pos;
}

static void sheet_name(const char *kind, uint32_t mesh, char name[32])
{
    snprintf(name, 32, "%s_%05u", kind, (unsigned)mesh);
}

static void put_gpb_references(big_out *out, const big_size *size)
{
    char name[32];
    big_u32(out, 2 + BIG_JOINTS + 2 * size->mesh_count);
    put_gpb_reference(out, "__Animations__", GPB_ANIMATIONS, MARK_ANIMATIONS);
    put_gpb_reference(out, "__SCENE__", GPB_SCENE, MARK_SCENE);
    for (uint32_t j = 0; j < BIG_JOINTS; j++) {
        big_joint_name(j, name);
        put_gpb_reference(out, name, GPB_NODE, MARK_JOINTS + j);
    }
    for (uint32_t m = 0; m < size->mesh_count; m++) {
        sheet_name("mesh", m, name);
        put_gpb_reference(out, name, GPB_MESH, MARK_MESHES + 2 * m);
    }
    for (uint32_t m = 0; m < size->mesh_count; m++) {
        sheet_name("node", m, name);
        put_gpb_reference(out, name, GPB_NODE, MARK_MESHES + 2 * m + 1);
    }
}

static void put_gpb_vertex(big_out *out, const big_vertex *v)
{
    big_put_position(out, v);
    big_put_normal(out, v);
    big_put_uv(out, v);
    big_put_weights(out, v);
    big_put_float_joints(out, v);
}

static float radius_of(const big_size *size, uint32_t mesh, const float center[3])
{
    float most = 0;
    for (uint32_t row = 0; row < size->rows; row++) {
        for (uint32_t column = 0; column < BIG_COLUMNS; column++) {
            big_vertex v = big_vertex_at(mesh, column, row);
            float square = 0;
            for (int k = 0; k < 3; k++)
                square += (v.position[k] - center[k]) * (v.position[k] - center[k]);
            if (square > most) most = square;
        }
    }
    return sqrtf(most);
}

static void put_gpb_mesh(big_out *out, const big_size *size, uint32_t mesh)
{
    static const uint32_t elements[] = {1, 3, 2, 3, 8, 2, 6, 4, 7, 4};
    float min[3], max[3], center[3];
    mark_here(out, MARK_MESHES + 2 * mesh);
    big_u32(out, 5);
    for (int i = 0; i < 10; i++) big_u32(out, elements[i]);
    big_u32(out, 64 * size->vertex_count);
    big_put_vertices(out, size, mesh, put_gpb_vertex);
    big_box(mesh, size->rows, min, max);
    for (int k = 0; k < 3; k++) center[k] = (min[k] + max[k]) / 2;
    big_f32s(out, min, 3);
    big_f32s(out, max, 3);
    big_f32s(out, center, 3);
    big_f32(out, radius_of(size, mesh, center));
    big_u32(out, 1);
    big_u32(out, 4);
    big_u32(out, 0x1403);
    big_u32(out, 12 * size->quad_count);
    big_put_short_indices(out, size);
}

static void put_gpb_joint(big_out *out, uint32_t joint, const char *parent)
{
    float m[16];
    memcpy(m, big_identity, sizeof m);
    big_translation(joint, 0, m + 12);
    mark_here(out, MARK_JOINTS + joint);
    big_u32(out, 2);
    big_f32s(out, m, 16);
    big_str32(out, parent);
    big_u32(out, joint ? 0 : BIG_JOINTS - 1);
    for (uint32_t j = 1; joint == 0 && j < BIG_JOINTS; j++) put_gpb_joint(out, j, "joint_00");
    big_u8(out, 0);
    big_u8(out, 0);
    big_u32(out, 0);
}

static void put_gpb_skin(big_out *out)
{
    char name[32] = "#";
    float m[16];
    big_f32s(out, big_identity, 16);
    big_u32(out, BIG_JOINTS);
    for (uint32_t j = 0; j < BIG_JOINTS; j++) {
        big_joint_name(j, name + 1);
        big_str32(out, name);
    }
    big_u32(out, 16 * BIG_JOINTS);
    for (uint32_t j = 0; j < BIG_JOINTS; j++) {
        big_inverse_bind(j, m);
        big_f32s(out, m, 16);
    }
}

static void put_gpb_node(big_out *out, uint32_t mesh)
{
    char name[40] = "#";
    mark_here(out, MARK_MESHES + 2 * mesh + 1);
    big_u32(out, 1);
    big_f32s(out, big_identity, 16);
    big_u32(out, 0);
    big_u32(out, 0);
    big_u8(out, 0);
    big_u8(out, 0);
    sheet_name("mesh", mesh, name + 1);
    big_str32(out, name);
    big_u8(out, 1);
    put_gpb_skin(out);
    big_u32(out, 1);
    big_str32(out, "cloth");
}

static void put_gpb_channel(big_out *out, const big_size *size, uint32_t joint)
{
    char name[16];
    big_joint_name(joint, name);
    big_str32(out, name);
    big_u32(out, 17);
    big_u32(out, size->frame_count);
    for (uint32_t f = 0; f < size->frame_count; f++) big_u32(out, f * 33);
    big_u32(out, 10 * size->frame_count);
    for (uint32_t f = 0; f < size->frame_count; f++) {
        float key[10] = {1, 1, 1};
        big_rotation(joint, f, key + 3);
        big_translation(joint, f, key + 7);
        big_f32s(out, key, 10);
    }
    big_u32(out, 0);
    big_u32(out, 0);
    big_u32(out, 1);
    big_u32(out, 1);
}

static void put_gpb_animations(big_out *out, const big_size *size)
{
    mark_here(out, MARK_ANIMATIONS);
    big_u32(out, 1);
    big_str32(out, "wave");
    big_u32(out, BIG_JOINTS);
    for (uint32_t j = 0; j < BIG_JOINTS; j++) put_gpb_channel(out, size, j);
}

static void make_gpb(big_out *out, const big_size *size)
{
    big_bytes(out, "\xabGPB\xbb\r\n\x1a\n\x01\x05", 11);
    put_gpb_references(out, size);
    big_u32(out, size->mesh_count);
    for (uint32_t m = 0; m < size->mesh_count; m++) put_gpb_mesh(out, size, m);
    big_u32(out, 2);
    mark_here(out, MARK_SCENE);
    big_u32(out, 1 + size->mesh_count);
    put_gpb_joint(out, 0, "");
    for (uint32_t m = 0; m < size->mesh_count; m++) put_gpb_node(out, m);
    big_u32(out, 0);
    for (int k = 0; k < 3; k++) big_f32(out, 0.25f);
    put_gpb_animations(out, size);
}

// -- BMW

static void put_bmw_vertex(big_out *out, const big_vertex *v)
{
    big_put_position(out, v);
    for (int k = 0; k < 4; k++) big_u32(out, 255);
    big_put_uv(out, v);
    big_put_normal(out, v);
}

static void put_bmw_mesh(big_out *out, const big_size *size, uint32_t mesh)
{
    big_u32(out, size->vertex_count);
    for (uint32_t i = 0; i < size->vertex_count; i++) {
        big_vertex v = big_vertex_at(mesh, i % BIG_COLUMNS, i / BIG_COLUMNS);
        big_u32(out, i);
        big_u32(out, 4);
        for (int k = 0; k < 4; k++) {
            big_u32(out, v.joints[k]);
            big_f32(out, v.weights[k]);
        }
    }
    big_u32(out, size->vertex_count);
    big_put_vertices(out, size, mesh, put_bmw_vertex);
    big_u32(out, 2 * size->quad_count);
    big_put_indices(out, size);
}

static void put_bmw_animation(big_out *out, const big_size *size)
{
    big_u32(out, size->frame_count - 1);
    big_u32(out, BIG_RATE);
    big_u32(out, BIG_JOINTS);
    for (uint32_t j = 0; j < BIG_JOINTS; j++) {
        big_u32(out, j);
        for (uint32_t f = 0; f < size->frame_count; f++) {
            float m[16];
            big_matrix(j, f, m);
            big_f32s(out, m, 16);
        }
    }
}

static void put_bmw_node(big_out *out, uint32_t joint)
{
    float m[16];
    memcpy(m, big_identity, sizeof m);
    big_translation(joint, 0, m + 12);
    big_u32(out, joint);
    big_f32s(out, m, 16);
}

static void make_bmw(big_out *out, const big_size *size)
{
    big_strz(out, "Beo-Model-Wolf Format Version 1");
    big_u32(out, 0);
    big_u32(out, 1);
    put_bmw_animation(out, size);
    big_u32(out, size->mesh_count);
    for (uint32_t m = 0; m < size->mesh_count; m++) put_bmw_mesh(out, size, m);
    put_bmw_node(out, 0);
    big_u32(out, size->mesh_count);
    for (uint32_t m = 0; m < size->mesh_count; m++) big_u32(out, m);
    big_u32(out, BIG_JOINTS - 1);
    for (uint32_t j = 1; j < BIG_JOINTS; j++) {
        put_bmw_node(out, j);
        big_u32(out, 0);
        big_u32(out, 0);
    }
    big_u32(out, BIG_JOINTS);
    for (uint32_t j = 0; j < BIG_JOINTS; j++) {
        char name[16];
        big_joint_name(j, name);
        big_u32(out, j);
        big_strz(out, name);
    }
}

// -- ModelData

enum { MARK_MODEL, MARK_SKELETON, MARK_ANIMATION, MARK_MESH };

static void put_modeldata_mesh(big_out *out, const big_size *size, uint32_t mesh)
{
    static const uint32_t widths[6] = {12, 8, 12, 12, 16, 16};
    static big_vertex_fn *const streams[6] = {big_put_position, big_put_uv,     big_put_normal,
                                              big_put_tangent,  big_put_joints, big_put_weights};
    for (int i = 0; i < 6; i++) big_u32(out, widths[i] * size->vertex_count);
    big_u32(out, 24 * size->quad_count);
    big_u32(out, 0);
    big_u32(out, 0);
    for (int i = 0; i < 6; i++) big_put_vertices(out, size, mesh, streams[i]);
    big_put_indices(out, size);
}

static void put_modeldata_model(big_out *out, const big_size *size)
{
    big_u32(out, size->mesh_count);
    for (uint32_t m = 0; m < size->mesh_count; m++) big_u32(out, *big_mark(out, MARK_MESH));
    for (uint32_t m = 0; m < size->mesh_count; m++) {
        uint64_t start = out->pos;
        put_modeldata_mesh(out, size, m);
        *big_mark(out, MARK_MESH) = (uint32_t)(out->pos - start);
    }
}

static void put_modeldata_skeleton(big_out *out)
{
    char name[16];
    big_u32(out, BIG_JOINTS);
    for (uint32_t j = 0; j < BIG_JOINTS; j++) big_u32(out, 8);
    for (uint32_t j = 0; j < BIG_JOINTS; j++) {
        float m[16];
        big_joint_name(j, name);
        big_u32(out, j);
        big_u32(out, j ? 0 : UINT32_MAX);
        big_bytes(out, name, 8);
        big_inverse_bind(j, m);
        put_transposed(out, m);
        for (int k = 12; k < 15; k++) m[k] = -m[k];
        put_transposed(out, m);
    }
}

static void put_modeldata_animation(big_out *out, const big_size *size)
{
    const uint32_t keys[3] = {size->frame_count, size->frame_count, 0};
    float v[4];
    big_u32(out, 4);
    for (int kind = 0; kind < 3; kind++) big_u32(out, BIG_JOINTS);
    for (int kind = 0; kind < 3; kind++)
        for (uint32_t j = 0; j < BIG_JOINTS; j++) big_u32(out, keys[kind]);
    big_bytes(out, "wave", 4);
    for (uint32_t j = 0; j < BIG_JOINTS; j++) {
        for (uint32_t f = 0; f < size->frame_count; f++) {
            big_translation(j, f, v);
            big_f32(out, (float)f);
            big_f32s(out, v, 3);
        }
    }
    for (uint32_t j = 0; j < BIG_JOINTS; j++) {
        for (uint32_t f = 0; f < size->frame_count; f++) {
            big_rotation(j, f, v);
            big_f32(out, (float)f);
            big_f32s(out, v, 4);
        }
    }
}

static void make_modeldata(big_out *out, const big_size *size)
{
    big_u32(out, *big_mark(out, MARK_MODEL));
    big_u32(out, *big_mark(out, MARK_SKELETON));
    big_u32(out, 1);
    big_u32(out, *big_mark(out, MARK_ANIMATION));
    uint64_t start = out->pos;
    put_modeldata_model(out, size);
    *big_mark(out, MARK_MODEL) = (uint32_t)(out->pos - start);
    start = out->pos;
    put_modeldata_skeleton(out);
    *big_mark(out, MARK_SKELETON) = (uint32_t)(out->pos - start);
    start = out->pos;
    put_modeldata_animation(out, size);
    *big_mark(out, MARK_ANIMATION) = (uint32_t)(out->pos - start);
}

// -- BPLX

static void put_bplx_keys(big_out *out, const big_size *size)
{
    static const float one[3] = {1, 1, 1};
    for (uint32_t f = 0; f < size->frame_count; f++) {
        for (uint32_t j = 0; j < BIG_JOINTS; j++) {
            float move[3], turn[4];
            big_translation(j, f, move);
            big_rotation(j, f, turn);
            big_f32(out, (float)f / BIG_RATE);
            big_u32(out, j);
            big_f32s(out, move, 3);
            big_f32s(out, turn, 4);
            big_f32s(out, one, 3);
        }
    }
}

static void put_bplx_bone(big_out *out, uint32_t joint)
{
    static const float rest[7] = {0, 0, 0, 1, 1, 1, 1};
    char name[16];
    float move[3];
    big_joint_name(joint, name);
    big_translation(joint, 0, move);
    big_str32(out, name);
    big_u32(out, joint ? 0 : UINT32_MAX);
    big_f32s(out, move, 3);
    big_f32s(out, rest, 7);
}

static void make_bplx(big_out *out, const big_size *size)
{
    big_bytes(out, "BPLX", 4);
    const uint32_t head[5] = {1, size->vertex_count, 2 * size->quad_count, 0, 0};
    for (int i = 0; i < 5; i++) big_u32(out, head[i]);
    big_put_vertices(out, size, 0, big_put_position);
    big_put_vertices(out, size, 0, big_put_normal);
    big_put_vertices(out, size, 0, big_put_uv);
    big_put_indices(out, size);
    big_u32(out, BIG_JOINTS);
    for (uint32_t j = 0; j < BIG_JOINTS; j++) put_bplx_bone(out, j);
    big_u32(out, 1);
    big_str32(out, "wave");
    big_f32(out, (float)(size->frame_count - 1) / BIG_RATE);
    big_u32(out, size->frame_count * BIG_JOINTS);
    put_bplx_keys(out, size);
}

// -- The table

const big_kind big_kinds[] = {
    {.name = "bbmod", .corner_size = 84, .make = make_bbmod},
    {.name = "bbanim", .frame_size = 32, .motion_share = 1, .vertex_size = 1, .make = make_bbanim},
    {.name = "gpb", .vertex_size = 64, .corner_size = 2, .measures = true, .make = make_gpb},
    {.name = "gpb-motion",
     .vertex_size = 64,
     .corner_size = 2,
     .frame_size = 44,
     .motion_share = 0.75,
     .measures = true,
     .make = make_gpb},
    {.name = "bmw",
     .vertex_size = 88,
     .corner_size = 4,
     .frame_size = 64,
     .motion_share = 0.25,
     .make = make_bmw},
    {.name = "modeldata",
     .vertex_size = 76,
     .corner_size = 4,
     .frame_size = 36,
     .motion_share = 0.25,
     .big_endian = true,
     .measures = true,
     .make = make_modeldata},
    {.name = "bplx",
     .vertex_size = 32,
     .corner_size = 4,
     .frame_size = 48,
     .motion_share = 0.25,
     .one_mesh = true,
     .make = make_bplx},
    {.name = "glb",
     .vertex_size = 52,
     .corner_size = 2,
     .frame_size = 28,
     .motion_share = 0.25,
     .measures = true,
     .make = big_make_glb},
    {.name = "obj", .vertex_size = 74, .corner_size = 21, .make = big_make_obj},
    {.name = NULL},
};
