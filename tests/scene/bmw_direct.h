// bmw_direct.h: BMW as a scene, and as an evaluation of the document by the format's notes.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_BMW_DIRECT_H
#define TENON_TESTS_BMW_DIRECT_H

#include "../formats/model_help.h"

#include <tenon/bmw.h>
#include <tenon/scene.h>

#include <math.h>

// -- Scenes

#define LOSSES_MOST 64

typedef struct losses {
    uint32_t count;
    struct {
        tenon_loss_kind kind;
        char feature[40], path[100], why[200];
        uint64_t count;
    } list[LOSSES_MOST];
} losses;

static inline void note_loss(void *user, const tenon_loss *loss)
{
    losses *l = user;
    if (l->count == LOSSES_MOST) return;
    l->list[l->count].kind = loss->kind;
    l->list[l->count].count = loss->count;
    snprintf(l->list[l->count].feature, 40, "%s", loss->feature);
    snprintf(l->list[l->count].why, 200, "%s", loss->why);
    snprintf(l->list[l->count++].path, 100, "%s", loss->path ? loss->path : "");
}

// How often a loss was reported whose path and reason contain these.
static inline uint64_t lost(const losses *l, tenon_loss_kind kind, const char *path,
                            const char *why)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < l->count; i++)
        if (l->list[i].kind == kind && strstr(l->list[i].path, path) && strstr(l->list[i].why, why))
            count += l->list[i].count;
    return count;
}

typedef struct bmw_made {
    tenon_doc *doc;
    tenon_bmw *bmw;
    tenon_scene *scene;
    tenon_pose *pose;
    losses losses;
    blob file;
} bmw_made;

static inline bmw_made make_with(blob file, tenon_scene_opts opts)
{
    bmw_made m = {.file = file};
    tenon_error err;
    m.doc = tenon_read(file.data, file.size, NULL, &err);
    CHECK(m.doc != NULL);
    if (!m.doc) return m;
    losses reported = {0};
    opts.events.on_loss = note_loss;
    opts.events.user = &reported;
    m.bmw = tenon_as_bmw(m.doc);
    m.scene = tenon_to_scene(m.doc, &opts, &err);
    m.losses = reported;
    if (!m.scene || !tenon_scene_check(m.scene, &err)) {
        fprintf(stderr, "%s: %s\n", err.path, err.message);
        test_failures++;
        return m;
    }
    m.pose = tenon_pose_new(m.scene, NULL, &err);
    return m;
}

static inline bmw_made make_file(const char *path)
{
    return make_with(blob_load(path), (tenon_scene_opts){.model_path = path});
}

static inline void made_free(bmw_made *m)
{
    tenon_pose_free(m->pose);
    tenon_scene_free(m->scene);
    tenon_doc_free(m->doc);
    blob_free(&m->file);
}

static inline bool is_text(tenon_str text, const char *want)
{
    return text.size == strlen(want) && memcmp(text.data, want, text.size) == 0;
}

static inline uint32_t find_node(const tenon_scene *s, const char *name)
{
    for (uint32_t i = 0; i < s->node_count; i++)
        if (is_text(s->nodes[i].name, name)) return i;
    return TENON_NONE;
}

static inline uint32_t find_clip(const tenon_scene *s, const char *name)
{
    for (uint32_t i = 0; i < s->animation_count; i++)
        if (is_text(s->animations[i].name, name)) return i;
    return TENON_NONE;
}

static inline const tenon_channel *find_channel(const tenon_scene *s, uint32_t clip, uint32_t node,
                                                tenon_target target)
{
    for (uint32_t i = 0; i < s->animations[clip].channel_count; i++) {
        const tenon_channel *c = &s->animations[clip].channels[i];
        if (c->node == node && c->target == target) return c;
    }
    return NULL;
}

static inline bool has_extra(const tenon_scene *s, tenon_extra_of of, uint32_t index,
                             const char *name, const char *value)
{
    for (uint32_t i = 0; i < s->extra_count; i++) {
        const tenon_extra *e = &s->extras[i];
        if (e->of == of && e->index == index && is_text(e->name, name) && is_text(e->value, value))
            return true;
    }
    return false;
}

// Vertex `vertex` of the mesh that `node` shows, as it is posed.
static inline bool is_at(const bmw_made *m, const char *node, uint32_t vertex, double x, double y,
                         double z)
{
    float points[3 * 64];
    tenon_pose_skin(m->pose, find_node(m->scene, node), 0, points, NULL);
    const float *p = points + 3 * vertex;
    bool is_there = fabs(p[0] - x) < 1e-6 && fabs(p[1] - y) < 1e-6 && fabs(p[2] - z) < 1e-6;
    if (!is_there) fprintf(stderr, "got %g %g %g, want %g %g %g\n", p[0], p[1], p[2], x, y, z);
    return is_there;
}

