// limits_prompt.c: operations on large models call the progress function often enough that a user
// who cancels waits less than 100 ms.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include "../edits.h"
#include "../robust.h"

#include <tenon/bplx.h>
#include <tenon/scene.h>

#include "../callbacks.h"
#include "../scratch.h"
#include "work.h"

// Branches between two calls, for each triangle: counted, so that it does not matter how busy the
// machine is. A million triangles take 78 million when two models are compared, which is 40 ms on a
// server's core of 2021.
#define PROMPT 125

// -- Work between two calls

typedef struct pace {
    uint64_t last, longest;  // Branches, as work.h counts them.
    uint64_t steps;
} pace;

static void lap(pace *p)
{
    if (work_done - p->last > p->longest) p->longest = work_done - p->last;
    p->last = work_done;
}

static bool step(void *user, uint64_t done, uint64_t total)
{
    pace *p = user;
    (void)done;
    (void)total;
    p->steps++;
    lap(p);
    return true;
}

// -- A large model: a bumpy square

static uint32_t side;  // Vertices along it.

static void put_f32(uint8_t *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 4; i++) out[i] = (uint8_t)(bits >> 8 * i);
}

static void put_u32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++) out[i] = (uint8_t)(value >> 8 * i);
}

static void set_span(tenon_doc *doc, tenon_span *span, uint64_t count)
{
    span->count = count;
    span->size = count * span->layout->stride;
    span->data = tenon_doc_alloc(doc, (size_t)span->size);
    if (!span->data) exit(1);
}

static void fill_vertices(tenon_bplx *model)
{
    uint32_t n = side;
    for (uint32_t i = 0; i < n * n; i++) {
        float x = (float)(i % n) / (float)n, y = (float)(i / n) / (float)n;
        uint8_t *position = (uint8_t *)model->positions.data + (size_t)i * 12;
        uint8_t *uv = (uint8_t *)model->uvs.data + (size_t)i * 8;
        put_f32(position, x);
        put_f32(position + 4, (float)(i * 2654435761u >> 24) / 2560);
        put_f32(position + 8, y);
        put_f32((uint8_t *)model->normals.data + (size_t)i * 12 + 4, 1);
        put_f32(uv, x);
        put_f32(uv + 4, y);
    }
}

static void fill_faces(tenon_bplx *model)
{
    uint32_t n = side, stride = (uint32_t)model->faces.layout->stride;
    uint8_t *face = (uint8_t *)model->faces.data;
    for (uint32_t i = 0; i < 2 * (n - 1) * (n - 1); i++, face += stride) {
        uint32_t cell = i / 2, at = cell / (n - 1) * n + cell % (n - 1);
        uint32_t corners[2][3] = {{at, at + n, at + 1}, {at + 1, at + n, at + n + 1}};
        for (int k = 0; k < 3; k++) put_u32(face + 4 * k, corners[i % 2][k]);
    }
}

static robust_file make_large(void)
{
    robust_file large = {.path = "a large model", .format = tenon_format_by_name("bplx")};
    tenon_read_opts opts = {.max_memory = (uint64_t)1 << 30};
    growing_bytes bytes = {0};
    tenon_error err;
    tenon_doc *doc =
        tenon_read_file(TENON_SOURCE_DIR "/tests/fixtures/bplx/document_minimal.bplx", &opts, &err);
    tenon_bplx *model = doc ? tenon_as_bplx(doc) : NULL;
    if (!model) exit(1);
    uint64_t count = (uint64_t)side * side, cells = (uint64_t)(side - 1) * (side - 1);
    set_span(doc, &model->positions, count);
    set_span(doc, &model->normals, count);
    set_span(doc, &model->uvs, count);
    set_span(doc, &model->faces, 2 * cells);
    fill_vertices(model);
    fill_faces(model);
    CHECK(tenon_finalize(doc, &err));
    CHECK(tenon_write(doc, append_bytes, &bytes, &err) != TENON_ABSENT);
    tenon_doc_free(doc);
    large.data = bytes.data;
    large.size = bytes.size;
    return large;
}

// -- What takes long

static robust_file large;
static tenon_doc *doc;
static tenon_scene *scene;

static bool read_it(tenon_events events, tenon_error *err)
{
    tenon_read_opts opts = {.events = events};
    doc = tenon_read(large.data, large.size, &opts, err);
    return doc != NULL;
}

static bool map_it(tenon_events events, tenon_error *err)
{
    tenon_read_opts opts = {.events = events};
    return tenon_map(large.data, large.size, &opts, ignore_part, NULL, err);
}

static bool check_it(tenon_events events, tenon_error *err)
{
    tenon_check_opts opts = {.events = events};
    return tenon_check(doc, &opts, NULL, NULL, NULL, err);
}

