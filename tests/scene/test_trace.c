// test_trace.c: triangles of every sample, found in the bytes of their files.
// SPDX-License-Identifier: MIT

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/files.h>
#include <tenon/places.h>
#include <tenon/scene.h>

#include "../test.h"

#define SAMPLES "samples/"

// Number `index` of a format's own type at some bytes.
static double number_at(const uint8_t *bytes, size_t size, bool big_endian)
{
    uint8_t ordered[8];
    float single;
    double twice;
    for (size_t i = 0; i < size; i++) ordered[i] = bytes[big_endian ? size - 1 - i : i];
    if (size == 8) memcpy(&twice, ordered, 8);
    if (size == 4) memcpy(&single, ordered, 4);
    return size == 8 ? twice : (double)single;
}

// Whether three numbers of the file are a position of the scene: formats have other units, and may
// be mirrored or have another axis up.
static bool is_same_position(const double file[3], const float *scene)
{
    static const double units[] = {1, 0.01};
    for (int u = 0; u < 2; u++)
        for (int turn = 0; turn < 2; turn++) {
            const double at[3] = {file[0], file[turn ? 2 : 1], file[turn ? 1 : 2]};
            bool is_same = true;
            for (int k = 0; k < 3; k++)
                is_same &= fabs(fabs(at[k] * units[u]) - fabs((double)scene[k])) < 1e-5;
            if (is_same) return true;
        }
    return false;
}

static void check_triangle(const uint8_t *data, uint64_t data_size, const tenon_primitive *p,
                           uint64_t triangle, const tenon_traced *traced, bool big_endian)
{
    bool is_fbx = memcmp(data, "Kaydara", 7) == 0;
    size_t size = is_fbx ? 8 : 4;
    for (uint32_t k = 0; k < 3; k++) {
        const tenon_place *place = &traced->corners[k];
        uint32_t vertex = p->indices ? p->indices[3 * triangle + k] : (uint32_t)(3 * triangle + k);
        CHECK(place->offset < data_size && place->size >= 3 * size);
        CHECK(place->size <= data_size - place->offset);
        if (test_failures) return;
        // All records start with the position.
        double file[3];
        for (size_t i = 0; i < 3; i++)
            file[i] = number_at(data + place->offset + i * size, size, big_endian);
        CHECK(is_same_position(file, p->positions + 3 * (size_t)vertex));
    }
    CHECK(traced->triangle.path[0] && traced->triangle.size);
    CHECK(traced->triangle.offset < data_size);
}

// From a byte back to what it is: the same bytes again.
static void check_back(const tenon_doc *doc, const tenon_traced *traced)
{
    tenon_error err = {0};
    for (int k = -1; k < 3; k++) {
        const tenon_place *from = k < 0 ? &traced->triangle : &traced->corners[k];
        tenon_corner corner;
        tenon_traced again;
        CHECK(tenon_trace_back(doc, from->offset, NULL, &corner, &err));
        CHECK(!test_failures &&
              tenon_trace(doc, corner.node, corner.primitive, corner.triangle, NULL, &again, &err));
        if (test_failures) return;
        // Several triangles have a vertex, and corners of bytes that are equal are one vertex.
        const tenon_place *to =
            corner.corner == TENON_NONE ? &again.triangle : &again.corners[corner.corner];
        CHECK(k < 0 || corner.corner < 3);
        CHECK(to->offset == from->offset);
        CHECK_STR(to->path, from->path);
    }
}

// Every format but OBJ, whose triangles are lines of text.
static void check_sample(const char *name, uint64_t triangle_count)
{
    char path[512];
    tenon_error err = {0};
    (void)snprintf(path, sizeof path, SAMPLES "%s", name);
    tenon_bytes bytes;
    CHECK(tenon_load(path, NULL, &bytes, &err));
    if (test_failures) return;
    tenon_doc *doc = tenon_read(bytes.data, bytes.size, NULL, &err);
    tenon_scene *scene = doc ? tenon_to_scene(doc, NULL, &err) : NULL;
    CHECK(scene);
    uint64_t found = 0;
    for (uint32_t n = 0; scene && n < scene->node_count; n++) {
        if (scene->nodes[n].mesh == TENON_NONE) continue;
        const tenon_mesh *mesh = &scene->meshes[scene->nodes[n].mesh];
        for (uint32_t i = 0; i < mesh->primitive_count; i++) {
            const tenon_primitive *p = &mesh->primitives[i];
            uint64_t count = (p->indices ? p->index_count : p->vertex_count) / 3;
            for (uint64_t t = 0; t < count && !test_failures; t++, found++) {
                tenon_traced traced;
                CHECK(tenon_trace(doc, n, i, t, NULL, &traced, &err));
                if (test_failures) break;
                check_triangle(bytes.data, bytes.size, p, t, &traced, strstr(name, ".ce") != NULL);
                if (!test_failures && t % 8 == 0) check_back(doc, &traced);
                if (test_failures)
                    fprintf(stderr, "%s: node %u, primitive %u, triangle %u: %s\n", name, n, i,
                            (unsigned)t, traced.triangle.path);
            }
        }
    }
    CHECK(found == triangle_count);
    tenon_scene_free(scene);
    tenon_doc_free(doc);
    tenon_unload(&bytes);
}

