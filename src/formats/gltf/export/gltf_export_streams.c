// gltf_export_streams.c: accessors and buffer views, and their bytes.
// SPDX-License-Identifier: MIT
//
// The accessors of one stream follow each other in one buffer view. Each starts at a multiple of
// four bytes.

#include "formats/gltf/export/gltf_export.h"

#include "core/cursor/span.h"

#include <math.h>

typedef struct gltf_stream_info {
    const char *type;
    uint32_t component;  // 'componentType'.
    uint32_t width;      // Components of an element.
    uint32_t size;       // Bytes of a component.
    uint32_t target;     // Of the view; 0: none.
    uint32_t most;       // The integer that stands for 1; 0: numbers are written as they are.
} gltf_stream_info;

static const gltf_stream_info gltf_streams[GLTF_STREAM_COUNT] = {
    [GLTF_INDICES16] = {"SCALAR", GLTF_U16, 1, 2, GLTF_TARGET_INDICES, 0},
    [GLTF_INDICES32] = {"SCALAR", GLTF_U32, 1, 4, GLTF_TARGET_INDICES, 0},
    [GLTF_POSITIONS] = {"VEC3", GLTF_F32, 3, 4, GLTF_TARGET_VERTICES, 0},
    [GLTF_NORMALS] = {"VEC3", GLTF_F32, 3, 4, GLTF_TARGET_VERTICES, 0},
    [GLTF_TANGENTS] = {"VEC4", GLTF_F32, 4, 4, GLTF_TARGET_VERTICES, 0},
    [GLTF_UVS] = {"VEC2", GLTF_F32, 2, 4, GLTF_TARGET_VERTICES, 0},
    [GLTF_COLORS] = {"VEC4", GLTF_F32, 4, 4, GLTF_TARGET_VERTICES, 0},
    [GLTF_COLORS8] = {"VEC4", GLTF_U8, 4, 1, GLTF_TARGET_VERTICES, UINT8_MAX},
    [GLTF_JOINTS8] = {"VEC4", GLTF_U8, 4, 1, GLTF_TARGET_VERTICES, 0},
    [GLTF_JOINTS16] = {"VEC4", GLTF_U16, 4, 2, GLTF_TARGET_VERTICES, 0},
    [GLTF_WEIGHTS] = {"VEC4", GLTF_F32, 4, 4, GLTF_TARGET_VERTICES, 0},
    [GLTF_BINDS] = {"MAT4", GLTF_F32, 16, 4, 0, 0},
    [GLTF_TIMES] = {"SCALAR", GLTF_F32, 1, 4, 0, 0},
    [GLTF_VECTORS] = {"VEC3", GLTF_F32, 3, 4, 0, 0},
    [GLTF_ROTATIONS] = {"VEC4", GLTF_F32, 4, 4, 0, 0},
    [GLTF_MORPH_WEIGHTS] = {"SCALAR", GLTF_F32, 1, 4, 0, 0},
    [GLTF_POSITIONS16] = {"VEC3", GLTF_U16, 3, 2, GLTF_TARGET_VERTICES, UINT16_MAX},
    [GLTF_OFFSETS16] = {"VEC3", GLTF_I16, 3, 2, GLTF_TARGET_VERTICES, INT16_MAX},
    [GLTF_NORMALS8] = {"VEC3", GLTF_I8, 3, 1, GLTF_TARGET_VERTICES, INT8_MAX},
    [GLTF_TANGENTS8] = {"VEC4", GLTF_I8, 4, 1, GLTF_TARGET_VERTICES, INT8_MAX},
    [GLTF_UVS16] = {"VEC2", GLTF_U16, 2, 2, GLTF_TARGET_VERTICES, UINT16_MAX},
    [GLTF_WEIGHTS16] = {"VEC4", GLTF_U16, 4, 2, GLTF_TARGET_VERTICES, UINT16_MAX},
};

// -- Planning

