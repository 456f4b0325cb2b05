// test_gpu.c: buffers for graphics cards, drawn by a few lines that do what a shader does.
// SPDX-License-Identifier: MIT

#include <tenon/gpu.h>

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"

typedef struct exact_vertex {
    float position[3], normal[3], weights[8];
    uint16_t joints[8];
} exact_vertex;

// Floats, and up to eight influences, so that nothing is rounded.
static const tenon_attribute exact[] = {
    {TENON_STREAM_POSITION, 0, TENON_NUMBER_F32, 3, offsetof(exact_vertex, position)},
    {TENON_STREAM_NORMAL, 0, TENON_NUMBER_F32, 3, offsetof(exact_vertex, normal)},
    {TENON_STREAM_WEIGHTS, 0, TENON_NUMBER_F32, 4, offsetof(exact_vertex, weights)},
    {TENON_STREAM_WEIGHTS, 1, TENON_NUMBER_F32, 4, offsetof(exact_vertex, weights[4])},
    {TENON_STREAM_JOINTS, 0, TENON_NUMBER_U16, 4, offsetof(exact_vertex, joints)},
    {TENON_STREAM_JOINTS, 1, TENON_NUMBER_U16, 4, offsetof(exact_vertex, joints[4])},
};
static const tenon_prepare_opts exact_opts = {
    .attributes = exact, .attribute_count = 6, .stride = sizeof(exact_vertex)};

static uint32_t index_at(const tenon_gpu_mesh *mesh, uint32_t i)
{
    return mesh->index_size == 2 ? ((const uint16_t *)mesh->indices)[i]
                                 : ((const uint32_t *)mesh->indices)[i];
}

// What a vertex shader does: the sum of weight * offset is added to the position, and the sum of
// weight * matrix applied to that.
static void shade(const tenon_gpu_mesh *mesh, uint32_t index, const float *weights,
                  const float *matrices, double out[3])
{
    const exact_vertex *v = &((const exact_vertex *)mesh->vertices)[index];
    double position[3];
    for (size_t c = 0; c < 3; c++) {
        position[c] = (double)v->position[c];
        for (uint32_t i = 0; i < mesh->morph_count; i++)
            if (mesh->morphs[i].positions)
                position[c] +=
                    (double)weights[i] * (double)mesh->morphs[i].positions[3 * (size_t)index + c];
    }
    out[0] = out[1] = out[2] = 0;
    for (int k = 0; k < 8; k++) {
        const float *m = matrices + 16 * (size_t)v->joints[k];
        for (int row = 0; row < 3; row++) {
            double sum = (double)m[12 + row];
            for (int c = 0; c < 3; c++) sum += (double)m[4 * c + row] * position[c];
            out[row] += (double)v->weights[k] * sum;
        }
    }
}

// Draw a pose, and compare every corner with what tenon_pose_skin() says. Returns the largest
// distance.
static double draw_pose(const tenon_scene *scene, const tenon_buffers *buffers, tenon_pose *pose)
{
    float *matrices = malloc(64 * (size_t)buffers->matrix_count);
    float *weights = malloc(4 * (size_t)buffers->morph_count + 4);
    double largest = 0;
    uint32_t corner = 0;
    for (uint32_t d = 0; d < buffers->draw_count; d++) {
        const tenon_draw *draw = &buffers->draws[d];
        const tenon_gpu_mesh *mesh = &buffers->meshes[draw->mesh];
        const tenon_gpu_mesh *before = d ? &buffers->meshes[buffers->draws[d - 1].mesh] : NULL;
        bool goes_on = before && buffers->draws[d - 1].node == draw->node &&
                       before->primitive == mesh->primitive;
        if (!goes_on) corner = 0;
        const tenon_primitive *p =
            &scene->meshes[scene->nodes[draw->node].mesh].primitives[mesh->primitive];
        float *skinned = malloc(12 * (size_t)p->vertex_count);
        tenon_pose_skin(pose, draw->node, mesh->primitive, skinned, NULL);
        tenon_draw_matrices(buffers, d, pose, matrices);
        tenon_draw_weights(buffers, d, pose, weights);
        for (uint32_t i = 0; i < mesh->index_count; i++, corner++) {
            double at[3];
            CHECK(index_at(mesh, i) < mesh->vertex_count);
            shade(mesh, index_at(mesh, i), weights, matrices, at);
            uint32_t vertex = p->indices ? p->indices[corner] : corner;
            for (int k = 0; k < 3; k++) {
                double off = fabs(at[k] - (double)skinned[3 * (size_t)vertex + (size_t)k]);
                if (!(off <= largest)) largest = off;
            }
        }
        free(skinned);
    }
    free(matrices);
    free(weights);
    return largest;
}

