// fbx_import_old.h: files before version 7, as the objects and tracks of later ones.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_FBX_IMPORT_FBX_IMPORT_OLD_H
#define TN_FORMATS_FBX_IMPORT_FBX_IMPORT_OLD_H

#include "formats/fbx/import/fbx_import.h"

bool fbx_import_old_objects(fbx_importer *importer);
bool fbx_import_old_clips(fbx_importer *importer);

// Before version 6: the transform of a model at rest.
void fbx_import_old_rest(const fbx_object *object, fbx_model *model);

// The property that a channel moves.
tenon_str fbx_import_old_property(const tenon_fbx_node *channel);

// Connect the textures of models with their materials. False if the import failed.
bool fbx_import_old_paint(fbx_importer *importer);

#endif  // TN_FORMATS_FBX_IMPORT_FBX_IMPORT_OLD_H
