// guess.h: the known word that is nearest to a mistyped one.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_GUESS_H
#define TENON_CLI_GUESS_H

#include <stdint.h>

typedef struct guess {
    const char *word;   // As typed.
    char best[96];      // The nearest candidate so far; "" if none is near.
    uint32_t distance;  // Of `best`; at first, one that is too far.
} guess;

guess guess_begin(const char *word);
void guess_offer(guess *near, const char *candidate);

#endif  // TENON_CLI_GUESS_H
