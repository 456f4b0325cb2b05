// robust_salvage.c: files that are cut and damaged are read, recovered and imported while memory
// runs out: at every place, once and for ever.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include "robust.h"

#include <tenon/scene.h>

#include "robust_faults.h"

// -- What work is done on

static const tenon_read_opts torn = {.partial = true, .incomplete = true};

// The partial document of a file whose reading failed, with enough memory; NULL if there is none.
static tenon_doc *read_torn(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_read_opts opts = torn;
    opts.format = file->format->name;
    if (memory) opts.allocator = robust_allocator(memory);
    return tenon_read(file->data, file->size, &opts, err);
}

static void count_cut(void *user, const tenon_cut *cut)
{
    *(uint64_t *)user += cut->path != NULL;
}

static void count_loss(void *user, const tenon_loss *loss)
{
    *(uint64_t *)user += loss->count;
}

// -- Work

// A document that is not whole gives an error in any case; it must be that of the memory.
static bool tear_it(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    uint64_t cuts = 0;
    tenon_doc *doc = read_torn(file, memory, err);
    if (doc) tenon_cuts(doc, count_cut, &cuts);
    tenon_doc_free(doc);
    return err->code != TENON_ERR_MEMORY;
}

static bool mend_it(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    uint64_t losses = 0;
    robust_memory kept = robust_disarm(memory);
    tenon_doc *doc = read_torn(file, memory, err);
    memory->fail_at = 1;
    memory->for_ever = true;
    while (doc && tenon_doc_alloc(doc, 16)) {
    }
    robust_arm(memory, kept);
    tenon_change_opts opts = {.events = {.user = &losses, .on_loss = count_loss}};
    bool ok = !doc || tenon_recover(doc, &opts, err) || err->code != TENON_ERR_MEMORY;
    tenon_doc_free(doc);
    return ok;
}

static bool understand_it(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    uint64_t losses = 0;
    tenon_scene_opts opts = {.allocator = robust_allocator(memory),
                             .salvage = true,
                             .events = {.user = &losses, .on_loss = count_loss}};
    tenon_doc *doc = read_torn(file, NULL, err);
    tenon_scene *scene = doc ? tenon_to_scene(doc, &opts, err) : NULL;
    bool ok = !doc || (scene && tenon_scene_check(scene, err)) || err->code != TENON_ERR_MEMORY;
    tenon_scene_free(scene);
    tenon_doc_free(doc);
    return ok;
}

static const robust_task tasks[] = {
    {"reading a cut file", tear_it}, {"recovering", mend_it}, {"understanding", understand_it}};

// -- Damage

#define DAMAGED_PLACES 8  // Most of them in arrays, whose patches take memory.

static void starve_all(const robust_file *file)
{
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++) robust_starve(file, &tasks[i]);
}

// The file without its last part.
static void starve_cut(const robust_file *whole, size_t size)
{
    robust_file file = *whole;
    snprintf(file.path, sizeof file.path, "%.400s, cut to %zu bytes", whole->path, size);
    file.data = robust_copy(whole->data, size);
    file.size = size;
    starve_all(&file);
    free(file.data);
}

// The file with implausible bytes from `at` on.
static void starve_damaged(const robust_file *whole, size_t at)
{
    robust_file file = *whole;
    snprintf(file.path, sizeof file.path, "%.400s, damaged at %zu", whole->path, at);
    file.data = robust_copy(whole->data, whole->size);
    for (size_t i = at; i < file.size && i < at + 16; i++) file.data[i] = 0xff;
    starve_all(&file);
    free(file.data);
}

static void starve_parts(const robust_file *file)
{
    starve_cut(file, file->size / 2);
    starve_cut(file, file->size - file->size / 8 - 1);
    for (size_t i = 1; i < DAMAGED_PLACES; i++)
        starve_damaged(file, file->size / DAMAGED_PLACES * i);
}

TEST(memory_can_run_out_while_models_are_salvaged)
{
    robust_each(starve_parts);
}

static void run_all(void)
{
    RUN(memory_can_run_out_while_models_are_salvaged);
}

int main(int argc, char **argv)
{
    return robust_main(argc, argv, run_all);
}
