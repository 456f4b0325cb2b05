// scene_add.c: the public functions with which programs build scenes.
// SPDX-License-Identifier: MIT

#include "core/math/math.h"
#include "core/memory/budget.h"
#include "scene/model/scene_build.h"

#include <string.h>

static const tenon_scene_opts no_opts;

// Continue to build a scene. The first failure is kept for tenon_scene_finish().
static tn_scene_builder scene_add_to(tenon_scene *scene)
{
    struct tenon_scene_owner *owner = scene->owner;
    return (tn_scene_builder){
        .scene = scene,
        .opts = &no_opts,
        .arena = &owner->arena,
        .err = &owner->refusal,
        .pulse = {.events = &no_opts.events, .budget = owner->arena.allocator.budget},
        .failed = owner->refusal.code != TENON_OK};
}

static tenon_str scene_add_text(const char *text)
{
    return text ? (tenon_str){text, (uint32_t)strlen(text)} : (tenon_str){"", 0};
}

// Whether `index` is an object of a list of `count`, called `what`. If not, building has failed.
static bool scene_add_is_in(tn_scene_builder *builder, uint32_t index, uint32_t count,
                            const char *what)
{
    return index < count || tn_scene_fail(builder, TENON_ERR_VALUE, NULL, "there is no %s %u", what,
                                          (unsigned)index);
}

uint32_t tenon_scene_add_node(tenon_scene *scene, const char *name, uint32_t parent)
{
    if (!scene) return TENON_NONE;
    tn_scene_builder builder = scene_add_to(scene);
    if (parent != TENON_NONE && !scene_add_is_in(&builder, parent, scene->node_count, "node"))
        return TENON_NONE;
    return tn_add_node(&builder, scene_add_text(name), parent);
}

uint32_t tenon_scene_add_mesh(tenon_scene *scene, const char *name)
{
    if (!scene) return TENON_NONE;
    tn_scene_builder builder = scene_add_to(scene);
    return tn_add_mesh(&builder, scene_add_text(name), 0);
}

uint32_t tenon_scene_add_material(tenon_scene *scene, const char *name)
{
    if (!scene) return TENON_NONE;
    tn_scene_builder builder = scene_add_to(scene);
    return tn_add_material(&builder, scene_add_text(name));
}

uint32_t tenon_scene_add_animation(tenon_scene *scene, const char *name)
{
    if (!scene) return TENON_NONE;
    tn_scene_builder builder = scene_add_to(scene);
    return tn_add_animation(&builder, scene_add_text(name), 0);
}

uint32_t tenon_scene_add_camera(tenon_scene *scene, const char *name)
{
    if (!scene) return TENON_NONE;
    tn_scene_builder builder = scene_add_to(scene);
    return tn_add_camera(&builder, scene_add_text(name));
}

uint32_t tenon_scene_add_light(tenon_scene *scene, const char *name)
{
    if (!scene) return TENON_NONE;
    tn_scene_builder builder = scene_add_to(scene);
    return tn_add_light(&builder, scene_add_text(name));
}

tenon_primitive *tenon_scene_add_primitive(tenon_scene *scene, uint32_t mesh, uint32_t vertex_count,
                                           uint32_t index_count, uint32_t streams)
{
    if (!scene) return NULL;
    tn_scene_builder builder = scene_add_to(scene);
    tenon_primitive added = {.mode = TENON_TRIANGLES, .material = TENON_NONE};
    if (!scene_add_is_in(&builder, mesh, scene->mesh_count, "mesh")) return NULL;
    tn_primitive_alloc(&builder, &added, vertex_count, index_count, streams);
    tenon_mesh *m = &scene->meshes[mesh];
    uint32_t index = tn_list_add(&builder, &scene->owner->inner, (void **)(void *)&m->primitives,
                                 &m->primitive_count, sizeof *m->primitives);
    if (index == TENON_NONE) return NULL;
    m->primitives[index] = added;
    return &m->primitives[index];
}

