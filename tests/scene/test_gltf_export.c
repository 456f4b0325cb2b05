// test_gltf_export.c: the export of glTF, byte by byte and feature by feature.
// SPDX-License-Identifier: MIT

#include "gltf_scenes.h"

// -- The container

#define ASSET "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Tenon 0.1.0\"}"

TEST(a_triangle_is_these_bytes)
{
    static const char text[] =
        ASSET ",\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"name\":\"tri\",\"mesh\":0}],"
              "\"meshes\":[{\"name\":\"tri\",\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
              "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,"
              "\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,0]}],\"bufferViews\":[{\"buffer\":0,"
              "\"byteLength\":36,\"byteStride\":12,\"target\":34962}],"
              "\"buffers\":[{\"byteLength\":36}]}";
    static const uint8_t binary[] = {36, 0, 0, 0, 'B', 'I', 'N', 0,    0,    0,    0, 0, 0, 0, 0,
                                     0,  0, 0, 0, 0,   0,   0,   0x80, 0x3f, 0,    0, 0, 0, 0, 0,
                                     0,  0, 0, 0, 0,   0,   0,   0,    0x80, 0x3f, 0, 0, 0, 0};
    start(make_triangle);
    make_glb(b.scene, &k, &g);
    const kept_file *f = kept_named(&k, "");
    uint32_t size = (uint32_t)sizeof text - 1, padded = (size + 3) / 4 * 4;
    CHECK(f->size == 20 + padded + sizeof binary);
    CHECK(memcmp(f->bytes, "glTF\2\0\0\0", 8) == 0 && le32(f->bytes + 8) == f->size);
    CHECK(le32(f->bytes + 12) == padded && memcmp(f->bytes + 16, "JSON", 4) == 0);
    CHECK(memcmp(f->bytes + 20, text, size) == 0);
    CHECK(memcmp(f->bytes + 20 + size, "   ", padded - size) == 0);
    CHECK(memcmp(f->bytes + 20 + padded, binary, sizeof binary) == 0);
    CHECK(k.file_count == 1 && k.loss_count == 0);
    done();
}

TEST(an_empty_scene_has_no_second_chunk)
{
    static const char text[] = ASSET ",\"scene\":0,\"scenes\":[{}]}";
    start(NULL);
    make_glb(b.scene, &k, &g);
    CHECK(g.buffer_size == 0);
    CHECK(strncmp(g.text, text, sizeof text - 1) == 0);
    done();
}

TEST(json_has_its_bytes_beside_it)
{
    start(make_triangle);
    make_glb(b.scene, &k, &g);
    uint8_t bytes[36];
    memcpy(bytes, g.buffer, 36);
    gltf_close(&g);
    kept_free(&k);
    CHECK(write_scene(b.scene, "gltf", (tenon_export_opts){.name = "my crane"}, &k));
    CHECK(k.file_count == 2);
    CHECK_STR(k.files[0].name, "my crane.bin");
    CHECK_STR(k.files[1].name, "");
    CHECK(k.files[0].size == 36 && memcmp(k.files[0].bytes, bytes, 36) == 0);
    CHECK(k.files[1].bytes[k.files[1].size - 1] == '\n');
    CHECK(gltf_parse(&g, k.files[1].bytes, k.files[1].size));
    CHECK_TEXT("buffers", "[{\"uri\":\"my%20crane.bin\",\"byteLength\":36}]");
    done();
}

TEST(the_same_scene_gives_the_same_bytes)
{
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        kept other = {.calls_left = -1};
        start(all_scenes[i].make);
        make_glb(b.scene, &k, &g);
        gltf_file ignored;
        tn_scene_builder twin;
        scene_begin(&twin);
        all_scenes[i].make(&twin);
        make_glb(twin.scene, &other, &ignored);
        const kept_file *x = kept_named(&k, ""), *y = kept_named(&other, "");
        CHECK(x->size == y->size && memcmp(x->bytes, y->bytes, x->size) == 0);
        gltf_close(&ignored);
        scene_end(&twin);
        kept_free(&other);
        done();
    }
}

