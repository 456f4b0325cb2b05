// test_budget.c: the cost of a job is counted, and its limit is respected.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include <tenon/files.h>
#include <tenon/scene.h>

#include "../callbacks.h"
#include "../edits.h"
#include "../scratch.h"
#include "../test.h"

#include <stdlib.h>

static const char *const models[] = {"samples/crane.bbmod", "samples/crane.gpb",
                                     "samples/crane.bmw",   "samples/crane.cem",
                                     "samples/crane.bplx",  "samples/crane.glb"};
static const char *const formats[] = {"bbmod", "gpb", "bmw", "modeldata", "bplx", "gltf", "obj"};

enum { MODELS = sizeof models / sizeof models[0], FORMATS = sizeof formats / sizeof formats[0] };

// -- A job that uses everything

typedef struct job {
    tenon_allocator allocator;
    tenon_error err;
    const char *format;  // To write.
    uint64_t digest;     // Of the output.
    uint64_t written;    // Bytes.
} job;

static bool take_bytes(void *user, const void *bytes, size_t size)
{
    job *j = user;
    mix(&j->digest, bytes, size);
    j->written += size;
    return true;
}

static bool use_document(job *j, tenon_doc *doc, const char *path)
{
    tenon_info info;
    tenon_check_opts check = {.allocator = j->allocator, .model_path = path};
    tenon_change_opts refresh = {.refresh = true};
    bool can_change = doc->format->caps & TENON_CAN_CHANGE;
    const tenon_info_opts wants = {.full = true, .model_path = path};
    if (!tenon_check(doc, &check, ignore_finding, NULL, NULL, &j->err) ||
        !tenon_doc_info(doc, &wants, &info, &j->err))
        return false;
    tenon_info_free(&info);
    return tenon_tree(doc, ignore_node, NULL, &j->err) &&
           tenon_write(doc, take_bytes, j, &j->err) != TENON_ABSENT &&
           tenon_dump(doc, take_bytes, j, &j->err) &&
           (!can_change || tenon_change(doc, &refresh, &j->err));
}

static bool use_scene(job *j, tenon_scene *scene, const char *path)
{
    const tenon_sink sink = {ignore_begin, take_bytes, ignore_end, j};
    edits reshape = {.meshes.normals = TENON_MAKE_SMOOTH};
    tenon_export_opts export = {.allocator = j->allocator,
                                .format = j->format,
                                .model_path = path,
                                .copy_textures = true,
                                .events.on_loss = ignore_loss};
    tenon_verify_opts verify = {.allocator = j->allocator};
    tenon_diff_opts diff = {.allocator = j->allocator};
    double min[3], max[3];
    tenon_pose *pose = tenon_pose_new(scene, &j->allocator, &j->err);
    if (!pose) return false;
    for (uint32_t i = 0; i < scene->animation_count; i++)
        (void)tenon_pose_clip_bounds(pose, i, min, max);
    tenon_pose_free(pose);
    return edit_scene(scene, &reshape, &j->err) && tenon_export(scene, &export, &sink, &j->err) &&
           tenon_export_verify(scene, &export, &verify, NULL, &j->err) &&
           tenon_diff(scene, scene, &diff, ignore_difference, NULL, NULL, &j->err);
}

// Read, inspect, change, convert and compare a model.
static bool run(job *j, const char *path)
{
    tenon_read_opts read = {.allocator = j->allocator};
    tenon_scene_opts opts = {.allocator = j->allocator, .events.on_loss = ignore_loss};
    tenon_bytes bytes;
    j->digest = DIGEST_START;
    if (!tenon_load(path, &read, &bytes, &j->err)) return false;
    bool ok = tenon_map(bytes.data, bytes.size, &read, ignore_part, NULL, &j->err);
    tenon_unload(&bytes);
    tenon_doc *doc = ok ? tenon_read_file(path, &read, &j->err) : NULL;
    ok = doc && use_document(j, doc, path);
    tenon_doc_free(doc);
    tenon_scene *scene = ok ? tenon_import_file(path, &read, &opts, &j->err) : NULL;
    ok = scene && use_scene(j, scene, path);
    tenon_scene_free(scene);
    return ok;
}

static tenon_budget measure(const char *path, const char *format, job *j)
{
    tenon_budget budget = {0};
    *j = (job){.allocator.budget = &budget, .format = format};
    CHECK(run(j, path));
    CHECK_STR(j->err.message, "");
    return budget;
}

// -- Counting

TEST(the_default_limits_follow_the_input)
{
    tenon_budget small = tenon_budget_for(0), some = tenon_budget_for(1000),
                 huge = tenon_budget_for(UINT64_MAX);
    CHECK(small.memory.limit == 64 << 20 && small.output.limit == 64 << 20);
    CHECK(small.work.limit == 1 << 28);
    CHECK(some.memory.limit == small.memory.limit + 64000);
    CHECK(some.output.limit == small.output.limit + 256000);
    CHECK(some.work.limit == small.work.limit + 4096000);
    CHECK(huge.memory.limit == UINT64_MAX && huge.output.limit == UINT64_MAX);
    CHECK(huge.work.limit == UINT64_MAX && huge.work.used == 0);
}

TEST(everything_is_counted_and_memory_is_given_back)
{
    for (uint32_t i = 0; i < MODELS; i++)
        for (uint32_t k = 0; k < FORMATS; k++) {
            job counted, plain = {.format = formats[k]};
            tenon_budget budget = measure(models[i], formats[k], &counted);
            CHECK(budget.memory.used == 0 && budget.memory.most > 10000);
            CHECK(budget.output.used == counted.written && counted.written > 1000);
            CHECK(budget.work.used > 10000 && budget.work.most == budget.work.used);
            CHECK(!budget.memory.refused && !budget.output.refused && !budget.work.refused);
            CHECK(run(&plain, models[i]) && plain.digest == counted.digest);
        }
}