uint32_t tenon_scene_add_morph(tenon_scene *scene, uint32_t mesh, const char *name)
{
    if (!scene) return TENON_NONE;
    tn_scene_builder builder = scene_add_to(scene);
    if (!scene_add_is_in(&builder, mesh, scene->mesh_count, "mesh")) return TENON_NONE;
    uint32_t index = scene->meshes[mesh].morph_count;
    tenon_str text = tn_scene_text(&builder, scene_add_text(name));
    tn_mesh_alloc_morphs(&builder, mesh, index + 1);
    if (builder.failed) return TENON_NONE;
    scene->meshes[mesh].morph_names[index] = text;
    return index;
}

tenon_morph *tenon_scene_add_offsets(tenon_scene *scene, uint32_t mesh, uint32_t primitive,
                                     uint32_t morph, uint32_t streams)
{
    if (!scene) return NULL;
    tn_scene_builder builder = scene_add_to(scene);
    if (!scene_add_is_in(&builder, mesh, scene->mesh_count, "mesh")) return NULL;
    const tenon_mesh *m = &scene->meshes[mesh];
    if (!scene_add_is_in(&builder, primitive, m->primitive_count, "primitive") ||
        !scene_add_is_in(&builder, morph, m->morph_count, "morph target"))
        return NULL;
    uint32_t count = m->primitives[primitive].vertex_count;
    tenon_morph *morphs = tn_primitive_morphs(&builder, mesh, primitive);
    tenon_morph added = {.positions = tn_scene_floats(&builder, count, 3)};
    if (streams & TENON_WITH_NORMALS) added.normals = tn_scene_floats(&builder, count, 3);
    if (streams & TENON_WITH_TANGENTS) added.tangents = tn_scene_floats(&builder, count, 3);
    if (builder.failed) return NULL;
    morphs[morph] = added;
    return &morphs[morph];
}

double *tenon_scene_add_weights(tenon_scene *scene, uint32_t node)
{
    if (!scene) return NULL;
    tn_scene_builder builder = scene_add_to(scene);
    if (!scene_add_is_in(&builder, node, scene->node_count, "node")) return NULL;
    uint32_t mesh = scene->nodes[node].mesh;
    if (!scene_add_is_in(&builder, mesh, scene->mesh_count, "mesh")) return NULL;
    const tenon_mesh *m = &scene->meshes[mesh];
    double *weights = tn_scene_array(&builder, m->morph_count, sizeof *weights);
    if (!weights || !m->morph_count) return NULL;
    memcpy(weights, m->morph_weights, m->morph_count * sizeof *weights);
    return scene->nodes[node].morph_weights = weights;
}

// The inverse of the matrix from a node to the scene, as the nodes are now. A matrix that has no
// inverse gives the identity.
static void scene_add_bind(const tenon_scene *scene, uint32_t node, float bind[16])
{
    tn_mat4 global = tn_mat4_identity(), inverse;
    for (uint32_t n = node; n < scene->node_count; n = scene->nodes[n].parent) {
        const tenon_node *at = &scene->nodes[n];
        tn_mat4 local = tn_node_local(at);
        global = tn_mat4_mul(&local, &global);
        if (at->parent >= n) break;
    }
    if (!tn_mat4_affine_inverse(&global, &inverse)) inverse = tn_mat4_identity();
    tn_mat4_to_columns(&inverse, bind);
}

uint32_t tenon_scene_add_skin(tenon_scene *scene, const char *name, const uint32_t *joints,
                              uint32_t joint_count, const float *inverse_binds)
{
    if (!scene) return TENON_NONE;
    tn_scene_builder builder = scene_add_to(scene);
    if (!joints && joint_count) {
        tn_scene_fail(&builder, TENON_ERR_VALUE, NULL, "the joints of a skin are missing");
        return TENON_NONE;
    }
    for (uint32_t i = 0; i < joint_count; i++)
        if (!scene_add_is_in(&builder, joints[i], scene->node_count, "node")) return TENON_NONE;
    uint32_t index = tn_add_skin(&builder, scene_add_text(name), joint_count);
    if (index == TENON_NONE) return index;
    tenon_skin *skin = &scene->skins[index];
    for (uint32_t i = 0; i < joint_count; i++) {
        float *bind = skin->inverse_binds + 16 * (size_t)i;
        skin->joints[i] = joints[i];
        scene->nodes[joints[i]].is_joint = true;
        if (inverse_binds)
            memcpy(bind, inverse_binds + 16 * (size_t)i, 16 * sizeof *bind);
        else
            scene_add_bind(scene, joints[i], bind);
    }
    return index;
}

