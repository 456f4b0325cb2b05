// output.h: everything the tool prints goes through here.
// SPDX-License-Identifier: MIT
//
// out() is for text from the tool itself. Text from a file or from the command line goes through
// out_clean(), or through clean.h first.

#ifndef TENON_CLI_OUTPUT_H
#define TENON_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#define OUT_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define OUT_PRINTF(fmt, args)
#endif

typedef enum out_style {
    OUT_PLAIN,
    OUT_STRONG,
    OUT_FAINT,
    OUT_RED,
    OUT_YELLOW,
    OUT_CYAN,
} out_style;

// Turn color on or off; `choice` is that of --color.
void out_use_color(uint32_t choice);

// Flush and close standard output. Returns `status`, or CLI_SYSTEM
// if not everything could be printed; that is reported, unless the reader of a pipe just went away.
int out_end(int status);

// What a thread printed, to be printed later.
typedef struct out_capture {
    char *bytes;  // Pieces: the stream, the size, and the bytes.
    size_t size, room;
    size_t last;  // Where the last piece begins.
    bool failed;  // Memory ran out: something is missing.
} out_capture;

// What this thread prints on standard output and standard error goes there, until
// out_capture_end().
void out_capture_begin(out_capture *capture);
void out_capture_end(void);

// Whether what this thread prints now appears later.
bool out_is_captured(void);

// Print what was captured, in the order in which it was printed, and free it.
void out_capture_print(out_capture *capture);
void out_capture_free(out_capture *capture);

// Make what was printed so far appear before a message on standard error.
void out_flush(void);

// Whether standard output has failed, so that more work for it is useless.
bool out_failed(void);

// Whether a standard stream is a terminal.
bool out_is_terminal(FILE *stream);

// A stream into memory, to be closed with out_memory_end(), after which *text is what was written,
// to be freed by the caller. NULL and false if there is no memory.
FILE *out_to_memory(char **text, size_t *size);
bool out_memory_end(FILE *stream, char **text, size_t *size);

// How many letters fit into a line: COLUMNS, else the terminal's columns, else 80.
uint32_t out_cells(void);

// The same for text, which is not made narrower than can be read.
uint32_t out_columns(void);

// The rows of the terminal, or 24 if they are not known.
uint32_t out_rows(void);

// Whether standard output shows colors.
bool out_has_color(void);

void out(FILE *to, const char *fmt, ...) OUT_PRINTF(2, 3);
void out_bytes(FILE *to, const void *bytes, size_t size);

// A tenon_write_fn that prints to a stream; `user` is the FILE.
bool out_to_stream(void *user, const void *bytes, size_t size);

// Print text in which nothing can disturb a terminal: see clean_text().
void out_clean(FILE *to, const char *text);
void out_clean_bytes(FILE *to, const char *text, size_t size);

// Print so many spaces.
void out_spaces(FILE *to, uint32_t count);

// Print words from the tool itself, from column `at` on, in lines of less than 80 columns that
// start at `indent`.
void out_wrapped(FILE *to, const char *text, uint32_t at, uint32_t indent);

// Switch the style, if color is on.
void out_color(FILE *to, out_style style);

// "1 error", "2 errors".
void out_count(FILE *to, uint64_t count, const char *thing);

#endif  // TENON_CLI_OUTPUT_H
