// test_reported_values.c: lights that fade in one way only, limits that are reported once, and
// clips whose names differ in case.
// SPDX-License-Identifier: MIT

#include "../formats/model_help.h"

#include <tenon/bmw.h>
#include <tenon/scene.h>

#include <math.h>

// -- Lights of early GPB

static bool find_attenuation(void *user, const tenon_part *part)
{
    size_t size = strlen(part->path);
    bool is_it = size > 11 && strcmp(part->path + size - 11, "attenuation") == 0;
    if (is_it && part->size == 12) *(uint64_t *)user = part->offset;
    return true;
}

// The longest range of the lights of a file whose last one has this attenuation.
static double range_of(const float attenuation[3])
{
    blob file = blob_load("tests/fixtures/gpb/1_0_attenuation_scene.gpb");
    uint64_t at = 0;
    double range = -1;
    CHECK(tenon_map(file.data, file.size, NULL, find_attenuation, &at, NULL));
    CHECK(at > 0);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t bits;
        memcpy(&bits, &attenuation[i], sizeof bits);
        for (uint32_t k = 0; k < 4; k++) file.data[at + 4 * i + k] = (uint8_t)(bits >> 8 * k);
    }
    tenon_doc *doc = tenon_read(file.data, file.size, NULL, NULL);
    tenon_scene *scene = doc ? tenon_to_scene(doc, NULL, NULL) : NULL;
    CHECK(scene && scene->light_count > 0);
    for (uint32_t i = 0; scene && i < scene->light_count; i++)
        range = scene->lights[i].range > range ? scene->lights[i].range : range;
    tenon_scene_free(scene);
    tenon_doc_free(doc);
    blob_free(&file);
    return range;
}

TEST(a_light_has_faded_at_a_hundredth)
{
    CHECK(range_of((const float[3]){50, 0.0625f, 0}) == 800);
    CHECK(range_of((const float[3]){0, 0, 0.000625f}) > 399.9);
    CHECK(range_of((const float[3]){0, 0, 0.000625f}) < 400.1);
    CHECK(range_of((const float[3]){0, 0.0625f, 0.0625f / 1600}) < 1600 * 0.7);
    CHECK(range_of((const float[3]){0, 0.0625f, 0.0625f / 1600}) > 1600 * 0.5);
}

// -- More bones than the shader of BMW's engine allows

static void count_limit(void *user, const tenon_finding *f)
{
    if (strcmp(f->rule->id, "bmw/node-limit") == 0 && strncmp(f->path, "animations[", 11) == 0)
        *(uint64_t *)user += 1 + f->more;
}

TEST(an_animation_has_too_many_nodes_once)
{
    tenon_doc *doc = tenon_read_file("samples/crane.bmw", NULL, NULL);
    tenon_bmw *model = tenon_as_bmw(doc);
    CHECK(model && model->animation_count > 0 && model->animations[0].bone_count > 2);
    if (!model) return;
    uint64_t reported = 0;
    tenon_check_result result;
    tenon_check_opts opts = {.profile = "beowolf"};
    for (uint32_t i = 0; i < 3; i++) model->animations[0].bones[i].node_id = 128 + i;
    CHECK(tenon_check(doc, &opts, count_limit, &reported, &result, NULL));
    CHECK(reported == 1);
    tenon_doc_free(doc);
}

// -- Clips by name

static void count_channels(void *user, const tenon_difference *d)
{
    *(uint32_t *)user += strcmp(d->kind, "channels") == 0;
}

// Whether the first clip of a scene is compared with the second one of another, because of their
// names: clips without a partner are compared in their order, and do not differ.
static bool are_partners(const char *a_name, const char *b_name)
{
    const char *const names[2][2] = {{a_name, "there"}, {"here", b_name}};
    tenon_scene *scenes[2];
    uint64_t count = 0;
    uint32_t channels = 0;
    for (int i = 0; i < 2; i++) {
        tenon_doc *doc = tenon_read_file("samples/crane.gpb", NULL, NULL);
        scenes[i] = tenon_to_scene(doc, NULL, NULL);
        CHECK(scenes[i] && scenes[i]->animation_count == 2);
        for (int k = 0; k < 2; k++)
            scenes[i]->animations[k].name = (tenon_str){names[i][k], (uint32_t)strlen(names[i][k])};
        tenon_doc_free(doc);
    }
    CHECK(tenon_diff(scenes[0], scenes[1], NULL, count_channels, &channels, &count, NULL));
    for (int i = 0; i < 2; i++) tenon_scene_free(scenes[i]);
    return channels > 0;
}

TEST(clips_are_found_whatever_their_case)
{
    for (char c = 'A'; c <= 'Z'; c++) {
        char upper[] = {'x', c, 0}, lower[] = {'x', (char)(c - 'A' + 'a'), 0};
        CHECK(are_partners(upper, lower) && are_partners(lower, upper));
    }
    CHECK(are_partners("rig|Walk", "WALK"));
    CHECK(!are_partners("one", "two") && !are_partners("x@", "x`") && !are_partners("x[", "x{"));
}

int main(void)
{
    RUN(a_light_has_faded_at_a_hundredth);
    RUN(an_animation_has_too_many_nodes_once);
    RUN(clips_are_found_whatever_their_case);
    TEST_END();
}
