// make_big_models.c: model files of any size, for measuring; the same bytes on every machine.
// SPDX-License-Identifier: MIT
//
//     make_big_models KIND BYTES FILE
//
// Every model is made of wavy sheets of vertices that a hub with spokes moves. A file is made
// twice: the first time without an output, to find the sizes and offsets that its head has to
// contain.

#include "make_big_models.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define WAVES 64  // Different slopes of a sheet.
#define TURNS 64  // Different rotations of a joint.

// -- Bytes

static void flush(big_out *out)
{
    if (out->file && fwrite(out->buffer, 1, out->used, out->file) != out->used) out->failed = true;
    out->used = 0;
}

void big_bytes(big_out *out, const void *bytes, size_t size)
{
    out->pos += size;
    if (!out->file) return;
    if (size > sizeof out->buffer - out->used) flush(out);
    memcpy(out->buffer + out->used, bytes, size);
    out->used += size;
}

void big_u8(big_out *out, uint8_t v)
{
    big_bytes(out, &v, 1);
}

void big_u16(big_out *out, uint16_t v)
{
    big_u8(out, (uint8_t)v);
    big_u8(out, (uint8_t)(v >> 8));
}

void big_u32(big_out *out, uint32_t v)
{
    uint8_t b[4];
    for (int i = 0; i < 4; i++) b[out->big_endian ? 3 - i : i] = (uint8_t)(v >> 8 * i);
    big_bytes(out, b, 4);
}

void big_f32(big_out *out, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    big_u32(out, bits);
}

void big_f32s(big_out *out, const float *v, size_t count)
{
    for (size_t i = 0; i < count; i++) big_f32(out, v[i]);
}

void big_f64(big_out *out, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    big_u32(out, (uint32_t)bits);
    big_u32(out, (uint32_t)(bits >> 32));
}

void big_text(big_out *out, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    int size = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    big_bytes(out, text, (size_t)size);
}

void big_str32(big_out *out, const char *text)
{
    big_u32(out, (uint32_t)strlen(text));
    big_bytes(out, text, strlen(text));
}

void big_strz(big_out *out, const char *text)
{
    big_bytes(out, text, strlen(text) + 1);
}

uint32_t *big_mark(big_out *out, uint32_t slot)
{
    if (slot >= BIG_MARKS) {
        fprintf(stderr, "make_big_models: too many marks\n");
        exit(1);
    }
    return &out->marks[slot];
}

// -- Geometry

// A slope that depends on the position only, so that a sheet is the same wherever it is made.
static uint32_t wave_at(uint32_t column, uint32_t row)
{
    return (column * 5 + row * 3) % WAVES;
}

big_vertex big_vertex_at(uint32_t mesh, uint32_t column, uint32_t row)
{
    uint32_t wave = wave_at(column, row);
    float t = (float)wave / WAVES, slope = t - 0.5f;
    float length = sqrtf(1 + 2 * slope * slope);
    float x = (float)column * 0.125f, z = (float)row * 0.125f;
    big_vertex v = {.position = {x + (float)(mesh % 64) * 16, t * (1 - t), z},
                    .normal = {slope / length, 1 / length, slope / length},
                    .uv = {(float)column / BIG_COLUMNS, (float)(row % BIG_COLUMNS) / BIG_COLUMNS},
                    .weights = {0.5f, 0.25f, 0.125f, 0.125f}};
    for (uint32_t k = 0; k < 4; k++) v.joints[k] = (column / 8 + row / 8 + k) % BIG_JOINTS;
    return v;
}

void big_triangle(uint32_t quad, uint32_t corner, uint32_t *column, uint32_t *row)
{
    static const uint8_t right[6] = {0, 0, 1, 1, 0, 1}, down[6] = {0, 1, 0, 0, 1, 1};
    *column = quad % (BIG_COLUMNS - 1) + right[corner];
    *row = quad / (BIG_COLUMNS - 1) + down[corner];
}

uint32_t big_index(uint32_t quad, uint32_t corner)
{
    uint32_t column, row;
    big_triangle(quad, corner, &column, &row);
    return row * BIG_COLUMNS + column;
}

void big_box(uint32_t mesh, uint32_t rows, float min[3], float max[3])
{
    for (int k = 0; k < 3; k++) min[k] = INFINITY, max[k] = -INFINITY;
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t column = 0; column < BIG_COLUMNS; column++) {
            big_vertex v = big_vertex_at(mesh, column, row);
            for (int k = 0; k < 3; k++) {
                if (v.position[k] < min[k]) min[k] = v.position[k];
                if (v.position[k] > max[k]) max[k] = v.position[k];
            }
        }
    }
}

// -- Motion

// Rotations about Z, whose sines and cosines are fractions: of length 1 without a sine function.
void big_rotation(uint32_t joint, uint32_t frame, float q[4])
{
    uint32_t turn = (frame + joint * 5) % TURNS;
    float t = 0.25f * (float)(turn < TURNS / 2 ? turn : TURNS - turn) / TURNS;
    q[0] = q[1] = 0;
    q[2] = 2 * t / (1 + t * t);
    q[3] = (1 - t * t) / (1 + t * t);
}

void big_translation(uint32_t joint, uint32_t frame, float v[3])
{
    v[0] = (float)joint * 0.25f;
    v[1] = joint ? (float)((frame + joint) % 16) * 0.0625f : 0;
    v[2] = 0;
}

