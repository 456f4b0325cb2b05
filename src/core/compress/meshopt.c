// meshopt.c: decompress what EXT_meshopt_compression and KHR_meshopt_compression compress.
// SPDX-License-Identifier: MIT
//
// Attributes are stored in blocks of at most 256 elements, byte by byte: each byte of an element is
// a difference to that of the element before. 16 differences are a group, of 0 to 8 bits each; the
// largest value of a group with fewer than 8 bits means that the byte follows after the group.

#include "core/compress/meshopt.h"

#include <math.h>
#include <string.h>

enum { GROUP = 16, BLOCK_BYTES = 8192, BLOCK_MOST = 256, STRIDE_MOST = 256 };

// The part of the data that is not read yet.
typedef struct meshopt_reader {
    const uint8_t *at, *end;
} meshopt_reader;

static uint64_t meshopt_left(const meshopt_reader *reader)
{
    return (uint64_t)(reader->end - reader->at);
}

// -- Attributes

// 16 differences of `bits` bits each. Those of one bit start with the lowest bit of a byte, others
// with the highest.
static bool meshopt_read_group(meshopt_reader *reader, uint32_t bits, uint8_t out[GROUP])
{
    uint32_t packed_size = 2 * bits, sentinel = (1u << bits) - 1;
    const uint8_t *packed = reader->at;
    memset(out, 0, GROUP);
    if (bits == 0) return true;
    if (meshopt_left(reader) < packed_size) return false;
    reader->at += packed_size;
    for (uint32_t i = 0; i < GROUP; i++) {
        uint32_t bit = i * bits % 8, byte = packed[i * bits / 8];
        uint32_t value = (bits == 1 ? byte >> bit : byte >> (8 - bits - bit)) & sentinel;
        if (bits < 8 && value == sentinel) {
            if (meshopt_left(reader) < 1) return false;
            value = *reader->at++;
        }
        out[i] = (uint8_t)value;
    }
    return true;
}

// One byte of each of `count` elements of a block.
static bool meshopt_read_bytes(meshopt_reader *reader, const uint8_t widths[4], uint32_t count,
                               uint8_t out[BLOCK_MOST])
{
    uint32_t groups = (count + GROUP - 1) / GROUP, header_size = (groups + 3) / 4;
    const uint8_t *header = reader->at;
    if (meshopt_left(reader) < header_size) return false;
    reader->at += header_size;
    for (uint32_t i = 0; i < groups; i++) {
        uint32_t bits = widths[header[i / 4] >> (2 * (i % 4)) & 3];
        if (!meshopt_read_group(reader, bits, out + (size_t)i * GROUP)) return false;
    }
    return true;
}

// Add differences to `last`, four bytes of the element before, and store the sums. The channel says
// whether the four bytes are four numbers, two, or one of which the bits differ.
static void meshopt_add_deltas(uint8_t deltas[4][BLOCK_MOST], uint32_t count, uint32_t channel,
                               uint8_t *last, uint8_t *out, uint32_t stride)
{
    uint32_t size = (channel & 3) == 2 ? 4 : (channel & 3) == 1 ? 2 : 1, turn = channel >> 4;
    for (uint32_t i = 0; i < count; i++, out += stride) {
        for (uint32_t k = 0; k < 4; k += size) {
            uint32_t delta = 0, before = 0, value;
            for (uint32_t b = 0; b < size; b++) {
                delta |= (uint32_t)deltas[k + b][i] << (8 * b);
                before |= (uint32_t)last[k + b] << (8 * b);
            }
            if (size == 4)
                value = before ^ (delta >> turn | delta << ((32 - turn) & 31));
            else
                value = before + (delta >> 1 ^ (0u - (delta & 1)));
            for (uint32_t b = 0; b < size; b++) last[k + b] = (uint8_t)(value >> (8 * b));
        }
        memcpy(out, last, 4);
    }
}