TEST(what_a_shader_draws_is_the_pose)
{
    static const char *const models[] = {"samples/crane.gpb", "samples/crane.bbmod",
                                         "samples/crane.bmw", "samples/crane.cea",
                                         "samples/crane.glb", "samples/crane.bplx"};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        tenon_error err;
        tenon_scene *scene = tenon_import_file(models[i], NULL, NULL, &err);
        tenon_pose *pose = tenon_pose_new(scene, NULL, &err);
        tenon_prepare_opts narrow = exact_opts, narrower = exact_opts;
        narrow.max_matrices = 24;
        narrower.index_size = 2;
        const tenon_prepare_opts *all[] = {&exact_opts, &narrow, &narrower};
        for (int k = 0; k < 3; k++) {
            tenon_buffers *buffers = tenon_prepare(scene, all[k], &err);
            CHECK(buffers && buffers->draw_count > 0);
            tenon_pose_set(pose, TENON_NONE, 0);
            CHECK(draw_pose(scene, buffers, pose) < 1e-5);
            tenon_pose_set(pose, 0, 0.7);
            CHECK(draw_pose(scene, buffers, pose) < 1e-5);
            tenon_buffers_free(buffers);
        }
        tenon_pose_free(pose);
        tenon_scene_free(scene);
    }
}

TEST(morph_targets_are_drawn_as_the_pose_has_them)
{
    tenon_error err;
    tenon_scene *scene = tenon_import_file("tests/fixtures/gltf/morphs.glb", NULL, NULL, &err);
    tenon_pose *pose = scene ? tenon_pose_new(scene, NULL, &err) : NULL;
    tenon_buffers *buffers = pose ? tenon_prepare(scene, &exact_opts, &err) : NULL;
    CHECK(buffers && buffers->morph_count > 0 && scene->animation_count > 0);
    double moved = 0;
    for (uint32_t i = 0; buffers && i < 5; i++) {
        tenon_pose_set(pose, i ? 0 : TENON_NONE, 0.2 * i);
        CHECK(draw_pose(scene, buffers, pose) < 1e-5);
        float weights[64] = {0};
        CHECK(buffers->morph_count <= 64);
        tenon_draw_weights(buffers, 0, pose, weights);
        moved += (double)weights[0];
    }
    CHECK(moved != 0);
    tenon_buffers_free(buffers);
    tenon_pose_free(pose);
    tenon_scene_free(scene);
}

// A strip of `count` quads; each vertex is moved by four joints of its own.
static tenon_scene *build_strip(uint32_t quad_count, uint32_t joint_count)
{
    tenon_scene *scene = tenon_scene_new(NULL, NULL);
    uint32_t *joints = malloc(joint_count * sizeof *joints);
    uint32_t root = tenon_scene_add_node(scene, "root", TENON_NONE);
    for (uint32_t i = 0; i < joint_count; i++) {
        joints[i] = tenon_scene_add_node(scene, "joint", root);
        scene->nodes[joints[i]].translation[2] = i;
    }
    uint32_t mesh = tenon_scene_add_mesh(scene, "strip");
    tenon_primitive *p =
        tenon_scene_add_primitive(scene, mesh, 2 * quad_count + 2, 6 * quad_count, TENON_WITH_SKIN);
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        p->positions[3 * i] = (float)(i / 2);
        p->positions[3 * i + 1] = (float)(i % 2);
        for (uint32_t k = 0; k < 4; k++) {
            p->joints[4 * i + k] = (uint16_t)((4 * i + k) % joint_count);
            p->weights[4 * i + k] = 0.25f;
        }
    }
    for (uint32_t i = 0; i < quad_count; i++) {
        const uint32_t corners[] = {0, 2, 1, 1, 2, 3};
        for (uint32_t k = 0; k < 6; k++) p->indices[6 * i + k] = 2 * i + corners[k];
    }
    scene->nodes[root].mesh = mesh;
    scene->nodes[root].skin = tenon_scene_add_skin(scene, "skin", joints, joint_count, NULL);
    scene->nodes[joints[1]].translation[1] = 5;  // Away from where it was bound.
    CHECK(tenon_scene_finish(scene, NULL, NULL));
    free(joints);
    return scene;
}

