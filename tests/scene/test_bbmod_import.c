// test_bbmod_import.c: BBMOD models and animations imported, against an evaluation of the documents
// that shares no code with the library, and against numbers worked out by hand.
// SPDX-License-Identifier: MIT
//
// With arguments, a model and its animations are compared, and losses are reported.

#define _DEFAULT_SOURCE

#include "bbmod_direct.h"
#include "bbmod_import_help.h"

#include <dirent.h>

#define MOMENTS_MOST 24  // Of one clip.

// -- Where the scene has its corners

static void add_scene_element(corner_list *list, const tenon_primitive *p, const float *positions,
                              uint32_t at, uint32_t size)
{
    double *corners = add_element(list);
    for (uint32_t k = 0; k < 9; k++) {
        uint32_t corner = k / 3 < size ? k / 3 : size - 1;
        corners[k] = (double)positions[3 * (size_t)p->indices[at + corner] + k % 3];
    }
}

// Everything has indices; triangles are lists.
static void add_scene_primitive(corner_list *list, const tenon_pose *pose, uint32_t node,
                                uint32_t index, const tenon_primitive *p)
{
    float *positions = malloc(3 * sizeof *positions * p->vertex_count + 1);
    uint32_t size = p->mode == TENON_POINTS ? 1 : p->mode == TENON_TRIANGLES ? 3 : 2;
    uint32_t step = p->mode == TENON_LINE_STRIP ? 1 : size;
    if (!positions) abort();
    tenon_pose_skin(pose, node, index, positions, NULL);
    CHECK(p->indices && p->mode != TENON_TRIANGLE_STRIP && p->mode != TENON_TRIANGLE_FAN);
    for (uint32_t i = 0; p->indices && i + size <= p->index_count; i += step)
        add_scene_element(list, p, positions, i, size);
    free(positions);
}

static corner_list scene_corners(const tenon_scene *scene, const tenon_pose *pose)
{
    corner_list list = {0};
    for (uint32_t n = 0; n < scene->node_count; n++) {
        uint32_t mesh = scene->nodes[n].mesh;
        for (uint32_t i = 0; mesh != TENON_NONE && i < scene->meshes[mesh].primitive_count; i++)
            add_scene_primitive(&list, pose, n, i, &scene->meshes[mesh].primitives[i]);
    }
    return list;
}

// -- Comparing

// Both at the same moments.
typedef struct moments {
    corner_list *ours, *theirs;  // Of the scene, and of the document.
    uint32_t count;
    double diagonal;  // Of the document; the largest.
} moments;

static void add_moment(moments *t, const bbmod_made *m, tenon_pose *pose, direct *d, uint32_t clip,
                       double tics)
{
    const tenon_bbanim *a = clip == TENON_NONE ? NULL : tenon_as_bbanim(m->clips[clip]);
    t->ours = realloc(t->ours, (t->count + 1) * sizeof *t->ours);
    t->theirs = realloc(t->theirs, (t->count + 1) * sizeof *t->theirs);
    if (!t->ours || !t->theirs) abort();
    tenon_pose_set(pose, clip, a ? tics / a->tics_per_second : 0);
    direct_pose(d, a, tics);
    t->ours[t->count] = scene_corners(m->scene, pose);
    t->theirs[t->count++] = direct_corners(d);
}

static void add_clip_moments(moments *t, const bbmod_made *m, tenon_pose *pose, direct *d,
                             uint32_t clip)
{
    const tenon_bbanim *a = tenon_as_bbanim(m->clips[clip]);
    double frames = (double)a->frames.count, last = frames - 1;
    if (a->channel_count) last = a->duration;
    uint32_t count = MOMENTS_MOST;
    if (!a->channel_count && frames < count) count = (uint32_t)frames;
    for (uint32_t i = 0; i < count; i++) {
        double tics = count > 1 ? last * i / (count - 1) : 0;
        add_moment(t, m, pose, d, clip, a->channel_count ? tics : floor(tics));
    }
}

static double diagonal_of(const corner_list *list)
{
    double square = 0;
    for (uint32_t k = 0; k < 3; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (uint32_t i = k; i < 9 * list->count; i += 3) {
            low = fmin(low, list->corners[i]);
            high = fmax(high, list->corners[i]);
        }
        if (list->count) square += (high - low) * (high - low);
    }
    return sqrt(square);
}

