// export_document.c: documents of exports, and names of sidecars.
// SPDX-License-Identifier: MIT

#include "exchange/export_document.h"

#include "core/text/text.h"
#include "document/document.h"
#include "exchange/clips/motion_private.h"

#include <string.h>

// -- Documents

// The memory of a document that is freed with the export.
struct tn_owned_doc {
    struct tn_owned_doc *next;
    struct tenon_owner owner;
};

void *tn_export_doc(const tn_export *export, const tn_format *format, const tenon_dialect *dialect)
{
    tenon_doc *doc = tn_export_alloc(export, 1, format->doc_size);
    struct tn_owned_doc *owned = tn_export_alloc(export, 1, sizeof *owned);
    if (!doc || !owned) return NULL;
    owned->owner = (struct tenon_owner){
        .arena = tn_arena_make(&export->opts->allocator, export->arena->limit),
        .format = format,
        .max_depth = TN_DEPTH_MAX,
    };
    owned->next = export->state->docs;
    export->state->docs = owned;
    doc->format = &format->face;
    doc->dialect = dialect;
    doc->owner = &owned->owner;
    return doc;
}

void tn_export_free_docs(const tn_export *export)
{
    for (struct tn_owned_doc *owned = export->state->docs; owned; owned = owned->next)
        tn_arena_free(&owned->owner.arena);
    export->state->docs = NULL;
    tn_levers_free(export);
}

// Not with tenon_write(), which would count the output a second time.
static bool export_document_write_doc(const tn_export *export, const tenon_doc *doc,
                                      tenon_write_fn *write)
{
    tn_io io;
    tn_io_writer(&io, write, export->sink->user, export->err);
    return tn_doc_write(doc, &io, NULL) != TENON_ABSENT;
}

bool tn_export_put_doc(const tn_export *export, const char *name, void *doc)
{
    if (export->err->code != TENON_OK || !tn_doc_finalize(doc, export->err)) return false;
    // Measured first, so that no file is begun for a document that cannot be written.
    return export_document_write_doc(export, doc, NULL) && tn_export_begin(export, name) &&
           export_document_write_doc(export, doc, export->sink->write) && tn_export_end(export);
}

bool tn_export_put_picture(const tn_export *export, const char *name, const void *bytes,
                           size_t size)
{
    return tn_export_begin_picture(export, name) && tn_export_write(export, bytes, size) &&
           tn_export_end(export);
}

// -- Names

tenon_str tn_export_stem(const tn_export *export)
{
    const char *name = export->opts->name && *export->opts->name ? export->opts->name : "model";
    return (tenon_str){name, (uint32_t)strlen(name)};
}

tenon_str tn_export_join(const tn_export *export, tenon_str start, const char *end)
{
    bool is_first_error = export->err->code == TENON_OK;
    return tn_text_join(export->arena, start, (tenon_str){end, (uint32_t)strlen(end)}, "the export",
                        is_first_error ? export->err : NULL);
}

tenon_str tn_export_prefix(const tn_export *export)
{
    return tn_export_join(export, tn_export_stem(export), "_");
}

const char *tn_export_name(const tn_export *export, tenon_str stem, tenon_str rest, const char *end)
{
    char safe[TN_SAFE_MOST + 8];
    (void)tn_safe_text(rest, safe);
    tenon_str both = tn_export_join(export, stem, safe);
    if (!both.data) return NULL;
    const char *name = tn_names_take(&export->state->taken, both, end);
    if (!name) (void)tn_names_fail(&export->state->taken, export->err);
    return name;
}

bool tn_unique_names(const tn_export *export, tenon_str *names, uint32_t count, const char *word,
                     uint64_t *changed)
{
    tn_name_set taken = {.arena = export->arena};
    *changed = 0;
    for (uint32_t i = 0; i < count; i++) {
        tenon_str wanted = names[i];
        if (wanted.size == 0) wanted = (tenon_str){word, (uint32_t)strlen(word)};
        const char *name = tn_names_take(&taken, wanted, "");
        if (!name) return tn_names_fail(&taken, export->err);
        uint32_t size = (uint32_t)strlen(name);
        if (size != names[i].size) ++*changed;
        names[i] = (tenon_str){name, size};
    }
    return true;
}
