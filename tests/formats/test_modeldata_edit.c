// test_modeldata_edit.c: collision shapes of ModelData, merging its animations, and the limits of
// its engine.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/modeldata_format.h"
#include "model_help.h"

#include <tenon/modeldata.h>

#define FOLDER   "tests/fixtures/modeldata/"
#define ANIMATED FOLDER "current_full.cea"

static tenon_modeldata *open_file(const char *path)
{
    tenon_error err;
    tenon_doc *doc = tenon_read_file(path, NULL, &err);
    if (doc) return tenon_as_modeldata(doc);
    fprintf(stderr, "%s: %s\n", path, err.message);
    exit(1);
}

static bool text_is(tenon_str text, const char *want)
{
    return text.size == strlen(want) && memcmp(text.data, want, text.size) == 0;
}

// The file of `doc` can be read again, and without an error finding.
static void check_sound(const tenon_modeldata *doc)
{
    blob file = blob_written(&doc->base);
    CHECK(maps_whole(&file));
    tenon_check_result result;
    CHECK(tenon_check(&doc->base, NULL, NULL, NULL, &result, NULL) && result.errors == 0);
    blob_free(&file);
}

// -- Shapes

static modeldata_shape parsed(const char *text)
{
    return modeldata_parse_shape((tenon_str){text, (uint32_t)strlen(text)});
}

#define MATRIX "1-0-0-0-0-1-0-0-0-0-1-0-0.5-2-0-1"

