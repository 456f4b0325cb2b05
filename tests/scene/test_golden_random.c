// test_golden_random.c: random scenes are exported to every format, changed and compared with the
// same results as before.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE  // scratch.h
#include "../edits.h"
#include "../golden_export.h"
#include "../golden_file.h"
#include "../scratch.h"
#include "gltf_random.h"

#define SEEDS 16

static void count_difference(void *user, const tenon_difference *d)
{
    golden_say(user, "  %s %s %s %s %.3g\n", d->kind, d->path, d->a, d->b, d->amount);
}

static void say_joined(golden_text *text, tenon_scene *scene, const tenon_scene *before,
                       uint32_t seed)
{
    golden_text whole = {0};
    uint64_t count = 0;
    tenon_error err;
    tenon_verify_result result = {0};
    edits opts = {.events = {.user = text, .on_loss = golden_say_loss},
                  .keep.drop = 1u << seed % 11,
                  .meshes.normals = (tenon_make)(seed % 4),
                  .meshes.tangents = (tenon_make)(seed / 4 % 4),
                  .meshes.max_influences = seed % 5,
                  .meshes.pre_transform = seed % 6 == 5,
                  .meshes.join = seed % 8};
    golden_say(text, "changed\n");
    if (!edit_scene(scene, &opts, &err)) {
        golden_say_error(text, &err);
        return;
    }
    golden_say_scene(&whole, scene);
    CHECK(tenon_diff(before, scene, NULL, count_difference, &whole, &count, NULL));
    CHECK(tenon_verify(before, scene, NULL, &result, NULL));
    golden_say(&whole, "%.4g %.4g %.4g %.4g %s %s", result.largest, result.rms, result.matched,
               result.reversed, result.bone, result.mesh);
    golden_say(text, "  %" PRIu32 " nodes, %" PRIu32 " meshes, %" PRIu64 " differences",
               scene->node_count, scene->mesh_count, count);
    golden_say_hash(text, golden_hash(whole.data, whole.size));
    golden_say(text, "\n");
    if (golden_is_loud) fprintf(stderr, "%.*s", (int)whole.size, (char *)whole.data);
    free(whole.data);
}

TEST(random_scenes)
{
    golden_book *book = golden_begin();
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        tn_scene_builder b, changed;
        golden_text text = {0};
        golden_say(&book->text, "== %" PRIu32 "\n", seed);
        scene_begin(&b);
        scene_begin(&changed);
        make_random(&b, seed, true);
        make_random(&changed, seed, true);
        golden_rename_pictures(b.scene, seed);
        for (uint32_t i = 0; tenon_format_at(i); i++) {
            const tenon_format *format = tenon_format_at(i);
            tenon_export_opts opts = {.format = format->name, .embed = seed % 2 != 0};
            if (!(format->caps & TENON_FROM_SCENE)) continue;
            golden_say(&book->text, "%s\n", format->name);
            golden_tell_export(book, "another", b.scene, opts);
        }
        say_joined(&text, changed.scene, b.scene, seed);
        golden_add(book, "changed", "another", &text);
        scene_end(&b);
        scene_end(&changed);
    }
    golden_compare(book, "random");
}

// -- Scenes that differ a little

// One of several numbers becomes another one.
static void shift_one(chance *c, double *values, uint32_t count)
{
    static const double steps[] = {0.25, -0.5, 1e-6, 3};
    values[below(c, count)] += steps[below(c, 4)];
}

static void shift_one_float(chance *c, float *values, uint64_t count)
{
    static const float steps[] = {0.25f, -0.5f, 1e-5f, 3};
    if (values && count) values[below(c, (uint32_t)count)] += steps[below(c, 4)];
}

