// test_modeldata_export.c: scenes exported as ModelData: kinds, meshes, materials, odd scenes.
// SPDX-License-Identifier: MIT

#include "export_help.h"

#include <tenon/modeldata.h>

static const tenon_modeldata *model_of(const written *w)
{
    return tenon_as_modeldata(w->doc);
}

static const tenon_span *array_of(const written *w, uint32_t mesh, uint32_t array)
{
    return &model_of(w)->meshes[mesh].arrays[array];
}

// -- The crane

static void check_crane(const char *path, const char *format, uint32_t clip_count)
{
    tenon_scene *scene = scene_of(path);
    tenon_verify_result r;
    tenon_error err;
    tenon_export_opts opts = {.format = format};
    CHECK(tenon_export_verify(scene, &opts, NULL, &r, &err));
    bool is_same = r.largest < 1e-6 && r.matched == 1 && r.reversed == 0 && !r.by_surface &&
                   r.missing_meshes == 0 && r.clip_count == clip_count;
    if (!is_same) fprintf(stderr, "%s as %s: %g, %u\n", path, format, r.largest, r.clip_count);
    CHECK(is_same);
    tenon_scene_free(scene);
}

TEST(the_crane_moves_as_it_did)
{
    check_crane("samples/crane.glb", "modeldata", 2);
    check_crane("samples/crane.gpb", "modeldata", 2);
    check_crane("samples/crane.bmw", "modeldata", 3);
    check_crane("samples/crane.cea", "modeldata", 2);
    check_crane("samples/crane.bplx", "modeldata", 2);
    check_crane("samples/crane.bbmod", "modeldata", 0);
}

TEST(the_crane_is_static_on_request)
{
    check_crane("samples/crane.glb", "cem", 0);
    check_crane("samples/crane.cea", "cem", 0);
}

static void count_difference(void *user, const tenon_difference *difference)
{
    fprintf(stderr, "%s: %s, %s\n", difference->path, difference->a, difference->b);
    ++*(int *)user;
}

// Everything that a scene of the format has stays, and only the rate is reported.
static void check_nothing_is_lost(const char *path)
{
    tenon_scene *scene = scene_of(path);
    written w;
    uint64_t count = 1;
    int reported = 0;
    write_with(&w, scene, (tenon_export_opts){.format = "modeldata"});
    CHECK(w.is_written && errors_in(w.doc) == 0);
    CHECK(tenon_diff(scene, w.scene, NULL, count_difference, &reported, &count, &w.err) &&
          count == 0);
    for (uint32_t i = 0; i < w.reported.loss_count; i++)
        CHECK_STR(w.reported.losses[i].feature, "rate");
    written_free(&w);
    tenon_scene_free(scene);
}

TEST(a_scene_of_the_format_loses_nothing)
{
    check_nothing_is_lost("samples/crane.cea");
    check_nothing_is_lost("samples/crane.cem");
    check_nothing_is_lost("tests/fixtures/modeldata/current_full.cea");
}

TEST(bytes_are_the_same_on_every_run)
{
    tenon_scene *scene = scene_of("samples/crane.glb");
    check_same_bytes(scene, "cea");
    check_same_bytes(scene, "cem");
    tenon_scene_free(scene);
}

// -- Kinds

TEST(what_cannot_move_is_static)
{
    stage s;
    written w;
    stage_begin(&s);
    stage_triangle(&s, "plate", hand_node(&s.h, "plate", TENON_NONE));
    write_as(&w, &s, "modeldata");
    CHECK(!model_of(&w)->is_animated && model_of(&w)->mesh_count == 1);
    CHECK(array_of(&w, 0, TENON_MODELDATA_WEIGHTS)->size == 0);
    CHECK(lost(&w.reported, TENON_DROPPED, "names of meshes") == 1);
    CHECK(lost(&w.reported, TENON_SYNTHESIZED, "tangents") == 3);
    CHECK(is_same_pose(&w));
    written_free(&w);
    write_as(&w, &s, "cea");
    CHECK(model_of(&w)->is_animated && model_of(&w)->joint_count == 1);
    CHECK(text_is(model_of(&w)->joints[0].name, "root") && is_same_pose(&w));
    CHECK(lost(&w.reported, TENON_SYNTHESIZED, "joints") == 1);
    written_free(&w);
    stage_end(&s);
}

