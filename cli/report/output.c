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

uint32_t out_columns(void)
{
    uint32_t columns = output_columns_of_environment();
    if (columns == 0) columns = platform_columns();
    if (columns == 0) columns = COLUMNS_DEFAULT;
    if (columns < COLUMNS_LEAST) return COLUMNS_LEAST;
    return columns > COLUMNS_MOST ? COLUMNS_MOST : columns;
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
    va_start(args, fmt);
    output_note_failure(to, vfprintf(to, fmt, args) < 0);
    va_end(args);
}

void out_bytes(FILE *to, const void *bytes, size_t size)
{
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
