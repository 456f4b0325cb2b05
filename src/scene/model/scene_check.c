// scene_check.c: whether everything holds that scene.h promises.
// SPDX-License-Identifier: MIT

#include "core/cursor/span.h"
#include "core/text/error.h"
#include "core/text/text.h"
#include "scene/model/pieces.h"

#include <tenon/scene.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LENGTH_SLACK 1e-5
#define SUM_SLACK    1e-5

// The first thing that does not hold is told.
typedef struct checker {
    const tenon_scene *scene;
    tenon_error *err;
    bool failed;
    char path[128];  // Of the object that is looked at.
} checker;

static void at(checker *c, const char *fmt, ...) TN_PRINTF(2, 3);
static void at(checker *c, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(c->path, sizeof c->path, fmt, args);
    va_end(args);
}

static void demand(checker *c, bool holds, const char *what)
{
    if (holds || c->failed) return;
    c->failed = true;
    tn_error(c->err, TENON_ERR_VALUE, "%s", what);
    if (c->err) (void)snprintf(c->err->path, sizeof c->err->path, "%s", c->path);
}

// -- Values

static bool is_finite(const double *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(values[i] - values[i] == 0)) return false;
    return true;
}

static bool is_text(tenon_str text)
{
    return text.data && tn_utf8_valid(text.data, text.size) && !memchr(text.data, 0, text.size);
}

static bool is_index(uint32_t index, uint32_t count)
{
    return index == TENON_NONE || index < count;
}

static bool are_units(const float *values, uint64_t count, uint32_t each, uint32_t used)
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

static void check_node(checker *c, uint32_t i)
{
    const tenon_scene *s = c->scene;
    const tenon_node *n = &s->nodes[i];
    at(c, "nodes[%u]", (unsigned)i);
    demand(c, is_text(n->name), "a name is no text");
    demand(c, n->parent == TENON_NONE || n->parent < i, "a parent comes behind its child");
    demand(c, is_index(n->mesh, s->mesh_count), "there is no such mesh");
    demand(c, is_index(n->skin, s->skin_count), "there is no such skin");
    demand(c, is_index(n->camera, s->camera_count), "there is no such camera");
    demand(c, is_index(n->light, s->light_count), "there is no such light");
    demand(c, n->skin == TENON_NONE || n->mesh != TENON_NONE, "a skin needs a mesh");
    demand(c, !n->has_matrix || is_finite(n->matrix, 16), "a matrix is not finite");
    demand(c, is_finite(n->translation, 3) && is_finite(n->rotation, 4) && is_finite(n->scale, 3),
           "a transform is not finite");
    double square = 0;
    for (int k = 0; k < 4; k++) square += n->rotation[k] * n->rotation[k];
    demand(c, fabs(square - 1) <= LENGTH_SLACK, "a rotation is not of length 1");
}

static void check_weights(checker *c, const tenon_primitive *p)
{
    for (uint64_t i = 0; i < p->vertex_count && !c->failed; i++) {
        double sum = 0;
        bool is_negative = false;
        for (uint32_t k = 0; k < p->influence_count; k++) {
            float weight = p->weights[i * p->influence_count + k];
            is_negative |= !(weight >= 0);
            sum += weight;
        }
        demand(c, !is_negative, "a weight is negative");
        demand(c, fabs(sum - 1) <= SUM_SLACK, "weights do not add up to 1");
    }
}

static void check_primitive(checker *c, const tenon_primitive *p)
{
    uint64_t n = p->vertex_count;
    demand(c, p->mode <= TENON_TRIANGLE_FAN, "there is no such mode");
    demand(c, is_index(p->material, c->scene->material_count), "there is no such material");
    demand(c, p->positions || n == 0, "vertices need positions");
    demand(c, !p->positions || tn_all_finite(p->positions, 3 * n), "a position is not finite");
    demand(c, !p->normals || are_units(p->normals, n, 3, 3), "a normal is not of length 1");
    demand(c, !p->tangents || (p->normals && are_units(p->tangents, n, 4, 3)),
           "a tangent is not of length 1, or has no normal");
    for (int k = 0; k < TENON_UV_SETS; k++)
        demand(c, !p->uvs[k] || tn_all_finite(p->uvs[k], 2 * n),
               "a texture coordinate is not finite");
    for (int k = 0; k < TENON_COLOR_SETS; k++)
        demand(c, !p->colors[k] || tn_all_finite(p->colors[k], 4 * n), "a color is not finite");
    demand(c, p->influence_count % 4 == 0, "influences come in fours");
    demand(c, !p->influence_count || (p->joints && p->weights),
           "influences need joints and weights");
    if (p->influence_count && !c->failed) check_weights(c, p);
    uint64_t cut = 0;
    for (uint32_t i = 0; p->polygon_sizes && i < p->polygon_count; i++) cut += p->polygon_sizes[i];
    demand(c, !p->polygon_sizes || (p->mode == TENON_TRIANGLES && cut == tn_piece_count(p)),
           "the triangles of polygons are not those of the primitive");
    if (!p->indices) return;
    uint32_t top = 0;
    for (uint32_t i = 0; i < p->index_count; i++) top = p->indices[i] > top ? p->indices[i] : top;
    demand(c, p->index_count == 0 || top < n, "an index is out of range");
}

