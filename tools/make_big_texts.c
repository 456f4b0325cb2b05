// make_big_texts.c: big OBJ and GLB files.
// SPDX-License-Identifier: MIT

#include "make_big_models.h"

#include <math.h>
#include <string.h>

// -- OBJ

// Six decimals, which is what most programs write.
static void put_fixed(big_out *out, float v)
{
    char text[16];
    int at = sizeof text;
    int64_t millionths = (int64_t)floor((double)v * 1e6 + 0.5);
    uint64_t rest = (uint64_t)(millionths < 0 ? -millionths : millionths);
    for (int k = 0; k < 6; k++, rest /= 10) text[--at] = (char)('0' + rest % 10);
    text[--at] = '.';
    do text[--at] = (char)('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (millionths < 0) text[--at] = '-';
    big_bytes(out, " ", 1);
    big_bytes(out, text + at, sizeof text - (size_t)at);
}

static void put_obj_line(big_out *out, const char *word, const float *v, int count)
{
    big_bytes(out, word, strlen(word));
    for (int k = 0; k < count; k++) put_fixed(out, v[k]);
    big_bytes(out, "\n", 1);
}

static void put_obj_position(big_out *out, const big_vertex *v)
{
    put_obj_line(out, "v", v->position, 3);
}

static void put_obj_uv(big_out *out, const big_vertex *v)
{
    put_obj_line(out, "vt", v->uv, 2);
}

static void put_obj_normal(big_out *out, const big_vertex *v)
{
    put_obj_line(out, "vn", v->normal, 3);
}

static void put_obj_corner(big_out *out, uint32_t index)
{
    char text[40], digits[12];
    int at = sizeof digits, size = 0;
    do digits[--at] = (char)('0' + index % 10);
    while ((index /= 10) != 0);
    for (int part = 0; part < 3; part++) {
        text[size++] = part ? '/' : ' ';
        memcpy(text + size, digits + at, sizeof digits - (size_t)at);
        size += (int)sizeof digits - at;
    }
    big_bytes(out, text, (size_t)size);
}

void big_make_obj(big_out *out, const big_size *size)
{
    for (uint32_t m = 0; m < size->mesh_count; m++) {
        big_text(out, "o sheet_%05u\n", (unsigned)m);
        big_put_vertices(out, size, m, put_obj_position);
        big_put_vertices(out, size, m, put_obj_uv);
        big_put_vertices(out, size, m, put_obj_normal);
        for (uint32_t t = 0; t < 2 * size->quad_count; t++) {
            big_bytes(out, "f", 1);
            for (uint32_t c = 0; c < 3; c++)
                put_obj_corner(out, m * size->vertex_count + big_index(t / 2, 3 * (t % 2) + c) + 1);
            big_bytes(out, "\n", 1);
        }
    }
}

// -- GLB

enum { MARK_JSON, MARK_TOTAL };
enum { GLB_STREAMS = 6 };  // Five for the vertices, one for the indices.

typedef struct glb_stream {
    const char *name, *type;
    uint32_t component, width;
    big_vertex_fn *put;
} glb_stream;

static const glb_stream glb_streams[GLB_STREAMS] = {
    {"POSITION", "VEC3", 5126, 12, big_put_position},
    {"NORMAL", "VEC3", 5126, 12, big_put_normal},
    {"TEXCOORD_0", "VEC2", 5126, 8, big_put_uv},
    {"JOINTS_0", "VEC4", 5121, 4, big_put_byte_joints},
    {"WEIGHTS_0", "VEC4", 5126, 16, big_put_weights},
    {"indices", "SCALAR", 5123, 2, NULL},
};

static uint32_t glb_count(const big_size *size, uint32_t stream)
{
    return stream == GLB_STREAMS - 1 ? 6 * size->quad_count : size->vertex_count;
}

// One accessor has one view, of the same number; `at` advances.
static void put_glb_view(big_out *out, uint64_t *at, uint64_t bytes, uint32_t target)
{
    big_text(out, "%s{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu", *at ? "," : "",
             (unsigned long long)*at, (unsigned long long)bytes);
    if (target) big_text(out, ",\"target\":%u", (unsigned)target);
    big_text(out, "}");
    *at += bytes;
}

static void put_glb_views(big_out *out, const big_size *size, uint64_t *at)
{
    big_text(out, "\"bufferViews\":[");
    for (uint32_t m = 0; m < size->mesh_count; m++)
        for (uint32_t s = 0; s < GLB_STREAMS; s++)
            put_glb_view(out, at, (uint64_t)glb_count(size, s) * glb_streams[s].width,
                         s == GLB_STREAMS - 1 ? 34963 : 34962);
    put_glb_view(out, at, 64 * BIG_JOINTS, 0);
    put_glb_view(out, at, 4 * (uint64_t)size->frame_count, 0);
    for (uint32_t j = 0; j < BIG_JOINTS; j++) put_glb_view(out, at, 12 * size->frame_count, 0);
    for (uint32_t j = 0; j < BIG_JOINTS; j++) put_glb_view(out, at, 16 * size->frame_count, 0);
    big_text(out, "],\"buffers\":[{\"byteLength\":%llu}],", (unsigned long long)*at);
}

static void put_glb_accessor(big_out *out, uint32_t number, uint32_t component, uint32_t count,
                             const char *type)
{
    big_text(out, "%s{\"bufferView\":%u,\"componentType\":%u,\"count\":%u,\"type\":\"%s\"",
             number ? "," : "", (unsigned)number, (unsigned)component, (unsigned)count, type);
}

static void put_glb_range(big_out *out, const float *min, const float *max, int count)
{
    for (int end = 0; end < 2; end++) {
        big_text(out, ",\"%s\":[", end ? "max" : "min");
        for (int k = 0; k < count; k++)
            big_text(out, "%s%.9g", k ? "," : "", (double)(end ? max : min)[k]);
        big_text(out, "]");
    }
}

static void put_glb_accessors(big_out *out, const big_size *size)
{
    uint32_t number = 0;
    big_text(out, "\"accessors\":[");
    for (uint32_t m = 0; m < size->mesh_count; m++) {
        for (uint32_t s = 0; s < GLB_STREAMS; s++, number++) {
            float min[3], max[3];
            const glb_stream *stream = &glb_streams[s];
            put_glb_accessor(out, number, stream->component, glb_count(size, s), stream->type);
            if (s == 0) big_box(m, size->rows, min, max);
            if (s == 0) put_glb_range(out, min, max, 3);
            big_text(out, "}");
        }
    }
    const float first = 0, last = (float)(size->frame_count - 1) / BIG_RATE;
    put_glb_accessor(out, number++, 5126, BIG_JOINTS, "MAT4");
    big_text(out, "}");
    put_glb_accessor(out, number++, 5126, size->frame_count, "SCALAR");
    put_glb_range(out, &first, &last, 1);
    big_text(out, "}");
    for (uint32_t k = 0; k < 2 * BIG_JOINTS; k++) {
        put_glb_accessor(out, number++, 5126, size->frame_count, k < BIG_JOINTS ? "VEC3" : "VEC4");
        big_text(out, "}");
    }
    big_text(out, "],");
}

static void put_glb_meshes(big_out *out, const big_size *size)
{
    big_text(out, "\"meshes\":[");
    for (uint32_t m = 0; m < size->mesh_count; m++) {
        uint32_t first = m * GLB_STREAMS;
        big_text(out, "%s{\"name\":\"mesh_%05u\",\"primitives\":[{\"attributes\":{", m ? "," : "",
                 (unsigned)m);
        for (uint32_t s = 0; s < GLB_STREAMS - 1; s++)
            big_text(out, "%s\"%s\":%u", s ? "," : "", glb_streams[s].name, (unsigned)(first + s));
        big_text(out, "},\"indices\":%u}]}", (unsigned)(first + GLB_STREAMS - 1));
    }
    big_text(out, "],");
}

static void put_glb_nodes(big_out *out, const big_size *size)
{
    big_text(out, "\"scene\":0,\"scenes\":[{\"nodes\":[0");
    for (uint32_t m = 0; m < size->mesh_count; m++)
        big_text(out, ",%u", (unsigned)(BIG_JOINTS + m));
    big_text(out, "]}],\"nodes\":[");
    for (uint32_t j = 0; j < BIG_JOINTS; j++) {
        float move[3];
        big_translation(j, 0, move);
        big_text(out, "%s{\"name\":\"joint_%02u\",\"translation\":[%.9g,%.9g,%.9g]", j ? "," : "",
                 (unsigned)j, (double)move[0], (double)move[1], (double)move[2]);
        for (uint32_t k = 1; j == 0 && k < BIG_JOINTS; k++)
            big_text(out, "%s%u", k == 1 ? ",\"children\":[" : ",", (unsigned)k);
        big_text(out, j ? "}" : "]}");
    }
    for (uint32_t m = 0; m < size->mesh_count; m++)
        big_text(out, ",{\"name\":\"node_%05u\",\"mesh\":%u,\"skin\":0}", (unsigned)m, (unsigned)m);
    big_text(out, "],\"skins\":[{\"inverseBindMatrices\":%u,\"joints\":[",
             (unsigned)(size->mesh_count * GLB_STREAMS));
    for (uint32_t j = 0; j < BIG_JOINTS; j++) big_text(out, "%s%u", j ? "," : "", (unsigned)j);
    big_text(out, "]}],");
}

static void put_glb_animation(big_out *out, const big_size *size)
{
    uint32_t times = size->mesh_count * GLB_STREAMS + 1;
    big_text(out, "\"animations\":[{\"name\":\"wave\",\"samplers\":[");
    for (uint32_t k = 0; k < 2 * BIG_JOINTS; k++)
        big_text(out, "%s{\"input\":%u,\"output\":%u}", k ? "," : "", (unsigned)times,
                 (unsigned)(times + 1 + k));
    big_text(out, "],\"channels\":[");
    for (uint32_t k = 0; k < 2 * BIG_JOINTS; k++)
        big_text(out, "%s{\"sampler\":%u,\"target\":{\"node\":%u,\"path\":\"%s\"}}", k ? "," : "",
                 (unsigned)k, (unsigned)(k % BIG_JOINTS),
                 k < BIG_JOINTS ? "translation" : "rotation");
    big_text(out, "]}]}");
}

static void put_glb_motion(big_out *out, const big_size *size)
{
    float v[16];
    for (uint32_t j = 0; j < BIG_JOINTS; j++) {
        big_inverse_bind(j, v);
        big_f32s(out, v, 16);
    }
    for (uint32_t f = 0; f < size->frame_count; f++) big_f32(out, (float)f / BIG_RATE);
    for (uint32_t j = 0; j < BIG_JOINTS; j++) {
        for (uint32_t f = 0; f < size->frame_count; f++) {
            big_translation(j, f, v);
            big_f32s(out, v, 3);
        }
    }
    for (uint32_t j = 0; j < BIG_JOINTS; j++) {
        for (uint32_t f = 0; f < size->frame_count; f++) {
            big_rotation(j, f, v);
            big_f32s(out, v, 4);
        }
    }
}

static void put_glb_json(big_out *out, const big_size *size, uint64_t *binary)
{
    big_text(out, "{\"asset\":{\"version\":\"2.0\"},");
    put_glb_views(out, size, binary);
    put_glb_accessors(out, size);
    put_glb_meshes(out, size);
    put_glb_nodes(out, size);
    put_glb_animation(out, size);
    while (out->pos % 4) big_bytes(out, " ", 1);
}

void big_make_glb(big_out *out, const big_size *size)
{
    uint64_t binary = 0;
    big_bytes(out, "glTF", 4);
    big_u32(out, 2);
    big_u32(out, *big_mark(out, MARK_TOTAL));
    big_u32(out, *big_mark(out, MARK_JSON));
    big_bytes(out, "JSON", 4);
    uint64_t start = out->pos;
    put_glb_json(out, size, &binary);
    *big_mark(out, MARK_JSON) = (uint32_t)(out->pos - start);
    big_u32(out, (uint32_t)binary);
    big_bytes(out, "BIN", 4);
    for (uint32_t m = 0; m < size->mesh_count; m++) {
        for (uint32_t s = 0; s < GLB_STREAMS - 1; s++)
            big_put_vertices(out, size, m, glb_streams[s].put);
        big_put_short_indices(out, size);
    }
    put_glb_motion(out, size);
    *big_mark(out, MARK_TOTAL) = (uint32_t)out->pos;
}
