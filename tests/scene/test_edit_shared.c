// test_edit_shared.c: the lists of a scene may be those of another one, which stays as it is
// when the scene is edited.
// SPDX-License-Identifier: MIT

#include "../edits.h"
#include "../robust_properties.h"
#include "../test.h"

static void keep(growing_bytes *all, const void *items, size_t count, size_t size)
{
    if (items) CHECK(append_bytes(all, items, count * size));
}

// Everything in the lists of a scene, as it is in memory.
static growing_bytes lists_of(const tenon_scene *s)
{
    growing_bytes all = {0};
    keep(&all, s->nodes, s->node_count, sizeof *s->nodes);
    keep(&all, s->meshes, s->mesh_count, sizeof *s->meshes);
    keep(&all, s->skins, s->skin_count, sizeof *s->skins);
    keep(&all, s->materials, s->material_count, sizeof *s->materials);
    keep(&all, s->images, s->image_count, sizeof *s->images);
    keep(&all, s->animations, s->animation_count, sizeof *s->animations);
    keep(&all, s->cameras, s->camera_count, sizeof *s->cameras);
    keep(&all, s->lights, s->light_count, sizeof *s->lights);
    keep(&all, s->extras, s->extra_count, sizeof *s->extras);
    for (uint32_t i = 0; i < s->mesh_count; i++) {
        const tenon_mesh *m = &s->meshes[i];
        keep(&all, m->primitives, m->primitive_count, sizeof *m->primitives);
        for (uint32_t k = 0; k < m->primitive_count; k++) {
            keep(&all, m->primitives[k].positions, 3 * (size_t)m->primitives[k].vertex_count, 4);
            keep(&all, m->primitives[k].indices, m->primitives[k].index_count, 4);
        }
    }
    for (uint32_t i = 0; i < s->skin_count; i++)
        keep(&all, s->skins[i].joints, s->skins[i].joint_count, sizeof *s->skins[i].joints);
    for (uint32_t i = 0; i < s->animation_count; i++) {
        const tenon_animation *a = &s->animations[i];
        keep(&all, a->channels, a->channel_count, sizeof *a->channels);
        for (uint32_t k = 0; k < a->channel_count; k++)
            keep(&all, a->channels[k].times, a->channels[k].key_count, 4);
    }
    return all;
}

static const edits changes[] = {
    {.space = {.scale = 2}},
    {.space = {.turns = 1, .mirror = true}},
    {.source = {.turns = -1, .mirror = true, .scale = 0.5}},
    {.keep.drop = TENON_DROP_SKINS | TENON_DROP_MATERIALS | TENON_DROP_CAMERAS | TENON_DROP_LIGHTS},
    {.meshes = {.pre_transform = true,
                .join = TENON_JOIN_MATERIALS | TENON_JOIN_MESHES | TENON_JOIN_NODES}},
    {.meshes = {.flip_v = true,
                .reverse_winding = true,
                .normals = TENON_MAKE_FLAT,
                .max_influences = 1}},
};

static void leave_alone(const char *path)
{
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        tenon_error err;
        tenon_doc *doc = tenon_read_file(path, NULL, &err);
        tenon_scene *scene = doc ? tenon_to_scene(doc, NULL, &err) : NULL;
        CHECK(scene);
        tenon_doc_free(doc);
        if (!scene) return;
        const tenon_scene shared = *scene;
        growing_bytes before = lists_of(&shared);
        CHECK(edit_scene(scene, &changes[i], &err));
        growing_bytes after = lists_of(&shared);
        bool is_same = before.size == after.size && before.size > 0 &&
                       memcmp(before.data, after.data, before.size) == 0;
        if (!is_same) fprintf(stderr, "%s: change %zu reaches what is shared\n", path, i);
        CHECK(is_same);
        free(before.data);
        free(after.data);
        tenon_scene_free(scene);
    }
}

TEST(what_is_shared_stays_as_it_is)
{
    leave_alone("samples/crane.gpb");
    leave_alone("samples/crane.bbmod");
    leave_alone("tests/fixtures/gltf/materials.gltf");
}

int main(void)
{
    RUN(what_is_shared_stays_as_it_is);
    TEST_END();
}
