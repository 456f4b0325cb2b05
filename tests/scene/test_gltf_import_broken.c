// test_gltf_import_broken.c: glTF files with excessive counts, missing references or cycles.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include <time.h>

#include "../scratch.h"
#include "../wire.h"
#include "gltf_import_help.h"

#define ASSET "{\"asset\":{\"version\":\"2.0\"},"

// -- Accessors

TEST(the_file_that_the_other_tests_change_is_valid)
{
    tenon_error err;
    char *text = triangle_text(GOOD_ACCESSOR, GOOD_VIEW, "");
    tenon_scene *s = scene_of_text(text, NULL, &err);
    CHECK(s && s->meshes[0].primitives[0].vertex_count == 3);
    tenon_scene_free(s);
    free(text);
}

TEST(counts_beyond_the_bytes_are_refused)
{
    static const char *const counts[] = {"4", "4294967294", "4611686018427387904",
                                         "18446744073709551615", "6148914691236517206"};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        char accessor[160];
        snprintf(accessor, sizeof accessor,
                 "{\"bufferView\":0,\"componentType\":5126,\"count\":%s,\"type\":\"VEC3\"}",
                 counts[i]);
        tenon_error err;
        char *text = triangle_text(accessor, GOOD_VIEW, "");
        CHECK(!scene_of_text(text, NULL, &err));
        CHECK(err.code == TENON_ERR_VALUE || err.code == TENON_ERR_LIMIT);
        CHECK_STR(err.path, "/accessors/0");
        free(text);
    }
    CHECK(refuses_parts("{\"bufferView\":0,\"componentType\":5126,\"count\":0,\"type\":\"VEC3\"}",
                        GOOD_VIEW, TENON_ERR_VALUE, "/accessors/0", "'count' must be at least 1"));
    CHECK(refuses_parts("{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\"}", GOOD_VIEW,
                        TENON_ERR_VALUE, "/accessors/0", "'count' must be at least 1"));
    CHECK(refuses_parts("{\"componentType\":5126,\"count\":-1,\"type\":\"VEC3\"}", GOOD_VIEW,
                        TENON_ERR_VALUE, "/accessors/0/count", "whole number"));
    CHECK(refuses_parts("{\"componentType\":5126,\"count\":1e40,\"type\":\"VEC3\"}", GOOD_VIEW,
                        TENON_ERR_VALUE, "/accessors/0/count", "whole number"));
}

// Zeros need no bytes in the file, but they do in memory.
TEST(zeros_without_bytes_respect_the_limit)
{
    tenon_error err;
    char *text = triangle_text("{\"componentType\":5126,\"count\":4000000000,\"type\":\"VEC3\"}",
                               GOOD_VIEW, "");
    CHECK(!scene_of_text(text, NULL, &err));
    CHECK(err.code == TENON_ERR_LIMIT);
    free(text);
    text = triangle_text("{\"componentType\":5126,\"count\":5,\"type\":\"VEC3\"}", GOOD_VIEW, "");
    tenon_scene *s = scene_of_text(text, NULL, &err);
    CHECK(s && s->meshes[0].primitives[0].vertex_count == 5);
    CHECK(s && s->meshes[0].primitives[0].positions[14] == 0);
    tenon_scene_free(s);
    free(text);
}

