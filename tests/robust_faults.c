// robust_faults.c: memory runs out, files fail, users cancel: at every place, once and for ever.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include "robust.h"

#include <tenon/bplx.h>

#include "callbacks.h"
#include "faulty_files.h"
#include "robust_faults.h"
#include "scratch.h"

// -- Memory

static bool read_it(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_read_opts opts = {.allocator = robust_allocator(memory)};
    tenon_doc *doc = tenon_read(file->data, file->size, &opts, err);
    tenon_doc_free(doc);
    return doc != NULL;
}

static bool read_a_copy(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_read_opts opts = {.allocator = robust_allocator(memory), .copy = true};
    tenon_doc *doc = tenon_read(file->data, file->size, &opts, err);
    tenon_doc_free(doc);
    return doc != NULL;
}

static bool read_partially(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_read_opts opts = {.allocator = robust_allocator(memory), .partial = true};
    tenon_doc *doc = tenon_read(file->data, file->size - 1, &opts, err);
    tenon_doc_free(doc);
    return err->code != TENON_ERR_MEMORY;
}

static bool read_its_file(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_read_opts opts = {.allocator = robust_allocator(memory)};
    tenon_doc *doc = tenon_read_file(file->path, &opts, err);
    tenon_doc_free(doc);
    return doc != NULL;
}

static bool map_it(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_read_opts opts = {.allocator = robust_allocator(memory)};
    return tenon_map(file->data, file->size, &opts, ignore_part, NULL, err);
}

// A document whose arena is full, so that the next object needs an allocation. Memory does not
// run out before that.
static tenon_doc *read_to_the_brim(const robust_file *file, robust_memory *memory)
{
    robust_memory kept = robust_disarm(memory);
    tenon_read_opts opts = {.allocator = robust_allocator(memory)};
    tenon_doc *doc = tenon_read(file->data, file->size, &opts, NULL);
    memory->fail_at = 1;
    memory->for_ever = true;
    while (tenon_doc_alloc(doc, 16)) {
    }
    robust_arm(memory, kept);
    return doc;
}

static bool check_it(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_check_opts opts = {.allocator = robust_allocator(memory)};
    tenon_doc *doc = tenon_read(file->data, file->size, NULL, NULL);
    bool ok = tenon_check(doc, &opts, NULL, NULL, NULL, err);
    tenon_doc_free(doc);
    return ok;
}

static bool look_into_it(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_doc *doc = read_to_the_brim(file, memory);
    tenon_info info;
    bool ok = tenon_doc_info(doc, &(tenon_info_opts){.full = true}, &info, err);
    if (ok) tenon_info_free(&info);
    ok = ok && tenon_tree(doc, ignore_node, NULL, err);
    if (ok && !tenon_sidecars(doc, file->path, ignore_name, NULL))
        ok = false, *err = (tenon_error){.code = TENON_ERR_MEMORY, .message = "sides"};
    tenon_doc_free(doc);
    return ok;
}

static bool dump_it(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_doc *doc = tenon_read(file->data, file->size, NULL, err);
    growing_bytes json = {0}, built = {0};
    tenon_read_opts opts = {.allocator = robust_allocator(memory)};
    bool ok = tenon_dump(doc, append_bytes, &json, err) &&
              tenon_build((const char *)json.data, json.size, &opts, append_bytes, &built, err);
    tenon_doc_free(doc);
    free(json.data);
    free(built.data);
    return ok;
}

// Through all dialects; what the format cannot do is not a failure of memory.
static bool change_it(const robust_file *file, robust_memory *memory, tenon_error *err)
{
    tenon_doc *doc = read_to_the_brim(file, memory);
    bool ok = true;
    for (uint32_t i = 0; ok && i < file->format->dialect_count; i++) {
        tenon_change_opts opts = {.dialect = file->format->dialects[i].name, .refresh = true};
        ok = tenon_change(doc, &opts, err) || err->code == TENON_ERR_UNSUPPORTED;
        if (ok && err->code == TENON_OK) ok = tenon_write(doc, NULL, NULL, err) != TENON_ABSENT;
    }
    tenon_doc_free(doc);
    return ok;
}

static const robust_task tasks[] = {{"reading", read_it},
                                    {"reading a copy", read_a_copy},
                                    {"reading a part", read_partially},
                                    {"reading the file", read_its_file},
                                    {"mapping", map_it},
                                    {"checking", check_it},
                                    {"looking into it", look_into_it},
                                    {"dumping and building", dump_it},
                                    {"changing", change_it}};

static void starve_everywhere(const robust_file *file)
{
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++) robust_starve(file, &tasks[i]);
}