// -- The document by itself
//
// position' = sum of weight * frame * position, over the sum of the weights; then the transform of
// the sidecar. Nothing here is taken from the scene.

// Rows of an affine matrix.
typedef struct rows {
    double m[12];
} rows;

#define IDENTITY    ((rows){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}})
#define DIRECT_MOST 256  // Ids of nodes.

typedef struct direct {
    const tenon_bmw *doc;
    rows transform;             // The sidecar's transform of the model.
    rows palette[DIRECT_MOST];  // What moves the vertices of each node.
} direct;

static inline uint32_t load_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline float load_f32(const uint8_t *p)
{
    uint32_t bits = load_u32(p);
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

static inline rows rows_of(const tenon_bmw *doc, const float *m)
{
    rows r;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++)
            r.m[4 * row + column] = m[doc->is_row_major ? 4 * row + column : 4 * column + row];
    return r;
}

static inline void apply(const rows *r, const double p[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] =
            r->m[4 * i] * p[0] + r->m[4 * i + 1] * p[1] + r->m[4 * i + 2] * p[2] + r->m[4 * i + 3];
}

static inline rows times(const rows *a, const rows *b)
{
    rows out;
    for (int column = 0; column < 4; column++) {
        double in[3] = {b->m[column], b->m[4 + column], b->m[8 + column]}, to[3];
        apply(a, in, to);
        for (int i = 0; i < 3; i++)
            out.m[4 * i + column] = to[i] - (column < 3 ? a->m[4 * i + 3] : 0);
    }
    return out;
}

// Scale, then rotate about the axis (Rodrigues), then move.
static inline rows sidecar_rows(const tenon_bmw_sidecar *side)
{
    double a = side->rotation * 3.14159265358979323846 / 180, c = cos(a), s = sin(a);
    const double *v = side->rotation_angle;
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    double n[3] = {v[0] / length, v[1] / length, v[2] / length};
    double cross[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0};
    rows r;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            r.m[4 * i + k] =
                ((i == k ? c : 0) + (1 - c) * n[i] * n[k] + s * cross[3 * i + k]) * side->scale[k];
        r.m[4 * i + 3] = side->translation[i];
    }
    return r;
}

// Put the frames of a tick into the palette. What an animation does not move stays as it was.
static inline void direct_set(direct *d, uint32_t animation, uint64_t tick)
{
    for (uint32_t b = 0; b < d->doc->animations[animation].bone_count; b++) {
        const tenon_bmw_bone *bone = &d->doc->animations[animation].bones[b];
        if (bone->frames.count == 0 || bone->node_id >= DIRECT_MOST) continue;
        uint64_t last = bone->frames.count - 1;
        float m[16];
        for (size_t i = 0; i < 16; i++)
            m[i] = load_f32(bone->frames.data + 64 * (tick < last ? tick : last) + 4 * i);
        d->palette[bone->node_id] = rows_of(d->doc, m);
    }
}

// Where the tree has a mesh that has no weights.
static inline bool find_mesh(const tenon_bmw *doc, const tenon_bmw_node *node, const rows *above,
                             uint32_t mesh, rows *out)
{
    rows local = rows_of(doc, node->transform), global = times(above, &local);
    for (uint64_t i = 0; i < node->meshes.count; i++)
        if (load_u32(node->meshes.data + 4 * i) == mesh) return *out = global, true;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (find_mesh(doc, &node->children[i], &global, mesh, out)) return true;
    return false;
}

static inline void load_point(const tenon_bmw_mesh *mesh, size_t vertex, double out[3])
{
    for (size_t k = 0; k < 3; k++) out[k] = load_f32(mesh->vertices.data + 48 * vertex + 4 * k);
}

// The vertices of a mesh, three numbers each; free them.
static inline double *direct_points(const direct *d, uint32_t mesh)
{
    const tenon_bmw_mesh *m = &d->doc->meshes[mesh];
    size_t count = (size_t)m->vertices.count;
    double *out = calloc(3 * count + 1, sizeof *out), *sums = calloc(count + 1, sizeof *sums);
    const uint8_t *p = m->weighted_vertices.data;
    rows place = IDENTITY, top = IDENTITY;
    double in[3], to[3];
    if (m->weighted_vertices.count == 0) find_mesh(d->doc, &d->doc->root, &top, mesh, &place);
    for (uint64_t i = 0; i < m->weighted_vertices.count; i++) {
        uint32_t vertex = load_u32(p), influences = load_u32(p + 4);
        load_point(m, vertex, in);
        for (p += 8; influences; influences--, p += 8) {
            apply(&d->palette[load_u32(p) % DIRECT_MOST], in, to);
            for (size_t k = 0; k < 3; k++) out[3 * vertex + k] += load_f32(p + 4) * to[k];
            sums[vertex] += load_f32(p + 4);
        }
    }
    for (size_t i = 0; i < count; i++) {
        load_point(m, i, in);
        if (sums[i] == 0) apply(&place, in, out + 3 * i), sums[i] = 1;
        for (size_t k = 0; k < 3; k++) in[k] = out[3 * i + k] / sums[i];
        apply(&d->transform, in, out + 3 * i);
    }
    free(sums);
    return out;
}

