// fbx_omissions.h: finds what an FBX file has and the scene will not have.
// SPDX-License-Identifier: MIT

#ifndef TENON_IMPORT_FBX_OMISSIONS_H
#define TENON_IMPORT_FBX_OMISSIONS_H

#include "fbx_graph.h"
#include "fbx_rewrite.h"

// Must be called before the file is rewritten.
void fbx_find_omissions(const fbx_graph *graph, fbx_facts *facts);

#endif  // TENON_IMPORT_FBX_OMISSIONS_H