TEST(palettes_have_at_most_the_matrices_that_were_asked_for)
{
    tenon_scene *scene = build_strip(300, 500);
    tenon_pose *pose = tenon_pose_new(scene, NULL, NULL);
    const uint32_t limits[] = {24, 25, 64, 500, 5000};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        tenon_prepare_opts opts = exact_opts;
        opts.max_matrices = limits[i];
        tenon_buffers *buffers = tenon_prepare(scene, &opts, NULL);
        uint32_t triangles = 0;
        for (uint32_t m = 0; m < buffers->mesh_count; m++) {
            CHECK(buffers->meshes[m].matrix_count <= limits[i]);
            triangles += buffers->meshes[m].index_count / 3;
        }
        CHECK(triangles == 600 && (buffers->mesh_count > 1) == (limits[i] < 500));
        CHECK(buffers->matrix_count <= limits[i]);
        CHECK(draw_pose(scene, buffers, pose) < 1e-4);
        tenon_buffers_free(buffers);
    }
    tenon_pose_free(pose);
    tenon_scene_free(scene);
}

TEST(large_meshes_are_split_for_short_indices)
{
    tenon_scene *scene = build_strip(40000, 8);
    tenon_pose *pose = tenon_pose_new(scene, NULL, NULL);
    for (uint32_t size = 0; size <= 4; size += 2) {
        tenon_prepare_opts opts = exact_opts;
        opts.index_size = size;
        tenon_buffers *buffers = tenon_prepare(scene, &opts, NULL);
        CHECK(buffers->mesh_count == (size == 2 ? 2 : 1));
        for (uint32_t m = 0; m < buffers->mesh_count; m++)
            CHECK(buffers->meshes[m].index_size == (size == 2 ? 2 : 4));
        CHECK(draw_pose(scene, buffers, pose) < 1e-2);
        tenon_buffers_free(buffers);
    }
    tenon_pose_free(pose);
    tenon_scene_free(scene);
    scene = build_strip(10, 8);
    tenon_buffers *buffers = tenon_prepare(scene, NULL, NULL);
    CHECK(buffers->meshes[0].index_size == 2);
    tenon_buffers_free(buffers);
    tenon_scene_free(scene);
}

static void keep_loss(void *user, const tenon_loss *loss)
{
    tenon_loss *kept = user;
    if (strcmp(loss->feature, "influences") == 0) *kept = *loss;
}

TEST(the_usual_vertex_has_weights_that_add_up)
{
    tenon_scene *scene = build_strip(100, 90);
    tenon_buffers *buffers = tenon_prepare(scene, NULL, NULL);
    CHECK(buffers->stride == sizeof(tenon_vertex) && sizeof(tenon_vertex) == 60);
    for (uint32_t m = 0; m < buffers->mesh_count; m++) {
        const tenon_gpu_mesh *mesh = &buffers->meshes[m];
        const tenon_vertex *v = mesh->vertices;
        for (uint32_t i = 0; i < mesh->vertex_count; i++) {
            int sum = 0;
            for (int k = 0; k < 4; k++) {
                sum += v[i].weights[k];
                CHECK(v[i].color[k] == 255 && v[i].joints[k] < mesh->matrix_count);
            }
            CHECK(sum == 255 && v[i].normal[2] == 1);  // The normal was computed.
            CHECK(v[i].tangent[0] == 1 && v[i].tangent[3] == 1);
        }
        CHECK(mesh->min[0] == 0 && mesh->max[0] == 100 && mesh->max[1] == 1);
    }
    tenon_buffers_free(buffers);
    // Two influences only: the two heaviest, and a loss.
    const tenon_attribute two[] = {{TENON_STREAM_POSITION, 0, TENON_NUMBER_F32, 3, 0},
                                   {TENON_STREAM_JOINTS, 0, TENON_NUMBER_U8, 2, 12},
                                   {TENON_STREAM_WEIGHTS, 0, TENON_NUMBER_U16_NORM, 2, 14}};
    tenon_loss loss = {0};
    const tenon_prepare_opts opts = {
        .attributes = two, .attribute_count = 3, .events = {.user = &loss, .on_loss = keep_loss}};
    buffers = tenon_prepare(scene, &opts, NULL);
    CHECK(buffers && buffers->stride == 18 && loss.count == 202 && loss.error > 0);
    const uint8_t *vertex = buffers->meshes[0].vertices;
    uint16_t weights[2];
    memcpy(weights, vertex + 14, 4);
    CHECK(weights[0] + weights[1] == 65535 && abs(weights[0] - weights[1]) <= 1);
    tenon_buffers_free(buffers);
    tenon_scene_free(scene);
}

