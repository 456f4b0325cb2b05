// gpb_facts.h: how facts about a bundle and the files beside it are put into words.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_GPB_FACTS_H
#define TN_FORMATS_GPB_GPB_FACTS_H

#include "formats/formats.h"
#include "formats/gpb/gpb_index.h"

// Text or a number fit for a fact.
typedef struct gpb_word {
    char text[64];
} gpb_word;

gpb_word gpb_word_of(tenon_str text);
gpb_word gpb_figure(float v);

// "1 part", "2 parts".
gpb_word gpb_many(uint64_t count, const char *one);

// A list that is being made, cut where there is no more room.
typedef struct gpb_line {
    char text[160];
} gpb_line;

// Returns false when there is no more room.
bool gpb_append(gpb_line *line, const char *text);

// Tell the facts of a bundle.
void gpb_report_facts(tn_info_builder *informer, const gpb_index *index);

#endif  // TN_FORMATS_GPB_GPB_FACTS_H
