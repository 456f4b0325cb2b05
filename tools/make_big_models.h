// make_big_models.h: what the makers of big files share.
// SPDX-License-Identifier: MIT

#ifndef MAKE_BIG_MODELS_H
#define MAKE_BIG_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define BIG_COLUMNS 128  // Vertices in a row of a sheet.
#define BIG_JOINTS  32   // The hub, and spokes around it.
#define BIG_RATE    30   // Frames a second.
#define BIG_MARKS   8192

// The output. Without a file the bytes are only counted.
typedef struct big_out {
    FILE *file;
    uint64_t pos;
    size_t used;
    bool big_endian, failed;
    uint32_t marks[BIG_MARKS];  // Offsets and sizes that the first run has found.
    uint8_t buffer[1 << 16];
} big_out;

// A model: so many sheets, each of so many rows, and so many frames.
typedef struct big_size {
    uint32_t mesh_count, rows, vertex_count, quad_count, frame_count;
} big_size;

typedef struct big_kind {
    const char *name;
    double vertex_size, corner_size;  // Bytes of a vertex, and of a corner of a triangle.
    double frame_size;                // Bytes of one joint in one frame.
    double motion_share;              // Of the file.
    bool one_mesh, big_endian;
    bool measures;  // It has to be run twice.
    void (*make)(big_out *out, const big_size *size);
} big_kind;

extern const big_kind big_kinds[];

typedef struct big_vertex {
    float position[3], normal[3], uv[2], weights[4];
    uint32_t joints[4];
} big_vertex;

void big_bytes(big_out *out, const void *bytes, size_t size);
void big_u8(big_out *out, uint8_t v);
void big_u16(big_out *out, uint16_t v);  // Little-endian.
void big_u32(big_out *out, uint32_t v);
void big_f32(big_out *out, float v);
void big_f32s(big_out *out, const float *v, size_t count);
void big_f64(big_out *out, double v);  // Little-endian.
void big_str32(big_out *out, const char *text);
void big_strz(big_out *out, const char *text);
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
void big_text(big_out *out, const char *fmt, ...);

// A number to remember from the first run to the second.
uint32_t *big_mark(big_out *out, uint32_t slot);

big_vertex big_vertex_at(uint32_t mesh, uint32_t column, uint32_t row);
// The position, or the index, of one of the six corners of the two triangles of a quad.
void big_triangle(uint32_t quad, uint32_t corner, uint32_t *column, uint32_t *row);
uint32_t big_index(uint32_t quad, uint32_t corner);
void big_box(uint32_t mesh, uint32_t rows, float min[3], float max[3]);

// The transform of a joint in a frame, relative to the hub; the hub is joint 0. At frame 0 nothing
// is rotated.
void big_rotation(uint32_t joint, uint32_t frame, float q[4]);
void big_translation(uint32_t joint, uint32_t frame, float v[3]);
void big_matrix(uint32_t joint, uint32_t frame, float m[16]);  // Column-major.
void big_dual(uint32_t joint, uint32_t frame, float dq[8]);

// Pieces of files.
typedef void big_vertex_fn(big_out *out, const big_vertex *v);

extern const float big_identity[16];

void big_put_vertices(big_out *out, const big_size *size, uint32_t mesh, big_vertex_fn *put);
void big_put_indices(big_out *out, const big_size *size);
void big_put_short_indices(big_out *out, const big_size *size);
void big_put_position(big_out *out, const big_vertex *v);
void big_put_normal(big_out *out, const big_vertex *v);
void big_put_uv(big_out *out, const big_vertex *v);
void big_put_weights(big_out *out, const big_vertex *v);
void big_put_joints(big_out *out, const big_vertex *v);
void big_put_float_joints(big_out *out, const big_vertex *v);
void big_put_byte_joints(big_out *out, const big_vertex *v);
void big_put_tangent(big_out *out, const big_vertex *v);
void big_joint_name(uint32_t joint, char name[16]);
void big_inverse_bind(uint32_t joint, float m[16]);

// The files that are made of text, or begin with it.
void big_make_obj(big_out *out, const big_size *size);
void big_make_glb(big_out *out, const big_size *size);

#endif  // MAKE_BIG_MODELS_H