TEST(an_animated_scene_can_be_made_static)
{
    stage s;
    limb l = {.joints = {1}};
    written w;
    float times[] = {0, 1}, values[] = {1, 2, 3, 4, 5, 6};
    stage_begin(&s);
    uint32_t node = hand_node(&s.h, "skinned", TENON_NONE);
    stage_move(&s, hand_node(&s.h, "bone", TENON_NONE), 5, 0, 0);
    stage_skin(&s, &l, node, 1);
    hand_clip(&s.h, "go", 1);
    hand_channel(&s.h, 1, TENON_TRANSLATION, 2, times, values);
    write_as(&w, &s, "cem");
    CHECK(!model_of(&w)->is_animated);
    CHECK(HOLDS(array_of(&w, 0, TENON_MODELDATA_VERTICES), 0, 5, 0, 0, 6, 0, 0, 5, 2, 0));
    CHECK(lost(&w.reported, TENON_DROPPED, "animations") == 1);
    CHECK(lost(&w.reported, TENON_DROPPED, "skins") == 1);
    CHECK(lost(&w.reported, TENON_DROPPED, "nodes") == 1);
    CHECK_STR(lost_at(&w.reported, "nodes"), "nodes[1]");
    written_free(&w);
    stage_end(&s);
}

TEST(old_releases_get_their_sizes)
{
    stage s;
    written w;
    tenon_material m;
    stage_begin(&s);
    plain_material(&m, "paint");
    s.h.scene.materials = &m;
    s.h.scene.material_count = 1;
    stage_triangle(&s, "plate", hand_node(&s.h, "plate", TENON_NONE))->material = 0;
    write_with(&w, &s.h.scene, (tenon_export_opts){.format = "modeldata", .dialect = "legacy"});
    CHECK(w.is_written && model_of(&w)->meshes[0].material_size == 4 * 62);
    written_free(&w);
    stage_end(&s);
}

// -- Meshes

TEST(nodes_go_into_the_vertices)
{
    stage s;
    written w;
    stage_begin(&s);
    uint32_t top = hand_node(&s.h, "top", TENON_NONE), node = hand_node(&s.h, "plate", top);
    stage_move(&s, top, 10, 0, 0);
    stage_scale(&s, node, 2, 3, 4);
    stage_triangle(&s, "plate", node);
    write_as(&w, &s, "cem");
    CHECK(HOLDS(array_of(&w, 0, TENON_MODELDATA_VERTICES), 0, 10, 0, 0, 12, 0, 0, 10, 6, 0));
    CHECK(HOLDS(array_of(&w, 0, TENON_MODELDATA_NORMALS), 0, 0, 0, 1));
    CHECK(HOLDS(array_of(&w, 0, TENON_MODELDATA_TANGENTS), 0, 1, 0, 0));
    CHECK(HOLDS(array_of(&w, 0, TENON_MODELDATA_TEXTURE_COORDINATES), 0, 0, 1, 1, 1, 0, 0.75f));
    CHECK(lost(&w.reported, TENON_DROPPED, "nodes") == 2 && is_same_pose(&w));
    written_free(&w);
    stage_end(&s);
}

static void check_indices(const written *w, uint32_t second, uint32_t third)
{
    const tenon_span *indices = array_of(w, 0, TENON_MODELDATA_INDICES);
    CHECK(indices->count == 3 && tn_span_u32(indices, 0) == 0);
    CHECK(tn_span_u32(indices, 1) == second && tn_span_u32(indices, 2) == third);
}

// The texture of the triangle is upside down, until it is mirrored.
TEST(mirrored_nodes_reverse_triangles)
{
    stage s;
    written w;
    stage_begin(&s);
    uint32_t node = hand_node(&s.h, "plate", TENON_NONE);
    stage_triangle(&s, "plate", node);
    write_as(&w, &s, "cem");
    check_indices(&w, 1, 2);
    CHECK(is_same_pose(&w) && lost(&w.reported, TENON_APPROXIMATED, "sides of tangents") == 3);
    written_free(&w);
    stage_scale(&s, node, -1, 1, 1);
    write_as(&w, &s, "cem");
    check_indices(&w, 2, 1);
    CHECK(is_same_pose(&w) && lost(&w.reported, TENON_APPROXIMATED, "sides of tangents") == 0);
    written_free(&w);
    write_as(&w, &s, "cea");
    check_indices(&w, 2, 1);
    CHECK(is_same_pose(&w));
    written_free(&w);
    stage_end(&s);
}

