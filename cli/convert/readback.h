// readback.h: reads what is about to be written, and checks it.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_READBACK_H
#define TENON_CLI_READBACK_H

#include "options/cli.h"

#include <tenon/scene.h>

// Whether a file with these contents would be recognized under the name `path` and pass `check`
// without errors. Both functions return false, with `err` set, only if that cannot be decided.
bool readback_doc(const tenon_doc *doc, const char *path, const cli_common *common, bool *is_sound,
                  tenon_error *err);

// The same for the main file of an export. If the export fails, *is_sound is false.
bool readback_scene(const tenon_scene *scene, const tenon_export_opts *opts, const char *path,
                    const cli_common *common, bool *is_sound, tenon_error *err);

#endif  // TENON_CLI_READBACK_H