void big_matrix(uint32_t joint, uint32_t frame, float m[16])
{
    float q[4], move[3];
    big_rotation(joint, frame, q);
    big_translation(joint, frame, move);
    float c = 1 - 2 * q[2] * q[2], s = 2 * q[2] * q[3];
    const float rows[16] = {c, s, 0, 0, -s, c, 0, 0, 0, 0, 1, 0, move[0], move[1], move[2], 1};
    memcpy(m, rows, sizeof rows);
}

void big_dual(uint32_t joint, uint32_t frame, float dq[8])
{
    float move[3];
    big_rotation(joint, frame, dq);
    big_translation(joint, frame, move);
    float z = dq[2], w = dq[3];
    dq[4] = 0.5f * (move[0] * w + move[1] * z);
    dq[5] = 0.5f * (move[1] * w - move[0] * z);
    dq[6] = 0.5f * move[2] * w;
    dq[7] = -0.5f * move[2] * z;
}

const float big_identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

// -- Parts of files

void big_put_vertices(big_out *out, const big_size *size, uint32_t mesh, big_vertex_fn *put)
{
    for (uint32_t row = 0; row < size->rows; row++) {
        for (uint32_t column = 0; column < BIG_COLUMNS; column++) {
            big_vertex v = big_vertex_at(mesh, column, row);
            put(out, &v);
        }
    }
}

void big_put_indices(big_out *out, const big_size *size)
{
    for (uint32_t q = 0; q < size->quad_count; q++)
        for (uint32_t c = 0; c < 6; c++) big_u32(out, big_index(q, c));
}

void big_put_short_indices(big_out *out, const big_size *size)
{
    for (uint32_t q = 0; q < size->quad_count; q++)
        for (uint32_t c = 0; c < 6; c++) big_u16(out, (uint16_t)big_index(q, c));
}

void big_put_position(big_out *out, const big_vertex *v)
{
    big_f32s(out, v->position, 3);
}

void big_put_normal(big_out *out, const big_vertex *v)
{
    big_f32s(out, v->normal, 3);
}

void big_put_uv(big_out *out, const big_vertex *v)
{
    big_f32s(out, v->uv, 2);
}

void big_put_weights(big_out *out, const big_vertex *v)
{
    big_f32s(out, v->weights, 4);
}

void big_put_joints(big_out *out, const big_vertex *v)
{
    for (int k = 0; k < 4; k++) big_u32(out, v->joints[k]);
}

void big_put_float_joints(big_out *out, const big_vertex *v)
{
    for (int k = 0; k < 4; k++) big_f32(out, (float)v->joints[k]);
}

void big_put_byte_joints(big_out *out, const big_vertex *v)
{
    for (int k = 0; k < 4; k++) big_u8(out, (uint8_t)v->joints[k]);
}

// A direction at right angles to the normal.
void big_put_tangent(big_out *out, const big_vertex *v)
{
    float length = sqrtf(v->normal[0] * v->normal[0] + v->normal[1] * v->normal[1]);
    big_f32(out, v->normal[1] / length);
    big_f32(out, -v->normal[0] / length);
    big_f32(out, 0);
}

void big_joint_name(uint32_t joint, char name[16])
{
    snprintf(name, 16, "joint_%02u", (unsigned)joint);
}

void big_inverse_bind(uint32_t joint, float m[16])
{
    memcpy(m, big_identity, sizeof big_identity);
    big_translation(joint, 0, m + 12);
    for (int k = 12; k < 15; k++) m[k] = -m[k];
}

// -- Sizes

static big_size size_of(const big_kind *kind, uint64_t total)
{
    double motion = (double)total * kind->motion_share, mesh = (double)total - motion;
    double row = BIG_COLUMNS * kind->vertex_size + (BIG_COLUMNS - 1) * 6 * kind->corner_size;
    big_size size = {.mesh_count = 1};
    if (!kind->one_mesh) size.mesh_count = (uint32_t)ceil(mesh / (row * BIG_COLUMNS));
    if (size.mesh_count == 0) size.mesh_count = 1;
    size.rows = (uint32_t)(mesh / (row * size.mesh_count));
    if (size.rows < 2) size.rows = 2;
    size.quad_count = (size.rows - 1) * (BIG_COLUMNS - 1);
    size.vertex_count = size.rows * BIG_COLUMNS;
    if (kind->frame_size > 0)
        size.frame_count = (uint32_t)(motion / (kind->frame_size * BIG_JOINTS));
    if (size.frame_count < 2) size.frame_count = 2;
    return size;
}

static const big_kind *find_kind(const char *name)
{
    for (const big_kind *kind = big_kinds; kind->name; kind++)
        if (strcmp(kind->name, name) == 0) return kind;
    return NULL;
}

static bool make(const big_kind *kind, uint64_t total, const char *path)
{
    static big_out out;
    big_size size = size_of(kind, total);
    out.big_endian = kind->big_endian;
    if (kind->measures) kind->make(&out, &size);
    out.pos = 0;
    out.file = fopen(path, "wb");
    if (!out.file) return false;
    kind->make(&out, &size);
    flush(&out);
    return fclose(out.file) == 0 && !out.failed;
}

int main(int argc, char **argv)
{
    const big_kind *kind = argc == 4 ? find_kind(argv[1]) : NULL;
    if (!kind) {
        fprintf(stderr, "usage: make_big_models KIND BYTES FILE; kinds:");
        for (kind = big_kinds; kind->name; kind++) fprintf(stderr, " %s", kind->name);
        fprintf(stderr, "\n");
        return 2;
    }
    if (make(kind, strtoull(argv[2], NULL, 10), argv[3])) return 0;
    perror(argv[3]);
    return 3;
}
