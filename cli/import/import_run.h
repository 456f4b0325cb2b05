// import_run.h: models that another program reads for us: FBX and many more.
// SPDX-License-Identifier: MIT
//
// tenon-import is started in a sandbox, gets the model through a pipe and gives back a GLB file,
// which is read like any other. Whatever happens to it is at most one error here.

#ifndef TENON_CLI_IMPORT_RUN_H
#define TENON_CLI_IMPORT_RUN_H

#include "import/import_format.h"
#include "options/cli.h"

#include <tenon/files.h>
#include <tenon/scene.h>

// What came back; free() the data.
typedef struct imported_model {
    void *data;
    size_t size;
} imported_model;

// Have the model in `file`, whose bytes are in memory, imported. The files beside it are read when
// the importer asks for them. False, with the reason in `err`, if that failed.
bool import_run(const cli_common *opts, const char *file, const import_format *format,
                const tenon_bytes *model, imported_model *result, tenon_error *err);

// Tell what was lost on the way, which an extra of the scene says, and take that extra away. `lost`
// may be NULL. False if memory ran out.
bool import_take_losses(tenon_scene *scene, tenon_loss_fn *lost, void *user);

#endif  // TENON_CLI_IMPORT_RUN_H