TEST(offsets_and_strides_stay_inside)
{
    static const char offset[] = "{\"bufferView\":0,\"byteOffset\":%s,\"componentType\":5126,"
                                 "\"count\":3,\"type\":\"VEC3\"}";
    static const char *const offsets[] = {"4", "36", "37", "18446744073709551612"};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        char accessor[200];
        snprintf(accessor, sizeof accessor, offset, offsets[i]);
        CHECK(refuses_parts(accessor, GOOD_VIEW, TENON_ERR_VALUE, "/accessors/0", "do not fit"));
    }
    CHECK(refuses_parts(GOOD_ACCESSOR, "{\"buffer\":0,\"byteLength\":36,\"byteStride\":16}",
                        TENON_ERR_VALUE, "/accessors/0", "do not fit"));
    CHECK(refuses_parts(GOOD_ACCESSOR, "{\"buffer\":0,\"byteLength\":36,\"byteStride\":8}",
                        TENON_ERR_VALUE, "/accessors/0", "an element has 12 bytes"));
    CHECK(refuses_parts(GOOD_ACCESSOR, "{\"buffer\":0,\"byteLength\":36,\"byteStride\":256}",
                        TENON_ERR_VALUE, "/bufferViews/0/byteStride", "more than 252"));
    CHECK(refuses_parts(GOOD_ACCESSOR, "{\"buffer\":0,\"byteLength\":37}", TENON_ERR_VALUE,
                        "/bufferViews/0", "the buffer has 36"));
    CHECK(refuses_parts(GOOD_ACCESSOR,
                        "{\"buffer\":0,\"byteLength\":36,\"byteOffset\":18446744073709551615}",
                        TENON_ERR_VALUE, "/bufferViews/0", "the buffer has 36"));
    CHECK(refuses_parts(GOOD_ACCESSOR, "{\"buffer\":0,\"byteLength\":0}", TENON_ERR_VALUE,
                        "/bufferViews/0", "greater than 0"));
}

TEST(types_must_be_right)
{
    CHECK(refuses_parts("{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC2\"}",
                        GOOD_VIEW, TENON_ERR_VALUE, "/accessors/0/type", "VEC3"));
    CHECK(refuses_parts("{\"bufferView\":0,\"componentType\":5124,\"count\":3,\"type\":\"VEC3\"}",
                        GOOD_VIEW, TENON_ERR_VALUE, "/accessors/0", "5124"));
    CHECK(refuses_parts("{\"bufferView\":1,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}",
                        GOOD_VIEW, TENON_ERR_VALUE, "/accessors/0/bufferView",
                        "index 1, but there are 1 bufferViews"));
    CHECK(refuses_parts("7", GOOD_VIEW, TENON_ERR_VALUE, "/accessors/0",
                        "an item of 'accessors' must be an object, but is a number"));
    CHECK(refuses("{\"asset\":{\"version\":\"2.0\"},\"nodes\":{}}", TENON_ERR_VALUE, "/nodes",
                  "'nodes' must be an array, but is an object"));
}

// -- Sparse accessors

static bool refuses_sparse(const char *sparse, const char *path, const char *words)
{
    char accessor[600];
    snprintf(accessor, sizeof accessor,
             "{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":%s}", sparse);
    // Bytes 12 to 15 are 0 0 0 64; all others that matter are 0, or 128 and 63.
    return refuses_parts(accessor,
                         "{\"buffer\":0,\"byteLength\":36},{\"buffer\":0,\"byteLength\":4,"
                         "\"byteOffset\":12}",
                         TENON_ERR_VALUE, path, words);
}

TEST(sparse_indices_grow_and_stay_inside)
{
    CHECK(refuses_sparse("{\"count\":2,\"indices\":{\"bufferView\":1,\"componentType\":5121},"
                         "\"values\":{\"bufferView\":0}}",
                         "/accessors/0/sparse", "must increase"));
    CHECK(refuses_sparse("{\"count\":1,\"indices\":{\"bufferView\":1,\"byteOffset\":3,"
                         "\"componentType\":5121},\"values\":{\"bufferView\":0}}",
                         "/accessors/0/sparse", "sparse index 64, but 'count' is 3"));
    CHECK(refuses_sparse("{\"count\":1,\"indices\":{\"bufferView\":1,\"componentType\":5125},"
                         "\"values\":{\"bufferView\":0}}",
                         "/accessors/0/sparse", "sparse index 1073741824"));
}