// The largest distance between two elements at all moments.
static double apart(const moments *t, uint32_t ours, uint32_t theirs)
{
    double most = 0;
    for (uint32_t i = 0; i < t->count; i++)
        for (int k = 0; k < 9; k += 3) {
            const double *a = t->ours[i].corners + 9 * (size_t)ours + k;
            const double *b = t->theirs[i].corners + 9 * (size_t)theirs + k;
            double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
            most = fmax(most, sqrt(x * x + y * y + z * z));
        }
    return most;
}

// The scene may have them in another order: each element of the document takes the nearest of the
// scene's that is still free. Those of one mesh are neighbors, so the next is tried first.
static double match(const moments *t)
{
    uint32_t count = t->ours[0].count, hint = 0;
    bool *is_taken = calloc(count + 1, 1);
    double most = 0, near = 1e-5 * t->diagonal;
    if (!is_taken) abort();
    for (uint32_t i = 0; i < count; i++) {
        uint32_t best = TENON_NONE;
        double least = HUGE_VAL;
        for (uint32_t k = 0; k < count && least > near; k++) {
            uint32_t at = (hint + k) % count;
            double distance = is_taken[at] ? HUGE_VAL : apart(t, at, i);
            if (distance < least) least = distance, best = at;
        }
        most = fmax(most, least);
        if (best == TENON_NONE) break;
        is_taken[best] = true;
        hint = best + 1;
    }
    free(is_taken);
    return most;
}

// How far the scene is from the documents, as a share of the diagonal.
static double distance_of(const bbmod_made *m)
{
    moments t = {0};
    tenon_error err;
    tenon_pose *pose = tenon_pose_new(m->scene, NULL, &err);
    direct d = direct_begin(m->model);
    add_moment(&t, m, pose, &d, TENON_NONE, 0);
    for (uint32_t i = 0; i < m->clip_count; i++) add_clip_moments(&t, m, pose, &d, i);
    for (uint32_t i = 0; i < t.count; i++) t.diagonal = fmax(t.diagonal, diagonal_of(&t.theirs[i]));
    bool is_whole = t.ours[0].count == t.theirs[0].count;
    double most = is_whole ? match(&t) : HUGE_VAL;
    if (!is_whole)
        fprintf(stderr, "%s: %u elements, not %u\n", m->file, t.ours[0].count, t.theirs[0].count);
    for (uint32_t i = 0; i < t.count; i++) {
        free(t.ours[i].corners);
        free(t.theirs[i].corners);
    }
    free(t.ours);
    free(t.theirs);
    direct_end(&d);
    tenon_pose_free(pose);
    return t.diagonal > 0 ? most / t.diagonal : most;
}

// Whether an animation fits, and is of the same version.
static bool is_companion(const bbmod_made *m, const char *path)
{
    char text[200];
    tenon_doc *doc = open_or_exit(path);
    const tenon_bbanim *a = tenon_as_bbanim(doc);
    bool fits = tenon_relate(doc, m->doc, text, sizeof text) && strstr(text, "fits the model") &&
                a->version_major == m->model->version_major;
    tenon_doc_free(doc);
    return fits;
}

static void add_companions(bbmod_made *m, const char *folder)
{
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        char path[600];
        snprintf(path, sizeof path, "%s%s", folder, entry->d_name);
        // NaNs cannot be compared.
        bool is_odd = !strstr(path, ".bbanim") || strstr(path, "float_bits");
        if (!is_odd && is_companion(m, path)) add_clip(m, path);
    }
    if (dir) closedir(dir);
}

TEST(every_fixture_is_where_its_documents_have_it)
{
    uint32_t models = 0, clips = 0;
    DIR *dir = opendir(MODELS);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        char path[600];
        if (!strstr(entry->d_name, ".bbmod") || strstr(entry->d_name, "float_bits")) continue;
        snprintf(path, sizeof path, MODELS "%s", entry->d_name);
        bbmod_made m = open_model(path);
        add_companions(&m, ANIMATIONS);
        make(&m);
        double distance = distance_of(&m);
        if (!(distance < 1e-6)) fprintf(stderr, "%s: off by %g\n", path, distance);
        CHECK(distance < 1e-6);
        models++, clips += m.clip_count;
        made_free(&m);
    }
    if (dir) closedir(dir);
    CHECK(models == 48 && clips == 101);
    printf("  %u models, %u clips\n", models, clips);
}