TEST(every_triangle_of_a_sample_is_found)
{
    static const char *const names[] = {
        "crane.bbmod", "crane.gpb", "crane.bmw",         "crane.cem", "crane.cea",
        "crane.bplx",  "crane.glb", "crane_script.bplx", "crane.fbx",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) check_sample(names[i], 348);
}

// -- In the words of the formats

static tenon_traced trace_text(const char *text, uint64_t triangle, bool *ok, tenon_error *err)
{
    tenon_traced traced = {0};
    const tenon_read_opts opts = {.format = "obj"};
    tenon_doc *doc = tenon_read(text, strlen(text), &opts, err);
    *ok = doc && tenon_trace(doc, 0, 0, triangle, NULL, &traced, err);
    tenon_doc_free(doc);
    return traced;
}

TEST(polygons_are_where_their_statement_is)
{
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 2 2\nf 1 2 3 4\nf 3 4 5";
    bool ok;
    tenon_error err;
    tenon_traced traced = trace_text(text, 1, &ok, &err);
    CHECK(ok);
    CHECK_STR(traced.triangle.path, "text");
    CHECK(traced.triangle.offset == 40 && traced.triangle.size == 9);
    traced = trace_text(text, 2, &ok, &err);
    CHECK(ok && traced.triangle.offset == 50 && traced.triangle.size == 7);
    (void)trace_text(text, 3, &ok, &err);
    CHECK(!ok && err.code == TENON_ERR_VALUE);
}

TEST(bytes_of_statements_are_polygons)
{
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 2 2\nf 1 2 3 4\nf 3 4 5";
    const tenon_read_opts opts = {.format = "obj"};
    tenon_corner corner;
    tenon_error err;
    tenon_doc *doc = tenon_read(text, strlen(text), &opts, &err);
    CHECK(doc && tenon_trace_back(doc, 44, NULL, &corner, &err));
    CHECK(corner.triangle == 0 && corner.corner == TENON_NONE);
    CHECK(doc && tenon_trace_back(doc, 56, NULL, &corner, &err));
    CHECK(corner.triangle == 2 && corner.corner == TENON_NONE);
    CHECK(doc && !tenon_trace_back(doc, 2, NULL, &corner, &err));
    CHECK(err.code == TENON_ERR_VALUE);
    CHECK(doc && !tenon_trace_back(doc, 1000, NULL, &corner, &err));
    tenon_doc_free(doc);
}

// A byte in an array beside the positions, or in another attribute, is of the same vertex.
static void check_beside(const char *name, const char *positions, const char *others)
{
    char path[512];
    uint64_t from = 0, to = 0;
    tenon_corner corner, beside;
    (void)snprintf(path, sizeof path, SAMPLES "%s", name);
    tenon_doc *doc = tenon_read_file(path, NULL, NULL);
    CHECK(doc && tenon_locate(doc, positions, &from, NULL));
    CHECK(doc && tenon_locate(doc, others, &to, NULL));
    CHECK(doc && tenon_trace_back(doc, from, NULL, &corner, NULL));
    CHECK(doc && tenon_trace_back(doc, to + 3, NULL, &beside, NULL));
    CHECK(corner.node == beside.node && corner.primitive == beside.primitive);
    CHECK(corner.triangle == beside.triangle && corner.corner == beside.corner);
    CHECK(corner.corner < 3);
    tenon_doc_free(doc);
}

TEST(all_bytes_of_a_vertex_are_the_vertex)
{
    check_beside("crane.bplx", "positions[7]", "normals[7]");
    check_beside("crane.bplx", "positions[400]", "uvs[400]");
    check_beside("crane.cem", "meshes[2].vertices[5]", "meshes[2].normals[5]");
    check_beside("crane.gpb", "blocks[0].mesh.vertices[100]",
                 "blocks[0].mesh.vertices[100].normal");
}

