// cmd_help.c: tenon help.
// SPDX-License-Identifier: MIT

#include "options/help.h"
#include "report/json_out.h"

// -- For programs that make manuals and completions

static const char *const kinds[] = {
    [CLI_FLAG] = "flag",     [CLI_TEXT] = "text",       [CLI_FILE] = "file",
    [CLI_LIST] = "text",     [CLI_FILES] = "file",      [CLI_DIALECT] = "dialect",
    [CLI_FORMAT] = "format", [CLI_CHOICE] = "choice",   [CLI_SIZE] = "size",
    [CLI_OFFSET] = "offset", [CLI_PROFILE] = "profile", [CLI_NUMBER] = "number",
    [CLI_AMOUNT] = "number", [CLI_WORDS] = "words",
};

static void cmd_help_json_option(json_out *json, const cli_option *option, bool is_own)
{
    char letter[2] = {option->short_name, '\0'};
    json_begin(json, NULL, '{');
    json_text(json, "long", option->long_name);
    if (option->short_name) json_text(json, "short", letter);
    json_text(json, "kind", kinds[option->kind]);
    if (option->metavar) json_text(json, "metavar", option->metavar);
    if (option->choices) {
        json_begin(json, "choices", '[');
        for (uint32_t i = 0; option->choices[i]; i++) json_text(json, NULL, option->choices[i]);
        json_end(json, ']');
    }
    if (option->kind == CLI_PROFILE) {
        const char *profile;
        json_begin(json, "choices", '[');
        for (uint32_t i = 0; (profile = tenon_profile_at(i)); i++) json_text(json, NULL, profile);
        json_end(json, ']');
    }
    json_text(json, "help", option->help);
    if (option->fallback) json_text(json, "default", option->fallback);
    json_bool(json, "own", is_own);
    json_end(json, '}');
}

static void cmd_help_print_json(const cli_command *command)
{
    json_out json = {.to = stdout};
    json_begin(&json, NULL, '{');
    json_text(&json, "name", command->name);
    if (command->alias) json_text(&json, "alias", command->alias);
    json_text(&json, "summary", command->summary);
    json_begin(&json, "usage", '[');
    for (uint32_t i = 0; command->usage[i]; i++) json_text(&json, NULL, command->usage[i]);
    json_end(&json, ']');
    if (command->details) json_text(&json, "details", command->details);
    json_begin(&json, "options", '[');
    const cli_option *option;
    for (uint32_t i = 0; (option = cli_option_at(command, i)); i++)
        cmd_help_json_option(&json, option, cli_option_is_own(command, option));
    json_end(&json, ']');
    json_begin(&json, "examples", '[');
    for (const cli_example *example = command->examples; example->line; example++) {
        json_begin(&json, NULL, '{');
        json_text(&json, "line", example->line);
        json_text(&json, "meaning", example->meaning);
        json_end(&json, '}');
    }
    json_end(&json, ']');
    json_begin(&json, "statuses", '[');
    for (int i = CLI_OK; i <= CLI_SYSTEM; i++) json_text(&json, NULL, help_status(command, i));
    json_end(&json, ']');
    json_end(&json, '}');
    json_line(&json);
}

// -- The command

static int run_help(const cli_command *self, char **args)
{
    cli_common opts = {0};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    const cli_command *command;
    if (opts.operand_count == 0) {
        if (!opts.json) help_overview(stdout);
        for (uint32_t i = 0; opts.json && (command = cli_command_at(i)); i++)
            cmd_help_print_json(command);
        return CLI_OK;
    }
    command = cli_command_by_name(opts.operands[0]);
    if (!command) return cli_unknown_command(opts.operands[0]);
    if (!opts.json) return help_print(command);
    cmd_help_print_json(command);
    return CLI_OK;
}

static const cli_example examples[] = {
    {"tenon help", "all commands, one line each"},
    {"tenon help convert", "the same as 'tenon convert --help'"},
    {"tenon help --json", "the options of all commands, for manuals and completions"},
    {0},
};

const cli_command cmd_help = {
    .name = "help",
    .summary = "show what a command does and how to use it",
    .usage = {"[OPTION]... [COMMAND]"},
    .examples = examples,
    .operands_max = 1,
    .run = run_help,
};
