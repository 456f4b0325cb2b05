// clean.c: making foreign text safe to print: cleaning, measuring, quoting.
// SPDX-License-Identifier: MIT

#include "report/clean.h"

#include <stdio.h>
#include <string.h>

// -- Characters

size_t clean_decode(const void *bytes, size_t size, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t *p = bytes;
    if (size == 0) return 0;
    size_t need = p[0] < 0x80 ? 1 : p[0] < 0xC0 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    if (need == 0 || need > size || p[0] >= 0xF8) return 0;
    *code = need == 1 ? p[0] : p[0] & (0xFFu >> (need + 1));
    for (size_t i = 1; i < need; i++) {
        if ((p[i] & 0xC0) != 0x80) return 0;
        *code = *code << 6 | (p[i] & 0x3F);
    }
    bool is_surrogate = *code >= 0xD800 && *code <= 0xDFFF;
    return *code < least[need] || *code > 0x10FFFF || is_surrogate ? 0 : need;
}

bool clean_is_utf8(const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    uint32_t code;
    for (size_t step; size > 0; p += step, size -= step) {
        step = clean_decode(p, size, &code);
        if (step == 0) return false;
    }
    return true;
}

typedef struct range {
    uint32_t first, last;
} range;

static bool clean_is_in(const range *ranges, size_t count, uint32_t code)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i].first && code <= ranges[i].last) return true;
    return false;
}

bool clean_is_unsafe(uint32_t code)
{
    static const range unsafe[] = {
        {0x00, 0x1F},     {0x7F, 0x9F},      // Control characters.
        {0x61C, 0x61C},   {0x200E, 0x200F},  // Marks of direction.
        {0x2028, 0x202E}, {0x2066, 0x2069},  // Ends of lines, embeddings, isolates.
    };
    return clean_is_in(unsafe, sizeof unsafe / sizeof unsafe[0], code);
}

// As on terminals: East Asian scripts and emoji are two columns wide. The ranges are approximate
// where a mistake only moves a column.
static uint32_t clean_columns_of(uint32_t code)
{
    static const range none[] = {{0x300, 0x36F}, {0x200B, 0x200D}, {0xFE00, 0xFE0F}};
    static const range two[] = {
        {0x1100, 0x115F}, {0x2E80, 0xA4CF}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
        {0xFE30, 0xFE6F}, {0xFF00, 0xFF60}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD},
    };
    if (clean_is_in(none, sizeof none / sizeof none[0], code)) return 0;
    return clean_is_in(two, sizeof two / sizeof two[0], code) ? 2 : 1;
}

// -- Text

size_t clean_text(const void *bytes, size_t size, char *out, size_t out_size, size_t *taken)
{
    const char *p = bytes;
    size_t used = 0, at = 0;
    while (at < size) {
        uint32_t code;
        size_t step = clean_decode(p + at, size - at, &code);
        bool keep = step != 0 && !clean_is_unsafe(code);
        size_t put = keep ? step : 1;
        if (put > out_size - 1 - used) break;
        memcpy(out + used, keep ? p + at : "?", put);
        used += put;
        at += step ? step : 1;
    }
    out[used] = '\0';
    if (taken) *taken = at;
    return used;
}

// How many bytes of clean text fit in `most` columns.
static size_t clean_walk(const char *text, uint32_t most, uint32_t *columns)
{
    size_t size = strlen(text), at = 0;
    *columns = 0;
    while (at < size) {
        uint32_t code;
        size_t step = clean_decode(text + at, size - at, &code);
        if (step == 0 || clean_columns_of(code) > most - *columns) break;
        *columns += clean_columns_of(code);
        at += step;
    }
    return at;
}

uint32_t clean_columns(const char *text)
{
    uint32_t columns;
    clean_walk(text, UINT32_MAX, &columns);
    return columns;
}

size_t clean_fit(const char *text, uint32_t columns)
{
    uint32_t used;
    return clean_walk(text, columns, &used);
}

void clean_shell_word(const char *name, char *out, size_t out_size)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789_./+-,:@%=";
    size_t size = strlen(name);
    bool is_plain = size > 0 && name[0] != '-' && strspn(name, plain) == size;
    bool is_safe = clean_is_utf8(name, size) && size + 3 <= out_size;
    uint32_t code;
    for (size_t at = 0; is_safe && at < size; at += clean_decode(name + at, size - at, &code)) {
        clean_decode(name + at, size - at, &code);
        is_safe = !clean_is_unsafe(code) && code != '\'';
    }
    if (!is_safe || name[0] == '-')
        (void)snprintf(out, out_size, "FILE");
    else
        (void)snprintf(out, out_size, is_plain ? "%s" : "'%s'", name);
}
