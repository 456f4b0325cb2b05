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
static const char *const parts[] = {
    "Translation",  "RotationOffset", "RotationPivot",        "PreRotation",
    "Rotation",     "PostRotation",   "RotationPivotInverse", "ScalingOffset",
    "ScalingPivot", "Scaling",        "ScalingPivotInverse",
};

#define PART_COUNT   (sizeof parts / sizeof parts[0])
#define SCALING_PART 9

// What a clip does to a node: all at once, or part by part. NULL: that does not move.
typedef struct row {
    const struct aiNodeAnim *whole;
    const struct aiNodeAnim *channels[PART_COUNT];
    mat4 rest[PART_COUNT];
    bool moves;
    bool is_scaled;  // At some time.
} row;

// A clip that is being converted.
typedef struct clip {
    import *m;
    const struct aiAnimation *from;
    const struct aiNodeAnim **channels;  // In the order of their names.
    double rate;                         // Ticks a second.
    double base;                         // Seconds that Assimp's time is ahead of the file's.
    double start, stop;                  // Of the file's timeline.
    row *rows;                           // One for each node.
    double shear;                        // The largest shear_of() a node.
    tenon_animation *to;
} clip;

// A node that is being sampled.
typedef struct sampled {
    clip *c;
    uint32_t node;
} sampled;

typedef struct moment {
    const clip *c;
    double time;
} moment;

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

static const struct aiNodeAnim *channel_named(const clip *c, const char *name)
{
    const struct aiNodeAnim **found =
        bsearch(name, c->channels, c->from->mNumChannels, sizeof *c->channels, against);
    return found ? *found : NULL;
}

static void sort_channels(clip *c)
{
    unsigned count = c->from->mNumChannels;
    c->channels = import_alloc(count, sizeof *c->channels);
    for (unsigned i = 0; i < count; i++) c->channels[i] = c->from->mChannels[i];
    qsort(c->channels, count, sizeof *c->channels, by_name);
}

// -- Times

static double seconds(const clip *c, double ticks)
{
    return finite_or(ticks, 0) / c->rate - c->base;
}

