// test_gltf_import.c: the import of glTF. The fixtures are made by tools/make_fixtures_gltf.py; the
// expected values were derived from the specification.
// SPDX-License-Identifier: MIT

#include "gltf_import_help.h"

static const float corners[] = {0, 0, 0, 2, 0, 0, 0, 1, 0};

// -- Containers

TEST(text_and_binary_mean_the_same)
{
    static const char *const names[] = {"triangle.glb", "triangle.gltf", "three_chunks.glb"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tenon_scene *s = scene_of_fixture(names[i], NULL);
        if (!s) return;
        CHECK(s->node_count == 1 && s->mesh_count == 1 && s->nodes[0].mesh == 0);
        const tenon_primitive *p = &s->meshes[0].primitives[0];
        CHECK(p->mode == TENON_TRIANGLES && p->vertex_count == 3 && !p->indices);
        CHECK(are_floats(p->positions, corners, 9));
        CHECK(!p->normals && !p->uvs[0] && p->material == TENON_NONE);
        CHECK_STR(s->nodes[0].name.data, "");
        tenon_scene_free(s);
    }
}

TEST(the_document_is_the_container)
{
    tenon_doc *doc = tenon_read_file("tests/fixtures/gltf/three_chunks.glb", NULL, NULL);
    tenon_gltf *gltf = tenon_as_gltf(doc);
    uint64_t offset = 0;
    CHECK(gltf);
    if (!gltf) return;
    CHECK(gltf->version == 2 && gltf->length == doc->source_size && gltf->chunk_count == 3);
    CHECK(gltf->chunks[0].type == TENON_GLTF_CHUNK_JSON);
    CHECK(gltf->chunks[1].type == TENON_GLTF_CHUNK_BIN && gltf->chunks[1].data.size == 36);
    CHECK(gltf->chunks[2].length == 40 && memcmp(gltf->chunks[2].data.data, "more", 4) == 0);
    tenon_str json = tenon_gltf_json(gltf, &offset);
    CHECK(offset == 20 && json.size == gltf->chunks[0].length && json.data[0] == '{');
    tenon_doc_free(doc);
    CHECK(tenon_as_gltf(NULL) == NULL);
}

TEST(a_file_without_anything_is_an_empty_scene)
{
    tenon_scene *s = scene_of_fixture("no_buffer.glb", NULL);
    if (!s) return;
    CHECK(s->node_count == 0 && s->mesh_count == 0 && s->material_count == 0);
    tenon_scene_free(s);
}

TEST(other_json_is_not_taken_for_gltf)
{
    static const char *const others[] = {
        "{}",
        "[]",
        "{\"nodes\": []}",
        "{\"materials\": [], \"animations\": []}",
        "\"asset\"",
        "{\"name\": {\"asset\": 1, \"accessors\": [], \"bufferViews\": []}}"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        tenon_error err;
        tenon_doc *doc = tenon_read(others[i], strlen(others[i]), NULL, &err);
        CHECK(!doc && err.code == TENON_ERR_FORMAT);
        tenon_doc_free(doc);
    }
    static const char at_the_end[] = "  {\"scenes\": [{}],\n\"asset\": {\"version\": \"2.0\"}}";
    tenon_doc *doc = tenon_read(at_the_end, strlen(at_the_end), NULL, NULL);
    CHECK(tenon_as_gltf(doc) != NULL);
    tenon_doc_free(doc);
}

// -- Numbers

TEST(indices_have_three_sizes)
{
    static const char *const names[] = {"indices_8.glb", "indices_16.glb", "indices_32.glb"};
    for (size_t i = 0; i < 3; i++) {
        tenon_scene *s = scene_of_fixture(names[i], NULL);
        if (!s) return;
        const tenon_primitive *p = &s->meshes[0].primitives[0];
        CHECK(p->index_count == 3 && p->indices[0] == 2 && p->indices[1] == 1 &&
              p->indices[2] == 0);
        tenon_scene_free(s);
    }
}

