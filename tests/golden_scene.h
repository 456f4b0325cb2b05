// golden_scene.h: everything in a scene, as lines of text.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_GOLDEN_SCENE_H
#define TENON_TESTS_GOLDEN_SCENE_H

#include "golden.h"

#define GOLDEN_FIRST 6  // Numbers of an array that are shown.

// -- Arrays

static inline void golden_say_floats(golden_text *text, const char *name, const float *values,
                                     size_t count)
{
    if (!values) return;
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        hash = golden_mix(hash, bits);
    }
    golden_say(text, "    %s", name);
    for (size_t i = 0; i < count && i < GOLDEN_FIRST; i++)
        golden_say(text, " %.9g", (double)values[i]);
    golden_say_hash(text, hash);
    golden_say(text, "\n");
}

static inline void golden_say_u32s(golden_text *text, const char *name, const uint32_t *values,
                                   size_t count)
{
    if (!values) return;
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) hash = golden_mix(hash, values[i]);
    golden_say(text, "    %s", name);
    for (size_t i = 0; i < count && i < 2 * GOLDEN_FIRST; i++)
        golden_say(text, " %" PRIu32, values[i]);
    golden_say_hash(text, hash);
    golden_say(text, "\n");
}

// -- Meshes

static inline void golden_say_primitive(golden_text *text, const tenon_primitive *p)
{
    size_t count = p->vertex_count, all = count * p->influence_count;
    golden_say(text, "  primitive mode %d, %" PRIu32 " vertices, %" PRIu32 " indices", p->mode,
               p->vertex_count, p->index_count);
    if (p->influence_count) golden_say(text, ", %" PRIu32 " influences", p->influence_count);
    golden_say_index(text, "material", p->material);
    golden_say(text, "\n");
    golden_say_floats(text, "positions", p->positions, 3 * count);
    golden_say_floats(text, "normals", p->normals, 3 * count);
    golden_say_floats(text, "tangents", p->tangents, 4 * count);
    for (int i = 0; i < TENON_UV_SETS; i++) golden_say_floats(text, "uvs", p->uvs[i], 2 * count);
    for (int i = 0; i < TENON_COLOR_SETS; i++)
        golden_say_floats(text, "colors", p->colors[i], 4 * count);
    if (p->influence_count) {
        uint64_t hash = all;
        for (size_t i = 0; i < all; i++) hash = golden_mix(hash, p->joints[i]);
        golden_say(text, "    joints");
        for (size_t i = 0; i < all && i < GOLDEN_FIRST; i++) golden_say(text, " %u", p->joints[i]);
        golden_say_hash(text, hash);
        golden_say(text, "\n");
        golden_say_floats(text, "weights", p->weights, all);
    }
    golden_say_u32s(text, "indices", p->indices, p->index_count);
}

static inline void golden_say_meshes(golden_text *text, const tenon_scene *s)
{
    for (uint32_t i = 0; i < s->mesh_count; i++) {
        golden_say(text, "mesh %" PRIu32, i);
        golden_say_str(text, s->meshes[i].name);
        golden_say(text, "\n");
        for (uint32_t k = 0; k < s->meshes[i].primitive_count; k++)
            golden_say_primitive(text, &s->meshes[i].primitives[k]);
    }
    for (uint32_t i = 0; i < s->skin_count; i++) {
        const tenon_skin *skin = &s->skins[i];
        golden_say(text, "skin %" PRIu32, i);
        golden_say_str(text, skin->name);
        golden_say_index(text, "root", skin->root);
        golden_say(text, ", %" PRIu32 " joints\n", skin->joint_count);
        golden_say_u32s(text, "joints", skin->joints, skin->joint_count);
        golden_say_floats(text, "inverse binds", skin->inverse_binds,
                          16 * (size_t)skin->joint_count);
    }
}

// -- Nodes

static inline void golden_say_nodes(golden_text *text, const tenon_scene *s)
{
    for (uint32_t i = 0; i < s->node_count; i++) {
        const tenon_node *n = &s->nodes[i];
        golden_say(text, "%s %" PRIu32, n->is_joint ? "joint" : "node", i);
        golden_say_str(text, n->name);
        golden_say_index(text, "in", n->parent);
        golden_say_index(text, "mesh", n->mesh);
        golden_say_index(text, "skin", n->skin);
        golden_say_index(text, "camera", n->camera);
        golden_say_index(text, "light", n->light);
        if (n->has_matrix) {
            golden_say_numbers(text, "matrix", n->matrix, 16);
        } else {
            golden_say_numbers(text, "at", n->translation, 3);
            golden_say_numbers(text, "turned", n->rotation, 4);
            golden_say_numbers(text, "scaled", n->scale, 3);
        }
        golden_say(text, "\n");
    }
}

