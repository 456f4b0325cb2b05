// scene_build.c: how formats build a scene.
// SPDX-License-Identifier: MIT

#include "scene/model/scene_build.h"

#include "core/math/math.h"
#include "core/math/sort.h"
#include "core/text/text.h"
#include "scene/model/channels.h"
#include "scene/model/kept.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FIRST_ROOM   16
#define SCENE_MEMORY ((uint64_t)64 << 20)
#define SCENE_FACTOR 64

enum { NODES, MESHES, SKINS, MATERIALS, IMAGES, ANIMATIONS, CAMERAS, LIGHTS, EXTRAS };

// -- Errors and losses

bool tn_scene_fail(tn_scene_builder *builder, tenon_code code, const char *path, const char *fmt,
                   ...)
{
    if (builder->failed) return false;
    builder->failed = true;
    char message[sizeof builder->err->message];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    tn_error(builder->err, code, "%s", message);
    (void)snprintf(builder->err->path, sizeof builder->err->path, "%s", path ? path : "");
    return false;
}

void tn_scene_report(const tn_scene_builder *builder, tenon_loss_kind kind, const char *feature,
                     uint64_t count, const char *path, const char *why)
{
    tenon_loss loss = {.kind = kind, .feature = feature, .why = why, .count = count, .path = path};
    if (builder->opts->events.on_loss && count)
        builder->opts->events.on_loss(builder->opts->events.user, &loss);
}

static void scene_build_add_omission(tn_scene_builder *builder, const char *feature, uint64_t count,
                                     const char *path, const char *why)
{
    tenon_scene *scene = builder->scene;
    uint32_t used = scene->omission_count;
    if (count == 0) return;
    if ((used & (used - 1)) == 0) {  // The room doubles whenever a power of two is used.
        tenon_omission *longer =
            tn_scene_array(builder, used ? 2 * (uint64_t)used : 1, sizeof *longer);
        if (!longer) return;
        if (used) memcpy(longer, scene->omissions, used * sizeof *longer);
        scene->omissions = longer;
    }
    const char *texts[] = {feature, why, path ? path : ""};
    tenon_str kept[3];
    for (int i = 0; i < 3; i++)
        kept[i] = tn_scene_text(builder, (tenon_str){texts[i], (uint32_t)strlen(texts[i])});
    if (builder->failed) return;
    scene->omissions[scene->omission_count++] =
        (tenon_omission){.feature = kept[0], .why = kept[1], .count = count, .path = kept[2]};
}

void tn_scene_omit(tn_scene_builder *builder, const char *feature, uint64_t count, const char *path,
                   const char *why)
{
    tn_scene_report(builder, TENON_DROPPED, feature, count, path, why);
    scene_build_add_omission(builder, feature, count, path, why);
}

void tn_scene_omit_unkept(tn_scene_builder *builder, const char *feature, uint64_t count,
                          const char *path, const char *why)
{
    tn_scene_report_unkept(builder, TENON_DROPPED, feature, count, path, why);
    scene_build_add_omission(builder, feature, count, path, why);
}

// -- Memory

void *tn_scene_alloc(tn_scene_builder *builder, tn_arena *arena, uint64_t count, size_t size)
{
    if (builder->failed) return NULL;
    void *memory = tn_arena_alloc_or_fail(arena, count, size, "the scene", builder->err);
    builder->failed = !memory;
    return memory;
}

void *tn_scene_array(tn_scene_builder *builder, uint64_t count, size_t size)
{
    return tn_scene_alloc(builder, builder->arena, count, size);
}

float *tn_scene_floats(tn_scene_builder *builder, uint64_t count, uint32_t each)
{
    return tn_scene_array(builder, count, each * sizeof(float));
}

