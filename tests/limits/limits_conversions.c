// limits_conversions.c: what a conversion of an animated model does how often: it samples channels
// few times, exports once and compares once. The linker puts the counting functions here in front
// of the library's.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "exchange/export_document.h"
#include "scene/compare/verify.h"
#include "scene/pose/pose.h"

#include <tenon/convert.h>

#include <math.h>
#include <string.h>

#define JOINTS   19
#define KEYS     400
#define CLIPS    2
#define VERTICES 1200

#define SAMPLES_MOST 20  // Of channels, for each key of the source.

// -- Counting

static uint64_t samples, exports, comparisons;

void __real_tn_channel_sample_near(const tenon_channel *channel, tn_cursor *cursor, double seconds,
                                   double value[4]);
void __wrap_tn_channel_sample_near(const tenon_channel *channel, tn_cursor *cursor, double seconds,
                                   double value[4]);
void __wrap_tn_channel_sample_near(const tenon_channel *channel, tn_cursor *cursor, double seconds,
                                   double value[4])
{
    samples++;
    __real_tn_channel_sample_near(channel, cursor, seconds, value);
}

void __real_tn_channel_sample(const tenon_channel *channel, double seconds, double value[4]);
void __wrap_tn_channel_sample(const tenon_channel *channel, double seconds, double value[4]);
void __wrap_tn_channel_sample(const tenon_channel *channel, double seconds, double value[4])
{
    samples++;
    __real_tn_channel_sample(channel, seconds, value);
}

bool __real_tn_export_scene(const tn_format *format, const tenon_dialect *dialect,
                            const tenon_scene *scene, const tenon_export_opts *opts,
                            const tenon_sink *sink, tenon_error *err);
bool __wrap_tn_export_scene(const tn_format *format, const tenon_dialect *dialect,
                            const tenon_scene *scene, const tenon_export_opts *opts,
                            const tenon_sink *sink, tenon_error *err);
bool __wrap_tn_export_scene(const tn_format *format, const tenon_dialect *dialect,
                            const tenon_scene *scene, const tenon_export_opts *opts,
                            const tenon_sink *sink, tenon_error *err)
{
    exports++;
    return __real_tn_export_scene(format, dialect, scene, opts, sink, err);
}

bool __real_tn_verify(const tenon_scene *a, const tenon_scene *b, const tenon_verify_opts *opts,
                      uint32_t wanted, tn_verify_measures *measures, tenon_error *err);
bool __wrap_tn_verify(const tenon_scene *a, const tenon_scene *b, const tenon_verify_opts *opts,
                      uint32_t wanted, tn_verify_measures *measures, tenon_error *err);
bool __wrap_tn_verify(const tenon_scene *a, const tenon_scene *b, const tenon_verify_opts *opts,
                      uint32_t wanted, tn_verify_measures *measures, tenon_error *err)
{
    comparisons++;
    return __real_tn_verify(a, b, opts, wanted, measures, err);
}

// -- A model

static void add_keys(tenon_scene *scene, uint32_t clip, uint32_t joint)
{
    tenon_channel *moves =
        tenon_scene_add_channel(scene, clip, joint, TENON_TRANSLATION, TENON_LINEAR, KEYS);
    for (uint32_t i = 0; moves && i < KEYS; i++) {
        // As recorded motion: times of keys that are in no raster.
        moves->times[i] = (float)(i + 0.3 * sin(i * (joint + 1.7))) / 30.0f;
        if (i == 0) moves->times[i] = 0;
        for (uint32_t k = 0; k < 3; k++)
            moves->values[3 * i + k] = (float)(0.1 * sin(0.07 * i * (k + 1) + joint + clip));
        moves->values[3 * i + 1] += 0.5f;
    }
    tenon_channel *turns =
        tenon_scene_add_channel(scene, clip, joint, TENON_ROTATION, TENON_LINEAR, KEYS);
    for (uint32_t i = 0; turns && i < KEYS; i++) {
        double half = 0.4 * sin(0.05 * i + joint + clip);
        turns->times[i] = i == 0 ? 0 : (float)(i + 0.3 * sin(i * (joint + 0.9))) / 30.0f;
        turns->values[4 * i + joint % 3] = (float)sin(half);
        turns->values[4 * i + 3] = (float)cos(half);
    }
}

