// import_animations.c: imports clips: the channels of each node, on the file's own timeline.
// SPDX-License-Identifier: MIT

#include "import.h"
#include "import_tracks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATE       25    // Ticks a second, if the file does not give a rate.
#define SHEAR      1e-4  // Tolerated difference of a matrix from its parts, as a share.
#define SHEAR_TEXT 80

typedef struct clip_importer {
    assimp_importer *importer;
    const struct aiAnimation *from;
    const struct aiNodeAnim **channels;  // Sorted by name.
    double rate;                         // Ticks a second.
    double start;                        // Of the first key, in seconds.
    tenon_animation *to;
} clip_importer;

// -- Times

static double import_animations_seconds(const clip_importer *clip, double ticks)
{
    return finite_or(ticks, 0) / clip->rate;
}

static void import_animations_find_times(clip_importer *clip)
{
    clip->rate = clip->from->mTicksPerSecond;
    if (!(clip->rate > 0) || !isfinite(clip->rate)) {
        clip->rate = RATE;
        import_report_loss(clip->importer, TENON_DEFAULTED, "ticks a second",
                           "not in the file: 25 is used", 1, clip->from->mName.data);
    }
    clip->start = HUGE_VAL;
    for (unsigned i = 0; i < clip->from->mNumChannels; i++) {
        const struct aiNodeAnim *from = clip->from->mChannels[i];
        if (from->mNumPositionKeys)
            clip->start =
                fmin(clip->start, import_animations_seconds(clip, from->mPositionKeys[0].mTime));
        if (from->mNumRotationKeys)
            clip->start =
                fmin(clip->start, import_animations_seconds(clip, from->mRotationKeys[0].mTime));
        if (from->mNumScalingKeys)
            clip->start =
                fmin(clip->start, import_animations_seconds(clip, from->mScalingKeys[0].mTime));
    }
    if (clip->start == HUGE_VAL) clip->start = 0;
}

// -- Channels of nodes

static int import_animations_compare_channels(const void *a, const void *b)
{
    const struct aiNodeAnim *const *x = a, *const *y = b;
    return strcmp((*x)->mNodeName.data, (*y)->mNodeName.data);
}

static int import_animations_compare_name(const void *name, const void *item)
{
    const struct aiNodeAnim *const *channel = item;
    return strcmp(name, (*channel)->mNodeName.data);
}

static const struct aiNodeAnim *import_animations_channel_named(const clip_importer *clip,
                                                                const char *name)
{
    const struct aiNodeAnim **found =
        bsearch(name, clip->channels, clip->from->mNumChannels, sizeof *clip->channels,
                import_animations_compare_name);
    return found ? *found : NULL;
}

static void import_animations_find_channels(clip_importer *clip)
{
    unsigned count = clip->from->mNumChannels;
    clip->channels = import_alloc(count, sizeof *clip->channels);
    for (unsigned i = 0; i < count; i++) clip->channels[i] = clip->from->mChannels[i];
    qsort(clip->channels, count, sizeof *clip->channels, import_animations_compare_channels);
}

static void import_animations_report_lost_channels(const clip_importer *clip)
{
    const struct aiAnimation *from = clip->from;
    uint64_t missing = 0;
    const char *first = NULL;
    for (unsigned i = 0; i < from->mNumChannels; i++) {
        if (import_node_named(clip->importer, from->mChannels[i]->mNodeName.data) != TENON_NONE)
            continue;
        if (missing++ == 0) first = from->mChannels[i]->mNodeName.data;
    }
    import_report_loss(clip->importer, TENON_DROPPED, "channels", "no node has their name", missing,
                       first);
    import_report_omission(clip->importer, "animations of blend shapes", "not supported",
                           from->mNumMorphMeshChannels, from->mName.data);
    import_report_omission(clip->importer, "animations of vertices", "not supported",
                           from->mNumMeshChannels, from->mName.data);
}

// -- Keys

// How much a matrix differs from its translation, rotation and scale, as a share of its largest
// number; 0 if it is not visible. An axis with a length of nearly 0 may point anywhere.
static double import_animations_shear_of(const mat4 *matrix, const trs *parts)
{
    mat4 again = mat4_of_trs(parts);
    double largest = 0, off = 0;
    for (int i = 0; i < 12; i++) {
        largest = fmax(largest, fabs(matrix->m[i]));
        off = fmax(off, fabs(matrix->m[i] - again.m[i]));
    }
    return off > SHEAR * largest ? off / largest : 0;
}