uint32_t gltf_export_add_accessor(gltf_exporter *exporter, gltf_stream stream, const void *data,
                                  uint32_t count, uint32_t row)
{
    uint32_t index =
        gltf_export_grow(exporter, (void **)(void *)&exporter->accessors, &exporter->accessor_count,
                         &exporter->accessor_room, sizeof *exporter->accessors);
    if (index == TENON_NONE) return index;
    exporter->accessors[index] = (gltf_accessor){
        .stream = stream, .count = count, .data = data, .row = row, .next = TENON_NONE};
    if (exporter->first_of[stream] == TENON_NONE)
        exporter->first_of[stream] = index;
    else
        exporter->accessors[exporter->last_of[stream]].next = index;
    return exporter->last_of[stream] = index;
}

uint32_t gltf_export_share_accessor(gltf_exporter *exporter, gltf_stream stream, const void *data,
                                    uint32_t count, bool by_content)
{
    uint32_t width = gltf_streams[stream].width;
    uint32_t *place =
        data ? gltf_export_find_planned(exporter, stream, data, NULL, count, width) : NULL;
    if (!place || *place != TENON_NONE) return place ? *place : TENON_NONE;
    uint64_t size = (uint64_t)count * width * gltf_streams[stream].size;
    uint32_t *twin =
        by_content ? gltf_export_find_planned_bytes(exporter, stream, data, size) : place;
    if (twin && *twin == TENON_NONE)
        *twin = gltf_export_add_accessor(exporter, stream, data, count, width);
    return *place = twin ? *twin : TENON_NONE;
}

static uint64_t gltf_export_streams_aligned(uint64_t size)
{
    return (size + 3) & ~(uint64_t)3;
}

// Elements of vertices start at multiples of 4 bytes.
static uint32_t gltf_export_streams_stride(const gltf_stream_info *info)
{
    uint32_t size = info->width * info->size;
    return info->target == GLTF_TARGET_VERTICES ? (size + 3) / 4 * 4 : size;
}

static uint64_t gltf_export_streams_bytes_of(const gltf_accessor *a)
{
    return (uint64_t)a->count * gltf_export_streams_stride(&gltf_streams[a->stream]);
}

void gltf_export_place_streams(gltf_exporter *exporter)
{
    uint32_t image_count = exporter->scene->image_count;
    uint64_t at = 0;
    exporter->views = gltf_export_alloc(exporter, GLTF_STREAM_COUNT + (uint64_t)image_count,
                                        sizeof *exporter->views);
    if (!exporter->views) return;
    for (int i = 0; i < GLTF_STREAM_COUNT; i++) {
        const gltf_stream_info *info = &gltf_streams[i];
        uint64_t start = at;
        for (uint32_t k = exporter->first_of[i]; k != TENON_NONE; k = exporter->accessors[k].next) {
            exporter->accessors[k].offset = at - start;
            at +=
                gltf_export_streams_aligned(gltf_export_streams_bytes_of(&exporter->accessors[k]));
        }
        if (at == start) continue;
        uint32_t stride =
            info->target == GLTF_TARGET_VERTICES ? gltf_export_streams_stride(info) : 0;
        exporter->view_of[i] = exporter->view_count;
        exporter->views[exporter->view_count++] =
            (gltf_view){start, at - start, stride, info->target};
    }
    for (uint32_t i = 0; i < image_count; i++) {
        gltf_image *image = &exporter->images[i];
        if (!gltf_export_has_view(image)) continue;
        image->view = exporter->view_count;
        exporter->views[exporter->view_count++] = (gltf_view){at, image->size, 0, 0};
        at += gltf_export_streams_aligned(image->size);
    }
    exporter->buffer_size = at;
}

// -- Writing

typedef struct gltf_buffer_writer {
    const tn_export *export;
    uint64_t done, total;
    bool failed;
    size_t used;
    uint8_t bytes[16384];
} gltf_buffer_writer;

static void gltf_export_streams_flush(gltf_buffer_writer *writer)
{
    const tenon_events *events = &writer->export->opts->events;
    size_t size = writer->used;
    writer->used = 0;
    if (writer->failed || size == 0) return;
    writer->failed = !tn_export_write(writer->export, writer->bytes, size);
    writer->done += size;
    if (writer->failed || !events->on_progress) return;
    if (events->on_progress(events->user, writer->done, writer->total)) return;
    writer->failed = !tn_error(writer->export->err, TENON_ERR_CANCELLED, "writing was cancelled");
}

