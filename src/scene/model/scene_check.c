// scene_check.c: check that a scene has the properties that scene.h promises.
// SPDX-License-Identifier: MIT

#include "core/cursor/span.h"
#include "core/text/error.h"
#include "core/text/text.h"
#include "scene/model/channels.h"
#include "scene/model/pieces.h"

#include <tenon/scene.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LENGTH_SLACK 1e-5
#define SUM_SLACK    1e-5

// Reports the first property that is missing.
typedef struct scene_checker {
    const tenon_scene *scene;
    tenon_error *err;
    bool failed;
    char path[128];  // Of the object that is checked.
} scene_checker;

TN_PRINTF(2, 3)
static void scene_check_set_path(scene_checker *check, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(check->path, sizeof check->path, fmt, args);
    va_end(args);
}

static void scene_check_require(scene_checker *check, bool holds, const char *what)
{
    if (holds || check->failed) return;
    check->failed = true;
    tn_error(check->err, TENON_ERR_VALUE, "%s", what);
    if (check->err) (void)snprintf(check->err->path, sizeof check->err->path, "%s", check->path);
}

// -- Values

static bool scene_check_is_finite(const double *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(values[i] - values[i] == 0)) return false;
    return true;
}

static bool scene_check_is_text(tenon_str text)
{
    return text.data && tn_utf8_valid(text.data, text.size) && !memchr(text.data, 0, text.size);
}

static bool scene_check_is_index(uint32_t index, uint32_t count)
{
    return index == TENON_NONE || index < count;
}

static bool scene_check_are_units(const float *values, uint64_t count, uint32_t each, uint32_t used)
{
    for (uint64_t i = 0; i < count; i++) {
        double square = 0;
        for (uint32_t k = 0; k < used; k++)
            square += (double)values[i * each + k] * values[i * each + k];
        if (!(fabs(square - 1) <= LENGTH_SLACK)) return false;
    }
    return true;
}

// -- Objects

static void scene_check_node(scene_checker *check, uint32_t i)
{
    const tenon_scene *scene = check->scene;
    const tenon_node *n = &scene->nodes[i];
    scene_check_set_path(check, "nodes[%u]", (unsigned)i);
    scene_check_require(check, scene_check_is_text(n->name), "a name is not UTF-8 text");
    scene_check_require(check, n->parent == TENON_NONE || n->parent < i,
                        "a parent comes after its child");
    scene_check_require(check, scene_check_is_index(n->mesh, scene->mesh_count),
                        "the mesh does not exist");
    scene_check_require(check, scene_check_is_index(n->skin, scene->skin_count),
                        "the skin does not exist");
    scene_check_require(check, scene_check_is_index(n->camera, scene->camera_count),
                        "the camera does not exist");
    scene_check_require(check, scene_check_is_index(n->light, scene->light_count),
                        "the light does not exist");
    scene_check_require(check, n->skin == TENON_NONE || n->mesh != TENON_NONE,
                        "a skin needs a mesh");
    scene_check_require(check, !n->has_matrix || scene_check_is_finite(n->matrix, 16),
                        "a matrix is not finite");
    scene_check_require(check,
                        scene_check_is_finite(n->translation, 3) &&
                            scene_check_is_finite(n->rotation, 4) &&
                            scene_check_is_finite(n->scale, 3),
                        "a transform is not finite");
    const tenon_mesh *mesh = n->mesh < scene->mesh_count ? &scene->meshes[n->mesh] : NULL;
    scene_check_require(check,
                        !n->morph_weights ||
                            (mesh && mesh->morph_count &&
                             scene_check_is_finite(n->morph_weights, mesh->morph_count)),
                        "weights of morph targets have no mesh, or are not finite");
    double square = 0;
    for (int k = 0; k < 4; k++) square += n->rotation[k] * n->rotation[k];
    scene_check_require(check, fabs(square - 1) <= LENGTH_SLACK, "a rotation is not of length 1");
}

static void scene_check_mesh(scene_checker *check, uint32_t i)
{
    const tenon_mesh *mesh = &check->scene->meshes[i];
    scene_check_set_path(check, "meshes[%u]", (unsigned)i);
    scene_check_require(check, scene_check_is_text(mesh->name), "a name is not UTF-8 text");
    if (!mesh->morph_count) return;
    scene_check_require(
        check, mesh->morph_names && mesh->morph_weights && mesh->morph_count <= TN_MORPHS_MOST,
        "morph targets need names and weights, or there are too many");
    if (check->failed) return;
    scene_check_require(check, scene_check_is_finite(mesh->morph_weights, mesh->morph_count),
                        "a weight of a morph target is not finite");
    for (uint32_t k = 0; k < mesh->morph_count; k++)
        scene_check_require(check, scene_check_is_text(mesh->morph_names[k]),
                            "a name is not UTF-8 text");
}