tenon_str tn_scene_text(tn_scene_builder *builder, tenon_str text)
{
    char *copy = tn_scene_array(builder, (uint64_t)text.size + 1, 1);
    tenon_str result = {copy, 0};
    bool all_clean = true;
    if (!copy) return (tenon_str){"", 0};
    for (size_t at = 0, n; at < text.size; at += n) {
        n = tn_utf8_step(text.data + at, text.size - at);
        bool is_clean = n != 0 && text.data[at] != '\0';
        if (n == 0) n = 1;
        if (is_clean)
            memcpy(copy + result.size, text.data + at, n);
        else
            copy[result.size] = '?';
        result.size += is_clean ? (uint32_t)n : 1;
        all_clean = all_clean && is_clean;
    }
    builder->unclean_count += !all_clean;
    return result;
}

uint32_t tn_list_add(tn_scene_builder *builder, tn_scene_list *list, void **items, uint32_t *count,
                     size_t size)
{
    if (builder->failed) return TENON_NONE;
    if (*items != list->items || *count >= list->room) {
        uint64_t first_room = list == &builder->scene->owner->inner ? 1 : FIRST_ROOM;
        uint64_t room = *count ? (uint64_t)*count * 2 : first_room;
        if (room >= TENON_NONE) room = TENON_NONE - 1;
        void *larger = tn_scene_array(builder, room, size);
        if (!larger) return TENON_NONE;
        if (*count) memcpy(larger, *items, *count * size);
        *items = larger;
        *list = (tn_scene_list){larger, (uint32_t)room};
    }
    return (*count)++;
}

// Append an object to `items` of the scene.
#define ADD(list, items, count)                                                  \
    tn_list_add(builder, &builder->scene->owner->lists[list],                    \
                (void **)(void *)&builder->scene->items, &builder->scene->count, \
                sizeof builder->scene->items[0])

// -- Objects

uint32_t tn_add_node(tn_scene_builder *builder, tenon_str name, uint32_t parent)
{
    tenon_str text = tn_scene_text(builder, name);
    uint32_t index = ADD(NODES, nodes, node_count);
    if (index == TENON_NONE) return index;
    builder->scene->nodes[index] = (tenon_node){.name = text,
                                                .parent = parent < index ? parent : TENON_NONE,
                                                .rotation = {0, 0, 0, 1},
                                                .scale = {1, 1, 1},
                                                .mesh = TENON_NONE,
                                                .skin = TENON_NONE,
                                                .camera = TENON_NONE,
                                                .light = TENON_NONE};
    return index;
}

// Report progress by the memory that is used: most of a scene is data of its files.
static void scene_build_report_progress(tn_scene_builder *builder)
{
    uint64_t total = builder->input_size ? builder->input_size : 1;
    uint64_t done = builder->arena->used < total ? builder->arena->used : total;
    if (!builder->failed && !tn_pulse_report(&builder->pulse, done, total))
        (void)tn_scene_fail(builder, TENON_ERR_CANCELLED, NULL, "cancelled");
}

uint32_t tn_add_mesh(tn_scene_builder *builder, tenon_str name, uint32_t primitive_count)
{
    scene_build_report_progress(builder);
    tenon_str text = tn_scene_text(builder, name);
    tenon_primitive *primitives = tn_scene_array(builder, primitive_count, sizeof *primitives);
    uint32_t index = ADD(MESHES, meshes, mesh_count);
    if (index == TENON_NONE) return index;
    for (uint32_t i = 0; i < primitive_count; i++)
        primitives[i] = (tenon_primitive){.mode = TENON_TRIANGLES, .material = TENON_NONE};
    builder->scene->meshes[index] =
        (tenon_mesh){.name = text, .primitive_count = primitive_count, .primitives = primitives};
    return index;
}

uint32_t tn_add_skin(tn_scene_builder *builder, tenon_str name, uint32_t joint_count)
{
    tenon_str text = tn_scene_text(builder, name);
    uint32_t *joints = tn_scene_array(builder, joint_count, sizeof *joints);
    float *binds = tn_scene_floats(builder, joint_count, 16);
    uint32_t index = ADD(SKINS, skins, skin_count);
    if (index == TENON_NONE) return index;
    for (uint32_t i = 0; i < joint_count; i++)
        for (int k = 0; k < 16; k += 5) binds[16 * (size_t)i + (size_t)k] = 1;
    builder->scene->skins[index] = (tenon_skin){.name = text,
                                                .root = TENON_NONE,
                                                .joint_count = joint_count,
                                                .joints = joints,
                                                .inverse_binds = binds};
    return index;
}

