// gltf_scenes.h: scenes that try the glTF writer.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_GLTF_SCENES_H
#define TENON_TESTS_GLTF_SCENES_H

#include "gltf_export_help.h"

#include <math.h>

// -- Parts

// A triangle in the plane z = `z`, with the streams that are requested.
static inline uint32_t add_triangle(tn_scene_builder *b, const char *name, float z,
                                    uint32_t streams)
{
    uint32_t mesh = tn_add_mesh(b, str(name), 1);
    tenon_primitive *p = b->scene->meshes[mesh].primitives;
    tn_primitive_alloc(b, p, 3, 0, streams);
    const float positions[] = {0, 0, z, 1, 0, z, 0, 1, z}, uvs[] = {0, 1, 1, 1, 0, 0};
    memcpy(p->positions, positions, sizeof positions);
    for (int i = 0; i < 3; i++) {
        if (p->normals) p->normals[3 * i + 2] = 1;
        if (p->tangents) p->tangents[4 * i] = p->tangents[4 * i + 3] = 1;
        if (p->uvs[0]) memcpy(p->uvs[0], uvs, sizeof uvs);
        if (p->uvs[1]) memcpy(p->uvs[1], uvs, sizeof uvs);
        for (int k = 0; k < 4 && p->colors[0]; k++) p->colors[0][4 * i + k] = 1;
        if (p->weights) p->weights[4 * i] = 1;
    }
    return mesh;
}

static inline uint32_t add_mesh_node(tn_scene_builder *b, const char *name, uint32_t parent,
                                     uint32_t mesh)
{
    uint32_t node = tn_add_node(b, str(name), parent);
    b->scene->nodes[node].mesh = mesh;
    return node;
}

// A skin of the joints given.
static inline uint32_t add_skin(tn_scene_builder *b, const uint32_t *joints, uint32_t count)
{
    uint32_t skin = tn_add_skin(b, str("skin"), count);
    for (uint32_t i = 0; i < count; i++) b->scene->skins[skin].joints[i] = joints[i];
    return skin;
}

// A clip that moves one node up, linearly, by `count` keys a second apart.
static inline uint32_t add_clip(tn_scene_builder *b, const char *name, uint32_t node,
                                uint32_t count)
{
    uint32_t clip = tn_add_animation(b, str(name), 1);
    tenon_animation *a = &b->scene->animations[clip];
    a->channels[0].node = node;
    tn_channel_alloc(b, &a->channels[0], count);
    for (uint32_t i = 0; i < count; i++) {
        a->channels[0].times[i] = (float)i;
        a->channels[0].values[3 * i + 1] = (float)i;
    }
    a->duration = count - 1.0;
    return clip;
}

// -- Scenes of one thing each

static inline void make_empty(tn_scene_builder *b)
{
    (void)b;
}

static inline void make_triangle(tn_scene_builder *b)
{
    add_mesh_node(b, "tri", TENON_NONE, add_triangle(b, "tri", 0, 0));
}

// Everything that a vertex can have; a second primitive shares it all.
static inline void make_streams(tn_scene_builder *b)
{
    uint32_t streams =
        TN_WITH_NORMALS | TN_WITH_TANGENTS | TN_WITH_UV0 | TN_WITH_UV1 | TN_WITH_COLOR;
    uint32_t first = add_triangle(b, "full", 0, streams), second = tn_add_mesh(b, str("twin"), 2);
    tenon_primitive *p = b->scene->meshes[second].primitives;
    p[0] = p[1] = b->scene->meshes[first].primitives[0];
    for (int i = 0; i < 2; i++) {
        p[i].indices = tn_scene_array(b, 3, sizeof(uint32_t));
        p[i].index_count = 3;
        for (uint32_t k = 0; k < 3; k++) p[i].indices[k] = (k + (uint32_t)i) % 3;
    }
    p[1].mode = TENON_LINE_LOOP;
    add_mesh_node(b, "full", TENON_NONE, first);
    add_mesh_node(b, "twin", TENON_NONE, second);
}

// Two joints, one above the other, and a mesh that the upper one moves.
static inline void make_skinned(tn_scene_builder *b)
{
    uint32_t root = tn_add_node(b, str("hip"), TENON_NONE);
    uint32_t tip = tn_add_node(b, str("knee"), root);
    b->scene->nodes[tip].translation[1] = 1;
    uint32_t mesh = add_triangle(b, "leg", 0, TN_WITH_NORMALS | TN_WITH_SKIN);
    uint32_t node = add_mesh_node(b, "leg", root, mesh);
    b->scene->nodes[node].translation[0] = 5;
    uint32_t skin = add_skin(b, (const uint32_t[]){root, tip}, 2);
    b->scene->skins[skin].inverse_binds[16 + 13] = -1;
    b->scene->skins[skin].root = root;
    b->scene->nodes[node].skin = skin;
    tenon_primitive *p = b->scene->meshes[mesh].primitives;
    p->joints[8] = 1;
    add_clip(b, "bend", tip, 3);
}