static bool write_it(tenon_events events, tenon_error *err)
{
    tenon_write_opts opts = {.events = events, .force = true};
    return tenon_write_file(doc, scratch("large"), &opts, err);
}

static bool understand_it(tenon_events events, tenon_error *err)
{
    tenon_scene_opts opts = {.events = events};
    scene = tenon_to_scene(doc, &opts, err);
    return scene != NULL;
}

static bool verify_it(tenon_events events, tenon_error *err)
{
    tenon_verify_opts opts = {.events = events};
    tenon_verify_result result;
    return tenon_verify(scene, scene, &opts, &result, err);
}

static bool diff_it(tenon_events events, tenon_error *err)
{
    tenon_diff_opts opts = {.events = events};
    uint64_t count;
    return tenon_diff(scene, scene, &opts, NULL, NULL, &count, err);
}

static bool reshape_it(tenon_events events, tenon_error *err)
{
    edits opts = {.events = events,
                  .meshes.normals = TENON_MAKE_SMOOTH,
                  .meshes.tangents = TENON_MAKE_SMOOTH,
                  .space.turns = 1,
                  .space.mirror = true};
    return edit_scene(scene, &opts, err);
}

static const char *export_format;

static bool export_it(tenon_events events, tenon_error *err)
{
    static const tenon_sink nowhere = {ignore_begin, ignore_bytes, ignore_end, NULL};
    tenon_export_opts opts = {.events = events, .format = export_format};
    return tenon_export(scene, &opts, &nowhere, err);
}

// -- The longest time without a call of the progress function

typedef bool work_fn(tenon_events events, tenon_error *err);

// Returns how often it called.
static uint64_t measure(const char *name, work_fn *run)
{
    tenon_error err = {.code = TENON_OK};
    pace p = {.last = work_done};
    bool ok = run((tenon_events){.user = &p, .on_progress = step}, &err);
    lap(&p);
    printf("# %-12s %6" PRIu64 " calls, at most %8" PRIu64 " branches between two\n", name, p.steps,
           p.longest);
    if (!ok) robust_broken(&large, err.message, "%s", name);
    if (p.longest > PROMPT * 2 * (uint64_t)side * side)
        robust_broken(&large, "it does not ask for too long", "%s", name);
    return p.steps;
}

static bool stop_at(void *user, uint64_t done, uint64_t total)
{
    uint64_t *left = user;
    (void)done;
    (void)total;
    return --*left != 0;
}

// A function that has cancelled is not called again.
static void cancel(const char *name, work_fn *run, uint64_t call)
{
    tenon_error err = {.code = TENON_OK};
    uint64_t left = call;
    bool ok = run((tenon_events){.user = &left, .on_progress = stop_at}, &err);
    bool is_cancelled = !ok && err.code == TENON_ERR_CANCELLED && left == 0;
    if (!is_cancelled)
        robust_broken(&large, "it is not cancelled", "%s, call %" PRIu64, name, call);
}

// Measure work that can be repeated, and cancel it at some of its calls.
static void try_out(const char *name, work_fn *run)
{
    uint64_t count = measure(name, run);
    for (uint64_t call = 1; call <= count; call += 1 + count / 12) cancel(name, run, call);
}

static void begin(uint32_t vertices_along)
{
    side = vertices_along;
    large = make_large();
    measure("reading", read_it);
    measure("a scene", understand_it);
}

static void end(void)
{
    tenon_scene_free(scene);
    tenon_doc_free(doc);
    free(large.data);
}

// A scene whose change was cancelled is unusable.
static void try_out_reshaping(void)
{
    uint64_t count = measure("editing", reshape_it);
    for (uint64_t call = 1; call <= count; call += 1 + count / 12) {
        tenon_scene_free(scene);
        scene = tenon_to_scene(doc, NULL, NULL);
        if (!scene) exit(1);
        cancel("editing", reshape_it, call);
    }
}

// A million triangles in one mesh, if there is time.
TEST(cancelling_takes_effect_soon)
{
    static const char *const formats[] = {"glb",  "gltf", "obj", "gpb",  "bmw",
                                          "bplx", "cem",  "cea", "bbmod"};
    scratch_begin();
    begin(robust_is_long ? 708 : 200);
    measure("mapping", map_it);
    try_out("checking", check_it);
    try_out("writing", write_it);
    try_out("verifying", verify_it);
    try_out("comparing", diff_it);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        export_format = formats[i];
        try_out(formats[i], export_it);
    }
    try_out_reshaping();
    end();
    scratch_end();
}

static void run_all(void)
{
    RUN(cancelling_takes_effect_soon);
}

int main(int argc, char **argv)
{
    return robust_main(argc, argv, run_all);
}
