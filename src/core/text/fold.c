// fold.c: keys of names that file systems treat as equal.
// SPDX-License-Identifier: MIT

#include "core/text/fold.h"

#include "core/text/fold_tables.h"
#include "core/text/text.h"

#include <string.h>

#define DEEPEST    3   // Levels of decomposition; the generator checks it.
#define MARKS_MOST 30  // After one letter; Unicode's stream-safe text has no more.
#define IOTA_BELOW 0x345u
#define IOTA       0x3b9u

typedef struct folding {
    char *out;
    size_t size;
    uint32_t marks[MARKS_MOST];  // After the last letter, in order of their code points.
    uint32_t mark_count;
} folding;

// -- Tables

// The last row of a table that does not start with more than `c`, or NULL.
static const uint32_t *fold_find_row(const uint32_t *rows, size_t count, size_t width, uint32_t c)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows[middle * width] <= c)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &rows[(low - 1) * width] : NULL;
}

#define FIND_ROW(table, width, c) \
    fold_find_row(table, sizeof table / sizeof table[0] / (width), width, c)

static bool fold_is_mark(uint32_t c)
{
    const uint32_t *row = FIND_ROW(fold_marks, FOLD_MARKS_WIDTH, c);
    return row && c <= row[1];
}

static bool fold_is_hidden(uint32_t c)
{
    const uint32_t *row = FIND_ROW(fold_hidden, FOLD_HIDDEN_WIDTH, c);
    return row && c <= row[1];
}

// The one character that another becomes: often itself.
static uint32_t fold_one_of(uint32_t c)
{
    const uint32_t *row = FIND_ROW(fold_ranges, FOLD_RANGES_WIDTH, c);
    if (row && c <= row[1] && (c - row[0]) % row[2] == 0) return row[3] + (c - row[0]);
    row = FIND_ROW(fold_singles, FOLD_SINGLES_WIDTH, c);
    return row && row[0] == c ? row[1] : c;
}

// -- Output

static void fold_put(folding *f, uint32_t c)
{
    f->size += tn_utf8_put(c, f->out + f->size);
}

// Systems order marks by their classes, which needs another table. Ordered by code point instead,
// some more names are equal.
static void fold_put_marks(folding *f)
{
    for (uint32_t i = 0; i < f->mark_count; i++)
        fold_put(f, f->marks[i] == IOTA_BELOW ? IOTA : f->marks[i]);
    f->mark_count = 0;
}

static void fold_add(folding *f, uint32_t c)
{
    if (!fold_is_mark(c)) {
        fold_put_marks(f);
        fold_put(f, c);
        return;
    }
    if (f->mark_count == MARKS_MOST) fold_put_marks(f);
    uint32_t at = f->mark_count++;
    for (; at > 0 && f->marks[at - 1] > c; at--) f->marks[at] = f->marks[at - 1];
    f->marks[at] = c;
}

// Korean syllables are decomposed by calculation: 19 first consonants, 21 vowels, 27 last
// consonants or none.
static void fold_add_hangul(folding *f, uint32_t c)
{
    uint32_t number = c - 0xac00, last = number % 28;
    fold_add(f, 0x1100 + number / (21 * 28));
    fold_add(f, 0x1161 + number / 28 % 21);
    if (last) fold_add(f, 0x11a7 + last);
}

static void fold_add_folded(folding *f, uint32_t c)
{
    uint32_t ends[DEEPEST], end_count = 0;
    if (c >= 0xac00 && c < 0xac00 + 19 * 21 * 28) {
        fold_add_hangul(f, c);
        return;
    }
    if (fold_is_hidden(c)) return;
    c = fold_one_of(c);
    for (const uint32_t *row; end_count < DEEPEST; ends[end_count++] = row[2]) {
        row = FIND_ROW(fold_pairs, FOLD_PAIRS_WIDTH, c);
        if (!row || row[0] != c) break;
        c = fold_one_of(row[1]);
    }
    fold_add(f, c);
    while (end_count > 0) fold_add(f, ends[--end_count]);
}

// -- Input

static uint32_t fold_decode(const char *text, size_t size)
{
    static const uint8_t first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t c = (uint8_t)text[0] & first[size];
    for (size_t i = 1; i < size; i++) c = c << 6 | ((uint8_t)text[i] & 0x3f);
    return c;
}

size_t tn_fold(const char *name, size_t size, char *out)
{
    folding f = {.out = out};
    for (size_t at = 0, step; at < size; at += step ? step : 1) {
        const char *p = name + at;
        step = tn_utf8_step(p, size - at);
        if (step > 1) {
            fold_add_folded(&f, fold_decode(p, step));
            continue;
        }
        fold_put_marks(&f);
        out[f.size++] = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
    }
    fold_put_marks(&f);
    return f.size;
}