TEST(small_numbers_are_normalized_and_interleaved)
{
    tenon_scene *s = scene_of_fixture("quantized.glb", NULL);
    if (!s) return;
    const tenon_primitive *p = &s->meshes[0].primitives[0];
    // -32768 would be less than -1, and is -1.
    CHECK(are_floats(p->positions,
                     FLOATS(-1, 0, 1, 16384 / 32767.f, 100 / 32767.f, -5 / 32767.f, 1 / 32767.f,
                            2 / 32767.f, 3 / 32767.f),
                     9));
    CHECK(are_floats(p->normals, FLOATS(0, 0, 1, 1, 0, 0, 0, -1, 0), 9));
    CHECK(are_floats(p->uvs[0], FLOATS(0, 0, 1, 0, 32768 / 65535.f, 16384 / 65535.f), 6));
    // Colors of three components are opaque.
    CHECK(are_floats(p->colors[0], FLOATS(1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 128 / 255.f, 1), 12));
    tenon_scene_free(s);
}

// The result of tenon_tree(): names, with the depth of each.
typedef struct told_tree {
    char names[64][32];
    char parts[64][32];
    uint32_t depths[64], count;
} told_tree;

static bool note_node(void *user, const tenon_tree_node *node)
{
    told_tree *tree = user;
    if (tree->count == 64) return false;
    snprintf(tree->names[tree->count], 32, "%.*s", (int)node->name.size, node->name.data);
    snprintf(tree->parts[tree->count], 32, "%s", node->what);
    tree->depths[tree->count++] = node->depth;
    return true;
}

// The name of the parent of node `i` of the tree; "" if there is none.
static const char *name_above(const told_tree *tree, uint32_t i)
{
    for (uint32_t k = i; k-- > 0;)
        if (tree->depths[k] + 1 == tree->depths[i]) return tree->names[k];
    return "";
}

TEST(the_tree_is_that_of_the_scene)
{
    static const char path[] = "samples/crane.glb";
    tenon_error err;
    told_tree tree = {.count = 0};
    tenon_doc *doc = tenon_read_file(path, NULL, &err);
    tenon_scene *s = doc ? tenon_to_scene(doc, NULL, &err) : NULL;
    CHECK(s && tenon_tree(doc, note_node, &tree, &err) && tree.count == s->node_count);
    for (uint32_t i = 0; s && i < tree.count; i++) {
        const tenon_node *node = NULL;
        for (uint32_t k = 0; k < s->node_count && !node; k++)
            if (s->nodes[k].name.size == strlen(tree.names[i]) &&
                memcmp(s->nodes[k].name.data, tree.names[i], s->nodes[k].name.size) == 0)
                node = &s->nodes[k];
        CHECK(node != NULL);
        if (!node) continue;
        tenon_str above = {"", 0};
        if (node->parent != TENON_NONE) above = s->nodes[node->parent].name;
        CHECK(strlen(name_above(&tree, i)) == above.size &&
              memcmp(name_above(&tree, i), above.data, above.size) == 0);
        CHECK((strstr(tree.parts[i], "mesh") != NULL) == (node->mesh != TENON_NONE));
        CHECK((strstr(tree.parts[i], "skin") != NULL) == (node->skin != TENON_NONE));
        CHECK((strstr(tree.parts[i], "camera") != NULL) == (node->camera != TENON_NONE));
    }
    tenon_scene_free(s);
    tenon_doc_free(doc);
}

TEST(sparse_elements_replace_others_and_zeros)
{
    tenon_scene *s = scene_of_fixture("sparse.glb", NULL);
    if (!s) return;
    const tenon_primitive *p = &s->meshes[0].primitives[0];
    CHECK(are_floats(p->positions, FLOATS(5, 6, 7, 2, 0, 0, -1, -2, -3), 9));
    CHECK(are_floats(p->colors[0], FLOATS(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1), 12));
    tenon_scene_free(s);
}

TEST(every_mode_is_read_and_shared_streams_are_one)
{
    tenon_scene *s = scene_of_fixture("modes.glb", NULL);
    if (!s) return;
    CHECK(s->meshes[0].primitive_count == 7);
    for (uint32_t i = 0; i < 7; i++) {
        CHECK(s->meshes[0].primitives[i].mode == (tenon_mode)i);
        CHECK(s->meshes[0].primitives[i].positions == s->meshes[0].primitives[0].positions);
    }
    tenon_scene_free(s);
}

// -- Skins and animations

