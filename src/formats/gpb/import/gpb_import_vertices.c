// gpb_import_vertices.c: imports the vertices of a mesh.
// SPDX-License-Identifier: MIT

#include "formats/gpb/import/gpb_import.h"

#include "document/findings.h"

#define GPB_BLOCK 256  // Vertices decoded at once.

uint64_t gpb_import_find_streams(const tenon_gpb_mesh *mesh, tn_vertices *vertices)
{
    uint64_t offset = 0, useless = 0;
    uint64_t stride = mesh->vertices.layout ? mesh->vertices.layout->stride : 0;
    *vertices = (tn_vertices){.count = mesh->vertices.count, .is_v_up = true};
    tn_vertex_stream *streams = vertices->streams;
    for (uint32_t i = 0; i < mesh->element_count; i++) {
        tenon_gpb_element e = mesh->elements[i];
        uint64_t size = 4 * (uint64_t)e.size;
        uint32_t meaning = e.usage - 1;  // Usages start at 1, in the order of tn_meaning.
        uint32_t least = meaning >= TN_NORMAL && meaning <= TN_BINORMAL ? 3 : 1;
        bool fits = offset <= stride && size <= stride - offset && e.size >= least && e.size <= 4;
        if (fits && meaning < TN_MEANING_COUNT && streams[meaning].count == 0)
            streams[meaning] = (tn_vertex_stream){&mesh->vertices, offset, e.size};
        else
            useless++;
        offset += size;
    }
    if (streams[TN_NORMAL].count == 0) streams[TN_TANGENT].count = 0;
    uint32_t weights = streams[TN_WEIGHTS].count, joints = streams[TN_JOINTS].count;
    streams[TN_WEIGHTS].count = streams[TN_JOINTS].count = weights < joints ? weights : joints;
    return useless;
}

bool gpb_import_has_influences(const tenon_gpb_mesh *mesh)
{
    tn_vertices vertices;
    gpb_import_find_streams(mesh, &vertices);
    return vertices.streams[TN_POSITION].count && vertices.streams[TN_JOINTS].count;
}

// The binormal determines the handedness of the tangent.
static void gpb_import_vertices_set_sides(gpb_importer *importer, const tn_vertices *from,
                                          tenon_primitive *p)
{
    if (from->streams[TN_BINORMAL].count == 0) {
        importer->losses.sides.count += p->vertex_count;
        return;
    }
    for (uint64_t i = 0; i < p->vertex_count; i++) {
        const float *n = p->normals + 3 * i;
        float *t = p->tangents + 4 * i, b[3];
        tn_read_stream(from, TN_BINORMAL, i, 1, b);
        tn_vec3 side = tn_vec3_cross((tn_vec3){n[0], n[1], n[2]}, (tn_vec3){t[0], t[1], t[2]});
        t[3] = tn_vec3_dot(side, (tn_vec3){b[0], b[1], b[2]}) < 0 ? -1 : 1;
    }
}

// Influences of joints that do not exist get a weight of 0. Returns how many there were.
static uint64_t gpb_import_vertices_copy_joints(const tn_vertices *from, uint32_t joint_count,
                                                tenon_primitive *p)
{
    float block[4 * GPB_BLOCK], most = joint_count < 65536 ? (float)joint_count : 65536;
    uint64_t wrong = 0;
    for (uint64_t at = 0, count; at < p->vertex_count; at += count) {
        count = p->vertex_count - at < GPB_BLOCK ? p->vertex_count - at : GPB_BLOCK;
        uint16_t *joints = p->joints + 4 * at;
        float *weights = p->weights + 4 * at;
        tn_read_stream(from, TN_JOINTS, at, count, block);
        bool are_plain = tn_joints_are_plain(block, 4 * count, most - 1);
        for (uint64_t i = 0; i < 4 * count && !are_plain; i++) {
            if (block[i] >= 0 && block[i] < most) continue;
            wrong += weights[i] != 0;
            block[i] = weights[i] = 0;
        }
        for (uint64_t i = 0; i < 4 * count; i++) joints[i] = (uint16_t)(int32_t)block[i];
    }
    return wrong;
}

void gpb_import_fill_primitive(gpb_importer *importer, const tn_vertices *from,
                               uint64_t index_count, uint32_t joint_count, tenon_primitive *p)
{
    tn_import_vertices(importer->builder, from, index_count, joint_count ? TN_WITH_SKIN : 0, p);
    if (importer->builder->failed) return;
    if (from->streams[TN_TANGENT].count == 3) gpb_import_vertices_set_sides(importer, from, p);
    if (joint_count)
        importer->losses.influences.count += gpb_import_vertices_copy_joints(from, joint_count, p);
}