uint32_t tn_add_material(tn_scene_builder *builder, tenon_str name)
{
    tenon_str text = tn_scene_text(builder, name);
    uint32_t index = ADD(MATERIALS, materials, material_count);
    if (index == TENON_NONE) return index;
    tenon_material *m = &builder->scene->materials[index];
    *m = (tenon_material){.name = text,
                          .base_color = {1, 1, 1, 1},
                          .roughness = 1,
                          .normal_scale = 1,
                          .occlusion_strength = 1,
                          .alpha_cutoff = 0.5,
                          .shininess = 1};
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++)
        m->textures[slot] = (tenon_texture){.image = TENON_NONE, .scale = {1, 1}};
    return index;
}

uint32_t tn_add_animation(tn_scene_builder *builder, tenon_str name, uint32_t channel_count)
{
    scene_build_report_progress(builder);
    tenon_str text = tn_scene_text(builder, name);
    tenon_channel *channels = tn_scene_array(builder, channel_count, sizeof *channels);
    uint32_t index = ADD(ANIMATIONS, animations, animation_count);
    if (index == TENON_NONE) return index;
    for (uint32_t i = 0; i < channel_count; i++) channels[i].node = TENON_NONE;
    builder->scene->animations[index] =
        (tenon_animation){.name = text, .channel_count = channel_count, .channels = channels};
    return index;
}

uint32_t tn_add_camera(tn_scene_builder *builder, tenon_str name)
{
    tenon_str text = tn_scene_text(builder, name);
    uint32_t index = ADD(CAMERAS, cameras, camera_count);
    if (index == TENON_NONE) return index;
    builder->scene->cameras[index] = (tenon_camera){.name = text,
                                                    .field_of_view = TN_PI / 4,
                                                    .half_width = 1,
                                                    .half_height = 1,
                                                    .near_plane = 0.1};
    return index;
}

uint32_t tn_add_light(tn_scene_builder *builder, tenon_str name)
{
    tenon_str text = tn_scene_text(builder, name);
    uint32_t index = ADD(LIGHTS, lights, light_count);
    if (index == TENON_NONE) return index;
    builder->scene->lights[index] =
        (tenon_light){.name = text, .color = {1, 1, 1}, .intensity = 1, .outer_angle = TN_PI / 4};
    return index;
}

void tn_add_extra(tn_scene_builder *builder, tenon_extra_of of, uint32_t index, const char *name,
                  tenon_str value)
{
    tenon_str key = tn_scene_text(builder, (tenon_str){name, (uint32_t)strlen(name)});
    tenon_str text = tn_scene_text(builder, value);
    uint32_t at = ADD(EXTRAS, extras, extra_count);
    if (at != TENON_NONE) builder->scene->extras[at] = (tenon_extra){of, index, key, text};
}

// -- Images, found by their paths

typedef struct known_image {
    tn_named named;  // By its path.
    uint32_t index;
} known_image;

uint32_t tn_add_image(tn_scene_builder *builder, tenon_str path)
{
    tenon_str text = tn_scene_text(builder, path);
    if (builder->failed) return TENON_NONE;
    char *letters = (char *)(uintptr_t)text.data;
    for (uint32_t i = 0; i < text.size; i++)
        if (letters[i] == '\\') letters[i] = '/';
    const tn_named *known = tn_name_find(&builder->image_paths, text);
    if (known) return ((const known_image *)known)->index;
    known_image *fresh = tn_scene_array(builder, 1, sizeof *fresh);
    uint32_t index = fresh ? ADD(IMAGES, images, image_count) : TENON_NONE;
    if (index == TENON_NONE) return index;
    *fresh = (known_image){.named.name = text, .index = index};
    (void)tn_name_enter(&builder->image_paths, &fresh->named);
    builder->scene->images[index] = (tenon_image){.name = {"", 0}, .path = text};
    return index;
}

