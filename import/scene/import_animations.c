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

// The parts of an FBX node's transform, in the order in which they are multiplied.
static const char *const part_names[] = {
    "Translation",  "RotationOffset", "RotationPivot",        "PreRotation",
    "Rotation",     "PostRotation",   "RotationPivotInverse", "ScalingOffset",
    "ScalingPivot", "Scaling",        "ScalingPivotInverse",
};

#define PART_COUNT   (sizeof part_names / sizeof part_names[0])
#define SCALING_PART 9

// The channels of a node in a clip: one for the whole transform, or one for each part. NULL if
// there is none.
typedef struct node_channels {
    const struct aiNodeAnim *whole;
    const struct aiNodeAnim *parts[PART_COUNT];
    mat4 rest[PART_COUNT];
    bool moves;
    bool is_scaled;  // At some time.
} node_channels;

typedef struct clip_importer {
    assimp_importer *importer;
    const struct aiAnimation *from;
    const struct aiNodeAnim **channels;  // Sorted by name.
    double rate;                         // Ticks a second.
    double base;                         // Seconds that Assimp's times are ahead of the file's.
    double start, stop;                  // In seconds of the file's timeline.
    node_channels *nodes;                // One for each node.
    double shear;                        // The largest import_animations_shear_of() a node.
    tenon_animation *to;
} clip_importer;

typedef struct node_sampler {
    clip_importer *clip;
    uint32_t node;
} node_sampler;

typedef struct clip_time {
    const clip_importer *clip;
    double time;
} clip_time;

// -- Times

static double import_animations_seconds(const clip_importer *clip, double ticks)
{
    return finite_or(ticks, 0) / clip->rate - clip->base;
}

