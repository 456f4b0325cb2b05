// convert_font.h: fonts of GPB bundles as pictures and BMFont text.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_FONT_H
#define TENON_CLI_CONVERT_FONT_H

#include "convert/convert_plan.h"

// Write OUT.fnt and OUT.png for a font of one size, or OUT-16.fnt, OUT-16.png and so on for several
// sizes, into the batch. With '--dry-run', only check whether that is possible. Returns the size of
// all files together, 0 on failure.
uint64_t convert_font(tenon_doc *doc, const convert_job *job, convert_plan *plan,
                      const convert_opts *opts, tenon_batch *batch, tenon_error *err);

// Whether a document holds fonts and nothing else.
bool convert_is_font(tenon_doc *doc);

#endif  // TENON_CLI_CONVERT_FONT_H
