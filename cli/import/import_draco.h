// import_draco.h: tenon-import decodes meshes that are compressed by Draco.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_IMPORT_DRACO_H
#define TENON_CLI_IMPORT_DRACO_H

#include "options/cli.h"

#include <tenon/gltf.h>
#include <tenon/scene.h>

// Whose meshes are decoded, for messages.
typedef struct import_draco_user {
    const cli_common *opts;
    const char *file;
} import_draco_user;

// A tenon_draco_fn; `user` is an import_draco_user.
bool import_decode_draco(void *user, const tenon_draco_mesh *meshes, uint32_t count,
                         tenon_error *err);

#endif  // TENON_CLI_IMPORT_DRACO_H