// The range of the FBX take; for other formats, and takes without a range, that of all keys.
static void import_animations_find_times(clip_importer *clip)
{
    const fbx_facts *fbx = &clip->importer->fbx;
    const fbx_take *take = fbx_take_named(fbx, clip->from->mName.data);
    clip->rate = clip->from->mTicksPerSecond;
    if (!(clip->rate > 0) || !isfinite(clip->rate)) {
        clip->rate = RATE;
        import_report_loss(clip->importer, TENON_DEFAULTED, "ticks a second",
                           "not in the file: 25 is used", 1, clip->from->mName.data);
    }
    clip->base = fbx->is_rewritten ? fbx->base : 0;
    clip->start = take && take->has_range ? take->start : -HUGE_VAL;
    clip->stop = take && take->has_range ? take->stop : HUGE_VAL;
    if (clip->start > -HUGE_VAL) return;
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

static bool import_animations_is_unscaled(vec3 scale)
{
    return vec3_length(vec3_add(scale, (vec3){-1, -1, -1})) < 1e-6;
}

static bool import_animations_keys_scale(const struct aiNodeAnim *from)
{
    for (unsigned i = 0; from && i < from->mNumScalingKeys; i++)
        if (!import_animations_is_unscaled(vec3_of(from->mScalingKeys[i].mValue))) return true;
    return false;
}

static void import_animations_find_channels(clip_importer *clip)
{
    const assimp_importer *importer = clip->importer;
    unsigned count = clip->from->mNumChannels;
    clip->channels = import_alloc(count, sizeof *clip->channels);
    for (unsigned i = 0; i < count; i++) clip->channels[i] = clip->from->mChannels[i];
    qsort(clip->channels, count, sizeof *clip->channels, import_animations_compare_channels);
    clip->nodes = import_alloc(importer->node_count, sizeof *clip->nodes);
    for (uint32_t i = 0; i < importer->node_count; i++) {
        const import_node *node = &importer->nodes[i];
        node_channels *channels = &clip->nodes[i];
        mat4 rest = import_rest_transform(importer, i);
        trs rest_parts;
        channels->whole = import_animations_channel_named(clip, node->real->mName.data);
        channels->moves = channels->whole != NULL;
        bool has_parts = !channels->whole && node->top != node->real;
        for (size_t k = 0; has_parts && k < PART_COUNT; k++) {
            char name[MAXLEN + 64];
            (void)snprintf(name, sizeof name, "%s" IMPORT_HELPER_MARK "%s", node->real->mName.data,
                           part_names[k]);
            channels->parts[k] = import_animations_channel_named(clip, name);
            channels->moves |= channels->parts[k] != NULL;
            channels->rest[k] = mat4_identity;
        }
        for (const struct aiNode *helper = node->top; has_parts && helper != node->real;
             helper = helper->mChildren[0])
            for (size_t k = 0; k < PART_COUNT; k++)
                if (strcmp(import_helper_part(helper), part_names[k]) == 0)
                    channels->rest[k] = mat4_of(&helper->mTransformation);
        channels->is_scaled = !mat4_decompose(&rest, &rest_parts) ||
                              !import_animations_is_unscaled(rest_parts.scale) ||
                              import_animations_keys_scale(channels->whole) ||
                              import_animations_keys_scale(channels->parts[SCALING_PART]);
    }
}

static void import_animations_report_lost_channels(const clip_importer *clip)
{
    const struct aiAnimation *from = clip->from;
    uint64_t missing = 0;
    const char *first = NULL;
    for (unsigned i = 0; i < from->mNumChannels; i++) {
        char name[MAXLEN];
        (void)snprintf(name, sizeof name, "%s", from->mChannels[i]->mNodeName.data);
        char *mark = strstr(name, IMPORT_HELPER_MARK);
        if (mark) *mark = '\0';
        if (import_node_named(clip->importer, name) != TENON_NONE) continue;
        if (missing++ == 0) first = from->mChannels[i]->mNodeName.data;
    }
    import_report_loss(clip->importer, TENON_DROPPED, "channels", "no node has their name", missing,
                       first);
    // In FBX files, fbx_omissions.c finds those that matter.
    if (!clip->importer->fbx.is_rewritten)
        import_report_omission(clip->importer, "animations of blend shapes", "not supported",
                               from->mNumMorphMeshChannels, from->mName.data);
    import_report_omission(clip->importer, "animations of vertices", "not supported",
                           from->mNumMeshChannels, from->mName.data);
}

// -- Keys of a channel for the whole transform

// For a node without pivots, Assimp multiplies the keys by the post-rotation; the format says its
// inverse, which the helper node has.
static quat import_animations_post_rotation(const import_node *node)
{
    for (const struct aiNode *helper = node->top; helper != node->real;
         helper = helper->mChildren[0]) {
        const char *part = import_helper_part(helper);
        trs found;
        mat4 matrix = mat4_of(&helper->mTransformation);
        if (part && strcmp(part, "PostRotation") == 0 && mat4_decompose(&matrix, &found))
            return quat_mul(found.rotation, found.rotation);
    }
    return quat_identity;
}

static void import_animations_copy_keys(const clip_importer *clip, uint32_t index, node_tracks *to)
{
    const assimp_importer *importer = clip->importer;
    const import_node *node = &importer->nodes[index];
    const struct aiNodeAnim *from = clip->nodes[index].whole;
    quat post = import_rotation(importer, import_animations_post_rotation(node));
    quat before = node->parent == TENON_NONE ? importer->space.turn : quat_identity;
    if (node->has_post) post = quat_mul(post, node->post_turn);
    for (unsigned i = 0; i < from->mNumPositionKeys; i++) {
        vec3 place = import_point(importer, vec3_of(from->mPositionKeys[i].mValue));
        track_add_vec3(&to->translation,
                       import_animations_seconds(clip, from->mPositionKeys[i].mTime),
                       quat_turn(before, place));
    }
    for (unsigned i = 0; i < from->mNumRotationKeys; i++) {
        quat rotation = import_rotation(importer, quat_of(from->mRotationKeys[i].mValue));
        track_add_quat(&to->rotation, import_animations_seconds(clip, from->mRotationKeys[i].mTime),
                       quat_mul(quat_mul(before, rotation), post));
    }
    for (unsigned i = 0; i < from->mNumScalingKeys; i++)
        track_add_vec3(&to->scale, import_animations_seconds(clip, from->mScalingKeys[i].mTime),
                       vec3_of(from->mScalingKeys[i].mValue));
}

// -- Sampling of channels for parts

// Whether the node inherits scales in its own way, and there are scales to inherit.
static bool import_animations_is_below_scale(const clip_importer *clip, uint32_t node)
{
    const assimp_importer *importer = clip->importer;
    if (!import_inherits(importer, node)) return false;
    for (uint32_t i = importer->nodes[node].parent; i != TENON_NONE; i = importer->nodes[i].parent)
        if (clip->nodes[i].is_scaled) return true;
    return false;
}

// A node's local transform in the file.
static mat4 import_animations_local_at(const void *user, uint32_t node)
{
    const clip_time *at = user;
    const clip_importer *clip = at->clip;
    const node_channels *channels = &clip->nodes[node];
    double ticks = (at->time + clip->base) * clip->rate;
    if (!channels->moves) return import_rest_transform(clip->importer, node);
    if (channels->whole) {
        trs parts = channel_sample(channels->whole, ticks);
        parts.rotation =
            quat_mul(parts.rotation, import_animations_post_rotation(&clip->importer->nodes[node]));
        return mat4_of_trs(&parts);
    }
    mat4 product = mat4_identity;
    for (size_t i = 0; i < PART_COUNT; i++) {
        mat4 matrix = channels->rest[i];
        if (channels->parts[i]) {
            trs parts = channel_sample(channels->parts[i], ticks);
            matrix = mat4_of_trs(&parts);
        }
        product = mat4_mul(&product, &matrix);
    }
    return product;
}

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

static trs import_animations_sample_node(const void *user, double time)
{
    const node_sampler *sampler = user;
    clip_importer *clip = sampler->clip;
    const clip_time at = {clip, time};
    trs parts;
    mat4 matrix =
        import_animations_is_below_scale(clip, sampler->node)
            ? import_inherited(clip->importer, sampler->node, import_animations_local_at, &at)
            : import_animations_local_at(&at, sampler->node);
    matrix = import_local(clip->importer, sampler->node, matrix);
    if (!mat4_decompose(&matrix, &parts))
        clip->shear = fmax(clip->shear, import_animations_shear_of(&matrix, &parts));
    return parts;
}

typedef struct time_list {
    double *items;
    size_t count, room;
} time_list;

static int import_animations_compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// Both kinds of keys, of `size` bytes, begin with their time.
static void import_animations_add_key_times(time_list *times, const clip_importer *clip,
                                            const void *keys, size_t size, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const double *time = (const void *)((const char *)keys + i * size);
        times->items = import_grow(times->items, times->count, &times->room, sizeof *times->items);
        times->items[times->count++] = import_animations_seconds(clip, *time);
    }
}

