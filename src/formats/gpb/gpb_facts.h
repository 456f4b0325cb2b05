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

// A list that ends with "..." if it is too long.
typedef struct gpb_text_list {
    char text[160];
} gpb_text_list;

// Returns false if the list is full.
bool gpb_info_append(gpb_text_list *line, const char *text);

#endif  // TN_FORMATS_GPB_GPB_FACTS_H
