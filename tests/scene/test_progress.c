// test_progress.c: checking, importing and exporting report their progress, and can be cancelled.
// SPDX-License-Identifier: MIT

#include "../formats/model_help.h"

#include <tenon/scene.h>

// Stops at a call, from 1 on; 0: never.
typedef struct counter {
    uint32_t calls, stop_at;
    bool is_odd;     // More was done than the total.
    bool goes_back;  // Less was done than before.
    uint64_t first, done;
} counter;

static bool count_step(void *user, uint64_t done, uint64_t total)
{
    counter *c = user;
    c->is_odd = c->is_odd || done > total;
    c->goes_back = c->goes_back || done < c->done;
    if (c->calls == 0) c->first = done;
    c->done = done;
    return ++c->calls != c->stop_at;
}

static const char *const samples[] = {
    "samples/crane.glb", "samples/crane.gpb",  "samples/crane.bmw",  "samples/crane.cea",
    "samples/crane.cem", "samples/crane.bplx", "samples/crane.bbmod"};
enum { SAMPLE_COUNT = sizeof samples / sizeof samples[0] };

static tenon_scene *make(const tenon_doc *doc, const char *path, counter *c, tenon_error *err)
{
    tenon_scene_opts opts = {.events = {.user = c, .on_progress = count_step}, .model_path = path};
    return tenon_to_scene(doc, &opts, err);
}

TEST(importing_reports_progress)
{
    for (int i = 0; i < SAMPLE_COUNT; i++) {
        tenon_error err;
        counter all = {0};
        tenon_doc *doc = tenon_read_file(samples[i], NULL, &err);
        tenon_scene *scene = make(doc, samples[i], &all, &err);
        CHECK(scene && !all.is_odd && !all.goes_back);
        if (scene) CHECK(all.calls >= scene->mesh_count + scene->animation_count);
        tenon_scene_free(scene);
        for (uint32_t stop = 1; stop <= all.calls; stop++) {
            counter c = {.stop_at = stop};
            CHECK(!make(doc, samples[i], &c, &err));
            CHECK(err.code == TENON_ERR_CANCELLED && c.calls == stop);
        }
        tenon_doc_free(doc);
    }
}

TEST(checking_reports_progress)
{
    for (int i = 0; i < SAMPLE_COUNT; i++) {
        tenon_error err;
        counter all = {0};
        tenon_doc *doc = tenon_read_file(samples[i], NULL, &err);
        tenon_check_opts opts = {.events = {.user = &all, .on_progress = count_step},
                                 .model_path = samples[i]};
        CHECK(tenon_check(doc, &opts, NULL, NULL, NULL, &err));
        CHECK(all.calls > 1 && all.first == 0 && !all.is_odd && !all.goes_back);
        for (uint32_t stop = 1; stop <= all.calls; stop++) {
            counter c = {.stop_at = stop};
            opts.events.user = &c;
            CHECK(!tenon_check(doc, &opts, NULL, NULL, NULL, &err));
            CHECK(err.code == TENON_ERR_CANCELLED && c.calls == stop);
        }
        tenon_doc_free(doc);
    }
}

static bool take_begin(void *user, const char *name)
{
    (void)user, (void)name;
    return true;
}

static bool take_bytes(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return true;
}

static bool take_end(void *user)
{
    (void)user;
    return true;
}

static bool write(const tenon_scene *scene, const char *format, counter *c, tenon_error *err)
{
    tenon_sink sink = {take_begin, take_bytes, take_end, NULL};
    tenon_export_opts opts = {.events = {.user = c, .on_progress = count_step}, .format = format};
    return tenon_export(scene, &opts, &sink, err);
}

TEST(exporting_reports_progress)
{
    static const char *const formats[] = {"bbmod", "gpb",  "bmw", "cea",
                                          "cem",   "bplx", "glb", "obj"};
    tenon_error err;
    counter ignored = {0};
    tenon_doc *doc = tenon_read_file("samples/crane.glb", NULL, &err);
    tenon_scene *scene = make(doc, "samples/crane.glb", &ignored, &err);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        counter all = {0};
        CHECK(write(scene, formats[i], &all, &err));
        CHECK(all.calls >= scene->animation_count && !all.is_odd);
        for (uint32_t stop = 1; stop <= all.calls; stop += 1 + all.calls / 8) {
            counter c = {.stop_at = stop};
            CHECK(!write(scene, formats[i], &c, &err));
            CHECK(err.code == TENON_ERR_CANCELLED && c.calls == stop);
        }
    }
    tenon_scene_free(scene);
    tenon_doc_free(doc);
}

int main(void)
{
    RUN(importing_reports_progress);
    RUN(checking_reports_progress);
    RUN(exporting_reports_progress);
    TEST_END();
}
