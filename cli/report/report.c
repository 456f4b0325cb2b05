// report.c: what went wrong, in the words and the form that all commands share.
// SPDX-License-Identifier: MIT

#include "report/report.h"

#include "input/job.h"
#include "input/paths.h"
#include "report/clean.h"
#include "system/guard.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define MESSAGE_SIZE 1024

#define LINE_COLUMNS 80
#define INDENT       2  // Of the lines below the first of a message.

// -- Mistakes in the command line

OUT_PRINTF(1, 0)
static void report_print_message(const char *fmt, va_list args)
{
    char message[MESSAGE_SIZE];
    (void)vsnprintf(message, sizeof message, fmt, args);
    out(stderr, "tenon: ");
    out_clean(stderr, message);
    out(stderr, "\n");
}

static void report_suggest_help(const cli_command *command)
{
    if (command)
        out(stderr, "  try 'tenon %s --help'\n", command->name);
    else
        out(stderr, "  try 'tenon help'\n");
}

int report_usage(const cli_command *command, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    report_print_message(fmt, args);
    va_end(args);
    report_suggest_help(command);
    return CLI_USAGE;
}

int report_unknown(const cli_command *command, const guess *near, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    report_print_message(fmt, args);
    va_end(args);
    if (near->best[0])
        out(stderr, "  did you mean '%s'?\n", near->best);
    else
        report_suggest_help(command);
    return CLI_USAGE;
}

// -- Places

const char *report_name(const char *file)
{
    return strcmp(file, "-") == 0 ? "<stdin>" : file;
}

// "robot.bplx:0x0001a4", up to the offset.
static void report_print_file_name(FILE *to, const char *file)
{
    if (to == stderr) out_flush();
    out_color(to, OUT_STRONG);
    out_clean(to, report_name(file));
}

// ": error[truncated]:"
static void report_print_severity(FILE *to, const char *word, const char *code)
{
    out(to, ": ");
    bool is_error = strcmp(word, "error") == 0, is_info = strcmp(word, "info") == 0;
    out_color(to, OUT_PLAIN);
    out_color(to, is_error ? OUT_RED : is_info ? OUT_CYAN : OUT_YELLOW);
    out(to, "%s[%s]:", word, code);
    out_color(to, OUT_PLAIN);
}

static void report_print_offset(FILE *to, uint64_t offset)
{
    if (offset != TENON_ABSENT) out(to, ":0x%06" PRIx64, offset);
}

// The columns of lines on standard error that programs do not read: 80, or more if the terminal is
// wider.
static uint32_t report_line_columns(void)
{
    uint32_t columns = out_columns();
    return columns > LINE_COLUMNS ? columns : LINE_COLUMNS;
}

// Words from column `at` on, in lines of at most so many columns; those below are indented. A word
// that is longer than a line gets a line for itself.
static void report_print_words(FILE *to, const char *text, uint32_t at, uint32_t indent,
                               uint32_t most)
{
    char clean[MESSAGE_SIZE];
    (void)clean_text(text, strlen(text), clean, sizeof clean, NULL);
    for (char *word = clean, *next; *word; word = next) {
        size_t size = strcspn(word, " ");
        next = word + size + strspn(word + size, " ");
        word[size] = '\0';
        uint32_t columns = clean_columns(word);
        bool is_below = at > indent && at + 1 + columns > most;
        if (is_below) {
            out(to, "\n");
            out_spaces(to, indent);
        } else if (at > indent) {
            out(to, " ");
        }
        at = (is_below ? indent : at > indent ? at + 1 : at) + columns;
        out_clean(to, word);
    }
}

// A line below the first one, unless the text is empty.
static void report_print_line(FILE *to, const char *label, const char *text)
{
    if (!text || !*text) return;
    out(to, "  %s", label);
    out_clean(to, text);
    out(to, "\n");
}

// The same on standard output, where a terminal breaks lines between words.
static void report_print_wrapped_line(const char *label, const char *text)
{
    uint32_t at = INDENT + (uint32_t)strlen(label);
    if (!text || !*text) return;
    if (!out_is_terminal(stdout)) {
        report_print_line(stdout, label, text);
        return;
    }
    out(stdout, "  %s", label);
    report_print_words(stdout, text, at, at, out_columns());
    out(stdout, "\n");
}

// -- Errors

