// model.c: the files that commands read.
// SPDX-License-Identifier: MIT

#include "input/model.h"

#include "input/job.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"
#include "system/guard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAP_FROM ((uint64_t)1 << 20)

static bool is_stdin(const char *file)
{
    return strcmp(file, "-") == 0;
}

tenon_read_opts model_read_opts(const cli_common *opts, const char *file)
{
    return (tenon_read_opts){
        .allocator = job_allocator(),
        .max_memory = opts->max_memory,
        .max_stream = opts->max_memory,
        .format = opts->from.format ? opts->from.format->name : NULL,
        .dialect = opts->from.dialect ? opts->from.dialect->name : NULL,
        .name = is_stdin(file) ? NULL : file,
        .files = guard_files(),
        .beside = opts->beside,
    };
}

static bool is_large(const tenon_files *files, const char *file)
{
    tenon_file_info info;
    return files->look(files->user, file, &info) == 0 && info.kind == TENON_FILE_REGULAR &&
           info.size >= MAP_FROM;
}

bool model_load(model *m, const cli_common *opts, const char *file, tenon_error *err)
{
    *m = (model){.file = file};
    tenon_read_opts read = model_read_opts(opts, file);
    if (is_stdin(file) && out_is_terminal(stdin)) {
        *err = report_make(TENON_ERR_IO, "standard input is a terminal, not a model");
        return false;
    }
    progress line;
    read.progress = progress_begin(&line, opts, "reading", file);
    read.map = !is_stdin(file) && is_large(read.files, file);
    // How much a pipe holds, and may cost, is known when it has ended; `max_stream` limits it.
    if (is_stdin(file)) read.allocator = (tenon_allocator){0};
    bool ok = is_stdin(file)
                  ? tenon_load_stream(tenon_stdin(), report_name(file), &read, &m->bytes, err)
                  : tenon_load(file, &read, &m->bytes, err);
    progress_end(&line);
    if (ok && is_stdin(file)) job_add_input(m->bytes.size);
    if (ok && opts->verbose) {
        out_clean(stderr, report_name(file));
        out(stderr, ": %s %zu bytes\n", m->bytes.mapped ? "mapped" : "read", m->bytes.size);
    }
    return ok;
}

// The document that the importer makes of the file. What that says of itself is not to be trusted.
static bool import_document(model *m, const cli_common *opts, tenon_error *err)
{
    if (is_stdin(m->file)) {
        *err = report_make(TENON_ERR_UNSUPPORTED, "%s cannot come through a pipe; give its name",
                           m->format->title);
        return false;
    }
    if (!import_run(opts, m->file, m->format, &m->bytes, &m->imported, err)) return false;
    job_add_input(m->imported.size);
    tenon_read_opts read = {
        .allocator = job_allocator(), .format = "gltf", .max_memory = opts->max_memory};
    tenon_error why;
    m->doc = tenon_read(m->imported.data, m->imported.size, &read, &why);
    if (!m->doc)
        *err = report_make(TENON_ERR_VALUE, "what the importer made of it cannot be read: %.160s",
                           why.message);
    return m->doc != NULL;
}

static bool read_document(model *m, const cli_common *opts, tenon_error *err)
{
    tenon_read_opts read = model_read_opts(opts, m->file);
    progress line;
    read.progress = progress_begin(&line, opts, "reading", m->file);
    m->doc = tenon_read(m->bytes.data, m->bytes.size, &read, err);
    progress_end(&line);
    if (m->doc && opts->verbose) {
        out_clean(stderr, report_name(m->file));
        out(stderr, ": taken for %s:%s\n", m->doc->format->name, m->doc->dialect->name);
    }
    return m->doc != NULL;
}

bool model_load_exact(model *m, const cli_common *opts, const char *file, const char *refusal,
                      tenon_error *err)
{
    if (!model_load(m, opts, file, err)) return false;
    const import_format *format =
        opts->from.format ? NULL : import_format_of(file, m->bytes.data, m->bytes.size);
    if (!format) return true;
    *err = report_make(TENON_ERR_UNSUPPORTED,
                       "%s %s, which Tenon only imports: convert the file to .glb first", refusal,
                       format->title);
    model_free(m);
    return false;
}

bool model_read_exact(model *m, const cli_common *opts, const char *file, const char *refusal,
                      tenon_error *err)
{
    if (!model_load_exact(m, opts, file, refusal, err)) return false;
    if (read_document(m, opts, err)) return true;
    model_free(m);
    return false;
}

bool model_read(model *m, const cli_common *opts, const char *file, tenon_error *err)
{
    if (!model_load(m, opts, file, err)) return false;
    if (!opts->from.format && m->bytes.size > 0)
        m->format = import_format_of(file, m->bytes.data, m->bytes.size);
    if (!(m->format ? import_document(m, opts, err) : read_document(m, opts, err))) {
        model_free(m);
        return false;
    }
    if (m->format && opts->verbose) {
        out_clean(stderr, report_name(file));
        out(stderr, ": imported from %s\n", m->format->name);
    }
    return true;
}

void model_free(model *m)
{
    tenon_doc_free(m->doc);
    tenon_unload(&m->bytes);
    free(m->imported.data);
    *m = (model){0};
}

bool model_stdin_is_repeated(char **files, uint32_t count)
{
    uint32_t times = 0;
    for (uint32_t i = 0; i < count; i++) times += is_stdin(files[i]);
    return times > 1;
}