// -- Meshes, by hand

// Corners (0 0 0), (2 0 0), (0 1 0.5) of a left-handed file.
TEST(a_triangle_changes_handedness_and_keeps_its_texture)
{
    bbmod_made m = make_file(MODELS "3.4_static.bbmod");
    const tenon_primitive *p = first_primitive(&m);
    const double positions[] = {0, 0, 0, 2, 0, 0, 0, 1, -0.5};
    const double normal[] = {0, -0.4472136, -0.8944272};
    const double uvs[] = {0, 1, 1, 1, 0, 0};
    CHECK(m.scene->mesh_count == 1 && m.scene->node_count == 1 && p->vertex_count == 3);
    CHECK(near_all(p->positions, positions, 9) && near_all(p->uvs[0], uvs, 6));
    for (int i = 0; i < 3; i++) CHECK(near_all(p->normals + 3 * i, normal, 3));
    CHECK(p->index_count == 3 && p->indices[0] == 0 && p->indices[1] == 2 && p->indices[2] == 1);
    // Zero is positive, or its sign would show in bounds.
    CHECK(!signbit(p->positions[2]) && !signbit(p->positions[5]));
    CHECK(is_named(m.scene->materials[p->material].name, "paint"));
    CHECK(lost(&m.losses, TENON_SYNTHESIZED, "handedness", "") == 1);
    made_free(&m);
}

// Bytes 255 128 64, 200 to 202: linear, except the alpha. The sign of the tangent, -1, changes.
TEST(every_attribute_is_imported)
{
    static const char *const files[] = {MODELS "3.4_full.bbmod", MODELS "3.0_full.bbmod",
                                        MODELS "0_full.bbmod"};
    const double color[] = {1, 0.2158605, 0.0512695, 200 / 255.0}, tangent[] = {1, 0, 0, 1};
    for (int i = 0; i < 3; i++) {
        bbmod_made m = make_file(files[i]);
        const tenon_primitive *p = first_primitive(&m);
        CHECK(near_all(p->colors[0], color, 4) && near((double)p->colors[0][11], 202 / 255.0));
        CHECK(near_all(p->tangents, tangent, 4));
        CHECK((p->uvs[1] != NULL) == (i == 0));
        if (i == 0) CHECK(near((double)p->uvs[1][4], 0.5) && near((double)p->uvs[1][5], 0.5));
        if (i < 2) CHECK(lost(&m.losses, TENON_DROPPED, "instance ids", "meshes[0]") == 3);
        if (i < 2)
            CHECK(lost(&m.losses, TENON_APPROXIMATED, "dual-quaternion skinning", "meshes[0]") ==
                  1);
        if (i == 2)
            CHECK(is_named(m.scene->nodes[0].name, "RootNode") && p->material == TENON_NONE);
        made_free(&m);
    }
}

// A bone at (1 0 0), rotated by 45 degrees about Y: mirrored in Z, the rotation is reversed.
TEST(bones_and_offsets_are_mirrored)
{
    bbmod_made m = make_file(MODELS "3.4_full.bbmod");
    const double half = 0.3826834, rest = 0.9238795, c = 0.7071068;
    const tenon_node *bone = &m.scene->nodes[1];
    const tenon_skin *skin = &m.scene->skins[0];
    CHECK(is_named(bone->name, "bone") && bone->is_joint && bone->parent == 0);
    CHECK(near(bone->translation[0], 1) && near(bone->rotation[1], -half) &&
          near(bone->rotation[3], rest));
    // Moves by -1 along X, then rotates back: columns of the inverse of the bone's transform.
    const double bind[] = {c, 0, -c, 0, 0, 1, 0, 0, c, 0, c, 0, -c, 0, c, 1};
    CHECK(skin->joint_count == 1 && skin->joints[0] == 1 &&
          near_all(skin->inverse_binds, bind, 16));
    made_free(&m);
}