uint32_t tenon_scene_add_image(tenon_scene *scene, const char *path, const void *data,
                               uint64_t size)
{
    if (!scene) return TENON_NONE;
    tn_scene_builder builder = scene_add_to(scene);
    uint8_t *copy = data ? tn_scene_array(&builder, size ? size : 1, 1) : NULL;
    uint32_t index = tn_add_image(&builder, scene_add_text(path));
    if (index == TENON_NONE || !copy) return index;
    if (size) memcpy(copy, data, (size_t)size);
    scene->images[index].data = copy;
    scene->images[index].size = size;
    return index;
}

tenon_channel *tenon_scene_add_channel(tenon_scene *scene, uint32_t animation, uint32_t node,
                                       tenon_target target, tenon_curve curve, uint32_t key_count)
{
    if (!scene) return NULL;
    tn_scene_builder builder = scene_add_to(scene);
    if (!scene_add_is_in(&builder, animation, scene->animation_count, "animation") ||
        !scene_add_is_in(&builder, node, scene->node_count, "node") ||
        !scene_add_is_in(&builder, (uint32_t)target, TENON_WEIGHTS + 1, "target") ||
        !scene_add_is_in(&builder, (uint32_t)curve, TENON_CUBIC + 1, "curve"))
        return NULL;
    tenon_channel added = {.node = node, .target = target, .curve = curve};
    uint32_t mesh = scene->nodes[node].mesh;
    if (target == TENON_WEIGHTS) {
        if (!scene_add_is_in(&builder, mesh, scene->mesh_count, "mesh")) return NULL;
        added.weight_count = scene->meshes[mesh].morph_count;
    }
    tn_channel_alloc(&builder, &added, key_count);
    tenon_animation *a = &scene->animations[animation];
    uint32_t index = tn_list_add(&builder, &scene->owner->inner, (void **)(void *)&a->channels,
                                 &a->channel_count, sizeof *a->channels);
    if (index == TENON_NONE) return NULL;
    a->channels[index] = added;
    return &a->channels[index];
}

bool tenon_scene_add_event(tenon_scene *scene, uint32_t animation, double seconds, const char *name)
{
    if (!scene) return false;
    tn_scene_builder builder = scene_add_to(scene);
    if (!scene_add_is_in(&builder, animation, scene->animation_count, "animation")) return false;
    tenon_str text = tn_scene_text(&builder, scene_add_text(name));
    tenon_animation *a = &scene->animations[animation];
    uint32_t index = tn_list_add(&builder, &scene->owner->inner, (void **)(void *)&a->events,
                                 &a->event_count, sizeof *a->events);
    if (index == TENON_NONE) return false;
    a->events[index] = (tenon_event){seconds, text};
    return true;
}

bool tenon_scene_add_extra(tenon_scene *scene, tenon_extra_of of, uint32_t index, const char *name,
                           const char *value)
{
    if (!scene) return false;
    tn_scene_builder builder = scene_add_to(scene);
    const uint32_t counts[] = {[TENON_EXTRA_OF_SCENE] = 1,
                               [TENON_EXTRA_OF_NODE] = scene->node_count,
                               [TENON_EXTRA_OF_MESH] = scene->mesh_count,
                               [TENON_EXTRA_OF_MATERIAL] = scene->material_count,
                               [TENON_EXTRA_OF_ANIMATION] = scene->animation_count};
    uint32_t count = (size_t)of < sizeof counts / sizeof counts[0] ? counts[of] : 0;
    if (!scene_add_is_in(&builder, index, count, "object")) return false;
    tn_add_extra(&builder, of, index, name ? name : "", scene_add_text(value));
    return !builder.failed;
}