// -- Vertices

TEST(primitives_that_share_vertices_share_accessors)
{
    start(make_streams);
    make_glb(b.scene, &k, &g);
    static const char all[] = "{\"POSITION\":0,\"NORMAL\":1,\"TANGENT\":7,\"TEXCOORD_0\":2,"
                              "\"TEXCOORD_1\":3,\"COLOR_0\":4}";
    CHECK_TEXT("meshes.0.primitives.0.attributes", all);
    CHECK_TEXT("meshes.1.primitives.0.attributes", all);
    CHECK_TEXT("meshes.1.primitives.1.attributes", all);
    CHECK_TEXT("meshes.1.primitives.1.mode", "2");
    CHECK_TEXT("meshes.1.primitives.0.mode", "");
    // Two lists of three indices: each starts on a multiple of four bytes.
    CHECK_TEXT("accessors.6", "{\"bufferView\":0,\"byteOffset\":8,\"componentType\":5123,"
                              "\"count\":3,\"type\":\"SCALAR\"}");
    CHECK_TEXT("bufferViews.0", "{\"buffer\":0,\"byteLength\":16,\"target\":34963}");
    CHECK_VALUE(5, 1, 0, 1);
    CHECK_VALUE(6, 2, 0, 0);
    CHECK_VALUE(7, 2, 0, 1);
    CHECK_VALUE(7, 2, 3, 1);
    CHECK_VALUE(2, 1, 0, 1);
    done();
}

static uint32_t index_type_for(uint32_t vertex_count)
{
    start(NULL);
    uint32_t mesh = tn_add_mesh(&b, str("m"), 1);
    tenon_primitive *p = b.scene->meshes[mesh].primitives;
    tn_primitive_alloc(&b, p, vertex_count, 3, 0);
    p->indices[1] = 1;
    p->indices[2] = vertex_count - 1;
    add_mesh_node(&b, "m", TENON_NONE, mesh);
    make_glb(b.scene, &k, &g);
    uint32_t accessor = number_at(&g, "meshes.0.primitives.0.indices");
    CHECK_VALUE(accessor, 2, 0, vertex_count - 1);
    uint32_t type =
        number_at(&g, accessor ? "accessors.1.componentType" : "accessors.0.componentType");
    done();
    return type;
}

TEST(indices_are_short_where_they_fit)
{
    CHECK(index_type_for(3) == 5123);
    CHECK(index_type_for(65535) == 5123);  // The largest is 65534: 65535 has another meaning.
    CHECK(index_type_for(65536) == 5125);
}

TEST(bounds_are_those_of_the_floats)
{
    start(make_triangle);
    const float positions[] = {0.1f, -0.0f, 1e-30f, -16777217.0f, 0, 3e38f, 0.3f, 0, -1};
    memcpy(b.scene->meshes[0].primitives->positions, positions, sizeof positions);
    make_glb(b.scene, &k, &g);
    CHECK_TEXT("accessors.0.min", "[-16777216,0,-1]");
    CHECK_TEXT("accessors.0.max", "[0.3,0,3e38]");
    CHECK_VALUE(0, 0, 0, (double)positions[0]);
    done();
}

TEST(colors_are_bytes_if_that_is_exact)
{
    start(make_streams);
    float *colors = b.scene->meshes[0].primitives->colors[0];
    for (int i = 0; i < 12; i++) colors[i] = (float)(i * 23) / 255.0f;
    make_glb(b.scene, &k, &g);
    CHECK_TEXT("accessors.4.componentType", "5121");
    CHECK_TEXT("accessors.4.normalized", "true");
    for (uint32_t i = 0; i < 12; i++) CHECK_VALUE(4, i / 4, i % 4, i * 23 / 255.0);
    gltf_close(&g);
    colors[5] = 0.5f;
    make_glb(b.scene, &k, &g);
    CHECK_TEXT("accessors.4.componentType", "5126");
    CHECK_VALUE(4, 1, 1, 0.5);
    CHECK_VALUE(4, 1, 2, (double)colors[6]);
    gltf_close(&g);
    colors[5] = -0.5f, colors[6] = 1.5f;
    make_glb(b.scene, &k, &g);
    CHECK_VALUE(4, 1, 1, 0);
    CHECK_VALUE(4, 1, 2, 1);
    CHECK(lost_count(&k, "vertex colors") == 2);
    done();
}

