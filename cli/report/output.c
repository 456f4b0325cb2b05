// output.c: everything the tool prints goes through here.
// SPDX-License-Identifier: MIT

#include "report/output.h"

#include "options/cli.h"
#include "report/clean.h"
#include "system/guard.h"
#include "system/platform.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_DEFAULT 80
#define ROWS_DEFAULT    24
#define COLUMNS_LEAST   40
#define COLUMNS_MOST    1000

// The streams are the process's own, and so is what is known about them.
static struct {
    bool color_stdout, color_stderr;
    int error;  // The errno of the first failure of standard output.
} streams;

static _Thread_local out_capture *captured;  // Of this thread; NULL: it prints at once.

// -- Printing later

enum { PIECE_HEAD = 1 + sizeof(size_t) };

void out_capture_begin(out_capture *capture)
{
    captured = capture;
}

void out_capture_end(void)
{
    captured = NULL;
}

bool out_is_captured(void)
{
    return captured != NULL;
}

static bool output_is_kept(const FILE *to)
{
    return captured && (to == stdout || to == stderr);
}

// Bytes for the same stream as before go to the same piece.
static void output_keep(const FILE *to, const void *bytes, size_t size)
{
    out_capture *all = captured;
    char stream = to == stdout ? 'o' : 'e';
    size_t piece_size = 0;
    if (size == 0 || all->failed) return;
    if (size + PIECE_HEAD > all->room - all->size) {
        size_t room = 2 * all->room + size + PIECE_HEAD + 256;
        char *longer = realloc(all->bytes, room);
        all->failed = !longer;
        if (!longer) return;
        all->bytes = longer;
        all->room = room;
    }
    bool continues = all->size > 0 && all->bytes[all->last] == stream;
    if (continues) {
        memcpy(&piece_size, all->bytes + all->last + 1, sizeof piece_size);
    } else {
        all->last = all->size;
        all->bytes[all->last] = stream;
        all->size += PIECE_HEAD;
    }
    piece_size += size;
    memcpy(all->bytes + all->last + 1, &piece_size, sizeof piece_size);
    memcpy(all->bytes + all->size, bytes, size);
    all->size += size;
}

void out_capture_print(out_capture *capture)
{
    size_t size = 0;
    for (size_t at = 0; at < capture->size; at += PIECE_HEAD + size) {
        FILE *to = capture->bytes[at] == 'o' ? stdout : stderr;
        memcpy(&size, capture->bytes + at + 1, sizeof size);
        if (to == stderr) out_flush();
        out_bytes(to, capture->bytes + at + PIECE_HEAD, size);
    }
    // What is missing was not printed: out_end() reports it.
    if (capture->failed && !streams.error) streams.error = ENOMEM;
    out_capture_free(capture);
}

void out_capture_free(out_capture *capture)
{
    free(capture->bytes);
    *capture = (out_capture){0};
}

// -- The streams

static bool output_wants_color(uint32_t choice, FILE *stream)
{
    if (choice != CLI_COLOR_AUTO) return choice == CLI_COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR");
    if (no_color && *no_color) return false;
    return platform_has_color(stream);
}

void out_use_color(uint32_t choice)
{
    streams.color_stdout = output_wants_color(choice, stdout);
    streams.color_stderr = output_wants_color(choice, stderr);
}

// What could not be printed on standard error cannot be reported anywhere.
static void output_note_failure(const FILE *to, bool failed)
{
    if (failed && to == stdout && !streams.error) streams.error = errno ? errno : EIO;
}

bool out_failed(void)
{
    return streams.error != 0;
}

void out_flush(void)
{
    if (captured) return;
    output_note_failure(stdout, fflush(stdout) != 0);
}

int out_end(int status)
{
    output_note_failure(stdout, fclose(stdout) != 0);
    if (!streams.error) return status;
    // A reader that has seen enough, such as `head`, is not worth a message.
    if (platform_is_closed_pipe(streams.error))
        guard_end_by_pipe();
    else
        out(stderr, "tenon: cannot write to standard output: %s\n", strerror(streams.error));
    return CLI_SYSTEM;
}

bool out_is_terminal(FILE *stream)
{
    return platform_is_terminal(stream);
}