// Points, lines, and a strip and a fan of four: two triangles each.
TEST(strips_and_fans_become_lists_of_reversed_winding)
{
    bbmod_made m = make_file(MODELS "3.4_primitives.bbmod");
    const tenon_mesh *mesh = &m.scene->meshes[0];
    static const tenon_mode modes[] = {TENON_POINTS, TENON_LINES, TENON_LINE_STRIP, TENON_TRIANGLES,
                                       TENON_TRIANGLES};
    static const uint32_t counts[] = {1, 2, 3, 6, 6};
    static const uint32_t strip[] = {0, 2, 1, 1, 2, 3}, fan[] = {0, 2, 1, 0, 3, 2};
    CHECK(m.scene->mesh_count == 1 && mesh->primitive_count == 5);
    for (uint32_t i = 0; i < mesh->primitive_count; i++)
        CHECK(mesh->primitives[i].mode == modes[i] && mesh->primitives[i].index_count == counts[i]);
    CHECK(memcmp(mesh->primitives[3].indices, strip, sizeof strip) == 0);
    CHECK(memcmp(mesh->primitives[4].indices, fan, sizeof fan) == 0);
    made_free(&m);
}

// "left" and "right" both show mesh 0, "right" also mesh 1.
TEST(a_mesh_of_two_nodes_is_imported_once)
{
    bbmod_made m = make_file(MODELS "3.4_instances.bbmod");
    const tenon_node *nodes = m.scene->nodes;
    CHECK(m.scene->mesh_count == 2 && m.scene->node_count == 4);
    CHECK(nodes[0].mesh == TENON_NONE && nodes[1].mesh != nodes[2].mesh);
    CHECK(nodes[3].parent == 2 && nodes[3].mesh == nodes[1].mesh &&
          is_named(nodes[3].name, "right"));
    made_free(&m);
}

// A node that shows both a skinned mesh and a rigid one.
TEST(the_skinned_mesh_is_a_child_of_the_node_with_the_rigid_one)
{
    static const uint8_t both[] = {0, 0, 0, 0, 1, 0, 0, 0};
    bbmod_made m = open_model(MODELS "3.4_full.bbmod"),
               plain = open_model(MODELS "3.4_static.bbmod");
    tenon_bbmod_mesh meshes[] = {m.model->meshes[0], plain.model->meshes[0]};
    m.model->meshes = meshes;
    m.model->mesh_count = 2;
    m.model->root.meshes = (tenon_span){both, 8, 2, m.model->root.meshes.layout, false};
    make(&m);
    const tenon_node *nodes = m.scene->nodes;
    CHECK(m.scene->node_count == 3 && m.scene->mesh_count == 2 && m.scene->skin_count == 1);
    CHECK(nodes[0].mesh == 0 && nodes[0].skin == TENON_NONE);
    CHECK(nodes[2].parent == 0 && nodes[2].mesh == 1 && nodes[2].skin == 0);
    CHECK(!m.scene->meshes[0].primitives[0].influence_count);
    CHECK(distance_of(&m) < 1e-6);
    made_free(&m);
    made_free(&plain);
}

// Two triangles that share an edge; one corner differs in the last bit of its texture coordinates.
TEST(corners_with_the_same_bits_are_one_vertex)
{
    static const float corners[6][4] = {{0, 0, 0, 0.5f}, {1, 0, 0, 0.5f}, {0, 1, 0, 0.5f},
                                        {0, 1, 0, 0.5f}, {1, 0, 0, 0},    {1, 1, 0, 0.5f}};
    static const uint32_t numbers[] = {0, 2, 1, 2, 4, 3};
    uint8_t bytes[6 * 32] = {0};
    bbmod_made m = open_model(MODELS "3.4_static.bbmod");
    tenon_span *vertices = &m.model->meshes[0].vertices;
    CHECK(vertices->layout->stride == 32);
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 3; k++) put_f32(bytes + 32 * i + 4 * k, corners[i][k]);
        put_f32(bytes + 32 * i + 24, corners[i][3]);
    }
    vertices->data = bytes;
    vertices->size = sizeof bytes;
    vertices->count = 6;
    make(&m);
    const tenon_primitive *p = first_primitive(&m);
    CHECK(p->vertex_count == 5 && p->index_count == 6);
    CHECK(memcmp(p->indices, numbers, sizeof numbers) == 0);
    made_free(&m);
}

