// test_losses.c: what does not fit a format, computed from rows of its limits.
// SPDX-License-Identifier: MIT

#include "exchange/losses.h"
#include "motion_help.h"

// -- A scene that has everything, and one that has nothing of it

static float floats[48];
static uint16_t joints[12];

typedef struct full {
    hand h;
    tenon_material materials[5];
    tenon_event events[3];
    tenon_camera cameras[4];
    tenon_light lights[5];
    tenon_extra extras[6];
    tenon_image images[2];
} full;

static void begin_materials(full *f)
{
    for (int i = 0; i < 5; i++) {
        tenon_material *m = &f->materials[i];
        *m = (tenon_material){.base_color = {1, 1, 1, 1},
                              .normal_scale = 1,
                              .occlusion_strength = 1,
                              .shininess = 1,
                              .is_classic = true};
        for (int slot = 0; slot < TENON_SLOT_COUNT; slot++) m->textures[slot].image = TENON_NONE;
    }
    f->h.scene.materials = f->materials, f->h.scene.material_count = 5;
}

// Every list has another size, so that no count can be mistaken for another.
static void begin_full(full *f)
{
    *f = (full){.extras = {{.name = {"", 0}}}};
    hand *h = &f->h;
    hand_begin(h);
    begin_materials(f);
    uint32_t a = hand_node(h, "a", TENON_NONE), b = hand_node(h, "b", TENON_NONE);
    uint32_t c = hand_node(h, "c", TENON_NONE), d = hand_node(h, "d", TENON_NONE);
    tenon_primitive *p = hand_mesh(h, "a", a, floats, 3);
    h->primitive_count = 3;
    p[1] = p[2] = p[0];
    h->meshes[0].primitive_count = 3;
    tenon_primitive *shared = hand_mesh(h, "other", b, floats, 3);
    tenon_primitive *unused = hand_mesh(h, "unused", d, floats, 3);
    tenon_primitive *skinned = hand_mesh(h, "", d, floats, 3);
    h->nodes[c].mesh = 1;
    p[0].uvs[0] = p[2].uvs[0] = p[2].uvs[1] = shared->uvs[2] = floats;
    p[1].tangents = floats;
    shared->colors[0] = unused->colors[0] = unused->colors[1] = floats;
    skinned->influence_count = 4, skinned->joints = joints, skinned->weights = floats;

    h->meshes[2].morph_count = 7;

    tenon_material *m = f->materials;
    m[0].shininess = 7;
    m[0].textures[TENON_SLOT_BASE_COLOR].wrap[0] = TENON_CLAMP;  // Without an image.
    m[1].normal_scale = 2, m[2].occlusion_strength = 0.5;
    m[2].is_classic = m[3].is_classic = m[4].is_classic = false;
    m[3].base_color[3] = 0.5;
    m[3].is_unlit = m[4].is_unlit = true;
    m[4].double_sided = true;
    m[1].textures[TENON_SLOT_BASE_COLOR].image = 0;
    m[2].textures[TENON_SLOT_NORMAL] = (tenon_texture){.wrap = {TENON_CLAMP, TENON_REPEAT}};
    m[4].textures[TENON_SLOT_BASE_COLOR] = (tenon_texture){.wrap = {TENON_REPEAT, TENON_MIRROR}};

    h->scene.name = hand_text("scene");
    h->scene.skin_count = 3;
    for (int i = 0; i < 3; i++) h->skins[i].root = i == 1 ? a : TENON_NONE;
    (void)hand_clip(h, "first", 1);
    (void)hand_channel(h, a, TENON_TRANSLATION, 1, floats, floats);
    tenon_animation *clip = hand_clip(h, "second", 1);
    (void)hand_channel(h, a, TENON_SCALE, 1, floats, floats);
    (void)hand_channel(h, b, TENON_SCALE, 1, floats, floats);
    clip->events = f->events, clip->event_count = 3;
    h->scene.cameras = f->cameras, h->scene.camera_count = 4;
    h->scene.lights = f->lights, h->scene.light_count = 5;
    h->scene.extras = f->extras, h->scene.extra_count = 6;
    f->images[0] = (tenon_image){.name = hand_text("same"), .path = hand_text("x/same.png")};
    f->images[1] = (tenon_image){.name = hand_text("wood"), .path = hand_text("x/1.png")};
    h->scene.images = f->images, h->scene.image_count = 2;
    (void)hand_node(h, "empty", TENON_NONE);
    h->meshes[4] = h->meshes[1], h->animations[2] = h->animations[1];  // After the ends.
}

