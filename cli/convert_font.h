// convert_font.h: fonts of GPB bundles as pictures and BMFont text.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_FONT_H
#define TENON_CLI_CONVERT_FONT_H

#include "convert_plan.h"

// Write OUT.fnt and OUT.png for the size of the font in `doc`; for several, OUT-16.fnt, OUT-16.png
// and so on. With '--dry-run', only find out whether that would work. *size gets the bytes of all
// files together.
bool convert_font(tenon_doc *doc, const convert_job *job, const convert_plan *plan,
                  const convert_opts *opts, uint64_t *size, tenon_error *err);

#endif  // TENON_CLI_CONVERT_FONT_H
