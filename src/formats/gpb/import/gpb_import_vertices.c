// gpb_import_vertices.c: imports the vertices of a mesh.
// SPDX-License-Identifier: MIT

#include "formats/gpb/import/gpb_import.h"

#include "core/cursor/span.h"

#define GPB_BLOCK 256  // Vertices decoded at once.

// The numbers in the file.
enum {
    GPB_POSITION = 1,
    GPB_NORMAL,
    GPB_COLOR,
    GPB_TANGENT,
    GPB_BINORMAL,
    GPB_WEIGHTS,
    GPB_INDICES,
    GPB_TEXCOORD0,
};

// -- Elements

// Whether an element has a known usage and a valid size.
static bool gpb_import_vertices_is_useful(uint32_t usage, uint32_t size)
{
    if (usage < GPB_POSITION || usage >= GPB_STREAM_COUNT) return false;
    if (usage == GPB_NORMAL || usage == GPB_COLOR || usage == GPB_TANGENT || usage == GPB_BINORMAL)
        return size == 3 || size == 4;
    return size >= 1 && size <= 4;
}

uint64_t gpb_import_find_streams(const tenon_gpb_mesh *mesh, gpb_stream streams[GPB_STREAM_COUNT])
{
    uint64_t offset = 0, useless = 0;
    uint64_t stride = mesh->vertices.layout ? mesh->vertices.layout->stride : 0;
    for (uint32_t i = 0; i < GPB_STREAM_COUNT; i++) streams[i] = (gpb_stream){0};
    for (uint32_t i = 0; i < mesh->element_count; i++) {
        tenon_gpb_element e = mesh->elements[i];
        uint64_t size = 4 * (uint64_t)e.size;
        bool fits = offset <= stride && size <= stride - offset;
        if (fits && gpb_import_vertices_is_useful(e.usage, e.size) && streams[e.usage].size == 0)
            streams[e.usage] = (gpb_stream){offset, e.size};
        else
            useless++;
        offset += size;
    }
    return useless;
}

bool gpb_import_has_influences(const tenon_gpb_mesh *mesh)
{
    gpb_stream streams[GPB_STREAM_COUNT];
    gpb_import_find_streams(mesh, streams);
    return streams[GPB_POSITION].size && streams[GPB_WEIGHTS].size && streams[GPB_INDICES].size;
}

// -- Numbers

static const uint8_t *gpb_import_vertex_at(const gpb_selection *from, uint64_t index)
{
    uint64_t vertex = from->vertices ? from->vertices[index] : index;
    return from->mesh->vertices.data + vertex * from->mesh->vertices.layout->stride;
}

// Copy `each` numbers of a stream. Missing ones are 0, except that the fourth is 1.
static void gpb_import_vertices_copy_stream(const gpb_selection *from, gpb_stream stream,
                                            uint32_t each, float *out)
{
    uint32_t stored = stream.size < each ? stream.size : each;
    if (!out) return;
    if (!from->vertices && stored == each) {
        const tenon_element element = {
            .type = TENON_TYPE_F32, .count = each, .offset = stream.offset};
        tn_span_f32(&from->mesh->vertices, &element, 0, from->count, out);
        return;
    }
    for (uint64_t i = 0; i < from->count; i++, out += each) {
        const uint8_t *p = gpb_import_vertex_at(from, i) + stream.offset;
        for (uint32_t k = 0; k < stored; k++) out[k] = tn_load_f32(p + 4 * (size_t)k, false);
        for (uint32_t k = stored; k < each; k++) out[k] = k == 3;
    }
}

// The binormal determines the handedness of the tangent.
static void gpb_import_vertices_copy_tangents(gpb_importer *importer, const gpb_selection *from,
                                              const gpb_stream *streams, tenon_primitive *p)
{
    gpb_stream binormals = streams[GPB_BINORMAL];
    gpb_import_vertices_copy_stream(from, streams[GPB_TANGENT], 4, p->tangents);
    if (streams[GPB_TANGENT].size == 4) return;
    if (binormals.size == 0) importer->losses.sides.count += from->count;
    for (uint64_t i = 0; binormals.size && i < from->count; i++) {
        const float *n = p->normals + 3 * i;
        float *t = p->tangents + 4 * i, b[3];
        const uint8_t *at = gpb_import_vertex_at(from, i) + binormals.offset;
        for (uint32_t k = 0; k < 3; k++) b[k] = tn_load_f32(at + 4 * (size_t)k, false);
        tn_vec3 side = tn_vec3_cross((tn_vec3){n[0], n[1], n[2]}, (tn_vec3){t[0], t[1], t[2]});
        t[3] = tn_vec3_dot(side, (tn_vec3){b[0], b[1], b[2]}) < 0 ? -1 : 1;
    }
}