TEST(shapes_are_read_as_the_engine_reads_them)
{
    static const struct {
        const char *text;
        modeldata_shape_kind kind;
    } shapes[] = {
        {"convex", MODELDATA_SHAPE_CONVEX},
        {"convexHull", MODELDATA_SHAPE_CONVEX},
        {"triangleMesh", MODELDATA_SHAPE_TRIANGLES},
        {"sphere/1", MODELDATA_SHAPE_SPHERE},
        {"sphere/ +1.5e-3f\t", MODELDATA_SHAPE_SPHERE},
        {"sphere/.5", MODELDATA_SHAPE_SPHERE},
        {"box/1/2./3E2", MODELDATA_SHAPE_BOX},
        {"box/1/2/3/", MODELDATA_SHAPE_BOX},
        {"capsule/0.5/2.0", MODELDATA_SHAPE_CAPSULE},
        {"cylinder/0.16/0.96/0.16", MODELDATA_SHAPE_CYLINDER},
        {"cone/1/2", MODELDATA_SHAPE_CONE},
        {"compound sphere/1 " MATRIX, MODELDATA_SHAPE_COMPOUND},
        {"compound sphere/1 " MATRIX " ", MODELDATA_SHAPE_COMPOUND},
        {"blob", MODELDATA_SHAPE_UNKNOWN},
        {"Box/1/2/3", MODELDATA_SHAPE_UNKNOWN},
        {"", MODELDATA_SHAPE_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        modeldata_shape shape = parsed(shapes[i].text);
        CHECK(shape.kind == shapes[i].kind && !shape.fault && !shape.misread && !shape.is_flat);
    }
    CHECK(parsed("compound sphere/1 " MATRIX " box/1/1/1 " MATRIX).child_count == 2);
}

TEST(shapes_that_make_the_engine_throw_are_faulty)
{
    static const char *const faulty[] = {
        "sphere",
        "sphere/",
        "sphere/x",
        "sphere/1e",
        "sphere/1 2",
        "sphere/--1",
        "box/1/2",
        "box/1//2",
        "capsule/.",
        "cylinder/1/2/3a",
        "compound sphere/1",
        "compound sphere/1 ",
        "compound blob/1 " MATRIX,
        "compound  sphere/1 " MATRIX,
        "compound compound " MATRIX,
        "compound sphere/1 1-0-0",
        "compound sphere/1 1-0-0-0-0-1-0-0-0-0-1-0--0.5-2-0-1",
        "compound sphere/1 1-0-0-0-0-1-0-0-0-0-1-0-5.0E-4-2-0-1",
    };
    for (size_t i = 0; i < sizeof faulty / sizeof faulty[0]; i++) {
        if (parsed(faulty[i]).fault) continue;
        fprintf(stderr, "taken: %s\n", faulty[i]);
        CHECK(false);
    }
}

TEST(shapes_that_the_engine_misreads_are_recognized)
{
    static const struct {
        const char *text, *why;
    } misread[] = {{"capsulex/1/2", "the engine always aligns it with y"},
                   {"cylinderz/1/2/1", "the engine always aligns it with y"},
                   {"conex/1/2", "the engine always aligns it with y"},
                   {"coney/1/2", "the engine compares only the beginning of the name"},
                   {"conexz/1/2", "the engine compares only the beginning of the name"},
                   {"boxx/1/2/3", "the engine compares only the beginning of the name"},
                   {"spheres/1", "the engine compares only the beginning of the name"},
                   {"sphere/1/2", "it has more numbers"},
                   {"compound", "it does not contain any shape"},
                   {"compound convex " MATRIX, "a hull or mesh in a compound is empty"},
                   {"compound conez/1/2 " MATRIX, "the engine always aligns it with y"}};
    for (size_t i = 0; i < sizeof misread / sizeof misread[0]; i++) {
        modeldata_shape shape = parsed(misread[i].text);
        CHECK(!shape.fault && shape.misread && strstr(shape.misread, misread[i].why));
    }
    static const char *const flat[] = {"sphere/0",        "sphere/-1",
                                       "box/1/0.0e5/1",   "sphere/NaN",
                                       "cone/Infinity/1", ("compound sphere/-0 " MATRIX)};
    for (size_t i = 0; i < sizeof flat / sizeof flat[0]; i++)
        CHECK(parsed(flat[i]).is_flat && !parsed(flat[i]).fault);
}

TEST(a_shape_is_set_and_cleared)
{
    tenon_modeldata *doc = open_file(FOLDER "current_two_meshes.cem");
    tenon_error err;
    char text[] = "box/1/2/1";
    CHECK(tenon_modeldata_set_shape(doc, 0, text, &err) && err.code == TENON_OK);
    text[0] = 'X';  // The document has its own copy.
    CHECK(text_is(doc->meshes[0].collision_shape, "box/1/2/1"));
    CHECK(doc->meshes[0].collision_shape_size == 9 && doc->mesh_sizes[0] == 84 + 9);
    CHECK(text_is(doc->meshes[1].collision_shape, "convex"));
    check_sound(doc);
    CHECK(tenon_modeldata_set_shape(doc, 0, NULL, NULL));
    blob before = blob_load(FOLDER "current_two_meshes.cem"), after = blob_written(&doc->base);
    CHECK(blob_same(&before, &after));
    CHECK(tenon_modeldata_set_shape(doc, TENON_NONE, "sphere/2", &err));
    CHECK(text_is(doc->meshes[0].collision_shape, "sphere/2"));
    CHECK(text_is(doc->meshes[1].collision_shape, "sphere/2"));
    CHECK(tenon_modeldata_set_shape(doc, TENON_NONE, "", &err));
    CHECK(doc->meshes[1].collision_shape_size == 0);
    check_sound(doc);
    tenon_doc_free(&doc->base);
    blob_free(&before);
    blob_free(&after);
}

TEST(an_invalid_shape_is_not_set)
{
    tenon_modeldata *doc = open_file(FOLDER "current_two_meshes.cem");
    tenon_error err;
    CHECK(!tenon_modeldata_set_shape(doc, 2, "convex", &err) && err.code == TENON_ERR_VALUE);
    CHECK_STR(err.message, "mesh 2 does not exist; the model has 2 meshes");
    CHECK(!tenon_modeldata_set_shape(doc, 0, "blob\n", &err));
    CHECK_STR(err.message, "'blob?' is not a collision shape");
    CHECK(!tenon_modeldata_set_shape(doc, 0, "box/1", &err));
    CHECK_STR(err.message, "'box/1' is not a collision shape: it has too few numbers");
    CHECK(doc->meshes[0].collision_shape.size == 0);
    tenon_doc_free(&doc->base);
}

// A legacy file keeps its unusual sizes while it is edited.
TEST(a_legacy_shape_stays_legacy)
{
    tenon_modeldata *doc = open_file(FOLDER "legacy_shape.cem");
    CHECK(tenon_modeldata_set_shape(doc, 0, "sphere/22", NULL));
    CHECK(doc->meshes[0].collision_shape_size == 36);
    blob file = blob_written(&doc->base);
    tenon_doc *again = tenon_read(file.data, file.size, NULL, NULL);
    CHECK(again && text_is(tenon_as_modeldata(again)->meshes[0].collision_shape, "sphere/22"));
    if (again) CHECK_STR(again->dialect->name, "legacy");
    tenon_doc_free(again);
    tenon_doc_free(&doc->base);
    blob_free(&file);
}

// Unknown bytes stay where they are in the file: at the end of the model, of a
// material, a mesh, the skeleton and an animation.
TEST(a_shape_leaves_unknown_bytes_alone)
{
    tenon_modeldata *doc = open_file(FOLDER "current_leftovers.cea");
    const tenon_span over = doc->model_leftover = doc->skeleton_leftover;
    CHECK(tenon_modeldata_set_shape(doc, 0, "sphere/22", NULL));
    blob file = blob_written(&doc->base);
    const tenon_read_opts opts = {.format = "modeldata", .dialect = "current"};
    tenon_doc *read = tenon_read(file.data, file.size, &opts, NULL);
    const tenon_modeldata *again = read ? tenon_as_modeldata(read) : NULL;
    CHECK(again && text_is(again->meshes[0].collision_shape, "sphere/22"));
    if (again) {
        CHECK(again->model_leftover.size == 5 &&
              memcmp(again->model_leftover.data, over.data, 5) == 0);
        CHECK(again->meshes[0].material.leftover.size == 2 && again->meshes[1].leftover.size == 1);
        CHECK(again->skeleton_leftover.size == 5 && again->animations[0].leftover.size == 1);
    }
    tenon_doc_free(read);
    tenon_doc_free(&doc->base);
    blob_free(&file);
}

// -- Merging

typedef struct loss_log {
    char text[400];
} loss_log;

static void note_loss(void *user, const tenon_loss *loss)
{
    loss_log *log = user;
    size_t used = strlen(log->text);
    snprintf(log->text + used, sizeof log->text - used, "%s%s %s %u", used ? "; " : "",
             tenon_loss_word(loss->kind), loss->feature, (unsigned)loss->count);
}

TEST(animations_of_two_files_become_one_file)
{
    tenon_modeldata *into = open_file("samples/crane.cea"), *from = open_file("samples/crane.cea");
    tenon_error err;
    loss_log log = {{0}};
    const tenon_merge_opts opts = {.events = {.user = &log, .on_loss = note_loss}};
    blob alone = blob_written(&into->base);
    from->animations[0].name = (tenon_str){"drive", 5};
    from->animation_count = 1;
    CHECK(tenon_merge(&into->base, &from->base, &opts, &err));
    tenon_doc_free(&from->base);
    CHECK_STR(log.text, "");
    CHECK(into->animation_count == 3 && text_is(into->animations[2].name, "drive"));
    check_sound(into);

    const tenon_modeldata_animation *a = &into->animations[0], *b = &into->animations[2];
    CHECK(a->position_list_count == b->position_list_count && b->rotation_list_count == 19);
    for (uint32_t i = 0; i < a->rotation_list_count; i++) {
        const tenon_span *x = &a->rotations[i].keys, *y = &b->rotations[i].keys;
        CHECK(x->size == y->size && (!x->size || memcmp(x->data, y->data, (size_t)x->size) == 0));
    }
    into->animation_count = 2;  // Without the third it is the file it was.
    CHECK(tenon_finalize(&into->base, NULL));
    blob again = blob_written(&into->base);
    CHECK(blob_same(&alone, &again));
    tenon_doc_free(&into->base);
    blob_free(&alone);
    blob_free(&again);
}

TEST(names_that_are_taken_are_changed)
{
    tenon_modeldata *into = open_file(ANIMATED), *from = open_file(ANIMATED);
    loss_log log = {{0}};
    tenon_merge_opts opts = {.name = "walk", .events = {.user = &log, .on_loss = note_loss}};
    CHECK(tenon_merge(&into->base, &from->base, &opts, NULL));
    CHECK_STR(log.text, "approximated names of animations 1");
    CHECK(tenon_merge(&into->base, &from->base, &opts, NULL));
    opts.name = NULL;
    CHECK(tenon_merge(&into->base, &from->base, &opts, NULL));
    CHECK(tenon_merge(&into->base, &from->base, NULL, NULL));
    static const char *const names[] = {"slew", "walk", "walk_2", "slew_2", "slew_3"};
    CHECK(into->animation_count == 5);
    for (uint32_t i = 0; i < 5 && i < into->animation_count; i++)
        CHECK(text_is(into->animations[i].name, names[i]));
    check_sound(into);
    tenon_doc_free(&into->base);
    tenon_doc_free(&from->base);
}

TEST(a_given_name_is_numbered_in_file_order)
{
    tenon_modeldata *into = open_file("samples/crane.cea"), *from = open_file("samples/crane.cea");
    const tenon_merge_opts opts = {.name = "drive"};
    CHECK(tenon_merge(&into->base, &from->base, &opts, NULL) && into->animation_count == 4);
    CHECK(text_is(into->animations[2].name, "drive") &&
          into->animations[2].rotation_list_count == 19);
    CHECK(text_is(into->animations[3].name, "drive_2"));
    tenon_doc_free(&into->base);
    tenon_doc_free(&from->base);
}

// Names that follow the pattern of new ones, and one that occurs twice in each file: what `into`
// had stays as it was, and all that is added gets a unique name.
TEST(new_names_step_over_those_that_exist)
{
    static const char *const old_names[] = {"a", "a", "a_2", "_2", "a_4"};
    static const char *const new_names[] = {"a", "", "a_3", "a", "", "b"};
    static const char *const want[] = {"a", "a",   "a_2", "_2", "a_4", "a_5",
                                       "",  "a_3", "a_6", "_3", "b"};
    tenon_modeldata *into = open_file(ANIMATED), *from = open_file(ANIMATED);
    tenon_modeldata_animation olds[5], news[6];
    for (uint32_t i = 0; i < 5; i++) {
        olds[i] = into->animations[0];
        olds[i].name = (tenon_str){old_names[i], (uint32_t)strlen(old_names[i])};
    }
    for (uint32_t i = 0; i < 6; i++) {
        news[i] = from->animations[0];
        news[i].name = (tenon_str){new_names[i], (uint32_t)strlen(new_names[i])};
    }
    into->animations = olds;
    into->animation_count = 5;
    from->animations = news;
    from->animation_count = 6;
    CHECK(tenon_merge(&into->base, &from->base, NULL, NULL) && into->animation_count == 11);
    for (uint32_t i = 0; i < 11 && i < into->animation_count; i++)
        CHECK_STR(into->animations[i].name.data, want[i]);
    tenon_doc_free(&into->base);
    tenon_doc_free(&from->base);
}

// Each takes a step, not each pair.
TEST(many_animations_of_one_name_are_merged_in_few_steps)
{
    enum { MANY = 50000 };
    const tenon_read_opts opts = {.max_memory = (uint64_t)256 << 20};
    tenon_doc *doc = tenon_read_file(ANIMATED, &opts, NULL);
    tenon_modeldata *into = tenon_as_modeldata(doc), *from = open_file(ANIMATED);
    tenon_modeldata_animation *many = calloc(MANY, sizeof *many);
    if (!into || !many) exit(1);
    for (uint32_t i = 0; i < MANY; i++) many[i].name = (tenon_str){"slew", 4};
    from->animations = many;
    from->animation_count = MANY;
    CHECK(tenon_merge(&into->base, &from->base, NULL, NULL));
    CHECK(into->animation_count == MANY + 1);
    CHECK_STR(into->animations[into->animation_count - 1].name.data, "slew_50001");
    tenon_doc_free(doc);
    tenon_doc_free(&from->base);
    free(many);
}

// The same joints in another order, with other indices: lists follow the names.
TEST(lists_follow_the_names_of_joints)
{
    tenon_modeldata *into = open_file(ANIMATED), *from = open_file(ANIMATED);
    loss_log log = {{0}};
    const tenon_merge_opts opts = {.events = {.user = &log, .on_loss = note_loss}};
    tenon_modeldata_joint mast = from->joints[0];
    from->joints[0] = from->joints[1];
    from->joints[1] = mast;
    from->joints[0].index = 0;  // jib
    from->joints[0].parent_index = 1;
    from->joints[1].index = 1;  // mast
    from->joints[0].bind_local_pose[3] = 9;
    from->mesh_count = 0;
    tenon_error err;
    CHECK(tenon_merge(&into->base, &from->base, &opts, &err));
    CHECK_STR(log.text, "dropped bind poses 1; approximated names of animations 1");
    // In `from` the jib now has the positions, and the mast the rotations and scales.
    CHECK(into->animation_count == 2);
    const tenon_modeldata_animation *a = &into->animations[1];
    CHECK(a->positions[1].keys.count == 2 && a->positions[0].keys.count == 0);
    CHECK(a->rotations[0].keys.count == 2 && a->rotations[1].keys.count == 0);
    check_sound(into);
    tenon_doc_free(&into->base);
    tenon_doc_free(&from->base);
}

TEST(what_else_the_second_file_has_is_reported)
{
    tenon_modeldata *into = open_file(ANIMATED), *from = open_file(ANIMATED);
    loss_log log = {{0}};
    const tenon_merge_opts opts = {.name = "x", .events = {.user = &log, .on_loss = note_loss}};
    static const uint8_t over[3] = {1, 2, 3};
    from->meshes[0].material.tiling = 3;
    from->meshes[0].collision_shape = (tenon_str){"convex", 6};
    from->animations[0].leftover = (tenon_span){.data = over, .size = 3, .count = 3};
    CHECK(tenon_merge(&into->base, &from->base, &opts, NULL));
    CHECK_STR(log.text, "dropped materials 1; dropped shapes 1; dropped leftover bytes 3; "
                        "approximated names of animations 1");
    check_sound(into);
    tenon_doc_free(&into->base);
    tenon_doc_free(&from->base);
}

TEST(keys_of_no_joint_and_other_meshes_are_left_out)
{
    tenon_modeldata *into = open_file(ANIMATED), *from = open_file(ANIMATED);
    loss_log log = {{0}};
    const tenon_merge_opts opts = {.events = {.user = &log, .on_loss = note_loss}};
    for (int k = 0; k < 2; k++) {
        into->joints[k].index += 2;
        from->joints[k].index += k;  // 0 and 2: the list of index 1 has no joint.
    }
    into->joints[1].parent_index = 2;
    from->meshes[0].arrays[TENON_MODELDATA_NORMALS] = (tenon_span){0};
    CHECK(tenon_merge(&into->base, &from->base, &opts, NULL));
    CHECK_STR(log.text, "dropped meshes 1; dropped lists of keys 2; "
                        "approximated names of animations 1");
    CHECK(into->animations[1].position_list_count == 4);
    CHECK(into->animations[1].positions[2].keys.count == 2);
    tenon_doc_free(&into->base);
    tenon_doc_free(&from->base);
}

static void check_refused(tenon_modeldata *into, tenon_modeldata *from, const char *message)
{
    tenon_error err;
    CHECK(!tenon_merge(&into->base, &from->base, NULL, &err) && err.code == TENON_ERR_UNSUPPORTED);
    CHECK_STR(err.message, message);
    CHECK(into->animation_count <= 1);
    tenon_doc_free(&into->base);
    tenon_doc_free(&from->base);
}

TEST(other_skeletons_are_refused)
{
    check_refused(open_file(ANIMATED), open_file(FOLDER "current_full.cem"),
                  "only animated models can be merged, but one is static");
    check_refused(open_file(ANIMATED), open_file(FOLDER "current_no_mesh.cea"),
                  "the skeletons do not match: the numbers of joints are 2 and 1");
    tenon_modeldata *from = open_file(ANIMATED);
    from->joints[1].name = (tenon_str){"boom", 4};
    check_refused(open_file(ANIMATED), from,
                  "the skeletons do not match: joint 'boom' is in only one of the files");
    from = open_file(ANIMATED);
    from->joints[1].name = from->joints[0].name;
    check_refused(open_file(ANIMATED), from,
                  "the skeletons do not match: joint 'mast' occurs twice");
    from = open_file(ANIMATED);
    from->joints[1].index = 0;
    check_refused(open_file(ANIMATED), from,
                  "the skeletons do not match: joint 'jib' has the same index as another joint");
    from = open_file(ANIMATED);
    from->joints[1].parent_index = -1;
    check_refused(open_file(ANIMATED), from,
                  "the skeletons do not match: joint 'jib' has a different parent");
    from = open_file(ANIMATED);
    from->joints[1].parent_index = 77;
    check_refused(open_file(ANIMATED), from,
                  "the skeletons do not match: joint 'jib' has a different parent");
    tenon_modeldata *into = open_file(ANIMATED);
    into->joints[1].index = -2;
    check_refused(into, open_file(ANIMATED),
                  "the skeletons do not match: joint 'jib' has a negative index");
    into = open_file(ANIMATED);
    into->joints[1].index = 0;
    check_refused(into, open_file(ANIMATED),
                  "the skeletons do not match: joint 'jib' has the same index as another joint");
}

// Each difference alone: in the material of the second file, in its arrays, in its bind pose.
TEST(every_difference_of_the_second_file_is_reported)
{
    static const char renamed[] = "approximated names of animations 1";
    static const struct {
        const char *what, *reported;
    } cases[] = {{"flag", "dropped materials 1; "},     {"map", "dropped materials 1; "},
                 {"none", "dropped materials 1; "},     {"number", "dropped meshes 1; "},
                 {"pose", "dropped bind poses 1; "},    {"inverse", "dropped bind poses 1; "},
                 {"more meshes", "dropped meshes 1; "}, {"nothing", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tenon_modeldata *into = open_file(ANIMATED), *from = open_file(ANIMATED);
        tenon_modeldata_mesh *mesh = &from->meshes[0];
        tenon_span *vertices = &mesh->arrays[TENON_MODELDATA_VERTICES];
        uint8_t *numbers = tenon_doc_alloc(&from->base, (size_t)vertices->size);
        loss_log log = {{0}};
        const tenon_merge_opts opts = {.events = {.user = &log, .on_loss = note_loss}};
        char want[128];
        memcpy(numbers, vertices->data, (size_t)vertices->size);
        vertices->data = numbers;
        if (i == 0) mesh->material.default_tiling ^= 1;
        if (i == 1) mesh->material.maps[0] = (tenon_str){"other.png", 9};
        if (i == 2) mesh->material_size = 0;
        if (i == 3) numbers[0] ^= 1;
        if (i == 4) from->joints[1].bind_local_pose[3] += 1;
        if (i == 5) from->joints[1].inverse_bind_matrix[3] += 1;
        if (i == 6) into->mesh_count = 0;
        CHECK(tenon_merge(&into->base, &from->base, &opts, NULL));
        snprintf(want, sizeof want, "%s%s", cases[i].reported, renamed);
        if (strcmp(log.text, want) != 0) fprintf(stderr, "%s:\n", cases[i].what);
        CHECK_STR(log.text, want);
        tenon_doc_free(&into->base);
        tenon_doc_free(&from->base);
    }
}

// -- Limits of the engine

typedef struct rule_log {
    char text[400];
} rule_log;

static void note_rule(void *user, const tenon_finding *finding)
{
    rule_log *log = user;
    size_t used = strlen(log->text);
    snprintf(log->text + used, sizeof log->text - used, "%s%s %s", used ? "; " : "",
             strchr(finding->rule->id, '/') + 1, finding->path);
}

// What the engine's profile finds and the general rules do not.
static void check_limits(tenon_modeldata *doc, const char *want)
{
    rule_log log = {{0}};
    tenon_check_result plain, limited;
    const tenon_check_opts opts = {.profile = "coreengine"};
    CHECK(tenon_check(&doc->base, NULL, NULL, NULL, &plain, NULL));
    CHECK(plain.errors == 0);
    CHECK(tenon_check(&doc->base, &opts, note_rule, &log, &limited, NULL));
    CHECK_STR(log.text, want);
    tenon_doc_free(&doc->base);
}

TEST(limits_of_the_engine_are_found_with_its_profile)
{
    check_limits(open_file(FOLDER "current_minimal.cem"),
                 "missing-array meshes[0].texture_coordinates_size; "
                 "missing-array meshes[0].normals_size; missing-array meshes[0].tangents_size");
    tenon_modeldata *doc = open_file(FOLDER "current_defaults.cem");
    CHECK(tenon_change(&doc->base, &(tenon_change_opts){.dialect = "cea"}, NULL));
    doc->meshes[0].arrays[TENON_MODELDATA_WEIGHTS] = (tenon_span){0};
    doc->joint_count = doc->skeleton_size = 0;
    CHECK(tenon_finalize(&doc->base, NULL));
    check_limits(doc, "skeleton-missing skeleton_size; missing-skin meshes[0].weights_size");
    doc = open_file(ANIMATED);
    doc->joints[1].index = 50;
    doc->animation_count = 0;
    for (int i = 0; i < 2; i++)
        doc->meshes[0].arrays[TENON_MODELDATA_JOINT_IDS + i] = (tenon_span){0};
    CHECK(tenon_finalize(&doc->base, NULL));
    check_limits(doc, "missing-skin meshes[0].joint_ids_size; "
                      "missing-skin meshes[0].weights_size; joint-limit joints[1].index");
    doc = open_file(FOLDER "current_full.cem");
    check_limits(doc, "texture-unused meshes[0].material.alpha_map; "
                      "texture-unused meshes[0].material.reflection_map");
    doc = open_file(ANIMATED);
    CHECK(tenon_change(&doc->base, &(tenon_change_opts){.dialect = "document"}, NULL));
    check_limits(doc, "joint-sizes joint_sizes");
}

int main(void)
{
    RUN(shapes_are_read_as_the_engine_reads_them);
    RUN(shapes_that_make_the_engine_throw_are_faulty);
    RUN(shapes_that_the_engine_misreads_are_recognized);
    RUN(a_shape_is_set_and_cleared);
    RUN(an_invalid_shape_is_not_set);
    RUN(a_legacy_shape_stays_legacy);
    RUN(a_shape_leaves_unknown_bytes_alone);
    RUN(animations_of_two_files_become_one_file);
    RUN(names_that_are_taken_are_changed);
    RUN(a_given_name_is_numbered_in_file_order);
    RUN(new_names_step_over_those_that_exist);
    RUN(many_animations_of_one_name_are_merged_in_few_steps);
    RUN(lists_follow_the_names_of_joints);
    RUN(what_else_the_second_file_has_is_reported);
    RUN(keys_of_no_joint_and_other_meshes_are_left_out);
    RUN(other_skeletons_are_refused);
    RUN(every_difference_of_the_second_file_is_reported);
    RUN(limits_of_the_engine_are_found_with_its_profile);
    TEST_END();
}
