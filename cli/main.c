// main.c: the table of commands, and running one of them.
// SPDX-License-Identifier: MIT

#include "options/cli.h"
#include "options/guess.h"
#include "options/help.h"
#include "report/output.h"
#include "report/report.h"
#include "system/guard.h"
#include "system/platform.h"

#include <string.h>

// A command is one file and one line here.
static const cli_command *const commands[] = {
    &cmd_info,   &cmd_check, &cmd_convert, &cmd_map,     &cmd_dump,
    &cmd_build,  &cmd_diff,  &cmd_verify,  &cmd_salvage, &cmd_report,
    &cmd_render, &cmd_view,  &cmd_formats, &cmd_help,    &cmd_version,
};

#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

const cli_command *cli_command_at(uint32_t index)
{
    return index < COMMAND_COUNT ? commands[index] : NULL;
}

const cli_command *cli_command_by_name(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const cli_command *c = commands[i];
        if (strcmp(c->name, name) == 0 || (c->alias && strcmp(c->alias, name) == 0)) return c;
    }
    return NULL;
}

int cli_unknown_command(const char *name)
{
    guess near = guess_begin(name);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        guess_offer(&near, commands[i]->name);
        if (commands[i]->alias) guess_offer(&near, commands[i]->alias);
    }
    return report_unknown(NULL, &near, "unknown command '%s'", name);
}

static int main_run_command(char **words)
{
    const char *word = words[0];
    if (!word) {
        help_overview(stderr);
        return CLI_USAGE;
    }
    const cli_command *command = cli_command_by_name(word);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) command = &cmd_help;
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) command = &cmd_version;
    if (command) return command->run(command, words + 1);
    if (word[0] != '-') return cli_unknown_command(word);
    guess near = guess_begin(word);
    guess_offer(&near, "--help");
    guess_offer(&near, "--version");
    return report_unknown(NULL, &near, "unknown option '%s' before the command", word);
}

int main(int argc, char **argv)
{
    char **words = platform_begin(argc, argv);
    guard_begin();
    int status = out_end(words ? main_run_command(words) : report_no_memory());
    platform_end();
    return status;
}