TEST(gaps_between_sets_are_filled)
{
    start(make_gaps);
    make_glb(b.scene, &k, &g);
    CHECK_TEXT("meshes.0.primitives.0.attributes",
               "{\"POSITION\":0,\"TEXCOORD_0\":1,\"TEXCOORD_1\":1,\"TEXCOORD_2\":1}");
    CHECK_TEXT("materials.0.pbrMetallicRoughness.baseColorTexture", "{\"index\":0,\"texCoord\":2}");
    CHECK(lost_count(&k, "texture coordinates") == 2);
    CHECK(lost_count(&k, "second vertex colors") == 1);
    done();
}

TEST(what_cannot_be_drawn_is_left_out)
{
    start(make_leftovers);
    make_glb(b.scene, &k, &g);
    CHECK(tn_json_tree_count(look(&g, "meshes")) == 1);
    CHECK(tn_json_tree_count(look(&g, "meshes.0.primitives")) == 3);
    CHECK_TEXT("meshes.0.primitives.2.mode", "0");
    uint32_t positions = number_at(&g, "meshes.0.primitives.0.attributes.POSITION");
    CHECK(positions == 0 && number_at(&g, "accessors.0.count") == 3);
    CHECK_TEXT("nodes.1", "{\"name\":\"shows nothing\"}");
    CHECK_TEXT("nodes.2", "{\"name\":\"alone\",\"extras\":{\"joint\":true}}");
    static const char *const absent[] = {"skins",      "materials",  "cameras",
                                         "animations", "extensions", "extensionsUsed"};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++) CHECK(!look(&g, absent[i]));
    CHECK(lost_count(&k, "parts of meshes") == 2);
    CHECK(lost_count(&k, "vertices") == 3);  // One of four; two of five indices.
    CHECK(lost_count(&k, "meshes") == 2);
    CHECK(lost_count(&k, "skins") == 1 && lost_count(&k, "materials") == 1);
    CHECK(lost_count(&k, "cameras") == 1 && lost_count(&k, "lights") == 1);
    CHECK(lost_count(&k, "animations") == 1);
    CHECK_STR(k.paths[0], "meshes[0]");
    done();
}

// -- Skins

TEST(a_skinned_mesh_moves_to_the_scene_root)
{
    start(make_skinned);
    make_glb(b.scene, &k, &g);
    CHECK_TEXT("scenes.0.nodes", "[0,2]");
    CHECK_TEXT("nodes.0", "{\"name\":\"hip\",\"children\":[1]}");
    CHECK_TEXT("nodes.2", "{\"name\":\"leg\",\"mesh\":0,\"skin\":0}");
    CHECK_TEXT("skins.0", "{\"name\":\"skin\",\"inverseBindMatrices\":4,\"skeleton\":0,"
                          "\"joints\":[0,1]}");
    CHECK_VALUE(4, 1, 13, -1);
    CHECK_TEXT("accessors.2.componentType", "5121");
    CHECK_VALUE(2, 2, 0, 1);
    CHECK_VALUE(3, 2, 0, 1);
    CHECK(lost_count(&k, "places of skinned meshes") == 1);
    done();
}

// glTF requires that the last row of a matrix is 0 0 0 1.
TEST(inverse_bind_matrices_have_a_plain_last_row)
{
    for (int is_projective = 0; is_projective < 2; is_projective++) {
        start(make_skinned);
        float *second = b.scene->skins[0].inverse_binds + 16;
        if (is_projective) second[3] = 0.5f, second[15] = 2;
        make_glb(b.scene, &k, &g);
        CHECK_VALUE(4, 1, 3, 0);
        CHECK_VALUE(4, 1, 13, -1);
        CHECK_VALUE(4, 1, 15, 1);
        CHECK(lost_count(&k, "inverse bind matrices") == (uint64_t)is_projective);
        done();
    }
}