static void scene_check_primitive(scene_checker *check, const tenon_primitive *p,
                                  uint32_t morph_count)
{
    uint64_t n = p->vertex_count;
    scene_check_require(check, p->mode <= TENON_TRIANGLE_FAN, "unknown mode");
    scene_check_require(check, scene_check_is_index(p->material, check->scene->material_count),
                        "the material does not exist");
    scene_check_require(check, p->positions || n == 0, "vertices need positions");
    scene_check_require(check, !p->positions || tn_all_finite(p->positions, 3 * n),
                        "a position is not finite");
    scene_check_require(check, !p->normals || scene_check_are_units(p->normals, n, 3, 3),
                        "a normal is not of length 1");
    scene_check_require(check,
                        !p->tangents || (p->normals && scene_check_are_units(p->tangents, n, 4, 3)),
                        "a tangent is not of length 1, or has no normal");
    for (int k = 0; k < TENON_UV_SETS; k++)
        scene_check_require(check, !p->uvs[k] || tn_all_finite(p->uvs[k], 2 * n),
                            "a texture coordinate is not finite");
    for (int k = 0; k < TENON_COLOR_SETS; k++)
        scene_check_require(check, !p->colors[k] || tn_all_finite(p->colors[k], 4 * n),
                            "a color is not finite");
    scene_check_require(check, !p->morph_count || (p->morphs && p->morph_count == morph_count),
                        "a primitive does not have the morph targets of its mesh");
    for (uint32_t k = 0; k < p->morph_count && !check->failed; k++) {
        const tenon_morph *morph = &p->morphs[k];
        scene_check_require(check, !morph->positions || tn_all_finite(morph->positions, 3 * n),
                            "an offset of a morph target is not finite");
        scene_check_require(
            check, !morph->normals || (p->normals && tn_all_finite(morph->normals, 3 * n)),
            "a morph target moves normals by what is not finite, or that do not exist");
        scene_check_require(
            check, !morph->tangents || (p->tangents && tn_all_finite(morph->tangents, 3 * n)),
            "a morph target moves tangents by what is not finite, or that do not exist");
    }
    scene_check_require(check, p->influence_count % 4 == 0, "influences come in fours");
    scene_check_require(check, !p->influence_count || (p->joints && p->weights),
                        "influences need joints and weights");
    for (uint64_t i = 0; p->influence_count && i < n && !check->failed; i++) {
        double sum = 0;
        bool is_negative = false;
        for (uint32_t k = 0; k < p->influence_count; k++) {
            float weight = p->weights[i * p->influence_count + k];
            is_negative |= !(weight >= 0);
            sum += weight;
        }
        scene_check_require(check, !is_negative, "a weight is negative");
        scene_check_require(check, fabs(sum - 1) <= SUM_SLACK, "weights do not add up to 1");
    }
    uint64_t cut = 0;
    for (uint32_t i = 0; p->polygon_sizes && i < p->polygon_count; i++) cut += p->polygon_sizes[i];
    scene_check_require(
        check, !p->polygon_sizes || (p->mode == TENON_TRIANGLES && cut == tn_piece_count(p)),
        "the triangles of polygons are not those of the primitive");
    if (!p->indices) return;
    uint32_t top = 0;
    for (uint32_t i = 0; i < p->index_count; i++) top = p->indices[i] > top ? p->indices[i] : top;
    scene_check_require(check, p->index_count == 0 || top < n, "an index is out of range");
}

static void scene_check_skins(scene_checker *check)
{
    for (uint32_t i = 0; i < check->scene->skin_count && !check->failed; i++) {
        const tenon_skin *skin = &check->scene->skins[i];
        scene_check_set_path(check, "skins[%u]", (unsigned)i);
        scene_check_require(check, scene_check_is_text(skin->name), "a name is not UTF-8 text");
        scene_check_require(check, scene_check_is_index(skin->root, check->scene->node_count),
                            "the root does not exist");
        scene_check_require(check,
                            tn_all_finite(skin->inverse_binds, 16 * (uint64_t)skin->joint_count),
                            "an inverse bind matrix is not finite");
        for (uint32_t k = 0; k < skin->joint_count; k++)
            scene_check_require(check, skin->joints[k] < check->scene->node_count,
                                "the joint does not exist");
    }
}

