// obj_export.h: the parts of the writer of OBJ and MTL.
// SPDX-License-Identifier: MIT
//
// OBJ is what a scene looks like at one moment: no tree, no skeleton, no time. Both files are
// written piece by piece; the only memory is for names and for the vertices of one primitive.

#ifndef TN_FORMATS_OBJ_EXPORT_OBJ_EXPORT_H
#define TN_FORMATS_OBJ_EXPORT_OBJ_EXPORT_H

#include "core/text/number.h"
#include "exchange/export.h"

typedef struct obj_exporter {
    const tn_export *e;
    tenon_pose *pose;
    const char *stem;                  // What the names of side files begin with.
    const char *library;               // The name of the MTL file; NULL: there is none.
    const char **objects;              // Names of nodes that have a mesh, else NULL.
    const char **materials;            // Names of materials.
    const char *no_material;           // The material of parts that have none; NULL: not needed.
    const char **images;               // Paths of images, as seen from the MTL file.
    uint64_t positions, uvs, normals;  // Lines of each that were written.
    uint64_t flat_count;               // Triangles left out, two of whose corners are one.
    uint64_t not_finite_count;         // Numbers that became 0.
    uint64_t renamed_count;            // Names that had to be changed.
    uint64_t done, total;              // Vertices, for progress.
    size_t used;                       // Of the buffer.
    char buffer[8192];
} obj_exporter;

// Write a scene: the hook of the format.
bool obj_export(const struct tn_export *e);

// -- Text (obj_export_text.c)
//
// Failure is sticky, in the error of the export: calls need no checking.

bool obj_failed(const obj_exporter *w);
void obj_put(obj_exporter *w, const char *text);
void obj_put_bytes(obj_exporter *w, const char *bytes, size_t size);
void obj_put_u64(obj_exporter *w, uint64_t value);
void obj_put_f32(obj_exporter *w, float value);

// A space and a number, for each.
void obj_put_f32s(obj_exporter *w, const float *values, uint32_t count);

// "KEY n n n\n"
void obj_put_row(obj_exporter *w, const char *key, const double *values, uint32_t count);

// Hand on what is in the buffer.
void obj_flush(obj_exporter *w);

// -- Names (obj_export_names.c)

// Give every object and material a name that is one word and that no other has; and the MTL file.
bool obj_name_all(obj_exporter *w);

// A name as one word. Without memory `data` is NULL.
tenon_str obj_word(const obj_exporter *w, tenon_str name);

// Text for the rest of a line, after a space: what would end it becomes '_'.
void obj_put_text(obj_exporter *w, const char *text, size_t size);

// -- Materials (obj_export_material.c, obj_export_image.c)

// Which texture coordinates the textures of a material take, of those that it could.
uint32_t obj_uv_set(const tenon_scene *scene, const tenon_primitive *p);

// Whether V is to go down, as in the scene: the picture is upside down, or its transform turns it
// over. Programs know of V that goes up and of V that goes down, but rarely of transforms.
bool obj_goes_down(const tn_export *e, uint32_t material);

// Write pictures that are in the scene only, and find the paths of all.
bool obj_export_images(obj_exporter *w);

bool obj_export_materials(obj_exporter *w);

// -- Losses (obj_export_loss.c)

// Tell what OBJ cannot hold.
void obj_report_losses(const obj_exporter *w);

#endif  // TN_FORMATS_OBJ_EXPORT_OBJ_EXPORT_H