TEST(a_skinned_mesh_at_the_scene_root_stays)
{
    start(make_skinned);
    b.scene->nodes[2].parent = TENON_NONE;
    b.scene->nodes[2].translation[0] = 0;
    make_glb(b.scene, &k, &g);
    CHECK_TEXT("nodes.2", "{\"name\":\"leg\",\"mesh\":0,\"skin\":0}");
    CHECK(k.loss_count == 0);
    done();
}

TEST(a_node_that_is_needed_keeps_its_place_without_the_mesh)
{
    start(make_busy_skinned);
    make_glb(b.scene, &k, &g);
    CHECK_TEXT("nodes.2", "{\"name\":\"leg\",\"translation\":[5,0,0],\"children\":[3]}");
    CHECK_TEXT("nodes.4", "{\"name\":\"leg\",\"mesh\":0,\"skin\":0}");
    CHECK_TEXT("scenes.0.nodes", "[0,4]");
    CHECK_TEXT("skins.0.joints", "[0,2]");
    CHECK_TEXT("animations.1.channels.0.target", "{\"node\":2,\"path\":\"translation\"}");
    done();
}

TEST(joints_get_a_common_root_and_are_unique)
{
    start(make_torn_skin);
    make_glb(b.scene, &k, &g);
    CHECK_TEXT("scenes.0.nodes", "[2,5]");
    CHECK_TEXT("nodes.5", "{\"name\":\"joints\",\"children\":[0,1]}");
    CHECK_TEXT("nodes.0", "{\"name\":\"left\",\"children\":[3,4]}");
    CHECK_TEXT("skins.0.joints", "[0,1,4]");
    CHECK_TEXT("skins.0.skeleton", "");
    // The copy without a skin is another mesh, of the same vertices.
    CHECK_TEXT("nodes.3", "{\"name\":\"copy\",\"mesh\":1}");
    CHECK_TEXT("meshes.1.primitives", "[{\"attributes\":{\"POSITION\":0}}]");
    CHECK(lost_count(&k, "roots of skins") == 1);
    CHECK(lost_count(&k, "weights") == 1);
    done();
}

TEST(more_influences_take_more_sets)
{
    start(make_many_influences);
    make_glb(b.scene, &k, &g);
    CHECK_TEXT("meshes.0.primitives.0.attributes",
               "{\"POSITION\":0,\"NORMAL\":1,\"JOINTS_0\":2,\"JOINTS_1\":3,\"WEIGHTS_0\":4,"
               "\"WEIGHTS_1\":5}");
    // 1: 0.5, 0: 0.25, 1: 0.25, 1: 0 is 1: 0.75, 0: 0.25.
    const double joints[] = {1, 0, 0, 0}, weights[] = {0.75, 0.25, 0, 0};
    for (uint32_t c = 0; c < 4; c++) {
        CHECK_VALUE(2, 0, c, joints[c]);
        CHECK_VALUE(3, 0, c, 0);
        CHECK_VALUE(4, 0, c, weights[c]);
        CHECK_VALUE(5, 0, c, 0);
    }
    // The last vertex has a half in each set.
    CHECK_VALUE(4, 2, 1, 0.5);
    CHECK_VALUE(3, 2, 0, 1);
    CHECK_VALUE(5, 2, 0, 0.5);
    CHECK(k.loss_count == 1);  // Its position.
    done();
}

TEST(many_joints_need_two_bytes)
{
    for (uint32_t count = 256; count <= 257; count++) {
        start(make_skinned);
        uint32_t joints[257];
        for (uint32_t i = 0; i < count; i++) joints[i] = tn_add_node(&b, str("j"), 0);
        b.scene->nodes[2].skin = add_skin(&b, joints, count);
        b.scene->meshes[0].primitives->joints[4] = (uint16_t)(count - 1);
        make_glb(b.scene, &k, &g);
        CHECK(number_at(&g, "accessors.2.componentType") == (count == 256 ? 5121 : 5123));
        CHECK_VALUE(2, 1, 0, count - 1);
        CHECK(lost_count(&k, "skins") == 1);
        done();
    }
}