static void change_primitive(chance *c, tenon_scene *s, tenon_primitive *p)
{
    switch (below(c, 12)) {
    case 0:
        shift_one_float(c, p->normals, 3 * (uint64_t)p->vertex_count);
        break;
    case 1:
        shift_one_float(c, p->tangents, 4 * (uint64_t)p->vertex_count);
        break;
    case 2:
        shift_one_float(c, p->uvs[0], 2 * (uint64_t)p->vertex_count);
        break;
    case 3:
        shift_one_float(c, p->uvs[1], 2 * (uint64_t)p->vertex_count);
        break;
    case 4:
        shift_one_float(c, p->colors[0], 4 * (uint64_t)p->vertex_count);
        break;
    case 5:
        p->material = maybe(c, s->material_count);
        break;
    case 6:
        p->mode = (tenon_mode)below(c, 7);
        break;
    case 7:
        p->normals = NULL, p->tangents = NULL;
        break;
    case 8:
        p->index_count -= p->index_count > 2;
        break;
    case 9:
        if (p->index_count) p->indices[below(c, p->index_count)] = below(c, p->vertex_count);
        break;
    case 10:
        if (p->joints && p->vertex_count) p->joints[0] = (uint16_t)(2 - p->joints[0]);
        break;
    default:
        shift_one_float(c, p->positions, 3 * (uint64_t)p->vertex_count);
    }
}

static void change_material(chance *c, tenon_scene *s, tenon_material *m)
{
    tenon_texture *t = &m->textures[below(c, TENON_SLOT_COUNT)];
    switch (below(c, 16)) {
    case 0:
        shift_one(c, m->base_color, 4);
        break;
    case 1:
        shift_one(c, m->emissive, 3);
        break;
    case 2:
        shift_one(c, m->specular, 3);
        break;
    case 3:
        shift_one(c, &m->metallic, 1);
        break;
    case 4:
        shift_one(c, &m->roughness, 1);
        break;
    case 5:
        shift_one(c, &m->normal_scale, 1);
        break;
    case 6:
        shift_one(c, &m->occlusion_strength, 1);
        break;
    case 7:
        shift_one(c, &m->alpha_cutoff, 1);
        break;
    case 8:
        shift_one(c, &m->shininess, 1);
        break;
    case 9:
        m->alpha = (tenon_alpha)below(c, 3);
        break;
    case 10:
        m->double_sided = !m->double_sided;
        break;
    case 11:
        m->is_unlit = !m->is_unlit;
        break;
    case 12:
        m->is_classic = !m->is_classic;
        break;
    case 13:
        t->image = maybe(c, s->image_count);
        break;
    case 14:
        t->wrap[below(c, 2)] = (tenon_wrap)below(c, 3);
        break;
    default:
        shift_one(c, one_in(c, 2) ? t->offset : t->scale, 2);
        t->uv_set = below(c, 2);
    }
}

static void change_view(chance *c, tenon_camera *camera, tenon_light *light)
{
    double *const numbers[] = {&camera->field_of_view, &camera->aspect_ratio, &camera->half_width,
                               &camera->half_height,   &camera->near_plane,   &camera->far_plane,
                               &light->color[1],       &light->intensity,     &light->range,
                               &light->inner_angle,    &light->outer_angle};
    uint32_t which = below(c, 13);
    if (which < 11) shift_one(c, numbers[which], 1);
    if (which == 11) camera->is_orthographic = !camera->is_orthographic;
    if (which == 12) light->kind = (tenon_light_kind)below(c, 3);
}

static void change_clip(chance *c, tenon_animation *a)
{
    tenon_channel *channel = a->channel_count ? &a->channels[below(c, a->channel_count)] : NULL;
    switch (below(c, 6)) {
    case 0:
        shift_one(c, &a->duration, 1);
        break;
    case 1:
        a->channel_count -= a->channel_count > 0;
        break;
    case 2:
        a->event_count -= a->event_count > 0;
        break;
    case 3:
        if (a->event_count) random_name(c, &a->events[below(c, a->event_count)].name);
        break;
    case 4:
        if (a->event_count) shift_one(c, &a->events[below(c, a->event_count)].time, 1);
        break;
    default:
        if (!channel) break;
        shift_one_float(c, channel->values, channel->target == TENON_ROTATION ? 4 : 3);
        if (one_in(c, 2)) channel->key_count -= channel->key_count > 1;
        if (one_in(c, 2) && channel->curve != TENON_CUBIC)
            channel->curve = (tenon_curve)below(c, 2);
    }
}

