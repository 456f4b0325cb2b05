// main.c: the table of commands, and which of them is meant.
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
    &cmd_info, &cmd_check,  &cmd_convert, &cmd_map,     &cmd_dump, &cmd_build,
    &cmd_diff, &cmd_verify, &cmd_salvage, &cmd_formats, &cmd_help, &cmd_version,
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

static int unknown_word(const char *word)
{
    guess near = guess_begin(word);
    if (word[0] == '-') {
        guess_offer(&near, "--help");
        guess_offer(&near, "--version");
        return report_unknown(NULL, &near, "unknown option '%s' before a command", word);
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        guess_offer(&near, commands[i]->name);
        if (commands[i]->alias) guess_offer(&near, commands[i]->alias);
    }
    return report_unknown(NULL, &near, "unknown command '%s'", word);
}

// The command that the first word means, also in the forms that every tool understands.
static const cli_command *find_command(const char *word)
{
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return &cmd_help;
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) return &cmd_version;
    return cli_command_by_name(word);
}

static int run(char **words)
{
    if (!words[0]) {
        help_overview(stderr);
        return CLI_USAGE;
    }
    const cli_command *command = find_command(words[0]);
    return command ? command->run(command, words + 1) : unknown_word(words[0]);
}

int main(int argc, char **argv)
{
    char **words = platform_begin(argc, argv);
    guard_begin();
    int status = out_end(words ? run(words) : report_no_memory());
    platform_end();
    return status;
}