TEST(sparse_parts_are_bounded)
{
    CHECK(refuses_sparse("{\"count\":4,\"indices\":{\"bufferView\":1,\"componentType\":5121},"
                         "\"values\":{\"bufferView\":0}}",
                         "/accessors/0/sparse", "from 1 to 3, not 4"));
    CHECK(refuses_sparse("{\"count\":0,\"indices\":{},\"values\":{}}", "/accessors/0/sparse",
                         "from 1 to 3, not 0"));
    CHECK(refuses_sparse("{\"count\":3,\"indices\":{\"bufferView\":1,\"componentType\":5123},"
                         "\"values\":{\"bufferView\":0}}",
                         "/accessors/0/sparse/indices", "do not fit"));
    CHECK(refuses_sparse("{\"count\":1,\"indices\":{\"bufferView\":1,\"componentType\":5121},"
                         "\"values\":{\"bufferView\":1}}",
                         "/accessors/0/sparse/values", "do not fit"));
    CHECK(refuses_sparse("{\"count\":1,\"indices\":{\"bufferView\":1,\"componentType\":5122},"
                         "\"values\":{\"bufferView\":0}}",
                         "/accessors/0/sparse/indices", "5121, 5123 or 5125"));
    CHECK(refuses_sparse("{\"count\":1,\"indices\":{\"componentType\":5121},"
                         "\"values\":{\"bufferView\":0}}",
                         "/accessors/0/sparse", "require a 'bufferView'"));
}

// -- Buffers

TEST(buffers_must_have_their_bytes)
{
    CHECK(refuses(ASSET "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":"
                        "{\"POSITION\":0}}]}],\"accessors\":[" GOOD_ACCESSOR
                        "],\"bufferViews\":[" GOOD_VIEW "],\"buffers\":[{\"byteLength\":36}]}",
                  TENON_ERR_UNSUPPORTED, "/buffers/0", "the buffer has no 'uri'"));
    CHECK(refuses(ASSET "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":"
                        "{\"POSITION\":0}}]}],\"accessors\":[" GOOD_ACCESSOR
                        "],\"bufferViews\":[" GOOD_VIEW "],\"buffers\":[{\"byteLength\":36,"
                        "\"uri\":\"data:;base64,AAAA\"}]}",
                  TENON_ERR_TRUNCATED, "/buffers/0", "is 36, but the buffer has 3 bytes"));
    CHECK(refuses(ASSET "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":"
                        "{\"POSITION\":0}}]}],\"accessors\":[" GOOD_ACCESSOR
                        "],\"bufferViews\":[" GOOD_VIEW "],\"buffers\":[{\"byteLength\":36,"
                        "\"uri\":\"data:;base64,AA*A\"}]}",
                  TENON_ERR_VALUE, "/buffers/0/uri", "not valid base64"));
    CHECK(refuses(ASSET "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":"
                        "{\"POSITION\":0}}]}],\"accessors\":[" GOOD_ACCESSOR
                        "],\"bufferViews\":[" GOOD_VIEW "],\"buffers\":[{\"byteLength\":36,"
                        "\"uri\":\"data:text/plain;base64\"}]}",
                  TENON_ERR_VALUE, "/buffers/0/uri", "a data URI must start with"));
}

static tenon_scene *scene_with_buffer(const char *uri, tenon_error *err)
{
    char text[1024];
    snprintf(text, sizeof text,
             ASSET "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":"
                   "{\"POSITION\":0}}]}],\"accessors\":[" GOOD_ACCESSOR
                   "],\"bufferViews\":[" GOOD_VIEW "],\"buffers\":[{\"byteLength\":36,"
                   "\"uri\":\"%s\"}]}",
             uri);
    char path[600];
    snprintf(path, sizeof path, "%s", scratch("inside/model.gltf"));
    tenon_scene_opts opts = {.model_path = path};
    return scene_of_bytes(text, strlen(text), &opts, err);
}

TEST(buffers_are_read_from_the_folder_only)
{
    const float values[10] = {0, 0, 0, 2, 0, 0, 0, 1, 0, 9};
    uint8_t numbers[sizeof values];
    wire_copy(numbers, values, 10, 4);
    tenon_error err;
    CHECK(scratch_make_folder("inside"));
    scratch_save("inside/two words.bin", numbers, sizeof numbers);
    scratch_save("inside/short.bin", numbers, 35);
    scratch_save("outside.bin", numbers, sizeof numbers);
    tenon_scene *s = scene_with_buffer("two%20words.bin", &err);
    CHECK(s && s->meshes[0].primitives[0].positions[3] == 2);
    tenon_scene_free(s);
    CHECK(!scene_with_buffer("short.bin", &err) && err.code == TENON_ERR_TRUNCATED);
    CHECK(!scene_with_buffer("missing.bin", &err) && err.code == TENON_ERR_IO);
    CHECK_STR(err.path, "/buffers/0/uri");
    CHECK(!scene_with_buffer("../outside.bin", &err) && err.code == TENON_ERR_VALUE);
    CHECK(!scene_with_buffer("%2e%2e/outside.bin", &err) && err.code == TENON_ERR_VALUE);
    CHECK(!scene_with_buffer("..%5Coutside.bin", &err) && err.code == TENON_ERR_VALUE);
    CHECK(!scene_with_buffer("/etc/hostname", &err) && err.code == TENON_ERR_VALUE);
    CHECK(strstr(err.message, "is outside the model's folder"));
}