TEST(a_skin_names_joints_by_node)
{
    tenon_scene *s = scene_of_fixture("skinned.glb", NULL);
    if (!s) return;
    CHECK(s->node_count == 4 && s->skin_count == 1);
    // Parents come first: body, root, tip, side.
    CHECK_STR(s->nodes[1].name.data, "root");
    CHECK_STR(s->nodes[2].name.data, "tip");
    CHECK(s->nodes[2].parent == 1 && s->nodes[3].parent == 1);
    const tenon_skin *skin = &s->skins[0];
    CHECK(skin->joint_count == 3 && skin->root == 1);
    CHECK(skin->joints[0] == 1 && skin->joints[1] == 2 && skin->joints[2] == 3);
    CHECK(s->nodes[1].is_joint && s->nodes[2].is_joint && !s->nodes[0].is_joint);
    CHECK(skin->inverse_binds[16 + 13] == -1 && skin->inverse_binds[0] == 1);
    const tenon_primitive *p = &s->meshes[0].primitives[0];
    CHECK(p->influence_count == 8 && p->joints[1] == 1 && p->joints[4] == 2);
    CHECK(are_floats(p->weights, FLOATS(0.5f, 0.3f, 0, 0, 0.2f, 0, 0, 0), 8));
    tenon_scene_free(s);
}

TEST(clips_have_every_kind_of_curve)
{
    tenon_scene *s = scene_of_fixture("skinned.glb", NULL);
    if (!s) return;
    CHECK(s->animation_count == 1 && s->animations[0].channel_count == 3);
    const tenon_animation *a = &s->animations[0];
    const tenon_channel *turn = &a->channels[0], *step = &a->channels[1], *curve = &a->channels[2];
    CHECK_STR(a->name.data, "wave");
    CHECK(a->duration == 2);
    CHECK(turn->node == 2 && turn->target == TENON_ROTATION && turn->curve == TENON_LINEAR);
    CHECK(are_floats(turn->values, FLOATS(0, 0, 0, 1, 0, 0, 1, 0), 8));
    CHECK(step->node == 3 && step->curve == TENON_STEP && step->key_count == 3);
    CHECK(are_floats(step->times, FLOATS(0, 0.5f, 2), 3));
    CHECK(curve->node == 1 && curve->curve == TENON_CUBIC && curve->key_count == 2);
    CHECK(are_floats(curve->values + 9, FLOATS(0, 0, 0, 4, 1, 0, 0, 0, 0), 9));
    CHECK(a->event_count == 1 && a->events[0].time == 0.5);
    CHECK_STR(a->events[0].name.data, "clap");
    CHECK_STR(extra_of(s, TENON_EXTRA_OF_ANIMATION, 0, "loop"), "true");
    CHECK_STR(extra_of(s, TENON_EXTRA_OF_ANIMATION, 0, "speed"), "1.5");
    tenon_scene_free(s);
}

// -- Nodes, cameras, lights

TEST(the_scene_that_is_shown_is_read)
{
    losses lost = {0};
    tenon_scene *s = scene_of_fixture("scenes.gltf", &lost);
    if (!s) return;
    CHECK_STR(s->name.data, "shown");
    CHECK_STR(extra_of(s, TENON_EXTRA_OF_SCENE, 0, "mood"), "calm");
    CHECK(s->node_count == 3);
    CHECK_STR(s->nodes[0].name.data, "stem");
    CHECK_STR(s->nodes[1].name.data, "leaf");
    CHECK(s->nodes[1].parent == 0 && s->nodes[2].parent == 0 && s->nodes[0].parent == TENON_NONE);
    int nodes = find_loss(&lost, "nodes");
    CHECK(nodes >= 0 && lost.counts[nodes] == 2);
    if (nodes >= 0) CHECK_STR(lost.paths[nodes], "/nodes/2");
    tenon_scene_free(s);
}

TEST(a_matrix_becomes_three_parts)
{
    tenon_scene *s = scene_of_fixture("scenes.gltf", NULL);
    if (!s) return;
    const tenon_node *n = &s->nodes[2];
    const double half = sqrt(0.5);
    CHECK(!n->has_matrix);
    CHECK(are_near(n->translation, DOUBLES(5, 6, 7), 3));
    CHECK(are_near(n->rotation, DOUBLES(0, 0, half, half), 4));
    CHECK(are_near(n->scale, DOUBLES(2, 3, 4), 3));
    CHECK(are_near(s->nodes[1].rotation, DOUBLES(0, 0, 1, 0), 4));
    tenon_scene_free(s);
}