TEST(mirrored_skins_reverse_triangles)
{
    stage s;
    limb one = {.joints = {2}}, other = {.joints = {3}};
    written w;
    stage_begin(&s);
    uint32_t a = hand_node(&s.h, "a", TENON_NONE), b = hand_node(&s.h, "b", TENON_NONE);
    stage_scale(&s, hand_node(&s.h, "left", TENON_NONE), -1, 1, 1);
    stage_move(&s, hand_node(&s.h, "right", TENON_NONE), 9, 0, 0);
    stage_skin(&s, &one, a, 1);
    stage_skin(&s, &other, b, 1);
    write_as(&w, &s, "modeldata");
    check_indices(&w, 2, 1);
    CHECK(tn_span_u32(array_of(&w, 1, TENON_MODELDATA_INDICES), 1) == 1);
    CHECK(is_same_pose(&w) && lost(&w.reported, TENON_APPROXIMATED, "skins") == 1);
    written_free(&w);
    stage_end(&s);
}

// Readers check whether most joints of the skeleton mirror.
TEST(skins_that_are_not_shown_mirror_nothing)
{
    stage s;
    limb shown = {.joints = {1}}, other = {.joints = {2, 3}};
    written w;
    stage_begin(&s);
    uint32_t node = hand_node(&s.h, "a", TENON_NONE);
    hand_node(&s.h, "bone", TENON_NONE);
    stage_scale(&s, hand_node(&s.h, "left", TENON_NONE), -1, 1, 1);
    stage_scale(&s, hand_node(&s.h, "right", TENON_NONE), -1, 1, 1);
    stage_skin(&s, &other, node, 2);
    stage_skin(&s, &shown, node, 1);
    write_as(&w, &s, "modeldata");
    CHECK(model_of(&w)->joint_count == 4 && is_same_pose(&w));
    written_free(&w);
    stage_end(&s);
}

TEST(parts_become_meshes)
{
    stage s;
    written w;
    tenon_primitive parts[3];
    stage_begin(&s);
    uint32_t node = hand_node(&s.h, "mesh_0", TENON_NONE);
    parts[0] = parts[1] = *stage_triangle(&s, "two", node);
    parts[2] = (tenon_primitive){
        .mode = TENON_TRIANGLES, .material = TENON_NONE, .vertex_count = 2, .positions = corners};
    s.h.meshes[0] =
        (tenon_mesh){.name = hand_text("two"), .primitive_count = 3, .primitives = parts};
    s.h.meshes[s.h.scene.mesh_count++] =
        (tenon_mesh){.name = hand_text("unseen"), .primitive_count = 1, .primitives = parts};
    s.h.nodes[hand_node(&s.h, "again", TENON_NONE)].mesh = 0;
    write_as(&w, &s, "cem");
    CHECK(model_of(&w)->mesh_count == 4);
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "parts of meshes") == 2);
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "shared meshes") == 1);
    CHECK(lost(&w.reported, TENON_DROPPED, "meshes") == 1);
    CHECK_STR(lost_at(&w.reported, "meshes"), "meshes[1]");
    written_free(&w);
    stage_end(&s);
}