void tn_set_texture(tn_scene_builder *builder, uint32_t material, tenon_slot slot, tenon_str path)
{
    uint32_t image = tn_add_image(builder, path);
    if (!builder->failed) builder->scene->materials[material].textures[slot].image = image;
}

// -- Streams

void tn_primitive_alloc(tn_scene_builder *builder, tenon_primitive *p, uint64_t vertex_count,
                        uint64_t index_count, uint32_t streams)
{
    if (builder->failed) return;
    if (vertex_count >= TENON_NONE || index_count >= TENON_NONE) {
        tn_scene_fail(builder, TENON_ERR_LIMIT, NULL,
                      "a mesh has more vertices than an index can name");
        return;
    }
    p->vertex_count = (uint32_t)vertex_count;
    p->index_count = (uint32_t)index_count;
    p->positions = tn_scene_floats(builder, vertex_count, 3);
    if (streams & TN_WITH_NORMALS) p->normals = tn_scene_floats(builder, vertex_count, 3);
    if (streams & TN_WITH_TANGENTS) p->tangents = tn_scene_floats(builder, vertex_count, 4);
    if (streams & TN_WITH_UV0) p->uvs[0] = tn_scene_floats(builder, vertex_count, 2);
    if (streams & TN_WITH_UV1) p->uvs[1] = tn_scene_floats(builder, vertex_count, 2);
    if (streams & TN_WITH_COLOR) p->colors[0] = tn_scene_floats(builder, vertex_count, 4);
    if (streams & TN_WITH_SKIN) {
        p->influence_count = 4;
        p->joints = tn_scene_array(builder, vertex_count, 4 * sizeof *p->joints);
        p->weights = tn_scene_floats(builder, vertex_count, 4);
    }
    if (index_count) p->indices = tn_scene_array(builder, index_count, sizeof *p->indices);
}

void tn_channel_alloc(tn_scene_builder *builder, tenon_channel *channel, uint64_t key_count)
{
    if (builder->failed) return;
    if (key_count >= TENON_NONE) {
        tn_scene_fail(builder, TENON_ERR_LIMIT, NULL, "a channel has too many keys");
        return;
    }
    channel->key_count = (uint32_t)key_count;
    channel->times = tn_scene_floats(builder, key_count, 1);
    channel->values = tn_scene_floats(builder, key_count, tn_key_size(channel));
}

void tn_channels_alloc(tn_scene_builder *builder, tenon_channel channels[3], uint32_t node,
                       uint64_t key_count)
{
    for (int target = TENON_TRANSLATION; target <= TENON_SCALE; target++) {
        channels[target].node = node;
        channels[target].target = (tenon_target)target;
        tn_channel_alloc(builder, &channels[target], key_count);
    }
}

void tn_channels_set(const tenon_channel channels[3], size_t key, float time, const float trs[10])
{
    for (int target = 0; target < 3; target++) channels[target].times[key] = time;
    memcpy(channels[TENON_TRANSLATION].values + 3 * key, trs, 3 * sizeof *trs);
    memcpy(channels[TENON_ROTATION].values + 4 * key, trs + 3, 4 * sizeof *trs);
    memcpy(channels[TENON_SCALE].values + 3 * key, trs + 7, 3 * sizeof *trs);
}

static bool scene_build_is_earlier(const void *times, uint32_t a, uint32_t b)
{
    return ((const float *)times)[a] < ((const float *)times)[b];
}

bool tn_channel_sort(tn_scene_builder *builder, tenon_channel *channel)
{
    uint32_t count = channel->key_count, each = tn_key_size(channel), sorted = 1;
    while (sorted < count && !(channel->times[sorted] < channel->times[sorted - 1])) sorted++;
    if (sorted >= count) return false;
    tn_mark mark = tn_arena_mark(builder->arena);
    uint32_t *order = tn_scene_array(builder, count, sizeof *order);
    uint32_t *spare = tn_scene_array(builder, count, sizeof *spare);
    float *times = tn_scene_floats(builder, count, 1);
    float *values = tn_scene_floats(builder, count, each);
    if (builder->failed) return true;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    tn_sort(order, spare, count, scene_build_is_earlier, channel->times);
    memcpy(times, channel->times, count * sizeof *times);
    memcpy(values, channel->values, (size_t)count * each * sizeof *values);
    for (uint32_t i = 0; i < count; i++) {
        channel->times[i] = times[order[i]];
        memcpy(channel->values + (size_t)i * each, values + (size_t)order[i] * each,
               each * sizeof *values);
    }
    tn_arena_rewind(builder->arena, mark);
    return true;
}