static void check_meshes(checker *c)
{
    for (uint32_t i = 0; i < c->scene->mesh_count; i++) {
        at(c, "meshes[%u]", (unsigned)i);
        demand(c, is_text(c->scene->meshes[i].name), "a name is no text");
        for (uint32_t k = 0; k < c->scene->meshes[i].primitive_count && !c->failed; k++) {
            at(c, "meshes[%u].primitives[%u]", (unsigned)i, (unsigned)k);
            check_primitive(c, &c->scene->meshes[i].primitives[k]);
        }
    }
}

static void check_skins(checker *c)
{
    for (uint32_t i = 0; i < c->scene->skin_count && !c->failed; i++) {
        const tenon_skin *skin = &c->scene->skins[i];
        at(c, "skins[%u]", (unsigned)i);
        demand(c, is_text(skin->name), "a name is no text");
        demand(c, is_index(skin->root, c->scene->node_count), "there is no such root");
        demand(c, tn_all_finite(skin->inverse_binds, 16 * (uint64_t)skin->joint_count),
               "an inverse bind matrix is not finite");
        for (uint32_t k = 0; k < skin->joint_count; k++)
            demand(c, skin->joints[k] < c->scene->node_count, "there is no such joint");
    }
}

// Every influence names a joint of every skin that its mesh is shown with.
static void check_influences(checker *c, uint32_t node)
{
    const tenon_node *n = &c->scene->nodes[node];
    if (c->failed || n->skin == TENON_NONE) return;
    const tenon_mesh *mesh = &c->scene->meshes[n->mesh];
    uint32_t limit = c->scene->skins[n->skin].joint_count;
    at(c, "nodes[%u].mesh", (unsigned)node);
    for (uint32_t k = 0; k < mesh->primitive_count; k++) {
        const tenon_primitive *p = &mesh->primitives[k];
        uint64_t count = (uint64_t)p->vertex_count * p->influence_count;
        demand(c, p->influence_count > 0, "a part of a skinned mesh has no weights");
        uint16_t top = 0;
        for (uint64_t i = 0; i < count; i++) top = p->joints[i] > top ? p->joints[i] : top;
        demand(c, count == 0 || top < limit, "an influence names no joint of the skin");
    }
}

static void check_material(checker *c, uint32_t i)
{
    const tenon_material *m = &c->scene->materials[i];
    at(c, "materials[%u]", (unsigned)i);
    demand(c, is_text(m->name), "a name is no text");
    demand(c, is_finite(m->base_color, 4) && is_finite(m->emissive, 3) && is_finite(m->specular, 3),
           "a color is not finite");
    demand(c, m->metallic >= 0 && m->metallic <= 1 && m->roughness >= 0 && m->roughness <= 1,
           "metal and roughness go from 0 to 1");
    demand(c, m->alpha <= TENON_BLEND, "there is no such way of blending");
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        const tenon_texture *t = &m->textures[slot];
        demand(c, is_index(t->image, c->scene->image_count), "there is no such image");
        demand(c, t->uv_set < TENON_UV_SETS, "there is no such set of texture coordinates");
        demand(c, t->wrap[0] <= TENON_MIRROR && t->wrap[1] <= TENON_MIRROR,
               "there is no such way of wrapping");
        demand(c, is_finite(t->offset, 2) && is_finite(t->scale, 2) && is_finite(&t->rotation, 1),
               "the transform of a texture is not finite");
    }
}

