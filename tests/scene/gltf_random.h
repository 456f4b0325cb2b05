// gltf_random.h: random scenes of all kinds of objects, which are valid nevertheless.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_GLTF_RANDOM_H
#define TENON_TESTS_GLTF_RANDOM_H

#include "gltf_export_help.h"

#include <math.h>

// -- Chance, the same on every machine

typedef struct chance {
    uint64_t state;
    bool is_sane;  // No numbers so far apart that their sums mean nothing.
} chance;

static inline uint32_t below(chance *c, uint32_t limit)
{
    c->state = c->state * 6364136223846793005u + 1442695040888963407u;
    return limit ? (uint32_t)(c->state >> 33) % limit : 0;
}

static inline bool one_in(chance *c, uint32_t n)
{
    return below(c, n) == 0;
}

// One of `limit` indices, or none.
static inline uint32_t maybe(chance *c, uint32_t limit)
{
    return limit == 0 || one_in(c, 3) ? TENON_NONE : below(c, limit);
}

static inline double number(chance *c)
{
    static const double odd[] = {0, -0.0, 1, -1, 1e-30, 1e30, 255, 1e-7};
    if (!c->is_sane && one_in(c, 8)) return odd[below(c, 8)];
    return (below(c, 2001) - 1000.0) / (c->is_sane ? 500 : 100);
}

static inline void fill_units(chance *c, float *values, uint64_t count, uint32_t each,
                              uint32_t used)
{
    for (uint64_t i = 0; i < count; i++) {
        double square = 0, v[4];
        for (uint32_t k = 0; k < used; k++) {
            v[k] = below(c, 200) - 99.5;
            square += v[k] * v[k];
        }
        for (uint32_t k = 0; k < used; k++) values[i * each + k] = (float)(v[k] / sqrt(square));
        if (each > used) values[i * each + used] = one_in(c, 2) ? 1.0f : -1.0f;
    }
}

// -- Things

static inline void random_name(chance *c, tenon_str *name)
{
    static const char *const names[] = {"", "a", "a b/c", "\xc3\xa9", "\"\\\n", "joints", "a"};
    *name = str(names[below(c, 7)]);
}

static inline void random_nodes(tn_scene_builder *b, chance *c)
{
    uint32_t count = below(c, 12);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = tn_add_node(b, str(""), i ? maybe(c, i) : TENON_NONE);
        tenon_node *n = &b->scene->nodes[index];
        random_name(c, &n->name);
        n->is_joint = one_in(c, 3);
        n->has_matrix = one_in(c, 5);
        for (int k = 0; k < 15; k++) n->matrix[k] = k % 4 == 3 ? 0 : number(c);
        n->matrix[15] = 1;
        for (int k = 0; k < 3; k++) n->translation[k] = number(c);
        for (int k = 0; k < 3 && one_in(c, 2); k++) n->scale[k] = number(c);
        if (one_in(c, 2)) {
            float q[4];
            fill_units(c, q, 1, 4, 4);
            for (int k = 0; k < 4; k++) n->rotation[k] = q[k];
        }
    }
}

static inline void random_weights(tn_scene_builder *b, chance *c, tenon_primitive *p,
                                  uint32_t joints)
{
    p->influence_count = 4 + 4 * below(c, 3);
    uint64_t count = (uint64_t)p->vertex_count * p->influence_count;
    p->joints = tn_scene_array(b, count, sizeof *p->joints);
    p->weights = tn_scene_array(b, count, sizeof *p->weights);
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        float *weights = p->weights + (size_t)i * p->influence_count;
        uint32_t sum = 0;
        for (uint32_t k = 0; k < p->influence_count; k++) {
            uint32_t weight = one_in(c, 2) ? below(c, 100) : 0;
            weights[k] = (float)weight;
            sum += weight;
            p->joints[i * p->influence_count + k] = (uint16_t)below(c, joints);
        }
        if (!sum) weights[0] = 1, sum = 1;
        for (uint32_t k = 0; k < p->influence_count; k++) weights[k] /= (float)sum;
    }
}