static inline void golden_say_views(golden_text *text, const tenon_scene *s)
{
    for (uint32_t i = 0; i < s->camera_count; i++) {
        const tenon_camera *c = &s->cameras[i];
        double numbers[] = {c->field_of_view, c->aspect_ratio, c->half_width,
                            c->half_height,   c->near_plane,   c->far_plane};
        golden_say(text, "camera %" PRIu32, i);
        golden_say_str(text, c->name);
        golden_say_numbers(text, c->is_orthographic ? "flat" : "deep", numbers, 6);
        golden_say(text, "\n");
    }
    for (uint32_t i = 0; i < s->light_count; i++) {
        const tenon_light *l = &s->lights[i];
        double numbers[] = {l->intensity, l->range, l->inner_angle, l->outer_angle};
        golden_say(text, "light %" PRIu32 " kind %d", i, l->kind);
        golden_say_str(text, l->name);
        golden_say_numbers(text, "color", l->color, 3);
        golden_say_numbers(text, "numbers", numbers, 4);
        golden_say(text, "\n");
    }
}

// -- Materials

static inline void golden_say_textures(golden_text *text, const tenon_material *m)
{
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) {
        const tenon_texture *t = &m->textures[slot];
        if (t->image == TENON_NONE) continue;
        golden_say(text, "  %s: image %" PRIu32 " uv %" PRIu32 " wrap %d %d",
                   tenon_slot_word((tenon_slot)slot), t->image, t->uv_set, t->wrap[0], t->wrap[1]);
        golden_say_numbers(text, "at", t->offset, 2);
        golden_say_numbers(text, "scaled", t->scale, 2);
        golden_say_numbers(text, "turned", &t->rotation, 1);
        golden_say(text, "\n");
    }
}

static inline void golden_say_materials(golden_text *text, const tenon_scene *s)
{
    for (uint32_t i = 0; i < s->material_count; i++) {
        const tenon_material *m = &s->materials[i];
        double numbers[] = {m->metallic, m->roughness, m->normal_scale, m->occlusion_strength,
                            m->alpha_cutoff};
        golden_say(text, "material %" PRIu32, i);
        golden_say_str(text, m->name);
        golden_say_numbers(text, "color", m->base_color, 4);
        golden_say_numbers(text, "emissive", m->emissive, 3);
        golden_say_numbers(text, "numbers", numbers, 5);
        golden_say(text, " alpha %d%s%s", m->alpha, m->double_sided ? " double-sided" : "",
                   m->is_unlit ? " unlit" : "");
        if (m->is_classic) {
            golden_say_numbers(text, "specular", m->specular, 3);
            golden_say_numbers(text, "shininess", &m->shininess, 1);
        }
        golden_say(text, "\n");
        golden_say_textures(text, m);
    }
    for (uint32_t i = 0; i < s->image_count; i++) {
        const tenon_image *image = &s->images[i];
        golden_say(text, "image %" PRIu32, i);
        golden_say_str(text, image->name);
        golden_say_str(text, image->path);
        golden_say(text, " %" PRIu64 " bytes%s", image->size, image->flip_y ? " from below" : "");
        if (image->data) golden_say_hash(text, golden_hash(image->data, (size_t)image->size));
        golden_say(text, "\n");
    }
}

// -- Animations

static inline void golden_say_animations(golden_text *text, const tenon_scene *s)
{
    static const char *const targets[] = {"translation", "rotation", "scale", "weights"};
    static const char *const curves[] = {"linear", "step", "cubic"};
    for (uint32_t i = 0; i < s->animation_count; i++) {
        const tenon_animation *a = &s->animations[i];
        golden_say(text, "animation %" PRIu32, i);
        golden_say_str(text, a->name);
        golden_say_numbers(text, "seconds", &a->duration, 1);
        golden_say(text, "\n");
        for (uint32_t k = 0; k < a->channel_count; k++) {
            const tenon_channel *c = &a->channels[k];
            size_t width = c->target == TENON_WEIGHTS    ? c->weight_count
                           : c->target == TENON_ROTATION ? 4u
                                                         : 3u;
            if (c->curve == TENON_CUBIC) width *= 3;
            golden_say(text, "  node %" PRIu32 " %s %s, %" PRIu32 " keys\n", c->node,
                       targets[c->target], curves[c->curve], c->key_count);
            golden_say_floats(text, "times", c->times, c->key_count);
            golden_say_floats(text, "values", c->values, width * c->key_count);
        }
        for (uint32_t k = 0; k < a->event_count; k++) {
            golden_say_numbers(text, " event", &a->events[k].time, 1);
            golden_say_str(text, a->events[k].name);
            golden_say(text, "\n");
        }
    }
}

