// help.h: help texts from the tables of commands and options.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_HELP_H
#define TENON_CLI_HELP_H

#include "options/cli.h"

#include <stdio.h>

// The help of a command, on standard output. Returns CLI_OK.
int help_print(const cli_command *command);

// What an exit status of a command means; "" if it does not have it.
const char *help_status(const cli_command *command, int status);

// What the tool is and which commands it has.
void help_overview(FILE *to);

#endif  // TENON_CLI_HELP_H
