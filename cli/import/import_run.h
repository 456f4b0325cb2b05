// import_run.h: models that tenon-import reads: COLLADA and many more.
// SPDX-License-Identifier: MIT
//
// tenon-import runs in a sandbox, receives the model through a pipe and sends back a GLB file,
// which is read like any other. Whatever happens to it is at most one error here.

#ifndef TENON_CLI_IMPORT_RUN_H
#define TENON_CLI_IMPORT_RUN_H

#include "import/import_format.h"
#include "options/cli.h"

#include <tenon/files.h>
#include <tenon/scene.h>

// The GLB file; free() the data.
typedef struct imported_model {
    void *data;
    size_t size;
} imported_model;

// Import the model in `file`, whose bytes are in memory. The files beside it are read when the
// importer requests them. False, with `err` set, on failure.
bool import_run(const cli_common *opts, const char *file, const import_format *format,
                const tenon_bytes *model, imported_model *result, tenon_error *err);

#endif  // TENON_CLI_IMPORT_RUN_H
