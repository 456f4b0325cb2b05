// test_bbmod_import_odd.c: BBMOD documents that are cut, absurd or too large: each becomes a valid
// scene, or gives an error with the reason.
// SPDX-License-Identifier: MIT

#include "bbmod_import_help.h"

// Import it, if possible, and pose the scene.
static void try_scene(const tenon_doc *doc, const tenon_doc *clip)
{
    tenon_error err;
    tenon_companion companion = {clip, "clip"};
    tenon_scene_opts opts = {.companions = &companion, .companion_count = clip != NULL};
    tenon_scene *scene = tenon_to_scene(doc, &opts, &err);
    tenon_pose *pose = scene ? tenon_pose_new(scene, NULL, &err) : NULL;
    double low[3], high[3];
    if (scene && !tenon_scene_check(scene, &err)) {
        fprintf(stderr, "%s: %s\n", err.path, err.message);
        test_failures++;
    }
    if (!scene) CHECK(err.code == TENON_ERR_VALUE || err.code == TENON_ERR_LIMIT);
    for (int i = 0; pose && i < 3; i++) {
        tenon_pose_set(pose, 0, 0.05 * i);
        (void)tenon_pose_bounds(pose, low, high);
    }
    tenon_pose_free(pose);
    tenon_scene_free(scene);
}

static void put_u32(uint8_t *p, uint32_t bits)
{
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(bits >> 8 * i);
}

static const uint32_t absurd_bits[] = {0x7fc00000, 0xff800000, 0xbf800000, 0x7149f2ca,
                                       0,          1,          0xffffffff};

static void try_file(const char *model, const char *animation)
{
    blob files[2] = {blob_load(model), animation ? blob_load(animation) : (blob){0}};
    tenon_read_opts opts = {.partial = true};
    for (int f = 0; f < 2; f++)
        for (size_t at = 0; at + 4 <= files[f].size; at++)
            for (size_t k = 0; k < sizeof absurd_bits / sizeof absurd_bits[0]; k++) {
                uint8_t old[4];
                tenon_error err;
                memcpy(old, files[f].data + at, 4);
                put_u32(files[f].data + at, absurd_bits[k]);
                tenon_doc *doc = tenon_read(files[0].data, files[0].size, &opts, &err);
                tenon_doc *clip =
                    animation ? tenon_read(files[1].data, files[1].size, &opts, &err) : NULL;
                if (tenon_as_bbmod(doc)) try_scene(doc, tenon_as_bbanim(clip) ? clip : NULL);
                tenon_doc_free(clip);
                tenon_doc_free(doc);
                memcpy(files[f].data + at, old, 4);
            }
    blob_free(&files[0]);
    blob_free(&files[1]);
}

TEST(every_number_may_be_absurd)
{
    try_file(MODELS "3.4_skinned.bbmod", ANIMATIONS "3.4_spaces_1.bbanim");
    try_file(MODELS "3.0_skinned.bbmod", ANIMATIONS "3.2_world_bone.bbanim");
    try_file(MODELS "2_scaled.bbmod", ANIMATIONS "2_root.bbanim");
    try_file(MODELS "1a_skinned.bbmod", ANIMATIONS "1_wave.bbanim");
    try_file(MODELS "3.4_full.bbmod", NULL);
    try_file(MODELS "3.4_primitives.bbmod", NULL);
    try_file(MODELS "3.4_instances.bbmod", NULL);
    try_file(MODELS "3.4_float_bits.bbmod", ANIMATIONS "3.4_float_bits.bbanim");
    try_file(MODELS "1a_static.bbmod", NULL);
    try_file(MODELS "document_skinned.bbmod", NULL);
    try_file(MODELS "0_full.bbmod", NULL);
}

static void cut_file(const char *model, const char *animation)
{
    blob file = blob_load(model), clip_file = blob_load(animation);
    tenon_read_opts opts = {.partial = true};
    tenon_error err;
    for (size_t size = 6; size < file.size + clip_file.size; size++) {
        size_t own = size < file.size ? size : file.size;
        size_t rest = size < file.size ? clip_file.size : size - file.size;
        tenon_doc *doc = tenon_read(file.data, own, &opts, &err);
        tenon_doc *clip = tenon_read(clip_file.data, rest, &opts, &err);
        if (tenon_as_bbmod(doc)) try_scene(doc, tenon_as_bbanim(clip) ? clip : NULL);
        if (tenon_as_bbmod(doc)) try_scene(doc, NULL);
        tenon_doc_free(clip);
        tenon_doc_free(doc);
    }
    blob_free(&file);
    blob_free(&clip_file);
}

TEST(files_may_end_anywhere)
{
    cut_file(MODELS "3.4_skinned.bbmod", ANIMATIONS "3.4_spaces_7.bbanim");
    cut_file(MODELS "2_skinned.bbmod", ANIMATIONS "2_wave.bbanim");
    cut_file(MODELS "1b_skinned.bbmod", ANIMATIONS "1_wave.bbanim");
    cut_file(MODELS "document_skinned.bbmod", ANIMATIONS "repeated_parent.bbanim");
}

static void *count_alloc(void *user, size_t size)
{
    int *left = user;
    return (*left)-- == 0 ? NULL : malloc(size);
}

static void count_free(void *user, void *block, size_t size)
{
    (void)user, (void)size;
    free(block);
}

TEST(memory_may_run_out_anywhere)
{
    bbmod_made m = open_model("samples/crane.bbmod");
    add_clip(&m, "samples/crane_travel.bbanim");
    add_clip(&m, "samples/crane_lift.bbanim");
    for (int fails = 0; !m.scene && fails < 10000; fails++) {
        int left = fails;
        make_with(&m, (tenon_scene_opts){.allocator = {count_alloc, count_free, &left},
                                         .model_path = m.file});
        if (!m.scene) CHECK(m.err.code == TENON_ERR_MEMORY);
    }
    CHECK(m.scene && m.scene->image_count == 1 && m.scene->animation_count == 2);
    const uint64_t limits[] = {1000, 20000, 100000};
    for (int i = 0; i < 3; i++) {
        make_with(&m, (tenon_scene_opts){.max_memory = limits[i]});
        CHECK(!m.scene && m.err.code == TENON_ERR_LIMIT);
    }
    made_free(&m);
}

int main(void)
{
    RUN(every_number_may_be_absurd);
    RUN(files_may_end_anywhere);
    RUN(memory_may_run_out_anywhere);
    TEST_END();
}
