// export_document.c: how formats that have documents write a scene: documents, names.
// SPDX-License-Identifier: MIT

#include "exchange/export_document.h"

#include "document/document.h"
#include "exchange/clips/motion_private.h"

#include <string.h>

// -- Documents

// A document's own memory, to be freed with the export.
struct tn_made_doc {
    struct tn_made_doc *next;
    struct tenon_owner owner;
};

void *tn_export_doc(const tn_export *e, const tn_format *format, const tenon_dialect *dialect)
{
    tenon_doc *doc = tn_export_alloc(e, 1, format->doc_size);
    struct tn_made_doc *made = tn_export_alloc(e, 1, sizeof *made);
    if (!doc || !made) return NULL;
    made->owner = (struct tenon_owner){
        .arena = tn_arena_make(&e->opts->allocator, e->arena->limit),
        .format = format,
        .max_depth = TN_DEPTH_MAX,
    };
    made->next = e->state->docs;
    e->state->docs = made;
    doc->format = &format->face;
    doc->dialect = dialect;
    doc->owner = &made->owner;
    return doc;
}

void tn_export_free_docs(const tn_export *e)
{
    for (struct tn_made_doc *made = e->state->docs; made; made = made->next)
        tn_arena_free(&made->owner.arena);
    e->state->docs = NULL;
    tn_levers_free(e);
}

// tenon_write() would count what the sink counts.
static bool write_doc(const tn_export *e, const tenon_doc *doc, tenon_write_fn *write)
{
    tn_io io;
    tn_io_writer(&io, write, e->sink->user, e->err);
    return tn_doc_write(doc, &io, NULL) != TENON_ABSENT;
}

bool tn_export_put_doc(const tn_export *e, const char *name, void *doc)
{
    if (e->err->code != TENON_OK || !tn_doc_finalize(doc, e->err)) return false;
    // Measured first, so that nothing is begun that the format would refuse.
    return write_doc(e, doc, NULL) && tn_export_begin(e, name) &&
           write_doc(e, doc, e->sink->write) && tn_export_end(e);
}

bool tn_export_put_bytes(const tn_export *e, const char *name, const void *bytes, size_t size)
{
    return tn_export_begin(e, name) && tn_export_write(e, bytes, size) && tn_export_end(e);
}

// -- Names

tenon_str tn_export_stem(const tn_export *e)
{
    const char *name = e->opts->name && *e->opts->name ? e->opts->name : "model";
    return (tenon_str){name, (uint32_t)strlen(name)};
}

tenon_str tn_export_prefix(const tn_export *e)
{
    tenon_str stem = tn_export_stem(e);
    char *text = tn_export_alloc(e, (uint64_t)stem.size + 2, 1);
    if (!text) return (tenon_str){NULL, 0};
    memcpy(text, stem.data, stem.size);
    text[stem.size] = '_';
    return (tenon_str){text, stem.size + 1};
}

const char *tn_export_name(const tn_export *e, tenon_str stem, tenon_str rest, const char *end)
{
    char safe[TN_SAFE_MOST + 8];
    size_t size = tn_safe_text(rest, safe);
    char *start = tn_export_alloc(e, (uint64_t)stem.size + size + 1, 1);
    if (!start) return NULL;
    if (stem.size) memcpy(start, stem.data, stem.size);
    memcpy(start + stem.size, safe, size + 1);
    tenon_str both = {start, stem.size + (uint32_t)size};
    const char *name = tn_names_take(&e->state->taken, both, end);
    if (!name) (void)tn_names_fail(&e->state->taken, e->err);
    return name;
}

bool tn_unique_names(const tn_export *e, tenon_str *names, uint32_t count, const char *word,
                     uint64_t *changed)
{
    tn_name_set taken = {.arena = e->arena};
    *changed = 0;
    for (uint32_t i = 0; i < count; i++) {
        tenon_str wanted = names[i];
        if (wanted.size == 0) wanted = (tenon_str){word, (uint32_t)strlen(word)};
        const char *name = tn_names_take(&taken, wanted, "");
        if (!name) return tn_names_fail(&taken, e->err);
        uint32_t size = (uint32_t)strlen(name);
        if (size != names[i].size) ++*changed;
        names[i] = (tenon_str){name, size};
    }
    return true;
}