static bool meshopt_read_attributes(meshopt_reader *reader, uint64_t count, uint32_t stride,
                                    uint8_t *out)
{
    static const uint8_t widths[3][4] = {{0, 2, 4, 8}, {0, 1, 2, 4}, {1, 2, 4, 8}};
    enum { PLAIN, NARROW, WIDE, ZERO = 2, RAW = 3 };
    uint32_t version = *reader->at++ & 15;
    uint32_t tail_size = stride + (version ? stride / 4 : 0), tail_least = version ? 24 : 32;
    uint32_t padded_size = tail_size > tail_least ? tail_size : tail_least;
    uint32_t most = BLOCK_BYTES / stride / GROUP * GROUP;
    uint8_t last[STRIDE_MOST], deltas[4][BLOCK_MOST];
    if (most > BLOCK_MOST) most = BLOCK_MOST;
    if (meshopt_left(reader) < padded_size) return false;
    // The end of the data has the first element, and the kinds of channels.
    const uint8_t *channels = reader->end - tail_size + stride;
    memcpy(last, reader->end - tail_size, stride);
    reader->end -= padded_size;
    for (uint64_t first = 0; first < count; first += most) {
        uint32_t in_block = count - first < most ? (uint32_t)(count - first) : most;
        const uint8_t *controls = reader->at;
        if (version && meshopt_left(reader) < stride / 4) return false;
        if (version) reader->at += stride / 4;
        for (uint32_t k = 0; k < stride; k += 4) {
            for (uint32_t j = 0; j < 4; j++) {
                uint32_t control = version ? (uint32_t)controls[k / 4] >> (2 * j) & 3 : 0;
                if (control == ZERO) {
                    memset(deltas[j], 0, in_block);
                } else if (control == RAW) {
                    if (meshopt_left(reader) < in_block) return false;
                    memcpy(deltas[j], reader->at, in_block);
                    reader->at += in_block;
                } else if (!meshopt_read_bytes(reader,
                                               widths[!version  ? PLAIN
                                                      : control ? WIDE
                                                                : NARROW],
                                               in_block, deltas[j])) {
                    return false;
                }
            }
            meshopt_add_deltas(deltas, in_block, version ? channels[k / 4] : 0, last + k,
                               out + first * stride + k, stride);
        }
    }
    return reader->at == reader->end;
}

// -- Indices

// A number of up to five bytes, seven bits each. The caller knows that there are as many.
static uint32_t meshopt_read_number(meshopt_reader *reader)
{
    uint32_t value = 0;
    for (uint32_t shift = 0; shift < 35; shift += 7) {
        uint32_t byte = *reader->at++;
        value |= (byte & 127) << shift;
        if (byte < 128) break;
    }
    return value;
}

static uint32_t meshopt_unzigzag(uint32_t value)
{
    return value >> 1 ^ (0u - (value & 1));
}

static void meshopt_put_index(uint8_t *out, uint64_t at, uint32_t stride, uint32_t index)
{
    for (uint32_t b = 0; b < stride; b++) out[at * stride + b] = (uint8_t)(index >> (8 * b));
}

static bool meshopt_read_indices(meshopt_reader *reader, uint64_t count, uint32_t stride,
                                 uint8_t *out)
{
    uint32_t last[2] = {0, 0};
    reader->at++;
    reader->end -= 4;
    for (uint64_t i = 0; i < count; i++) {
        if (reader->at >= reader->end) return false;
        uint32_t value = meshopt_read_number(reader), side = value & 1;
        last[side] += meshopt_unzigzag(value >> 1);
        meshopt_put_index(out, i, stride, last[side]);
    }
    return reader->at == reader->end;
}

// -- Triangles

// The last vertices and edges, which triangles refer to.
typedef struct meshopt_triangles {
    uint32_t vertices[16], edges[16][2];
    uint32_t vertex_at, edge_at;
    uint32_t next;  // The next vertex that has not been used yet.
    uint32_t last;  // The last index that was stored as a number.
} meshopt_triangles;

static void meshopt_push_vertex(meshopt_triangles *t, uint32_t vertex)
{
    t->vertices[t->vertex_at] = vertex;
    t->vertex_at = (t->vertex_at + 1) & 15;
}

static void meshopt_push_edge(meshopt_triangles *t, uint32_t a, uint32_t b)
{
    t->edges[t->edge_at][0] = a;
    t->edges[t->edge_at][1] = b;
    t->edge_at = (t->edge_at + 1) & 15;
}

// The third corner of a triangle at a known edge.
static uint32_t meshopt_read_corner(meshopt_triangles *t, meshopt_reader *reader, uint32_t code,
                                    uint32_t vertices_most)
{
    uint32_t vertex;
    if (code != 0 && code < vertices_most) return t->vertices[(t->vertex_at - 1 - code) & 15];
    if (code == 0)
        vertex = t->next++;
    else if (code < 15)
        vertex = t->last = code == 13 ? t->last - 1 : t->last + 1;
    else
        vertex = t->last = t->last + meshopt_unzigzag(meshopt_read_number(reader));
    meshopt_push_vertex(t, vertex);
    return vertex;
}

