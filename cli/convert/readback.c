// readback.c: reads what is about to be written, and checks it.
// SPDX-License-Identifier: MIT
//
// A document that passes its rules may still become another one when its bytes are read: dialects
// are found by trial, and a format without a magic number is recognized by its sizes.

#include "convert/readback.h"

#include "input/job.h"
#include "input/model.h"
#include "report/report.h"
#include "system/guard.h"

#include <stdlib.h>
#include <string.h>

typedef struct readback {
    uint8_t *data;
    size_t size, room;
    bool is_main;  // The bytes that come belong to the main file.
    bool has_no_memory;
} readback;

static bool readback_append(void *user, const void *bytes, size_t size)
{
    readback *file = user;
    if (!file->is_main) return true;
    if (size > file->room - file->size) {
        size_t room = file->size + size <= SIZE_MAX / 2 ? 2 * (file->size + size) : 0;
        uint8_t *grown = room ? realloc(file->data, room) : NULL;
        file->has_no_memory = !grown;
        if (!grown) return false;
        file->data = grown;
        file->room = room;
    }
    if (size) memcpy(file->data + file->size, bytes, size);
    file->size += size;
    return true;
}

static bool readback_begin_file(void *user, const char *name)
{
    ((readback *)user)->is_main = !*name;
    return true;
}

static bool readback_end_file(void *user)
{
    (void)user;
    return true;
}

// `model_path` is where to look for what a document names; NULL: its sidecars are new as well.
static bool readback_check_bytes(const readback *file, const tenon_format *format, const char *path,
                                 const char *model_path, const cli_common *common, bool *is_sound,
                                 tenon_error *err)
{
    tenon_read_opts read = model_read_opts(common, path);
    tenon_check_opts check = {
        .allocator = job_allocator(), .model_path = model_path, .files = guard_files()};
    tenon_check_result result;
    read.format = read.dialect = NULL;
    tenon_doc *doc = tenon_read(file->data, file->size, &read, err);
    if (!doc) return err->code != TENON_ERR_MEMORY;
    bool ok = tenon_check(doc, &check, NULL, NULL, &result, err);
    *is_sound = ok && doc->format == format && result.errors == 0;
    tenon_doc_free(doc);
    return ok;
}

bool readback_doc(const tenon_doc *doc, const char *path, const cli_common *common, bool *is_sound,
                  tenon_error *err)
{
    readback file = {.is_main = true};
    *is_sound = false;
    uint64_t written = job_budget()->output.used;
    bool ok = tenon_write(doc, readback_append, &file, err) != TENON_ABSENT;
    job_budget()->output.used = written;
    if (ok)
        ok = readback_check_bytes(&file, doc->format, path, strcmp(path, "-") == 0 ? NULL : path,
                                  common, is_sound, err);
    else if (file.has_no_memory)
        (void)job_out_of_memory(err);
    free(file.data);
    return ok;
}

bool readback_scene(const tenon_scene *scene, const tenon_export_opts *opts, const char *path,
                    const cli_common *common, bool *is_sound, tenon_error *err)
{
    readback file = {0};
    tenon_sink sink = {readback_begin_file, readback_append, readback_end_file, &file};
    tenon_export_opts quiet = *opts;
    quiet.events = (tenon_events){0};
    *is_sound = false;
    bool ok = true;
    uint64_t written = job_budget()->output.used;
    bool is_exported = tenon_export(scene, &quiet, &sink, err);
    job_budget()->output.used = written;
    if (is_exported)
        ok = readback_check_bytes(&file, tenon_format_by_name(opts->format), path, NULL, common,
                                  is_sound, err);
    else
        ok = !file.has_no_memory && err->code != TENON_ERR_MEMORY;
    if (file.has_no_memory) (void)job_out_of_memory(err);
    free(file.data);
    return ok;
}
