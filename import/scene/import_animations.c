// import_animations.c: clips: what their channels say of each node, on the file's own timeline.
// SPDX-License-Identifier: MIT

#include "import.h"
#include "import_tracks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATE       25    // Ticks a second, where the file does not say.
#define SHEAR      1e-4  // Share of a matrix that its parts may be off.
#define SHEAR_TEXT 80

// The parts of an FBX node's transform, in the order in which they are multiplied.
static const char *const part_names[] = {
    "Translation",  "RotationOffset", "RotationPivot",        "PreRotation",
    "Rotation",     "PostRotation",   "RotationPivotInverse", "ScalingOffset",
    "ScalingPivot", "Scaling",        "ScalingPivotInverse",
};

#define PART_COUNT   (sizeof part_names / sizeof part_names[0])
#define SCALING_PART 9

// What a clip does to a node: all at once, or part by part. NULL: that does not move.
typedef struct node_channels {
    const struct aiNodeAnim *whole;
    const struct aiNodeAnim *parts[PART_COUNT];
    mat4 rest[PART_COUNT];
    bool moves;
    bool is_scaled;  // At some time.
} node_channels;

// A clip that is being converted.
typedef struct clip_importer {
    assimp_importer *importer;
    const struct aiAnimation *from;
    const struct aiNodeAnim **channels;  // In the order of their names.
    double rate;                         // Ticks a second.
    double base;                         // Seconds that Assimp's time is ahead of the file's.
    double start, stop;                  // Of the file's timeline.
    node_channels *nodes;                // One for each node.
    double shear;                        // The largest shear_of() a node.
    tenon_animation *to;
} clip_importer;

// A node that is being sampled.
typedef struct node_sampler {
    clip_importer *clip;
    uint32_t node;
} node_sampler;

typedef struct clip_time {
    const clip_importer *clip;
    double time;
} clip_time;

// -- Channels by name

static int by_name(const void *a, const void *b)
{
    const struct aiNodeAnim *const *x = a, *const *y = b;
    return strcmp((*x)->mNodeName.data, (*y)->mNodeName.data);
}

static int against(const void *key, const void *item)
{
    const struct aiNodeAnim *const *channel = item;
    return strcmp(key, (*channel)->mNodeName.data);
}

static const struct aiNodeAnim *channel_named(const clip_importer *clip, const char *name)
{
    const struct aiNodeAnim **found =
        bsearch(name, clip->channels, clip->from->mNumChannels, sizeof *clip->channels, against);
    return found ? *found : NULL;
}

static void sort_channels(clip_importer *clip)
{
    unsigned count = clip->from->mNumChannels;
    clip->channels = import_alloc(count, sizeof *clip->channels);
    for (unsigned i = 0; i < count; i++) clip->channels[i] = clip->from->mChannels[i];
    qsort(clip->channels, count, sizeof *clip->channels, by_name);
}

// -- Times

static double seconds(const clip_importer *clip, double ticks)
{
    return finite_or(ticks, 0) / clip->rate - clip->base;
}

static double ticks(const clip_importer *clip, double time)
{
    return (time + clip->base) * clip->rate;
}

// -- Channels that are a node's whole transform

// What Assimp multiplies to the keys of a node without pivots is the rotation behind the node's
// own; the inverse of it, which is there as a helper, is right.
static quat post_rotation(const import_node *n)
{
    for (const struct aiNode *node = n->top; node != n->real; node = node->mChildren[0]) {
        const char *part = import_helper_part(node);
        trs found;
        mat4 matrix = mat4_of(&node->mTransformation);
        if (part && strcmp(part, "PostRotation") == 0 && mat4_decompose(&matrix, &found))
            return quat_mul(found.rotation, found.rotation);
    }
    return quat_identity;
}

static void take_keys(const clip_importer *clip, uint32_t node, const struct aiNodeAnim *from,
                      tracks *to)
{
    const assimp_importer *importer = clip->importer;
    const import_node *n = &importer->nodes[node];
    quat post = import_rotation(importer, post_rotation(n));
    quat before = n->parent == TENON_NONE ? importer->space.turn : quat_identity;
    if (n->has_post) post = quat_mul(post, n->post_turn);
    for (unsigned i = 0; i < from->mNumPositionKeys; i++) {
        vec3 v = import_point(importer, vec3_of(from->mPositionKeys[i].mValue));
        track_add_vec3(&to->translation, seconds(clip, from->mPositionKeys[i].mTime),
                       quat_turn(before, v));
    }
    for (unsigned i = 0; i < from->mNumRotationKeys; i++) {
        quat q = import_rotation(importer, quat_of(from->mRotationKeys[i].mValue));
        track_add_quat(&to->rotation, seconds(clip, from->mRotationKeys[i].mTime),
                       quat_mul(quat_mul(before, q), post));
    }
    for (unsigned i = 0; i < from->mNumScalingKeys; i++)
        track_add_vec3(&to->scale, seconds(clip, from->mScalingKeys[i].mTime),
                       vec3_of(from->mScalingKeys[i].mValue));
}

