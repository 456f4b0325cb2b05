// convert_stale.h: files beside an output that its reader would take for part of it.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_STALE_H
#define TENON_CLI_CONVERT_STALE_H

#include "convert/convert_scene.h"

// Add the files beside the output that belong to it by their names, but that this conversion did
// not write: those of an earlier one, most likely. They are not ours to remove. False if memory ran
// out; a folder that cannot be listed has none.
bool stale_find(file_list *stale, const scene_conversion *c, const tenon_format *to);

#endif  // TENON_CLI_CONVERT_STALE_H