TEST(cameras_and_lights_are_read)
{
    tenon_scene *s = scene_of_fixture("scenes.gltf", NULL);
    if (!s) return;
    CHECK(s->camera_count == 2 && s->light_count == 3);
    const tenon_camera *eye = &s->cameras[s->nodes[1].camera], *flat = &s->cameras[1];
    CHECK(!eye->is_orthographic && eye->field_of_view == 0.75 && eye->aspect_ratio == 1.5);
    CHECK(eye->near_plane == 0.125 && eye->far_plane == 64);
    CHECK(flat->is_orthographic && flat->half_width == 3 && flat->half_height == 2);
    CHECK(flat->near_plane == 0 && flat->far_plane == 10);
    const tenon_light *lamp = &s->lights[s->nodes[0].light];
    CHECK(lamp->kind == TENON_SPOT_LIGHT && lamp->intensity == 20 && lamp->range == 8);
    CHECK(are_near(lamp->color, DOUBLES(1, 0.5, 0.25), 3));
    CHECK(lamp->inner_angle == 0.25 && lamp->outer_angle == 0.5);
    CHECK(s->lights[s->nodes[2].light].kind == TENON_DIRECTIONAL_LIGHT);
    tenon_scene_free(s);
}

// -- Materials

TEST(numbers_of_materials_are_read)
{
    tenon_scene *s = scene_of_fixture("materials.gltf", NULL);
    if (!s) return;
    CHECK(s->material_count == 2);
    const tenon_material *m = &s->materials[0], *plain = &s->materials[1];
    CHECK(are_near(m->base_color, DOUBLES(1, 0.5, 0.25, 0.75), 4));
    CHECK(m->metallic == 0.125 && m->roughness == 0.375);
    CHECK(are_near(m->emissive, DOUBLES(2, 1, 4), 3));
    CHECK(m->normal_scale == 0.5 && m->occlusion_strength == 0.25);
    CHECK(m->alpha == TENON_MASK && m->alpha_cutoff == 0.125 && m->double_sided);
    CHECK(m->is_classic && m->shininess == 32 && m->specular[2] == 1 && !m->is_unlit);
    CHECK(plain->is_unlit && plain->alpha == TENON_BLEND && !plain->is_classic);
    CHECK(plain->metallic == 1 && plain->roughness == 1);
    tenon_scene_free(s);
}

TEST(textures_have_pictures_and_transforms)
{
    tenon_scene *s = scene_of_fixture("materials.gltf", NULL);
    if (!s) return;
    const tenon_texture *t = s->materials[0].textures;
    const tenon_texture *base = &t[TENON_SLOT_BASE_COLOR];
    const tenon_image *red = &s->images[base->image];
    CHECK(s->image_count == 4);
    CHECK_STR(red->path.data, "skins/red paint.png");
    CHECK_STR(red->name.data, "red");
    CHECK(!red->data);
    CHECK(base->uv_set == 1 && base->rotation == 0.5);
    CHECK(are_near(base->offset, DOUBLES(0.5, 0.25), 2));
    CHECK(are_near(base->scale, DOUBLES(2, 3), 2));
    CHECK(base->wrap[0] == TENON_CLAMP && base->wrap[1] == TENON_MIRROR);
    const tenon_texture *normal = &t[TENON_SLOT_NORMAL];
    CHECK(normal->uv_set == 1 && normal->wrap[0] == TENON_REPEAT && normal->scale[0] == 1);
    const tenon_image *inside = &s->images[normal->image];
    CHECK(inside->data && inside->size == 69 && memcmp(inside->data + 1, "PNG", 3) == 0);
    CHECK_STR(inside->path.data, "");
    const tenon_image *viewed = &s->images[t[TENON_SLOT_OCCLUSION].image];
    CHECK(viewed != inside && viewed->size == 69 && memcmp(viewed->data, inside->data, 69) == 0);
    CHECK_STR(s->images[t[TENON_SLOT_LIGHT_MAP].image].path.data, "light.png");
    tenon_scene_free(s);
}

