// diff_help.h: collects the differences of two scenes; a scene with some of everything.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_DIFF_HELP_H
#define TENON_TESTS_DIFF_HELP_H

#include "hand_scene.h"

#define DIFFERENCES_MOST 64

// -- Differences

typedef struct diff_result {
    char paths[DIFFERENCES_MOST][128];
    char a[DIFFERENCES_MOST][256], b[DIFFERENCES_MOST][256];
    char kinds[DIFFERENCES_MOST][32];
    double amounts[DIFFERENCES_MOST];
    uint64_t more[DIFFERENCES_MOST];
    uint32_t size;
    uint64_t count, sum;
} diff_result;

static inline void take(void *user, const tenon_difference *d)
{
    diff_result *found = user;
    found->sum += 1 + d->more;
    if (found->size == DIFFERENCES_MOST) return;
    (void)snprintf(found->paths[found->size], sizeof found->paths[0], "%s", d->path);
    (void)snprintf(found->a[found->size], sizeof found->a[0], "%s", d->a);
    (void)snprintf(found->b[found->size], sizeof found->b[0], "%s", d->b);
    (void)snprintf(found->kinds[found->size], sizeof found->kinds[0], "%s", d->kind);
    found->amounts[found->size] = d->amount;
    found->more[found->size++] = d->more;
}

static inline void show(const diff_result *found)
{
    for (uint32_t i = 0; i < found->size; i++)
        fprintf(stderr, "  [%s] %s: '%s' -> '%s' (%g, and %u more)\n", found->kinds[i],
                found->paths[i], found->a[i], found->b[i], found->amounts[i],
                (unsigned)found->more[i]);
}

// What differs from A to B also differs from B to A.
static inline diff_result compare_within(const tenon_scene *a, const tenon_scene *b,
                                         double tolerance)
{
    diff_result found = {.size = 0}, back = {.size = 0};
    tenon_error err;
    tenon_diff_opts opts = {.tolerance = tolerance};
    CHECK(tenon_diff(a, b, &opts, take, &found, &found.count, &err));
    CHECK(err.code == TENON_OK && found.sum == found.count);
    CHECK(tenon_diff(b, a, &opts, take, &back, &back.count, NULL));
    CHECK(back.count == found.count && back.size == found.size);
    return found;
}

static inline diff_result compare(const tenon_scene *a, const tenon_scene *b)
{
    return compare_within(a, b, 0);
}

static inline void check_same(const tenon_scene *a, const tenon_scene *b)
{
    diff_result found = compare(a, b);
    CHECK(found.count == 0);
    if (found.count) show(&found);
}

// That one thing differs, and how.
static inline void check_one(const tenon_scene *a, const tenon_scene *b, const char *path,
                             const char *a_text, const char *b_text, double amount)
{
    diff_result found = compare(a, b);
    CHECK(found.count == 1 && found.size == 1);
    if (found.size != 1) show(&found);
    CHECK_STR(found.paths[0], path);
    CHECK_STR(found.a[0], a_text);
    CHECK_STR(found.b[0], b_text);
    CHECK(hand_near(found.amounts[0], amount, 1e-9));
    if (!hand_near(found.amounts[0], amount, 1e-9)) show(&found);
}

// -- A scene with some of everything

typedef struct rich {
    hand h;
    float positions[12], normals[12], uvs[8], colors[16], weights[16];
    uint16_t joints[16];
    uint32_t indices[6];
    uint32_t skin_joints[2];
    float binds[32];
    float times[3], turns[12];
    tenon_event events[1];
    tenon_material materials[2];
    tenon_image images[1];
    tenon_camera cameras[1];
    tenon_light lights[1];
    tenon_extra extras[1];
} rich;

static inline void identity(float m[16])
{
    for (int k = 0; k < 16; k++) m[k] = k % 5 == 0;
}