TEST(the_same_job_costs_the_same)
{
    job first, second;
    tenon_budget a = measure(models[0], "bmw", &first), b = measure(models[0], "bmw", &second);
    CHECK(memcmp(&a, &b, sizeof a) == 0);
}

TEST(a_caller_can_count_its_own_cost)
{
    tenon_budget budget = {.memory.limit = 100, .work.limit = 10};
    CHECK(tenon_budget_take(&budget, 60) && tenon_budget_take(&budget, 40));
    tenon_budget_give_back(&budget, 40);
    CHECK(budget.memory.used == 60 && budget.memory.most == 100);
    CHECK(tenon_budget_work(&budget, 10) && budget.work.used == 10);
    CHECK(!tenon_budget_take(&budget, 41) && budget.memory.refused == 101);
    CHECK(!tenon_budget_work(&budget, 0) && !tenon_budget_take(&budget, 1));
    tenon_budget_give_back(&budget, 60);
    CHECK(budget.memory.used == 0 && budget.memory.most == 100);
    tenon_budget full = {.memory.used = 10};
    CHECK(tenon_budget_take(&full, UINT64_MAX) && full.memory.used == UINT64_MAX);
    CHECK(tenon_budget_take(NULL, 1) && tenon_budget_work(NULL, 1));
    tenon_budget_give_back(NULL, 1);
}

// -- Limits

static tenon_cost *cost_of(tenon_budget *budget, uint32_t which)
{
    return which == 0 ? &budget->memory : which == 1 ? &budget->output : &budget->work;
}

static void check_refusal(const char *path, const char *format, uint32_t which, uint64_t limit)
{
    static const char *const verbs[] = {"needs", "writes", "takes"};
    static const char *const units[] = {"bytes of memory", "bytes", "steps"};
    char message[128];
    tenon_budget budget = {0};
    tenon_cost *cost = cost_of(&budget, which);
    job j = {.allocator.budget = &budget, .format = format};
    cost->limit = limit;
    CHECK(!run(&j, path) && j.err.code == TENON_ERR_LIMIT);
    snprintf(message, sizeof message, "this %s at least %llu %s, and %llu are allowed",
             verbs[which], (unsigned long long)cost->refused, units[which],
             (unsigned long long)limit);
    CHECK_STR(j.err.message, message);
    CHECK(cost->refused > limit && cost->most <= limit && budget.memory.used == 0);
    uint64_t used = budget.work.used;
    tenon_read_opts read = {.allocator = j.allocator};
    CHECK(!tenon_read_file(path, &read, &j.err) && j.err.code == TENON_ERR_LIMIT);
    CHECK(budget.work.used == used && budget.memory.used == 0);
}

// One less than needed, and less and less, so that each function is refused once.
TEST(less_than_needed_is_refused_with_both_numbers)
{
    for (uint32_t i = 0; i < MODELS; i++)
        for (uint32_t which = 0; which < 3; which++) {
            job j;
            const char *format = formats[(i + which) % FORMATS];
            tenon_budget needed = measure(models[i], format, &j);
            uint64_t most = cost_of(&needed, which)->most;
            for (uint64_t limit = most - 1; limit > 0; limit = limit * 7 / 10)
                check_refusal(models[i], format, which, limit);
            tenon_budget enough = {0};
            j = (job){.allocator.budget = &enough, .format = format};
            cost_of(&enough, which)->limit = most;
            CHECK(run(&j, models[i]));
        }
}

TEST(files_are_not_written_in_part)
{
    static const char path[] = "samples/crane.glb";
    tenon_budget budget = {.output.limit = 1000};
    const tenon_allocator allocator = {.budget = &budget};
    tenon_scene_opts opts = {.allocator = allocator};
    tenon_export_opts export = {.allocator = allocator};
    tenon_error err;
    tenon_scene *scene = tenon_import_file(path, NULL, &opts, &err);
    CHECK(!tenon_export_file(scene, scratch("crane.obj"), &export, NULL, &err));
    CHECK(err.code == TENON_ERR_LIMIT && scratch_count("crane") == 0);
    tenon_scene_free(scene);
    CHECK(budget.memory.used == 0);
}

// A pose over its budget stays as it is, and its result stays empty.
TEST(posing_stops)
{
    tenon_budget budget = {0};
    const tenon_allocator allocator = {.budget = &budget};
    tenon_scene *scene = tenon_import_file("samples/crane.glb", NULL, NULL, NULL);
    tenon_pose *pose = tenon_pose_new(scene, &allocator, NULL);
    double min[3], max[3], before[16];
    CHECK(tenon_pose_bounds(pose, min, max));
    memcpy(before, tenon_pose_global(pose, 1), sizeof before);
    budget.work.limit = budget.work.used;
    tenon_pose_set(pose, 0, 0.5);
    CHECK(memcmp(before, tenon_pose_global(pose, 1), sizeof before) == 0);
    CHECK(!tenon_pose_bounds(pose, min, max) && budget.work.refused);
    tenon_pose_free(pose);
    tenon_scene_free(scene);
}

int main(void)
{
    scratch_begin();
    RUN(the_default_limits_follow_the_input);
    RUN(everything_is_counted_and_memory_is_given_back);
    RUN(a_caller_can_count_its_own_cost);
    RUN(the_same_job_costs_the_same);
    RUN(less_than_needed_is_refused_with_both_numbers);
    RUN(files_are_not_written_in_part);
    RUN(posing_stops);
    scratch_end();
    TEST_END();
}