static void check_path(const char *name, const char *triangle, const char *corner)
{
    char path[512];
    tenon_traced traced;
    (void)snprintf(path, sizeof path, SAMPLES "%s", name);
    tenon_doc *doc = tenon_read_file(path, NULL, NULL);
    tenon_scene *scene = doc ? tenon_to_scene(doc, NULL, NULL) : NULL;
    uint32_t node = 0;
    while (scene && node < scene->node_count && scene->nodes[node].mesh == TENON_NONE) node++;
    CHECK(scene && tenon_trace(doc, node, 0, 1, NULL, &traced, NULL));
    if (scene && !test_failures) {
        CHECK_STR(traced.triangle.path, triangle);
        CHECK_STR(traced.corners[0].path, corner);
    }
    tenon_scene_free(scene);
    tenon_doc_free(doc);
}

TEST(paths_are_those_of_maps)
{
    check_path("crane.bplx", "faces[1]", "positions[0]");
    check_path("crane.bmw", "meshes[0].faces[1]", "meshes[0].vertices[0]");
    check_path("crane.cem", "meshes[0].indices[3]", "meshes[0].vertices[0]");
    check_path("crane.gpb", "blocks[0].mesh.parts[0].indices[3]", "blocks[0].mesh.vertices[84]");
    check_path("crane.bbmod", "meshes[16].vertices[3]", "meshes[16].vertices[0]");
    check_path("crane.glb", "bufferViews[0]", "bufferViews[1]");
}

// -- Paths of findings

static const float *position_of(const tenon_scene *scene, const tenon_traced_part *part, uint32_t k)
{
    const tenon_primitive *p = &scene->meshes[part->mesh].primitives[part->primitive];
    return p->positions + 3 * (size_t)part->vertices[k];
}

// The paths of some triangles and of their corners lead back to them.
static void check_way_back(const char *name)
{
    enum { TRIANGLES = 12 };
    char path[512];
    tenon_traced traced[TRIANGLES] = {0};
    tenon_traced_part parts[4 * TRIANGLES] = {0};
    (void)snprintf(path, sizeof path, SAMPLES "%s", name);
    tenon_doc *doc = tenon_read_file(path, NULL, NULL);
    tenon_scene *scene = doc ? tenon_to_scene(doc, NULL, NULL) : NULL;
    uint32_t node = 0;
    while (scene && node < scene->node_count && scene->nodes[node].mesh == TENON_NONE) node++;
    CHECK(scene && node < scene->node_count);
    for (uint32_t t = 0; t < TRIANGLES && !test_failures; t++) {
        CHECK(tenon_trace(doc, node, 0, t, NULL, &traced[t], NULL));
        parts[4 * t] = (tenon_traced_part){.path = traced[t].triangle.path};
        for (uint32_t k = 0; k < 3; k++) parts[4 * t + 1 + k].path = traced[t].corners[k].path;
    }
    CHECK(scene && tenon_trace_paths(doc, parts, 4 * TRIANGLES, NULL, NULL));
    for (uint32_t t = 0; t < TRIANGLES && !test_failures; t++) {
        const tenon_mesh *mesh = &scene->meshes[scene->nodes[node].mesh];
        const tenon_primitive *p = &mesh->primitives[0];
        for (uint32_t k = 0; k < 4 && !test_failures; k++) {
            const tenon_traced_part *part = &parts[4 * t + k];
            bool is_corner = k > 0 || strcmp(part->path, parts[4 * t + 1].path) == 0;
            CHECK(part->mesh == scene->nodes[node].mesh && part->primitive == 0);
            CHECK(part->vertex_count == (is_corner ? 1 : 3));
            for (uint32_t i = 0; i < part->vertex_count && !test_failures; i++) {
                uint32_t corner = 3 * t + (is_corner ? k ? k - 1 : 0 : i);
                uint32_t vertex = p->indices ? p->indices[corner] : corner;
                const float *wanted = p->positions + 3 * (size_t)vertex;
                CHECK(memcmp(position_of(scene, part, i), wanted, 3 * sizeof(float)) == 0);
            }
        }
    }
    tenon_scene_free(scene);
    tenon_doc_free(doc);
}

TEST(paths_lead_back_to_their_triangles)
{
    static const char *const names[] = {"crane.bbmod",       "crane.gpb", "crane.bmw",
                                        "crane.cem",         "crane.cea", "crane.bplx",
                                        "crane_script.bplx", "crane.fbx"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) check_way_back(names[i]);
}

// What a path of a sample is about, as text.
static void check_part(const char *name, const char *path, uint64_t offset, const char *wanted)
{
    char file[512], text[64] = "nothing";
    tenon_traced_part part = {.path = path, .offset = offset};
    (void)snprintf(file, sizeof file, SAMPLES "%s", name);
    tenon_doc *doc = tenon_read_file(file, NULL, NULL);
    CHECK(doc && tenon_trace_paths(doc, &part, 1, NULL, NULL));
    if (part.mesh != TENON_NONE)
        (void)snprintf(text, sizeof text, "%u.%d %u:%u", part.mesh, (int)part.primitive,
                       part.vertex_count, part.vertex_count ? part.vertices[0] : 0);
    CHECK_STR(text, wanted);
    tenon_doc_free(doc);
}

