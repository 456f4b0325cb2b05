// bbmod_line.c: comma-separated lists for info output.
// SPDX-License-Identifier: MIT

#include "formats/bbmod/bbmod_format.h"

#include "core/text/text.h"

#include <stdio.h>
#include <string.h>

void bbmod_line_add(bbmod_line *line, const char *word, size_t size)
{
    if (line->is_full) return;
    size_t left = sizeof line->text - line->size;
    if (size + sizeof ", " + sizeof ", ..." > left) {
        line->is_full = true;
        word = "...";
        size = 3;
    }
    line->size += (size_t)snprintf(line->text + line->size, left, "%s%.*s", line->size ? ", " : "",
                                   (int)size, word);
}

void bbmod_line_add_name(bbmod_line *line, tenon_str name)
{
    char shown[64];
    bbmod_line_add(line, shown, tn_text_clean(name.data, name.size, shown, sizeof shown));
}