// -- Nodes, part by part or all at once

static bool keys_scale(const struct aiNodeAnim *from)
{
    for (unsigned i = 0; from && i < from->mNumScalingKeys; i++)
        if (!import_is_unscaled(vec3_of(from->mScalingKeys[i].mValue))) return true;
    return false;
}

static void find_parts(const clip_importer *clip, const import_node *n, node_channels *channels)
{
    for (size_t i = 0; i < PART_COUNT; i++) {
        char name[MAXLEN + 64];
        (void)snprintf(name, sizeof name, "%s_$AssimpFbx$_%s", n->real->mName.data, part_names[i]);
        channels->parts[i] = channel_named(clip, name);
        channels->moves |= channels->parts[i] != NULL;
        channels->rest[i] = mat4_identity;
    }
    for (const struct aiNode *h = n->top; h != n->real; h = h->mChildren[0])
        for (size_t i = 0; i < PART_COUNT; i++)
            if (strcmp(import_helper_part(h), part_names[i]) == 0)
                channels->rest[i] = mat4_of(&h->mTransformation);
}

static void find_node_channels(clip_importer *clip)
{
    const assimp_importer *importer = clip->importer;
    clip->nodes = import_alloc(importer->node_count, sizeof *clip->nodes);
    for (uint32_t i = 0; i < importer->node_count; i++) {
        const import_node *n = &importer->nodes[i];
        node_channels *channels = &clip->nodes[i];
        mat4 rest = import_rest_transform(importer, i);
        trs still;
        channels->whole = channel_named(clip, n->real->mName.data);
        channels->moves = channels->whole != NULL;
        if (!channels->whole && n->top != n->real) find_parts(clip, n, channels);
        channels->is_scaled = !mat4_decompose(&rest, &still) || !import_is_unscaled(still.scale) ||
                              keys_scale(channels->whole) ||
                              keys_scale(channels->parts[SCALING_PART]);
    }
}

// A node's own transform, as the file has it.
static mat4 own_at(const void *user, uint32_t node)
{
    const clip_time *at = user;
    const node_channels *channels = &at->clip->nodes[node];
    double tick = ticks(at->clip, at->time);
    if (!channels->moves) return import_rest_transform(at->clip->importer, node);
    if (channels->whole) {
        trs t = channel_sample(channels->whole, tick);
        t.rotation = quat_mul(t.rotation, post_rotation(&at->clip->importer->nodes[node]));
        return mat4_of_trs(&t);
    }
    mat4 product = mat4_identity;
    for (size_t i = 0; i < PART_COUNT; i++) {
        mat4 matrix = channels->rest[i];
        if (channels->parts[i]) {
            trs t = channel_sample(channels->parts[i], tick);
            matrix = mat4_of_trs(&t);
        }
        product = mat4_mul(&product, &matrix);
    }
    return product;
}

// -- What takes the scales above it in its own way

static bool is_below_scale(const clip_importer *clip, uint32_t node)
{
    if (!import_inherits(clip->importer, node)) return false;
    for (uint32_t i = clip->importer->nodes[node].parent; i != TENON_NONE;
         i = clip->importer->nodes[i].parent)
        if (clip->nodes[i].is_scaled) return true;
    return false;
}

static bool moves_above(const clip_importer *clip, uint32_t node)
{
    for (uint32_t i = node; i != TENON_NONE; i = clip->importer->nodes[i].parent)
        if (clip->nodes[i].moves) return true;
    return false;
}

// -- Sampling

// How far a matrix is from its translation, rotation and scale, as a share of its largest number; 0
// if nothing can be seen of it: an axis that is nearly 0 long may point anywhere.
static double shear_of(const mat4 *matrix, const trs *found)
{
    mat4 again = mat4_of_trs(found);
    double largest = 0, off = 0;
    for (int i = 0; i < 12; i++) {
        largest = fmax(largest, fabs(matrix->m[i]));
        off = fmax(off, fabs(matrix->m[i] - again.m[i]));
    }
    return off > SHEAR * largest ? off / largest : 0;
}