// Every influence names a joint of every skin that its mesh is shown with.
static void scene_check_influences(scene_checker *check, uint32_t node)
{
    const tenon_node *n = &check->scene->nodes[node];
    if (check->failed || n->skin == TENON_NONE) return;
    const tenon_mesh *mesh = &check->scene->meshes[n->mesh];
    uint32_t limit = check->scene->skins[n->skin].joint_count;
    scene_check_set_path(check, "nodes[%u].mesh", (unsigned)node);
    for (uint32_t k = 0; k < mesh->primitive_count; k++) {
        const tenon_primitive *p = &mesh->primitives[k];
        uint64_t count = (uint64_t)p->vertex_count * p->influence_count;
        scene_check_require(check, p->influence_count > 0,
                            "a part of a skinned mesh has no weights");
        uint16_t top = 0;
        for (uint64_t i = 0; i < count; i++) top = p->joints[i] > top ? p->joints[i] : top;
        scene_check_require(check, count == 0 || top < limit,
                            "an influence names no joint of the skin");
    }
}

static void scene_check_material(scene_checker *check, uint32_t i)
{
    const tenon_material *m = &check->scene->materials[i];
    scene_check_set_path(check, "materials[%u]", (unsigned)i);
    scene_check_require(check, scene_check_is_text(m->name), "a name is not UTF-8 text");
    scene_check_require(check,
                        scene_check_is_finite(m->base_color, 4) &&
                            scene_check_is_finite(m->emissive, 3) &&
                            scene_check_is_finite(m->specular, 3),
                        "a color is not finite");
    scene_check_require(
        check, m->metallic >= 0 && m->metallic <= 1 && m->roughness >= 0 && m->roughness <= 1,
        "metallic and roughness must be from 0 to 1");
    scene_check_require(check, m->alpha <= TENON_BLEND, "unknown alpha mode");
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        const tenon_texture *t = &m->textures[slot];
        scene_check_require(check, scene_check_is_index(t->image, check->scene->image_count),
                            "the image does not exist");
        scene_check_require(check, t->uv_set < TENON_UV_SETS,
                            "the set of texture coordinates does not exist");
        scene_check_require(check, t->wrap[0] <= TENON_MIRROR && t->wrap[1] <= TENON_MIRROR,
                            "unknown wrap mode");
        scene_check_require(check,
                            scene_check_is_finite(t->offset, 2) &&
                                scene_check_is_finite(t->scale, 2) &&
                                scene_check_is_finite(&t->rotation, 1),
                            "the transform of a texture is not finite");
    }
}

static void scene_check_channel(scene_checker *check, const tenon_animation *a,
                                const tenon_channel *channel)
{
    bool is_cubic = channel->curve == TENON_CUBIC;
    scene_check_require(check, channel->node < check->scene->node_count, "the node does not exist");
    scene_check_require(check, channel->target <= TENON_WEIGHTS && channel->curve <= TENON_CUBIC,
                        "unknown target or curve");
    scene_check_require(check, channel->key_count > 0, "a channel has no keys");
    if (check->failed) return;
    const tenon_node *node = &check->scene->nodes[channel->node];
    uint32_t morph_count =
        node->mesh < check->scene->mesh_count ? check->scene->meshes[node->mesh].morph_count : 0;
    scene_check_require(check, channel->target == TENON_WEIGHTS || !node->has_matrix,
                        "a node with a matrix is animated");
    scene_check_require(check,
                        channel->weight_count ==
                                (channel->target == TENON_WEIGHTS ? morph_count : 0) &&
                            (channel->target != TENON_WEIGHTS || morph_count),
                        "a channel does not have the number of weights of its mesh");
    if (check->failed) return;
    scene_check_require(
        check, tn_all_finite(channel->values, (uint64_t)channel->key_count * tn_key_size(channel)),
        "a key is not finite");
    scene_check_require(check,
                        channel->target != TENON_ROTATION || is_cubic ||
                            scene_check_are_units(channel->values, channel->key_count, 4, 4),
                        "a rotation is not of length 1");
    scene_check_require(check, channel->times[0] >= 0, "a time is below 0");
    for (uint32_t i = 1; i < channel->key_count; i++)
        scene_check_require(check, channel->times[i] > channel->times[i - 1],
                            "times do not increase");
    scene_check_require(check, channel->times[channel->key_count - 1] <= a->duration,
                        "a key is after the end of the clip");
}

