// document.c: what can be done with a document of any format: open, change, recover, free.
// SPDX-License-Identifier: MIT

#include "document/document.h"

#include "core/memory/budget.h"

#include <string.h>

bool tn_doc_settle(const tenon_doc *doc, bool ok, tenon_error *err)
{
    return tn_budget_settle(doc->owner->arena.allocator.budget, ok, err);
}

// -- Opening

// Own a copy of the input: afterwards the caller's buffer may go.
static const uint8_t *document_keep_copy(tenon_doc *doc, const void *data, size_t size,
                                         tenon_error *err)
{
    struct tenon_owner *owner = doc->owner;
    owner->copy = tn_block_alloc(&owner->arena.allocator, size ? size : 1);
    if (!owner->copy) {
        tn_error(err, TENON_ERR_MEMORY, "out of memory for a copy of the input");
        return NULL;
    }
    owner->copy_size = size ? size : 1;
    if (size) memcpy(owner->copy, data, size);
    return owner->copy;
}

tenon_doc *tn_doc_open(const tn_format *format, const void *data, size_t size, tenon_bytes *bytes,
                       const tenon_read_opts *opts, tn_observer *observers, tenon_error *err)
{
    const uint8_t *input = data;
    tenon_doc *doc = tn_doc_new(format, opts, size, err);
    if (!doc) {
        tenon_unload(bytes);
        (void)tn_budget_settle(opts->allocator.budget, false, err);
        return NULL;
    }
    if (bytes) doc->owner->input = *bytes;
    if (opts->copy && !bytes) input = document_keep_copy(doc, data, size, err);
    bool whole = input && tn_doc_read(doc, input, size, opts, observers, err);
    doc->owner->is_cut = !whole;
    bool of_use = input && opts->partial && err->code != TENON_ERR_MEMORY && doc->dialect;
    if (tn_doc_settle(doc, whole || of_use, err)) return doc;
    tn_doc_free(doc);
    return NULL;
}

tenon_doc *tn_doc_open_file(const tn_format *format, const char *path, const tenon_read_opts *opts,
                            tenon_error *err)
{
    tenon_bytes bytes;
    tn_error_clear(err);
    if (!tenon_load(path, opts, &bytes, err)) return NULL;
    if (tn_budget_work(opts->allocator.budget, bytes.size))
        return tn_doc_open(format, bytes.data, bytes.size, &bytes, opts, NULL, err);
    tenon_unload(&bytes);
    (void)tn_budget_settle(opts->allocator.budget, false, err);
    return NULL;
}

void *tn_doc_alloc(const tenon_doc *doc, uint64_t count, size_t size, tenon_error *err)
{
    return tn_arena_alloc_or_fail(&doc->owner->arena, count, size, "the document", err);
}

void tn_doc_free(tenon_doc *doc)
{
    if (!doc) return;
    struct tenon_owner *owner = doc->owner;
    tenon_allocator allocator = owner->arena.allocator;
    tenon_unload(&owner->input);
    tn_block_free(&allocator, owner->copy, owner->copy_size);
    tn_arena_free(&owner->arena);
    tn_block_free(&allocator, owner, sizeof *owner);
}

// -- Changing

bool tn_doc_finalize(tenon_doc *doc, tenon_error *err)
{
    const tn_format *format = doc->owner->format;
    bool ok = !format->finalize || format->finalize(doc, &doc->owner->arena, err);
    return tn_doc_settle(doc, ok, err);
}

bool tn_doc_change(tenon_doc *doc, const tenon_change_opts *opts, tenon_error *err)
{
    const tn_format *format = doc->owner->format;
    const tenon_dialect *target = doc->dialect;
    if (opts->dialect) target = tenon_dialect_by_name(doc->format, opts->dialect);
    if (!target)
        return tn_error(err, TENON_ERR_UNSUPPORTED, "%s has no dialect '%s'", doc->format->name,
                        opts->dialect);
    bool same = target == doc->dialect && !opts->refresh && !opts->spaces;
    if (same) return true;
    if (!format->change)
        return tn_error(err, TENON_ERR_UNSUPPORTED, "%s files cannot be changed to another dialect",
                        doc->format->name);
    tn_change change = {target, opts, &doc->owner->arena, err, false};
    if (!tn_doc_settle(doc, format->change(doc, &change), err)) return false;
    doc->dialect = target;
    return tn_doc_finalize(doc, err);
}

bool tn_doc_recover(tenon_doc *doc, const tenon_change_opts *opts, tenon_error *err)
{
    const tn_format *format = doc->owner->format;
    bool is_cut = doc->owner->is_cut || doc->trailing.size > 0;
    tn_change change = {doc->dialect, opts, &doc->owner->arena, err, is_cut};
    if (!format->recover)
        return tn_error(err, TENON_ERR_UNSUPPORTED, "%s files cannot be recovered",
                        doc->format->name);
    tn_change_report(&change, TENON_DROPPED, "bytes", doc->trailing.size,
                     "they come after the last part that could be read");
    doc->trailing = (tenon_span){0};
    if (!tn_doc_settle(doc, format->recover(doc, &change), err)) return false;
    doc->owner->is_cut = false;
    tenon_change_opts refresh = {.refresh = true};
    return tn_doc_finalize(doc, err) && (!format->change || tn_doc_change(doc, &refresh, err));
}

void tn_change_report(const tn_change *change, tenon_loss_kind kind, const char *feature,
                      uint64_t count, const char *why)
{
    if (change->opts->events.on_loss && count)
        change->opts->events.on_loss(
            change->opts->events.user,
            &(tenon_loss){.kind = kind, .feature = feature, .why = why, .count = count});
}

void *tn_change_alloc(const tn_change *change, uint64_t count, size_t size, const char *what)
{
    return tn_arena_alloc_or_fail(change->arena, count, size, what, change->err);
}

// -- Formats

const tenon_dialect *tenon_dialect_by_name(const tenon_format *format, const char *name)
{
    for (uint32_t i = 0; i < format->dialect_count; i++)
        if (strcmp(format->dialects[i].name, name) == 0) return &format->dialects[i];
    return NULL;
}

int tn_format_score(const tn_format *format, const uint8_t *data, uint64_t size)
{
    if (!format->magic) return format->probe ? format->probe(data, size) : 0;
    size_t magic_size = strlen(format->magic);
    return size >= magic_size && memcmp(data, format->magic, magic_size) == 0 ? 100 : 0;
}

void tn_format_describe(tn_io *io, const tn_format *format, tenon_doc *doc)
{
    io->big_endian = format->big_endian;
    format->describe(io, doc);
}

tn_wanted tn_doc_find(const tenon_doc *doc, const char *path)
{
    tn_wanted wanted = {.path = path};
    tn_locator locator;
    tn_locator_init(&locator, &wanted, 1);
    tn_io io;
    tenon_error ignored;
    tn_io_writer(&io, NULL, NULL, &ignored);
    tn_doc_write(doc, &io, &locator.observer);
    return wanted;
}