TEST(plain_extras_are_kept)
{
    losses lost = {0};
    tenon_scene *s = scene_of_fixture("materials.gltf", &lost);
    if (!s) return;
    CHECK_STR(extra_of(s, TENON_EXTRA_OF_MATERIAL, 0, "engine"), "own");
    CHECK_STR(extra_of(s, TENON_EXTRA_OF_MATERIAL, 0, "shininess"), "");
    CHECK_STR(extra_of(s, TENON_EXTRA_OF_MESH, 0, "shape"), "box/1/2/1");
    CHECK_STR(extra_of(s, TENON_EXTRA_OF_NODE, 0, "note"), "here");
    CHECK_STR(extra_of(s, TENON_EXTRA_OF_NODE, 0, "weight"), "2.5");
    CHECK(s->nodes[0].is_joint);
    int extras = find_loss(&lost, "extras");
    CHECK(extras >= 0 && lost.counts[extras] == 1);
    if (extras >= 0) CHECK_STR(lost.paths[extras], "/materials/0/extras/layers");
    tenon_scene_free(s);
}

// -- Losses

TEST(unknown_extensions_and_empty_targets)
{
    losses lost = {0};
    char *text = triangle_text(GOOD_ACCESSOR, GOOD_VIEW,
                               "\"extensionsUsed\":[\"ACME_thing\",\"ACME_mark\"],"
                               "\"extensions\":{\"ACME_thing\":{}}");
    char *at = strstr(text, "{\"POSITION\":0}}");
    char *more = malloc(strlen(text) + 64);
    if (!more) exit(1);
    sprintf(more, "%.*s{\"POSITION\":0},\"targets\":[{\"POSITION\":0},{}]}%s", (int)(at - text),
            text, at + strlen("{\"POSITION\":0}}"));
    tenon_scene *s = scene_of_text(more, &lost, NULL);
    CHECK(s != NULL);
    int extensions = find_loss(&lost, "ACME_thing");
    CHECK(extensions >= 0 && lost.counts[extensions] == 1);
    if (extensions >= 0) CHECK_STR(lost.paths[extensions], "/extensionsUsed/0");
    CHECK(s && s->omission_count == 1);
    if (s && s->omission_count == 1) CHECK_STR(s->omissions[0].feature.data, "ACME_thing");
    const tenon_primitive *p = s ? &s->meshes[0].primitives[0] : NULL;
    CHECK(p && p->morph_count == 2 && p->morphs[0].positions && !p->morphs[1].positions);
    tenon_scene_free(s);
    free(text);
    free(more);
}

TEST(extensions_that_are_not_declared_are_found)
{
    losses lost = {0};
    char *text = triangle_text(GOOD_ACCESSOR, GOOD_VIEW,
                               "\"extensions\":{\"ACME_hidden\":{},\"KHR_lights_punctual\":{}},"
                               "\"extras\":{\"extensions\":{\"ACME_other\":1}}");
    tenon_scene *s = scene_of_text(text, &lost, NULL);
    int found = find_loss(&lost, "undeclared extensions");
    CHECK(s && s->omission_count == 1 && found >= 0 && lost.counts[found] == 1);
    if (found >= 0) CHECK_STR(lost.paths[found], "/extensions/ACME_hidden");
    tenon_scene_free(s);
    free(text);
}

int main(void)
{
    RUN(extensions_that_are_not_declared_are_found);
    RUN(text_and_binary_mean_the_same);
    RUN(the_document_is_the_container);
    RUN(a_file_without_anything_is_an_empty_scene);
    RUN(other_json_is_not_taken_for_gltf);
    RUN(indices_have_three_sizes);
    RUN(small_numbers_are_normalized_and_interleaved);
    RUN(the_tree_is_that_of_the_scene);
    RUN(sparse_elements_replace_others_and_zeros);
    RUN(every_mode_is_read_and_shared_streams_are_one);
    RUN(a_skin_names_joints_by_node);
    RUN(clips_have_every_kind_of_curve);
    RUN(the_scene_that_is_shown_is_read);
    RUN(a_matrix_becomes_three_parts);
    RUN(cameras_and_lights_are_read);
    RUN(numbers_of_materials_are_read);
    RUN(textures_have_pictures_and_transforms);
    RUN(plain_extras_are_kept);
    RUN(unknown_extensions_and_empty_targets);
    TEST_END();
}