static inline void random_primitive(tn_scene_builder *b, chance *c, tenon_primitive *p,
                                    uint32_t joints)
{
    uint32_t vertices = below(c, 8), indices = one_in(c, 2) && vertices ? below(c, 12) : 0;
    tn_primitive_alloc(b, p, vertices, indices, below(c, TN_WITH_SKIN));
    p->mode = (tenon_mode)below(c, 7);
    p->material = maybe(c, b->scene->material_count);
    for (uint32_t i = 0; i < 3 * vertices; i++) p->positions[i] = (float)number(c);
    if (p->normals) fill_units(c, p->normals, vertices, 3, 3);
    if (!p->normals) p->tangents = NULL;
    if (p->tangents) fill_units(c, p->tangents, vertices, 4, 3);
    for (int k = 0; k < TENON_UV_SETS; k++) {
        if (k > 1 && one_in(c, 10)) p->uvs[k] = tn_scene_floats(b, vertices, 2);
        for (uint32_t i = 0; p->uvs[k] && i < 2 * vertices; i++) p->uvs[k][i] = (float)number(c);
    }
    for (uint32_t i = 0; p->colors[0] && i < 4 * vertices; i++)
        p->colors[0][i] = one_in(c, 2) ? (float)below(c, 256) / 255.0f : (float)number(c);
    for (uint32_t i = 0; i < indices; i++) p->indices[i] = below(c, vertices);
    if (joints) random_weights(b, c, p, joints);
}

static inline void random_materials(tn_scene_builder *b, chance *c)
{
    static const char *const paths[] = {"a.png", "b c.jpg", "x.tga", "../y.png", "/z.jpeg"};
    uint32_t count = below(c, 4);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = tn_add_material(b, str("m"));
        tenon_material *m = &b->scene->materials[index];
        for (int k = 0; k < 4; k++) m->base_color[k] = number(c);
        for (int k = 0; k < 3; k++) m->emissive[k] = number(c), m->specular[k] = number(c);
        m->metallic = below(c, 3) / 2.0, m->roughness = below(c, 3) / 2.0;
        m->normal_scale = number(c), m->occlusion_strength = number(c), m->shininess = number(c);
        m->alpha = (tenon_alpha)below(c, 3), m->alpha_cutoff = number(c);
        m->is_classic = one_in(c, 2), m->is_unlit = one_in(c, 4), m->double_sided = one_in(c, 2);
        for (uint32_t slot = 0; slot < TENON_SLOT_COUNT; slot++) {
            if (one_in(c, 2)) continue;
            tn_set_texture(b, index, (tenon_slot)slot, str(paths[below(c, 5)]));
            tenon_texture *t = &b->scene->materials[index].textures[slot];
            t->uv_set = below(c, 3);
            for (int k = 0; k < 2; k++) {
                t->wrap[k] = (tenon_wrap)below(c, 3);
                if (one_in(c, 4)) t->offset[k] = number(c), t->scale[k] = number(c);
            }
        }
    }
    for (uint32_t i = 0; i < b->scene->image_count; i++) {
        tenon_image *image = &b->scene->images[i];
        static const uint8_t grey[] = {0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 8, 0, 99};
        image->data = grey;
        image->size = sizeof grey;
        image->flip_y = one_in(c, 2);
    }
}

static inline void random_animations(tn_scene_builder *b, chance *c)
{
    uint32_t count = b->scene->node_count ? below(c, 4) : 0;
    for (uint32_t i = 0; i < count; i++) {
        static const char *const names[] = {"clip 0", "clip 1", "clip 2"};
        uint32_t index = tn_add_animation(b, str(names[i]), 3 * b->scene->node_count);
        tenon_animation *a = &b->scene->animations[index];
        uint32_t used = 0;
        for (uint32_t k = 0; k < a->channel_count; k++) {
            if (b->scene->nodes[k / 3].has_matrix || one_in(c, 2)) continue;
            tenon_channel *channel = &a->channels[used++];
            channel->node = k / 3;
            channel->target = (tenon_target)(k % 3);
            channel->curve = (tenon_curve)below(c, 3);
            tn_channel_alloc(b, channel, 1 + below(c, 4));
            bool is_turn = channel->target == TENON_ROTATION;
            uint32_t each = (is_turn ? 4u : 3u) * (channel->curve == TENON_CUBIC ? 3 : 1);
            for (uint32_t n = 0; n < channel->key_count; n++)
                channel->times[n] = (n ? channel->times[n - 1] : 0) + (float)(1 + below(c, 3)) / 8;
            for (uint32_t n = 0; n < channel->key_count * each; n++)
                channel->values[n] = (float)number(c);
            if (is_turn) fill_units(c, channel->values, channel->key_count * (each / 4), 4, 4);
            double last = channel->times[channel->key_count - 1];
            if (last > a->duration) a->duration = last;
        }
        a->channel_count = used;
        if (one_in(c, 3)) a->duration += 1;
    }
}

