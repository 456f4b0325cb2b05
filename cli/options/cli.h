// cli.h: commands and their options: constant tables for parsing, help and suggestions.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CLI_H
#define TENON_CLI_CLI_H

#include <tenon/tenon.h>

// Exit statuses, the same for every command. Of several files the highest counts.
enum {
    CLI_GO_ON = -1,  // cli_parse(): there is work to do.
    CLI_OK = 0,
    CLI_FAILED = 1,  // The model: unreadable, an error finding, a loss under --strict.
    CLI_USAGE = 2,   // The command line; also an output that must not be replaced.
    CLI_SYSTEM = 3,  // A missing file, I/O, memory.
};

// What an option takes, and the type of its field in the struct of options.
typedef enum cli_kind {
    CLI_FLAG,     // bool: takes nothing.
    CLI_TEXT,     // const char *
    CLI_LIST,     // cli_list: text that may be given several times.
    CLI_FILE,     // const char *: the name of a file or folder.
    CLI_FILES,    // cli_list: names of files, one each time it is given.
    CLI_DIALECT,  // const char *: the name of a dialect of some format.
    CLI_PROFILE,  // const char *: the name of an engine whose limits can be checked, or that
                  // of its format; "" for a format without such limits.
    CLI_FORMAT,   // cli_format: FORMAT[:DIALECT].
    CLI_CHOICE,   // uint32_t: which of the choices.
    CLI_WORDS,    // uint32_t: some of the choices, with commas between them, as bits.
    CLI_SIZE,     // uint64_t: bytes, optionally with K, M or G; at least 1.
    CLI_OFFSET,   // uint64_t: decimal, or hexadecimal with 0x before it.
    CLI_NUMBER,   // double: decimal, more than 0.
    CLI_AMOUNT,   // double: decimal, 0 or more.
} cli_kind;

// FORMAT[:DIALECT] of a command line.
typedef struct cli_format {
    const tenon_format *format;    // NULL: not given.
    const tenon_dialect *dialect;  // NULL: not given.
} cli_format;

#define CLI_LIST_MOST 256

// The values of an option that may be given several times, in their order.
typedef struct cli_list {
    const char *values[CLI_LIST_MOST];
    uint32_t count;
} cli_list;

typedef struct cli_option {
    const char *long_name;
    char short_name;  // 0: there is none.
    cli_kind kind;
    const char *metavar;         // What help calls the value; NULL for flags.
    const char *help;            // One line or more; wrapped where it is shown.
    const char *fallback;        // The default, as help shows it; NULL: not shown.
    const char *const *choices;  // Of CLI_CHOICE and CLI_WORDS, NULL at the end.
    bool is_of_run;              // It has no effect on what is in the files that are written.
    size_t field;                // Offset of its field in the struct of options.
} cli_option;

typedef struct cli_example {
    const char *line;     // What to type.
    const char *meaning;  // What that does.
} cli_example;

typedef struct cli_command cli_command;

struct cli_command {
    const char *name;
    const char *alias;          // Another name for it, or NULL.
    const char *summary;        // What it does, one line.
    const char *usage[4];       // The arguments after "tenon NAME", one form each; NULL at the end.
    const char *details;        // A paragraph for help, or NULL.
    const cli_option *options;  // Those of this command only; the last has no long_name.
    bool takes_folders;         // Has the options for folders and lists of files,
    bool reads_models;          // those for reading,
    bool writes_files;          // and those for writing.
    const cli_example *examples;  // The last has no line.
    const char *statuses[4];      // What the exit statuses mean here; NULL: as everywhere.
    uint32_t operands_min, operands_max;
    const char *operand;  // What messages call a missing operand, for example "FILE".
    int (*run)(const cli_command *self, char **args);
};

// The options of commands that take folders and lists of files.
typedef struct cli_batch {
    cli_list include, exclude;  // Patterns of files in folders.
    cli_list files_from;        // Files that list inputs.
    bool recursive, keep_going, fail_fast;
    uint64_t threads;  // 0: as many as there are processors.
    double timeout;    // Seconds for each file; 0: no limit.
} cli_batch;

// The options that every command has. The command's struct of options starts with this one.
typedef struct cli_common {
    char **operands;
    uint32_t operand_count;
    cli_format from;
    uint64_t max_memory, max_output, max_work;  // Of a job; 0: not given.
    cli_batch batch;
    const char *beside;  // The model whose sidecars are read; NULL: the user named the files.
    bool json, quiet, verbose, help;
    uint32_t color;
} cli_common;

enum { CLI_COLOR_AUTO, CLI_COLOR_NEVER, CLI_COLOR_ALWAYS };

// Take the options out of `args`, a list with NULL at the end whose operands are moved to the
// front. `opts` is the command's struct, holding the defaults. Returns CLI_GO_ON, or the exit
// status if help was asked for or a mistake was reported.
int cli_parse(const cli_command *command, char **args, void *opts);

// Read `size` bytes of `text` as a decimal number of at least 0, with or without point and
// exponent. False if they are something else.
bool cli_read_decimal(const char *text, size_t size, double *value);

// Option number `index` of a command: its own, those of reading and writing, those of every
// command; NULL past the last.
const cli_option *cli_option_at(const cli_command *command, uint32_t index);

// Whether the option belongs to this command only.
bool cli_option_is_own(const cli_command *command, const cli_option *option);

// -- The commands

// The commands, in the order of help; NULL past the last one.
const cli_command *cli_command_at(uint32_t index);

// The command of that name or alias, or NULL.
const cli_command *cli_command_by_name(const char *name);

// Report that there is no command of that name, with the nearest one. Returns CLI_USAGE.
int cli_unknown_command(const char *name);

extern const cli_command cmd_info, cmd_check, cmd_convert, cmd_map, cmd_dump, cmd_build, cmd_diff,
    cmd_verify, cmd_salvage, cmd_report, cmd_render, cmd_formats, cmd_help, cmd_version, cmd_view;

#endif  // TENON_CLI_CLI_H
