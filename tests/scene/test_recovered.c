// test_recovered.c: what is recovered from a cut model is a part of the model: its nodes,
// triangles and keys are where the whole model has them.
// SPDX-License-Identifier: MIT

#include "../formats/model_help.h"
#include "../poke.h"

#include <tenon/gpb.h>
#include <tenon/modeldata.h>
#include <tenon/scene.h>

#include <math.h>

#define CUTS 200

// A cut model, and the losses of its recovery.
typedef struct salvaged {
    const char *path;
    size_t size;
    bool has_new_places;  // Meshes whose nodes are lost, at the origin.
    uint32_t nodes, triangles, keys;
} salvaged;

static void note_loss(void *user, const tenon_loss *loss)
{
    salvaged *cut = user;
    if (strstr(loss->feature, "places")) cut->has_new_places = true;
}

static bool same_text(tenon_str a, tenon_str b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static bool near_floats(const float *a, const float *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(fabs((double)a[i] - (double)b[i]) < 1e-5)) return false;
    return true;
}

static bool near_doubles(const double *a, const double *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) < 1e-5)) return false;
    return true;
}

static void blame(const salvaged *cut, const char *what, tenon_str name)
{
    fprintf(stderr, "%s, cut to %zu bytes: %s of '%.*s'\n", cut->path, cut->size, what,
            (int)name.size, name.data);
    test_failures++;
}

// -- Nodes

static const tenon_node *node_named(const tenon_scene *s, tenon_str name)
{
    for (uint32_t i = 0; i < s->node_count; i++)
        if (same_text(s->nodes[i].name, name)) return &s->nodes[i];
    return NULL;
}

static void compare_nodes(const tenon_scene *whole, const tenon_scene *part, salvaged *cut)
{
    for (uint32_t i = 0; i < part->node_count; i++) {
        const tenon_node *now = &part->nodes[i], *was = node_named(whole, now->name);
        if (!was) continue;  // Names may be lost, and positions with them.
        cut->nodes++;
        bool is_same = near_doubles(now->translation, was->translation, 3) &&
                       near_doubles(now->scale, was->scale, 3) &&
                       near_doubles(now->rotation, was->rotation, 4);
        if (!is_same && !cut->has_new_places) blame(cut, "the place", now->name);
    }
}

// -- Triangles

static const float *corner(const tenon_primitive *p, uint32_t index)
{
    return p->positions + 3 * (size_t)(p->indices ? p->indices[index] : index);
}

static uint32_t triangles_in(const tenon_primitive *p)
{
    return p->mode != TENON_TRIANGLES ? 0 : (p->indices ? p->index_count : p->vertex_count) / 3;
}

static bool has_triangle(const tenon_scene *s, const tenon_primitive *p, uint32_t triangle)
{
    for (uint32_t m = 0; m < s->mesh_count; m++)
        for (uint32_t k = 0; k < s->meshes[m].primitive_count; k++) {
            const tenon_primitive *other = &s->meshes[m].primitives[k];
            for (uint32_t t = 0; t < triangles_in(other); t++) {
                bool is_same = true;
                for (uint32_t c = 0; c < 3 && is_same; c++)
                    is_same = near_floats(corner(p, 3 * triangle + c), corner(other, 3 * t + c), 3);
                if (is_same) return true;
            }
        }
    return false;
}

static void compare_meshes(const tenon_scene *whole, const tenon_scene *part, salvaged *cut)
{
    for (uint32_t m = 0; m < part->mesh_count; m++)
        for (uint32_t k = 0; k < part->meshes[m].primitive_count; k++) {
            const tenon_primitive *p = &part->meshes[m].primitives[k];
            uint32_t known = 0, count = triangles_in(p);
            for (uint32_t t = 0; t < count; t++) known += has_triangle(whole, p, t);
            if (known < count) blame(cut, "triangles", part->meshes[m].name);
            cut->triangles += count;
        }
}

// -- Keys

static const tenon_channel *channel_of(const tenon_scene *s, tenon_str clip, tenon_str node,
                                       tenon_target target)
{
    for (uint32_t i = 0; i < s->animation_count; i++) {
        const tenon_animation *a = &s->animations[i];
        for (uint32_t k = 0; k < a->channel_count && same_text(a->name, clip); k++)
            if (a->channels[k].target == target &&
                same_text(s->nodes[a->channels[k].node].name, node))
                return &a->channels[k];
    }
    return NULL;
}

static bool has_key(const tenon_channel *c, float time, const float *value, uint32_t each)
{
    for (uint32_t i = 0; i < c->key_count; i++)
        if (near_floats(&c->times[i], &time, 1) &&
            near_floats(c->values + (size_t)each * i, value, each))
            return true;
    return false;
}