// 40000 vertices that are all different, and each of them twice.
TEST(many_vertices_are_welded_in_their_order)
{
    enum { COUNT = 39999 };
    bbmod_made m = open_model(MODELS "3.4_static.bbmod");
    tenon_span *vertices = &m.model->meshes[0].vertices;
    uint8_t *bytes = calloc(2 * COUNT, 32);
    if (!bytes) abort();
    for (uint32_t i = 0; i < 2 * COUNT; i++) {
        put_f32(bytes + 32 * i, (float)(i % COUNT % 200));
        put_f32(bytes + 32 * i + 4, (float)(i % COUNT / 200));
    }
    vertices->data = bytes;
    vertices->size = 2 * COUNT * 32;
    vertices->count = 2 * COUNT;
    make(&m);
    const tenon_primitive *p = first_primitive(&m);
    CHECK(p->vertex_count == COUNT && p->index_count == 2 * COUNT);
    for (uint32_t i = 0; i < p->vertex_count; i++)
        if (p->positions[3 * i] != (float)(i % 200)) test_failures++;
    made_free(&m);
    free(bytes);
}

// -- Clips, by hand

static const tenon_channel *channel_of(const tenon_scene *scene, const char *node,
                                       tenon_target target)
{
    const tenon_animation *a = &scene->animations[0];
    for (uint32_t i = 0; i < a->channel_count; i++)
        if (a->channels[i].target == target &&
            is_named(scene->nodes[a->channels[i].node].name, node))
            return &a->channels[i];
    return NULL;
}

static bbmod_made make_arm(const char *model, const char *clip)
{
    bbmod_made m = open_model(model);
    add_clip(&m, clip);
    make(&m);
    return m;
}

// Two frames at 10 a second: "upper" rotates from 30 to 60 degrees about Z, which is mirrored, so
// that the rotation stays as it is; "lower" from -20 to 40 about X.
TEST(frames_become_keys)
{
    bbmod_made m = make_arm(MODELS "3.4_skinned.bbmod", ANIMATIONS "3.4_events.bbanim");
    const tenon_animation *a = &m.scene->animations[0];
    const tenon_channel *upper = channel_of(m.scene, "upper", TENON_ROTATION);
    const tenon_channel *lower = channel_of(m.scene, "lower", TENON_ROTATION);
    CHECK(is_named(a->name, "3.4_events.bbanim") && near(a->duration, 0.2));
    CHECK(a->channel_count == 10 && upper && lower && upper->key_count == 2);
    CHECK(near((double)upper->times[1], 0.1) && upper->curve == TENON_LINEAR);
    const double about_z[] = {0, 0, 0.2588190, 0.9659258, 0, 0, 0.5, 0.8660254};
    const double about_x[] = {0.1736482, 0, 0, 0.9848078, -0.3420201, 0, 0, 0.9396926};
    CHECK(near_all(upper->values, about_z, 8) && near_all(lower->values, about_x, 8));
    CHECK(a->event_count == 3 && is_named(a->events[1].name, "half"));
    CHECK(near(a->events[1].time, 0.1) && near(a->events[2].time, 0.05));
    made_free(&m);
}

TEST(what_does_not_move_has_one_key_and_times_are_shared)
{
    bbmod_made m = make_arm(MODELS "3.4_skinned.bbmod", ANIMATIONS "3.4_spaces_1.bbanim");
    const tenon_channel *tip = channel_of(m.scene, "tip", TENON_TRANSLATION);
    const tenon_animation *a = &m.scene->animations[0];
    CHECK(tip && tip->key_count == 1 && near((double)tip->values[1], 0.75));
    for (uint32_t i = 0; i < a->channel_count; i++)
        CHECK(a->channels[i].times == a->channels[0].times);
    made_free(&m);
}