// A chain of joints that moves a tube, with a key for each thirtieth of a second, more or less.
static tenon_scene *build(void)
{
    tenon_scene *scene = tenon_scene_new(NULL, NULL);
    uint32_t joints[JOINTS], mesh = tenon_scene_add_mesh(scene, "tube");
    for (uint32_t i = 0; i < JOINTS; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "joint%u", i);
        joints[i] = tenon_scene_add_node(scene, name, i ? joints[i - 1] : TENON_NONE);
        scene->nodes[joints[i]].translation[1] = 0.5;
    }
    tenon_primitive *p = tenon_scene_add_primitive(scene, mesh, VERTICES, 3 * (VERTICES - 2),
                                                   TENON_WITH_NORMALS | TENON_WITH_SKIN);
    for (uint32_t i = 0; i < VERTICES; i++) {
        p->positions[3 * i] = (float)cos(i * 0.7);
        p->positions[3 * i + 1] = 0.5f * JOINTS * (float)i / VERTICES;
        p->positions[3 * i + 2] = p->normals[3 * i + 2] = (float)sin(i * 0.7);
        p->normals[3 * i] = (float)cos(i * 0.7);
        p->joints[4 * i] = (uint16_t)(i * JOINTS / VERTICES);
        p->weights[4 * i] = 1;
    }
    for (uint32_t i = 0; i < 3 * (VERTICES - 2); i++) p->indices[i] = i / 3 + i % 3;
    uint32_t skin = tenon_scene_add_skin(scene, "tube", joints, JOINTS, NULL);
    uint32_t node = tenon_scene_add_node(scene, "tube", TENON_NONE);
    scene->nodes[node].mesh = mesh;
    scene->nodes[node].skin = skin;
    for (uint32_t clip = 0; clip < CLIPS; clip++) {
        char name[16];
        (void)snprintf(name, sizeof name, "clip%u", clip);
        uint32_t animation = tenon_scene_add_animation(scene, name);
        for (uint32_t i = 0; i < JOINTS; i++) add_keys(scene, animation, joints[i]);
    }
    tenon_error err;
    if (!tenon_scene_finish(scene, NULL, &err)) (void)printf("%s %s\n", err.path, err.message);
    return scene;
}

// -- Converting

static void count_loss(void *user, const tenon_loss *loss)
{
    (void)loss;
    ++*(uint32_t *)user;
}

static void check_conversion(tenon_memory *memory, const char *to, bool verify)
{
    char path[32];
    uint32_t losses = 0;
    tenon_error err;
    (void)snprintf(path, sizeof path, "out.%s", to);
    const tenon_files *files = tenon_memory_files(memory);
    const tenon_convert_opts opts = {.reading.files = files,
                                     .importing.files = files,
                                     .events = {.user = &losses, .on_loss = count_loss},
                                     .writing.force = true,
                                     .verify = verify,
                                     .accept_losses = true};
    samples = exports = comparisons = 0;
    bool ok = tenon_convert_file("tube.glb", path, &opts, NULL, &err);
    if (!ok) (void)printf("%s: %s\n", to, err.message);
    double keys = 2.0 * JOINTS * KEYS * CLIPS;
    (void)printf("# %-5s %s %5.1f samples for each key, %d exports, %d comparisons\n", to,
                 verify ? "verified" : "plain   ", (double)samples / keys, (int)exports,
                 (int)comparisons);
    CHECK(ok && losses > 0);
    CHECK(exports == 1);
    CHECK(comparisons <= 1 && (!verify || comparisons == 1));
    CHECK((double)samples <= SAMPLES_MOST * keys);
}

TEST(conversions_sample_little_export_once_and_compare_once)
{
    static const char *const targets[] = {"gpb", "cea", "bplx", "bbmod", "bmw"};
    tenon_scene *scene = build();
    const tenon_export_opts to = {.format = "glb", .name = "tube"};
    tenon_memory *memory = tenon_export_memory(scene, &to, NULL);
    CHECK(memory != NULL);
    for (uint32_t i = 0; memory && i < sizeof targets / sizeof targets[0]; i++) {
        check_conversion(memory, targets[i], false);
        check_conversion(memory, targets[i], true);
    }
    tenon_memory_free(memory);
    tenon_scene_free(scene);
}

int main(void)
{
    RUN(conversions_sample_little_export_once_and_compare_once);
    TEST_END();
}