// A mesh and materials that every format can hold.
static void begin_plain(full *f)
{
    *f = (full){.extras = {{.name = {"", 0}}}};
    hand_begin(&f->h);
    begin_materials(f);
    (void)hand_mesh(&f->h, "a", hand_node(&f->h, "a", TENON_NONE), floats, 3);
}

// -- Reports

static char reported[2048];

static void note_loss(void *user, const tenon_loss *loss)
{
    size_t size = strlen(reported);
    (void)user;
    snprintf(reported + size, sizeof reported - size, "%s %s %u at %s: %s\n",
             tenon_loss_word(loss->kind), loss->feature, (unsigned)loss->count,
             loss->path ? loss->path : "-", loss->why);
}

// The losses by some limits, and the error of the export.
static const char *report(const tenon_scene *scene, const tn_limit *limits, size_t count,
                          const tenon_allocator *allocator, tenon_code *code)
{
    writing w;
    reported[0] = '\0';
    writing_begin(&w, scene, allocator);
    w.opts.events.on_loss = note_loss;
    tn_report_limits(&w.e, "TST", limits, count);
    *code = w.err.code;
    writing_end(&w);
    return reported;
}

static const char *report_one(const tenon_scene *scene, tn_limit limit)
{
    tenon_code code;
    const char *losses = report(scene, &limit, 1, NULL, &code);
    CHECK(code == TENON_OK);
    return losses;
}

// -- Every feature

static bool is_shiny(const tenon_material *material)
{
    return material->shininess > 1;
}

static const struct {
    tn_limit limit;
    const char *want;  // Of the full scene; of the plain one nothing is lost.
} rows[] = {
    {{.is_lost = is_shiny, .name = "shine"},
     "dropped shine 1 at materials[0]: not supported by TST\n"},
    {{.feature = TN_HAS_TANGENTS},
     "dropped tangents 1 at meshes[0].primitives[1]: not supported by TST\n"},
    {{.feature = TN_HAS_UV_SETS},
     "dropped further texture coordinates 3 at meshes[0].primitives[0]: not supported by TST\n"},
    {{.feature = TN_HAS_COLOR_SETS},
     "dropped vertex colors 2 at meshes[1].primitives[0]: not supported by TST\n"},
    {{.feature = TN_HAS_WEIGHTS},
     "dropped skin weights 1 at meshes[3].primitives[0]: not supported by TST\n"},
    {{.feature = TN_HAS_UNUSED_MESHES}, "dropped meshes 1 at meshes[2]: not used by any node\n"},
    {{.feature = TN_HAS_SHARED_MESHES},
     "approximated shared meshes 1 at meshes[1]: copied for each node\n"},
    {{.feature = TN_HAS_MESH_NAMES},
     "dropped names of meshes 2 at meshes[1]: replaced by the names of the nodes\n"},
    {{.feature = TN_HAS_MORPHS}, "dropped morph targets 7 at meshes[2]: not supported by TST\n"},
    {{.feature = TN_HAS_METAL},
     "dropped metal and roughness 3 at materials[2]: not supported by TST\n"},
    {{.feature = TN_HAS_BASE_ALPHA},
     "dropped alpha of base colors 1 at materials[3]: not supported by TST\n"},
    {{.feature = TN_HAS_DOUBLE_SIDES},
     "dropped double-sided materials 1 at materials[4]: not supported by TST\n"},
    {{.feature = TN_HAS_UNLIT},
     "dropped unlit materials 2 at materials[3]: not supported by TST\n"},
    {{.feature = TN_HAS_STRENGTHS},
     "dropped strengths of textures 2 at materials[1]: not supported by TST\n"},
    {{.feature = TN_HAS_TEXTURES}, "dropped textures 3 at materials[1]: not supported by TST\n"},
    {{.feature = TN_HAS_TEXTURE_WRAPS, .most = TN_ALL_SLOTS},
     "dropped edges of textures 2 at materials[2]: not supported by TST\n"},
    {{.feature = TN_HAS_SKINS}, "dropped skins 3 at skins[0]: not supported by TST\n"},
    {{.feature = TN_HAS_ANIMATIONS},
     "dropped animations 2 at animations[0]: not supported by TST\n"},
    {{.feature = TN_HAS_CAMERAS}, "dropped cameras 4 at cameras[0]: not supported by TST\n"},
    {{.feature = TN_HAS_LIGHTS}, "dropped lights 5 at lights[0]: not supported by TST\n"},
    {{.feature = TN_HAS_EXTRAS}, "dropped extras 6 at extras[0]: not supported by TST\n"},
    {{.feature = TN_HAS_SKIN_ROOTS},
     "dropped roots of skins 1 at skins[1]: not supported by TST\n"},
    {{.feature = TN_HAS_SCALE_CHANNELS},
     "dropped scale channels 2 at animations[1]: not supported by TST\n"},
    {{.feature = TN_HAS_EVENTS}, "dropped events 3 at animations[1]: not supported by TST\n"},
    {{.feature = TN_HAS_SCENE_NAME}, "dropped name of the scene 1 at -: not supported by TST\n"},
    {{.feature = TN_HAS_PICTURE_NAMES},
     "dropped names of pictures 1 at images[1]: only the paths of pictures are stored\n"},
};

