// fbx_import_clips.h: values of properties at times of a clip, over all its layers.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_FBX_IMPORT_FBX_IMPORT_CLIPS_H
#define TN_FORMATS_FBX_IMPORT_FBX_IMPORT_CLIPS_H

#include "formats/fbx/import/fbx_import_curves.h"
#include "formats/fbx/import/fbx_import_models.h"

// The value of a property at a time: that of its tracks, the first of which may be TENON_NONE, or
// `rest`.
void fbx_import_track_value(const fbx_clip *clip, uint32_t track, double time, bool is_scale,
                            const double rest[3], double out[3]);

// The same for angles, as a rotation.
tn_quat fbx_import_track_rotation(const fbx_clip *clip, uint32_t track, double time, uint32_t order,
                                  const double rest[3]);

// The first track of a property in a clip; TENON_NONE: none. The tracks are sorted by object.
uint32_t fbx_import_find_track(const fbx_clip *clip, uint32_t object, tenon_str property);

// What a curve does before its first and after its last key.
void fbx_import_read_beyond(const tenon_fbx_node *node, fbx_curve *curve);

// Add a track to a clip whose list has room for `*room`, and sort them when all are there. False if
// the import failed.
bool fbx_import_add_track(fbx_importer *importer, fbx_clip *clip, uint32_t *room,
                          const fbx_track *track);
bool fbx_import_sort_tracks(fbx_importer *importer, fbx_clip *clip);

// The diagonal of everything at rest.
double fbx_import_size(fbx_importer *importer, const tn_mat4 *rests);

// How far from each node something is that it moves. NULL if the import failed.
double *fbx_import_reaches(fbx_importer *importer, const tn_mat4 *rests);

#endif  // TN_FORMATS_FBX_IMPORT_FBX_IMPORT_CLIPS_H