TEST(numbers_are_stored_as_asked)
{
    tenon_scene *scene = build_strip(1, 4);
    scene->meshes[0].primitives[0].colors[0] = tenon_scene_alloc(scene, 16 * 4);
    float *colors = scene->meshes[0].primitives[0].colors[0];
    const float first[] = {-1, 0.5f, 1, 2};  // Some are out of range.
    memcpy(colors, first, sizeof first);
    const tenon_attribute all[] = {{TENON_STREAM_COLOR, 0, TENON_NUMBER_U8_NORM, 4, 0},
                                   {TENON_STREAM_COLOR, 0, TENON_NUMBER_I8_NORM, 4, 4},
                                   {TENON_STREAM_COLOR, 0, TENON_NUMBER_U16_NORM, 4, 8},
                                   {TENON_STREAM_COLOR, 0, TENON_NUMBER_I16_NORM, 4, 16},
                                   {TENON_STREAM_COLOR, 1, TENON_NUMBER_F32, 1, 24},
                                   {TENON_STREAM_POSITION, 0, TENON_NUMBER_F32, 4, 28},
                                   {TENON_STREAM_UV, 7, TENON_NUMBER_F32, 4, 44},
                                   {TENON_STREAM_JOINTS, 0, TENON_NUMBER_F32, 4, 60}};
    const tenon_prepare_opts opts = {.attributes = all, .attribute_count = 8, .stride = 100};
    tenon_error err;
    tenon_buffers *buffers = tenon_prepare(scene, &opts, &err);
    CHECK(buffers && buffers->stride == 100);
    const uint8_t *v = buffers->meshes[0].vertices;
    const uint8_t bytes[] = {0, 128, 255, 255, 129, 64, 127, 127};
    const uint16_t words[] = {0, 32768, 65535, 65535, 32769, 16384, 32767, 32767};
    const float floats[] = {1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3};
    CHECK(memcmp(v, bytes, 8) == 0 && memcmp(v + 8, words, 16) == 0);
    CHECK(memcmp(v + 24, floats, sizeof floats) == 0);
    tenon_buffers_free(buffers);
    tenon_scene_free(scene);
}