// -- Poses

static inline void golden_say_box(golden_text *text, const char *name, bool is_there,
                                  const double min[3], const double max[3])
{
    golden_say(text, "box %s", name);
    if (is_there) {
        golden_say_numbers(text, "from", min, 3);
        golden_say_numbers(text, "to", max, 3);
    }
    golden_say(text, "\n");
}

static inline void golden_say_poses(golden_text *text, const tenon_scene *s)
{
    double min[3], max[3];
    tenon_pose *pose = tenon_pose_new(s, NULL, NULL);
    CHECK(pose);
    if (!pose) return;
    golden_say_box(text, "at rest", tenon_pose_bounds(pose, min, max), min, max);
    for (uint32_t i = 0; i < s->animation_count; i++)
        golden_say_box(text, "of a clip", tenon_pose_clip_bounds(pose, i, min, max), min, max);
    tenon_pose_free(pose);
}

// -- All of it

static inline void golden_say_scene(golden_text *text, const tenon_scene *s)
{
    golden_say(text, "scene");
    golden_say_str(text, s->name);
    golden_say(text, "\n");
    golden_say_nodes(text, s);
    golden_say_meshes(text, s);
    golden_say_materials(text, s);
    golden_say_animations(text, s);
    golden_say_views(text, s);
    for (uint32_t i = 0; i < s->extra_count; i++) {
        golden_say(text, "extra of %d %" PRIu32, s->extras[i].of, s->extras[i].index);
        golden_say_str(text, s->extras[i].name);
        golden_say_str(text, s->extras[i].value);
        golden_say(text, "\n");
    }
    golden_say_poses(text, s);
}

// Whether a line reports a loss.
static inline bool golden_is_loss(const char *line)
{
    for (int kind = TENON_DROPPED; kind <= TENON_SYNTHESIZED; kind++) {
        const char *word = tenon_loss_word((tenon_loss_kind)kind);
        if (strncmp(line, "  ", 2) == 0 && strncmp(line + 2, word, strlen(word)) == 0) return true;
    }
    return false;
}

// A tenon_loss_fn. Losses are a set: their lines are sorted, so that their order may change.
static inline void golden_say_loss(void *user, const tenon_loss *loss)
{
    golden_text *text = user;
    size_t start = text->size;
    golden_say(text, "  %s %s, %" PRIu64, tenon_loss_word(loss->kind), loss->feature, loss->count);
    if (loss->path) golden_say(text, " from %s", loss->path);
    if (loss->offset) golden_say(text, " at %" PRIu64, loss->offset);
    if (loss->error != 0) golden_say(text, " by %.3g", loss->error);
    golden_say(text, "%s\n", loss->is_damage ? ", damage" : "");
    char line[2048];
    size_t size = text->size - start, place = start;
    if (size >= sizeof line) exit(1);
    memcpy(line, text->data + start, size);
    line[size] = 0;
    while (place > 0) {
        size_t previous = place - 1;
        while (previous > 0 && text->data[previous - 1] != '\n') previous--;
        const char *other = (const char *)text->data + previous;
        if (!golden_is_loss(other) || strncmp(other, line, place - previous) <= 0) break;
        place = previous;
    }
    memmove(text->data + place + size, text->data + place, start - place);
    memcpy(text->data + place, line, size);
}

// The model of an animation in a separate file: BBMOD's. NULL: it needs none.
static inline tenon_doc *golden_model_of(const tenon_doc *doc, const char *path)
{
    if (strcmp(doc->format->name, "bbanim") != 0) return NULL;
    bool is_sample = path && strncmp(path, "samples/", 8) == 0;
    tenon_doc *model = tenon_read_file(
        is_sample ? "samples/crane.bbmod" : "tests/fixtures/bbmod/3.4_skinned.bbmod", NULL, NULL);
    CHECK(model);
    return model;
}

// The scene of a document, after its losses; or why there is none.
static inline tenon_scene *golden_say_scene_of(golden_text *text, const tenon_doc *doc,
                                               const char *path, bool salvage)
{
    tenon_error err;
    tenon_companion clip = {doc, "clip"};
    tenon_doc *model = golden_model_of(doc, path);
    tenon_scene_opts opts = {.model_path = path,
                             .companions = &clip,
                             .companion_count = model != NULL,
                             .salvage = salvage,
                             .events = {.user = text, .on_loss = golden_say_loss}};
    tenon_scene *scene = tenon_to_scene(model ? model : doc, &opts, &err);
    if (scene)
        golden_say_scene(text, scene);
    else
        golden_say_error(text, &err);
    tenon_doc_free(model);
    return scene;
}

#endif  // TENON_TESTS_GOLDEN_SCENE_H
