// fbx_import_materials.h: textures of materials.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_FBX_IMPORT_FBX_IMPORT_MATERIALS_H
#define TN_FORMATS_FBX_IMPORT_FBX_IMPORT_MATERIALS_H

#include "formats/fbx/import/fbx_import.h"

// Give a material of the scene a texture; reported if it has one already.
void fbx_import_texture(fbx_importer *importer, uint32_t texture, uint32_t material,
                        tenon_slot slot);

// After all textures are there.
void fbx_import_finish_images(fbx_importer *importer);

#endif  // TN_FORMATS_FBX_IMPORT_FBX_IMPORT_MATERIALS_H
