// guess.c: the known word that is nearest to a mistyped one.
// SPDX-License-Identifier: MIT

#include "options/guess.h"

#include <stdbool.h>
#include <string.h>

#define WORD_MAX   (sizeof((guess *)0)->best - 1)
#define START_SIZE 3

static char guess_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static uint32_t guess_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// The edit distance: letters to add, remove, change, or swap with their neighbor. Both words are at
// most WORD_MAX long.
static uint32_t guess_edit_distance(const char *a, const char *b)
{
    size_t a_size = strlen(a), b_size = strlen(b);
    uint32_t rows[3][WORD_MAX + 1];
    for (size_t k = 0; k <= b_size; k++) rows[0][k] = (uint32_t)k;
    for (size_t i = 1; i <= a_size; i++) {
        uint32_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = (uint32_t)i;
        for (size_t k = 1; k <= b_size; k++) {
            char x = guess_lower(a[i - 1]), y = guess_lower(b[k - 1]);
            row[k] = guess_least(above[k - 1] + (x != y), guess_least(above[k], row[k - 1]) + 1);
            bool swapped =
                i > 1 && k > 1 && x == guess_lower(b[k - 2]) && y == guess_lower(a[i - 2]);
            if (swapped) row[k] = guess_least(row[k], second[k - 2] + 1);
        }
    }
    return rows[a_size % 3][b_size];
}

guess guess_begin(const char *word)
{
    // One letter may be wrong, or two in words of five letters or more.
    uint32_t most = strlen(word + strspn(word, "-")) < 5 ? 1 : 2;
    return (guess){.word = word, .distance = most + 1};
}

void guess_offer(guess *near, const char *candidate)
{
    size_t word_size = strlen(near->word), size = strlen(candidate);
    if (word_size == 0 || word_size > WORD_MAX || size > WORD_MAX) return;
    uint32_t edits = guess_edit_distance(near->word, candidate);
    // The start of a word counts as the word.
    if (edits > 1 && word_size >= START_SIZE && strncmp(near->word, candidate, word_size) == 0)
        edits = 1;
    if (edits >= near->distance) return;
    near->distance = edits;
    memcpy(near->best, candidate, size + 1);
}
