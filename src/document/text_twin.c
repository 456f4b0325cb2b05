// text_twin.c: the text twin of a document: dump and build.
// SPDX-License-Identifier: MIT

#include "document/text_twin.h"

#include "core/cursor/build.h"
#include "core/cursor/dump.h"

#include <string.h>

#define TWIN_VERSION 1
#define BUILD_MEMORY ((uint64_t)16 << 20)

bool tn_doc_dump(const tenon_doc *doc, tenon_write_fn *write, void *user, tenon_error *err)
{
    tn_json_writer json;
    tn_dumper dumper;
    tn_json_writer_begin(&json, write, user, 1);
    tn_json_put_object_begin(&json, TN_JSON_BLOCK);
    tn_json_put_key(&json, "tenon");
    tn_json_put_u64(&json, TWIN_VERSION);
    tn_json_put_key(&json, "format");
    tn_json_put_string(&json, doc->format->name);
    tn_json_put_key(&json, "dialect");
    tn_json_put_string(&json, doc->dialect->name);

    tn_dumper_init(&dumper, &json);
    tn_io io;
    tn_io_writer(&io, NULL, NULL, err);
    if (tn_doc_write(doc, &io, &dumper.observer) == TENON_ABSENT) return false;
    tn_json_put_object_end(&json);
    if (tn_json_writer_end(&json)) return true;
    return tn_error(err, TENON_ERR_IO, "the output could not be written");
}

// -- Build

static bool text_twin_build(tn_arena *arena, const char *text, size_t size,
                            tn_find_format_fn *find_format, const tenon_read_opts *opts,
                            tenon_write_fn *write, void *user, tenon_error *err)
{
    tn_text_builder builder;
    const char *format_name, *dialect_name;
    if (!tn_text_builder_begin(&builder, text, size, arena, &format_name, &dialect_name, err))
        return false;
    const tn_format *format = find_format(format_name);
    if (!format)
        return tn_error(err, TENON_ERR_UNSUPPORTED, "there is no format '%s'", format_name);
    const tenon_dialect *dialect = tenon_dialect_by_name(&format->face, dialect_name);
    if (!dialect)
        return tn_error(err, TENON_ERR_UNSUPPORTED, "%s has no dialect '%s'", format_name,
                        dialect_name);
    tn_io io;
    tn_text_builder_io(&builder, &io, write, user, err);
    io.flags = dialect->flags;
    io.events = opts->events;
    // The document only holds what the description needs while it runs.
    tenon_doc *doc = tn_io_alloc(&io, "document", 1, format->doc_size);
    if (!doc) return false;
    doc->format = &format->face;
    doc->dialect = dialect;
    tn_format_describe(&io, format, doc);
    return tn_text_builder_end(&builder, &io);
}

bool tn_doc_build(const char *json, size_t size, tn_find_format_fn *find_format,
                  const tenon_read_opts *opts, tenon_write_fn *write, void *user, tenon_error *err)
{
    tn_arena arena = tn_arena_make(
        &opts->allocator, opts->max_memory ? opts->max_memory : BUILD_MEMORY + 16 * (uint64_t)size);
    bool ok = text_twin_build(&arena, json, size, find_format, opts, write, user, err);
    tn_arena_free(&arena);
    return ok;
}