static void change_node(chance *c, tenon_scene *s, tenon_node *n)
{
    switch (below(c, 8)) {
    case 0:
        random_name(c, &n->name);
        break;
    case 1:
        shift_one(c, n->translation, 3);
        break;
    case 2:
        shift_one(c, n->rotation, 4);
        break;
    case 3:
        shift_one(c, n->scale, 3);
        break;
    case 4:
        n->camera = maybe(c, s->camera_count);
        break;
    case 5:
        n->light = maybe(c, s->light_count);
        break;
    case 6:
        n->mesh = TENON_NONE, n->skin = TENON_NONE;
        break;
    default:
        n->is_joint = !n->is_joint;
    }
}

static void change_a_little(chance *c, tenon_scene *s)
{
    uint32_t mesh = below(c, s->mesh_count);
    switch (below(c, 9)) {
    case 0:
    case 1:
        if (s->node_count) change_node(c, s, &s->nodes[below(c, s->node_count)]);
        break;
    case 2:
    case 3:
        if (s->mesh_count && s->meshes[mesh].primitive_count)
            change_primitive(
                c, s, &s->meshes[mesh].primitives[below(c, s->meshes[mesh].primitive_count)]);
        break;
    case 4:
        if (s->material_count) change_material(c, s, &s->materials[below(c, s->material_count)]);
        break;
    case 5:
        if (s->camera_count) change_view(c, &s->cameras[0], &s->lights[0]);
        break;
    case 6:
        if (s->animation_count) change_clip(c, &s->animations[below(c, s->animation_count)]);
        break;
    case 7:
        if (s->extra_count) random_name(c, &s->extras[below(c, s->extra_count)].value);
        break;
    default:
        s->extra_count -= s->extra_count > 0 && one_in(c, 2);
        s->animation_count -= s->animation_count > 0 && one_in(c, 2);
        if (mesh < s->mesh_count)
            s->meshes[mesh].primitive_count -= s->meshes[mesh].primitive_count > 1;
    }
}

// -- Files of random scenes

// What make_random() leaves out: events of clips, and names with values of all kinds of objects.
static void add_more(tn_scene_builder *b, uint32_t seed)
{
    static const char *const names[] = {"type", "u_color", "collision_shape", "a b", "unit"};
    static const char *const values[] = {"", "1", "0.5 2 -3", "x", "box/1/2/1", "\xc3\xa9\"\n"};
    chance c = {seed + 1000, true};
    tenon_scene *s = b->scene;
    const uint32_t counts[] = {1, s->node_count, s->mesh_count, s->material_count,
                               s->animation_count};
    for (uint32_t i = 0; i < s->animation_count; i++) {
        tenon_animation *a = &s->animations[i];
        a->event_count = below(&c, 4);
        a->events = tn_scene_array(b, a->event_count, sizeof *a->events);
        for (uint32_t k = 0; k < a->event_count; k++) {
            a->events[k].time = a->duration * k / 3;
            random_name(&c, &a->events[k].name);
        }
    }
    for (uint32_t count = below(&c, 8); count > 0; count--) {
        uint32_t of = below(&c, sizeof counts / sizeof counts[0]);
        if (counts[of] == 0) continue;
        tn_add_extra(b, (tenon_extra_of)of, below(&c, counts[of]), names[below(&c, 5)],
                     str(values[below(&c, 6)]));
    }
}

