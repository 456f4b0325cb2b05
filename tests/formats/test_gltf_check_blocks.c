// test_gltf_check_blocks.c: rules about many vertices, which are checked in blocks.
// SPDX-License-Identifier: MIT

#include "gltf_edit_help.h"

enum { VERTICES = 3000 };  // More than one block.
enum { JOINTS_AT = 12 * VERTICES, WEIGHTS_AT = 16 * VERTICES, BYTES = 32 * VERTICES };

static const char text[] =
    "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":96000}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36000},"
    "{\"buffer\":0,\"byteOffset\":36000,\"byteLength\":12000},"
    "{\"buffer\":0,\"byteOffset\":48000,\"byteLength\":48000}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3000,\"type\":\"VEC3\","
    "\"min\":[0,0,0],\"max\":[0,0,0]},"
    "{\"bufferView\":1,\"componentType\":5121,\"count\":3000,\"type\":\"VEC4\"},"
    "{\"bufferView\":2,\"componentType\":5126,\"count\":3000,\"type\":\"VEC4\"}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":"
    "{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2}}]}],\"nodes\":[{\"mesh\":0}],"
    "\"scenes\":[{\"nodes\":[0]}]}";

// -- Vertices

static void put_weights(uint8_t *bytes, uint32_t vertex, float first, float second)
{
    uint32_t words[2];
    memcpy(&words[0], &first, 4);
    memcpy(&words[1], &second, 4);
    wire_put_u32(bytes + WEIGHTS_AT + 16 * (size_t)vertex, words[0]);
    wire_put_u32(bytes + WEIGHTS_AT + 16 * (size_t)vertex + 4, words[1]);
}

static void put_joints(uint8_t *bytes, uint32_t vertex, uint8_t first, uint8_t second)
{
    bytes[JOINTS_AT + 4 * (size_t)vertex] = first;
    bytes[JOINTS_AT + 4 * (size_t)vertex + 1] = second;
}

static void add_chunk(blob *file, uint32_t type, const void *bytes, uint32_t size)
{
    uint8_t head[8];
    wire_put_u32(head, (size + 3) / 4 * 4);
    wire_put_u32(head + 4, type);
    blob_add(file, head, 8);
    blob_add(file, bytes, size);
    blob_add(file, "   ", (4 - size % 4) % 4);
}

// A GLB file of these vertices.
static blob glb_of(const uint8_t *bytes)
{
    blob file = {0};
    uint32_t size = (uint32_t)strlen(text);
    uint8_t head[12];
    wire_put_u32(head, 0x46546c67);
    wire_put_u32(head + 4, 2);
    wire_put_u32(head + 8, 12 + 8 + (size + 3) / 4 * 4 + 8 + BYTES);
    blob_add(&file, head, 12);
    add_chunk(&file, 0x4e4f534a, text, size);
    add_chunk(&file, 0x004e4942, bytes, BYTES);
    return file;
}

static bool is_said(const uint8_t *bytes, const char *rule, const char *words)
{
    blob file = glb_of(bytes);
    gltf_said said = {.rule = rule, .path = "/meshes/0/primitives/0/attributes", .words = words};
    gltf_ask(&file, NULL, &said);
    if (!said.is_said) fprintf(stderr, "%s is not said, but %s\n", words, said.shown);
    blob_free(&file);
    return said.is_said;
}

// -- Tests

TEST(faults_of_weights_are_counted_in_all_blocks)
{
    static uint8_t bytes[BYTES];
    for (uint32_t i = 0; i < VERTICES; i++) {
        put_weights(bytes, i, 0.25f, 0.75f);
        put_joints(bytes, i, (uint8_t)(i % 7), 7);
    }
    put_weights(bytes, 0, 0.25f, 0.5f);
    put_weights(bytes, 1024, 1.5f, -0.5f);
    put_weights(bytes, VERTICES - 1, 0.75f, 0.75f);
    CHECK(is_said(bytes, "gltf/weights",
                  "the weights of 2 of 3000 vertices do not sum to 1, 1 are negative"));
    put_joints(bytes, 1023, 7, 7);
    put_joints(bytes, 1024, 7, 7);
    put_joints(bytes, 2047, 7, 7);
    put_joints(bytes, VERTICES - 2, 7, 7);
    CHECK(is_said(bytes, "gltf/joint-twice",
                  "4 of 3000 vertices have two weights for the same joint"));
}

int main(void)
{
    RUN(faults_of_weights_are_counted_in_all_blocks);
    TEST_END();
}