// -- What a program left zeroed

static bool scene_add_is_zero(const double *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (values[i] != 0) return false;
    return true;
}

static void scene_add_set_text(tenon_str *text)
{
    if (!text->data && !text->size) *text = scene_add_text(NULL);
}

// A rotation of zeros is none; a scale of zeros beside it is 1. A node that is nothing but zeros,
// wherever it is, refers to nothing.
static void scene_add_set_node(tenon_node *node)
{
    bool is_unset = !node->name.data && !node->parent && !node->mesh && !node->skin &&
                    !node->camera && !node->light && !node->has_matrix;
    scene_add_set_text(&node->name);
    if (!scene_add_is_zero(node->rotation, 4)) return;
    node->rotation[3] = 1;
    if (!scene_add_is_zero(node->scale, 3)) return;
    for (int k = 0; k < 3; k++) node->scale[k] = 1;
    if (is_unset) node->parent = node->mesh = node->skin = node->camera = node->light = TENON_NONE;
}

static void scene_add_set_mesh(tenon_mesh *mesh)
{
    scene_add_set_text(&mesh->name);
    for (uint32_t i = 0; mesh->morph_names && i < mesh->morph_count; i++)
        scene_add_set_text(&mesh->morph_names[i]);
    for (uint32_t i = 0; mesh->primitives && i < mesh->primitive_count; i++) {
        tenon_primitive *p = &mesh->primitives[i];
        if (!p->positions && !p->material) p->material = TENON_NONE;
    }
}

// A texture whose scale is 0 shows nothing of a picture: it was left zeroed.
static void scene_add_set_material(tenon_material *material)
{
    scene_add_set_text(&material->name);
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        tenon_texture *texture = &material->textures[slot];
        if (texture->image || !scene_add_is_zero(texture->scale, 2)) continue;
        texture->image = TENON_NONE;
        texture->scale[0] = texture->scale[1] = 1;
    }
}

static void scene_add_set_zeros(tenon_scene *scene)
{
    scene_add_set_text(&scene->name);
    for (uint32_t i = 0; i < scene->node_count; i++) scene_add_set_node(&scene->nodes[i]);
    for (uint32_t i = 0; i < scene->mesh_count; i++) scene_add_set_mesh(&scene->meshes[i]);
    for (uint32_t i = 0; i < scene->material_count; i++)
        scene_add_set_material(&scene->materials[i]);
    for (uint32_t i = 0; i < scene->skin_count; i++) scene_add_set_text(&scene->skins[i].name);
    for (uint32_t i = 0; i < scene->camera_count; i++) scene_add_set_text(&scene->cameras[i].name);
    for (uint32_t i = 0; i < scene->light_count; i++) scene_add_set_text(&scene->lights[i].name);
    for (uint32_t i = 0; i < scene->image_count; i++) {
        scene_add_set_text(&scene->images[i].name);
        scene_add_set_text(&scene->images[i].path);
    }
    for (uint32_t i = 0; i < scene->animation_count; i++) {
        tenon_animation *animation = &scene->animations[i];
        scene_add_set_text(&animation->name);
        for (uint32_t k = 0; k < animation->event_count; k++)
            scene_add_set_text(&animation->events[k].name);
    }
}

bool tenon_scene_finish(tenon_scene *scene, const tenon_scene_opts *opts, tenon_error *err)
{
    tenon_error ignored;
    if (!err) err = &ignored;
    tn_error_clear(err);
    if (!scene) return tn_error(err, TENON_ERR_VALUE, "there is no scene");
    if (scene->owner->refusal.code != TENON_OK) {
        *err = scene->owner->refusal;
        return false;
    }
    scene_add_set_zeros(scene);
    tn_scene_builder builder = scene_add_to(scene);
    builder.err = err;
    if (opts) builder.opts = opts;
    bool ok = tn_scene_finish(&builder) && tenon_scene_check(scene, err);
    return tn_budget_settle(scene->owner->arena.allocator.budget, ok, err);
}