// A triangle that shares no edge with those before: `codes` says where each corner comes from.
static void meshopt_read_apart(meshopt_triangles *t, meshopt_reader *reader,
                               const uint32_t codes[3], uint32_t v[3])
{
    const uint32_t vertex_at = t->vertex_at;
    for (int k = 0; k < 3; k++) {
        v[k] = 0;
        if (codes[k] == 0)
            v[k] = t->next++;
        else if (codes[k] < 15)
            v[k] = t->vertices[(vertex_at - codes[k]) & 15];
    }
    for (int k = 0; k < 3; k++)
        if (codes[k] == 15)
            v[k] = t->last = t->last + meshopt_unzigzag(meshopt_read_number(reader));
    for (int k = 0; k < 3; k++)
        if (codes[k] == 0 || codes[k] == 15) meshopt_push_vertex(t, v[k]);
    meshopt_push_edge(t, v[1], v[0]);
    meshopt_push_edge(t, v[2], v[1]);
    meshopt_push_edge(t, v[0], v[2]);
}

static bool meshopt_read_triangles(meshopt_reader *reader, uint64_t count, uint32_t stride,
                                   uint8_t *out)
{
    enum { TABLE = 16 };
    meshopt_triangles t = {.next = 0};
    uint32_t vertices_most = (*reader->at & 15) >= 1 ? 13 : 15;
    memset(t.vertices, 0xff, sizeof t.vertices);
    memset(t.edges, 0xff, sizeof t.edges);
    const uint8_t *codes = reader->at + 1;
    reader->at = codes + count / 3;
    reader->end -= TABLE;
    for (uint64_t i = 0; i < count; i += 3) {
        // A triangle takes at most 16 bytes, which the table after the data has.
        if (reader->at > reader->end) return false;
        uint32_t code = codes[i / 3], v[3];
        if (code < 0xf0) {
            const uint32_t *edge = t.edges[(t.edge_at - 1 - (code >> 4)) & 15];
            v[0] = edge[0], v[1] = edge[1];
            v[2] = meshopt_read_corner(&t, reader, code & 15, vertices_most);
            meshopt_push_edge(&t, v[2], v[1]);
            meshopt_push_edge(&t, v[0], v[2]);
        } else {
            uint32_t more = code < 0xfe ? reader->end[code & 15] : *reader->at++;
            const uint32_t corners[3] = {code == 0xff ? 15 : 0, more >> 4, more & 15};
            // Only a restart is stored as a full byte of 0.
            if (code >= 0xfe && more == 0) t.next = 0;
            meshopt_read_apart(&t, reader, corners, v);
        }
        for (uint32_t k = 0; k < 3; k++) meshopt_put_index(out, i + k, stride, v[k]);
    }
    return reader->at == reader->end;
}

// -- Filters

// To the nearest, as doubles: the same on every machine.
static int32_t meshopt_round(double value)
{
    return (int32_t)(value + (value >= 0 ? 0.5 : -0.5));
}

// Signed numbers of one or two bytes.
static int32_t meshopt_load(const uint8_t *p, uint32_t size)
{
    return size == 1 ? (int8_t)p[0] : (int16_t)(p[0] | p[1] << 8);
}

static void meshopt_store(uint8_t *p, uint32_t size, int32_t value)
{
    for (uint32_t b = 0; b < size; b++) p[b] = (uint8_t)((uint32_t)value >> (8 * b));
}

static void meshopt_filter_octahedral(uint8_t *p, uint32_t size)
{
    const double most = size == 1 ? 127 : 32767;
    double x = meshopt_load(p, size), y = meshopt_load(p + size, size);
    double z = meshopt_load(p + 2 * (size_t)size, size) - fabs(x) - fabs(y);
    double below = z >= 0 ? 0 : z;
    x += x >= 0 ? below : -below;
    y += y >= 0 ? below : -below;
    double length = sqrt(x * x + y * y + z * z), scale = length > 0 ? most / length : 0;
    meshopt_store(p, size, meshopt_round(x * scale));
    meshopt_store(p + size, size, meshopt_round(y * scale));
    meshopt_store(p + 2 * (size_t)size, size, meshopt_round(z * scale));
}

// The three smaller numbers of a quaternion; the lowest bits of the fourth say which is missing.
static void meshopt_filter_quaternion(uint8_t *p)
{
    int32_t last = meshopt_load(p + 6, 2);
    double unit = sqrt(0.5) / (last | 3), v[3], rest = 1;
    for (int k = 0; k < 3; k++) {
        v[k] = meshopt_load(p + 2 * k, 2) * unit;
        rest -= v[k] * v[k];
    }
    uint32_t missing = (uint32_t)last & 3;
    for (uint32_t k = 0; k < 3; k++) {
        double clamped = v[k] > 1 ? 1 : v[k] < -1 ? -1 : v[k];
        meshopt_store(p + 2 * (size_t)((missing + 1 + k) & 3), 2, meshopt_round(clamped * 32767));
    }
    meshopt_store(p + 2 * (size_t)missing, 2, meshopt_round(sqrt(rest >= 0 ? rest : 0) * 32767));
}