// Copy the joints of `count` vertices from `first` on. Returns false, without a change, if not all
// of them are valid. The weights are already copied.
static bool gpb_import_vertices_copy_joints(const gpb_selection *from, gpb_stream indices,
                                            uint64_t first, uint64_t count, uint16_t *joints)
{
    const tenon_element element = {.type = TENON_TYPE_F32, .count = 4, .offset = indices.offset};
    float block[4 * GPB_BLOCK];
    uint32_t most = from->joint_count < 65536 ? from->joint_count : 65536;
    tn_span_f32(&from->mesh->vertices, &element, first, count, block);
    if (!tn_joints_are_plain(block, 4 * count, (float)most - 1)) return false;
    for (uint64_t i = 0; i < 4 * count; i++) joints[4 * first + i] = (uint16_t)(int32_t)block[i];
    return true;
}

// Influences of joints that do not exist get a weight of 0. Returns how many there were.
static uint64_t gpb_import_vertices_copy_some(const gpb_selection *from, const gpb_stream *streams,
                                              uint64_t first, uint64_t count, tenon_primitive *p)
{
    gpb_stream weights = streams[GPB_WEIGHTS], indices = streams[GPB_INDICES];
    uint32_t stored = weights.size < indices.size ? weights.size : indices.size;
    uint64_t wrong = 0;
    for (uint64_t i = first; i < first + count; i++) {
        const uint8_t *vertex = gpb_import_vertex_at(from, i);
        for (uint32_t k = 0; k < stored; k++) {
            float weight = tn_load_f32(vertex + weights.offset + 4 * (size_t)k, false);
            float index = tn_load_f32(vertex + indices.offset + 4 * (size_t)k, false);
            bool exists = index >= 0 && index < (float)from->joint_count && index < 65536.0f;
            wrong += !exists && weight != 0;
            p->weights[4 * i + k] = exists ? weight : 0;
            p->joints[4 * i + k] = (uint16_t)(exists ? index : 0);
        }
    }
    return wrong;
}

static uint64_t gpb_import_vertices_copy_influences(const gpb_selection *from,
                                                    const gpb_stream *streams, tenon_primitive *p)
{
    gpb_stream weights = streams[GPB_WEIGHTS], indices = streams[GPB_INDICES];
    bool is_plain = !from->vertices && weights.size == 4 && indices.size == 4;
    uint64_t wrong = 0;
    if (is_plain) gpb_import_vertices_copy_stream(from, weights, 4, p->weights);
    for (uint64_t at = 0; at < from->count; at += GPB_BLOCK) {
        uint64_t left = from->count - at, count = left < GPB_BLOCK ? left : GPB_BLOCK;
        if (is_plain && gpb_import_vertices_copy_joints(from, indices, at, count, p->joints))
            continue;
        wrong += gpb_import_vertices_copy_some(from, streams, at, count, p);
    }
    return wrong;
}

// -- All streams

void gpb_import_fill_primitive(gpb_importer *importer, const gpb_selection *from,
                               tenon_primitive *p)
{
    gpb_stream streams[GPB_STREAM_COUNT];
    gpb_import_find_streams(from->mesh, streams);
    gpb_selection some = *from;
    if (streams[GPB_POSITION].size == 0) some.count = 0;
    uint32_t wanted = 0;
    if (streams[GPB_NORMAL].size) wanted |= TN_WITH_NORMALS;
    if (streams[GPB_TANGENT].size && streams[GPB_NORMAL].size) wanted |= TN_WITH_TANGENTS;
    if (streams[GPB_TEXCOORD0].size) wanted |= TN_WITH_UV0;
    if (streams[GPB_TEXCOORD0 + 1].size) wanted |= TN_WITH_UV1;
    if (streams[GPB_COLOR].size) wanted |= TN_WITH_COLOR;
    if (from->joint_count) wanted |= TN_WITH_SKIN;
    tn_primitive_alloc(importer->builder, p, some.count, from->index_count, wanted);
    for (uint32_t i = 0; i < TENON_UV_SETS && !importer->builder->failed; i++)
        if (streams[GPB_TEXCOORD0 + i].size && !p->uvs[i])
            p->uvs[i] = tn_scene_floats(importer->builder, some.count, 2);
    if (importer->builder->failed) return;
    gpb_import_vertices_copy_stream(&some, streams[GPB_POSITION], 3, p->positions);
    gpb_import_vertices_copy_stream(&some, streams[GPB_NORMAL], 3, p->normals);
    if (p->tangents) gpb_import_vertices_copy_tangents(importer, &some, streams, p);
    for (uint32_t i = 0; i < TENON_UV_SETS; i++) {
        float *uvs = p->uvs[i];
        if (!uvs) continue;
        gpb_import_vertices_copy_stream(&some, streams[GPB_TEXCOORD0 + i], 2, uvs);
        // V points up in the file, and down in a scene.
        for (uint64_t k = 0; k < some.count; k++) uvs[2 * k + 1] = 1 - uvs[2 * k + 1];
    }
    gpb_import_vertices_copy_stream(&some, streams[GPB_COLOR], 4, p->colors[0]);
    if (p->influence_count)
        importer->losses.influences.count += gpb_import_vertices_copy_influences(&some, streams, p);
}