TEST(streams_that_cannot_be_held_are_reported)
{
    stage s;
    written w;
    float colors[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    stage_begin(&s);
    tenon_primitive *p = stage_triangle(&s, "plate", hand_node(&s.h, "plate", TENON_NONE));
    p->colors[0] = colors;
    p->uvs[1] = corner_uvs;
    write_as(&w, &s, "cem");
    CHECK(lost(&w.reported, TENON_DROPPED, "vertex colors") == 1);
    CHECK(lost(&w.reported, TENON_DROPPED, "further texture coordinates") == 1);
    written_free(&w);
    stage_end(&s);
}

// -- Materials

// A scene with one triangle, its material and a picture.
typedef struct painted {
    stage s;
    tenon_material material;
    tenon_image image;
    tenon_extra extras[8];
} painted;

static void painted_begin(painted *p)
{
    stage_begin(&p->s);
    stage_triangle(&p->s, "plate", hand_node(&p->s.h, "plate", TENON_NONE))->material = 0;
    plain_material(&p->material, "material_0");
    p->image = (tenon_image){.name = hand_text("brick"), .path = hand_text("brick.png")};
    p->s.h.scene.materials = &p->material;
    p->s.h.scene.material_count = 1;
    p->s.h.scene.images = &p->image;
    p->s.h.scene.image_count = 1;
    p->s.h.scene.extras = p->extras;
}

static void painted_extra(painted *p, tenon_extra_of of, const char *name, const char *value)
{
    p->extras[p->s.h.scene.extra_count++] =
        (tenon_extra){.of = of, .name = hand_text(name), .value = hand_text(value)};
}

TEST(defaults_of_the_engine_are_not_stored)
{
    painted p;
    written w;
    painted_begin(&p);
    for (int i = 0; i < 3; i++) p.material.specular[i] = (double)0.2f;
    p.material.shininess = 10;
    write_as(&w, &p.s, "cem");
    const tenon_modeldata_material *m = &model_of(&w)->meshes[0].material;
    CHECK(m->default_diffuse_color == 1 && m->diffuse_color[0] == 1);
    CHECK(m->default_glow_color == 1 && m->glow_color[0] == 1);
    CHECK(m->default_shininess == 1 && m->shininess == 0);
    CHECK(m->default_shine_damping == 1 && m->shine_damping == 0);
    CHECK(m->default_tiling == 1 && m->tiling == 0 && m->default_displacement_factor == 1);
    CHECK(m->maps[0].size == 0 && lost(&w.reported, TENON_DROPPED, "names of materials") == 0);
    written_free(&w);
    stage_end(&p.s);
}

TEST(values_of_materials_are_stored)
{
    painted p;
    written w;
    painted_begin(&p);
    tenon_material *from = &p.material;
    from->base_color[1] = 0.5;
    from->emissive[2] = 0.25;
    from->specular[0] = from->specular[1] = from->specular[2] = 0.75;
    from->shininess = 40;
    from->textures[TENON_SLOT_BASE_COLOR].image = 0;
    from->textures[TENON_SLOT_BASE_COLOR].scale[0] = 3;
    from->textures[TENON_SLOT_BASE_COLOR].scale[1] = 3;
    from->textures[TENON_SLOT_BASE_COLOR].offset[1] = -2;
    from->alpha = TENON_MASK;
    painted_extra(&p, TENON_EXTRA_OF_MATERIAL, "reflection_map", "sky.png");
    painted_extra(&p, TENON_EXTRA_OF_MATERIAL, "displacement_factor", "0.5");
    painted_extra(&p, TENON_EXTRA_OF_MESH, "collision_shape", "box/1/2/1");
    painted_extra(&p, TENON_EXTRA_OF_NODE, "mood", "good");
    write_as(&w, &p.s, "cem");
    const tenon_modeldata_material *m = &model_of(&w)->meshes[0].material;
    CHECK(m->default_diffuse_color == 0 && m->diffuse_color[1] == 0.5f);
    CHECK(m->default_glow_color == 0 && m->glow_color[2] == 0.25f);
    CHECK(m->shininess == 0.75f && m->shine_damping == 40 && m->tiling == 3);
    CHECK(m->displacement_factor == 0.5f && m->default_displacement_factor == 0);
    CHECK(text_is(m->maps[TENON_MODELDATA_DIFFUSE_MAP], "brick.png"));
    CHECK(text_is(m->maps[TENON_MODELDATA_REFLECTION_MAP], "sky.png"));
    CHECK(text_is(model_of(&w)->meshes[0].collision_shape, "box/1/2/1"));
    CHECK(lost(&w.reported, TENON_DROPPED, "extras") == 1);
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "alpha modes") == 0);
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "transforms of textures") == 0);
    written_free(&w);
    stage_end(&p.s);
}

// What the tiling cannot express is in the coordinates: v is 0.5 - 0.25 * v from the bottom.
TEST(transforms_of_textures_go_into_the_coordinates)
{
    painted p;
    written w;
    painted_begin(&p);
    tenon_texture *t = &p.material.textures[TENON_SLOT_BASE_COLOR];
    *t = (tenon_texture){.image = 0, .scale = {2, 0.25}, .offset = {0.125, 0.5}};
    write_as(&w, &p.s, "cem");
    CHECK(HOLDS(array_of(&w, 0, TENON_MODELDATA_TEXTURE_COORDINATES), 0, 0.125f, 0.5f, 2.125f, 0.5f,
                0.125f, 0.4375f));
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "transforms of textures") == 1);
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "alpha modes") == 1);
    written_free(&w);
    stage_end(&p.s);
}

TEST(material_values_that_cannot_be_held_are_reported)
{
    painted p;
    written w;
    painted_begin(&p);
    tenon_material *m = &p.material;
    m->is_classic = false;
    m->double_sided = m->is_unlit = true;
    m->base_color[3] = 0.5;
    m->alpha = TENON_BLEND;
    m->normal_scale = 2;
    m->name = hand_text("paint");
    m->textures[TENON_SLOT_LIGHT_MAP].image = 0;
    m->textures[TENON_SLOT_NORMAL].image = 0;
    m->textures[TENON_SLOT_NORMAL].wrap[0] = TENON_CLAMP;
    m->textures[TENON_SLOT_EMISSIVE].image = 0;
    m->textures[TENON_SLOT_EMISSIVE].offset[0] = 1;
    write_as(&w, &p.s, "cem");
    static const char *const dropped[] = {"metal and roughness",
                                          "double-sided materials",
                                          "unlit materials",
                                          "alpha of base colors",
                                          "strengths of textures",
                                          "names of materials",
                                          "textures",
                                          "edges of textures"};
    for (size_t i = 0; i < sizeof dropped / sizeof dropped[0]; i++)
        CHECK(lost(&w.reported, TENON_DROPPED, dropped[i]) == 1);
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "alpha modes") == 1);
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "places of textures") == 1);
    written_free(&w);
    stage_end(&p.s);
}

