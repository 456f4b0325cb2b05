// gpb_facts.h: texts for facts about a bundle and its sidecars.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_GPB_FACTS_H
#define TN_FORMATS_GPB_GPB_FACTS_H

#include "formats/formats.h"
#include "formats/gpb/gpb_index.h"

// A short text or number.
typedef struct gpb_short_text {
    char text[64];
} gpb_short_text;

gpb_short_text gpb_info_text_of(tenon_str text);
gpb_short_text gpb_info_number_of(float v);

// "1 part", "2 parts".
gpb_short_text gpb_info_count_of(uint64_t count, const char *one);

// A list that ends with "..." if it is too long.
typedef struct gpb_text_list {
    char text[160];
} gpb_text_list;

// Returns false if the list is full.
bool gpb_info_append(gpb_text_list *line, const char *text);

// Add all facts about a bundle to its info.
void gpb_info_report_facts(tn_info_builder *builder, const gpb_index *index);

#endif  // TN_FORMATS_GPB_GPB_FACTS_H