static void compare_clips(const tenon_scene *whole, const tenon_scene *part, salvaged *cut)
{
    for (uint32_t i = 0; i < part->animation_count; i++)
        for (uint32_t k = 0; k < part->animations[i].channel_count; k++) {
            const tenon_channel *c = &part->animations[i].channels[k];
            tenon_str clip = part->animations[i].name, node = part->nodes[c->node].name;
            const tenon_channel *was = channel_of(whole, clip, node, c->target);
            uint32_t each = (c->target == TENON_ROTATION ? 4 : 3), known = 0;
            if (!was || was->curve != c->curve || c->curve == TENON_CUBIC) continue;
            for (uint32_t key = 0; key < c->key_count; key++)
                known += has_key(was, c->times[key], c->values + (size_t)each * key, each);
            if (known < c->key_count) blame(cut, "keys", node);
            cut->keys += known;
        }
}

// -- Files

// The recovered rest of a file; NULL if nothing is left.
static tenon_doc *read_cut(const blob *file, const char *format, salvaged *cut)
{
    tenon_error err;
    tenon_read_opts opts = {.format = format, .partial = true, .incomplete = true};
    tenon_doc *doc = tenon_read(file->data, cut->size, &opts, &err);
    if (doc && tenon_recover(
                   doc, &(tenon_change_opts){.events = {.user = cut, .on_loss = note_loss}}, &err))
        return doc;
    tenon_doc_free(doc);
    return NULL;
}

// The written file after the recovery, as a scene; NULL if nothing could be recovered.
static tenon_scene *salvage(const blob *file, const tenon_format *format, salvaged *cut)
{
    tenon_error err;
    tenon_doc *doc = read_cut(file, format->name, cut);
    if (!doc) return NULL;
    blob bytes = blob_written(doc);
    tenon_read_opts opts = {.format = format->name};
    tenon_doc *again = tenon_read(bytes.data, bytes.size, &opts, &err);
    if (!again) blame(cut, err.message, (tenon_str){"the file", 8});
    tenon_scene *scene = again ? tenon_to_scene(again, NULL, &err) : NULL;
    tenon_doc_free(again);
    tenon_doc_free(doc);
    blob_free(&bytes);
    return scene;
}

static void cut_everywhere(const char *path)
{
    blob file = blob_load(path);
    tenon_doc *doc = tenon_read(file.data, file.size, NULL, NULL);
    tenon_scene *whole = doc ? tenon_to_scene(doc, NULL, NULL) : NULL;
    salvaged last = {.path = path};
    CHECK(whole);
    for (size_t i = 1; whole && i < CUTS; i++) {
        salvaged cut = {.path = path, .size = file.size * i / CUTS};
        tenon_scene *part = salvage(&file, doc->format, &cut);
        if (!part) continue;
        compare_nodes(whole, part, &cut);
        compare_meshes(whole, part, &cut);
        compare_clips(whole, part, &cut);
        last = cut;
        tenon_scene_free(part);
    }
    CHECK(last.triangles > 300 && last.nodes > 0);
    tenon_scene_free(whole);
    tenon_doc_free(doc);
    blob_free(&file);
}

TEST(what_is_recovered_of_a_cut_model_is_a_part_of_it)
{
    cut_everywhere("samples/crane.bbmod");
    cut_everywhere("samples/crane.bmw");
    cut_everywhere("samples/crane.bplx");
    cut_everywhere("samples/crane.cea");
    cut_everywhere("samples/crane.cem");
    cut_everywhere("samples/crane.gpb");
    cut_everywhere("samples/crane_script.bplx");
}

// Up to version 1 meshes are in nodes, and those in each other.
TEST(what_is_recovered_of_an_old_model_has_its_triangles)
{
    static const char *const paths[] = {"tests/fixtures/bbmod/1a_skinned.bbmod",
                                        "tests/fixtures/bbmod/1b_skinned.bbmod",
                                        "tests/fixtures/bbmod/1b_static.bbmod"};
    for (size_t f = 0; f < sizeof paths / sizeof paths[0]; f++) {
        blob file = blob_load(paths[f]);
        tenon_doc *doc = tenon_read(file.data, file.size, NULL, NULL);
        tenon_scene *whole = doc ? tenon_to_scene(doc, NULL, NULL) : NULL;
        uint32_t most = 0;
        for (size_t size = 8; whole && size < file.size; size++) {
            salvaged cut = {.path = paths[f], .size = size};
            tenon_scene *part = salvage(&file, doc->format, &cut);
            if (part) compare_meshes(whole, part, &cut);
            CHECK(!part || cut.triangles >= most);
            if (cut.triangles > most) most = cut.triangles;
            tenon_scene_free(part);
        }
        CHECK(most > 0);
        tenon_scene_free(whole);
        tenon_doc_free(doc);
        blob_free(&file);
    }
}

