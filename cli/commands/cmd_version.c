// cmd_version.c: tenon version.
// SPDX-License-Identifier: MIT

#include "options/cli.h"
#include "report/json_out.h"
#include "report/output.h"

static int run_version(const cli_command *self, char **args)
{
    cli_common opts = {0};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    if (!opts.json) {
        out(stdout, "tenon %s\n", tenon_version());
        return CLI_OK;
    }
    json_out json = {.to = stdout};
    json_begin(&json, NULL, '{');
    json_text(&json, "version", tenon_version());
    json_end(&json, '}');
    json_line(&json);
    return CLI_OK;
}

static const cli_example examples[] = {
    {"tenon version", "for example 'tenon 0.1.0'"},
    {"tenon version --json", "for scripts"},
    {0},
};

const cli_command cmd_version = {
    .name = "version",
    .summary = "show the version",
    .usage = {"[OPTION]..."},
    .examples = examples,
    .run = run_version,
};
