// test_one_export.c: what an export measures and verifies is written once and read once.
// SPDX-License-Identifier: MIT

#include "../formats/model_help.h"
#include "exchange/export_memory.h"
#include "puppet_format.h"

static uint32_t exports, imports;

static bool export_and_count(const tn_export *export)
{
    exports++;
    tn_export_approximate(export, TN_MEASURE_REMAINDER, "poses", 1, NULL, "frames are linear");
    tn_export_approximate(export, TN_MEASURE_AT_REST, "places", 1, NULL, "measured at rest");
    return puppet_export(export);
}

static void import_and_count(tn_scene_builder *builder, const void *doc)
{
    imports++;
    puppet_import(builder, doc);
}

static void note_error(void *user, const tenon_loss *loss)
{
    if (strcmp(loss->feature, "poses") == 0) *(double *)user = loss->error;
}

TEST(losses_and_verification_share_one_export_and_one_import)
{
    static const tenon_allocator usual;
    double error = -1;
    blob plain = {0};
    tenon_error err;
    tn_format counting = puppet_format;
    counting.export = export_and_count;
    counting.import = import_and_count;
    tenon_scene *scene = tenon_import_file("samples/crane.glb", NULL, NULL, NULL);
    if (!scene) exit(1);
    scene->animation_count = 1;
    const tenon_verify_opts everything = {0};
    for (int i = 0; i < 4; i++) {
        bool is_read = i & 1, is_verified = i & 2;
        tenon_verify_result result = {0};
        tn_memory_folder out = {.allocator = &usual};
        tenon_sink sink = tn_memory_sink(&out);
        const tenon_export_opts opts = {.events = {&error, NULL, is_read ? note_error : NULL, NULL},
                                        .verify = is_verified ? &everything : NULL,
                                        .verified = &result};
        exports = imports = 0;
        CHECK(tn_export_scene(&counting, NULL, scene, &opts, &sink, &err));
        CHECK(exports == 1 && imports == (is_read || is_verified));
        const blob file = {out.first->data, out.first->size, 0};
        if (i == 0) blob_add(&plain, file.data, file.size);
        CHECK(blob_same(&file, &plain));
        if (is_verified) CHECK(result.largest > 0 && result.rms > 0 && result.clip_count == 1);
        if (is_read && is_verified) CHECK(error == result.largest);
        tn_memory_free(&out);
    }
    blob_free(&plain);
    tenon_scene_free(scene);
}

int main(void)
{
    RUN(losses_and_verification_share_one_export_and_one_import);
    TEST_END();
}