static void check_channel(checker *c, const tenon_animation *a, const tenon_channel *channel)
{
    uint32_t each = channel->target == TENON_ROTATION ? 4 : 3;
    bool is_cubic = channel->curve == TENON_CUBIC;
    demand(c, channel->node < c->scene->node_count, "there is no such node");
    demand(c, channel->target <= TENON_SCALE && channel->curve <= TENON_CUBIC,
           "there is no such target or curve");
    demand(c, channel->key_count > 0, "a channel has no keys");
    if (c->failed) return;
    demand(c, !c->scene->nodes[channel->node].has_matrix, "a node with a matrix is moved");
    demand(c,
           tn_all_finite(channel->values, (uint64_t)channel->key_count * each * (is_cubic ? 3 : 1)),
           "a key is not finite");
    demand(c,
           channel->target != TENON_ROTATION || is_cubic ||
               are_units(channel->values, channel->key_count, 4, 4),
           "a rotation is not of length 1");
    demand(c, channel->times[0] >= 0, "a time is below 0");
    for (uint32_t i = 1; i < channel->key_count; i++)
        demand(c, channel->times[i] > channel->times[i - 1], "times do not grow");
    demand(c, channel->times[channel->key_count - 1] <= a->duration, "a key is behind the end");
}

static void check_animations(checker *c)
{
    for (uint32_t i = 0; i < c->scene->animation_count; i++) {
        const tenon_animation *a = &c->scene->animations[i];
        at(c, "animations[%u]", (unsigned)i);
        demand(c, is_text(a->name), "a name is no text");
        demand(c, a->duration >= 0 && is_finite(&a->duration, 1), "a duration is not finite");
        for (uint32_t k = 0; k < a->event_count; k++)
            demand(c, is_text(a->events[k].name) && is_finite(&a->events[k].time, 1),
                   "an event has no name or no time");
        for (uint32_t k = 0; k < a->channel_count && !c->failed; k++) {
            at(c, "animations[%u].channels[%u]", (unsigned)i, (unsigned)k);
            check_channel(c, a, &a->channels[k]);
        }
    }
}

static void check_rest(checker *c)
{
    for (uint32_t i = 0; i < c->scene->image_count; i++) {
        at(c, "images[%u]", (unsigned)i);
        demand(c, is_text(c->scene->images[i].name) && is_text(c->scene->images[i].path),
               "a name or a path is no text");
    }
    for (uint32_t i = 0; i < c->scene->camera_count; i++) {
        const tenon_camera *camera = &c->scene->cameras[i];
        at(c, "cameras[%u]", (unsigned)i);
        demand(c, is_text(camera->name), "a name is no text");
        demand(c, camera->field_of_view > 0 && camera->near_plane >= 0, "a number is out of range");
        demand(c, camera->far_plane == 0 || camera->far_plane > camera->near_plane,
               "the far plane is before the near one");
    }
    for (uint32_t i = 0; i < c->scene->light_count; i++) {
        at(c, "lights[%u]", (unsigned)i);
        demand(c, is_text(c->scene->lights[i].name), "a name is no text");
        demand(c, is_finite(c->scene->lights[i].color, 3), "a color is not finite");
        demand(c, c->scene->lights[i].kind <= TENON_SPOT_LIGHT, "there is no such kind of light");
    }
    for (uint32_t i = 0; i < c->scene->extra_count; i++) {
        at(c, "extras[%u]", (unsigned)i);
        demand(c, c->scene->extras[i].of <= TENON_EXTRA_OF_ANIMATION, "it belongs to nothing");
        demand(c, is_text(c->scene->extras[i].name) && is_text(c->scene->extras[i].value),
               "a name or a value is no text");
    }
}

bool tenon_scene_check(const tenon_scene *scene, tenon_error *err)
{
    checker c = {.scene = scene, .err = err};
    tn_error_clear(err);
    demand(&c, is_text(scene->name), "the scene's name is no text");
    for (uint32_t i = 0; i < scene->node_count; i++) check_node(&c, i);
    check_meshes(&c);
    check_skins(&c);
    for (uint32_t i = 0; i < scene->node_count; i++) check_influences(&c, i);
    for (uint32_t i = 0; i < scene->material_count; i++) check_material(&c, i);
    check_animations(&c);
    check_rest(&c);
    return !c.failed;
}