// The lowest `size` bytes of a number, little-endian.
static inline void gltf_export_streams_integer(gltf_buffer_writer *writer, uint32_t value,
                                               uint32_t size)
{
    if (sizeof writer->bytes - writer->used < sizeof value) gltf_export_streams_flush(writer);
    for (uint32_t i = 0; i < size; i++) writer->bytes[writer->used++] = (uint8_t)(value >> (8 * i));
}

// The lower half of the bytes of each number, little-endian; `size` is what is kept.
static void gltf_export_streams_halve(uint8_t *out, const void *values, uint64_t count,
                                      uint32_t size)
{
    const uint32_t *words = values;
    const uint16_t *halves = values;
    for (uint64_t i = 0; size == 2 && i < count; i++) {
        out[2 * i] = (uint8_t)words[i];
        out[2 * i + 1] = (uint8_t)(words[i] >> 8);
    }
    for (uint64_t i = 0; size == 1 && i < count; i++) out[i] = (uint8_t)halves[i];
}

// Numbers of `from` bytes, of which `size` are written: all, or the lower half. As many as fit at a
// time, so that the inner loop only copies.
static void gltf_export_streams_numbers(gltf_buffer_writer *writer, const void *values,
                                        uint64_t count, uint32_t from, uint32_t size)
{
    const uint8_t *next = values;
    while (count > 0 && !writer->failed) {
        if (sizeof writer->bytes - writer->used < size) gltf_export_streams_flush(writer);
        uint64_t room = (sizeof writer->bytes - writer->used) / size;
        uint64_t part = count < room ? count : room;
        uint8_t *out = writer->bytes + writer->used;
        if (from == size)
            tn_copy_numbers(out, next, part, size, false);
        else
            gltf_export_streams_halve(out, next, part, size);
        writer->used += (size_t)part * size;
        next += part * from;
        count -= part;
    }
}

// The integer that stands for component `k` of an element.
static int32_t gltf_export_streams_rounded(const gltf_accessor *a, uint32_t k, float value)
{
    const gltf_stream_info *info = &gltf_streams[a->stream];
    double scaled = (double)value, most = info->most;
    double least = info->component == GLTF_I8 || info->component == GLTF_I16 ? -most : 0;
    if (a->stream == GLTF_POSITIONS16) scaled -= a->place->offset[k];
    if (a->place) scaled /= a->place->scale;
    scaled = floor(scaled * most + 0.5);
    return (int32_t)(scaled > most ? most : scaled >= least ? scaled : least);
}

// One element of a stream in which integers stand for numbers.
static void gltf_export_streams_element(gltf_buffer_writer *writer, const gltf_accessor *a,
                                        uint64_t at)
{
    const gltf_stream_info *info = &gltf_streams[a->stream];
    const float *numbers = a->data;
    uint32_t size = info->width * info->size;
    float direction[3];
    bool is_direction = a->stream == GLTF_NORMALS8 || a->stream == GLTF_TANGENTS8;
    if (is_direction) gltf_export_round_direction(numbers + at, direction);
    for (uint32_t k = 0; k < info->width; k++) {
        float number = is_direction && k < 3 ? direction[k] : numbers[at + k];
        gltf_export_streams_integer(writer, (uint32_t)gltf_export_streams_rounded(a, k, number),
                                    info->size);
    }
    gltf_export_streams_integer(writer, 0, gltf_export_streams_stride(info) - size);
}

// Bytes of a number in the arrays of a scene.
static uint32_t gltf_export_streams_source_size(gltf_stream stream)
{
    return stream == GLTF_JOINTS8 || stream == GLTF_JOINTS16 ? sizeof(uint16_t) : sizeof(float);
}