TEST(weights_add_up_to_one)
{
    start(make_skinned);
    float *weights = b.scene->meshes[0].primitives->weights;
    const float off[] = {0.333333f, 0.333333f, 0.33334f, 0};  // 1.000006
    uint16_t *joints = b.scene->meshes[0].primitives->joints;
    memcpy(weights, off, sizeof off);
    for (uint16_t i = 0; i < 3; i++) joints[i] = i;
    uint32_t extra = tn_add_node(&b, str("toe"), 1);
    b.scene->nodes[2].skin = add_skin(&b, (const uint32_t[]){0, 1, extra}, 3);
    make_glb(b.scene, &k, &g);
    double sum = 0;
    for (uint32_t c = 0; c < 4; c++) sum += value_of(&g, 3, 0, c);
    CHECK(fabs(sum - 1) < 1e-7);
    done();
}

// -- Transforms

// The matrix of a node of the file, below `parent`, which has 16 numbers.
static void node_matrix(const char *path, const double *parent, double *out)
{
    char member[64];
    double t[3] = {0}, r[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1}, m[16] = {[15] = 1};
    snprintf(member, sizeof member, "%s.translation", path);
    (void)tn_json_tree_f64s(look(&g, member), t, 3);
    snprintf(member, sizeof member, "%s.rotation", path);
    (void)tn_json_tree_f64s(look(&g, member), r, 4);
    snprintf(member, sizeof member, "%s.scale", path);
    (void)tn_json_tree_f64s(look(&g, member), s, 3);
    double x = r[0], y = r[1], z = r[2], w = r[3];
    const double turn[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y + z * w),     2 * (x * z - y * w),
        2 * (x * y - z * w),     1 - 2 * (x * x + z * z), 2 * (y * z + x * w),
        2 * (x * z + y * w),     2 * (y * z - x * w),     1 - 2 * (x * x + y * y)};
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++) m[4 * c + i] = turn[3 * c + i] * s[c];
    for (int i = 0; i < 3; i++) m[12 + i] = t[i];
    for (int c = 0; c < 4; c++)
        for (int i = 0; i < 4; i++) {
            out[4 * c + i] = 0;
            for (int n = 0; n < 4; n++) out[4 * c + i] += parent[4 * n + i] * m[4 * c + n];
        }
}