// The node of the mesh is a joint itself, has a child, and is moved.
static inline void make_busy_skinned(tn_scene_builder *b)
{
    make_skinned(b);
    tn_add_node(b, str("hat"), 2);
    b->scene->skins[0].joints[1] = 2;
    add_clip(b, "push", 2, 2);
}

// Joints without a common root, one of them twice; the mesh is also shown without a skin.
static inline void make_torn_skin(tn_scene_builder *b)
{
    uint32_t left = tn_add_node(b, str("left"), TENON_NONE);
    uint32_t right = tn_add_node(b, str("right"), TENON_NONE);
    uint32_t mesh = add_triangle(b, "cloth", 0, TN_WITH_SKIN);
    uint32_t skinned = add_mesh_node(b, "cloth", TENON_NONE, mesh);
    add_mesh_node(b, "copy", left, mesh);
    b->scene->nodes[skinned].skin = add_skin(b, (const uint32_t[]){left, right, left}, 3);
    tenon_primitive *p = b->scene->meshes[mesh].primitives;
    for (int i = 0; i < 3; i++) p->joints[4 * i] = (uint16_t)i;
    b->scene->skins[0].root = left;
}

// Five influences; a joint that occurs twice, and one without weight that is not joint 0.
static inline void make_many_influences(tn_scene_builder *b)
{
    make_skinned(b);
    tenon_primitive *p = b->scene->meshes[0].primitives;
    p->influence_count = 8;
    p->joints = tn_scene_array(b, 24, sizeof *p->joints);
    p->weights = tn_scene_array(b, 24, sizeof *p->weights);
    const float weights[] = {0.5f, 0.25f, 0.25f, 0, 0, 0, 0, 0};
    const uint16_t joints[] = {1, 0, 1, 1, 0, 0, 0, 0};
    for (int i = 0; i < 3; i++) {
        memcpy(p->weights + 8 * i, weights, sizeof weights);
        memcpy(p->joints + 8 * i, joints, sizeof joints);
    }
    p->weights[16] = 0, p->weights[20] = 0.5f, p->joints[16] = 0, p->joints[20] = 1;
    p->joints[18] = 0, p->weights[18] = 0, p->weights[17] = 0.5f, p->joints[19] = 0;
}

// A sheared node with a mesh and a child, one that only looks sheared, and one that is flat.
static inline void make_matrices(tn_scene_builder *b)
{
    const double sheared[16] = {1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 2, 0, 3, 4, 5, 1};
    const double plain[16] = {0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 1, 2, 3, 1};
    const double flat[16] = {1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    const double *all[] = {sheared, plain, flat};
    uint32_t mesh = add_triangle(b, "tri", 0, 0);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t node = add_mesh_node(b, "matrix", TENON_NONE, mesh);
        b->scene->nodes[node].has_matrix = true;
        memcpy(b->scene->nodes[node].matrix, all[i], sizeof sheared);
        add_mesh_node(b, "child", node, mesh);
    }
}

// Things that glTF cannot hold: only what is allowed may be left of them.
static inline void make_leftovers(tn_scene_builder *b)
{
    uint32_t mesh = tn_add_mesh(b, str("odd"), 5);
    tenon_primitive *p = b->scene->meshes[mesh].primitives;
    tn_primitive_alloc(b, &p[0], 0, 0, 0);  // No vertices.
    tn_primitive_alloc(b, &p[1], 4, 0, 0);  // A triangle and a third of one.
    tn_primitive_alloc(b, &p[2], 3, 5, 0);  // The same with indices.
    tn_primitive_alloc(b, &p[3], 2, 0, 0);  // No triangle.
    tn_primitive_alloc(b, &p[4], 1, 0, TN_WITH_COLOR);
    p[4].mode = TENON_POINTS;
    p[4].colors[0][0] = 2;
    add_mesh_node(b, "odd", TENON_NONE, mesh);
    tn_add_mesh(b, str("no parts"), 0);
    add_mesh_node(b, "shows nothing", TENON_NONE, 1);
    add_triangle(b, "nobody shows it", 0, 0);
    tn_add_skin(b, str("no joints"), 0);
    tn_add_material(b, str("nobody wears it"));
    tn_add_camera(b, str("nowhere"));
    tn_add_light(b, str("nowhere"));
    tn_add_animation(b, str("nothing moves"), 0);
    b->scene->nodes[tn_add_node(b, str("alone"), TENON_NONE)].is_joint = true;
}