// -- Both

static inline double larger(double a, double b)
{
    return b <= a ? a : b;  // NaN is the largest.
}

// The largest distance between the scene as it is posed and the document, as a share of the box.
static inline double distance(const bmw_made *m, const direct *d)
{
    double worst = 0, min[3], max[3], square = 0;
    for (uint32_t n = 0; n < m->scene->node_count; n++) {
        uint32_t mesh = m->scene->nodes[n].mesh;
        if (mesh == TENON_NONE) continue;
        size_t count = m->scene->meshes[mesh].primitives[0].vertex_count;
        float *got = calloc(3 * count + 1, sizeof *got);
        double *want = direct_points(d, mesh);
        tenon_pose_skin(m->pose, n, 0, got, NULL);
        for (size_t i = 0; i < 3 * count; i++) worst = larger(worst, fabs(got[i] - want[i]));
        free(got);
        free(want);
    }
    if (!tenon_pose_bounds(m->pose, min, max)) return 0;
    for (int k = 0; k < 3; k++) square += (max[k] - min[k]) * (max[k] - min[k]);
    return worst / sqrt(square);
}

// The same, the largest at all ticks of a clip, or at every seventh of a long one.
static inline double clip_distance(const bmw_made *m, direct d, const char *clip,
                                   uint32_t animation, uint64_t start, uint64_t end)
{
    double worst = 0, rate = m->bmw->animations[animation].rate;
    if (m->bmw->base.dialect->flags & TENON_BMW_FRAMES_INFERRED) rate = 60;
    uint64_t step = end - start > 200 ? 7 : 1;
    for (uint64_t tick = start; tick <= end; tick += step) {
        // Times of keys are floats: just before one, a step key would not be reached.
        float seconds = (float)((double)(tick - start) / rate);
        tenon_pose_set(m->pose, find_clip(m->scene, clip), seconds);
        direct_set(&d, animation, tick);
        worst = larger(worst, distance(m, &d));
    }
    return worst;
}

// All clips of the sidecar, without those of other files.
static inline double clips_distance(const bmw_made *m, direct *d, const tenon_bmw_sidecar *side)
{
    double worst = 0;
    uint64_t last = m->bmw->animation_count ? m->bmw->animations[0].duration : 0;
    for (uint32_t i = 0; i < side->clip_count; i++)  // The clip that the engine begins with.
        if (!side->clips[i].file.size && m->bmw->animation_count &&
            is_text(side->clips[i].name, side->default_anim.data))
            direct_set(d, 0, (uint64_t)side->clips[i].start);
    for (uint32_t i = 0; i < side->clip_count; i++) {
        const tenon_bmw_clip *clip = &side->clips[i];
        if (clip->file.size || m->bmw->animation_count == 0) continue;
        uint64_t end = (uint64_t)clip->end;
        worst = larger(worst, clip_distance(m, *d, clip->name.data, 0, (uint64_t)clip->start,
                                            end < last ? end : last));
    }
    return worst;
}

// Everything that a file and its sidecar have, and the rest pose.
static inline double file_distance(const bmw_made *m, const char *path)
{
    tenon_error err;
    tenon_bmw_sidecar *side = tenon_bmw_sidecar_beside(path, NULL, &err);
    if (!side) side = tenon_bmw_sidecar_read("{}", 2, NULL, &err);
    direct d = {.doc = m->bmw, .transform = sidecar_rows(side)};
    for (uint32_t i = 0; i < DIRECT_MOST; i++) d.palette[i] = IDENTITY;
    double worst = clips_distance(m, &d, side);
    tenon_pose_set(m->pose, TENON_NONE, 0);
    worst = larger(worst, distance(m, &d));
    for (uint32_t a = side->clip_count > 0; a < m->bmw->animation_count; a++) {
        const tenon_bmw_animation *animation = &m->bmw->animations[a];
        uint64_t frames = animation->bone_count ? animation->bones[0].frames.count : 0;
        char name[32];
        snprintf(name, sizeof name, "animation");
        if (a) snprintf(name, sizeof name, "animation_%u", (unsigned)a + 1);
        if (frames) worst = larger(worst, clip_distance(m, d, name, a, 0, frames - 1));
    }
    tenon_bmw_sidecar_free(side);
    return worst;
}

#endif  // TENON_TESTS_BMW_DIRECT_H
