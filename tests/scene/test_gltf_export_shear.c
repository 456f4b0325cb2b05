// test_gltf_export_shear.c: the second node that a sheared one becomes in glTF has no name.
// SPDX-License-Identifier: MIT

#include "../golden_export.h"

TEST(the_inner_node_of_a_sheared_one_has_no_name)
{
    static const double sheared[16] = {1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    tenon_doc *doc = tenon_read_file("tests/fixtures/gltf/triangle.gltf", NULL, NULL);
    tenon_scene *scene = doc ? tenon_to_scene(doc, NULL, NULL) : NULL;
    golden_text text = {0};
    golden_sink file = {.text = &text};
    tenon_sink sink = {golden_sink_begin, golden_sink_write, golden_sink_end, &file};
    tenon_export_opts opts = {.format = "gltf", .dialect = "gltf"};
    CHECK(scene && scene->node_count > 0);
    if (!scene) return;
    scene->nodes[0].has_matrix = true;
    memcpy(scene->nodes[0].matrix, sheared, sizeof sheared);
    scene->nodes[0].name = (tenon_str){"outer", 5};
    CHECK(tenon_export(scene, &opts, &sink, NULL));
    CHECK(append_bytes(&file.file, "", 1));
    CHECK(strstr((char *)file.file.data, "\"outer\"") &&
          strstr((char *)file.file.data, "rotation"));
    CHECK(!strstr((char *)file.file.data, "\\u0000"));
    CHECK(strlen((char *)file.file.data) + 1 == file.file.size);
    free(file.file.data);
    free(text.data);
    tenon_scene_free(scene);
    tenon_doc_free(doc);
}

int main(void)
{
    RUN(the_inner_node_of_a_sheared_one_has_no_name);
    TEST_END();
}
