// fbx_omissions.h: what FBX files hold and the scene will not have.
// SPDX-License-Identifier: MIT

#ifndef TENON_IMPORT_FBX_OMISSIONS_H
#define TENON_IMPORT_FBX_OMISSIONS_H

#include "fbx_graph.h"
#include "fbx_rewrite.h"

// Look for it in a file that is not mended yet.
void fbx_find_omissions(const fbx_graph *graph, fbx_facts *facts);

#endif  // TENON_IMPORT_FBX_OMISSIONS_H