int report_status(const tenon_error *err)
{
    switch (err->code) {
    case TENON_OK:
        return CLI_OK;
    case TENON_ERR_EXISTS:
        return CLI_USAGE;
    case TENON_ERR_MEMORY:
    case TENON_ERR_CANCELLED:
    case TENON_ERR_IO:
        return CLI_SYSTEM;
    default:
        return CLI_FAILED;
    }
}

// The option --from, if it was given.
static void report_print_from_option(const cli_format *from)
{
    if (from->format) out(stderr, " --from %s", from->format->name);
    if (from->format && from->dialect) out(stderr, ":%s", from->dialect->name);
}

// The next step, if there is a useful one.
static void report_suggest_next_step(const char *file, const cli_format *from,
                                     const tenon_error *err)
{
    char word[256];
    if (err->line) return;  // A text, which any editor shows.
    bool has_place = err->offset != TENON_ABSENT;
    clean_shell_word(file, word, sizeof word);
    switch (err->code) {
    case TENON_ERR_TRUNCATED:
    case TENON_ERR_VALUE:
    case TENON_ERR_TRAILING:
    case TENON_ERR_VERSION:
        if (!has_place) break;
        out(stderr, "  help: `tenon map");
        report_print_from_option(from);
        out(stderr, " %s` shows everything before the error\n", word);
        break;
    case TENON_ERR_FORMAT:
        out(stderr,
            "  help: `tenon formats` lists the known formats; '--from FORMAT' selects one\n");
        break;
    case TENON_ERR_AMBIGUOUS:
        out(stderr, "  help: select one with '--from FORMAT'\n");
        break;
    case TENON_ERR_LIMIT:
        // Depth and other limits of formats cannot be raised.
        if (job_remedy())
            out(stderr, "  help: '%s' allows more\n", job_remedy());
        else if (strstr(err->message, "memory") || strstr(err->message, "bytes"))
            out(stderr, "  help: '--max-memory SIZE' allows more\n");
        break;
    case TENON_ERR_EXISTS:
        if (!err->note[0])
            out(stderr, "  help: '--force' replaces an output, '--in-place' an input\n");
        break;
    default:
        break;
    }
}

int report_fault(const char *file, const tenon_error *err)
{
    report_print_file_name(stderr, file);
    if (err->line)
        out(stderr, ":%" PRIu64 ":%" PRIu64, err->line, err->column);
    else
        report_print_offset(stderr, err->offset);
    report_print_severity(stderr, "error", tenon_code_word(err->code));
    out(stderr, " ");
    out_clean(stderr, err->message);
    out(stderr, "\n");
    report_print_line(stderr, "in ", err->path);
    report_print_line(stderr, "note: ", err->note);
    return report_status(err);
}

int report_error(const char *file, const tenon_error *err)
{
    int status = report_fault(file, err);
    report_suggest_next_step(file, &(cli_format){0}, err);
    return status;
}

tenon_error report_make(tenon_code code, const char *fmt, ...)
{
    tenon_error err = {.code = code, .offset = TENON_ABSENT};
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(err.message, sizeof err.message, fmt, args);
    va_end(args);
    return err;
}

int report_no_memory(void)
{
    out(stderr, "tenon: out of memory\n");
    return CLI_SYSTEM;
}

void report_error_member(json_out *json, const tenon_error *err)
{
    json_begin(json, "error", '{');
    json_text(json, "code", tenon_code_word(err->code));
    if (err->offset != TENON_ABSENT) json_uint(json, "offset", err->offset);
    if (err->line) json_uint(json, "line", err->line);
    if (err->line) json_uint(json, "column", err->column);
    if (err->path[0]) json_text(json, "path", err->path);
    json_text(json, "message", err->message);
    if (err->note[0]) json_text(json, "note", err->note);
    json_end(json, '}');
}

int report_error_json(const char *file, const tenon_error *err)
{
    json_out json = {.to = stdout};
    json_begin(&json, NULL, '{');
    json_text(&json, "file", file);
    report_error_member(&json, err);
    json_end(&json, '}');
    json_line(&json);
    return report_status(err);
}

const char *report_format_of_name(const char *file)
{
    const char *dot = strrchr(file, '.');
    const tenon_format *format = dot ? format_by_extension(dot + 1, TENON_CAN_READ) : NULL;
    return format ? format->name : NULL;
}

