// cli.c: parsing the command line into a command's struct of options.
// SPDX-License-Identifier: MIT

#include "options/cli.h"

#include "import/import_format.h"
#include "input/job.h"
#include "input/paths.h"
#include "options/guess.h"
#include "options/help.h"
#include "report/output.h"
#include "report/report.h"
#include "system/platform.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_SIZE 160  // Bytes for a list of names in a message.

#define COMMON(field) offsetof(cli_common, field)

static const char *const color_choices[] = {
    [CLI_COLOR_AUTO] = "auto",
    [CLI_COLOR_NEVER] = "never",
    [CLI_COLOR_ALWAYS] = "always",
    NULL,
};

static const cli_option folder_options[] = {
    {.long_name = "recursive",
     .short_name = 'r',
     .help = "also search subfolders of folders; the output gets the same subfolders",
     .field = COMMON(batch.recursive)},
    {.long_name = "include",
     .kind = CLI_LIST,
     .metavar = "PATTERN",
     .help = "of the files in folders, take only those that match, for example '*.gpb' or "
             "'props/**'; can be given several times",
     .field = COMMON(batch.include)},
    {.long_name = "exclude",
     .kind = CLI_LIST,
     .metavar = "PATTERN",
     .help = "do not take files and folders that match; can be given several times",
     .field = COMMON(batch.exclude)},
    {.long_name = "files-from",
     .kind = CLI_FILES,
     .metavar = "LIST",
     .help = "also take the files that this file names, one in each line; '-' is standard input; "
             "an operand @LIST does the same",
     .field = COMMON(batch.files_from)},
    {.long_name = "jobs",
     .short_name = 'j',
     .kind = CLI_SIZE,
     .metavar = "N",
     .help = "work on so many files at a time; results and messages do not depend on it",
     .fallback = "the number of processors",
     .field = COMMON(batch.threads)},
    {.long_name = "keep-going",
     .help = "continue with the other files after a failure; this is the default",
     .field = COMMON(batch.keep_going)},
    {.long_name = "fail-fast",
     .help = "stop at the first file that fails",
     .field = COMMON(batch.fail_fast)},
    {.long_name = "timeout",
     .kind = CLI_NUMBER,
     .metavar = "SECONDS",
     .help = "give up a file that takes longer",
     .field = COMMON(batch.timeout)},
    {0},
};

static const cli_option reading_options[] = {
    {.long_name = "from",
     .kind = CLI_FORMAT,
     .metavar = "FORMAT[:DIALECT]",
     .help = "read the input as this format",
     .fallback = "detected from the content",
     .field = COMMON(from)},
    {.long_name = "quiet",
     .short_name = 'q',
     .help = "print no progress, summaries or warnings",
     .field = COMMON(quiet)},
    {.long_name = "verbose",
     .short_name = 'v',
     .help = "print more details",
     .field = COMMON(verbose)},
    {0},
};

// Limits of a job.
static const cli_option cost_options[] = {
    {.long_name = "max-memory",
     .kind = CLI_SIZE,
     .metavar = "SIZE",
     .help = "fail if more memory is needed, for example 512M",
     .fallback = "64M plus 64 times the input",
     .field = COMMON(max_memory)},
    {.long_name = "max-work",
     .kind = CLI_SIZE,
     .metavar = "STEPS",
     .help = "fail if more steps are needed, for example 1G",
     .fallback = "256M plus 4096 for each byte of the input",
     .field = COMMON(max_work)},
    {0},
};

static const cli_option writing_options[] = {
    {.long_name = "max-output",
     .kind = CLI_SIZE,
     .metavar = "SIZE",
     .help = "fail if one input needs more output, for example 2G",
     .fallback = "64M plus 256 times the input",
     .field = COMMON(max_output)},
    {0},
};

static const cli_option common_options[] = {
    {.long_name = "json", .help = "print JSON, one object per line", .field = COMMON(json)},
    {.long_name = "color",
     .kind = CLI_CHOICE,
     .metavar = "WHEN",
     .help = "auto, never or always; auto: only on a terminal, unless NO_COLOR is set",
     .fallback = "auto",
     .choices = color_choices,
     .field = COMMON(color)},
    {.long_name = "help", .short_name = 'h', .help = "show this help", .field = COMMON(help)},
    {0},
};

bool cli_option_is_own(const cli_command *command, const cli_option *option)
{
    for (const cli_option *o = command->options; o && o->long_name; o++)
        if (o == option) return true;
    return false;
}