// -- Morph targets

void tn_mesh_alloc_morphs(tn_scene_builder *builder, uint32_t mesh, uint32_t count)
{
    if (builder->failed) return;
    if (count > TN_MORPHS_MOST) {
        tn_scene_fail(builder, TENON_ERR_LIMIT, NULL, "a mesh has too many morph targets");
        return;
    }
    tenon_mesh *m = &builder->scene->meshes[mesh];
    tenon_str *names = tn_scene_array(builder, count, sizeof *names);
    double *weights = tn_scene_array(builder, count, sizeof *weights);
    uint32_t kept = m->morph_count < count ? m->morph_count : count;
    for (uint32_t i = 0; !builder->failed && i < m->primitive_count; i++) {
        tenon_primitive *p = &m->primitives[i];
        if (!p->morph_count) continue;
        tenon_morph *morphs = tn_scene_array(builder, count, sizeof *morphs);
        if (morphs && kept) memcpy(morphs, p->morphs, kept * sizeof *morphs);
        p->morphs = morphs;
        p->morph_count = count;
    }
    if (builder->failed) return;
    for (uint32_t i = 0; i < count; i++) {
        names[i] = i < kept ? m->morph_names[i] : (tenon_str){"", 0};
        weights[i] = i < kept ? m->morph_weights[i] : 0;
    }
    m->morph_names = names;
    m->morph_weights = weights;
    m->morph_count = count;
}

tenon_morph *tn_primitive_morphs(tn_scene_builder *builder, uint32_t mesh, uint32_t primitive)
{
    if (builder->failed) return NULL;
    const tenon_mesh *m = &builder->scene->meshes[mesh];
    tenon_primitive *p = &m->primitives[primitive];
    if (p->morph_count) return p->morphs;
    p->morphs = tn_scene_array(builder, m->morph_count, sizeof *p->morphs);
    if (p->morphs) p->morph_count = m->morph_count;
    return p->morphs;
}

// -- Transforms

double tn_split_matrix(const double matrix[16], tn_trs *trs)
{
    tn_mat4 m;
    double off = 0, largest = 0;
    memcpy(m.m, matrix, sizeof m.m);
    (void)tn_mat4_decompose(&m, trs);
    tn_mat4 again = tn_mat4_from_trs(trs);
    for (int i = 0; i < 12; i++) {  // Translations are always exact.
        largest = fmax(largest, fabs(m.m[i]));
        off = fmax(off, fabs(m.m[i] - again.m[i]));
    }
    return largest > 0 ? off / largest : off;
}

tn_trs tn_node_trs(const tenon_node *node)
{
    const double *t = node->translation, *r = node->rotation, *s = node->scale;
    return (tn_trs){{t[0], t[1], t[2]},
                    tn_quat_normalise((tn_quat){r[0], r[1], r[2], r[3]}),
                    {s[0], s[1], s[2]}};
}

tn_mat4 tn_node_local(const tenon_node *node)
{
    tn_mat4 matrix;
    tn_trs trs = tn_node_trs(node);
    memcpy(matrix.m, node->matrix, sizeof matrix.m);
    return node->has_matrix ? matrix : tn_mat4_from_trs(&trs);
}

void tn_set_trs(tenon_node *node, const tn_trs *trs)
{
    memcpy(node->translation, &trs->translation, sizeof node->translation);
    memcpy(node->rotation, &trs->rotation, sizeof node->rotation);
    memcpy(node->scale, &trs->scale, sizeof node->scale);
    node->has_matrix = false;
}

