// vertex_codec.c: vertices of files as streams of a primitive, and back.
// SPDX-License-Identifier: MIT

#include "exchange/vertex_codec.h"

#include "core/cursor/span.h"
#include "scene/model/space.h"

#define BLOCK 256  // Vertices packed at once.

// Numbers of a vertex in a scene.
static uint32_t vertex_codec_size(tn_meaning meaning)
{
    if (meaning >= TN_UV0) return 2;
    return meaning == TN_POSITION || meaning == TN_NORMAL || meaning == TN_BINORMAL ? 3 : 4;
}

tn_vertex_stream tn_find_stream(const tenon_span *span, const char *name)
{
    bool has_records = span->layout && span->count;
    const tenon_element *element = has_records ? tn_layout_find(span->layout, name) : NULL;
    return element ? (tn_vertex_stream){span, element->offset, element->count}
                   : (tn_vertex_stream){0};
}

// Copy `size` bytes of each record. Inline, so that the size is a constant.
static inline void vertex_codec_gather(const tn_vertex_stream *stream, const uint32_t *records,
                                       uint64_t first, uint64_t count, uint32_t each, size_t size,
                                       float *out)
{
    const uint8_t *data = stream->span->data + stream->offset;
    uint64_t stride = stream->span->layout->stride;
    for (uint64_t i = first; i < first + count; i++, out += each)
        memcpy(out, data + stride * (records ? records[i] : i), size);
}

// To or from the conventions of scenes.
static void vertex_codec_convert(const tn_vertices *vertices, tn_meaning meaning, uint64_t count,
                                 float *numbers)
{
    bool is_vector = meaning == TN_POSITION || meaning == TN_NORMAL || meaning == TN_TANGENT;
    if (vertices->is_left_handed && is_vector)
        tn_mirror_floats(numbers, count, vertex_codec_size(meaning));
    for (uint64_t i = 0; vertices->is_v_up && meaning >= TN_UV0 && i < count; i++)
        numbers[2 * i + 1] = 1 - numbers[2 * i + 1];
}

void tn_read_stream(const tn_vertices *from, tn_meaning meaning, uint64_t first, uint64_t count,
                    float *out)
{
    const tn_vertex_stream *stream = &from->streams[meaning];
    const tenon_span *span = stream->span;
    uint32_t each = vertex_codec_size(meaning), stored = stream->count;
    if (stored == 0) return;
    if (!from->records && span->count < first + count)
        count = span->count > first ? span->count - first : 0;
    if (stored > each) stored = each;
    bool is_plain = !from->records && span->layout->stride == 4 * (uint64_t)each;
    if (is_plain && stored == each) {
        tn_copy_numbers(out, tn_span_record(span, first), each * count, 4, span->big_endian);
    } else {
        if (stored == 1) vertex_codec_gather(stream, from->records, first, count, each, 4, out);
        if (stored == 2) vertex_codec_gather(stream, from->records, first, count, each, 8, out);
        if (stored == 3) vertex_codec_gather(stream, from->records, first, count, each, 12, out);
        if (stored == 4) vertex_codec_gather(stream, from->records, first, count, each, 16, out);
        tn_copy_numbers(out, out, each * count, 4, span->big_endian);
    }
    bool has_one = meaning == TN_COLOR || meaning == TN_TANGENT;
    for (uint64_t i = 0; i < count && stored < each; i++)
        for (uint32_t k = stored; k < each; k++) out[each * i + k] = has_one && k == 3;
    vertex_codec_convert(from, meaning, count, out);
}

void tn_import_vertices(tn_scene_builder *builder, const tn_vertices *from, uint64_t index_count,
                        uint32_t with, tenon_primitive *p)
{
    const tn_vertex_stream *streams = from->streams;
    uint64_t count = streams[TN_POSITION].count ? from->count : 0;
    if (streams[TN_NORMAL].count) with |= TN_WITH_NORMALS;
    if (streams[TN_TANGENT].count) with |= TN_WITH_TANGENTS;
    if (streams[TN_COLOR].count) with |= TN_WITH_COLOR;
    tn_primitive_alloc(builder, p, count, index_count, with);
    for (uint32_t i = 0; i < TENON_UV_SETS; i++)
        if (streams[TN_UV0 + i].count && !p->uvs[i]) p->uvs[i] = tn_scene_floats(builder, count, 2);
    if (builder->failed) return;
    tn_read_stream(from, TN_POSITION, 0, count, p->positions);
    tn_read_stream(from, TN_NORMAL, 0, count, p->normals);
    tn_read_stream(from, TN_TANGENT, 0, count, p->tangents);
    tn_read_stream(from, TN_COLOR, 0, count, p->colors[0]);
    for (uint32_t i = 0; i < TENON_UV_SETS; i++)
        tn_read_stream(from, (tn_meaning)(TN_UV0 + i), 0, count, p->uvs[i]);
    if (p->weights) tn_read_stream(from, TN_WEIGHTS, 0, count, p->weights);
    for (uint64_t i = 0; p->joints && from->has_skin_joints && i < count; i++) {
        float joints[4] = {0};
        tn_read_stream(from, TN_JOINTS, i, 1, joints);
        for (uint64_t k = 0; k < 4; k++)
            if (joints[k] >= 0 && joints[k] < 65536) p->joints[4 * i + k] = (uint16_t)joints[k];
    }
}

static const float *vertex_codec_source(const tenon_primitive *p, tn_meaning meaning)
{
    if (meaning >= TN_UV0) return p->uvs[meaning - TN_UV0];
    return meaning == TN_POSITION  ? p->positions
           : meaning == TN_NORMAL  ? p->normals
           : meaning == TN_TANGENT ? p->tangents
           : meaning == TN_COLOR   ? p->colors[0]
           : meaning == TN_WEIGHTS ? p->weights
                                   : NULL;
}

void tn_pack_vertices(const tn_vertices *to, const tenon_primitive *p, uint8_t *out)
{
    for (uint32_t meaning = 0; meaning < TN_MEANING_COUNT; meaning++) {
        const tn_vertex_stream *stream = &to->streams[meaning];
        const float *source = vertex_codec_source(p, (tn_meaning)meaning);
        uint32_t each = vertex_codec_size((tn_meaning)meaning), stored = stream->count;
        bool is_skin = meaning == TN_WEIGHTS || meaning == TN_JOINTS;
        if (stored == 0 || (!source && meaning != TN_COLOR && meaning != TN_JOINTS)) continue;
        if (is_skin && (!to->has_skin_joints || p->influence_count != 4)) continue;
        for (uint64_t at = 0, count; at < p->vertex_count; at += count) {
            float block[4 * BLOCK];
            count = p->vertex_count - at < BLOCK ? p->vertex_count - at : BLOCK;
            uint64_t stride = stream->span->layout->stride;
            uint8_t *records = out + stride * at + stream->offset;
            for (uint64_t i = 0; i < 4 * count && !source; i++)
                block[i] = meaning == TN_JOINTS ? p->joints[4 * at + i] : 1;
            if (source) memcpy(block, source + each * at, (size_t)(each * count) * sizeof *block);
            vertex_codec_convert(to, (tn_meaning)meaning, count, block);
            tn_copy_numbers(block, block, each * count, 4, stream->span->big_endian);
            for (uint64_t i = 0; i < count; i++)
                memcpy(records + stride * i, block + each * i, 4 * (size_t)stored);
        }
    }
}
