// gltf_format.h: what the files of the glTF format share.
// SPDX-License-Identifier: MIT

#ifndef TN_GLTF_FORMAT_H
#define TN_GLTF_FORMAT_H

#include "../formats.h"

enum { GLTF_IS_TEXT = 1 << 0 };  // Of a dialect: JSON, with its bytes in a file of their own.

bool gltf_export(const struct tn_export *e);

#endif  // TN_GLTF_FORMAT_H
