// document.h: from bytes to a document: which dialect it is, and reading it.
// SPDX-License-Identifier: MIT

#ifndef TN_DOCUMENT_DOCUMENT_H
#define TN_DOCUMENT_DOCUMENT_H

#include "core/cursor/locate.h"
#include "core/files/file.h"
#include "document/format.h"

// What a document owns besides what its fields point to.
struct tenon_owner {
    tn_arena arena;
    const tn_format *format;
    uint32_t max_depth;
    bool is_cut;        // Reading failed: fields after the fault are not in the input.
    tenon_bytes input;  // The bytes, if the document has them from a file.
    void *copy;         // The bytes, if it was asked to copy them.
    size_t copy_size;
    tn_cut *cuts;  // What a partial document lacks, in the order of the file.
};

// An empty document of `format`, or NULL if there is no memory.
tenon_doc *tn_doc_new(const tn_format *format, const tenon_read_opts *opts, uint64_t input_size,
                      tenon_error *err);

// Read `data` into `doc`; `observers`, which may be NULL, see the final pass only. On failure
// returns false; the document then holds what opts->partial asks for.
bool tn_doc_read(tenon_doc *doc, const uint8_t *data, uint64_t size, const tenon_read_opts *opts,
                 tn_observer *observers, tenon_error *err);

// Read `data` as `format`. The document owns `bytes`, which hold `data`, or borrows it if that is
// NULL; on failure they are freed. Otherwise as tenon_read(), but nothing may be NULL except
// `bytes` and `observers`.
tenon_doc *tn_doc_open(const tn_format *format, const void *data, size_t size, tenon_bytes *bytes,
                       const tenon_read_opts *opts, tn_observer *observers, tenon_error *err);
tenon_doc *tn_doc_open_file(const tn_format *format, const char *path, const tenon_read_opts *opts,
                            tenon_error *err);
void tn_doc_free(tenon_doc *doc);

// `count` zeroed objects that live as long as the document. NULL, with the error set, if out of
// memory.
void *tn_doc_alloc(const tenon_doc *doc, uint64_t count, size_t size, tenon_error *err);

// Whether something succeeded and stayed within the budget of the document; if not, sets the error.
bool tn_doc_settle(const tenon_doc *doc, bool ok, tenon_error *err);

// Where the field at a path is in the file that tn_doc_write() makes; its `path` stays that
// pointer.
tn_wanted tn_doc_find(const tenon_doc *doc, const char *path);

// As tenon_finalize(), tenon_change() and tenon_recover(); nothing may be NULL.
bool tn_doc_finalize(tenon_doc *doc, tenon_error *err);
bool tn_doc_change(tenon_doc *doc, const tenon_change_opts *opts, tenon_error *err);
bool tn_doc_recover(tenon_doc *doc, const tenon_change_opts *opts, tenon_error *err);

// Show every field to the observers. A document that was edited is seen as it is, with counts that
// are stale and arrays of any length; only arrays whose size contradicts their own count are left
// out.
void tn_doc_look(const tenon_doc *doc, tn_observer *observers);

// Write or measure; returns the number of bytes, or TENON_ABSENT on failure.
uint64_t tn_doc_write(const tenon_doc *doc, tn_io *io, tn_observer *observers);

#endif  // TN_DOCUMENT_DOCUMENT_H