FILE *out_to_memory(char **text, size_t *size)
{
    return platform_memory_begin(text, size);
}

bool out_memory_end(FILE *stream, char **text, size_t *size)
{
    return platform_memory_end(stream, text, size);
}

static uint32_t output_columns_of_environment(void)
{
    const char *text = getenv("COLUMNS");
    uint32_t columns = 0;
    for (; text && *text >= '0' && *text <= '9' && columns <= COLUMNS_MOST; text++)
        columns = 10 * columns + (uint32_t)(*text - '0');
    return text && *text ? 0 : columns;
}

uint32_t out_cells(void)
{
    uint32_t columns = output_columns_of_environment();
    if (columns == 0) columns = platform_columns();
    if (columns == 0) columns = COLUMNS_DEFAULT;
    return columns > COLUMNS_MOST ? COLUMNS_MOST : columns;
}

uint32_t out_columns(void)
{
    uint32_t cells = out_cells();
    return cells < COLUMNS_LEAST ? COLUMNS_LEAST : cells;
}

uint32_t out_rows(void)
{
    uint32_t rows = platform_rows();
    return rows ? rows : ROWS_DEFAULT;
}

bool out_has_color(void)
{
    return streams.color_stdout;
}

// -- Printing

void out(FILE *to, const char *fmt, ...)
{
    va_list args;
    if (output_is_kept(to)) {
        char text[512];
        va_start(args, fmt);
        int size = vsnprintf(text, sizeof text, fmt, args);
        va_end(args);
        char *longer = size >= (int)sizeof text ? malloc((size_t)size + 1) : NULL;
        if (longer) {
            va_start(args, fmt);
            (void)vsnprintf(longer, (size_t)size + 1, fmt, args);
            va_end(args);
        }
        captured->failed |= size < 0 || (size >= (int)sizeof text && !longer);
        if (size >= 0) output_keep(to, longer ? longer : text, (size_t)size);
        free(longer);
        return;
    }
    va_start(args, fmt);
    output_note_failure(to, vfprintf(to, fmt, args) < 0);
    va_end(args);
}

void out_bytes(FILE *to, const void *bytes, size_t size)
{
    if (output_is_kept(to))
        output_keep(to, bytes, size);
    else
        output_note_failure(to, fwrite(bytes, 1, size, to) != size);
}

bool out_to_stream(void *user, const void *bytes, size_t size)
{
    out_bytes(user, bytes, size);
    return user == stdout ? !out_failed() : !ferror(user);
}

void out_clean(FILE *to, const char *text)
{
    out_clean_bytes(to, text, strlen(text));
}

void out_clean_bytes(FILE *to, const char *text, size_t size)
{
    char piece[256];
    while (size > 0) {
        size_t taken;
        size_t clean_size = clean_text(text, size, piece, sizeof piece, &taken);
        out_bytes(to, piece, clean_size);
        text += taken;
        size -= taken;
    }
}

void out_spaces(FILE *to, uint32_t count)
{
    out(to, "%*s", (int)count, "");
}

void out_wrapped(FILE *to, const char *text, uint32_t at, uint32_t indent)
{
    while (*text) {
        uint32_t size = (uint32_t)strcspn(text, " ");
        if (at > indent && at + 1 + size > COLUMNS_DEFAULT - 1) {
            out(to, "\n");
            out_spaces(to, indent);
            at = indent;
        } else if (at > indent) {
            out(to, " ");
            at++;
        }
        out(to, "%.*s", (int)size, text);
        at += size;
        text += size;
        text += strspn(text, " ");
    }
    out(to, "\n");
}

void out_color(FILE *to, out_style style)
{
    static const char *const codes[] = {
        [OUT_PLAIN] = "0",  [OUT_STRONG] = "1",    [OUT_FAINT] = "2",
        [OUT_RED] = "1;31", [OUT_YELLOW] = "1;33", [OUT_CYAN] = "1;36",
    };
    bool on = to == stdout ? streams.color_stdout : to == stderr && streams.color_stderr;
    if (on) out(to, "\033[%sm", codes[style]);
}

void out_count(FILE *to, uint64_t count, const char *thing)
{
    out(to, "%" PRIu64 " %s%s", count, thing, count == 1 ? "" : "s");
}