// A signed mantissa of 24 bits and an exponent of 8 become a float.
static void meshopt_filter_exponential(uint8_t *p)
{
    uint32_t low = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16, bits;
    int32_t mantissa = (int32_t)low - (low & 0x800000 ? 0x1000000 : 0);
    float value = (float)ldexp(mantissa, (int8_t)p[3]);
    memcpy(&bits, &value, sizeof bits);
    meshopt_store(p, 4, (int32_t)bits);
}

// Luma and two differences of colors; the highest bit of alpha is the precision.
static void meshopt_filter_color(uint8_t *p, uint32_t size)
{
    const int32_t top = size == 1 ? 255 : 65535;
    int32_t luma = meshopt_load(p, size) & top, alpha = meshopt_load(p + 3 * size, size) & top;
    int32_t orange = meshopt_load(p + size, size), green = meshopt_load(p + 2 * size, size);
    int32_t most = alpha;
    for (int shift = 1; shift < 16; shift *= 2) most |= most >> shift;
    const int32_t rgba[4] = {luma + orange - green, luma + green, luma - orange - green,
                             (alpha << 1 & most) | (alpha & 1)};
    double scale = most ? (double)top / most : 0;
    for (uint32_t k = 0; k < 4; k++) {
        int32_t value = meshopt_round(rgba[k] * scale);
        meshopt_store(p + (size_t)k * size, size, value < 0 ? 0 : value > top ? top : value);
    }
}

static void meshopt_filter(tn_meshopt_filter filter, uint64_t count, uint32_t stride, uint8_t *out)
{
    bool is_exponential = filter == TN_MESHOPT_EXPONENTIAL;
    uint32_t step = is_exponential ? 4 : stride;
    for (uint64_t at = 0; filter && at < count * stride; at += step) {
        if (is_exponential)
            meshopt_filter_exponential(out + at);
        else if (filter == TN_MESHOPT_QUATERNION)
            meshopt_filter_quaternion(out + at);
        else if (filter == TN_MESHOPT_OCTAHEDRAL)
            meshopt_filter_octahedral(out + at, stride / 4);
        else
            meshopt_filter_color(out + at, stride / 4);
    }
}

// -- Everything

bool tn_meshopt_fits(tn_meshopt_mode mode, tn_meshopt_filter filter, uint64_t count,
                     uint32_t stride, uint64_t size)
{
    enum { LEAST = 17, SAVED_MOST = 1024 };  // The largest ratio of a block without data.
    if (size < LEAST && mode != TN_MESHOPT_INDICES) return false;
    if (mode != TN_MESHOPT_ATTRIBUTES) {
        uint64_t pieces = mode == TN_MESHOPT_TRIANGLES ? count / 3 : count;
        uint32_t around = mode == TN_MESHOPT_TRIANGLES ? 17 : 5;
        bool is_whole = mode == TN_MESHOPT_INDICES || count % 3 == 0;
        return (stride == 2 || stride == 4) && is_whole && filter == TN_MESHOPT_NONE &&
               size >= around && pieces <= size - around;
    }
    if (stride == 0 || stride % 4 || stride > STRIDE_MOST) return false;
    if (filter == TN_MESHOPT_QUATERNION && stride != 8) return false;
    if ((filter == TN_MESHOPT_OCTAHEDRAL || filter == TN_MESHOPT_COLOR) && stride != 4 &&
        stride != 8)
        return false;
    return count / SAVED_MOST <= size;
}

bool tn_meshopt_decode(tn_meshopt_mode mode, tn_meshopt_filter filter, uint64_t count,
                       uint32_t stride, const uint8_t *data, uint64_t size, uint8_t *out)
{
    static const uint8_t headers[] = {0xa0, 0xe0, 0xd0};
    meshopt_reader reader = {data, data + size};
    if (!tn_meshopt_fits(mode, filter, count, stride, size)) return false;
    if ((data[0] & 0xf0) != headers[mode] || (data[0] & 15) > 1) return false;
    if (mode == TN_MESHOPT_TRIANGLES) return meshopt_read_triangles(&reader, count, stride, out);
    if (mode == TN_MESHOPT_INDICES) return meshopt_read_indices(&reader, count, stride, out);
    if (!meshopt_read_attributes(&reader, count, stride, out)) return false;
    meshopt_filter(filter, count, stride, out);
    return true;
}