void tn_set_trs_floats(tn_scene_builder *builder, uint32_t node, const float translation[3],
                       const float rotation[4], const float scale[3])
{
    const float *t = translation, *r = rotation, *s = scale;
    const tn_trs trs = {{t[0], t[1], t[2]}, {r[0], r[1], r[2], r[3]}, {s[0], s[1], s[2]}};
    if (!builder->failed) tn_set_trs(&builder->scene->nodes[node], &trs);
}

void tn_set_matrix(tn_scene_builder *builder, uint32_t node, const double matrix[16])
{
    if (builder->failed) return;
    tenon_node *n = &builder->scene->nodes[node];
    tn_trs trs;
    n->has_matrix = !(tn_split_matrix(matrix, &trs) <= 1e-6);
    memcpy(n->matrix, matrix, sizeof n->matrix);
    if (!n->has_matrix) tn_set_trs(n, &trs);
}

// -- Order

uint32_t tn_order_parents(tn_scene_builder *builder, uint32_t *parents, uint32_t count,
                          uint32_t *order)
{
    enum { NEW, ON_PATH, DONE };
    uint8_t *states = tn_scene_array(builder, count, sizeof *states);
    uint32_t *path = tn_scene_array(builder, count, sizeof *path);
    uint32_t placed = 0, cut = 0;
    if (builder->failed) return 0;
    for (uint32_t i = 0; i < count; i++) {
        // Go up to the first ancestor that is placed, then place everything below it.
        uint32_t length = 0, at = i;
        while (at < count && states[at] == NEW) {
            states[at] = ON_PATH;
            path[length++] = at;
            at = parents[at];
        }
        if (at < count && states[at] == ON_PATH) {
            parents[path[length - 1]] = TENON_NONE;
            cut++;
        }
        while (length > 0) {
            states[path[--length]] = DONE;
            order[placed++] = path[length];
        }
    }
    return cut;
}

// -- Ends

bool tn_scene_begin(tn_scene_builder *builder, const tenon_scene_opts *opts, uint64_t input_size,
                    tenon_error *err)
{
    uint64_t limit = opts->max_memory;
    bool has_budget = opts->allocator.budget && opts->allocator.budget->memory.limit;
    if (!limit) limit = has_budget ? UINT64_MAX : SCENE_MEMORY + SCENE_FACTOR * input_size;
    *builder =
        (tn_scene_builder){.opts = opts,
                           .err = err,
                           .pulse = {.events = &opts->events, .budget = opts->allocator.budget},
                           .input_size = input_size};
    struct tenon_scene_owner *owner = tn_block_alloc(&opts->allocator, sizeof *owner);
    if (!owner) return tn_scene_fail(builder, TENON_ERR_MEMORY, NULL, "out of memory");
    *owner = (struct tenon_scene_owner){.arena = tn_arena_make(&opts->allocator, limit)};
    builder->arena = &owner->arena;
    builder->scene = tn_scene_array(builder, 1, sizeof *builder->scene);
    if (!builder->scene) {
        tn_block_free(&opts->allocator, owner, sizeof *owner);
        return false;
    }
    builder->scene->owner = owner;
    builder->scene->name = (tenon_str){"", 0};
    return true;
}

// -- Public

const char *tenon_slot_word(tenon_slot slot)
{
    static const char *const words[TENON_SLOT_COUNT] = {
        [TENON_SLOT_BASE_COLOR] = "base color",
        [TENON_SLOT_METALLIC_ROUGHNESS] = "metallic and roughness",
        [TENON_SLOT_NORMAL] = "normal",
        [TENON_SLOT_OCCLUSION] = "occlusion",
        [TENON_SLOT_EMISSIVE] = "emissive",
        [TENON_SLOT_SPECULAR] = "specular",
        [TENON_SLOT_DISPLACEMENT] = "displacement",
        [TENON_SLOT_LIGHT_MAP] = "light map",
    };
    return slot < TENON_SLOT_COUNT ? words[slot] : "unknown";
}

void tn_scene_free(tenon_scene *scene)
{
    if (scene) tn_owner_free(scene->owner, sizeof *scene->owner);
}
