// clean.h: making foreign text safe to print: cleaning, measuring, quoting.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CLEAN_H
#define TENON_CLI_CLEAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The size of the UTF-8 character at `bytes`, of which `size` are left, and its code point; 0 if
// there is none.
size_t clean_decode(const void *bytes, size_t size, uint32_t *code);

// Whether all of it is UTF-8.
bool clean_is_utf8(const void *bytes, size_t size);

// Whether a character could disturb a terminal or mislead the reader: control characters, and
// those that change the direction of writing or end a line.
bool clean_is_unsafe(uint32_t code);

// Copy text for display: what is unsafe or not UTF-8 becomes '?'. Takes as much as fits and, if
// `taken` is not NULL, says how much of the input that was. Always terminates `out`, which must
// have room for at least five bytes. Returns the size without the terminator.
size_t clean_text(const void *bytes, size_t size, char *out, size_t out_size, size_t *taken);

// How many columns clean text takes on a terminal.
uint32_t clean_columns(const char *text);

// The size of the longest start of clean text that takes at most so many columns.
size_t clean_fit(const char *text, uint32_t columns);

// A file's name as a word for a shell; "FILE" if there is no simple one.
void clean_shell_word(const char *name, char *out, size_t out_size);

#endif  // TENON_CLI_CLEAN_H
