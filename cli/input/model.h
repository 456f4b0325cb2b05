// model.h: reading the files that commands work on.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_MODEL_H
#define TENON_CLI_MODEL_H

#include "import/import_run.h"
#include "options/cli.h"

#include <tenon/files.h>

// A model as a command works with it.
typedef struct model {
    const char *file;  // As on the command line; "-" is standard input.
    tenon_bytes bytes;
    tenon_doc *doc;               // NULL until it is read.
    const import_format *format;  // Of a file that tenon-import read; NULL: Tenon read it.
    imported_model imported;
} model;

// Load the bytes of a file into memory, or map them if the file is large.
bool model_load(model *input, const cli_common *opts, const char *file, tenon_error *err);

// Load a file and read its document; tenon-import reads formats that Tenon does not read itself. On
// failure `err` is set and everything is freed.
bool model_read(model *input, const cli_common *opts, const char *file, tenon_error *err);

// Load a file for a command that works on its bytes. A file that needs tenon-import is refused with
// a message that starts with `refusal`, such as "'map' cannot show the bytes of".
bool model_load_exact(model *input, const cli_common *opts, const char *file, const char *refusal,
                      tenon_error *err);

// The same, and read the document in it.
bool model_read_exact(model *input, const cli_common *opts, const char *file, const char *refusal,
                      tenon_error *err);

// Free what was loaded and read. Zeroed is fine.
void model_free(model *input);

// The options with which the library reads this file.
tenon_read_opts model_read_opts(const cli_common *opts, const char *file);

// Whether standard input is named more than once, as a list or among the first `count` operands: it
// can be read only once.
bool model_stdin_is_repeated(const cli_common *opts, uint32_t count);

#endif  // TENON_CLI_MODEL_H
