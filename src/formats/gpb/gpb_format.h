// gpb_format.h: what the files of this folder share.
// SPDX-License-Identifier: MIT

#ifndef TN_GPB_FORMAT_H
#define TN_GPB_FORMAT_H

#include "../formats.h"

#include <tenon/gpb.h>

#define GPB_MAGIC "\xabGPB\xbb\r\n\x1a\n"

// Where the objects of a file start, by its reference table: the plan that reading follows.
typedef struct gpb_plan {
    uint32_t count;
    uint32_t mesh_count;
    struct gpb_start {
        uint32_t offset, type;
    } * starts;  // Ascending, each offset once.
} gpb_plan;

void gpb_describe(tn_io *io, void *doc);

// Make the plan in the cursor's arena.
gpb_plan gpb_make_plan(tn_io *io, const tenon_gpb *doc);

#endif  // TN_GPB_FORMAT_H