// A square of 3 by 4, so that the diagonal is 5, moved by two joints at the origin.
static inline void make_mesh(rich *r, uint32_t node)
{
    static const float corners[] = {0, 0, 0, 3, 0, 0, 3, 4, 0, 0, 4, 0};
    static const uint32_t indices[] = {0, 1, 2, 0, 2, 3};
    memcpy(r->positions, corners, sizeof corners);
    memcpy(r->indices, indices, sizeof indices);
    tenon_primitive *p = hand_mesh(&r->h, "sign", node, r->positions, 4);
    p->indices = r->indices, p->index_count = 6;
    p->normals = r->normals, p->uvs[0] = r->uvs, p->colors[0] = r->colors;
    p->joints = r->joints, p->weights = r->weights, p->influence_count = 4;
    p->material = 0;
    for (int i = 0; i < 4; i++) {
        r->normals[3 * i + 2] = 1;
        r->uvs[2 * i] = corners[3 * i] / 4, r->uvs[2 * i + 1] = corners[3 * i + 1] / 4;
        for (int k = 0; k < 4; k++) r->colors[4 * i + k] = 0.5f;
        r->joints[4 * i + 1] = 1;
        r->weights[4 * i] = 0.75f, r->weights[4 * i + 1] = 0.25f;
    }
}

static inline tenon_material make_material(const char *name)
{
    tenon_material m = {.name = hand_text(name),
                        .base_color = {1, 1, 1, 1},
                        .roughness = 1,
                        .normal_scale = 1,
                        .occlusion_strength = 1};
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++)
        m.textures[slot] = (tenon_texture){.image = TENON_NONE, .scale = {1, 1}};
    return m;
}

static inline void make_rest(rich *r)
{
    tenon_scene *s = &r->h.scene;
    r->materials[0] = make_material("paint");
    r->materials[0].textures[TENON_SLOT_BASE_COLOR].image = 0;
    r->materials[1] = make_material("steel");
    s->materials = r->materials, s->material_count = 2;
    r->images[0] = (tenon_image){.name = hand_text("f"), .path = hand_text("skins/f.png")};
    s->images = r->images, s->image_count = 1;
    r->cameras[0] = (tenon_camera){.name = hand_text("eye"), .field_of_view = 1, .near_plane = 1};
    s->cameras = r->cameras, s->camera_count = 1;
    r->lights[0] = (tenon_light){.name = hand_text("sun"), .intensity = 2};
    s->lights = r->lights, s->light_count = 1;
    r->extras[0] = (tenon_extra){TENON_EXTRA_OF_MESH, 0, hand_text("shape"), hand_text("box")};
    s->extras = r->extras, s->extra_count = 1;
}

// base { mast { jib }, panel }: mast and jib are joints, panel has the mesh.
static inline void make_rich(rich *r)
{
    static const float times[] = {0, 1, 2};
    static const float turns[] = {0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1};
    *r = (rich){.times = {0}};
    hand_begin(&r->h);
    uint32_t base = hand_node(&r->h, "base", TENON_NONE);
    uint32_t mast = hand_node(&r->h, "mast", base);
    uint32_t jib = hand_node(&r->h, "jib", mast);
    uint32_t panel = hand_node(&r->h, "panel", base);
    r->h.nodes[base].camera = r->h.nodes[base].light = 0;
    make_mesh(r, panel);
    r->skin_joints[0] = mast, r->skin_joints[1] = jib;
    identity(r->binds);
    identity(r->binds + 16);
    r->h.skins[0] = (tenon_skin){hand_text("rig"), TENON_NONE, 2, r->skin_joints, r->binds, 0};
    r->h.scene.skin_count = 1;
    r->h.nodes[panel].skin = 0;
    memcpy(r->times, times, sizeof times);
    memcpy(r->turns, turns, sizeof turns);
    tenon_animation *clip = hand_clip(&r->h, "lift", 2);
    hand_channel(&r->h, jib, TENON_ROTATION, 3, r->times, r->turns);
    r->events[0] = (tenon_event){0.5, hand_text("click")};
    clip->events = r->events, clip->event_count = 1;
    make_rest(r);
}

enum { BASE, MAST, JIB, PANEL };

static rich a, b;

static inline void begin_both(void)
{
    make_rich(&a);
    make_rich(&b);
}

static inline void one(const char *path, const char *a_text, const char *b_text, double amount)
{
    check_one(&a.h.scene, &b.h.scene, path, a_text, b_text, amount);
}

static inline void same(void)
{
    check_same(&a.h.scene, &b.h.scene);
}

#endif  // TENON_TESTS_DIFF_HELP_H
