// modeldata_import.h: what the files that make a scene of a ModelData share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_MODELDATA_IMPORT_MODELDATA_IMPORT_H
#define TN_FORMATS_MODELDATA_IMPORT_MODELDATA_IMPORT_H

#include "formats/modeldata/modeldata_format.h"
#include "formats/modeldata/modeldata_order.h"

#include "scene/model/scene_finish.h"

enum {
    MODELDATA_NAME_SIZE = 32,  // Of a name that is made up, with its terminator.
    MODELDATA_SKIN_MOST = 65535,
    MODELDATA_NO_PLACE = 65535,   // In the skin: no joint of it.
    MODELDATA_PLACE_COUNT = 1024  // Indices of joints in a table; larger ones are searched.
};

typedef struct modeldata_importer {
    tn_scene_builder *b;
    const tenon_modeldata *doc;
    uint64_t made_up_names;
    uint32_t *materials;  // Of each mesh.
    // Of joints:
    modeldata_order by_index;
    uint32_t *nodes;   // Of each.
    uint32_t skin;     // With all of them; TENON_NONE: there are none.
    uint16_t *places;  // Of the joint with each index below MODELDATA_PLACE_COUNT, in the skin.
} modeldata_importer;

// `name`, or, if that is empty, one that is made up in `room`.
tenon_str modeldata_name_of(modeldata_importer *m, tenon_str name, const char *word,
                            uint32_t number, char room[MODELDATA_NAME_SIZE]);

// Each of these adds what its name says; the materials come before the meshes, which have them, and
// the joints before what they move.
void modeldata_add_materials(modeldata_importer *m);
void modeldata_add_joints(modeldata_importer *m);
void modeldata_add_animations(modeldata_importer *m);

// The place in the skin of the joint that vertices call `id`, or MODELDATA_NO_PLACE.
uint16_t modeldata_place_of(const modeldata_importer *m, uint32_t id);

void modeldata_import(tn_scene_builder *b, const void *doc);

#endif  // TN_FORMATS_MODELDATA_IMPORT_MODELDATA_IMPORT_H
