// fbx_models.h: the nodes of FBX files, which the format calls models: how they turn and inherit.
// SPDX-License-Identifier: MIT

#ifndef TENON_IMPORT_FBX_MODELS_H
#define TENON_IMPORT_FBX_MODELS_H

#include "fbx_graph.h"
#include "fbx_rewrite.h"

// Take away what does not count, and note what Assimp does not tell. Names are unique already.
void fbx_rewrite_models(const fbx_graph *graph, fbx_facts *facts);

#endif  // TENON_IMPORT_FBX_MODELS_H