TEST(paths_beside_the_positions_are_of_vertices)
{
    check_part("crane.bplx", "normals[7]", TENON_ABSENT, "0.0 1:7");
    check_part("crane.bplx", "uvs[8]", TENON_ABSENT, "0.0 1:8");
    check_part("crane.bplx", "faces", TENON_ABSENT, "0.0 0:0");
    check_part("crane.bplx", "bones[1].rest_rotation", TENON_ABSENT, "nothing");
    check_part("crane.bplx", "positions[99999999999999999999]", TENON_ABSENT, "nothing");
    check_part("crane.bplx", "faces[348]", TENON_ABSENT, "0.0 0:0");
    check_part("crane.bplx", "", TENON_ABSENT, "nothing");
    check_part("crane.cem", "meshes[0].weights[3]", TENON_ABSENT, "0.0 1:3");
    check_part("crane.cem", "meshes[0].material.diffuse_color", TENON_ABSENT, "0.0 0:0");
    check_part("crane.cem", "meshes[1000].weights[3]", TENON_ABSENT, "nothing");
    check_part("crane.bmw", "meshes[0].weighted_vertices[5]", TENON_ABSENT, "0.0 1:5");
    check_part("crane.gpb", "blocks[0].mesh.vertex_size", TENON_ABSENT, "0.-1 0:0");
    check_part("crane.bbmod", "meshes[2].vertices[4].bone_weights", TENON_ABSENT, "3.0 1:3");
    check_part("crane.glb", "/meshes/0/primitives/0/attributes/NORMAL", TENON_ABSENT, "0.0 0:0");
    check_part("crane.glb", "/meshes/0", TENON_ABSENT, "nothing");
}

TEST(lines_of_text_are_of_triangles)
{
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 2 2\nf 1 2 3 4\nf 3 4 5";
    const tenon_read_opts opts = {.format = "obj"};
    tenon_traced_part parts[3] = {{.path = "line:7", .offset = 50},
                                  {.path = "line:1", .offset = 0},
                                  {.path = "line:7", .offset = TENON_ABSENT}};
    tenon_doc *doc = tenon_read(text, sizeof text - 1, &opts, NULL);
    CHECK(doc && tenon_trace_paths(doc, parts, 3, NULL, NULL));
    CHECK(parts[0].mesh == 0 && parts[0].primitive == 0 && parts[0].vertex_count == 3);
    CHECK(parts[1].mesh == TENON_NONE && parts[2].mesh == TENON_NONE);
    tenon_doc_free(doc);
}

TEST(what_is_not_there_is_an_error)
{
    tenon_traced traced;
    tenon_error err;
    tenon_doc *doc = tenon_read_file(SAMPLES "crane.bplx", NULL, NULL);
    CHECK(doc);
    CHECK(doc && !tenon_trace(doc, 1000, 0, 0, NULL, &traced, &err));
    CHECK(err.code == TENON_ERR_VALUE);
    CHECK(doc && !tenon_trace(doc, 0, 1, 0, NULL, &traced, &err));
    CHECK(doc && !tenon_trace(doc, 0, 0, 348, NULL, &traced, &err));
    CHECK(doc && !tenon_trace(doc, 1, 0, 0, NULL, &traced, &err));
    CHECK(doc && tenon_trace(doc, 0, 0, 347, NULL, &traced, NULL));
    tenon_corner corner;
    CHECK(doc && !tenon_trace_back(doc, 0, NULL, &corner, &err));
    CHECK(err.code == TENON_ERR_VALUE);
    CHECK(doc && !tenon_trace_back(doc, UINT64_MAX, NULL, &corner, &err));
    tenon_doc_free(doc);
    doc = tenon_read_file(SAMPLES "crane_lift.bbanim", NULL, NULL);
    CHECK(doc && !tenon_trace_back(doc, 8, NULL, &corner, &err));
    CHECK(doc && !tenon_trace(doc, 0, 0, 0, NULL, &traced, &err));
    CHECK(err.code != TENON_OK);
    tenon_doc_free(doc);
}

int main(void)
{
    RUN(every_triangle_of_a_sample_is_found);
    RUN(polygons_are_where_their_statement_is);
    RUN(bytes_of_statements_are_polygons);
    RUN(all_bytes_of_a_vertex_are_the_vertex);
    RUN(paths_are_those_of_maps);
    RUN(paths_lead_back_to_their_triangles);
    RUN(paths_beside_the_positions_are_of_vertices);
    RUN(lines_of_text_are_of_triangles);
    RUN(what_is_not_there_is_an_error);
    TEST_END();
}