TEST(impossible_layouts_are_refused)
{
    tenon_scene *scene = build_strip(1, 4);
    const tenon_attribute bad[] = {{TENON_STREAM_UV, 8, TENON_NUMBER_F32, 2, 0},
                                   {TENON_STREAM_POSITION, 1, TENON_NUMBER_F32, 3, 0},
                                   {TENON_STREAM_POSITION, 0, TENON_NUMBER_F32, 0, 0},
                                   {TENON_STREAM_POSITION, 0, TENON_NUMBER_F32, 5, 0},
                                   {TENON_STREAM_POSITION, 0, TENON_NUMBER_U8, 3, 0},
                                   {TENON_STREAM_JOINTS, 0, TENON_NUMBER_U8_NORM, 4, 0},
                                   {TENON_STREAM_JOINTS, 2, TENON_NUMBER_U8, 4, 0},
                                   {(tenon_stream)9, 0, TENON_NUMBER_F32, 3, 0},
                                   {TENON_STREAM_POSITION, 0, (tenon_number)9, 3, 0},
                                   {TENON_STREAM_POSITION, 0, TENON_NUMBER_F32, 3, UINT32_MAX}};
    tenon_error err;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const tenon_prepare_opts opts = {.attributes = &bad[i], .attribute_count = 1};
        CHECK(!tenon_prepare(scene, &opts, &err) && err.code == TENON_ERR_VALUE);
    }
    const tenon_attribute position = {TENON_STREAM_POSITION, 0, TENON_NUMBER_F32, 3, 0};
    const tenon_prepare_opts none = {.attributes = &position},
                             narrow = {.attributes = &position, .attribute_count = 1, .stride = 11},
                             unskinned = {.attributes = &position, .attribute_count = 1},
                             few = {.max_matrices = 11}, odd = {.index_size = 3};
    CHECK(!tenon_prepare(scene, &none, &err) && err.code == TENON_ERR_VALUE);
    CHECK(!tenon_prepare(scene, &narrow, &err) && err.code == TENON_ERR_VALUE);
    CHECK(!tenon_prepare(scene, &unskinned, &err) && err.code == TENON_ERR_UNSUPPORTED);
    CHECK(!tenon_prepare(scene, &few, &err) && err.code == TENON_ERR_VALUE);
    CHECK(!tenon_prepare(scene, &odd, &err) && err.code == TENON_ERR_VALUE);
    CHECK(!tenon_prepare(NULL, NULL, NULL));
    tenon_buffers_free(NULL);
    float matrices[16] = {7};
    tenon_buffers *buffers = tenon_prepare(scene, NULL, NULL);
    tenon_pose *pose = tenon_pose_new(scene, NULL, NULL);
    tenon_draw_matrices(buffers, 99, pose, matrices);
    tenon_draw_matrices(NULL, 0, pose, matrices);
    tenon_draw_matrices(buffers, 0, NULL, matrices);
    tenon_draw_matrices(buffers, 0, pose, NULL);
    tenon_draw_weights(buffers, 99, pose, matrices);
    tenon_draw_weights(NULL, 0, pose, matrices);
    tenon_draw_weights(buffers, 0, NULL, matrices);
    tenon_draw_weights(buffers, 0, pose, NULL);
    CHECK(matrices[0] == 7);
    CHECK(!tenon_pose_is_mirrored(pose, 0) && !tenon_pose_is_mirrored(pose, 999));
    CHECK(!tenon_pose_is_mirrored(NULL, 0));
    tenon_pose_free(pose);
    tenon_buffers_free(buffers);
    tenon_scene_free(scene);
}

// An allocator that fails at one call.
typedef struct failing {
    int calls, fail_at;
} failing;

static void *alloc(void *user, size_t size)
{
    failing *f = user;
    return ++f->calls == f->fail_at ? NULL : malloc(size);
}

static void release(void *user, void *memory, size_t size)
{
    (void)user, (void)size;
    free(memory);
}

TEST(every_allocation_can_fail)
{
    tenon_scene *scene = build_strip(300, 90);
    for (int at = 1, done = 0; !done; at++) {
        failing f = {.fail_at = at};
        tenon_error err;
        tenon_prepare_opts opts = exact_opts;
        opts.allocator = (tenon_allocator){alloc, release, &f, NULL};
        opts.max_matrices = 24;
        tenon_buffers *buffers = tenon_prepare(scene, &opts, &err);
        done = f.calls < at;
        CHECK(done ? buffers != NULL : !buffers && err.code == TENON_ERR_MEMORY);
        tenon_buffers_free(buffers);
    }
    tenon_scene_free(scene);
}

int main(void)
{
    RUN(what_a_shader_draws_is_the_pose);
    RUN(morph_targets_are_drawn_as_the_pose_has_them);
    RUN(palettes_have_at_most_the_matrices_that_were_asked_for);
    RUN(large_meshes_are_split_for_short_indices);
    RUN(the_usual_vertex_has_weights_that_add_up);
    RUN(numbers_are_stored_as_asked);
    RUN(impossible_layouts_are_refused);
    RUN(every_allocation_can_fail);
    TEST_END();
}