const cli_option *cli_option_at(const cli_command *command, uint32_t index)
{
    static const cli_option none = {0};
    bool has_cost = command->reads_models || command->writes_files;
    const cli_option *const tables[] = {command->options ? command->options : &none,
                                        command->takes_folders ? folder_options : &none,
                                        command->reads_models ? reading_options : &none,
                                        has_cost ? cost_options : &none,
                                        command->writes_files ? writing_options : &none,
                                        common_options};
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (const cli_option *o = tables[t]; o->long_name; o++)
            if (index-- == 0) return o;
    return NULL;
}

// -- Numbers

static uint32_t cli_digit_of(char c)
{
    if (c >= '0' && c <= '9') return (uint32_t)(c - '0');
    if (c >= 'a' && c <= 'f') return (uint32_t)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return (uint32_t)(c - 'A') + 10;
    return UINT32_MAX;
}

// Read digits at *text and move past them; false if there are none or too many.
static bool cli_read_digits(const char **text, uint32_t base, uint64_t *value)
{
    const char *p = *text;
    *value = 0;
    for (uint32_t digit; (digit = cli_digit_of(*p)) < base; p++) {
        if (*value > (UINT64_MAX - digit) / base) return false;
        *value = *value * base + digit;
    }
    bool any = p != *text;
    *text = p;
    return any;
}

static bool cli_read_offset(const char *text, uint64_t *value)
{
    bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (is_hex) text += 2;
    return cli_read_digits(&text, is_hex ? 16 : 10, value) && !*text;
}

static bool cli_read_size(const char *text, uint64_t *value)
{
    if (!cli_read_digits(&text, 10, value) || *value == 0) return false;
    uint32_t shift;
    switch (*text) {
    case '\0':
        return true;
    case 'k':
    case 'K':
        shift = 10;
        break;
    case 'm':
    case 'M':
        shift = 20;
        break;
    case 'g':
    case 'G':
        shift = 30;
        break;
    default:
        return false;
    }
    if (text[1] || *value > UINT64_MAX >> shift) return false;
    *value <<= shift;
    return true;
}

// The tool never sets a locale, so the decimal point is always a point. strtod() also accepts
// hexadecimal digits, "inf" and "nan", which are rejected first.
bool cli_read_decimal(const char *text, size_t size, double *value)
{
    char *end;
    bool starts_right = (*text >= '0' && *text <= '9') || *text == '.';
    if (!starts_right || strspn(text, "0123456789.eE+-") < size) return false;
    *value = strtod(text, &end);
    return end == text + size && *value <= DBL_MAX;
}

// -- Names

// The names that a value may have, for a message.
typedef struct known_names {
    char text[NAMES_SIZE];
    bool is_full;  // Not all of them are in the text.
    guess near;
} known_names;

static void cli_add_known(known_names *known, const char *name)
{
    static const char more[] = ", ...";
    size_t used = strlen(known->text);
    guess_offer(&known->near, name);
    if (known->is_full) return;
    known->is_full = used + strlen(", ") + strlen(name) + sizeof more > sizeof known->text;
    (void)snprintf(known->text + used, sizeof known->text - used, "%s%s", used ? ", " : "",
                   known->is_full ? more + 2 : name);
}

static int cli_read_choice(const cli_command *command, const cli_option *option, const char *value,
                           uint32_t *answer)
{
    known_names known = {.near = guess_begin(value)};
    for (uint32_t i = 0; option->choices[i]; i++) {
        *answer = i;
        if (strcmp(option->choices[i], value) == 0) return CLI_GO_ON;
        cli_add_known(&known, option->choices[i]);
    }
    return report_unknown(command, &known.near, "invalid value '%s' for '--%s': expected one of %s",
                          value, option->long_name, known.text);
}

// "u,v": each word sets the bit of its index among the choices.
static int cli_read_words(const cli_command *command, const cli_option *option, const char *value,
                          uint32_t *bits)
{
    for (const char *rest = value; *rest;) {
        char word[32];
        uint32_t choice = 0;
        size_t size = strcspn(rest, ",");
        (void)snprintf(word, sizeof word, "%.*s", (int)size, rest);
        int status = cli_read_choice(command, option, word, &choice);
        if (status != CLI_GO_ON) return status;
        *bits |= 1u << choice;
        rest += size + (rest[size] == ',');
    }
    if (*value) return CLI_GO_ON;
    return report_usage(command, "'--%s' needs a value: %s", option->long_name, option->metavar);
}

