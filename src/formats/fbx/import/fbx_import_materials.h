// fbx_import_materials.h: shaders and textures of materials.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_FBX_IMPORT_FBX_IMPORT_MATERIALS_H
#define TN_FORMATS_FBX_IMPORT_FBX_IMPORT_MATERIALS_H

#include "formats/fbx/import/fbx_import.h"

// The part of a name after its last '|'; "" if it has none.
tenon_str fbx_import_last_part(tenon_str name);

// -- Shaders (fbx_import_shaders.c)

// Set a material from the properties of a shader. Returns false if it is none that is known.
bool fbx_import_shader(const fbx_object *object, tenon_material *to);

// The factors of its base color, and of its emission.
double fbx_import_shader_weight(const fbx_object *object);
double fbx_import_shader_glow(const fbx_object *object);

// Whether its roughness is glossiness, which is the opposite.
bool fbx_import_shader_is_glossy(const fbx_object *object);

// Whether the texture of a property counts: shaders have switches for theirs.
bool fbx_import_shader_uses(const fbx_object *object, tenon_str name);

// Keep the properties of a known shader that materials do not have as extras.
void fbx_import_shader_extras(fbx_importer *importer, uint32_t object, uint32_t material);

// -- Textures (fbx_import_textures.c)

// The picture of a texture, which is added if it is new; TENON_NONE: it has none.
uint32_t fbx_import_texture_image(fbx_importer *importer, uint32_t texture);

// The last part of its path; "" if it has none.
tenon_str fbx_import_texture_name(fbx_importer *importer, uint32_t texture);

// The part of a path after the last slash or backslash.
tenon_str fbx_import_textures_base(tenon_str path);

// Make room for all textures. False if the import failed.
bool fbx_import_begin_textures(fbx_importer *importer);

// What is known of a texture.
const fbx_texture *fbx_import_texture_of(fbx_importer *importer, uint32_t texture);

// Give a material of the scene a texture.
void fbx_import_texture(fbx_importer *importer, uint32_t texture, uint32_t material,
                        tenon_slot slot);

// Which pictures are joined: of metalness and roughness, of metalness and glossiness, or of color
// and opacity.
typedef enum fbx_join { FBX_JOIN_ROUGHNESS, FBX_JOIN_GLOSS, FBX_JOIN_OPACITY } fbx_join;

// One picture of two, of which one may be TENON_NONE. Returns TENON_NONE if a picture cannot be
// read, or the import failed.
uint32_t fbx_import_joined(fbx_importer *importer, uint32_t first, uint32_t second, fbx_join join);

// After all textures are there.
void fbx_import_finish_images(fbx_importer *importer);

#endif  // TN_FORMATS_FBX_IMPORT_FBX_IMPORT_MATERIALS_H
