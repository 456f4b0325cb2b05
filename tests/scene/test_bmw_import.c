// test_bmw_import.c: the import of BMW.
// SPDX-License-Identifier: MIT
//
// Given files, it compares those with their documents instead: test_bmw_import FILE.bmw...

#define _DEFAULT_SOURCE

#include "bmw_small_help.h"

#define SAMPLES  "samples/"
#define FIXTURES "tests/fixtures/bmw/"

// -- The crane

TEST(the_crane_is_where_its_frames_have_it)
{
    bmw_made m = make_file(SAMPLES "crane.bmw");
    CHECK(file_distance(&m, SAMPLES "crane.bmw") < 1e-6);
    made_free(&m);
}

TEST(clips_come_from_the_sidecar)
{
    bmw_made m = make_file(SAMPLES "crane.bmw");
    const tenon_scene *s = m.scene;
    CHECK(s->animation_count == 3);
    CHECK(find_clip(s, "rest") == 0 && find_clip(s, "travel") == 1 && find_clip(s, "lift") == 2);
    CHECK(s->animations[0].duration == 0.05);
    CHECK(s->animations[1].duration == 2.0);  // Ticks 2 to 42, 20 a second.
    CHECK(s->animations[2].duration == 1.5);
    CHECK(has_extra(s, TENON_EXTRA_OF_SCENE, 0, "defaultAnim", "rest"));
    CHECK(has_extra(s, TENON_EXTRA_OF_ANIMATION, 0, "hold", "true"));
    CHECK(has_extra(s, TENON_EXTRA_OF_ANIMATION, 1, "loop", "true"));
    CHECK(!has_extra(s, TENON_EXTRA_OF_ANIMATION, 1, "hold", "true"));
    CHECK(s->extra_count == 4);
    made_free(&m);
}

TEST(joints_have_no_hierarchy_and_share_the_times_of_their_keys)
{
    bmw_made m = make_file(SAMPLES "crane.bmw");
    const tenon_scene *s = m.scene;
    CHECK(s->skin_count == 1 && s->skins[0].joint_count == 18);  // One of 19 has no weights.
    for (uint32_t i = 0; i < s->skins[0].joint_count; i++) {
        const float *bind = s->skins[0].inverse_binds + 16 * (size_t)i;
        for (int k = 0; k < 16; k++) CHECK(bind[k] == (k % 5 == 0));
        CHECK(s->nodes[s->skins[0].joints[i]].parent == s->skins[0].root);
    }
    const tenon_animation *travel = &s->animations[1];
    for (uint32_t i = 0; i < travel->channel_count; i++) {
        CHECK(travel->channels[i].times == travel->channels[0].times);
        CHECK(travel->channels[i].key_count == 1 || travel->channels[i].key_count == 41);
    }
    // The tree is there as well, under other names.
    uint32_t tree = find_node(s, "girder_rest");
    CHECK(tree != TENON_NONE && find_node(s, "girder") != TENON_NONE);
    CHECK(tree == TENON_NONE || s->nodes[tree].parent != s->skins[0].root);
    made_free(&m);
}

// The color of the crane's DDS file at a point of the scene's texture, from the top left; its rows
// are stored from the bottom up.
static int brightness(const blob *dds, double u, double v)
{
    size_t x = (size_t)(u * 64), y = 63 - (size_t)(v * 64);
    const uint8_t *bgra = dds->data + 128 + 4 * (64 * y + x);
    return bgra[0] + bgra[1] + bgra[2];
}

