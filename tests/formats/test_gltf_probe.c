// test_gltf_probe.c: which keys at the top of a JSON text make it glTF.
// SPDX-License-Identifier: MIT

#include <tenon/tenon.h>

#include "../test.h"

// Whether glTF's reader accepts the text, and not that of another format or none.
static bool is_taken(const char *text)
{
    tenon_error err;
    tenon_doc *doc = tenon_read(text, strlen(text), NULL, &err);
    bool taken = doc ? strcmp(doc->format->name, "gltf") == 0 : err.code != TENON_ERR_FORMAT;
    tenon_doc_free(doc);
    return taken;
}

TEST(some_keys_are_enough)
{
    static const char *const keys[] = {"asset", "bufferViews", "accessors", "extensionsUsed",
                                       "extensionsRequired"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "{\"%s\": []}", keys[i]);
        CHECK(is_taken(text));
    }
}

TEST(some_keys_are_enough_only_together)
{
    static const char *const keys[] = {"nodes",    "meshes",     "skins",     "materials",
                                       "textures", "images",     "samplers",  "cameras",
                                       "scene",    "extensions", "animations"};
    size_t count = sizeof keys / sizeof keys[0];
    for (size_t i = 0; i < count; i++) {
        char text[128];
        snprintf(text, sizeof text, "{\"%s\": [], \"%s\": []}", keys[i], keys[(i + 1) % count]);
        CHECK(!is_taken(text));
        snprintf(text, sizeof text, "{\"%s\": [], \"%s\": [], \"%s\": []}", keys[i],
                 keys[(i + 1) % count], keys[(i + 2) % count]);
        CHECK(is_taken(text));
        snprintf(text, sizeof text, "{\"scenes\": [], \"%s\": []}", keys[i]);
        CHECK(is_taken(text));
        snprintf(text, sizeof text, "{\"%s\": [], \"buffers\": []}", keys[i]);
        CHECK(is_taken(text));
    }
    CHECK(!is_taken("{\"buffers\": []}") && !is_taken("{\"scenes\": []}"));
    CHECK(!is_taken("{\"a\": {\"asset\": 1}}") && !is_taken("[{\"asset\": 1}]"));
}

int main(void)
{
    RUN(some_keys_are_enough);
    RUN(some_keys_are_enough_only_together);
    TEST_END();
}