// -- Trees

TEST(circles_and_second_parents_are_refused)
{
    CHECK(refuses(ASSET "\"nodes\":[{\"children\":[0]}]}", TENON_ERR_VALUE, "/nodes/0",
                  "node 0 is its own ancestor"));
    CHECK(refuses(ASSET "\"nodes\":[{},{\"children\":[2]},{\"children\":[3]},{\"children\":[1]}]}",
                  TENON_ERR_VALUE, "/nodes/2", "its own ancestor"));
    CHECK(refuses(ASSET "\"nodes\":[{\"children\":[2]},{\"children\":[2]},{}]}", TENON_ERR_VALUE,
                  "/nodes/1/children/0", "node 2 is already a child of node 0"));
    CHECK(refuses(ASSET "\"nodes\":[{\"children\":[1]}]}", TENON_ERR_VALUE, "/nodes/0/children/0",
                  "index 1, but there are 1 nodes"));
    CHECK(refuses(ASSET "\"scene\":1,\"scenes\":[{}]}", TENON_ERR_VALUE, "/scene",
                  "index 1, but there are 1 scenes"));
}

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

// A chain, each node the only child of its predecessor or of its successor.
static char *chain_text(uint32_t count, bool is_backwards)
{
    size_t room = 64 + (size_t)count * 32, used;
    char *text = malloc(room);
    if (!text) exit(1);
    used = (size_t)snprintf(text, room, ASSET "\"nodes\":[{}");
    for (uint32_t i = 1; i < count; i++)
        used += (size_t)snprintf(text + used, room - used, ",{\"children\":[%u]}",
                                 is_backwards ? (unsigned)i - 1 : (unsigned)(i + 1) % count);
    snprintf(text + used, room - used, "]}");
    return text;
}

TEST(a_deep_tree_is_read_in_linear_time)
{
    const uint32_t count = 1000000;
    double start = seconds();
    char *text = chain_text(count, true);
    tenon_scene *s = scene_of_text(text, NULL, NULL);
    CHECK(s && s->node_count == count);
    CHECK(s && s->nodes[count - 1].parent == count - 2 && s->nodes[0].parent == TENON_NONE);
    CHECK(seconds() - start < 60);
    tenon_scene_free(s);
    free(text);
    text = chain_text(count, false);
    tenon_error err;
    s = scene_of_text(text, NULL, &err);
    // Node 0 is a leaf here: the chain from 1 ends in it.
    CHECK(s && s->node_count == count);
    tenon_scene_free(s);
    free(text);
}

TEST(nested_json_is_refused_at_once)
{
    enum { DEPTH = 400000 };
    char *text = malloc(DEPTH + 64);
    if (!text) exit(1);
    int used = sprintf(text, ASSET "\"extras\":");
    memset(text + used, '[', DEPTH);
    text[used + DEPTH] = '\0';
    tenon_error err;
    double start = seconds();
    CHECK(!scene_of_text(text, NULL, &err) && err.code == TENON_ERR_LIMIT);
    CHECK(seconds() - start < 0.05);
    free(text);
}

// -- Text