static trs sample_node(const void *user, double time)
{
    const node_sampler *sampler = user;
    const clip_time at = {sampler->clip, time};
    trs result;
    mat4 matrix = is_below_scale(sampler->clip, sampler->node)
                      ? import_inherited(sampler->clip->importer, sampler->node, own_at, &at)
                      : own_at(&at, sampler->node);
    matrix = import_local(sampler->clip->importer, sampler->node, matrix);
    if (!mat4_decompose(&matrix, &result))
        sampler->clip->shear = fmax(sampler->clip->shear, shear_of(&matrix, &result));
    return result;
}

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

typedef struct time_list {
    double *items;
    size_t count, room;
} time_list;

static void add_time(time_list *times, double time)
{
    if (times->count == times->room) {
        size_t room = times->room ? 2 * times->room : 64;
        double *longer = import_alloc(room, sizeof *longer);
        if (times->count) memcpy(longer, times->items, times->count * sizeof *longer);
        free(times->items);
        times->items = longer;
        times->room = room;
    }
    times->items[times->count++] = time;
}

static void add_times(time_list *times, const clip_importer *clip, const struct aiNodeAnim *from)
{
    if (!from) return;
    // The properties that a part does not have are one made-up key each.
    bool single =
        from->mNumPositionKeys <= 1 && from->mNumRotationKeys <= 1 && from->mNumScalingKeys <= 1;
    for (unsigned k = 0; k < from->mNumPositionKeys; k++)
        if (single || from->mNumPositionKeys > 1)
            add_time(times, seconds(clip, from->mPositionKeys[k].mTime));
    for (unsigned k = 0; k < from->mNumRotationKeys; k++)
        if (single || from->mNumRotationKeys > 1)
            add_time(times, seconds(clip, from->mRotationKeys[k].mTime));
    for (unsigned k = 0; k < from->mNumScalingKeys; k++)
        if (single || from->mNumScalingKeys > 1)
            add_time(times, seconds(clip, from->mScalingKeys[k].mTime));
}

static void add_node_times(time_list *times, const clip_importer *clip, uint32_t node)
{
    add_times(times, clip, clip->nodes[node].whole);
    for (size_t i = 0; i < PART_COUNT; i++) add_times(times, clip, clip->nodes[node].parts[i]);
}

// At the times of all its keys, and of those above it if they matter.
static void take_samples(clip_importer *clip, uint32_t node, bool from_above, tracks *to)
{
    time_list times = {0};
    const node_sampler sampler = {clip, node};
    add_node_times(&times, clip, node);
    for (uint32_t i = clip->importer->nodes[node].parent; from_above && i != TENON_NONE;
         i = clip->importer->nodes[i].parent)
        add_node_times(&times, clip, i);
    qsort(times.items, times.count, sizeof *times.items, by_time);
    tracks_sample(to, times.items, times.count, sample_node, &sampler);
    free(times.items);
}

// -- One clip

// Frames of the clip that a node has, or false if nothing moves it.
static bool take_node(clip_importer *clip, uint32_t node, tracks *t)
{
    const node_channels *channels = &clip->nodes[node];
    *t = (tracks){0};
    if (is_below_scale(clip, node)) {
        if (!moves_above(clip, node)) return false;
        take_samples(clip, node, true, t);
    } else if (channels->whole) {
        take_keys(clip, node, channels->whole, t);
    } else if (channels->moves) {
        take_samples(clip, node, false, t);
    } else {
        return false;
    }
    tracks_trim(t, clip->start, clip->stop);
    return true;
}

static void add_channel(clip_importer *clip, uint32_t node, tenon_target target, track *from)
{
    tenon_channel channel = {.node = node, .target = target, .curve = TENON_LINEAR};
    track_finish(clip->importer, from, target, clip->start < 0 ? -clip->start : 0, &channel);
    if (channel.key_count == 0) return;
    double end = (double)channel.times[channel.key_count - 1];
    if (end > clip->to->duration) clip->to->duration = end;
    clip->to->channels[clip->to->channel_count++] = channel;
}

// Nodes that move have translation, rotation and scale only. Each has a line of its own, since how
// much is lost differs.
static void report_shear(assimp_importer *importer, double shear, const char *name)
{
    char *why = import_scene_alloc(importer, SHEAR_TEXT, 1);
    (void)snprintf(why, SHEAR_TEXT,
                   "a node that moves cannot be skewed: it is off by up to %.2g %%", 100 * shear);
    import_report_omission(importer, "shear", why, shear > 0, name);
}

// What moves is translated, turned and scaled, and nothing else.
static void drop_shear(assimp_importer *importer, uint32_t index)
{
    tenon_node *node = &importer->scene->nodes[index];
    if (!node->has_matrix) return;
    mat4 matrix;
    trs found;
    memcpy(matrix.m, node->matrix, sizeof matrix.m);
    (void)mat4_decompose(&matrix, &found);
    node->has_matrix = false;
    report_shear(importer, shear_of(&matrix, &found), node->name.data);
}

