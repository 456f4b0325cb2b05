// text_twin.h: the text twin of a document: dump and build.
// SPDX-License-Identifier: MIT

#ifndef TN_DOCUMENT_TEXT_TWIN_H
#define TN_DOCUMENT_TEXT_TWIN_H

#include "document/document.h"

bool tn_doc_dump(const tenon_doc *doc, tenon_write_fn *write, void *user, tenon_error *err);

// Finds a format by its name; NULL if there is none.
typedef const tn_format *tn_find_format_fn(const char *name);

// `opts` and `err` are not NULL.
bool tn_doc_build(const char *json, size_t size, tn_find_format_fn *find_format,
                  const tenon_read_opts *opts, tenon_write_fn *write, void *user, tenon_error *err);

#endif  // TN_DOCUMENT_TEXT_TWIN_H