// Curves of all kinds; the last clip is longer than its keys.
static inline void make_curves(tn_scene_builder *b)
{
    uint32_t node = tn_add_node(b, str("ball"), TENON_NONE);
    uint32_t clip = tn_add_animation(b, str("bounce"), 3);
    tenon_animation *a = &b->scene->animations[clip];
    const tenon_curve curves[] = {TENON_LINEAR, TENON_STEP, TENON_CUBIC};
    for (int i = 0; i < 3; i++) {
        tenon_channel *c = &a->channels[i];
        c->node = node;
        c->target = (tenon_target)i;
        c->curve = curves[i];
        tn_channel_alloc(b, c, i == 2 ? 1 : 2);
        c->times[0] = 0.5f;
        if (i < 2) c->times[1] = 1;
    }
    for (int k = 0; k < 2; k++) a->channels[1].values[4 * k + 3] = 1;
    for (int k = 3; k < 6; k++) a->channels[2].values[k] = 2;  // The value; tangents are 0.
    a->duration = 1;
    uint32_t late = add_clip(b, "wait", node, 2);
    b->scene->animations[late].duration = 2.5;
    a = &b->scene->animations[clip];
    a->events = tn_scene_array(b, 1, sizeof *a->events);
    a->events[0] = (tenon_event){0.75, str("boing")};
    a->event_count = 1;
}

static inline void make_views(tn_scene_builder *b)
{
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t node = tn_add_node(b, str("eye"), TENON_NONE), light = tn_add_light(b, str("sun"));
        uint32_t camera = tn_add_camera(b, str("view"));
        b->scene->nodes[node].camera = camera;
        b->scene->nodes[node].light = light;
        b->scene->lights[light].kind = (tenon_light_kind)i;
        b->scene->cameras[camera].is_orthographic = i == 1;
        b->scene->cameras[camera].far_plane = i == 2 ? 100 : 0;
    }
    b->scene->lights[1].color[0] = 4;
    b->scene->lights[1].range = 10;
    b->scene->lights[2].inner_angle = 0.5;
    b->scene->lights[2].outer_angle = 1.5707963267948966;
    b->scene->cameras[2].aspect_ratio = 1.5;
    b->scene->cameras[2].near_plane = 0;
}

static inline void make_materials(tn_scene_builder *b)
{
    uint32_t plain = tn_add_material(b, str("plain")), rich = tn_add_material(b, str("rich"));
    uint32_t old = tn_add_material(b, str("old"));
    tenon_material *m = &b->scene->materials[plain];
    m->metallic = 1;
    m = &b->scene->materials[rich];
    const double color[] = {0.5, 0.25, 1, 0.75}, glow[] = {0, 2, 4};
    memcpy(m->base_color, color, sizeof color);
    memcpy(m->emissive, glow, sizeof glow);
    m->roughness = 0.125;
    m->alpha = TENON_MASK;
    m->alpha_cutoff = 0.25;
    m->double_sided = m->is_unlit = true;
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++)
        tn_set_texture(b, rich, (tenon_slot)slot, str(slot % 2 ? "a b.png" : "sub/c.JPG"));
    m = &b->scene->materials[rich];
    m->normal_scale = 0.5;
    m->occlusion_strength = 0.5;
    m->textures[TENON_SLOT_BASE_COLOR].wrap[0] = TENON_CLAMP;
    m->textures[TENON_SLOT_NORMAL].wrap[1] = TENON_MIRROR;
    m->textures[TENON_SLOT_NORMAL].uv_set = 1;
    m->textures[TENON_SLOT_EMISSIVE].offset[0] = 0.5;
    m->textures[TENON_SLOT_EMISSIVE].scale[1] = 2;
    m->textures[TENON_SLOT_EMISSIVE].rotation = 0.25;
    m = &b->scene->materials[old];
    m->is_classic = true;
    m->specular[0] = 0.5;
    m->shininess = 32;
    m->alpha = TENON_BLEND;
    const uint32_t streams[] = {0, TN_WITH_NORMALS | TN_WITH_UV0 | TN_WITH_UV1, 0,
                                TN_WITH_NORMALS | TN_WITH_UV0};
    const uint32_t worn[] = {plain, rich, old, rich};
    for (int i = 0; i < 4; i++) {
        uint32_t mesh = add_triangle(b, "part", (float)i, streams[i]);
        b->scene->meshes[mesh].primitives->material = worn[i];
        add_mesh_node(b, "part", TENON_NONE, mesh);
    }
}