TEST(a_sheared_matrix_is_two_nodes)
{
    static const double one[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    start(make_matrices);
    make_glb(b.scene, &k, &g);
    const char *outer[] = {"nodes.0", "nodes.2", "nodes.4"}, *inner[] = {"nodes.6", "", "nodes.7"};
    for (uint32_t n = 0; n < 3; n++) {
        double m[16], whole[16];
        node_matrix(outer[n], one, m);
        if (*inner[n])
            node_matrix(inner[n], m, whole);
        else
            memcpy(whole, m, sizeof m);
        for (int i = 0; i < 16; i++) CHECK(fabs(whole[i] - b.scene->nodes[2 * n].matrix[i]) < 1e-6);
    }
    // The mesh and the child are below both.
    CHECK_TEXT("nodes.0.children", "[6]");
    CHECK_TEXT("nodes.6.mesh", "0");
    CHECK_TEXT("nodes.6.children", "[1]");
    CHECK_TEXT("nodes.2.mesh", "0");
    CHECK(!strstr(g.text, "\"matrix\":"));
    CHECK(lost_count(&k, "nodes") == 2);
    done();
}

TEST(identity_transforms_are_not_written)
{
    start(NULL);
    for (int i = 0; i < 2; i++) tn_add_node(&b, str("n"), TENON_NONE);
    tenon_node *n = &b.scene->nodes[1];
    n->translation[2] = -0.0;
    n->rotation[0] = n->rotation[3] = 0.70710678118654752;
    n->scale[1] = -2;
    make_glb(b.scene, &k, &g);
    CHECK_TEXT("nodes.0", "{\"name\":\"n\"}");
    CHECK_TEXT("nodes.1", "{\"name\":\"n\",\"rotation\":[0.70710677,0,0,0.70710677],"
                          "\"scale\":[1,-2,1]}");
    done();
}

// -- Animations

TEST(equal_keys_are_kept_once)
{
    start(NULL);
    for (uint32_t i = 0; i < 3; i++) add_clip(&b, "c", tn_add_node(&b, str("n"), TENON_NONE), 5);
    b.scene->animations[2].channels[0].values[4] = 7;
    make_glb(b.scene, &k, &g);
    CHECK_TEXT("animations.0.samplers", "[{\"input\":0,\"output\":1}]");
    CHECK_TEXT("animations.1.samplers", "[{\"input\":0,\"output\":1}]");
    CHECK_TEXT("animations.2.samplers", "[{\"input\":0,\"output\":2}]");
    CHECK_TEXT("accessors.0.min", "[0]");
    CHECK_TEXT("accessors.0.max", "[4]");
    CHECK_VALUE(2, 1, 1, 7);
    done();
}

TEST(curves_of_all_kinds)
{
    start(make_curves);
    make_glb(b.scene, &k, &g);
    // A cubic curve of one key keeps its value.
    CHECK_TEXT("animations.0.samplers",
               "[{\"input\":0,\"output\":1},{\"input\":0,\"interpolation\":\"STEP\",\"output\":2},"
               "{\"input\":3,\"output\":4}]");
    CHECK_VALUE(4, 0, 1, 2);
    CHECK_TEXT("accessors.4.count", "1");
    CHECK_TEXT("animations.0.extras", "{\"events\":[{\"time\":0.75,\"name\":\"boing\"}]}");
    // The second clip ends at 2.5, where its last key is held.
    CHECK_TEXT("accessors.5.max", "[2.5]");
    CHECK_VALUE(5, 1, 0, 1);
    CHECK_VALUE(5, 2, 0, 2.5);
    CHECK_VALUE(6, 1, 1, 1);
    CHECK_VALUE(6, 2, 1, 1);
    CHECK(k.loss_count == 0);
    done();
}

TEST(a_cubic_curve_that_is_longer_than_its_keys_holds_its_last_value)
{
    start(make_curves);
    tenon_animation *a = &b.scene->animations[0];
    a->duration = 2;
    for (int i = 0; i < 9; i++) a->channels[2].values[i] = (float)(i + 1);
    make_glb(b.scene, &k, &g);
    CHECK_TEXT("animations.0.samplers.2",
               "{\"input\":3,\"interpolation\":\"CUBICSPLINE\",\"output\":4}");
    const double want[] = {1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0, 4, 5, 6, 0, 0, 0};
    CHECK_TEXT("accessors.4.count", "6");
    for (uint32_t i = 0; i < 18; i++) CHECK_VALUE(4, i / 3, i % 3, want[i]);
    done();
}

// -- Materials, cameras, lights, extras

TEST(materials_have_only_what_is_not_the_default)
{
    start(make_materials);
    b.scene->materials[1].is_unlit = false;
    make_glb(b.scene, &k, &g);
    CHECK_TEXT("materials.0", "{\"name\":\"plain\"}");
    CHECK_TEXT("materials.1",
               "{\"name\":\"rich\",\"pbrMetallicRoughness\":{"
               "\"baseColorFactor\":[0.5,0.25,1,0.75],\"baseColorTexture\":{\"index\":0},"
               "\"metallicFactor\":0,\"roughnessFactor\":0.125,"
               "\"metallicRoughnessTexture\":{\"index\":1}},"
               "\"normalTexture\":{\"index\":2,\"texCoord\":1,\"scale\":0.5},"
               "\"occlusionTexture\":{\"index\":1,\"strength\":0.5},"
               "\"emissiveTexture\":{\"index\":3,\"extensions\":{\"KHR_texture_transform\":{"
               "\"offset\":[0.5,0],\"rotation\":0.25,\"scale\":[1,2]}}},"
               "\"alphaMode\":\"MASK\",\"alphaCutoff\":0.25,\"doubleSided\":true,"
               "\"emissiveFactor\":[0,0.5,1],\"extensions\":{\"KHR_materials_emissive_strength\":{"
               "\"emissiveStrength\":4}},\"extras\":{\"specularTexture\":\"a%20b.png\","
               "\"displacementTexture\":\"sub/c.JPG\",\"lightMapTexture\":\"a%20b.png\"}}");
    CHECK_TEXT("materials.2", "{\"name\":\"old\",\"pbrMetallicRoughness\":{\"metallicFactor\":0},"
                              "\"alphaMode\":\"BLEND\",\"extras\":{\"specular\":[0.5,0,0],"
                              "\"shininess\":32}}");
    CHECK_TEXT("textures", "[{\"sampler\":0,\"source\":0},{\"source\":1},"
                           "{\"sampler\":1,\"source\":0},{\"source\":0}]");
    CHECK_TEXT("samplers", "[{\"wrapS\":33071},{\"wrapT\":33648}]");
    CHECK_TEXT("images", "[{\"uri\":\"sub/c.JPG\"},{\"uri\":\"a%20b.png\"}]");
    CHECK_TEXT("extensionsUsed", "[\"KHR_materials_emissive_strength\",\"KHR_texture_transform\"]");
    done();
}

TEST(a_mesh_without_coordinates_has_a_material_without_textures)
{
    start(make_materials);
    make_glb(b.scene, &k, &g);
    // The fourth mesh has no second set, which the normal texture of its material uses.
    CHECK_TEXT("meshes.3.primitives.0.material", "3");
    CHECK_TEXT("materials.3.name", "\"rich\"");
    CHECK_TEXT("materials.3.normalTexture", "");
    CHECK_TEXT("materials.3.occlusionTexture.index", "1");
    CHECK_TEXT("materials.3.extras.normalTexture", "\"sub/c.JPG\"");
    CHECK(lost_count(&k, "textures") == 1);
    // The second mesh has normals, but no tangents: they are generated. u grows along x, v down.
    uint32_t tangents = number_at(&g, "meshes.1.primitives.0.attributes.TANGENT");
    CHECK(lost_count(&k, "tangents") == 3);
    for (uint32_t i = 0; i < 3; i++) {
        const double want[] = {1, 0, 0, 1};
        for (uint32_t c = 0; c < 4; c++) CHECK_VALUE(tangents, i, c, want[c]);
    }
    done();
}

TEST(a_picture_that_is_lost_needs_no_tangents)
{
    start(make_materials);
    uint32_t image = b.scene->materials[1].textures[TENON_SLOT_NORMAL].image;
    b.scene->images[image].path = str("normals.tga");
    make_glb(b.scene, &k, &g);
    CHECK_TEXT("materials.1.normalTexture", "");
    CHECK_TEXT("meshes.1.primitives.0.attributes.TANGENT", "");
    CHECK_TEXT("materials.1.extras.normalTexture", "\"normals.tga\"");
    CHECK(lost_count(&k, "tangents") == 0 && lost_count(&k, "pictures") == 1);
    done();
}

TEST(mirrored_coordinates_have_tangents_of_the_other_sign)
{
    start(make_materials);
    float *uvs = b.scene->meshes[1].primitives->uvs[1];
    for (int i = 0; i < 3; i++) uvs[2 * i] = -uvs[2 * i];
    make_glb(b.scene, &k, &g);
    uint32_t tangents = number_at(&g, "meshes.1.primitives.0.attributes.TANGENT");
    CHECK_VALUE(tangents, 0, 0, -1);
    CHECK_VALUE(tangents, 0, 3, -1);
    done();
}

TEST(cameras_and_lights)
{
    start(make_views);
    make_glb(b.scene, &k, &g);
    CHECK_TEXT("cameras.0", "{\"name\":\"view\",\"type\":\"perspective\",\"perspective\":{"
                            "\"yfov\":0.7853981633974483,\"znear\":0.1}}");
    CHECK_TEXT("cameras.1", "{\"name\":\"view\",\"type\":\"orthographic\",\"orthographic\":{"
                            "\"xmag\":1,\"ymag\":1,\"znear\":0.1,\"zfar\":1000000.2}}");
    CHECK_TEXT("cameras.2.perspective", "{\"yfov\":0.7853981633974483,\"aspectRatio\":1.5,"
                                        "\"znear\":1e-6,\"zfar\":100}");
    CHECK(lost_count(&k, "cameras") == 2);
    CHECK_TEXT("nodes.1", "{\"name\":\"eye\",\"camera\":1,\"extensions\":{"
                          "\"KHR_lights_punctual\":{\"light\":1}}}");
    CHECK_TEXT("extensions.KHR_lights_punctual.lights",
               "[{\"name\":\"sun\",\"type\":\"directional\"},"
               "{\"name\":\"sun\",\"type\":\"point\",\"color\":[1,0.25,0.25],\"intensity\":4,"
               "\"range\":10},"
               "{\"name\":\"sun\",\"type\":\"spot\",\"spot\":{\"innerConeAngle\":0.5,"
               "\"outerConeAngle\":1.5707963267948966}}]");
    CHECK_TEXT("extensionsUsed", "[\"KHR_lights_punctual\"]");
    done();
}

TEST(extras_are_found_again)
{
    start(make_extras);
    make_glb(b.scene, &k, &g);
    CHECK_TEXT("scenes.0", "{\"name\":\"hall\",\"nodes\":[0,1],"
                           "\"extras\":{\"author\":\"me \\\"and\\\" you\"}}");
    CHECK_TEXT("nodes.1.extras", "{\"tag\":\"old\"}");
    CHECK_TEXT("meshes.0.extras", "{\"collision_shape\":\"box/1/2/1\"}");
    CHECK_TEXT("materials.0.extras", "{\"shader\":\"flat\"}");
    CHECK_TEXT("animations.0.extras",
               "{\"events\":[{\"time\":0.75,\"name\":\"boing\"}],\"loop\":\"yes\"}");
    CHECK(lost_count(&k, "extras") == 3);
    done();
}

int main(void)
{
    RUN(a_triangle_is_these_bytes);
    RUN(an_empty_scene_has_no_second_chunk);
    RUN(json_has_its_bytes_beside_it);
    RUN(the_same_scene_gives_the_same_bytes);
    RUN(primitives_that_share_vertices_share_accessors);
    RUN(indices_are_short_where_they_fit);
    RUN(bounds_are_those_of_the_floats);
    RUN(colors_are_bytes_if_that_is_exact);
    RUN(gaps_between_sets_are_filled);
    RUN(what_cannot_be_drawn_is_left_out);
    RUN(a_skinned_mesh_moves_to_the_scene_root);
    RUN(inverse_bind_matrices_have_a_plain_last_row);
    RUN(a_skinned_mesh_at_the_scene_root_stays);
    RUN(a_node_that_is_needed_keeps_its_place_without_the_mesh);
    RUN(joints_get_a_common_root_and_are_unique);
    RUN(more_influences_take_more_sets);
    RUN(many_joints_need_two_bytes);
    RUN(weights_add_up_to_one);
    RUN(a_sheared_matrix_is_two_nodes);
    RUN(identity_transforms_are_not_written);
    RUN(equal_keys_are_kept_once);
    RUN(curves_of_all_kinds);
    RUN(a_cubic_curve_that_is_longer_than_its_keys_holds_its_last_value);
    RUN(materials_have_only_what_is_not_the_default);
    RUN(a_mesh_without_coordinates_has_a_material_without_textures);
    RUN(a_picture_that_is_lost_needs_no_tangents);
    RUN(mirrored_coordinates_have_tangents_of_the_other_sign);
    RUN(cameras_and_lights);
    RUN(extras_are_found_again);
    TEST_END();
}
