// fbx_origin.h: which program wrote an FBX file, and in which version of the format.
// SPDX-License-Identifier: MIT

#ifndef TENON_IMPORT_FBX_ORIGIN_H
#define TENON_IMPORT_FBX_ORIGIN_H

#include "fbx_rewrite.h"
#include "fbx_tree.h"

// Note what the head of the file says: the program that saved it last, or else the one that made
// it, or else the library that did.
void fbx_find_origin(const fbx_tree *tree, fbx_facts *facts);

#endif  // TENON_IMPORT_FBX_ORIGIN_H