// Texture coordinates and colors that do not start with the first set.
static inline void make_gaps(tn_scene_builder *b)
{
    uint32_t material = tn_add_material(b, str("m"));
    tn_set_texture(b, material, TENON_SLOT_BASE_COLOR, str("t.png"));
    b->scene->materials[material].textures[0].uv_set = 2;
    uint32_t mesh = add_triangle(b, "tri", 0, TN_WITH_UV0 | TN_WITH_COLOR);
    tenon_primitive *p = b->scene->meshes[mesh].primitives;
    p->material = material;
    p->uvs[2] = p->uvs[0];
    p->uvs[0] = NULL;
    p->colors[1] = p->colors[0];
    p->colors[0] = NULL;
    add_mesh_node(b, "tri", TENON_NONE, mesh);
}

static inline void make_extras(tn_scene_builder *b)
{
    make_curves(b);
    uint32_t mesh = add_triangle(b, "box", 0, 0);
    b->scene->meshes[mesh].primitives->material = tn_add_material(b, str("red"));
    add_mesh_node(b, "box", TENON_NONE, mesh);
    b->scene->name = str("hall");
    tn_add_extra(b, TENON_EXTRA_OF_SCENE, 0, "author", str("me \"and\" you"));
    tn_add_extra(b, TENON_EXTRA_OF_NODE, 1, "tag", str("old"));
    tn_add_extra(b, TENON_EXTRA_OF_NODE, 1, "tag", str("new"));
    tn_add_extra(b, TENON_EXTRA_OF_NODE, 1, "joint", str("reserved"));
    tn_add_extra(b, TENON_EXTRA_OF_NODE, 77, "tag", str("of nobody"));
    tn_add_extra(b, TENON_EXTRA_OF_MESH, mesh, "collision_shape", str("box/1/2/1"));
    tn_add_extra(b, TENON_EXTRA_OF_MATERIAL, 0, "shader", str("flat"));
    tn_add_extra(b, TENON_EXTRA_OF_ANIMATION, 0, "loop", str("yes"));
}

// A picture of two by two pixels as TGA: red, green above blue, white.
static inline const uint8_t *tga_bytes(uint64_t *size)
{
    static const uint8_t bytes[] = {0, 0,  2,    0, 0, 0,   0, 0,   0, 0,   0, 0, 2,   0,   2,
                                    0, 24, 0x20, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255};
    *size = sizeof bytes;
    return bytes;
}

// Pictures that are in the scene: one that has to be converted, as it is and upside down.
static inline void make_pictures(tn_scene_builder *b)
{
    uint32_t material = tn_add_material(b, str("m"));
    for (int i = 0; i < 2; i++) {
        tn_set_texture(b, material, i ? TENON_SLOT_EMISSIVE : TENON_SLOT_BASE_COLOR,
                       str(i ? "Wall.tga" : "sub/wall.dds"));
        tenon_image *image = &b->scene->images[i];
        image->data = tga_bytes(&image->size);
        image->flip_y = i == 1;
    }
    uint32_t mesh = add_triangle(b, "wall", 0, TN_WITH_UV0);
    b->scene->meshes[mesh].primitives->material = material;
    add_mesh_node(b, "wall", TENON_NONE, mesh);
}

static const struct {
    const char *name;
    void (*make)(tn_scene_builder *b);
} all_scenes[] = {
    {"empty", make_empty},
    {"triangle", make_triangle},
    {"streams", make_streams},
    {"skinned", make_skinned},
    {"busy_skinned", make_busy_skinned},
    {"torn_skin", make_torn_skin},
    {"many_influences", make_many_influences},
    {"matrices", make_matrices},
    {"leftovers", make_leftovers},
    {"curves", make_curves},
    {"views", make_views},
    {"materials", make_materials},
    {"gaps", make_gaps},
    {"extras", make_extras},
    {"pictures", make_pictures},
};

#define SCENE_COUNT (sizeof all_scenes / sizeof all_scenes[0])

// -- The scene of a test, and what was written of it

static kept k = {.calls_left = -1};
static gltf_file g;
static tn_scene_builder b;

// Begin with a scene, or none; end with done().
static inline void start(void (*make)(tn_scene_builder *builder))
{
    scene_begin(&b);
    if (make) make(&b);
}

static inline void done(void)
{
    gltf_close(&g);
    scene_end(&b);
    kept_free(&k);
}

#define CHECK_TEXT(path, want)  CHECK_STR(text_at(&g, path), want)
#define CHECK_VALUE(a, i, c, v) CHECK(value_of(&g, a, i, c) == (v))

#endif  // TENON_TESTS_GLTF_SCENES_H
