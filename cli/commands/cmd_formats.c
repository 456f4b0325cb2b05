// cmd_formats.c: tenon formats: what can be done with which format.
// SPDX-License-Identifier: MIT

#include "import/import_format.h"
#include "input/paths.h"
#include "options/cli.h"
#include "report/json_out.h"
#include "report/output.h"

#include <string.h>

#define NAME_COLUMNS    11
#define FILES_COLUMNS   18
#define DEFAULT_COLUMNS 10

static const struct {
    const char *word;
    uint32_t bit;
    bool is_shown;  // In the table for people.
} abilities[] = {
    {"read", TENON_CAN_READ, true},    {"write", TENON_CAN_WRITE, true},
    {"exact", TENON_IS_EXACT, true},   {"check", TENON_CAN_CHECK, true},
    {"magic", TENON_HAS_MAGIC, false},
};

#define ABILITY_COUNT (sizeof abilities / sizeof abilities[0])

// The dialect that is written unless another is requested, for a table.
static const char *cmd_formats_default_dialect(const tenon_format *format)
{
    if (!format->dialect_count) return "-";
    const char *second = format->dialect_count > 1 ? format->extensions[1] : NULL;
    bool is_by_name = second && strcmp(second, format->dialects[1].name) == 0;
    return is_by_name ? "by name" : format->dialects[0].name;
}

// -- For people

static void cmd_formats_print_row(const tenon_format *format)
{
    char files[64] = "";
    for (size_t i = 0; i < EXTENSION_COUNT && format->extensions[i]; i++) {
        size_t used = strlen(files);
        (void)snprintf(files + used, sizeof files - used, "%s.%s", i ? " " : "",
                       format->extensions[i]);
    }
    out(stdout, "%-*s%-*s", NAME_COLUMNS, format->name, FILES_COLUMNS, files);
    for (size_t i = 0; i < ABILITY_COUNT; i++)
        if (abilities[i].is_shown)
            out(stdout, "%-7s", format->caps & abilities[i].bit ? "yes" : "-");
    out(stdout, "%-*s%u\n", DEFAULT_COLUMNS, cmd_formats_default_dialect(format),
        (unsigned)format->dialect_count);
}

static void cmd_formats_print_dialects(const tenon_format *format)
{
    out(stdout, "\n%s: %s, of %s\n", format->name, format->title, format->engine);
    uint32_t longest = 0;
    for (uint32_t i = 0; i < format->dialect_count; i++) {
        uint32_t size = (uint32_t)strlen(format->dialects[i].name);
        if (size > longest) longest = size;
    }
    for (uint32_t i = 0; i < format->dialect_count; i++) {
        out(stdout, "  %-*s  ", (int)longest, format->dialects[i].name);
        out_wrapped(stdout, format->dialects[i].summary, longest + 4, longest + 4);
    }
}

static void cmd_formats_print_table(void)
{
    const tenon_format *format;
    out(stdout, "%-*s%-*s", NAME_COLUMNS, "format", FILES_COLUMNS, "files");
    for (size_t i = 0; i < ABILITY_COUNT; i++)
        if (abilities[i].is_shown) out(stdout, "%-7s", abilities[i].word);
    out(stdout, "%-*sdialects\n", DEFAULT_COLUMNS, "default");
    for (uint32_t i = 0; (format = tenon_format_at(i)); i++) cmd_formats_print_row(format);
    for (uint32_t i = 0; (format = tenon_format_at(i)); i++)
        if (format->dialect_count) cmd_formats_print_dialects(format);

    // There are many imported formats, so only their names are listed.
    const import_format *imported;
    char text[1024] = "";
    for (uint32_t i = 0; (imported = import_format_at(i)); i++) {
        size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "%s.%s", i ? " " : "", imported->name);
    }
    out(stdout, "\nimported by tenon-import, which is %sinstalled:\n  ",
        import_is_there() ? "" : "not ");
    out_wrapped(stdout, text, 2, 2);
}

// -- For programs

static void cmd_formats_print_json(const tenon_format *format)
{
    json_out json = {.to = stdout};
    json_begin(&json, NULL, '{');
    json_text(&json, "name", format->name);
    json_text(&json, "title", format->title);
    json_text(&json, "engine", format->engine);
    json_begin(&json, "extensions", '[');
    for (size_t i = 0; i < EXTENSION_COUNT && format->extensions[i]; i++)
        json_text(&json, NULL, format->extensions[i]);
    json_end(&json, ']');
    for (size_t i = 0; i < ABILITY_COUNT; i++)
        json_bool(&json, abilities[i].word, (format->caps & abilities[i].bit) != 0);
    json_text(&json, "default", cmd_formats_default_dialect(format));
    json_begin(&json, "dialects", '[');
    for (uint32_t i = 0; i < format->dialect_count; i++) {
        json_begin(&json, NULL, '{');
        json_text(&json, "name", format->dialects[i].name);
        json_text(&json, "summary", format->dialects[i].summary);
        json_end(&json, '}');
    }
    json_end(&json, ']');
    json_uint(&json, "rules", format->rule_count);
    json_end(&json, '}');
    json_line(&json);
}

// -- The command

static int run_formats(const cli_command *self, char **args)
{
    cli_common opts = {0};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    if (!opts.json) {
        cmd_formats_print_table();
        return CLI_OK;
    }
    const tenon_format *format;
    for (uint32_t i = 0; (format = tenon_format_at(i)); i++) cmd_formats_print_json(format);
    const import_format *imported;
    for (uint32_t i = 0; (imported = import_format_at(i)); i++) {
        json_out json = {.to = stdout};
        json_begin(&json, NULL, '{');
        json_text(&json, "name", imported->name);
        json_text(&json, "title", imported->title);
        json_begin(&json, "extensions", '[');
        json_text(&json, NULL, imported->name);
        json_end(&json, ']');
        json_bool(&json, "read", import_is_there());
        json_bool(&json, "imported", true);
        json_end(&json, '}');
        json_line(&json);
    }
    return CLI_OK;
}

static const cli_example examples[] = {
    {"tenon formats", "all formats and their dialects"},
    {"tenon formats --json | jq -r .name", "the names that '--from' and '--to' take"},
    {0},
};

const cli_command cmd_formats = {
    .name = "formats",
    .summary = "list the formats and what can be done with each",
    .usage = {"[OPTION]..."},
    .details = "'exact' means that a file that is read is written back byte for byte. Dialects "
               "are the layouts that files of one format can have; '--from bplx:script' reads "
               "one, '--as script' writes one.",
    .examples = examples,
    .run = run_formats,
};