// Half way between frames, which is between two keys: rotated by 45 degrees.
TEST(motion_between_frames_is_even)
{
    bbmod_made m = make_arm(MODELS "3.4_skinned.bbmod", ANIMATIONS "3.4_spaces_1.bbanim");
    tenon_error err;
    tenon_pose *pose = tenon_pose_new(m.scene, NULL, &err);
    const double last[] = {0.05, 0.1, 0.15, 7};
    for (int i = 0; i < 4; i++) {
        tenon_pose_set(pose, 0, last[i]);
        // The root rotates by 90 degrees about X, mirrored -90; so Y of "upper" becomes -Z.
        const double *upper = tenon_pose_global(pose, 1);
        double degrees = atan2(upper[1 * 4 + 0], upper[1 * 4 + 2]) * 57.29577951308232;
        CHECK(near(fabs(degrees), i == 0 ? 135 : 120));
    }
    tenon_pose_free(pose);
    made_free(&m);
}

// Bone space has no nodes that are not bones: three of five.
TEST(frames_in_bone_space_move_bones)
{
    bbmod_made m = make_arm(MODELS "3.0_skinned.bbmod", ANIMATIONS "3.0_bone.bbanim");
    CHECK(m.scene->animations[0].channel_count == 4);
    CHECK(lost(&m.losses, TENON_DEFAULTED, "motion of nodes", "3.0_bone.bbanim") == 3);
    made_free(&m);
}

// The root has a scale of 0.01, which keys do not have; its inverse, 100, is applied after it.
TEST(a_node_with_keys_loses_its_scale)
{
    bbmod_made m = make_arm(MODELS "2_scaled.bbmod", ANIMATIONS "2_root.bbanim");
    const tenon_channel *scale = channel_of(m.scene, "Armature", TENON_SCALE);
    const tenon_node *root = &m.scene->nodes[0];
    CHECK(near(root->scale[0], 1) && near(root->translation[1], 0) && near(root->rotation[3], 1));
    CHECK(scale && scale->key_count == 1 && fabs((double)scale->values[0] - 100) < 1e-3);
    CHECK(!channel_of(m.scene, "upper", TENON_SCALE));
    const tenon_channel *keys = channel_of(m.scene, "lower", TENON_TRANSLATION);
    CHECK(keys && keys->key_count == 2 && near((double)keys->times[1], 0.2));
    made_free(&m);
}

TEST(keys_of_missing_nodes_are_reported)
{
    bbmod_made m = open_model(MODELS "2_skinned.bbmod");
    add_clip(&m, ANIMATIONS "2_wave.bbanim");
    tenon_bbanim *clip = tenon_as_bbanim(m.clips[0]);
    make(&m);
    CHECK(lost(&m.losses, TENON_DROPPED, "channels", "2_wave.bbanim") == 0);
    clip->channels[0].index = (float)m.model->node_count;  // After the last.
    make(&m);
    CHECK(lost(&m.losses, TENON_DROPPED, "channels", "2_wave.bbanim") == 1);
    clip->channels[0].index = clip->channels[1].index;  // Or the same again.
    make(&m);
    CHECK(lost(&m.losses, TENON_DROPPED, "channels", "2_wave.bbanim") == 1);
    made_free(&m);
}

// A converter that gets an unknown space stores none.
TEST(a_clip_without_frames_is_reported)
{
    bbmod_made m = make_arm(MODELS "3.4_skinned.bbmod", ANIMATIONS "3.4_spaces_0.bbanim");
    CHECK(m.scene->animation_count == 1 && m.scene->animations[0].channel_count == 0);
    CHECK(near(m.scene->animations[0].duration, 0.2));
    CHECK(lost(&m.losses, TENON_DROPPED, "frames", "3.4_spaces_0.bbanim") == 1);
    made_free(&m);
}

// Keys of version 1 and frames of version 3 for a model of version 2.
TEST(clips_of_another_version_are_used_and_reported)
{
    bbmod_made m = open_model(MODELS "2_scaled.bbmod");
    add_clip(&m, ANIMATIONS "1_wave.bbanim");
    add_clip(&m, ANIMATIONS "3.4_spaces_2.bbanim");
    make(&m);
    CHECK(m.scene->animation_count == 2);
    CHECK(lost(&m.losses, TENON_APPROXIMATED, "animations", "3.4_spaces_2.bbanim") == 1);
    made_free(&m);
}

// -- What does not fit