static double ticks(const clip *c, double time)
{
    return (time + c->base) * c->rate;
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

static void take_keys(const clip *c, uint32_t node, const struct aiNodeAnim *from, tracks *to)
{
    const import *m = c->m;
    const import_node *n = &m->nodes[node];
    quat post = import_rotation(m, post_rotation(n));
    quat before = n->parent == TENON_NONE ? m->space.turn : quat_identity;
    if (n->has_post) post = quat_mul(post, n->post_turn);
    for (unsigned i = 0; i < from->mNumPositionKeys; i++) {
        vec3 v = import_point(m, vec3_of(from->mPositionKeys[i].mValue));
        track_add_vec3(&to->translation, seconds(c, from->mPositionKeys[i].mTime),
                       quat_turn(before, v));
    }
    for (unsigned i = 0; i < from->mNumRotationKeys; i++) {
        quat q = import_rotation(m, quat_of(from->mRotationKeys[i].mValue));
        track_add_quat(&to->rotation, seconds(c, from->mRotationKeys[i].mTime),
                       quat_mul(quat_mul(before, q), post));
    }
    for (unsigned i = 0; i < from->mNumScalingKeys; i++)
        track_add_vec3(&to->scale, seconds(c, from->mScalingKeys[i].mTime),
                       vec3_of(from->mScalingKeys[i].mValue));
}

// -- Nodes, part by part or all at once

static bool keys_scale(const struct aiNodeAnim *from)
{
    for (unsigned i = 0; from && i < from->mNumScalingKeys; i++)
        if (!import_is_unscaled(vec3_of(from->mScalingKeys[i].mValue))) return true;
    return false;
}

static void find_parts(const clip *c, const import_node *n, row *r)
{
    for (size_t i = 0; i < PART_COUNT; i++) {
        char name[MAXLEN + 64];
        (void)snprintf(name, sizeof name, "%s_$AssimpFbx$_%s", n->real->mName.data, parts[i]);
        r->channels[i] = channel_named(c, name);
        r->moves |= r->channels[i] != NULL;
        r->rest[i] = mat4_identity;
    }
    for (const struct aiNode *h = n->top; h != n->real; h = h->mChildren[0])
        for (size_t i = 0; i < PART_COUNT; i++)
            if (strcmp(import_helper_part(h), parts[i]) == 0)
                r->rest[i] = mat4_of(&h->mTransformation);
}

static void find_rows(clip *c)
{
    const import *m = c->m;
    c->rows = import_alloc(m->node_count, sizeof *c->rows);
    for (uint32_t i = 0; i < m->node_count; i++) {
        const import_node *n = &m->nodes[i];
        row *r = &c->rows[i];
        mat4 rest = import_rest(m, i);
        trs still;
        r->whole = channel_named(c, n->real->mName.data);
        r->moves = r->whole != NULL;
        if (!r->whole && n->top != n->real) find_parts(c, n, r);
        r->is_scaled = !mat4_decompose(&rest, &still) || !import_is_unscaled(still.scale) ||
                       keys_scale(r->whole) || keys_scale(r->channels[SCALING_PART]);
    }
}

// A node's own transform, as the file has it.
static mat4 own_at(const void *user, uint32_t node)
{
    const moment *at = user;
    const row *r = &at->c->rows[node];
    double tick = ticks(at->c, at->time);
    if (!r->moves) return import_rest(at->c->m, node);
    if (r->whole) {
        trs t = channel_sample(r->whole, tick);
        t.rotation = quat_mul(t.rotation, post_rotation(&at->c->m->nodes[node]));
        return mat4_of_trs(&t);
    }
    mat4 product = mat4_identity;
    for (size_t i = 0; i < PART_COUNT; i++) {
        mat4 matrix = r->rest[i];
        if (r->channels[i]) {
            trs t = channel_sample(r->channels[i], tick);
            matrix = mat4_of_trs(&t);
        }
        product = mat4_mul(&product, &matrix);
    }
    return product;
}

// -- What takes the scales above it in its own way

static bool is_below_scale(const clip *c, uint32_t node)
{
    if (!import_inherits(c->m, node)) return false;
    for (uint32_t i = c->m->nodes[node].parent; i != TENON_NONE; i = c->m->nodes[i].parent)
        if (c->rows[i].is_scaled) return true;
    return false;
}

static bool moves_above(const clip *c, uint32_t node)
{
    for (uint32_t i = node; i != TENON_NONE; i = c->m->nodes[i].parent)
        if (c->rows[i].moves) return true;
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
    const sampled *s = user;
    const moment at = {s->c, time};
    trs result;
    mat4 matrix = is_below_scale(s->c, s->node) ? import_inherited(s->c->m, s->node, own_at, &at)
                                                : own_at(&at, s->node);
    matrix = import_local(s->c->m, s->node, matrix);
    if (!mat4_decompose(&matrix, &result))
        s->c->shear = fmax(s->c->shear, shear_of(&matrix, &result));
    return result;
}

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

typedef struct times {
    double *items;
    size_t count, room;
} times;

static void add_time(times *t, double time)
{
    if (t->count == t->room) {
        size_t room = t->room ? 2 * t->room : 64;
        double *longer = import_alloc(room, sizeof *longer);
        if (t->count) memcpy(longer, t->items, t->count * sizeof *longer);
        free(t->items);
        t->items = longer;
        t->room = room;
    }
    t->items[t->count++] = time;
}

static void add_times(times *t, const clip *c, const struct aiNodeAnim *from)
{
    if (!from) return;
    // The properties that a part does not have are one made-up key each.
    bool single =
        from->mNumPositionKeys <= 1 && from->mNumRotationKeys <= 1 && from->mNumScalingKeys <= 1;
    for (unsigned k = 0; k < from->mNumPositionKeys; k++)
        if (single || from->mNumPositionKeys > 1)
            add_time(t, seconds(c, from->mPositionKeys[k].mTime));
    for (unsigned k = 0; k < from->mNumRotationKeys; k++)
        if (single || from->mNumRotationKeys > 1)
            add_time(t, seconds(c, from->mRotationKeys[k].mTime));
    for (unsigned k = 0; k < from->mNumScalingKeys; k++)
        if (single || from->mNumScalingKeys > 1)
            add_time(t, seconds(c, from->mScalingKeys[k].mTime));
}

static void add_row_times(times *t, const clip *c, uint32_t node)
{
    add_times(t, c, c->rows[node].whole);
    for (size_t i = 0; i < PART_COUNT; i++) add_times(t, c, c->rows[node].channels[i]);
}

// At the times of all its keys, and of those above it if they matter.
static void take_samples(clip *c, uint32_t node, bool from_above, tracks *to)
{
    times t = {0};
    const sampled s = {c, node};
    add_row_times(&t, c, node);
    for (uint32_t i = c->m->nodes[node].parent; from_above && i != TENON_NONE;
         i = c->m->nodes[i].parent)
        add_row_times(&t, c, i);
    qsort(t.items, t.count, sizeof *t.items, by_time);
    tracks_sample(to, t.items, t.count, sample_node, &s);
    free(t.items);
}

// -- One clip

// Frames of the clip that a node has, or false if nothing moves it.
static bool take_node(clip *c, uint32_t node, tracks *t)
{
    const row *r = &c->rows[node];
    *t = (tracks){0};
    if (is_below_scale(c, node)) {
        if (!moves_above(c, node)) return false;
        take_samples(c, node, true, t);
    } else if (r->whole) {
        take_keys(c, node, r->whole, t);
    } else if (r->moves) {
        take_samples(c, node, false, t);
    } else {
        return false;
    }
    tracks_trim(t, c->start, c->stop);
    return true;
}

static void add_channel(clip *c, uint32_t node, tenon_target target, track *from)
{
    tenon_channel channel = {.node = node, .target = target, .curve = TENON_LINEAR};
    track_finish(c->m, from, target, c->start < 0 ? -c->start : 0, &channel);
    if (channel.key_count == 0) return;
    double end = (double)channel.times[channel.key_count - 1];
    if (end > c->to->duration) c->to->duration = end;
    c->to->channels[c->to->channel_count++] = channel;
}

// Nodes that move have translation, rotation and scale only. Each has a line of its own, since how
// much is lost differs.
static void omit_shear(import *m, double shear, const char *name)
{
    char *why = import_keep(m, SHEAR_TEXT, 1);
    (void)snprintf(why, SHEAR_TEXT,
                   "a node that moves cannot be skewed: it is off by up to %.2g %%", 100 * shear);
    import_omit(m, "shear", why, shear > 0, name);
}

// What moves is translated, turned and scaled, and nothing else.
static void straighten(import *m, uint32_t index)
{
    tenon_node *node = &m->to->nodes[index];
    if (!node->has_matrix) return;
    mat4 matrix;
    trs found;
    memcpy(matrix.m, node->matrix, sizeof matrix.m);
    (void)mat4_decompose(&matrix, &found);
    node->has_matrix = false;
    omit_shear(m, shear_of(&matrix, &found), node->name.data);
}

static void take_channels(clip *c)
{
    import *m = c->m;
    c->to->channels = import_keep(m, 3 * (uint64_t)m->node_count, sizeof *c->to->channels);
    for (uint32_t i = 0; i < m->node_count; i++) {
        tracks t;
        if (!take_node(c, i, &t)) continue;
        straighten(m, i);
        add_channel(c, i, TENON_TRANSLATION, &t.translation);
        add_channel(c, i, TENON_ROTATION, &t.rotation);
        add_channel(c, i, TENON_SCALE, &t.scale);
        tracks_free(&t);
    }
}

static void tell_lost_channels(const clip *c)
{
    uint64_t missing = 0;
    const char *first = NULL;
    for (unsigned i = 0; i < c->from->mNumChannels; i++) {
        char name[MAXLEN];
        (void)snprintf(name, sizeof name, "%s", c->from->mChannels[i]->mNodeName.data);
        char *mark = strstr(name, "_$AssimpFbx$_");
        if (mark) *mark = '\0';
        if (import_node_named(c->m, name) != TENON_NONE) continue;
        if (missing++ == 0) first = c->from->mChannels[i]->mNodeName.data;
    }
    import_lose(c->m, TENON_DROPPED, "channels", "there is no node for them", missing, first);
    // Of FBX files, fbx_omissions.c knows those that matter.
    if (!c->m->fbx.is_mended)
        import_omit(c->m, "animations of blend shapes", "they are not read",
                    c->from->mNumMorphMeshChannels, c->from->mName.data);
    import_omit(c->m, "animations of vertices", "they are not read", c->from->mNumMeshChannels,
                c->from->mName.data);
}

// What the FBX file says of the clip; where it does not, or for other formats, all keys count.
static void find_times(clip *c)
{
    const fbx_take *take = fbx_take_named(&c->m->fbx, c->from->mName.data);
    c->rate = c->from->mTicksPerSecond;
    if (!(c->rate > 0) || !isfinite(c->rate)) {
        c->rate = RATE;
        import_lose(c->m, TENON_DEFAULTED, "ticks a second", "the file does not say: 25", 1,
                    c->from->mName.data);
    }
    c->base = c->m->fbx.is_mended ? c->m->fbx.base : 0;
    c->start = take && take->has_range ? take->start : -HUGE_VAL;
    c->stop = take && take->has_range ? take->stop : HUGE_VAL;
    if (c->start > -HUGE_VAL) return;
    c->start = HUGE_VAL;
    for (unsigned i = 0; i < c->from->mNumChannels; i++) {
        const struct aiNodeAnim *from = c->from->mChannels[i];
        if (from->mNumPositionKeys)
            c->start = fmin(c->start, seconds(c, from->mPositionKeys[0].mTime));
        if (from->mNumRotationKeys)
            c->start = fmin(c->start, seconds(c, from->mRotationKeys[0].mTime));
        if (from->mNumScalingKeys)
            c->start = fmin(c->start, seconds(c, from->mScalingKeys[0].mTime));
    }
    if (c->start == HUGE_VAL) c->start = 0;
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

void import_make_animations(import *m)
{
    unsigned count = m->from->mNumAnimations;
    m->to->animations = import_keep(m, count, sizeof *m->to->animations);
    for (unsigned i = 0; i < count; i++) {
        clip c = {.m = m, .from = m->from->mAnimations[i], .to = &m->to->animations[i]};
        const char *name = short_name(m->from, i);
        c.to->name = import_text(m, name, strlen(name));
        find_times(&c);
        sort_channels(&c);
        find_rows(&c);
        take_channels(&c);
        tell_lost_channels(&c);
        if (c.start < 0)
            import_lose(m, TENON_APPROXIMATED, "times of clips",
                        "they began before 0 and are moved there", 1, c.to->name.data);
        omit_shear(m, c.shear, c.to->name.data);
        free(c.rows);
        free(c.channels);
    }
    m->to->animation_count = count;
}