// Whether the bytes are damaged: not what was requested, and not the machine.
static bool report_is_damage(const char *file, const tenon_error *err)
{
    if (err->code == TENON_ERR_FORMAT) {
        tenon_file_info info;
        const tenon_files *files = guard_files();
        bool has_bytes = files->look(files->user, file, &info) == 0 && info.size > 0;
        return has_bytes && report_format_of_name(file);
    }
    bool has_place = err->offset != TENON_ABSENT || err->line;
    return has_place && (err->code == TENON_ERR_TRUNCATED || err->code == TENON_ERR_VALUE);
}

int report_unreadable(const cli_common *common, const char *file, const tenon_error *err)
{
    char word[256];
    const cli_format *from = &common->from;
    if (common->json) return report_error_json(file, err);
    int status = report_fault(file, err);
    report_suggest_next_step(file, from, err);
    if (common->quiet || !report_is_damage(file, err)) return status;
    clean_shell_word(file, word, sizeof word);
    out(stderr, "  help: `tenon salvage");
    report_print_from_option(from);
    out(stderr, " %s OUT` recovers what is intact\n", word);
    return status;
}

// -- Findings and losses

const char *report_severity_word(tenon_severity severity)
{
    static const char *const words[] = {
        [TENON_INFO] = "info", [TENON_WARNING] = "warning", [TENON_ERROR] = "error"};
    return words[severity];
}

void report_finding(const char *file, const tenon_finding *finding, bool explain)
{
    const char *word = report_severity_word(finding->severity);
    report_print_file_name(stdout, file);
    report_print_offset(stdout, finding->offset);
    report_print_severity(stdout, word, finding->rule->id);
    if (out_is_terminal(stdout)) {
        char offset[32] = "";
        if (finding->offset != TENON_ABSENT)
            (void)snprintf(offset, sizeof offset, ":0x%06" PRIx64, finding->offset);
        size_t before = clean_columns(report_name(file)) + strlen(offset) + strlen(word) +
                        strlen(finding->rule->id) + strlen(": []:");
        report_print_words(stdout, finding->message, (uint32_t)before, 2 * INDENT, out_columns());
    } else {
        out(stdout, " ");
        out_clean(stdout, finding->message);
    }
    out(stdout, "\n");
    report_print_wrapped_line("in ", finding->path);
    if (explain) report_print_wrapped_line("rule: ", finding->rule->summary);
    report_print_wrapped_line("fix: ", finding->fix);
    if (finding->more) out(stdout, "  and %" PRIu64 " more\n", finding->more);
}

const char *report_loss_word(tenon_loss_kind kind)
{
    static const char *const words[] = {[TENON_DROPPED] = "dropped",
                                        [TENON_APPROXIMATED] = "approximated",
                                        [TENON_DEFAULTED] = "defaulted",
                                        [TENON_SYNTHESIZED] = "synthesized"};
    return words[kind];
}

void report_note(const char *file, const char *text)
{
    out_flush();
    out_color(stderr, OUT_STRONG);
    out_clean(stderr, report_name(file));
    out_color(stderr, OUT_PLAIN);
    out(stderr, ": note:");
    uint32_t at = clean_columns(report_name(file)) + (uint32_t)strlen(": note:");
    report_print_words(stderr, text, at, INDENT, report_line_columns());
    out(stderr, "\n");
}

void report_loss(const char *file, const tenon_loss *loss)
{
    out_flush();
    out_color(stderr, OUT_STRONG);
    out_clean(stderr, report_name(file));
    out(stderr, ": ");
    out_color(stderr, OUT_PLAIN);
    out_color(stderr, OUT_YELLOW);
    out(stderr, "%s: ", report_loss_word(loss->kind));
    out_color(stderr, OUT_PLAIN);
    out_clean(stderr, loss->feature);
    out(stderr, " (%" PRIu64 "):", loss->count);
    // The reason is in the same line if all of it fits there.
    char count[24];
    (void)snprintf(count, sizeof count, "%" PRIu64, loss->count);
    size_t columns = clean_columns(report_name(file)) + strlen(report_loss_word(loss->kind)) +
                     strlen(loss->feature) + strlen(count) + strlen(": :  ():");
    bool fits = columns + 1 + strlen(loss->why) <= report_line_columns();
    if (!fits) out(stderr, "\n  ");
    report_print_words(stderr, loss->why, fits ? (uint32_t)columns : INDENT, INDENT,
                       report_line_columns());
    if (loss->error > 0) out(stderr, "\n  by up to %.2g of the diagonal", loss->error);
    out(stderr, "\n");
    report_print_line(stderr, "first: ", loss->path ? loss->path : "");
}