static int cli_read_format(const cli_command *command, const cli_option *option, const char *value,
                           cli_format *answer)
{
    char name[32], file[40], why[256];
    size_t size = strcspn(value, ":");
    (void)snprintf(name, sizeof name, "%.*s", (int)(size < sizeof name ? size : 0), value);
    for (char *c = name; *c; c++)
        if (*c >= 'A' && *c <= 'Z') *c = (char)(*c - 'A' + 'a');
    *answer = (cli_format){.format = tenon_format_by_name(name)};
    if (!answer->format && !value[size]) {
        // "glb" is not the name of a format, but it is clear what it means.
        answer->format = format_by_extension(name, UINT32_MAX);
        if (answer->format) answer->dialect = tenon_dialect_by_name(answer->format, name);
    }
    (void)snprintf(file, sizeof file, "x.%s", name);
    const import_format *imported = answer->format ? NULL : import_format_by_name(file);
    if (imported && strcmp(option->long_name, "to") == 0) {
        import_refuse_writing(imported->title, why, sizeof why);
        return report_usage(command, "%s", why);
    }
    if (!answer->format) {
        known_names known = {.near = guess_begin(name)};
        const tenon_format *format;
        for (uint32_t i = 0; (format = tenon_format_at(i)); i++)
            cli_add_known(&known, format->name);
        return report_unknown(command, &known.near, "unknown format '%.*s'; known: %s", (int)size,
                              value, known.text);
    }
    if (!value[size]) return CLI_GO_ON;
    const char *dialect = value + size + 1;
    answer->dialect = tenon_dialect_by_name(answer->format, dialect);
    if (answer->dialect) return CLI_GO_ON;
    known_names known = {.near = guess_begin(dialect)};
    for (uint32_t i = 0; i < answer->format->dialect_count; i++)
        cli_add_known(&known, answer->format->dialects[i].name);
    return report_unknown(command, &known.near, "%s has no dialect '%s'; known: %s",
                          answer->format->name, dialect, known.text);
}

// The format is known only after the model was read; but some format must have the dialect.
static int cli_read_dialect(const cli_command *command, const char *value, const char **answer)
{
    *answer = value;
    known_names known = {.near = guess_begin(value)};
    const tenon_format *format;
    for (uint32_t i = 0; (format = tenon_format_at(i)); i++) {
        if (tenon_dialect_by_name(format, value)) return CLI_GO_ON;
        for (uint32_t k = 0; k < format->dialect_count; k++)
            guess_offer(&known.near, format->dialects[k].name);
    }
    return report_unknown(command, &known.near, "no format has a dialect '%s'", value);
}

static int cli_read_profile(const cli_command *command, const char *value, const char **answer)
{
    *answer = value;
    known_names known = {.near = guess_begin(value)};
    const char *profile;
    for (uint32_t i = 0; (profile = tenon_profile_at(i)); i++) {
        if (strcmp(profile, value) == 0) return CLI_GO_ON;
        cli_add_known(&known, profile);
    }
    const tenon_format *format = tenon_format_by_name(value);
    if (format) {  // Its engine, as its rules say; "" if none of them is about an engine.
        *answer = "";
        for (uint32_t i = 0; i < format->rule_count && !**answer; i++)
            if (format->rules[i].profile) *answer = format->rules[i].profile;
        return CLI_GO_ON;
    }
    for (uint32_t i = 0; (format = tenon_format_at(i)); i++) guess_offer(&known.near, format->name);
    return report_unknown(command, &known.near,
                          "unknown profile '%s'; known: %s, and the names of formats", value,
                          known.text);
}

// -- Parsing

// A command line and the position in it.
typedef struct command_line {
    const cli_command *command;
    char **next;
    char *opts;  // The command's struct of options.
} command_line;