// The size of each clip is stored before all of them.
TEST(a_damaged_clip_costs_only_itself)
{
    blob file = blob_load("samples/crane.cea");
    tenon_doc *doc = tenon_read(file.data, file.size, &(tenon_read_opts){.copy = true}, NULL);
    tenon_scene *whole = tenon_to_scene(doc, NULL, NULL);
    salvaged cut = {.path = "samples/crane.cea", .size = file.size};
    CHECK(whole->animation_count > 1);
    CHECK(poke(file.data, file.size, "animations[0].rotation_list_count", 0xffffffff));
    tenon_scene *part = salvage(&file, doc->format, &cut);
    uint32_t last = whole->animation_count - 1;
    CHECK(part && same_text(part->animations[part->animation_count - 1].name,
                            whole->animations[last].name));
    if (part) compare_clips(whole, part, &cut);
    for (uint32_t k = 0; part && k < whole->animations[last].channel_count; k++) {
        const tenon_channel *c = &whole->animations[last].channels[k];
        CHECK(
            channel_of(part, whole->animations[last].name, whole->nodes[c->node].name, c->target));
    }
    tenon_scene_free(part);
    tenon_scene_free(whole);
    tenon_doc_free(doc);
    blob_free(&file);
}

// The same of meshes.
TEST(a_damaged_mesh_costs_only_itself)
{
    static const char *const paths[] = {"samples/crane.cea", "samples/crane.cem"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        blob file = blob_load(paths[i]);
        tenon_doc *doc = tenon_read(file.data, file.size, &(tenon_read_opts){.copy = true}, NULL);
        tenon_scene *whole = tenon_to_scene(doc, NULL, NULL);
        salvaged cut = {.path = paths[i], .size = file.size};
        CHECK(poke(file.data, file.size, "meshes[2].vertices_size", 0xffffffff));
        tenon_scene *part = salvage(&file, doc->format, &cut);
        CHECK(part && part->mesh_count + 1 >= whole->mesh_count);
        if (part) compare_meshes(whole, part, &cut);
        if (part) compare_nodes(whole, part, &cut);
        tenon_scene_free(part);
        tenon_scene_free(whole);
        tenon_doc_free(doc);
        blob_free(&file);
    }
}

static void note_skins(void *user, const tenon_loss *loss)
{
    if (strcmp(loss->feature, "skins of nodes") == 0) *(uint64_t *)user += loss->count;
}

// Wherever in its matrices the damage is, even in the last numbers of the last one.
TEST(a_skin_with_a_damaged_matrix_is_left_out)
{
    blob file = blob_load("samples/crane.cea");
    tenon_doc *doc = tenon_read(file.data, file.size, NULL, NULL);
    tenon_modeldata *model = tenon_as_modeldata(doc);
    float *matrix = model->joints[model->joint_count - 1].inverse_bind_matrix;
    for (uint32_t i = 0; i < 12; i++) {  // Except for the last row, which is not read.
        uint64_t lost = 0;
        float number = matrix[i];
        matrix[i] = NAN;
        tenon_scene *scene = tenon_to_scene(
            doc,
            &(tenon_scene_opts){.salvage = true, .events = {.user = &lost, .on_loss = note_skins}},
            NULL);
        CHECK(scene && lost == model->mesh_count);
        for (uint32_t n = 0; scene && n < scene->node_count; n++)
            CHECK(scene->nodes[n].skin == TENON_NONE);
        matrix[i] = number;
        tenon_scene_free(scene);
    }
    tenon_doc_free(doc);
    blob_free(&file);
}

static const tenon_gpb_scene *first_scene(const tenon_gpb *doc)
{
    for (uint32_t b = 0; b < doc->block_count; b++)
        if (doc->blocks[b].kind == TENON_GPB_SCENE) return &doc->blocks[b].body.scene;
    return NULL;
}

// The node that shows the mesh is lost; a new one replaces it, of a kind that is not a joint.
TEST(a_mesh_of_a_bundle_whose_node_is_lost_gets_another)
{
    blob file = blob_load("samples/crane.gpb");
    poke_place place;
    uint32_t mended = 0;
    CHECK(poke_find(file.data, file.size, "blocks[1].scene.nodes[0].transform", &place));
    for (size_t size = (size_t)place.offset; size < file.size; size += 100) {
        salvaged cut = {.path = "samples/crane.gpb", .size = size};
        tenon_doc *doc = read_cut(&file, "gpb", &cut);
        const tenon_gpb_scene *scene = doc ? first_scene(tenon_as_gpb(doc)) : NULL;
        if (scene && cut.has_new_places) {
            const tenon_gpb_node *node = &scene->nodes[scene->node_count - 1];
            CHECK(node->node_type == 1 && node->transform[0] == 1 && node->transform[15] == 1);
            CHECK(node->model.mesh.size > 1 && node->model.mesh.data[0] == '#');
            mended++;
        }
        tenon_doc_free(doc);
    }
    CHECK(mended > 0);
    blob_free(&file);
}

int main(void)
{
    RUN(what_is_recovered_of_a_cut_model_is_a_part_of_it);
    RUN(what_is_recovered_of_an_old_model_has_its_triangles);
    RUN(a_damaged_clip_costs_only_itself);
    RUN(a_damaged_mesh_costs_only_itself);
    RUN(a_skin_with_a_damaged_matrix_is_left_out);
    RUN(a_mesh_of_a_bundle_whose_node_is_lost_gets_another);
    TEST_END();
}
