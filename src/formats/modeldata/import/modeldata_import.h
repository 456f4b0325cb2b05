// modeldata_import.h: what the files that import a ModelData share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_MODELDATA_IMPORT_MODELDATA_IMPORT_H
#define TN_FORMATS_MODELDATA_IMPORT_MODELDATA_IMPORT_H

#include "formats/modeldata/modeldata_format.h"

#include "scene/model/scene_finish.h"

enum {
    MODELDATA_NAME_SIZE = 32,     // Bytes of a synthesized name, with its terminator.
    MODELDATA_SKIN_MOST = 65535,  // Joints of a skin.
    MODELDATA_NO_SLOT = 65535,    // Not a joint of the skin.
    MODELDATA_SLOT_COUNT = 1024,  // Indices in the table `skin_slots`; larger ones are searched.
};

typedef struct modeldata_importer {
    tn_scene_builder *builder;
    const tenon_modeldata *doc;
    uint64_t synthesized_names;
    tn_tally elements, points, weights;  // What meshes lose.
    uint32_t *materials;                 // Of each mesh.
    modeldata_order by_index;            // Joints.
    uint32_t *nodes;                     // Of each joint.
    uint32_t skin;                       // With all joints; TENON_NONE if there are none.
    uint16_t *skin_slots;  // For each stored index of a joint, its position in the skin.
} modeldata_importer;

// `name`, or, if that is empty, a synthesized name, which is written to `name_buffer`.
tenon_str modeldata_import_name_of(modeldata_importer *importer, tenon_str name, const char *word,
                                   uint32_t number, char name_buffer[MODELDATA_NAME_SIZE]);

// Materials are added before meshes, which refer to them, and joints before animations.
void modeldata_import_materials(modeldata_importer *importer);
void modeldata_import_animations(modeldata_importer *importer);

void modeldata_import(tn_scene_builder *builder, const void *doc);

#endif  // TN_FORMATS_MODELDATA_IMPORT_MODELDATA_IMPORT_H
