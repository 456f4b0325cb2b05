// doc_check.h: apply a format's rules to a document and report the findings, in file order.
// SPDX-License-Identifier: MIT

#ifndef TN_DOCUMENT_DOC_CHECK_H
#define TN_DOCUMENT_DOC_CHECK_H

#include "document/document.h"

// `result` starts at zero. Returns false if the check could not be done.
bool tn_doc_check(const tenon_doc *doc, const tenon_check_opts *opts, tenon_finding_fn *found,
                  void *user, tenon_check_result *result, tenon_error *err);

#endif  // TN_DOCUMENT_DOC_CHECK_H