TEST(animations_that_do_not_fit_say_why)
{
    char text[200];
    bbmod_made m = open_model(MODELS "3.4_static.bbmod");
    add_clip(&m, ANIMATIONS "3.4_events.bbanim");
    make_with(&m, (tenon_scene_opts){0});
    CHECK(!m.scene && m.err.code == TENON_ERR_VALUE);
    CHECK(tenon_relate(m.clips[0], m.doc, text, sizeof text));
    CHECK_STR(m.err.message, text);
    CHECK_STR(m.err.path, "3.4_events.bbanim");
    tenon_doc_free(m.clips[0]);
    m.clips[0] = open_or_exit(MODELS "3.4_static.bbmod");
    make_with(&m, (tenon_scene_opts){0});
    CHECK(!m.scene && m.err.code == TENON_ERR_UNSUPPORTED);
    CHECK_STR(m.err.message, "the file is not a BBMOD animation");
    made_free(&m);
}

TEST(an_animation_alone_is_not_a_scene)
{
    tenon_error err;
    tenon_doc *doc = open_or_exit(ANIMATIONS "3.4_events.bbanim");
    CHECK(!tenon_to_scene(doc, NULL, &err) && err.code == TENON_ERR_UNSUPPORTED);
    CHECK(strstr(err.message, "model") != NULL);
    tenon_doc_free(doc);
}

// The tree has five nodes, whatever the model's count says.
TEST(a_wrong_node_count_is_corrected)
{
    bbmod_made m = open_model(MODELS "3.4_skinned.bbmod");
    add_clip(&m, ANIMATIONS "3.4_events.bbanim");
    tenon_as_bbanim(m.clips[0])->model_node_count = m.model->node_count = 4;
    make_with(&m, (tenon_scene_opts){0});
    CHECK(!m.scene && m.err.code == TENON_ERR_VALUE);
    CHECK(strstr(m.err.message, "it is for 4 nodes, but the model has 5") != NULL);
    made_free(&m);
}

TEST(an_invalid_rate_is_60_or_the_requested_one)
{
    bbmod_made m = open_model(MODELS "3.4_skinned.bbmod");
    add_clip(&m, ANIMATIONS "3.4_spaces_1.bbanim");
    tenon_as_bbanim(m.clips[0])->tics_per_second = 0;
    make(&m);
    CHECK(near(m.scene->animations[0].duration, 2 / 60.0));
    CHECK(lost(&m.losses, TENON_DEFAULTED, "tics per second", "3.4_spaces_1.bbanim") == 1);
    make_with(&m, (tenon_scene_opts){.rate = 4});
    CHECK(m.scene && near(m.scene->animations[0].duration, 0.5));
    made_free(&m);
}

// -- Losses

TEST(losses_are_reported_with_their_place)
{
    bbmod_made m = open_model(MODELS "3.4_instances.bbmod");
    uint8_t far[4] = {9, 0, 0, 0};
    tenon_bbmod_node *right = &m.model->root.children[1];
    right->meshes = (tenon_span){far, 4, 1, right->meshes.layout, false};
    m.model->meshes[0].material_index = 5;
    m.model->meshes[0].primitive_type = TENON_BBMOD_LINES;
    make(&m);
    CHECK(lost(&m.losses, TENON_DROPPED, "references to meshes", "root.children[1]") == 1);
    CHECK(lost(&m.losses, TENON_DROPPED, "meshes", "meshes[1]") == 1);
    CHECK(lost(&m.losses, TENON_DROPPED, "references to materials", "meshes[0]") == 1);
    CHECK(lost(&m.losses, TENON_DROPPED, "materials", "material_names[0]") == 1);
    CHECK(lost(&m.losses, TENON_DROPPED, "vertices", "meshes[0]") == 1);
    m.model->meshes[0].primitive_type = 7;
    make(&m);
    CHECK(m.scene->mesh_count == 0 && lost(&m.losses, TENON_DROPPED, "meshes", "meshes[1]") == 1);
    made_free(&m);
}

