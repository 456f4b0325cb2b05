// text.h: UTF-8, and text from files made fit for a terminal.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_TEXT_TEXT_H
#define TN_CORE_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/math/floating_point.h"
#include "core/memory/arena.h"

#include <tenon/tenon.h>

// The size, 1 to 4, of the UTF-8 sequence that starts at `bytes`, of which `size` are left; 0 if it
// is cut, overlong, a surrogate, above U+10FFFF or not a sequence at all. NUL is a character.
size_t tn_utf8_step(const void *bytes, size_t size);

// Whether `size` bytes are an incomplete sequence: only its end is missing.
bool tn_utf8_is_cut(const void *bytes, size_t size);

// Write a character as UTF-8; returns its size, 1 to 4.
size_t tn_utf8_put(uint32_t c, char *out);

// Whether all of `bytes` is UTF-8. True if `size` is 0.
bool tn_utf8_valid(const void *bytes, size_t size);

// Copy `bytes` for display: each control character (C0, DEL, C1) and each byte that is not UTF-8
// becomes '?'. What does not fit in `out_size` bytes is left out, never half a character.
//
// Always terminates `out`, unless `out_size` is 0. Returns the size without the terminator.
size_t tn_text_clean(const void *bytes, size_t size, char *out, size_t out_size);

// Text for a message, passed by value.
typedef struct tn_shown {
    char text[128];
} tn_shown;

// What tn_text_clean() makes of a text with room for `room` bytes, at most sizeof(tn_shown).
tn_shown tn_show(tenon_str text, size_t room);

// What tn_f32_text() and tn_f64_text() make of a number.
tn_shown tn_show_f32(float v);
tn_shown tn_show_f64(double v);

// Whether two words are equal without regard to the case of ASCII letters, in any locale.
bool tn_same_word(const char *a, const char *b);

// Whether two texts have the same bytes. Either may be without data if its size is 0.
bool tn_text_equal(tenon_str a, tenon_str b);
bool tn_text_is(tenon_str text, const char *word);

// Less than, equal to or greater than 0 as `a` is before, equal to or after `b`, byte by byte.
int tn_text_order(tenon_str a, tenon_str b);

// Both texts joined, with a terminator, in memory for `what`. Without data, with the error set, if
// out of memory or too long.
tenon_str tn_text_join(tn_arena *arena, tenon_str start, tenon_str end, const char *what,
                       tenon_error *err);

// Remove and return the part of a text up to `separator`, which is removed as well. Without one,
// that is all, and the text is left without data.
tenon_str tn_text_cut(tenon_str *text, char separator);

// Remove `start` from the beginning of a text. False, without a change, if it begins differently.
bool tn_text_skip(tenon_str *text, const char *start);

// The value of a hexadecimal digit of either case, or -1.
int tn_hex_digit(char c);

#endif  // TN_CORE_TEXT_TEXT_H