TEST(text_has_lines_and_binary_has_offsets)
{
    static const char text[] = ASSET "\n\"nodes\": [\n  {\"mesh\": 3}]}";
    CHECK(refuses(text, TENON_ERR_VALUE, "/nodes/0/mesh", "index 3, but there are 0 meshes"));
    tenon_error err;
    CHECK(!scene_of_text(text, NULL, &err));
    CHECK(err.line == 3 && err.column == 12);
    uint8_t glb[128] = "glTF\2\0\0\0\0\0\0\0\0\0\0\0JSON";
    memset(glb + 20, ' ', sizeof glb - 20);
    memcpy(glb + 20, text, strlen(text));
    glb[8] = 120;
    glb[12] = 100;
    CHECK(!scene_of_bytes(glb, 120, NULL, &err));
    CHECK(err.code == TENON_ERR_VALUE && err.line == 0 && glb[err.offset] == '3');
    CHECK_STR(err.path, "/nodes/0/mesh");
    glb[30] = '?';
    CHECK(!scene_of_bytes(glb, 120, NULL, &err));
    CHECK(err.code == TENON_ERR_VALUE && err.offset == 30 && err.line == 0);
}

TEST(keys_must_occur_once)
{
    CHECK(refuses(ASSET "\"nodes\":[{\"mesh\":0,\"mesh\":1}]}", TENON_ERR_VALUE, "/nodes/0/mesh",
                  "the key 'mesh' occurs twice"));
    CHECK(refuses(ASSET "\"nodes\":[],\"nodes\":[]}", TENON_ERR_VALUE, "/nodes", "occurs twice"));
}

TEST(required_versions_and_extensions_are_checked)
{
    CHECK(refuses("{\"asset\":{\"version\":\"1.0\"}}", TENON_ERR_VERSION, "/asset",
                  "unknown glTF version '1.0'"));
    CHECK(refuses("{\"asset\":{\"version\":\"2.1\",\"minVersion\":\"2.1\"}}", TENON_ERR_VERSION,
                  "/asset", "2.1"));
    CHECK(refuses("{\"asset\":{}}", TENON_ERR_VERSION, "/asset", "missing"));
    CHECK(refuses(ASSET "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]}",
                  TENON_ERR_UNSUPPORTED, "/extensionsRequired/0",
                  "requires the extension 'KHR_draco_mesh_compression'"));
    tenon_error err;
    tenon_scene *s =
        scene_of_text("{\"asset\":{\"version\":\"2.9\",\"minVersion\":\"2.0\"}}", NULL, &err);
    CHECK(s != NULL);
    tenon_scene_free(s);
}

// -- Skins and animations

#define RIG                                                                                   \
    ASSET "\"nodes\":[{\"mesh\":0,\"skin\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":" \
          "{\"POSITION\":0}}]}],\"accessors\":[{\"componentType\":5126,\"count\":3,"          \
          "\"type\":\"VEC3\"},{\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"}]"

TEST(skins_need_joints_that_exist)
{
    CHECK(refuses(RIG ",\"skins\":[{\"joints\":[1]}]}", TENON_ERR_VALUE, "/skins/0/joints/0",
                  "index 1, but there are 1 nodes"));
    CHECK(refuses(RIG ",\"skins\":[{\"joints\":[]}]}", TENON_ERR_VALUE, "/skins/0", "'joints'"));
    CHECK(refuses(RIG ",\"skins\":[{\"joints\":[0],\"inverseBindMatrices\":0}]}", TENON_ERR_VALUE,
                  "/accessors/0/type", "MAT4"));
}

// There may be more matrices than joints, and a sparse one may replace one of those.
TEST(matrices_beyond_the_joints_may_be_sparse)
{
    tenon_error err;
    tenon_scene *scene = scene_of_text(
        ASSET "\"nodes\":[{\"mesh\":0,\"skin\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":"
              "{\"POSITION\":0}}]}],\"skins\":[{\"joints\":[0],\"inverseBindMatrices\":1}],"
              "\"accessors\":[{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
              "{\"componentType\":5126,\"count\":3,\"type\":\"MAT4\",\"sparse\":{\"count\":1,"
              "\"indices\":{\"bufferView\":0,\"componentType\":5121},"
              "\"values\":{\"bufferView\":1}}}],\"bufferViews\":[{\"buffer\":0,"
              "\"byteLength\":1},{\"buffer\":0,\"byteOffset\":4,\"byteLength\":64}],"
              "\"buffers\":[{\"byteLength\":68,\"uri\":\"data:application/octet-stream;base64,"
              "AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
              "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"}]}",
        NULL, &err);
    CHECK(scene != NULL);
    if (!scene) fprintf(stderr, "%s: %s\n", err.path, err.message);
    tenon_scene_free(scene);
}