static void take_channels(clip_importer *clip)
{
    assimp_importer *importer = clip->importer;
    clip->to->channels = import_scene_alloc(importer, 3 * (uint64_t)importer->node_count,
                                            sizeof *clip->to->channels);
    for (uint32_t i = 0; i < importer->node_count; i++) {
        tracks t;
        if (!take_node(clip, i, &t)) continue;
        drop_shear(importer, i);
        add_channel(clip, i, TENON_TRANSLATION, &t.translation);
        add_channel(clip, i, TENON_ROTATION, &t.rotation);
        add_channel(clip, i, TENON_SCALE, &t.scale);
        tracks_free(&t);
    }
}

static void report_lost_channels(const clip_importer *clip)
{
    uint64_t missing = 0;
    const char *first = NULL;
    for (unsigned i = 0; i < clip->from->mNumChannels; i++) {
        char name[MAXLEN];
        (void)snprintf(name, sizeof name, "%s", clip->from->mChannels[i]->mNodeName.data);
        char *mark = strstr(name, "_$AssimpFbx$_");
        if (mark) *mark = '\0';
        if (import_node_named(clip->importer, name) != TENON_NONE) continue;
        if (missing++ == 0) first = clip->from->mChannels[i]->mNodeName.data;
    }
    import_report_loss(clip->importer, TENON_DROPPED, "channels", "there is no node for them",
                       missing, first);
    // Of FBX files, fbx_omissions.c knows those that matter.
    if (!clip->importer->fbx.is_rewritten)
        import_report_omission(clip->importer, "animations of blend shapes", "they are not read",
                               clip->from->mNumMorphMeshChannels, clip->from->mName.data);
    import_report_omission(clip->importer, "animations of vertices", "they are not read",
                           clip->from->mNumMeshChannels, clip->from->mName.data);
}

// What the FBX file says of the clip; where it does not, or for other formats, all keys count.
static void find_times(clip_importer *clip)
{
    const fbx_take *take = fbx_take_named(&clip->importer->fbx, clip->from->mName.data);
    clip->rate = clip->from->mTicksPerSecond;
    if (!(clip->rate > 0) || !isfinite(clip->rate)) {
        clip->rate = RATE;
        import_report_loss(clip->importer, TENON_DEFAULTED, "ticks a second",
                           "the file does not say: 25", 1, clip->from->mName.data);
    }
    clip->base = clip->importer->fbx.is_rewritten ? clip->importer->fbx.base : 0;
    clip->start = take && take->has_range ? take->start : -HUGE_VAL;
    clip->stop = take && take->has_range ? take->stop : HUGE_VAL;
    if (clip->start > -HUGE_VAL) return;
    clip->start = HUGE_VAL;
    for (unsigned i = 0; i < clip->from->mNumChannels; i++) {
        const struct aiNodeAnim *from = clip->from->mChannels[i];
        if (from->mNumPositionKeys)
            clip->start = fmin(clip->start, seconds(clip, from->mPositionKeys[0].mTime));
        if (from->mNumRotationKeys)
            clip->start = fmin(clip->start, seconds(clip, from->mRotationKeys[0].mTime));
        if (from->mNumScalingKeys)
            clip->start = fmin(clip->start, seconds(clip, from->mScalingKeys[0].mTime));
    }
    if (clip->start == HUGE_VAL) clip->start = 0;
}

// -- Names

// "run" of "Armature|run", unless another clip would be called so, too.
static const char *short_name(const struct aiScene *scene, unsigned index)
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
    importer->scene->animations =
        import_scene_alloc(importer, count, sizeof *importer->scene->animations);
    for (unsigned i = 0; i < count; i++) {
        clip_importer clip = {.importer = importer,
                              .from = importer->assimp->mAnimations[i],
                              .to = &importer->scene->animations[i]};
        const char *name = short_name(importer->assimp, i);
        clip.to->name = import_text(importer, name, strlen(name));
        find_times(&clip);
        sort_channels(&clip);
        find_node_channels(&clip);
        take_channels(&clip);
        report_lost_channels(&clip);
        if (clip.start < 0)
            import_report_loss(importer, TENON_APPROXIMATED, "times of clips",
                               "they began before 0 and are moved there", 1, clip.to->name.data);
        report_shear(importer, clip.shear, clip.to->name.data);
        free(clip.nodes);
        free(clip.channels);
    }
    importer->scene->animation_count = count;
}