static void scene_check_animations(scene_checker *check)
{
    for (uint32_t i = 0; i < check->scene->animation_count; i++) {
        const tenon_animation *a = &check->scene->animations[i];
        scene_check_set_path(check, "animations[%u]", (unsigned)i);
        scene_check_require(check, scene_check_is_text(a->name), "a name is not UTF-8 text");
        scene_check_require(check, a->duration >= 0 && scene_check_is_finite(&a->duration, 1),
                            "a duration is not finite");
        for (uint32_t k = 0; k < a->event_count; k++)
            scene_check_require(check,
                                scene_check_is_text(a->events[k].name) &&
                                    scene_check_is_finite(&a->events[k].time, 1),
                                "an event has no name or no time");
        for (uint32_t k = 0; k < a->channel_count && !check->failed; k++) {
            scene_check_set_path(check, "animations[%u].channels[%u]", (unsigned)i, (unsigned)k);
            scene_check_channel(check, a, &a->channels[k]);
        }
    }
}

static void scene_check_others(scene_checker *check)
{
    for (uint32_t i = 0; i < check->scene->image_count; i++) {
        scene_check_set_path(check, "images[%u]", (unsigned)i);
        scene_check_require(check,
                            scene_check_is_text(check->scene->images[i].name) &&
                                scene_check_is_text(check->scene->images[i].path),
                            "a name or a path is not UTF-8 text");
    }
    for (uint32_t i = 0; i < check->scene->camera_count; i++) {
        const tenon_camera *camera = &check->scene->cameras[i];
        scene_check_set_path(check, "cameras[%u]", (unsigned)i);
        scene_check_require(check, scene_check_is_text(camera->name), "a name is not UTF-8 text");
        scene_check_require(check, camera->field_of_view > 0 && camera->near_plane >= 0,
                            "a number is out of range");
        scene_check_require(check, camera->far_plane == 0 || camera->far_plane > camera->near_plane,
                            "the far plane is nearer than the near plane");
    }
    for (uint32_t i = 0; i < check->scene->light_count; i++) {
        scene_check_set_path(check, "lights[%u]", (unsigned)i);
        scene_check_require(check, scene_check_is_text(check->scene->lights[i].name),
                            "a name is not UTF-8 text");
        scene_check_require(check, scene_check_is_finite(check->scene->lights[i].color, 3),
                            "a color is not finite");
        scene_check_require(check, check->scene->lights[i].kind <= TENON_SPOT_LIGHT,
                            "unknown kind of light");
    }
    for (uint32_t i = 0; i < check->scene->extra_count; i++) {
        scene_check_set_path(check, "extras[%u]", (unsigned)i);
        scene_check_require(check, check->scene->extras[i].of <= TENON_EXTRA_OF_ANIMATION,
                            "it belongs to nothing");
        scene_check_require(check,
                            scene_check_is_text(check->scene->extras[i].name) &&
                                scene_check_is_text(check->scene->extras[i].value),
                            "a name or a value is not UTF-8 text");
    }
}

bool tenon_scene_check(const tenon_scene *scene, tenon_error *err)
{
    scene_checker check = {.scene = scene, .err = err};
    tn_error_clear(err);
    scene_check_require(&check, scene_check_is_text(scene->name),
                        "the scene's name is not UTF-8 text");
    for (uint32_t i = 0; i < scene->node_count; i++) scene_check_node(&check, i);
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        scene_check_mesh(&check, i);
        for (uint32_t k = 0; k < scene->meshes[i].primitive_count && !check.failed; k++) {
            scene_check_set_path(&check, "meshes[%u].primitives[%u]", (unsigned)i, (unsigned)k);
            scene_check_primitive(&check, &scene->meshes[i].primitives[k],
                                  scene->meshes[i].morph_count);
        }
    }
    scene_check_skins(&check);
    for (uint32_t i = 0; i < scene->node_count; i++) scene_check_influences(&check, i);
    for (uint32_t i = 0; i < scene->material_count; i++) scene_check_material(&check, i);
    scene_check_animations(&check);
    scene_check_others(&check);
    return !check.failed;
}
