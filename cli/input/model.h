// model.h: the files that commands read.
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
    const import_format *format;  // What the document was imported from; NULL: it is the file.
    imported_model imported;
} model;

// Take the bytes of a file into memory, or map them if they are many.
bool model_load(model *m, const cli_common *opts, const char *file, tenon_error *err);

// Load a file and read the document in it: that of another program, if it has to be imported. On
// failure, which is in `err`, everything is freed.
bool model_read(model *m, const cli_common *opts, const char *file, tenon_error *err);

// Load a file for a command that works on its bytes. One that has to be imported is refused with a
// sentence that starts with `refusal`, such as "'map' cannot show the bytes of".
bool model_load_exact(model *m, const cli_common *opts, const char *file, const char *refusal,
                      tenon_error *err);

// The same, and read the document in it.
bool model_read_exact(model *m, const cli_common *opts, const char *file, const char *refusal,
                      tenon_error *err);

// Free what was loaded and read. Zeroed is fine.
void model_free(model *m);

// The options with which the library reads this file.
tenon_read_opts model_read_opts(const cli_common *opts, const char *file);

// Whether standard input is among the files more than once, which cannot work.
bool model_stdin_is_repeated(char **files, uint32_t count);

#endif  // TENON_CLI_MODEL_H
