// robust_threads.c: threads do not interfere: each with separate documents and scenes, or all
// reading the same ones, gives the results of one alone.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include "robust.h"

#include "callbacks.h"

#define THREADS 4
#define ROUNDS  2

// -- Documents

static void look_at_document(const tenon_doc *doc, uint64_t *digest)
{
    tenon_error err;
    tenon_write(doc, mix_bytes, digest, &err);
    tenon_dump(doc, mix_bytes, digest, &err);
    tenon_check(doc, NULL, mix_finding, digest, NULL, &err);
}

// -- Scenes

static void export_all(const tenon_scene *scene, uint64_t *digest)
{
    const tenon_format *format;
    for (uint32_t i = 0; (format = tenon_format_at(i)); i++) {
        if (!(format->caps & TENON_FROM_SCENE)) continue;
        tenon_error err = {0};
        tenon_sink sink = {mix_name, mix_bytes, mix_end, digest};
        tenon_export_opts opts = {
            .format = format->name, .name = "x", .events = {.user = digest, .on_loss = mix_loss}};
        bool ok = tenon_export(scene, &opts, &sink, &err);
        mix(digest, ok ? "yes" : err.message, ok ? 3 : strlen(err.message));
    }
}

static void look_at_scene(const tenon_scene *scene, uint64_t *digest)
{
    tenon_error err;
    tenon_verify_result result = {0};
    uint64_t count = 0;
    double box[6] = {0};
    export_all(scene, digest);
    if (tenon_verify(scene, scene, NULL, &result, &err))
        mix(digest, &result.diagonal, sizeof result.diagonal);
    if (tenon_diff(scene, scene, NULL, NULL, NULL, &count, &err)) mix(digest, &count, sizeof count);
    tenon_pose *pose = tenon_pose_new(scene, NULL, &err);
    if (!pose) return;
    if (scene->animation_count) tenon_pose_set(pose, 0, scene->animations[0].duration / 2);
    if (tenon_pose_bounds(pose, box, box + 3)) mix(digest, box, sizeof box);
    tenon_pose_free(pose);
}

// -- Threads with separate documents

static uint64_t digest_of(const robust_file *file)
{
    uint64_t digest = DIGEST_START;
    tenon_error err;
    tenon_info info;
    tenon_doc *doc = tenon_read(file->data, file->size, NULL, &err);
    if (!doc) return 0;
    tenon_map(file->data, file->size, NULL, mix_part, &digest, &err);
    look_at_document(doc, &digest);
    if (tenon_doc_info(doc, &(tenon_info_opts){.full = true}, &info, &err)) {
        mix(&digest, &info.vertices, sizeof info.vertices);
        tenon_info_free(&info);
    }
    tenon_scene *scene = tenon_to_scene(doc, NULL, &err);
    if (scene) look_at_scene(scene, &digest);
    tenon_scene_free(scene);
    tenon_doc_free(doc);
    return digest;
}

static uint64_t expected[ROBUST_FILES_MOST];

// Counts the files whose results differ from those alone.
static void *digest_all(void *user)
{
    uint32_t *wrong = user;
    for (uint32_t i = 0; i < ROUNDS * robust_file_count; i++) {
        uint32_t at = i % robust_file_count;
        *wrong += digest_of(&robust_files[at]) != expected[at];
    }
    return NULL;
}

TEST(threads_do_not_interfere)
{
    pthread_t threads[THREADS];
    uint32_t wrong[THREADS] = {0};
    for (uint32_t i = 0; i < robust_file_count; i++) {
        expected[i] = digest_of(&robust_files[i]);
        CHECK(expected[i] != 0);
    }
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, digest_all, &wrong[i]) != 0) exit(1);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(wrong[i] == 0);
    }
}

// -- Threads that look at the same ones

typedef struct shared_look {
    const tenon_doc *doc;
    const tenon_scene *scene;
    uint64_t digest;
} shared_look;

static void *look_together(void *user)
{
    shared_look *look = user;
    look->digest = 1;
    look_at_document(look->doc, &look->digest);
    if (look->scene) look_at_scene(look->scene, &look->digest);
    return NULL;
}

static void share(const robust_file *file)
{
    pthread_t threads[THREADS];
    shared_look looks[THREADS], alone;
    tenon_doc *doc = tenon_read(file->data, file->size, NULL, NULL);
    CHECK(doc != NULL);
    tenon_scene *scene = doc ? tenon_to_scene(doc, NULL, NULL) : NULL;
    alone = (shared_look){.doc = doc, .scene = scene};
    if (doc) look_together(&alone);
    for (int i = 0; doc && i < THREADS; i++) {
        looks[i] = alone;
        if (pthread_create(&threads[i], NULL, look_together, &looks[i]) != 0) exit(1);
    }
    for (int i = 0; doc && i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(looks[i].digest == alone.digest);
    }
    tenon_scene_free(scene);
    tenon_doc_free(doc);
}

TEST(threads_may_read_the_same)
{
    for (uint32_t i = 0; i < robust_file_count; i++) share(&robust_files[i]);
}

static void run_all(void)
{
    RUN(threads_do_not_interfere);
    RUN(threads_may_read_the_same);
}

int main(int argc, char **argv)
{
    return robust_main(argc, argv, run_all);
}
