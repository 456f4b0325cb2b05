// test_executor.c: comparing poses with an executor gives the same results and texts as without.
// SPDX-License-Identifier: MIT

#include <tenon/convert.h>

#include "../test.h"

#include <string.h>

#define SAMPLES 600  // Poses of each clip: enough that workers are worth it.

// -- Executors

typedef struct ran {
    uint32_t calls, widest;
} ran;

// The last call first, so that an order that somebody relies on shows.
static void run_backwards(void *user, uint32_t count, void (*task)(void *data, uint32_t i),
                          void *data)
{
    ran *r = user;
    r->calls++;
    if (count > r->widest) r->widest = count;
    for (uint32_t i = count; i-- > 0;) task(data, i);
}

// -- Comparing

static tenon_scene *load(const char *path)
{
    tenon_error err;
    tenon_scene *scene = tenon_import_file(path, NULL, NULL, &err);
    if (!scene) (void)printf("%s: %s\n", path, err.message);
    CHECK(scene != NULL);
    return scene;
}

static tenon_scene *through(const tenon_scene *scene, const char *format)
{
    char path[32];
    const tenon_export_opts opts = {.format = format, .tolerance = 1e-3};
    tenon_memory *memory = tenon_export_memory(scene, &opts, NULL);
    (void)snprintf(path, sizeof path, "model.%s", format);
    const tenon_read_opts read = {.files = tenon_memory_files(memory), .copy = true};
    tenon_scene *back = tenon_import_file(path, &read, NULL, NULL);
    tenon_memory_free(memory);
    CHECK(back != NULL);
    return back;
}

typedef struct answer {
    bool ok;
    tenon_verify_result result;
    tenon_error err;
    uint64_t work;
} answer;

static answer compare(const tenon_scene *a, const tenon_scene *b, bool largest_only,
                      uint64_t work_limit, const tenon_executor *executor)
{
    answer found = {0};
    tenon_budget budget = {.work.limit = work_limit};
    const tenon_verify_opts opts = {.allocator.budget = &budget,
                                    .samples = SAMPLES,
                                    .largest_only = largest_only,
                                    .executor = executor};
    found.ok = tenon_verify(a, b, &opts, &found.result, &found.err);
    found.work = budget.work.used;
    return found;
}

static bool is_same(const answer *a, const answer *b)
{
    return a->ok == b->ok && a->work == b->work && a->err.code == b->err.code &&
           strcmp(a->err.message, b->err.message) == 0 &&
           (!a->ok || memcmp(&a->result, &b->result, sizeof a->result) == 0);
}

static void check_widths(const tenon_scene *a, const tenon_scene *b, bool largest_only)
{
    answer alone = compare(a, b, largest_only, 0, NULL);
    answer refused = compare(a, b, largest_only, alone.work * 2 / 3, NULL);
    CHECK(alone.ok && !refused.ok && refused.err.code == TENON_ERR_LIMIT);
    for (uint32_t width = 0; width <= 40; width = width ? 3 * width + 1 : 1) {
        ran r = {0};
        const tenon_executor executor = {.user = &r, .run = run_backwards, .width = width};
        answer found = compare(a, b, largest_only, 0, &executor);
        CHECK(is_same(&found, &alone));
        CHECK(width < 2 ? r.calls == 0 : r.calls > 0 && r.widest <= width && r.widest <= 32);
        found = compare(a, b, largest_only, alone.work * 2 / 3, &executor);
        CHECK(is_same(&found, &refused));
    }
}

TEST(poses_are_compared_alike_by_any_number_of_workers)
{
    tenon_scene *crane = load("samples/crane.glb");
    static const char *const formats[] = {"bbmod", "gpb"};
    for (uint32_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        tenon_scene *back = through(crane, formats[i]);
        check_widths(crane, back, false);
        check_widths(crane, back, true);
        tenon_scene_free(back);
    }
    tenon_scene_free(crane);
}

TEST(an_executor_without_a_function_is_not_used)
{
    tenon_scene *crane = load("samples/crane.glb");
    const tenon_executor executor = {.width = 4};
    CHECK(compare(crane, crane, true, 0, &executor).result.verdict == TENON_VERIFIED);
    tenon_scene_free(crane);
}

// A model with few poses is not worth a thread.
TEST(few_poses_are_compared_alone)
{
    tenon_scene *crane = load("samples/crane.glb");
    ran r = {0};
    const tenon_executor executor = {.user = &r, .run = run_backwards, .width = 4};
    const tenon_verify_opts opts = {.executor = &executor, .largest_only = true};
    CHECK(tenon_verify(crane, crane, &opts, NULL, NULL));
    CHECK(r.calls == 0);
    tenon_scene_free(crane);
}

TEST(conversions_pass_their_executor_on)
{
    ran r = {0};
    tenon_error err;
    tenon_memory *memory = tenon_memory_new(NULL, &err);
    const tenon_executor executor = {.user = &r, .run = run_backwards, .width = 3};
    const tenon_convert_opts opts = {.writing.files = tenon_memory_files(memory),
                                     .verify = true,
                                     .verifying.samples = SAMPLES,
                                     .accept_losses = true,
                                     .executor = &executor};
    CHECK(tenon_convert_file("samples/crane.glb", "crane.gpb", &opts, NULL, &err));
    CHECK(r.calls > 0 && r.widest == 3);
    tenon_memory_free(memory);
}

int main(void)
{
    RUN(poses_are_compared_alike_by_any_number_of_workers);
    RUN(an_executor_without_a_function_is_not_used);
    RUN(few_poses_are_compared_alone);
    RUN(conversions_pass_their_executor_on);
    TEST_END();
}