TEST(memory_can_run_out_anywhere)
{
    robust_each(starve_everywhere);
}

// -- Files

// A fault that reading survives, such as a failed mapping, is ignored.
static const char *read_faulty(const robust_file *file, faulty_files *faulty, bool map)
{
    robust_memory memory = {0};
    tenon_error err;
    tenon_read_opts opts = {
        .allocator = robust_allocator(&memory), .map = map, .files = &faulty->files};
    tenon_doc *doc = tenon_read_file(file->path, &opts, &err);
    const char *fault = NULL;
    if (doc)
        fault = fault_in_writing(doc, file->data, file->size);
    else if (err.code != TENON_ERR_IO || err.system != EIO || !err.message[0])
        fault = "the error is not that of the file";
    tenon_doc_free(doc);
    if (!fault && (faulty->open_count || faulty->map_count)) fault = "a file stays open";
    return fault ? fault : fault_in_memory(&memory);
}

static const char *fault_in_target(const robust_file *file, const faulty_files *faulty, bool ok,
                                   bool existed)
{
    bool is_new = scratch_holds("out", file->data, file->size);
    bool is_old = existed ? scratch_holds("out", "old", 3) : !scratch_exists("out");
    if (ok && !is_new) return "the file is not what was written";
    if (!ok && !is_old) return "the file is neither as it was nor complete";
    if (faulty->open_count) return "a file stays open";
    if (scratch_count(".tenon-") > faulty->failed_removes) return "a temporary file stays";
    return NULL;
}

// All or nothing: the file is as it was before, or complete.
static const char *write_faulty(const robust_file *file, faulty_files *faulty, bool existed)
{
    tenon_error err;
    tenon_write_opts opts = {.force = existed, .files = &faulty->files};
    remove(scratch("out"));
    if (existed) scratch_save("out", "old", 3);
    tenon_doc *doc = tenon_read(file->data, file->size, NULL, NULL);
    bool ok = tenon_write_file(doc, scratch("out"), &opts, &err);
    tenon_doc_free(doc);
    const char *fault = fault_in_target(file, faulty, ok, existed);
    if (!ok && !fault && err.code != TENON_ERR_IO) fault = "the error is not that of the file";
    return fault;
}

typedef const char *file_task(const robust_file *file, faulty_files *faulty, bool variant);

static const char *fail_files(const robust_file *file, file_task *run, bool variant, bool for_ever,
                              unsigned *fail_at)
{
    for (*fail_at = 1;; ++*fail_at) {
        faulty_files faulty;
        faulty_begin(&faulty);
        faulty.fail_at = *fail_at;
        faulty.for_ever = for_ever;
        const char *fault = run(file, &faulty, variant);
        if (fault || faulty.failed_calls == 0) return fault;
        // A temporary that could not be removed is left.
        scratch_end();
        scratch_begin();
    }
}

static void fail_files_everywhere(const robust_file *file)
{
    static const struct {
        const char *name;
        file_task *run;
        bool variant;
    } jobs[] = {{"reading", read_faulty, false},
                {"mapping", read_faulty, true},
                {"creating", write_faulty, false},
                {"replacing", write_faulty, true}};
    for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++)
        for (int for_ever = 0; for_ever < 2; for_ever++) {
            unsigned at;
            const char *fault = fail_files(file, jobs[i].run, jobs[i].variant, for_ever, &at);
            if (fault)
                robust_broken(file, fault, "%s, operation %u failing%s", jobs[i].name, at,
                              for_ever ? " for ever" : "");
        }
}

TEST(file_operations_can_fail_anywhere)
{
    scratch_begin();
    robust_each(fail_files_everywhere);
    scratch_end();
}

static void read_in_crumbs(const robust_file *file)
{
    faulty_files faulty;
    for (int variant = 0; variant < 2; variant++) {
        faulty_begin(&faulty);
        faulty.crumbs = true;
        const char *fault = read_faulty(file, &faulty, variant);
        if (!fault) fault = write_faulty(file, &faulty, variant);
        if (fault) robust_broken(file, fault, "in crumbs");
    }
}

TEST(files_may_be_read_and_written_in_small_pieces)
{
    scratch_begin();
    robust_each(read_in_crumbs);
    scratch_end();
}

// -- Users

static bool read_long(const robust_file *file, tenon_events events, robust_memory *memory,
                      tenon_error *err)
{
    tenon_read_opts opts = {.allocator = robust_allocator(memory), .events = events};
    tenon_doc *doc = tenon_read(file->data, file->size, &opts, err);
    tenon_doc_free(doc);
    return doc != NULL;
}

