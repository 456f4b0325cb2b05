// help.c: help texts from the tables of commands and options.
// SPDX-License-Identifier: MIT

#include "options/help.h"

#include "report/output.h"

#define HELP_COLUMN  26  // Where the help of an option starts.
#define STATUS_COUNT 4

static const char *const usual_statuses[STATUS_COUNT] = {
    "success",
    "a model is unreadable",
    "the command line is invalid",
    "a file is missing, reading or writing failed, or out of memory",
};

static void help_print_option(FILE *to, const cli_option *option)
{
    char head[64], text[512];
    char letter[8] = "    ";
    if (option->short_name) (void)snprintf(letter, sizeof letter, "-%c, ", option->short_name);
    int size = snprintf(head, sizeof head, "  %s--%s%s%s", letter, option->long_name,
                        option->metavar ? " " : "", option->metavar ? option->metavar : "");
    (void)snprintf(text, sizeof text, option->fallback ? "%s (default: %s)" : "%s", option->help,
                   option->fallback);
    out(to, "%s", head);
    if (size > HELP_COLUMN - 2) {
        out(to, "\n");
        size = 0;
    }
    out_spaces(to, HELP_COLUMN - (uint32_t)size);
    out_wrapped(to, text, HELP_COLUMN, HELP_COLUMN);
}

static void help_print_options(FILE *to, const cli_command *command, bool own)
{
    const cli_option *option;
    bool any = false;
    for (uint32_t i = 0; (option = cli_option_at(command, i)); i++) {
        if (cli_option_is_own(command, option) != own) continue;
        if (!any) out(to, own ? "\noptions:\n" : "\ncommon options:\n");
        any = true;
        help_print_option(to, option);
    }
}

const char *help_status(const cli_command *command, int status)
{
    if (command->statuses[status]) return command->statuses[status];
    return status == CLI_FAILED && !command->reads_models ? "" : usual_statuses[status];
}

int help_print(const cli_command *command)
{
    FILE *to = stdout;
    out(to, "tenon %s: %s\n\n", command->name, command->summary);
    for (uint32_t i = 0; command->usage[i]; i++)
        out(to, "%s tenon %s %s\n", i ? "      " : "usage:", command->name, command->usage[i]);
    if (command->details) {
        out(to, "\n");
        out_wrapped(to, command->details, 0, 0);
    }
    if (command->alias) out(to, "\n'tenon %s' is the same.\n", command->alias);
    help_print_options(to, command, true);
    help_print_options(to, command, false);
    out(to, "\nexamples:\n");
    for (const cli_example *example = command->examples; example->line; example++) {
        out(to, "  %s\n", example->line);
        out_spaces(to, 6);
        out_wrapped(to, example->meaning, 6, 6);
    }
    out(to, "\nexit status:\n");
    for (int i = 0; i < STATUS_COUNT; i++) {
        const char *meaning = help_status(command, i);
        if (!*meaning) continue;
        out(to, "  %d  ", i);
        out_wrapped(to, meaning, 5, 5);
    }
    return CLI_OK;
}

void help_overview(FILE *to)
{
    out(to, "tenon: reads, checks, explains and converts the models of five game engines\n\n"
            "usage: tenon COMMAND [OPTION]... [FILE]...\n\ncommands:\n");
    const cli_command *command;
    for (uint32_t i = 0; (command = cli_command_at(i)); i++)
        out(to, "  %-9s %s\n", command->name, command->summary);
    out(to, "\n'tenon COMMAND --help' shows the options of a command, with examples.\n");
}
