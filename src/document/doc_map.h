// doc_map.h: report every byte of a file as the parts it consists of.
// SPDX-License-Identifier: MIT

#ifndef TN_DOCUMENT_DOC_MAP_H
#define TN_DOCUMENT_DOC_MAP_H

#include "core/cursor/io.h"

// An observer of reading that reports each field as a part.
typedef struct tn_mapper {
    tn_observer observer;
    tenon_part_fn *fn;
    void *user;
    uint64_t end;  // Of what was reported so far.
    bool stopped;  // `fn` asked to stop.
} tn_mapper;

void tn_mapper_init(tn_mapper *mapper, tenon_part_fn *fn, void *user);

// Report what follows the last part, if reading failed there.
void tn_mapper_rest(tn_mapper *mapper, const uint8_t *data, uint64_t size);

#endif  // TN_DOCUMENT_DOC_MAP_H
