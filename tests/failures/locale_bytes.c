// locale_bytes.c: what the library writes does not depend on the locale of the program that uses
// it.
// SPDX-License-Identifier: MIT
//
// The environment chooses the locale; test_fail_system.py makes one with decimal commas.

#include <locale.h>
#include <stdlib.h>

#include <tenon/scene.h>

#include "../callbacks.h"
#include "../test.h"

static const char *const models[] = {
    "samples/crane.bplx",
    "samples/crane.gpb",
    "samples/crane.bmw",
    "samples/crane.cea",
    "samples/crane.glb",
    "samples/crane.bbmod",
    "tests/fixtures/obj/materials.obj",
};
static const char *const formats[] = {"glb", "gltf", "obj", "bbmod", "gpb", "bmw", "cea", "bplx"};

// Everything that is made of a model, in one number; 0 if something fails.
static uint64_t digest_of(const char *path)
{
    uint64_t digest = DIGEST_START;
    tenon_sink sink = {mix_name, mix_bytes, mix_end, &digest};
    tenon_doc *doc = tenon_read_file(path, NULL, NULL);
    tenon_scene_opts opts = {.model_path = path};
    tenon_scene *scene = doc ? tenon_to_scene(doc, &opts, NULL) : NULL;
    bool ok = scene && tenon_dump(doc, mix_bytes, &digest, NULL) &&
              tenon_check(doc, NULL, mix_finding, &digest, NULL, NULL);
    for (size_t i = 0; ok && i < sizeof formats / sizeof formats[0]; i++) {
        tenon_export_opts to = {.format = formats[i]};
        ok = tenon_export(scene, &to, &sink, NULL);
    }
    tenon_scene_free(scene);
    tenon_doc_free(doc);
    return ok ? digest : 0;
}

int main(void)
{
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        CHECK(setlocale(LC_ALL, "C"));
        uint64_t expected = digest_of(models[i]);
        CHECK(expected != 0);
        CHECK(setlocale(LC_ALL, ""));
        CHECK_STR(localeconv()->decimal_point, ",");
        CHECK(digest_of(models[i]) == expected);
    }
    TEST_END();
}