static void import_animations_add_node_times(time_list *times, const clip_importer *clip,
                                             uint32_t node)
{
    for (size_t i = 0; i <= PART_COUNT; i++) {
        const struct aiNodeAnim *from =
            i ? clip->nodes[node].parts[i - 1] : clip->nodes[node].whole;
        if (!from) continue;
        unsigned positions = from->mNumPositionKeys, rotations = from->mNumRotationKeys;
        unsigned scales = from->mNumScalingKeys;
        // Assimp synthesizes one key for each property that a part does not have.
        unsigned least = positions <= 1 && rotations <= 1 && scales <= 1 ? 1 : 2;
        if (positions >= least)
            import_animations_add_key_times(times, clip, from->mPositionKeys,
                                            sizeof *from->mPositionKeys, positions);
        if (rotations >= least)
            import_animations_add_key_times(times, clip, from->mRotationKeys,
                                            sizeof *from->mRotationKeys, rotations);
        if (scales >= least)
            import_animations_add_key_times(times, clip, from->mScalingKeys,
                                            sizeof *from->mScalingKeys, scales);
    }
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
    const import_node *nodes = importer->nodes;
    uint64_t most = 3 * (uint64_t)importer->node_count;
    clip->to->channels = import_scene_alloc(importer, most, sizeof *clip->to->channels);
    for (uint32_t i = 0; i < importer->node_count; i++) {
        bool is_below = import_animations_is_below_scale(clip, i), moves = clip->nodes[i].moves;
        for (uint32_t k = nodes[i].parent; is_below && k != TENON_NONE; k = nodes[k].parent)
            moves |= clip->nodes[k].moves;
        if (!moves) continue;
        node_tracks tracks = {0};
        if (!is_below && clip->nodes[i].whole) {
            import_animations_copy_keys(clip, i, &tracks);
        } else {
            // At the times of all its keys, and of its ancestors' keys if their scales matter.
            time_list times = {0};
            import_animations_add_node_times(&times, clip, i);
            for (uint32_t k = nodes[i].parent; is_below && k != TENON_NONE; k = nodes[k].parent)
                import_animations_add_node_times(&times, clip, k);
            qsort(times.items, times.count, sizeof *times.items, import_animations_compare_times);
            tracks_sample(&tracks, times.items, times.count, import_animations_sample_node,
                          &(node_sampler){clip, i});
            free(times.items);
        }
        tracks_trim(&tracks, clip->start, clip->stop);
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
        import_animations_report_shear(importer, clip.shear, clip.to->name.data);
        free(clip.nodes);
        free(clip.channels);
    }
    scene->animation_count = count;
}