static void gltf_export_streams_accessor(gltf_buffer_writer *writer, const gltf_accessor *a)
{
    const gltf_stream_info *info = &gltf_streams[a->stream];
    uint32_t from = gltf_export_streams_source_size(a->stream);
    const uint8_t *data = a->data;
    if (!info->most && a->row == info->width) {
        gltf_export_streams_numbers(writer, data, (uint64_t)a->count * info->width, from,
                                    info->size);
        return;
    }
    for (uint32_t k = 0; k < a->count && !writer->failed; k++) {
        uint64_t at = (uint64_t)k * a->row;
        if (info->most)
            gltf_export_streams_element(writer, a, at);
        else
            gltf_export_streams_numbers(writer, data + at * from, info->width, from, info->size);
    }
}

static void gltf_export_streams_padding(gltf_buffer_writer *writer, uint64_t size)
{
    for (; size % 4; size++) gltf_export_streams_integer(writer, 0, 1);
}

bool gltf_export_buffer_bytes(gltf_exporter *exporter)
{
    gltf_buffer_writer *writer = gltf_export_alloc(exporter, 1, sizeof *writer);
    if (!writer) return false;
    writer->export = exporter->export;
    writer->total = exporter->buffer_size;
    for (int i = 0; i < GLTF_STREAM_COUNT; i++) {
        for (uint32_t k = exporter->first_of[i]; k != TENON_NONE; k = exporter->accessors[k].next) {
            const gltf_accessor *a = &exporter->accessors[k];
            gltf_export_streams_accessor(writer, a);
            gltf_export_streams_padding(writer, gltf_export_streams_bytes_of(a));
        }
    }
    for (uint32_t i = 0; i < exporter->scene->image_count; i++) {
        const gltf_image *image = &exporter->images[i];
        if (!gltf_export_has_view(image)) continue;
        gltf_export_streams_flush(writer);
        if (!writer->failed) writer->failed = !gltf_export_image_bytes(exporter, image);
        writer->done += image->size;
        gltf_export_streams_padding(writer, image->size);
    }
    gltf_export_streams_flush(writer);
    writer->failed = writer->failed || !gltf_export_kept_bytes(exporter);
    return !writer->failed;
}

// -- Text

static void gltf_export_streams_offset(gltf_exporter *exporter, uint64_t offset)
{
    if (offset) gltf_export_size(exporter, "byteOffset", offset);
}

static void gltf_export_streams_bounds(gltf_exporter *exporter, const char *key,
                                       const gltf_accessor *a, const float *values)
{
    gltf_export_begin_array(exporter, key);
    for (uint32_t i = 0; i < gltf_streams[a->stream].width; i++)
        tn_json_put_f32(&exporter->json, gltf_streams[a->stream].most
                                             ? (float)gltf_export_streams_rounded(a, i, values[i])
                                             : values[i] + 0.0f);
    gltf_export_end_array(exporter);
}

void gltf_export_write_accessor(gltf_exporter *exporter, uint32_t index)
{
    const gltf_accessor *a = &exporter->accessors[index];
    const gltf_stream_info *info = &gltf_streams[a->stream];
    gltf_export_index(exporter, "bufferView", exporter->view_of[a->stream]);
    gltf_export_streams_offset(exporter, a->offset);
    gltf_export_index(exporter, "componentType", info->component);
    if (info->most) gltf_export_true(exporter, "normalized");
    gltf_export_index(exporter, "count", a->count);
    gltf_export_string(exporter, "type", info->type);
    if (!a->bounds) return;
    gltf_export_streams_bounds(exporter, "min", a, a->bounds);
    gltf_export_streams_bounds(exporter, "max", a, a->bounds + info->width);
}

void gltf_export_write_view(gltf_exporter *exporter, uint32_t index)
{
    if (index >= exporter->view_count) {
        gltf_export_write_kept_view(exporter, index - exporter->view_count);
        return;
    }
    const gltf_view *view = &exporter->views[index];
    gltf_export_index(exporter, "buffer", 0);
    gltf_export_streams_offset(exporter, view->offset);
    gltf_export_size(exporter, "byteLength", view->size);
    if (view->stride) gltf_export_index(exporter, "byteStride", view->stride);
    if (view->target) gltf_export_index(exporter, "target", view->target);
}