TEST(old_versions_report_what_was_synthesized)
{
    bbmod_made m = make_file(MODELS "1a_static.bbmod");
    CHECK(is_named(m.scene->materials[1].name, "material_1"));
    CHECK(lost(&m.losses, TENON_SYNTHESIZED, "names of materials", "material_count") == 2);
    CHECK(m.scene->node_count == 2 && is_named(m.scene->nodes[1].name, "wing"));
    made_free(&m);
    m = make_file(MODELS "2_static.bbmod");
    CHECK(lost(&m.losses, TENON_SYNTHESIZED, "nodes", "root") == 2);
    CHECK(m.scene->node_count == 4 && m.scene->nodes[3].parent == TENON_NONE);
    made_free(&m);
    m = make_file(MODELS "2_accident.bbmod");
    CHECK(lost(&m.losses, TENON_SYNTHESIZED, "the root's transform", "root.transform") == 1);
    made_free(&m);
    m = make_file(MODELS "document-16_skinned.bbmod");
    CHECK(lost(&m.losses, TENON_SYNTHESIZED, "bone weights", "meshes[0]") == 3);
    made_free(&m);
    m = make_file(MODELS "document_skinned.bbmod");
    CHECK(lost(&m.losses, TENON_SYNTHESIZED, "bone weights", "meshes[0]") == 0);
    made_free(&m);
}

TEST(influences_of_bones_that_do_not_exist_are_dropped)
{
    bbmod_made m = open_model(MODELS "3.4_skinned.bbmod");
    static const float absurd[] = {NAN, -1, 1e30f, 0.5f, 2, 1};
    tenon_span *vertices = &m.model->meshes[0].vertices;
    uint8_t *bytes = tenon_doc_alloc(m.doc, (size_t)vertices->size);
    memcpy(bytes, vertices->data, (size_t)vertices->size);
    // The first bone of each vertex; for the last vertex it makes no difference.
    for (uint64_t i = 0; i < 6; i++) put_f32(bytes + i * vertices->layout->stride + 32, absurd[i]);
    vertices->data = bytes;
    make(&m);
    CHECK(lost(&m.losses, TENON_DROPPED, "influences", "meshes[0]") == 5);
    made_free(&m);
}

// -- Files that are given

static void compare_files(int count, char **paths)
{
    bbmod_made m = open_model(paths[0]);
    for (int i = 1; i < count; i++)
        if (is_companion(&m, paths[i])) add_clip(&m, paths[i]);
    make_with(&m, (tenon_scene_opts){.model_path = paths[0]});
    if (!m.scene) fprintf(stderr, "%s: %s: %s\n", m.file, m.err.path, m.err.message);
    CHECK(m.scene);
    if (m.scene) {
        double distance = distance_of(&m);
        CHECK(distance < 1e-5);
        printf("%s: %u clips, off by %.3g\n", m.file, m.clip_count, distance);
    }
    for (uint32_t i = 0; i < m.losses.count; i++)
        printf("    %s %s x%" PRIu64 " (%s): %s\n", tenon_loss_word(m.losses.list[i].kind),
               m.losses.list[i].feature, m.losses.list[i].count, m.losses.list[i].path,
               m.losses.list[i].why);
    made_free(&m);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        compare_files(argc - 1, argv + 1);
        TEST_END();
    }
    RUN(every_fixture_is_where_its_documents_have_it);
    RUN(a_triangle_changes_handedness_and_keeps_its_texture);
    RUN(every_attribute_is_imported);
    RUN(bones_and_offsets_are_mirrored);
    RUN(strips_and_fans_become_lists_of_reversed_winding);
    RUN(a_mesh_of_two_nodes_is_imported_once);
    RUN(the_skinned_mesh_is_a_child_of_the_node_with_the_rigid_one);
    RUN(corners_with_the_same_bits_are_one_vertex);
    RUN(many_vertices_are_welded_in_their_order);
    RUN(frames_become_keys);
    RUN(what_does_not_move_has_one_key_and_times_are_shared);
    RUN(motion_between_frames_is_even);
    RUN(frames_in_bone_space_move_bones);
    RUN(a_node_with_keys_loses_its_scale);
    RUN(keys_of_missing_nodes_are_reported);
    RUN(a_clip_without_frames_is_reported);
    RUN(clips_of_another_version_are_used_and_reported);
    RUN(animations_that_do_not_fit_say_why);
    RUN(an_animation_alone_is_not_a_scene);
    RUN(a_wrong_node_count_is_corrected);
    RUN(an_invalid_rate_is_60_or_the_requested_one);
    RUN(losses_are_reported_with_their_place);
    RUN(old_versions_report_what_was_synthesized);
    RUN(influences_of_bones_that_do_not_exist_are_dropped);
    TEST_END();
}
