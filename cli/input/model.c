// model.c: reading the files that commands work on.
// SPDX-License-Identifier: MIT

#include "input/model.h"

#include "input/job.h"
#include "input/paths.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"
#include "system/guard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAP_FROM ((uint64_t)1 << 20)

tenon_read_opts model_read_opts(const cli_common *opts, const char *file)
{
    return (tenon_read_opts){
        .allocator = job_allocator(),
        .max_memory = opts->max_memory,
        .max_stream = opts->max_memory,
        .format = opts->from.format ? opts->from.format->name : NULL,
        .dialect = opts->from.dialect ? opts->from.dialect->name : NULL,
        .name = path_is_stream(file) ? NULL : file,
        .files = guard_files(),
        .beside = opts->beside,
    };
}

bool model_load(model *input, const cli_common *opts, const char *file, tenon_error *err)
{
    *input = (model){.file = file};
    tenon_read_opts read = model_read_opts(opts, file);
    if (path_is_stream(file) && out_is_terminal(stdin)) {
        *err = report_make(TENON_ERR_IO, "standard input is a terminal, not a model");
        return false;
    }
    progress line;
    read.events = progress_begin(&line, opts, "reading", file);
    tenon_file_info info;
    read.map = !path_is_stream(file) && read.files->look(read.files->user, file, &info) == 0 &&
               info.kind == TENON_FILE_REGULAR && info.size >= MAP_FROM;
    // The size of a pipe, and so the budget, is known at its end; until then `max_stream` limits
    // it.
    if (path_is_stream(file)) read.allocator = (tenon_allocator){0};
    bool ok = path_is_stream(file)
                  ? tenon_load_stream(tenon_stdin(), report_name(file), &read, &input->bytes, err)
                  : tenon_load(file, &read, &input->bytes, err);
    progress_end(&line);
    if (ok && path_is_stream(file)) job_add_input(input->bytes.size);
    if (ok && opts->verbose) {
        out_clean(stderr, report_name(file));
        out(stderr, ": %s %zu bytes\n", input->bytes.mapped ? "mapped" : "read", input->bytes.size);
    }
    return ok;
}

// Read the GLB file that tenon-import makes from the file. It is checked like any other file.
static bool model_import_document(model *input, const cli_common *opts, tenon_error *err)
{
    if (path_is_stream(input->file)) {
        *err =
            report_make(TENON_ERR_UNSUPPORTED, "%s cannot be read from a pipe; give the file name",
                        input->format->title);
        return false;
    }
    if (!import_run(opts, input->file, input->format, &input->bytes, &input->imported, err))
        return false;
    job_add_input(input->imported.size);
    tenon_read_opts read = {
        .allocator = job_allocator(), .format = "gltf", .max_memory = opts->max_memory};
    tenon_error why;
    input->doc = tenon_read(input->imported.data, input->imported.size, &read, &why);
    if (!input->doc)
        *err = report_make(TENON_ERR_VALUE, "the importer's result cannot be read: %.160s",
                           why.message);
    return input->doc != NULL;
}

static bool model_read_document(model *input, const cli_common *opts, tenon_error *err)
{
    tenon_read_opts read = model_read_opts(opts, input->file);
    progress line;
    read.events = progress_begin(&line, opts, "reading", input->file);
    input->doc = tenon_read(input->bytes.data, input->bytes.size, &read, err);
    progress_end(&line);
    if (input->doc && opts->verbose) {
        out_clean(stderr, report_name(input->file));
        out(stderr, ": read as %s:%s\n", input->doc->format->name, input->doc->dialect->name);
    }
    return input->doc != NULL;
}

bool model_load_exact(model *input, const cli_common *opts, const char *file, const char *refusal,
                      tenon_error *err)
{
    if (!model_load(input, opts, file, err)) return false;
    const import_format *format = opts->from.format ? NULL : import_format_by_name(file);
    if (!format) return true;
    *err = report_make(TENON_ERR_UNSUPPORTED,
                       "%s %s, which Tenon only imports: convert the file to .glb first", refusal,
                       format->title);
    model_free(input);
    return false;
}

bool model_read_exact(model *input, const cli_common *opts, const char *file, const char *refusal,
                      tenon_error *err)
{
    if (!model_load_exact(input, opts, file, refusal, err)) return false;
    if (model_read_document(input, opts, err)) return true;
    model_free(input);
    return false;
}

bool model_read(model *input, const cli_common *opts, const char *file, tenon_error *err)
{
    if (!model_load(input, opts, file, err)) return false;
    if (!opts->from.format && input->bytes.size > 0) input->format = import_format_by_name(file);
    if (!(input->format ? model_import_document(input, opts, err)
                        : model_read_document(input, opts, err))) {
        model_free(input);
        return false;
    }
    if (input->format && opts->verbose) {
        out_clean(stderr, report_name(file));
        out(stderr, ": imported from %s\n", input->format->name);
    }
    return true;
}

void model_free(model *input)
{
    tenon_doc_free(input->doc);
    tenon_unload(&input->bytes);
    free(input->imported.data);
    *input = (model){0};
}

bool model_stdin_is_repeated(const cli_common *opts, uint32_t count)
{
    uint32_t times = 0;
    for (uint32_t i = 0; i < count; i++)
        times += path_is_stream(opts->operands[i]) || strcmp(opts->operands[i], "@-") == 0;
    for (uint32_t i = 0; i < opts->batch.files_from.count; i++)
        times += path_is_stream(opts->batch.files_from.values[i]);
    return times > 1;
}