TEST(every_feature_has_its_usual_name_and_reason)
{
    bool is_tested[TN_FEATURE_COUNT] = {false};
    full f;
    begin_full(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_STR(report_one(&f.h.scene, rows[i].limit), rows[i].want);
        is_tested[rows[i].limit.feature] = true;
    }
    for (int i = 0; i < TN_FEATURE_COUNT; i++) CHECK(is_tested[i]);
}

TEST(what_a_scene_does_not_have_is_not_lost)
{
    full f;
    begin_plain(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_STR(report_one(&f.h.scene, rows[i].limit), "");
}

TEST(a_scene_without_anything_loses_nothing)
{
    hand h;
    hand_begin(&h);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_STR(report_one(&h.scene, rows[i].limit), "");
}

TEST(the_first_object_of_a_list_counts)
{
    static const tn_limit limits[] = {
        {.feature = TN_HAS_WEIGHTS},        {.feature = TN_HAS_UNUSED_MESHES},
        {.feature = TN_HAS_MESH_NAMES},     {.feature = TN_HAS_SKIN_ROOTS},
        {.feature = TN_HAS_SCALE_CHANNELS}, {.feature = TN_HAS_EVENTS},
        {.feature = TN_HAS_SCENE_NAME},
    };
    hand h;
    tenon_code code;
    hand_begin(&h);
    uint32_t node = hand_node(&h, "a", TENON_NONE);
    hand_mesh(&h, "unused", node, floats, 3)->influence_count = 1;
    (void)hand_mesh(&h, "b", node, floats, 3);
    h.scene.skin_count = 1, h.scene.name = hand_text("s");
    hand_clip(&h, "clip", 1)->event_count = 1;
    (void)hand_channel(&h, node, TENON_SCALE, 1, floats, floats);
    CHECK_STR(report(&h.scene, limits, sizeof limits / sizeof *limits, NULL, &code),
              "dropped skin weights 1 at meshes[0].primitives[0]: not supported by TST\n"
              "dropped meshes 1 at meshes[0]: not used by any node\n"
              "dropped names of meshes 1 at meshes[1]: replaced by the names of the nodes\n"
              "dropped roots of skins 1 at skins[0]: not supported by TST\n"
              "dropped scale channels 1 at animations[0]: not supported by TST\n"
              "dropped events 1 at animations[0]: not supported by TST\n"
              "dropped name of the scene 1 at -: not supported by TST\n");
}

// -- How much fits

static void check_most(const full *f, tn_feature feature, uint32_t most, const char *want)
{
    tn_limit limit = {.feature = feature, .most = most, .name = "x", .why = "y"};
    CHECK_STR(report_one(&f->h.scene, limit), want);
}

TEST(only_what_is_more_than_fits_is_lost)
{
    full f;
    begin_full(&f);
    check_most(&f, TN_HAS_UV_SETS, 1, "dropped x 2 at meshes[0].primitives[2]: y\n");
    check_most(&f, TN_HAS_UV_SETS, 2, "dropped x 1 at meshes[1].primitives[0]: y\n");
    check_most(&f, TN_HAS_UV_SETS, 3, "");
    check_most(&f, TN_HAS_COLOR_SETS, 1, "dropped x 1 at meshes[2].primitives[0]: y\n");
    check_most(&f, TN_HAS_COLOR_SETS, 2, "");
    check_most(&f, TN_HAS_SKINS, 1, "dropped x 2 at skins[1]: y\n");
    check_most(&f, TN_HAS_SKINS, 3, "");
    check_most(&f, TN_HAS_SKINS, 4, "");
    check_most(&f, TN_HAS_ANIMATIONS, 1, "dropped x 1 at animations[1]: y\n");
    check_most(&f, TN_HAS_CAMERAS, 3, "dropped x 1 at cameras[3]: y\n");
    check_most(&f, TN_HAS_LIGHTS, 3, "dropped x 2 at lights[3]: y\n");
    check_most(&f, TN_HAS_EXTRAS, 2, "dropped x 4 at extras[2]: y\n");
    check_most(&f, TN_HAS_EXTRAS, UINT32_MAX, "");
}

TEST(textures_are_limited_by_slot)
{
    uint32_t base = TN_SLOT_BIT(TENON_SLOT_BASE_COLOR), normal = TN_SLOT_BIT(TENON_SLOT_NORMAL);
    full f;
    begin_full(&f);
    check_most(&f, TN_HAS_TEXTURES, base, "dropped x 1 at materials[2]: y\n");
    check_most(&f, TN_HAS_TEXTURES, TN_ALL_SLOTS & ~base, "dropped x 2 at materials[1]: y\n");
    check_most(&f, TN_HAS_TEXTURES, base | normal, "");
    check_most(&f, TN_HAS_TEXTURE_WRAPS, base, "dropped x 1 at materials[4]: y\n");
    check_most(&f, TN_HAS_TEXTURE_WRAPS, normal, "dropped x 1 at materials[2]: y\n");
    check_most(&f, TN_HAS_TEXTURE_WRAPS, TN_ALL_SLOTS & ~(base | normal), "");
}

// -- Names, reasons, order

TEST(a_row_may_have_another_name_reason_and_kind)
{
    static const tn_limit limits[] = {
        {.feature = TN_HAS_LIGHTS,
         .name = "lamps",
         .why = "it is dark",
         .kind = TENON_APPROXIMATED},
        {.feature = TN_HAS_SHARED_MESHES, .why = "copied", .kind = TENON_SYNTHESIZED},
        {.feature = TN_HAS_COLOR_SETS, .most = 1},
        {.feature = TN_HAS_COLOR_SETS, .most = 1, .name = "second colors"},
        {.is_lost = is_shiny, .name = "shine", .why = "dull", .kind = TENON_DEFAULTED},
    };
    tenon_code code;
    full f;
    begin_full(&f);
    CHECK_STR(report(&f.h.scene, limits, sizeof limits / sizeof *limits, NULL, &code),
              "approximated lamps 5 at lights[0]: it is dark\n"
              "synthesized shared meshes 1 at meshes[1]: copied\n"
              "dropped further vertex colors 1 at meshes[2].primitives[0]: not supported by TST\n"
              "dropped second colors 1 at meshes[2].primitives[0]: not supported by TST\n"
              "defaulted shine 1 at materials[0]: dull\n");
}

// -- Faults

TEST(memory_can_run_out)
{
    static const tn_limit limits[] = {{.feature = TN_HAS_UNUSED_MESHES},
                                      {.feature = TN_HAS_CAMERAS}};
    hand_memory memory = {.refused = 1};
    tenon_allocator allocator = hand_allocator(&memory);
    tenon_code code;
    full f;
    begin_full(&f);
    CHECK_STR(report(&f.h.scene, limits, 2, &allocator, &code),
              "dropped cameras 4 at cameras[0]: not supported by TST\n");
    CHECK(code == TENON_ERR_MEMORY && memory.calls == 1 && memory.live == 0);
    memory = (hand_memory){0};
    CHECK_STR(report(&f.h.scene, limits, 2, &allocator, &code),
              "dropped meshes 1 at meshes[2]: not used by any node\n"
              "dropped cameras 4 at cameras[0]: not supported by TST\n");
    CHECK(code == TENON_OK && memory.live == 0);
}

int main(void)
{
    RUN(every_feature_has_its_usual_name_and_reason);
    RUN(what_a_scene_does_not_have_is_not_lost);
    RUN(a_scene_without_anything_loses_nothing);
    RUN(the_first_object_of_a_list_counts);
    RUN(only_what_is_more_than_fits_is_lost);
    RUN(textures_are_limited_by_slot);
    RUN(a_row_may_have_another_name_reason_and_kind);
    RUN(memory_can_run_out);
    TEST_END();
}
