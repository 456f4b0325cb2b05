// fbx_import_models.h: transforms of models.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_FBX_IMPORT_FBX_IMPORT_MODELS_H
#define TN_FORMATS_FBX_IMPORT_FBX_IMPORT_MODELS_H

#include "core/text/text.h"
#include "formats/fbx/import/fbx_import.h"

// Properties that say around which points a model turns and scales, and what it is turned by
// before and after that.
enum { FBX_PRE_ROTATION = 4, FBX_POST_ROTATION, FBX_PIVOT_COUNT };
extern const char *const fbx_import_pivots[FBX_PIVOT_COUNT];

bool fbx_import_is_pivot(tenon_str property);

// A rotation by angles about the axes, in one of the six orders.
tn_quat fbx_import_euler(const double degrees[3], uint32_t order);

// The rotation of a model whose own angles are `degrees`.
tn_quat fbx_import_rotation(const fbx_model *model, const double degrees[3]);

// The local transform of a model, with its pivots and offsets, in the file's unit.
void fbx_import_place(const fbx_model *model, const double translation[3], tn_quat rotation,
                      const double scale[3], tn_trs *out);

// Convert such a transform to meters and, for a root, to the axes of scenes.
void fbx_import_to_scene(const fbx_importer *importer, const fbx_model *model, tn_trs *local);

// Whether a model has its place in the frame without scale of its parent.
bool fbx_import_is_unscaled(const fbx_importer *importer, uint32_t index);

#endif  // TN_FORMATS_FBX_IMPORT_FBX_IMPORT_MODELS_H