// The main file of an export, as one that is read; `data` is NULL if there is none.
static golden_file export_random(const tenon_scene *scene, const tenon_format *format,
                                 uint32_t seed)
{
    golden_file file = {.format = format};
    kept k = {.calls_left = -1};
    tenon_export_opts opts = {.format = format->name,
                              .dialect = format->dialects[seed % format->dialect_count].name,
                              .embed = seed % 2 != 0,
                              .without_materials = seed % 5 == 0,
                              .grouping = seed % 3 ? TENON_GROUP_CLIPS : TENON_GROUP_NODES,
                              .rate = seed % 4 == 1 ? 24 : 0,
                              .spaces = seed % 8};
    tenon_sink sink = {kept_begin, kept_write, kept_end, &k};
    bool ok = tenon_export(scene, &opts, &sink, NULL);
    for (int i = 0; ok && i < k.file_count; i++) {
        const char *name = k.files[i].name;
        snprintf(file.path, sizeof file.path, "nowhere/%s", name);
        tenon_doc *doc =
            tenon_read(k.files[i].bytes, k.files[i].size, &(tenon_read_opts){.name = name}, NULL);
        if (doc && doc->format == format && !file.data) {
            file.data = k.files[i].bytes;
            file.size = k.files[i].size;
            k.files[i].bytes = NULL;
        }
        tenon_doc_free(doc);
    }
    snprintf(file.path, sizeof file.path, "nowhere/random.%s", format->name);
    kept_free(&k);
    return file;
}

// Everything the library reports for the files, as one hash for each.
TEST(files_of_random_scenes)
{
    golden_book *book = golden_begin(), *whole = golden_begin();
    golden_file last[16] = {{.data = NULL}};
    static const uint8_t seeds[] = {0, 12, 15, 19, 40, 41};
    for (size_t n = 0; n < sizeof seeds / sizeof seeds[0]; n++) {
        uint32_t seed = seeds[n];
        tn_scene_builder b;
        golden_say(&book->text, "== %" PRIu32 "\n", seed);
        scene_begin(&b);
        make_random(&b, seed + 100, seed % 4 != 3);
        // Scenes of many things, of which some have the same name.
        for (uint32_t k = 1; seed >= 40 && k < 6; k++) make_random(&b, 10 * seed + k, true);
        add_more(&b, seed);
        for (uint32_t i = 0; tenon_format_at(i); i++) {
            if (!(tenon_format_at(i)->caps & TENON_FROM_SCENE)) continue;
            golden_file file = export_random(b.scene, tenon_format_at(i), seed);
            if (!file.data) continue;
            file.name = "another";
            file.is_large = seed >= 40;
            if (!last[i].data) last[i] = file;
            whole->text.size = 0;
            golden_tell_file(whole, &file, &last[i]);
            golden_say(&book->text, "%s", file.format->name);
            golden_say_bytes(&book->text, "", &whole->text);
            if (golden_is_loud)
                fprintf(stderr, "%.*s", (int)whole->text.size, (char *)whole->text.data);
            if (last[i].data != file.data) free(last[i].data);
            last[i] = file;
        }
        scene_end(&b);
    }
    for (size_t i = 0; i < sizeof last / sizeof last[0]; i++) free(last[i].data);
    free(whole->text.data);
    free(whole);
    golden_compare(book, "random_files");
}

// -- Files beside random models

static void say_model_with_sides(golden_text *text, const kept_file *model)
{
    tenon_read_opts opts = {.name = model->name};
    tenon_doc *doc = tenon_read(model->bytes, model->size, &opts, NULL);
    if (doc && strcmp(doc->format->name, "bbanim") != 0) {
        golden_say_info(text, doc, model->name, true);
        golden_say_check(text, doc, model->name, NULL);
        tenon_scene_free(golden_say_scene_of(text, doc, model->name, false));
    }
    tenon_doc_free(doc);
}

// Everything the library reports for a model and the files beside it, as written and with
// some of their words changed.
static void say_random_sides(golden_text *text, const kept *k)
{
    golden_text changed = {0};
    for (int i = 0; i < k->file_count; i++)
        scratch_save(k->files[i].name, k->files[i].bytes, k->files[i].size);
    for (int m = 0; m < k->file_count; m++) say_model_with_sides(text, &k->files[m]);
    for (int i = 0; i < k->file_count; i++) {
        const kept_file *side = &k->files[i];
        bool is_text = side->size && !memchr(side->bytes, 0, side->size);
        for (size_t n = 0; is_text && n < 30; n++) {
            if (!golden_change_word(&changed, side->bytes, side->size, n, 30)) break;
            scratch_save(side->name, changed.data, changed.size);
            for (int m = 0; m < k->file_count; m++)
                if (m != i) say_model_with_sides(text, &k->files[m]);
        }
        scratch_save(side->name, side->bytes, side->size);
    }
    free(changed.data);
}

