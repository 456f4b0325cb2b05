// edits.h: all edits of a scene in the order in which `tenon convert` does them.
// SPDX-License-Identifier: MIT

#ifndef TENON_TEST_EDITS_H
#define TENON_TEST_EDITS_H

#include <tenon/edit.h>

typedef struct edits {
    tenon_events events;  // Of all of them.
    tenon_edit_clip_opts cut;
    const tenon_scene *clips_from;
    tenon_edit_space_opts source;
    tenon_edit_keep_opts keep;
    tenon_edit_mesh_opts meshes;
    tenon_edit_clip_opts clips;
    tenon_edit_space_opts space;
} edits;

static inline bool edit_scene(tenon_scene *scene, const edits *wanted, tenon_error *err)
{
    edits all = *wanted;
    all.cut.events = all.source.events = all.keep.events = all.meshes.events = all.clips.events =
        all.space.events = all.events;
    return tenon_edit_clips(scene, &all.cut, err) &&
           tenon_edit_add_clips(scene, all.clips_from, &all.events, err) &&
           tenon_edit_space(scene, &all.source, err) && tenon_edit_keep(scene, &all.keep, err) &&
           tenon_edit_meshes(scene, &all.meshes, err) && tenon_edit_clips(scene, &all.clips, err) &&
           tenon_edit_space(scene, &all.space, err);
}

#endif  // TENON_TEST_EDITS_H
