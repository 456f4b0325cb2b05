// obj_export.h: what the files that export OBJ and MTL share.
// SPDX-License-Identifier: MIT
//
// An OBJ file contains one pose of a scene: no hierarchy, no skeleton, no animation. Both files are
// streamed: memory is needed only for names and for the vertices of one primitive.

#ifndef TN_FORMATS_OBJ_EXPORT_OBJ_EXPORT_H
#define TN_FORMATS_OBJ_EXPORT_OBJ_EXPORT_H

#include "core/text/number.h"
#include "exchange/export.h"

typedef struct obj_exporter {
    const tn_export *export;
    tenon_pose *pose;
    tenon_str stem;                    // The names of sidecars begin with it.
    const char *library;               // The name of the MTL file; NULL if there is none.
    const char **objects;              // Names of nodes that have a mesh, else NULL.
    const char **materials;            // Names of materials.
    const char *default_material;      // The material of parts without one; NULL if not needed.
    const char **images;               // Paths of images, relative to the MTL file.
    uint64_t positions, uvs, normals;  // Written so far.
    uint64_t flat_count;               // Triangles that use a vertex twice: they are not written.
    uint64_t not_finite_count;         // Numbers that became 0.
    uint64_t renamed_count;            // Names that had to be changed.
    uint64_t done, total;              // Vertices, for progress.
    size_t used;                       // Of the buffer.
    char buffer[8192];
} obj_exporter;

// -- Text (obj_export.c)
//
// After a failure, which sets the error of the export, these functions do nothing.

bool obj_has_failed(const obj_exporter *exporter);
void obj_write(obj_exporter *exporter, const char *text);
void obj_write_f32(obj_exporter *exporter, float value);

// A space and a number for each value.
void obj_write_f32s(obj_exporter *exporter, const float *values, uint32_t count);

// "KEY NAME\n"
void obj_write_line(obj_exporter *exporter, const char *key, const char *name);

// "KEY n n n\n"
void obj_write_row(obj_exporter *exporter, const char *key, const double *values, uint32_t count);

// Write the buffer to the output.
void obj_flush(obj_exporter *exporter);

// Convert a name to one word. Without memory `data` is NULL.
tenon_str obj_name_word(const obj_exporter *exporter, tenon_str name);

// Write text at the end of a line: control characters become '_'.
void obj_write_text(obj_exporter *exporter, const char *text, size_t size);

// -- Materials (obj_export_material.c)

// The set of texture coordinates to write: that of the material's first texture, if the primitive
// has it. TENON_NONE if the primitive has none.
uint32_t obj_uv_set(const tenon_scene *scene, const tenon_primitive *p);

// Whether to write V downwards, as in the scene, because the image or its transform is upside down.
// Few programs support transforms.
bool obj_v_goes_down(const tn_export *export, uint32_t material);

// Write the MTL file, if the scene has materials, and images that are stored in the scene.
bool obj_export_materials(obj_exporter *exporter);

#endif  // TN_FORMATS_OBJ_EXPORT_OBJ_EXPORT_H