TEST(files_beside_random_models)
{
    golden_book *book = golden_begin();
    char *before = getcwd(NULL, 0);
    CHECK(before);
    for (uint32_t seed = 300; before && seed < 304; seed++) {
        tn_scene_builder b;
        golden_say(&book->text, "== %" PRIu32 "\n", seed);
        scene_begin(&b);
        make_random(&b, seed, true);
        add_more(&b, seed);
        for (uint32_t i = 0; tenon_format_at(i); i++) {
            const tenon_format *format = tenon_format_at(i);
            tenon_export_opts opts = {.format = format->name};
            kept k = {.calls_left = -1};
            golden_text text = {0};
            if (!(format->caps & TENON_FROM_SCENE)) continue;
            bool ok = tenon_export(b.scene, &opts,
                                   &(tenon_sink){kept_begin, kept_write, kept_end, &k}, NULL);
            for (int n = 0; n < k.file_count; n++)  // The main one has no name.
                if (!k.files[n].name[0])
                    snprintf(k.files[n].name, sizeof k.files[n].name, "model.%s", format->name);
            scratch_begin();
            CHECK(chdir(scratch_folder) == 0);
            if (ok && k.file_count > 1) say_random_sides(&text, &k);
            CHECK(chdir(before) == 0);
            scratch_end();
            golden_say_bytes(&book->text, format->name, &text);
            if (golden_is_loud) fprintf(stderr, "%.*s", (int)text.size, (char *)text.data);
            free(text.data);
            kept_free(&k);
        }
        scene_end(&b);
    }
    free(before);
    golden_compare(book, "random_sides");
}

// How a scene differs from itself with a few things changed, as one hash for each scene.
TEST(scenes_that_differ_a_little)
{
    golden_book *book = golden_begin();
    for (uint32_t seed = 200; seed < 224; seed++) {
        golden_text text = {0};
        tn_scene_builder b;
        scene_begin(&b);
        make_random(&b, seed, true);
        add_more(&b, seed);
        for (uint32_t round = 0; round < 100; round++) {
            tn_scene_builder changed;
            chance c = {100 * seed + round, true};
            tenon_error err;
            tenon_verify_result r = {0};
            uint64_t count = 0;
            scene_begin(&changed);
            make_random(&changed, seed, true);
            add_more(&changed, seed);
            for (uint32_t i = 0; i < 1 + round % 3; i++) change_a_little(&c, changed.scene);
            golden_say(&text, "%" PRIu32 "\n", round);
            if (!tenon_scene_check(changed.scene, &err)) golden_say_error(&text, &err);
            if (tenon_diff(b.scene, changed.scene, NULL, count_difference, &text, &count, &err) &&
                tenon_verify(b.scene, changed.scene, NULL, &r, &err))
                golden_say(&text, "%.4g %.4g %.4g %.4g %s %s %s %.4g", r.largest, r.rms, r.matched,
                           r.reversed, r.bone, r.mesh, r.clip, r.seconds);
            else
                golden_say_error(&text, &err);
            scene_end(&changed);
        }
        golden_say(&book->text, "== %" PRIu32 "\n", seed);
        golden_say_bytes(&book->text, "differences", &text);
        if (golden_is_loud) fprintf(stderr, "%.*s", (int)text.size, (char *)text.data);
        free(text.data);
        scene_end(&b);
    }
    golden_compare(book, "random_differences");
}

int main(int argc, char **argv)
{
    golden_arguments(argc, argv);
    RUN(random_scenes);
    RUN(files_of_random_scenes);
    RUN(files_beside_random_models);
    RUN(scenes_that_differ_a_little);
    TEST_END();
}