// The part of a document that was read before a cancel can be used.
static bool read_long_partially(const robust_file *file, tenon_events events, robust_memory *memory,
                                tenon_error *err)
{
    tenon_error ignored;
    tenon_info info;
    tenon_read_opts opts = {
        .allocator = robust_allocator(memory), .events = events, .partial = true};
    tenon_doc *doc = tenon_read(file->data, file->size, &opts, err);
    if (doc) tenon_check(doc, NULL, NULL, NULL, NULL, &ignored);
    if (doc && tenon_doc_info(doc, &(tenon_info_opts){.full = true}, &info, &ignored))
        tenon_info_free(&info);
    tenon_doc_free(doc);
    return err->code == TENON_OK;
}

static bool map_long(const robust_file *file, tenon_events events, robust_memory *memory,
                     tenon_error *err)
{
    tenon_read_opts opts = {.allocator = robust_allocator(memory), .events = events};
    return tenon_map(file->data, file->size, &opts, ignore_part, NULL, err);
}

static bool check_long(const robust_file *file, tenon_events events, robust_memory *memory,
                       tenon_error *err)
{
    tenon_check_opts opts = {.allocator = robust_allocator(memory), .events = events};
    tenon_doc *doc = tenon_read(file->data, file->size, NULL, err);
    bool ok = doc && tenon_check(doc, &opts, NULL, NULL, NULL, err);
    tenon_doc_free(doc);
    return ok;
}

static bool write_long(const robust_file *file, tenon_events events, robust_memory *memory,
                       tenon_error *err)
{
    tenon_read_opts opts = {.allocator = robust_allocator(memory)};
    tenon_write_opts write = {.events = events, .force = true};
    tenon_doc *doc = tenon_read(file->data, file->size, &opts, err);
    bool ok = doc && tenon_write_file(doc, scratch("long"), &write, err);
    tenon_doc_free(doc);
    return ok;
}

static const robust_long_task long_tasks[] = {{"reading", read_long},
                                              {"reading a part", read_long_partially},
                                              {"mapping", map_long},
                                              {"checking", check_long},
                                              {"writing", write_long}};

static void cancel_everywhere(const robust_file *file)
{
    for (size_t i = 0; i < sizeof long_tasks / sizeof long_tasks[0]; i++)
        robust_cancel(file, &long_tasks[i]);
}

TEST(work_can_be_cancelled_anywhere)
{
    scratch_begin();
    robust_each(cancel_everywhere);
    CHECK(scratch_count(".tenon-") == 0);
    scratch_end();
}

// Large enough for several steps of each kind.
static robust_file make_large(void)
{
    enum { VERTICES = 700 * 1000 };
    robust_file large = {.format = tenon_format_by_name("bplx")};
    tenon_error err;
    tenon_doc *doc = NULL;
    for (uint32_t i = 0; i < robust_file_count && !doc; i++)
        if (robust_files[i].format == large.format)
            doc = tenon_read(robust_files[i].data, robust_files[i].size, NULL, &err);
    tenon_bplx *model = tenon_as_bplx(doc);
    uint8_t *zeros = calloc(VERTICES, 12);
    if (!model || !zeros) exit(1);
    tenon_span *spans[] = {&model->positions, &model->normals, &model->uvs};
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
        spans[i]->data = zeros;
        spans[i]->count = VERTICES;
        spans[i]->size = VERTICES * spans[i]->layout->stride;
    }
    CHECK(tenon_finalize(doc, &err));
    snprintf(large.path, sizeof large.path, "a large model");
    growing_bytes bytes = {0};
    CHECK(tenon_write(doc, append_bytes, &bytes, &err) != TENON_ABSENT);
    tenon_doc_free(doc);
    free(zeros);
    large.data = bytes.data;
    large.size = bytes.size;
    return large;
}

TEST(long_work_can_be_cancelled_anywhere)
{
    scratch_begin();
    robust_file large = make_large();
    robust_patience p = {.left = UINT64_MAX};
    robust_memory memory = {0};
    tenon_error err;
    CHECK(read_long(&large, (tenon_events){.user = &p, .on_progress = robust_step}, &memory, &err));
    CHECK(p.steps > 4);
    cancel_everywhere(&large);
    free(large.data);
    scratch_end();
}

static void run_all(void)
{
    RUN(memory_can_run_out_anywhere);
    RUN(file_operations_can_fail_anywhere);
    RUN(files_may_be_read_and_written_in_small_pieces);
    RUN(work_can_be_cancelled_anywhere);
    RUN(long_work_can_be_cancelled_anywhere);
}

int main(int argc, char **argv)
{
    return robust_main(argc, argv, run_all);
}
