// obj_read_look.h: what the sources about the materials of a scene share.
// SPDX-License-Identifier: MIT

#ifndef TN_OBJ_READ_LOOK_H
#define TN_OBJ_READ_LOOK_H

#include "obj_read_mtl.h"
#include "obj_read_scene.h"

typedef enum obj_look_loss {
    OBJ_LOOK_NO_FOLDER,
    OBJ_LOOK_MISSING,
    OBJ_LOOK_UNREADABLE,
    OBJ_LOOK_TOO_MANY,
    OBJ_LOOK_UNDEFINED,
    OBJ_LOOK_UNUSED,
    OBJ_LOOK_VALUE,
    OBJ_LOOK_PROPERTY,
    OBJ_LOOK_OPTION,
    OBJ_LOOK_AMBIENT,
    OBJ_LOOK_CLASSIC,
    OBJ_LOOK_TEXTURE,
    OBJ_LOOK_LOSS_COUNT,
} obj_look_loss;

typedef struct obj_look_flaw {
    uint64_t count;
    char path[96];  // Of the first.
} obj_look_flaw;

// The libraries of a model, one after the other.
typedef struct obj_looks {
    obj_scene *s;
    bool *is_defined;     // Of each material.
    const char *library;  // The one that is being read, without folder; NULL: none.
    tenon_str folder;     // Its folder, as seen from the model, with '/' at the end.
    obj_look_flaw lost[OBJ_LOOK_LOSS_COUNT];
} obj_looks;

// Count a loss. The first is at `line` of the library, or, if that is 0, is called `name`.
void obj_look_lose(obj_looks *looks, obj_look_loss loss, uint64_t line, tenon_str name);

void obj_look_tell(const obj_looks *looks);

// Give a material of the scene what a library says of it.
void obj_set_look(obj_looks *looks, uint32_t material, const obj_look *look);

#endif  // TN_OBJ_READ_LOOK_H