static inline void random_views(tn_scene_builder *b, chance *c)
{
    uint32_t count = below(c, 3);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t camera_index = tn_add_camera(b, str("camera"));
        uint32_t light_index = tn_add_light(b, str("light"));
        tenon_camera *camera = &b->scene->cameras[camera_index];
        tenon_light *light = &b->scene->lights[light_index];
        camera->is_orthographic = one_in(c, 2);
        camera->field_of_view = fabs(number(c)) + 1e-9;
        camera->near_plane = fabs(number(c));
        camera->far_plane = one_in(c, 2) ? camera->near_plane + 1 + fabs(number(c)) : 0;
        camera->far_plane = camera->far_plane > camera->near_plane ? camera->far_plane : 0;
        camera->half_width = number(c), camera->aspect_ratio = number(c);
        light->kind = (tenon_light_kind)below(c, 3);
        for (int k = 0; k < 3; k++) light->color[k] = number(c);
        light->intensity = number(c), light->range = number(c);
        light->inner_angle = number(c), light->outer_angle = number(c);
    }
    for (uint32_t i = 0; i < b->scene->node_count; i++) {
        b->scene->nodes[i].camera = maybe(c, count);
        b->scene->nodes[i].light = maybe(c, count);
    }
}

// Skins, meshes with and without weights, and the nodes that show them.
static inline void random_meshes(tn_scene_builder *b, chance *c)
{
    tenon_scene *s = b->scene;
    uint32_t skin_count = s->node_count ? below(c, 3) : 0, mesh_count = below(c, 5);
    for (uint32_t i = 0; i < skin_count; i++) {
        uint32_t skin = tn_add_skin(b, str("skin"), 3 + below(c, 3));
        s->skins[skin].root = maybe(c, s->node_count);
        for (uint32_t k = 0; k < s->skins[skin].joint_count; k++)
            s->skins[skin].joints[k] = below(c, s->node_count);
        for (uint32_t k = 0; k < 16 * s->skins[skin].joint_count; k++)
            if (one_in(c, 4) && (k % 4 != 3 || !c->is_sane))
                s->skins[skin].inverse_binds[k] = (float)number(c);
    }
    for (uint32_t i = 0; i < mesh_count; i++) {
        static const char *const names[] = {"mesh 0", "mesh 1", "mesh 2", "mesh 3", "mesh 4"};
        uint32_t mesh = tn_add_mesh(b, str(names[i]), below(c, 4));
        bool is_skinned = skin_count && one_in(c, 2);
        for (uint32_t k = 0; k < s->meshes[mesh].primitive_count; k++)
            random_primitive(b, c, &s->meshes[mesh].primitives[k], is_skinned ? 3 : 0);
        for (uint32_t k = 0; k < s->node_count; k++) {
            if (!one_in(c, 4)) continue;
            s->nodes[k].mesh = mesh;
            s->nodes[k].skin = is_skinned && !one_in(c, 4) ? below(c, skin_count) : TENON_NONE;
        }
    }
}

static inline void make_random(tn_scene_builder *b, uint32_t seed, bool is_sane)
{
    chance c = {seed, is_sane};
    random_nodes(b, &c);
    random_materials(b, &c);
    random_meshes(b, &c);
    random_animations(b, &c);
    random_views(b, &c);
}

#endif  // TENON_TESTS_GLTF_RANDOM_H