// Where on the texture a point of the sign is, `right` and `up` from 0 to 1 across it.
static void place_on_texture(const tenon_primitive *p, const uint32_t *corners, double right,
                             double up, double uv[2])
{
    double x[3], y[3];  // Of three corners, from the lower left one.
    for (int i = 0; i < 3; i++) {
        x[i] = p->positions[3 * (size_t)corners[i]],
        y[i] = p->positions[3 * (size_t)corners[i] + 1];
    }
    double left = fmin(x[0], fmin(x[1], x[2])), width = fmax(x[0], fmax(x[1], x[2])) - left;
    double low = fmin(y[0], fmin(y[1], y[2])), height = fmax(y[0], fmax(y[1], y[2])) - low;
    double px = left + right * width, py = low + up * height;
    double area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
    double b = ((px - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (py - y[0])) / area;
    double c = ((x[1] - x[0]) * (py - y[0]) - (px - x[0]) * (y[1] - y[0])) / area;
    for (size_t k = 0; k < 2; k++)
        uv[k] = (1 - b - c) * p->uvs[0][2 * (size_t)corners[0] + k] +
                b * p->uvs[0][2 * (size_t)corners[1] + k] +
                c * p->uvs[0][2 * (size_t)corners[2] + k];
}

TEST(the_letter_on_the_sign_is_readable)
{
    bmw_made m = make_file(SAMPLES "crane.bmw");
    blob dds = blob_load(SAMPLES "crane.dds");
    const tenon_primitive *p = m.scene->meshes[0].primitives;
    CHECK(m.scene->image_count == 1 && is_text(m.scene->images[0].path, "crane.dds"));
    CHECK(m.scene->images[0].flip_y);
    uint32_t found = 0;
    for (uint32_t i = 144; i < 156; i++) {  // The triangles of girder_sign in truth.json.
        const uint32_t *corners = p->indices + 3 * (size_t)i;
        if (p->normals[3 * (size_t)corners[0] + 2] < 0.9f || found++) continue;
        double stem[2], bar[2], gap[2];
        place_on_texture(p, corners, 0.28, 0.3, stem);
        place_on_texture(p, corners, 0.6, 0.88, bar);
        place_on_texture(p, corners, 0.6, 0.25, gap);
        // Black, black, and white to the lower right: no other orientation is an F.
        CHECK(brightness(&dds, stem[0], stem[1]) < 200);
        CHECK(brightness(&dds, bar[0], bar[1]) < 200);
        CHECK(brightness(&dds, gap[0], gap[1]) > 500);
    }
    CHECK(found == 2);
    blob_free(&dds);
    made_free(&m);
}

// -- Frames

TEST(frames_that_rotate_and_move_are_interpolated)
{
    // Half a turn about z, scaled by 2.
    const rows turned = {{-2, 0, 0, 0, 0, -2, 0, 0, 0, 0, 2, 4}};
    const small parts = {.is_weighted = true,
                         .hip = "hip",
                         .rate = 10,
                         .frame_count = 2,
                         .frames = {IDENTITY, turned}};
    bmw_made m = make_with(make_small(&parts), (tenon_scene_opts){0});
    CHECK(m.scene->animation_count == 1 && find_clip(m.scene, "animation") == 0);
    tenon_pose_set(m.pose, 0, 0);
    CHECK(is_at(&m, "top", 1, 1, 0, 0));
    tenon_pose_set(m.pose, 0, 0.1f);
    CHECK(is_at(&m, "top", 1, -2, 0, 4));
    tenon_pose_set(m.pose, 0, 0.1f / 2.0);
    float points[9];
    tenon_pose_skin(m.pose, find_node(m.scene, "top"), 0, points, NULL);
    CHECK(fabs(points[3]) < 1e-6 && fabs(fabs(points[4]) - 1.5) < 1e-6);
    CHECK(fabs(points[5] - 2) < 1e-6);
    CHECK(lost(&m.losses, TENON_APPROXIMATED, "animations[0]", "interpolated") == 1);
    made_free(&m);
}

TEST(a_sheared_frame_is_exact_with_two_nodes)
{
    // x + 0.5 y, moved by 1 along z.
    const rows sheared = {{1, 0.5, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1}};
    const small parts = {.is_weighted = true,
                         .hip = "hip",
                         .rate = 10,
                         .frame_count = 3,
                         .frames = {IDENTITY, sheared, moved(0, 2, 0)}};
    bmw_made m = make_with(make_small(&parts), (tenon_scene_opts){0});
    uint32_t joint = find_node(m.scene, "hip"), outer = find_node(m.scene, "hip_shear");
    CHECK(outer != TENON_NONE && m.scene->nodes[joint].parent == outer);
    const tenon_channel *inner = find_channel(m.scene, 0, joint, TENON_ROTATION);
    CHECK(inner && inner->curve == TENON_STEP && inner->key_count == 3);
    const double times_of[] = {0, 0.1f, 0.15, 0.2f}, x[] = {0, 0.5, 0.5, 0}, y[] = {1, 1, 1, 3};
    const double z[] = {0, 1, 1, 0};
    for (int i = 0; i < 4; i++) {
        tenon_pose_set(m.pose, 0, times_of[i]);
        CHECK(is_at(&m, "top", 2, x[i], y[i], z[i]));
    }
    CHECK(lost(&m.losses, TENON_SYNTHESIZED, "", "two nodes") == 1);
    made_free(&m);
}

TEST(every_shear_and_mirror_is_exact)
{
    uint64_t state = 7;
    for (int round = 0; round < 200; round++) {
        small parts = {.is_weighted = true, .hip = "hip", .rate = 1, .frame_count = 3};
        for (int i = 0; i < 36; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            double value = (double)(float)((double)(state >> 40) / (1 << 23) - 1);
            // Some flattened in one direction, or in two.
            parts.frames[i / 12].m[i % 12] = round % 5 == i % 4 && round % 3 == 0 ? 0 : value;
        }
        bmw_made m = make_with(make_small(&parts), (tenon_scene_opts){0});
        for (int i = 0; i < 3; i++) {
            const double *r = parts.frames[i].m;
            tenon_pose_set(m.pose, 0, i);
            CHECK(is_at(&m, "top", 1, r[0] + r[3], r[4] + r[7], r[8] + r[11]));
            CHECK(is_at(&m, "top", 2, r[1] + r[3], r[5] + r[7], r[9] + r[11]));
        }
        made_free(&m);
    }
}

TEST(a_frame_with_an_invalid_matrix_is_the_next_one)
{
    rows nothing = IDENTITY;
    nothing.m[5] = (double)NAN;
    small parts = {.is_weighted = true,
                   .hip = "hip",
                   .rate = 10,
                   .frame_count = 3,
                   .frames = {nothing, moved(3, 0, 0), nothing}};
    bmw_made m = make_with(make_small(&parts), (tenon_scene_opts){0});
    for (int i = 0; i < 3; i++) {
        tenon_pose_set(m.pose, 0, i / 10.0);
        CHECK(is_at(&m, "top", 1, 4, 0, 0));
    }
    CHECK(lost(&m.losses, TENON_APPROXIMATED, "animations[0].bones[0].frames[0]",
               "next valid one") == 2);
    made_free(&m);
    for (int i = 0; i < 3; i++) parts.frames[i] = nothing;
    m = make_with(make_small(&parts), (tenon_scene_opts){0});
    tenon_pose_set(m.pose, 0, 0);
    CHECK(is_at(&m, "top", 1, 1, 0, 0));
    made_free(&m);
}

TEST(what_does_not_change_has_one_key)
{
    const small parts = {.is_weighted = true,
                         .hip = "hip",
                         .rate = 10,
                         .frame_count = 3,
                         .frames = {moved(1, 0, 0), moved(2, 0, 0), moved(3, 0, 0)}};
    bmw_made m = make_with(make_small(&parts), (tenon_scene_opts){0});
    uint32_t hip = find_node(m.scene, "hip");
    const tenon_channel *t = find_channel(m.scene, 0, hip, TENON_TRANSLATION);
    const tenon_channel *r = find_channel(m.scene, 0, hip, TENON_ROTATION);
    CHECK(t && t->key_count == 3 && r && r->key_count == 1);
    CHECK(!find_channel(m.scene, 0, hip, TENON_SCALE));
    made_free(&m);
}

TEST(a_rate_that_is_not_stored_is_60_or_the_requested_one)
{
    blob file = blob_load(FIXTURES "R2a_full.bmw");
    bmw_made m = make_with(file, (tenon_scene_opts){0});
    CHECK(fabs(m.scene->animations[0].duration - 1 / 60.0) < 1e-8);
    CHECK(lost(&m.losses, TENON_DEFAULTED, "animations[0]", "60") == 2);
    made_free(&m);
    m = make_with(blob_load(FIXTURES "R2a_full.bmw"), (tenon_scene_opts){.rate = 25});
    CHECK(fabs(m.scene->animations[0].duration - 1 / 25.0) < 1e-8);
    made_free(&m);
    m = make_with(blob_load(FIXTURES "R4_full.bmw"), (tenon_scene_opts){.rate = 25});
    CHECK(fabs(m.scene->animations[0].duration - 1 / 24.0) < 1e-8);
    made_free(&m);
}

// -- Nodes and weights

TEST(a_mesh_without_weights_is_where_the_tree_has_it)
{
    const rows place = {
        {0, -3, 0, 10, 3, 0, 0, 20, 0, 0, 3, 30}};  // A quarter turn about z, 3 times.
    const small parts = {.hip = "hip", .box = place};
    bmw_made m = make_with(make_small(&parts), (tenon_scene_opts){0});
    CHECK(is_at(&m, "box", 1, 10, 23, 30) && is_at(&m, "box", 2, 7, 20, 30));
    CHECK(m.scene->skin_count == 0 && m.scene->node_count == 3);
    made_free(&m);
}

TEST(a_mesh_without_weights_moves_with_its_node)
{
    const small parts = {.hip = "hip",
                         .box = moved(0, 0, 7),
                         .rate = 10,
                         .frame_count = 2,
                         .frames = {moved(1, 0, 0), moved(2, 0, 0)},
                         .moves_box = true};
    bmw_made m = make_with(make_small(&parts), (tenon_scene_opts){0});
    CHECK(is_at(&m, "box", 1, 1, 0, 7));
    tenon_pose_set(m.pose, 0, 0.1f);
    CHECK(is_at(&m, "box", 1, 3, 0, 0));
    made_free(&m);
}

TEST(vertices_without_weights_stay)
{
    const small parts = {.is_weighted = true,
                         .hip = "hip",
                         .rate = 10,
                         .frame_count = 1,
                         .frames = {moved(0, 0, 9)}};
    bmw_made m = make_with(make_small(&parts), (tenon_scene_opts){0});
    tenon_pose_set(m.pose, 0, 0);
    CHECK(is_at(&m, "top", 0, 0, 0, 0) && is_at(&m, "top", 1, 1, 0, 9));
    CHECK(lost(&m.losses, TENON_SYNTHESIZED, "meshes[0].vertices[0]", "do not move") == 1);
    made_free(&m);
}

TEST(all_influences_are_kept)
{
    bmw_made m = make_with(blob_load(FIXTURES "R4_influences.bmw"), (tenon_scene_opts){0});
    CHECK(m.scene->mesh_count == 0);  // No node of this fixture shows its mesh.
    CHECK(lost(&m.losses, TENON_DROPPED, "meshes[0]", "not used by any node") == 1);
    static const uint8_t zero[4];
    m.bmw->root.meshes.data = zero, m.bmw->root.meshes.count = 1, m.bmw->root.meshes.size = 4;
    tenon_error err;
    tenon_scene *s = tenon_to_scene(m.doc, NULL, &err);
    CHECK(s && s->mesh_count == 1);
    const tenon_primitive *p = s->meshes[0].primitives;
    CHECK(p->influence_count == 8 &&
          s->skins[0].joint_count == 6);  // Five, and the one that stays.
    double sum = 0;
    for (int i = 16; i < 24; i++) sum += p->weights[i] * p->joints[i];
    CHECK(fabs(sum - (0.125 * 0 + 0.125 * 1 + 0.25 * 2 + 0.25 * 3 + 0.25 * 4)) < 1e-6);
    tenon_scene_free(s);
    made_free(&m);
}

TEST(names_are_those_of_the_file_or_numbers)
{
    const small parts = {.is_weighted = true};
    bmw_made m = make_with(make_small(&parts), (tenon_scene_opts){0});
    CHECK(find_node(m.scene, "node_0") != TENON_NONE && find_node(m.scene, "node_2") != TENON_NONE);
    CHECK(find_node(m.scene, "node_1") != TENON_NONE);
    CHECK(lost(&m.losses, TENON_SYNTHESIZED, "root", "numbered") == 3);
    made_free(&m);
}

TEST(points_replace_unknown_faces)
{
    bmw_made m = make_with(blob_load(FIXTURES "R0_full.bmw"), (tenon_scene_opts){0});
    CHECK(m.scene->mesh_count == 2 && m.scene->meshes[0].primitives[0].mode == TENON_POINTS);
    CHECK(lost(&m.losses, TENON_APPROXIMATED, "meshes[0]", "points") == 2);
    made_free(&m);
}

// -- Textures

TEST(textures_are_named_as_the_engine_looks_for_them)
{
    const small parts = {.hip = "hip", .texture = "maps\\skin.png"};
    bmw_made m = make_beside(&parts, "{\"textureOverrides\": [{\"texture\": \"a/b.jpg\"},"
                                     " {\"texture\": \"c.png\"}]}");
    CHECK(m.scene->material_count == 2 && is_text(m.scene->materials[0].name, "b"));
    CHECK(is_text(m.scene->images[0].path, "a/b.dds") && is_text(m.scene->images[1].path, "c.dds"));
    CHECK(m.scene->materials[0].alpha == TENON_OPAQUE);
    CHECK(m.scene->materials[1].alpha == TENON_MASK);
    made_free(&m);
    scratch_save("skin.png", "", 0);  // Not what the engine looks for, but it exists.
    blob file = make_small(&(small){.hip = "hip", .texture = "skin.png"});
    m = make_with(file, (tenon_scene_opts){.model_path = scratch("n.bmw")});
    CHECK(is_text(m.scene->images[0].path, "skin.png") && !m.scene->images[0].flip_y);
    CHECK(is_text(m.scene->materials[1].name, "untextured"));
    made_free(&m);
}

// A vertex always has texture coordinates and a color: white, and 0 0 without a texture, mean
// nothing.
TEST(coordinates_without_a_texture_are_left_out)
{
    for (int is_textured = 0; is_textured < 2; is_textured++)
        for (int has_places = 0; has_places < 2; has_places++) {
            blob file = make_small(&(small){.hip = "hip", .texture = is_textured ? "a.dds" : NULL});
            for (size_t i = 0; i + 8 <= file.size; i++)
                if (!has_places && memcmp(file.data + i, "\0\0\x80\x3e\0\0\x80\x3e", 8) == 0)
                    memset(file.data + i, 0, 8);  // 0.25, 0.25
            bmw_made m = make_with(file, (tenon_scene_opts){.model_path = scratch("p.bmw")});
            const tenon_primitive *p = &m.scene->meshes[0].primitives[0];
            CHECK((p->uvs[0] != NULL) == (is_textured || has_places));
            CHECK(p->colors[0] == NULL);
            if (p->uvs[0]) CHECK(p->uvs[0][0] == (has_places ? 0.25f : 0));
            if (p->uvs[0]) CHECK(p->uvs[0][1] == (has_places ? 0.75f : 1));
            made_free(&m);
        }
}

// -- What may go wrong

// A scene of whatever this is; it is valid, or there is none.
static void try_bytes(const blob *file)
{
    tenon_error err;
    tenon_doc *doc = tenon_read(file->data, file->size, NULL, NULL);
    tenon_scene *scene = doc ? tenon_to_scene(doc, NULL, &err) : NULL;
    if (doc && !scene) CHECK(err.code == TENON_ERR_LIMIT);
    if (scene && !tenon_scene_check(scene, &err)) {
        fprintf(stderr, "%s: %s\n", err.path, err.message);
        test_failures++;
    }
    tenon_scene_free(scene);
    tenon_doc_free(doc);
}

TEST(every_number_may_be_absurd)
{
    static const uint32_t odd[] = {0,          1,          2,          0xffffffff, 0x7fffffff,
                                   0x7fc00000, 0xff800000, 0x7f7fffff, 0x00000001, 0xbf800000};
    static const char *const files[] = {"R4_full", "R2a_full", "R4_influences", "R4_tick_zero"};
    for (size_t f = 0; f < 4; f++) {
        char path[64];
        snprintf(path, sizeof path, FIXTURES "%s.bmw", files[f]);
        blob file = blob_load(path);
        for (size_t at = 32; at + 4 <= file.size; at++)
            for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
                uint8_t old[4];
                memcpy(old, file.data + at, 4);
                for (int i = 0; i < 4; i++) file.data[at + (size_t)i] = (uint8_t)(odd[k] >> 8 * i);
                try_bytes(&file);
                memcpy(file.data + at, old, 4);
            }
        blob_free(&file);
    }
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

// Refuse the first allocation, the second, and so on until there is a scene.
static void starve(const tenon_doc *doc, const char *path)
{
    tenon_scene *scene = NULL;
    tenon_error err;
    for (int fails = 0; !scene && fails < 10000; fails++) {
        int left = fails;
        tenon_scene_opts opts = {.allocator = {count_alloc, count_free, &left}, .model_path = path};
        scene = tenon_to_scene(doc, &opts, &err);
        if (!scene) CHECK(err.code == TENON_ERR_MEMORY);
    }
    CHECK(scene && scene->animation_count > 0);
    tenon_scene_free(scene);
}

TEST(memory_may_run_out_anywhere)
{
    bmw_made m = make_file(SAMPLES "crane.bmw");
    tenon_error err;
    starve(m.doc, SAMPLES "crane.bmw");
    const uint64_t limits[] = {1000, 20000, 60000};
    for (int i = 0; i < 3; i++) {
        tenon_scene_opts opts = {.max_memory = limits[i]};
        CHECK(!tenon_to_scene(m.doc, &opts, &err) && err.code == TENON_ERR_LIMIT);
    }
    made_free(&m);
    save_walk();
    m = make_beside(&(small){.is_weighted = true, .hip = "hip"},
                    "{\"clips\": [{\"name\": \"walk\", \"file\": \"walk.bmw\"}]}");
    starve(m.doc, scratch("m.bmw"));
    made_free(&m);
}

TEST(every_fixture_is_where_its_frames_have_it)
{
    static const char *const stems[] = {"R4_full",   "R3_full",       "R2_full",   "R2a_full",
                                        "R1_full",   "R0_full",       "R4_row",    "R3_row",
                                        "R2_column", "document_full", "R1_column", "R4_turned",
                                        "R2_turned", "R3_static",     "R4_utf8",   "document_row"};
    for (size_t i = 0; i < sizeof stems / sizeof stems[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, FIXTURES "%s.bmw", stems[i]);
        bmw_made m = make_file(path);
        CHECK(file_distance(&m, path) < 1e-6);
        made_free(&m);
    }
}

// -- Files that are given

static void compare_file(const char *path)
{
    bmw_made m = make_file(path);
    if (m.pose) printf("%s: %g\n", path, file_distance(&m, path));
    for (uint32_t i = 0; i < m.losses.count; i++)
        printf("    %s %s: %s x%llu (%s)\n", tenon_loss_word(m.losses.list[i].kind),
               m.losses.list[i].feature, m.losses.list[i].why,
               (unsigned long long)m.losses.list[i].count, m.losses.list[i].path);
    made_free(&m);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) compare_file(argv[i]);
    if (argc > 1) return test_failures != 0;
    scratch_begin();
    RUN(the_crane_is_where_its_frames_have_it);
    RUN(clips_come_from_the_sidecar);
    RUN(joints_have_no_hierarchy_and_share_the_times_of_their_keys);
    RUN(the_letter_on_the_sign_is_readable);
    RUN(frames_that_rotate_and_move_are_interpolated);
    RUN(a_sheared_frame_is_exact_with_two_nodes);
    RUN(every_shear_and_mirror_is_exact);
    RUN(a_frame_with_an_invalid_matrix_is_the_next_one);
    RUN(what_does_not_change_has_one_key);
    RUN(a_rate_that_is_not_stored_is_60_or_the_requested_one);
    RUN(a_mesh_without_weights_is_where_the_tree_has_it);
    RUN(a_mesh_without_weights_moves_with_its_node);
    RUN(vertices_without_weights_stay);
    RUN(all_influences_are_kept);
    RUN(names_are_those_of_the_file_or_numbers);
    RUN(points_replace_unknown_faces);
    RUN(textures_are_named_as_the_engine_looks_for_them);
    RUN(coordinates_without_a_texture_are_left_out);
    RUN(every_number_may_be_absurd);
    RUN(memory_may_run_out_anywhere);
    RUN(every_fixture_is_where_its_frames_have_it);
    scratch_end();
    TEST_END();
}