static void import_animations_copy_keys(const clip_importer *clip, uint32_t index,
                                        const struct aiNodeAnim *from, node_tracks *to)
{
    const assimp_importer *importer = clip->importer;
    const import_node *node = &importer->nodes[index];
    quat before = node->parent == TENON_NONE ? importer->space.turn : quat_identity;
    quat post = node->has_post ? node->post_turn : quat_identity;
    for (unsigned i = 0; i < from->mNumPositionKeys; i++) {
        vec3 place = import_point(importer, vec3_of(from->mPositionKeys[i].mValue));
        track_add_vec3(&to->translation,
                       import_animations_seconds(clip, from->mPositionKeys[i].mTime),
                       quat_turn(before, place));
    }
    for (unsigned i = 0; i < from->mNumRotationKeys; i++) {
        quat rotation = quat_of(from->mRotationKeys[i].mValue);
        track_add_quat(&to->rotation, import_animations_seconds(clip, from->mRotationKeys[i].mTime),
                       quat_mul(quat_mul(before, rotation), post));
    }
    for (unsigned i = 0; i < from->mNumScalingKeys; i++)
        track_add_vec3(&to->scale, import_animations_seconds(clip, from->mScalingKeys[i].mTime),
                       vec3_of(from->mScalingKeys[i].mValue));
}

// -- Channels of the scene

static void import_animations_add_channel(clip_importer *clip, uint32_t node, tenon_target target,
                                          key_track *from)
{
    tenon_channel channel = {.node = node, .target = target, .curve = TENON_LINEAR};
    track_finish(clip->importer, from, target, clip->start < 0 ? -clip->start : 0, &channel);
    if (channel.key_count == 0) return;
    double end = (double)channel.times[channel.key_count - 1];
    if (end > clip->to->duration) clip->to->duration = end;
    clip->to->channels[clip->to->channel_count++] = channel;
}

// Each has its own line, since the amount is part of the reason.
static void import_animations_report_shear(assimp_importer *importer, double shear,
                                           const char *name)
{
    char *why = import_scene_alloc(importer, SHEAR_TEXT, 1);
    (void)snprintf(why, SHEAR_TEXT, "animated nodes cannot have shear: off by up to %.2g %%",
                   100 * shear);
    import_report_omission(importer, "shear", why, shear > 0, name);
}

static void import_animations_channels(clip_importer *clip)
{
    assimp_importer *importer = clip->importer;
    uint64_t most = 3 * (uint64_t)importer->node_count;
    clip->to->channels = import_scene_alloc(importer, most, sizeof *clip->to->channels);
    for (uint32_t i = 0; i < importer->node_count; i++) {
        const struct aiNodeAnim *from =
            import_animations_channel_named(clip, importer->nodes[i].from->mName.data);
        node_tracks tracks = {0};
        if (!from) continue;
        import_animations_copy_keys(clip, i, from, &tracks);
        // A node that moves cannot have a matrix.
        tenon_node *node = &importer->scene->nodes[i];
        if (node->has_matrix) {
            mat4 matrix;
            trs parts;
            memcpy(matrix.m, node->matrix, sizeof matrix.m);
            (void)mat4_decompose(&matrix, &parts);
            node->has_matrix = false;
            import_animations_report_shear(importer, import_animations_shear_of(&matrix, &parts),
                                           node->name.data);
        }
        import_animations_add_channel(clip, i, TENON_TRANSLATION, &tracks.translation);
        import_animations_add_channel(clip, i, TENON_ROTATION, &tracks.rotation);
        import_animations_add_channel(clip, i, TENON_SCALE, &tracks.scale);
        tracks_free(&tracks);
    }
}

// -- Clips

// "run" for "Armature|run", unless another clip would get the same name.
static const char *import_animations_short_name(const struct aiScene *scene, unsigned index)
{
    const char *name = scene->mAnimations[index]->mName.data, *bar = strrchr(name, '|');
    if (!bar || !bar[1]) return name;
    for (unsigned i = 0; i < scene->mNumAnimations; i++) {
        const char *other = scene->mAnimations[i]->mName.data, *other_bar = strrchr(other, '|');
        if (i != index && strcmp(other_bar ? other_bar + 1 : other, bar + 1) == 0) return name;
    }
    return bar + 1;
}

void import_animations(assimp_importer *importer)
{
    unsigned count = importer->assimp->mNumAnimations;
    tenon_scene *scene = importer->scene;
    scene->animations = import_scene_alloc(importer, count, sizeof *scene->animations);
    for (unsigned i = 0; i < count; i++) {
        clip_importer clip = {.importer = importer,
                              .from = importer->assimp->mAnimations[i],
                              .to = &scene->animations[i]};
        const char *name = import_animations_short_name(importer->assimp, i);
        clip.to->name = import_text(importer, name, strlen(name));
        import_animations_find_times(&clip);
        import_animations_find_channels(&clip);
        import_animations_channels(&clip);
        import_animations_report_lost_channels(&clip);
        if (clip.start < 0)
            import_report_loss(importer, TENON_APPROXIMATED, "times of clips",
                               "clips that began before 0 were moved to 0", 1, clip.to->name.data);
        free(clip.channels);
    }
    scene->animation_count = count;
}
