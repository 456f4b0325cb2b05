// findings_picture.h: a picture of a model on which findings are marked.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_FINDINGS_PICTURE_H
#define TENON_CLI_FINDINGS_PICTURE_H

#include "input/model.h"

#include <tenon/places.h>

// A finding that may be marked.
typedef struct finding_mark {
    tenon_traced_part part;  // Owns its path.
    const tenon_rule *rule;
    tenon_severity severity;
    uint32_t number;  // In the picture, from 1 on; 0: it is not about a part of a mesh.
} finding_mark;

// The findings of a file. Zeroed is empty.
typedef struct finding_marks {
    finding_mark *items;
    uint32_t count, capacity;
    uint32_t marked;  // Those that have a place in the picture.
    bool failed;      // Out of memory.
} finding_marks;

void finding_marks_add(finding_marks *marks, const tenon_finding *finding);
void finding_marks_free(finding_marks *marks);

// Draw the model with numbers where the findings are, and a list of them, into a PNG file. False,
// with `err` set, on failure. If it is of the kind IO or EXISTS, it is about the path.
bool findings_picture_write(finding_marks *marks, const model *input, const cli_common *common,
                            const char *path, bool force, tenon_error *err);

#endif  // TENON_CLI_FINDINGS_PICTURE_H
