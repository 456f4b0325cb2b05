// obj.h: the document of a Wavefront OBJ file, which is its text.
// SPDX-License-Identifier: MIT

#ifndef TENON_OBJ_H
#define TENON_OBJ_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// The text is parsed by tenon_to_scene(), tenon_check() and tenon_doc_info().
typedef struct tenon_obj {
    tenon_doc base;
    uint32_t size;   // Bytes of the text; tenon_finalize() sets it.
    tenon_str text;  // The whole file, borrowed, without a terminating NUL.
} tenon_obj;

// `doc` as an OBJ document, or NULL if it has another format.
TENON_API tenon_obj *tenon_as_obj(tenon_doc *doc);

#ifdef __cplusplus
}
#endif
#endif  // TENON_OBJ_H