TEST(shapes_that_the_engine_cannot_parse_are_dropped)
{
    painted p;
    written w;
    painted_begin(&p);
    painted_extra(&p, TENON_EXTRA_OF_MESH, "collision_shape", "box/1");
    write_as(&w, &p.s, "cem");
    CHECK(model_of(&w)->meshes[0].collision_shape.size == 0);
    CHECK(lost(&w.reported, TENON_DROPPED, "collision shapes") == 1);
    written_free(&w);
    p.extras[0].value = hand_text("sphere/1");
    stage_move(&p.s, 0, 1, 0, 0);
    write_as(&w, &p.s, "cem");
    CHECK(text_is(model_of(&w)->meshes[0].collision_shape, "sphere/1"));
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "collision shapes") == 1);
    written_free(&w);
    stage_end(&p.s);
}

// -- Odd scenes

TEST(an_empty_scene_is_refused_or_a_skeleton)
{
    stage s;
    written w;
    stage_begin(&s);
    write_with(&w, &s.h.scene, (tenon_export_opts){.format = "cem"});
    CHECK(!w.is_written && w.err.code == TENON_ERR_UNSUPPORTED);
    written_free(&w);
    write_as(&w, &s, "cea");
    CHECK(model_of(&w)->joint_count == 1 && model_of(&w)->mesh_count == 0);
    written_free(&w);
    stage_end(&s);
}

TEST(numbers_that_are_too_large_stay_finite)
{
    stage s;
    written w;
    stage_begin(&s);
    uint32_t node = hand_node(&s.h, "plate", TENON_NONE);
    stage_scale(&s, node, 1e39, 1, 1);
    stage_triangle(&s, "plate", node);
    write_as(&w, &s, "cem");
    CHECK(lost(&w.reported, TENON_APPROXIMATED, "numbers") == 1);
    written_free(&w);
    stage_end(&s);
}

TEST(what_has_no_extent_keeps_its_normals)
{
    stage s;
    written w;
    stage_begin(&s);
    uint32_t node = hand_node(&s.h, "plate", TENON_NONE);
    stage_scale(&s, node, 0, 0, 0);
    stage_triangle(&s, "plate", node);
    write_as(&w, &s, "cem");
    CHECK(HOLDS(array_of(&w, 0, TENON_MODELDATA_NORMALS), 0, 0, 0, 1));
    written_free(&w);
    write_as(&w, &s, "cea");
    written_free(&w);
    stage_end(&s);
}

TEST(memory_may_run_out_anywhere)
{
    tenon_scene *scene = scene_of("samples/crane.glb");
    check_export_without_memory(scene, "cea");
    check_export_without_memory(scene, "cem");
    tenon_scene_free(scene);
}

int main(void)
{
    RUN(the_crane_moves_as_it_did);
    RUN(the_crane_is_static_on_request);
    RUN(a_scene_of_the_format_loses_nothing);
    RUN(bytes_are_the_same_on_every_run);
    RUN(what_cannot_move_is_static);
    RUN(an_animated_scene_can_be_made_static);
    RUN(old_releases_get_their_sizes);
    RUN(nodes_go_into_the_vertices);
    RUN(mirrored_nodes_reverse_triangles);
    RUN(mirrored_skins_reverse_triangles);
    RUN(skins_that_are_not_shown_mirror_nothing);
    RUN(parts_become_meshes);
    RUN(streams_that_cannot_be_held_are_reported);
    RUN(defaults_of_the_engine_are_not_stored);
    RUN(values_of_materials_are_stored);
    RUN(transforms_of_textures_go_into_the_coordinates);
    RUN(material_values_that_cannot_be_held_are_reported);
    RUN(shapes_that_the_engine_cannot_parse_are_dropped);
    RUN(an_empty_scene_is_refused_or_a_skeleton);
    RUN(numbers_that_are_too_large_stay_finite);
    RUN(what_has_no_extent_keeps_its_normals);
    RUN(memory_may_run_out_anywhere);
    TEST_END();
}
