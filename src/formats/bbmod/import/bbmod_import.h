// bbmod_import.h: a model, its materials and its animations on their way to a scene.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BBMOD_IMPORT_BBMOD_IMPORT_H
#define TN_FORMATS_BBMOD_IMPORT_BBMOD_IMPORT_H

#include "core/text/tally.h"
#include "formats/bbmod/bbmod_rig.h"
#include "scene/model/scene_build.h"
#include "scene/model/scene_finish.h"
#include "scene/model/space.h"

#include <tenon/bbmod.h>

// What becomes of a mesh of the model.
typedef struct bbmod_shape {
    uint32_t use_count;  // By nodes.
    bool is_shown;       // It has something to show.
    bool is_skinned;     // By the skin of the scene.
    uint32_t material;   // The scene's; TENON_NONE: it has none.
    uint32_t shared;     // The scene's mesh, if several nodes use it; TENON_NONE: not made yet.
} bbmod_shape;

// What was lost of the meshes.
typedef struct bbmod_mesh_flaws {
    tn_tally unused, empty, shapeless, unknown, partial, ids, weightless, influences, materials,
        colors, boneless, blended;
} bbmod_mesh_flaws;

typedef struct bbmod_importer {
    tn_scene_builder *b;
    const tenon_bbmod *doc;
    tn_arena *scratch;  // Freed when the scene is made.
    bbmod_view view;
    bbmod_rig rig;             // Its joint number i is the scene's node number i.
    bbmod_shape *shapes;       // Of each mesh of the view.
    uint32_t *joint_of_slot;   // The joint of the skin; TENON_NONE if there is none.
    uint32_t skin;             // The one that there is; TENON_NONE.
    float linear_levels[256];  // Of a byte of a colour.
    bbmod_mesh_flaws flaws;
} bbmod_importer;

// `count` zeroed objects that are not the scene's; NULL, and the builder fails, if there is no
// memory.
void *bbmod_scratch(bbmod_importer *m, uint64_t count, size_t size);

// -- Flaws

// The same, in a mesh of the view; and one more, in a node or bone.
void bbmod_tally_mesh(const bbmod_importer *m, tn_tally *flaw, uint64_t count, uint32_t mesh);
void bbmod_tally_leaf(tn_tally *flaw, const bbmod_tree *tree, uint32_t leaf);

// -- Parts

// What a document of each format means. An animation alone means nothing.
void bbmod_import(tn_scene_builder *b, const void *doc);
void bbanim_import(tn_scene_builder *b, const void *doc);

// See what there is to show of each mesh, in bbmod_import_mesh.c. Returns whether some have bones.
bool bbmod_judge_meshes(bbmod_importer *m);

// Fill in the vertices of a mesh of the view.
void bbmod_fill_primitive(bbmod_importer *m, uint32_t mesh, tenon_primitive *p);
void bbmod_report_meshes(const bbmod_importer *m);

// The materials that are used, with what the files beside the model say, in
// bbmod_import_material.c.
void bbmod_add_materials(bbmod_importer *m);

// The companions, all of which have to be animations that fit, in bbmod_import_clip.c.
void bbmod_add_clips(bbmod_importer *m);

// -- Clips

// What was lost of all clips.
typedef struct bbmod_clip_flaws {
    tn_tally rates, keys, channels, frameless, unsaid, uneven, foreign;
} bbmod_clip_flaws;

typedef struct bbmod_clip {
    bbmod_importer *m;
    const tenon_bbanim *doc;
    const char *name;
    double rate;  // Frames or tics a second.
    bbmod_clip_flaws *flaws;
} bbmod_clip;

// Key times, which grow strictly, so that channels can share them.
typedef struct bbmod_times {
    float *seconds;     // The scene's.
    uint32_t *sources;  // The frame or key that each is of; not the scene's.
    uint32_t count;
} bbmod_times;

// The first of `channel_count` channels of a new animation; NULL if the builder has failed.
tenon_channel *bbmod_begin_clip(const bbmod_clip *clip, uint64_t channel_count);

// Room for the times of `count` keys. Then add one after the other; what is not later than the one
// before is left out, and told.
bool bbmod_begin_times(const bbmod_clip *clip, uint64_t count, bbmod_times *times);
void bbmod_add_time(const bbmod_clip *clip, bbmod_times *times, uint32_t source, double tics);

// Give a channel its keys: all, or one if they are the same to the last bit. `put` puts the numbers
// of one key.
typedef void bbmod_put_fn(const void *context, uint32_t source, float *numbers);
void bbmod_fill_channel(const bbmod_clip *clip, tenon_channel *channel, const bbmod_times *times,
                        bbmod_put_fn *put, const void *context);

// Put a place as a key has it, in the scene's space.
static inline void bbmod_put_translation(tn_vec3 t, float numbers[3])
{
    t = tn_mirror_vec3(t);
    numbers[0] = (float)t.x, numbers[1] = (float)t.y, numbers[2] = (float)t.z;
}

static inline void bbmod_put_rotation(tn_quat r, float numbers[4])
{
    r = tn_mirror_quat(r);
    numbers[0] = (float)r.x, numbers[1] = (float)r.y;
    numbers[2] = (float)r.z, numbers[3] = (float)r.w;
}

// Baked frames, in bbmod_import_frames.c; keys of versions 1 and 2, in bbmod_import_keys.c.
void bbmod_add_frames(const bbmod_clip *clip);
void bbmod_add_keys(const bbmod_clip *clip);

#endif  // TN_FORMATS_BBMOD_IMPORT_BBMOD_IMPORT_H