TEST(keys_need_values)
{
    CHECK(refuses(RIG ",\"skins\":[{\"joints\":[0]}],\"animations\":[{\"samplers\":[],"
                      "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,"
                      "\"path\":\"scale\"}}]}]}",
                  TENON_ERR_VALUE, "/animations/0/channels/0", "there are 0"));
    CHECK(refuses(RIG ",\"skins\":[{\"joints\":[0]}],\"animations\":[{\"samplers\":[{\"input\":1,"
                      "\"output\":0,\"interpolation\":\"CUBICSPLINE\"}],\"channels\":[{"
                      "\"sampler\":0,\"target\":{\"node\":0,\"path\":\"scale\"}}]}]}",
                  TENON_ERR_VALUE, "/animations/0/samplers/0",
                  "'output' has 3 elements, but 'input' requires 9"));
    CHECK(refuses(RIG ",\"skins\":[{\"joints\":[0]}],\"animations\":[{\"samplers\":[{\"input\":1,"
                      "\"output\":0,\"interpolation\":\"SMOOTH\"}],\"channels\":[{"
                      "\"sampler\":0,\"target\":{\"node\":0,\"path\":\"scale\"}}]}]}",
                  TENON_ERR_VALUE, "/animations/0/samplers/0/interpolation", "LINEAR"));
}

// -- Memory

typedef struct scarce {
    long calls_left;
    long live;
} scarce;

static void *scarce_alloc(void *user, size_t size)
{
    scarce *s = user;
    if (s->calls_left-- <= 0) return NULL;
    s->live++;
    return malloc(size);
}

static void scarce_free(void *user, void *memory, size_t size)
{
    (void)size;
    ((scarce *)user)->live--;
    free(memory);
}

static bool reads_with(tenon_doc *doc, long calls)
{
    scarce s = {calls, 0};
    tenon_error err;
    tenon_scene_opts opts = {.allocator = {scarce_alloc, scarce_free, &s}};
    tenon_check_opts check = {.allocator = opts.allocator};
    tenon_check_result result = {0};
    tenon_scene *scene = tenon_to_scene(doc, &opts, &err);
    CHECK(scene || err.code == TENON_ERR_MEMORY);
    tenon_scene_free(scene);
    CHECK(s.live == 0);
    s.calls_left = calls;
    bool is_checked = tenon_check(doc, &check, NULL, NULL, &result, &err);
    CHECK(s.live == 0 && result.errors == 0);
    return scene && is_checked;
}

TEST(memory_can_run_out_anywhere)
{
    static const char *const names[] = {"skinned.glb", "materials.gltf", "sparse.glb"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[256];
        snprintf(path, sizeof path, "tests/fixtures/gltf/%s", names[i]);
        tenon_doc *doc = tenon_read_file(path, NULL, NULL);
        long calls = 0;
        while (doc && calls < 100000 && !reads_with(doc, calls)) calls++;
        CHECK(doc && calls < 100000);
        tenon_doc_free(doc);
    }
}

int main(void)
{
    scratch_begin();
    RUN(the_file_that_the_other_tests_change_is_valid);
    RUN(counts_beyond_the_bytes_are_refused);
    RUN(zeros_without_bytes_respect_the_limit);
    RUN(offsets_and_strides_stay_inside);
    RUN(types_must_be_right);
    RUN(sparse_indices_grow_and_stay_inside);
    RUN(sparse_parts_are_bounded);
    RUN(buffers_must_have_their_bytes);
    RUN(buffers_are_read_from_the_folder_only);
    RUN(circles_and_second_parents_are_refused);
    RUN(a_deep_tree_is_read_in_linear_time);
    RUN(nested_json_is_refused_at_once);
    RUN(text_has_lines_and_binary_has_offsets);
    RUN(keys_must_occur_once);
    RUN(required_versions_and_extensions_are_checked);
    RUN(skins_need_joints_that_exist);
    RUN(matrices_beyond_the_joints_may_be_sparse);
    RUN(keys_need_values);
    RUN(memory_can_run_out_anywhere);
    scratch_end();
    TEST_END();
}