static int cli_store_value(const command_line *line, const cli_option *option, char *value)
{
    const char *expected = NULL;
    cli_list *list;
    void *to = line->opts + option->field;
    if (option->kind == CLI_FILE || option->kind == CLI_FILES) platform_clean_path(value);
    switch (option->kind) {
    case CLI_FLAG:
        *(bool *)to = true;
        return CLI_GO_ON;
    case CLI_TEXT:
    case CLI_FILE:
        *(const char **)to = value;
        return CLI_GO_ON;
    case CLI_LIST:
    case CLI_FILES:
        list = to;
        if (list->count == CLI_LIST_MOST)
            return report_usage(line->command, "'--%s' can be given at most %d times",
                                option->long_name, CLI_LIST_MOST);
        list->values[list->count++] = value;
        return CLI_GO_ON;
    case CLI_DIALECT:
        return cli_read_dialect(line->command, value, to);
    case CLI_PROFILE:
        return cli_read_profile(line->command, value, to);
    case CLI_FORMAT:
        return cli_read_format(line->command, option, value, to);
    case CLI_CHOICE:
        return cli_read_choice(line->command, option, value, to);
    case CLI_WORDS:
        return cli_read_words(line->command, option, value, to);
    case CLI_SIZE:
        if (cli_read_size(value, to)) return CLI_GO_ON;
        expected = "a whole number above 0, such as 100 or 512M";
        break;
    case CLI_OFFSET:
        if (cli_read_offset(value, to)) return CLI_GO_ON;
        expected = "a number such as 420 or 0x1a4";
        break;
    case CLI_NUMBER:
    case CLI_AMOUNT:
        if (cli_read_decimal(value, strlen(value), to) &&
            (*(double *)to > 0 || option->kind == CLI_AMOUNT))
            return CLI_GO_ON;
        expected = option->kind == CLI_NUMBER ? "a number above 0, such as 30"
                                              : "a number of at least 0, such as 0.5";
        break;
    }
    return report_usage(line->command, "invalid value '%s' for '--%s': expected %s", value,
                        option->long_name, expected);
}

// An option that takes a value: what follows it in the same word, or the next word.
static int cli_store_next_value(command_line *line, const cli_option *option, char *attached)
{
    char *value = attached ? attached : *line->next;
    if (!value)
        return report_usage(line->command, "'--%s' needs a value: %s", option->long_name,
                            option->metavar);
    if (!attached) line->next++;
    return cli_store_value(line, option, value);
}

static int cli_report_unknown_option(const cli_command *command, const char *word, int size)
{
    char shown[64], candidate[64];
    (void)snprintf(shown, sizeof shown, "%.*s", size, word);
    guess near = guess_begin(shown);
    const cli_option *option;
    for (uint32_t i = 0; (option = cli_option_at(command, i)); i++) {
        (void)snprintf(candidate, sizeof candidate, "--%s", option->long_name);
        guess_offer(&near, candidate);
    }
    return report_unknown(command, &near, "unknown option '%s'", shown);
}

// "--force", "--output=FILE", "--output FILE"
static int cli_parse_long(command_line *line, char *word)
{
    char *name = word + 2;
    size_t size = strcspn(name, "=");
    char *attached = name[size] ? name + size + 1 : NULL;
    const cli_option *option;
    for (uint32_t i = 0; (option = cli_option_at(line->command, i)); i++)
        if (strlen(option->long_name) == size && strncmp(option->long_name, name, size) == 0) break;
    if (!option) return cli_report_unknown_option(line->command, word, (int)size + 2);
    if (option->kind != CLI_FLAG) return cli_store_next_value(line, option, attached);
    if (attached)
        return report_usage(line->command, "'--%s' does not take a value", option->long_name);
    return cli_store_value(line, option, NULL);
}

// "-f", "-qv", "-oFILE", "-qo FILE"
static int cli_parse_short(command_line *line, char *word)
{
    int status = CLI_GO_ON;
    for (char *letter = word + 1; *letter && status == CLI_GO_ON; letter++) {
        const cli_option *option;
        for (uint32_t i = 0; (option = cli_option_at(line->command, i)); i++)
            if (option->short_name == *letter) break;
        if (!option) return cli_report_unknown_option(line->command, word, (int)strlen(word));
        if (option->kind != CLI_FLAG)
            return cli_store_next_value(line, option, letter[1] ? letter + 1 : NULL);
        status = cli_store_value(line, option, NULL);
    }
    return status;
}

int cli_parse(const cli_command *command, char **args, void *opts)
{
    cli_common *common = opts;
    command_line line = {.command = command, .next = args, .opts = opts};
    bool only_operands = false;
    common->operands = args;  // Operands are moved to the front.
    while (*line.next) {
        char *word = *line.next++;
        int status = CLI_GO_ON;
        if (only_operands || word[0] != '-' || !word[1]) {
            platform_clean_path(word);
            args[common->operand_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            only_operands = true;
        } else {
            status = word[1] == '-' ? cli_parse_long(&line, word) : cli_parse_short(&line, word);
        }
        if (status != CLI_GO_ON) return status;
        if (common->help) return help_print(command);
    }
    args[common->operand_count] = NULL;
    out_use_color(common->color);
    if (common->operand_count < command->operands_min && !common->batch.files_from.count)
        return report_usage(command, "%s is missing", command->operand);
    if (common->operand_count > command->operands_max)
        return report_usage(command, "unexpected argument '%s'",
                            common->operands[command->operands_max]);
    job_begin(common);
    return CLI_GO_ON;
}
