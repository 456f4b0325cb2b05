// test_bbmod_dialects.c: BBMOD models and animations in other versions draw the same, and report
// what they lose.
// SPDX-License-Identifier: MIT

#include "bbmod_pose.h"

#define MODELS     "tests/fixtures/bbmod/"
#define ANIMATIONS "tests/fixtures/bbanim/"
#define TOLERANCE  1e-6  // Of the box.

static tenon_doc *open_doc(const char *folder, const char *name, const char *extension)
{
    char path[128];
    tenon_error err;
    snprintf(path, sizeof path, "%s%s%s", folder, name, extension);
    tenon_doc *doc = tenon_read_file(path, NULL, &err);
    if (doc) return doc;
    fprintf(stderr, "%s: %s\n", path, err.message);
    exit(1);
}

static tenon_bbmod *open_model(const char *name)
{
    return tenon_as_bbmod(open_doc(MODELS, name, ".bbmod"));
}

static tenon_bbanim *open_animation(const char *name)
{
    return tenon_as_bbanim(open_doc(ANIMATIONS, name, ".bbanim"));
}

// -- What is lost

typedef struct losses {
    char text[512];  // "dropped events, synthesized nodes"
    uint64_t count;
} losses;

static void note_loss(void *user, const tenon_loss *loss)
{
    losses *l = user;
    size_t size = strlen(l->text);
    snprintf(l->text + size, sizeof l->text - size, "%s%s %s", size ? ", " : "",
             tenon_loss_word(loss->kind), loss->feature);
    l->count += loss->count;
}

static bool change(tenon_doc *doc, tenon_change_opts opts, losses *lost)
{
    losses ignored = {.count = 0};
    tenon_error err;
    if (!lost) lost = &ignored;
    *lost = (losses){.count = 0};
    opts.events.on_loss = note_loss;
    opts.events.user = lost;
    bool ok = tenon_change(doc, &opts, &err);
    if (!ok) fprintf(stderr, "%s: %s\n", doc->dialect->name, err.message);
    return ok;
}

// What was written in a dialect is read in it, and by itself.
static void check_readable(const tenon_doc *doc)
{
    blob file = blob_written(doc);
    tenon_read_opts opts = {.format = doc->format->name, .dialect = doc->dialect->name};
    tenon_error err;
    tenon_doc *again = tenon_read(file.data, file.size, &opts, &err);
    CHECK(again != NULL);
    tenon_doc_free(again);
    again = tenon_read(file.data, file.size, NULL, &err);
    CHECK(again != NULL && again->format == doc->format);
    tenon_doc_free(again);
    blob_free(&file);
}

// -- Models at rest

static const char *const model_names[] = {
    "0_minimal", "0_full",     "1a_static",   "1a_skinned",     "1a_scaled",   "1a-boneless_static",
    "1b_static", "1b_skinned", "1b_unnamed",  "2_static",       "2_skinned",   "2_accident",
    "2_scaled",  "3.0_full",   "3.0_skinned", "3.0-upper_full", "3.1_full",    "3.1_skinned",
    "3.1_unset", "3.2_full",   "3.3_full",    "3.4_full",       "3.4_skinned", "3.4_static",
};

// How far the model moves when it is changed to `dialect`.
static double moved_by(const char *name, const char *dialect, losses *lost)
{
    tenon_bbmod *doc = open_model(name);
    points before = draw(doc, NULL);
    CHECK(change(&doc->base, (tenon_change_opts){.dialect = dialect}, lost));
    CHECK_STR(doc->base.dialect->name, dialect);
    points after = draw(doc, NULL);
    check_readable(&doc->base);
    tenon_doc_free(&doc->base);
    return points_apart(&before, &after);
}

TEST(every_model_draws_the_same_in_every_version)
{
    static const char *const dialects[] = {"3.4", "3.3", "3.2", "3.1",         "3.0", "3.0-upper",
                                           "2",   "1b",  "1a",  "1a-boneless", "0"};
    double worst = 0;
    for (size_t i = 0; i < sizeof model_names / sizeof model_names[0]; i++)
        for (size_t k = 0; k < sizeof dialects / sizeof dialects[0]; k++) {
            double moved = moved_by(model_names[i], dialects[k], NULL);
            if (!(moved <= TOLERANCE)) {
                fprintf(stderr, "%s as %s: moved by %g\n", model_names[i], dialects[k], moved);
                test_failures++;
            }
            if (moved > worst) worst = moved;
        }
    printf("largest error of all changes: %.3g of the box\n", worst);
}

TEST(an_upgrade_and_its_reverse_give_the_same_bytes)
{
    static const char *const names[] = {"3.0_full", "3.0-upper_full", "3.1_full", "3.2_full",
                                        "3.3_full"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tenon_bbmod *doc = open_model(names[i]);
        const char *dialect = doc->base.dialect->name;
        blob before = blob_written(&doc->base);
        CHECK(change(&doc->base, (tenon_change_opts){.dialect = "3.4"}, NULL));
        CHECK(change(&doc->base, (tenon_change_opts){.dialect = dialect}, NULL));
        blob after = blob_written(&doc->base);
        CHECK(blob_same(&before, &after));
        blob_free(&before);
        blob_free(&after);
        tenon_doc_free(&doc->base);
    }
}

// The bytes of a model in two dialects, one after the other; with `reads`, what is written in the
// first is read again.
static blob changed_twice(const char *name, const char *via, const char *to, bool reads)
{
    tenon_doc *doc = &open_model(name)->base;
    CHECK(change(doc, (tenon_change_opts){.dialect = via}, NULL));
    blob middle = blob_written(doc);
    if (reads) {
        tenon_read_opts opts = {.format = "bbmod", .dialect = via};
        tenon_doc_free(doc);
        doc = tenon_read(middle.data, middle.size, &opts, NULL);
        if (!doc) abort();
    }
    CHECK(change(doc, (tenon_change_opts){.dialect = to}, NULL));
    blob after = blob_written(doc);
    tenon_doc_free(doc);
    blob_free(&middle);
    return after;
}

// What a dialect does not have does not come back.
TEST(a_second_change_sees_what_would_be_read)
{
    static const char *const names[] = {"3.4_full", "3.4_skinned", "3.0_skinned", "2_skinned"};
    static const char *const dialects[] = {"document", "3.4", "3.0",         "2",
                                           "1b",       "1a",  "1a-boneless", "0"};
    enum { COUNT = sizeof dialects / sizeof dialects[0] };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (size_t k = 0; k < COUNT * COUNT; k++) {
            const char *via = dialects[k / COUNT], *to = dialects[k % COUNT];
            blob straight = changed_twice(names[i], via, to, false);
            blob read = changed_twice(names[i], via, to, true);
            if (!blob_same(&straight, &read)) {
                fprintf(stderr, "%s as %s, then as %s\n", names[i], via, to);
                test_failures++;
            }
            blob_free(&straight);
            blob_free(&read);
        }
}

TEST(losses_of_models_are_reported)
{
    static const struct {
        const char *model, *dialect, *losses;
    } cases[] = {
        {"3.0_skinned", "3.4", ""},
        {"0_full", "3.4", "synthesized nodes, synthesized materials"},
        {"1a_static", "3.4", "synthesized material names"},
        {"2_accident", "3.4", "synthesized the root's transform"},
        {"2_scaled", "3.4", "approximated scale"},
        {"3.4_full", "3.2", "dropped second texture coordinates"},
        {"3.4_full", "1b",
         "dropped second texture coordinates, dropped instance ids, "
         "approximated vertex formats"},
        {"3.4_primitives", "3.1", "dropped points and lines"},
        {"3.4_instances", "3.1", "synthesized meshes, approximated vertex formats"},
        {"3.4_full", "document", ""},
        {"document_skinned", "3.4", ""},
        {"3.4_full", "document-16", "dropped bone weights"},
        {"document-16_skinned", "3.4", "synthesized bone weights"},
        {"3.4_bare_vertices", "3.2", ""},
        {"3.4_bare_vertices", "document-f32-byte", ""},
        {"3.4_bare_vertices", "3.1", "dropped vertices, approximated vertex formats"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        losses lost;
        tenon_bbmod *doc = open_model(cases[i].model);
        CHECK(change(&doc->base, (tenon_change_opts){.dialect = cases[i].dialect}, &lost));
        CHECK_STR(lost.text, cases[i].losses);
        tenon_doc_free(&doc->base);
    }
}

TEST(what_is_never_drawn_is_not_kept_where_it_would_be)
{
    static const char *const dialects[] = {"1b", "0"};
    for (size_t i = 0; i < 2; i++) {
        losses lost;
        tenon_bbmod *doc = open_model("3.4_static");
        doc->root.meshes.count = doc->root.meshes.size = 0;
        CHECK(change(&doc->base, (tenon_change_opts){.dialect = dialects[i]}, &lost));
        CHECK(strstr(lost.text, "dropped meshes that no node refers to") != NULL);
        CHECK(draw(doc, NULL).count == 0);
        tenon_doc_free(&doc->base);
    }
}

TEST(colors_keep_their_meaning)
{
    tenon_bbmod *doc = open_model("0_full");
    uint64_t at = pose_element(&doc->meshes[0].vertices, "color")->offset;
    CHECK(doc->meshes[0].vertices.data[at] == 64);
    CHECK(change(&doc->base, (tenon_change_opts){.dialect = "3.4"}, NULL));
    at = pose_element(&doc->meshes[0].vertices, "color")->offset;
    const uint8_t *color = doc->meshes[0].vertices.data + at;
    CHECK(color[0] == 255 && color[1] == 128 && color[2] == 64 && color[3] == 200);
    tenon_doc_free(&doc->base);
}

TEST(unset_boxes_are_computed_on_upgrading_and_refreshing)
{
    tenon_bbmod *doc = open_model("3.1_unset");
    CHECK(doc->meshes[0].bbox_max[0] == 0);
    CHECK(change(&doc->base, (tenon_change_opts){.refresh = true}, NULL));
    CHECK(doc->meshes[0].bbox_max[0] == 2 && doc->meshes[0].bbox_max[2] == 0.5f);
    tenon_doc_free(&doc->base);
    doc = open_model("3.1_unset");
    CHECK(change(&doc->base, (tenon_change_opts){.dialect = "3.4"}, NULL));
    CHECK(doc->meshes[0].bbox_max[0] == 2);
    tenon_doc_free(&doc->base);
}

// -- Animations

// The pose that an old animation gives at frame `i` of `count`.
static pose old_pose(const tenon_bbanim *doc, uint64_t i, uint64_t count)
{
    if (doc->channel_count) return pose_of_keys(doc, (double)i / (double)count * doc->duration);
    return pose_of_frame(doc, doc->spaces & TENON_BBANIM_PARENT ? "parent" : "bone", i);
}

// Pose the old pair, and the new one in every space, at every frame. The animations of the arm last
// 0.2 seconds.
static double animation_error(const char *model_name, const char *animation_name, double rate)
{
    tenon_bbmod *old = open_model(model_name), *new = open_model(model_name);
    tenon_bbanim *keys = open_animation(animation_name), *frames = open_animation(animation_name);
    double worst = 0;
    CHECK(change(&new->base, (tenon_change_opts){.dialect = "3.4"}, NULL));
    tenon_change_opts opts = {.dialect = "3.4", .rate = rate, .spaces = 7, .model = &old->base};
    CHECK(change(&frames->base, opts, NULL));
    check_readable(&frames->base);
    CHECK((double)frames->frames.count == 0.2 * rate && frames->tics_per_second == rate);
    for (uint64_t i = 0; i < frames->frames.count; i++) {
        pose before = old_pose(keys, i, frames->frames.count);
        pose by_parent = pose_of_frame(frames, "parent", i);
        pose by_bone = pose_of_frame(frames, "bone", i);
        points a = draw(old, &before), b = draw(new, &by_parent), c = draw(new, &by_bone);
        if (points_apart(&a, &b) > worst) worst = points_apart(&a, &b);
        if (points_apart(&a, &c) > worst) worst = points_apart(&a, &c);
    }
    tenon_doc_free(&old->base);
    tenon_doc_free(&new->base);
    tenon_doc_free(&keys->base);
    tenon_doc_free(&frames->base);
    return worst;
}

TEST(old_animations_move_upgraded_models_as_before)
{
    static const struct {
        const char *model, *animation;
        double rate;
    } pairs[] = {
        {"1a_skinned", "1_wave", 10},
        {"1a_skinned", "1_wave", 60},
        {"1a_scaled", "1_wave", 10},
        {"1a_scaled", "1_wave", 60},
        {"1b_skinned", "1_wave", 60},
        {"2_skinned", "2_wave", 10},
        {"2_skinned", "2_wave", 60},
        {"2_skinned", "2_root", 60},
        {"2_accident", "2_wave", 60},
        {"2_accident", "2_root", 10},
        {"2_accident", "2_root", 60},
        {"2_scaled", "2_wave", 10},
        {"2_scaled", "2_wave", 60},
        {"3.0_skinned", "3.0_parent", 10},
        {"3.0_skinned", "3.0_bone", 10},
        {"3.0_skinned", "3.0-upper_parent", 10},
        {"3.0_skinned", "3.0-upper_events", 10},
        {"3.0_skinned", "3.1-lower_parent", 10},
        {"3.1_skinned", "3.1_bone", 10},
        {"3.1_skinned", "3.1_no_events", 10},
        {"3.1_skinned", "3.2_events", 10},
        {"3.1_skinned", "3.2_world_bone", 10},
        {"3.1_skinned", "3.3_events", 10},
        {"3.1_skinned", "3.3_parent", 10},
        {"3.4_skinned", "3.4_spaces_1", 10},
    };
    double worst = 0;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        double error = animation_error(pairs[i].model, pairs[i].animation, pairs[i].rate);
        if (!(error <= TOLERANCE)) {
            fprintf(stderr, "%s, %s: off by %g\n", pairs[i].model, pairs[i].animation, error);
            test_failures++;
        }
        if (error > worst) worst = error;
    }
    printf("largest error of all animations: %.3g of the box\n", worst);
}

// Every space can be computed from every other that has enough data.
TEST(spaces_are_computed_from_each_other)
{
    tenon_bbmod *model = open_model("3.4_skinned");
    for (uint32_t from = 1; from < 8; from++)
        for (uint32_t to = 1; to < 8; to++) {
            char name[32];
            snprintf(name, sizeof name, "3.4_spaces_%u", (unsigned)from);
            tenon_bbanim *doc = open_animation(name), *truth = open_animation("3.4_spaces_7");
            tenon_change_opts opts = {.spaces = to, .model = &model->base};
            CHECK(change(&doc->base, opts, NULL));
            CHECK(doc->spaces == to && doc->frames.count == 2);
            check_readable(&doc->base);
            for (uint64_t i = 0; i < 2; i++) {
                if (!(to & (TENON_BBANIM_BONE | TENON_BBANIM_PARENT))) continue;
                pose expected = pose_of_frame(truth, "bone", i);
                pose got = pose_of_frame(doc, to & TENON_BBANIM_BONE ? "bone" : "parent", i);
                points a = draw(model, &expected), b = draw(model, &got);
                CHECK(points_apart(&a, &b) <= TOLERANCE);
            }
            tenon_doc_free(&doc->base);
            tenon_doc_free(&truth->base);
        }
    tenon_doc_free(&model->base);
}

TEST(spaces_that_are_stored_stay_as_they_are)
{
    tenon_bbmod *model = open_model("3.4_skinned");
    tenon_bbanim *doc = open_animation("3.4_spaces_1");
    blob before = blob_written(&doc->base);
    CHECK(change(&doc->base, (tenon_change_opts){.spaces = 7, .model = &model->base}, NULL));
    CHECK(change(&doc->base, (tenon_change_opts){.spaces = 1}, NULL));
    blob after = blob_written(&doc->base);
    CHECK(blob_same(&before, &after));
    blob_free(&before);
    blob_free(&after);
    tenon_doc_free(&doc->base);
    tenon_doc_free(&model->base);
}

TEST(losses_of_animations_are_reported)
{
    static const struct {
        const char *animation, *dialect;
        uint32_t spaces;
        const char *losses;
    } cases[] = {
        {"3.4_events", "3.3", 0, "dropped events"},
        {"3.2_events", "3.4", 0, ""},
        {"3.2_events", "3.1", 0, "dropped events"},
        {"3.4_spaces_1", "3.4", 4, "dropped nodes that are not bones"},
        {"3.4_spaces_4", "3.4", 1, "defaulted nodes that are not bones"},
        {"3.4_spaces_1", "document", 0, "dropped frames"},
        {"repeated_parent", "3.4", 0, "dropped repeated frames"},
        {"3.4_spaces_7", "2", 0, ""},
        {"3.4_spaces_7", "1", 0, ""},
        {"document-spaces_all", "3.4", 0, ""},
        {"document_literal", "3.4", 0, "dropped spaces"},
        {"document-frames_literal", "3.4", 0, "dropped spaces"},
        {"3.4_spaces_1", "document-frames", 0, ""},
        {"document_parent", "2", 0, "dropped events"},
        {"3.4_fraction", "2", 0, "approximated duration"},
    };
    tenon_bbmod *model = open_model("3.4_skinned");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        losses lost;
        tenon_bbanim *doc = open_animation(cases[i].animation);
        tenon_change_opts opts = {
            .dialect = cases[i].dialect, .spaces = cases[i].spaces, .model = &model->base};
        CHECK(change(&doc->base, opts, &lost));
        CHECK_STR(lost.text, cases[i].losses);
        check_readable(&doc->base);
        tenon_doc_free(&doc->base);
    }
    tenon_doc_free(&model->base);
}

TEST(frames_of_a_broken_exporter_are_repaired)
{
    tenon_bbanim *doc = open_animation("repeated_parent"), *truth = open_animation("3.4_spaces_1");
    CHECK(change(&doc->base, (tenon_change_opts){.dialect = "3.4"}, NULL));
    CHECK(doc->frames.size == truth->frames.size && doc->event_count == 2);
    CHECK(memcmp(doc->frames.data, truth->frames.data, (size_t)truth->frames.size) == 0);
    tenon_doc_free(&doc->base);
    tenon_doc_free(&truth->base);
}

// The first frame and a part of the second one.
TEST(a_clip_that_was_cut_lasts_as_long_as_its_frames)
{
    blob file = blob_load(ANIMATIONS "3.4_spaces_1.bbanim");
    tenon_read_opts opts = {.format = "bbanim", .partial = true, .incomplete = true};
    losses lost = {0};
    tenon_doc *doc = tenon_read(file.data, 300, &opts, NULL);
    CHECK(doc &&
          tenon_recover(doc, &(tenon_change_opts){.events = {.user = &lost, .on_loss = note_loss}},
                        NULL));
    CHECK_STR(lost.text, "dropped frames");
    const tenon_bbanim *cut = doc ? tenon_as_bbanim(doc) : NULL;
    CHECK(cut && cut->frame_count == 1 && cut->frames.count == 1 && cut->duration == 1);
    if (doc) check_readable(doc);
    tenon_doc_free(doc);
    blob_free(&file);
}

// Frames converted to keys and baked again give the same frames.
TEST(keys_made_of_frames_move_the_same)
{
    tenon_bbmod *model = open_model("3.4_skinned");
    tenon_bbanim *doc = open_animation("3.4_spaces_7"), *truth = open_animation("3.4_spaces_1");
    CHECK(change(&doc->base, (tenon_change_opts){.dialect = "2"}, NULL));
    CHECK(doc->channel_count == 5 && doc->channels[3].rotations.count == 1);
    for (uint64_t i = 0; i < 2; i++) {
        pose expected = pose_of_frame(truth, "parent", i), got = pose_of_keys(doc, (double)i);
        points a = draw(model, &expected), b = draw(model, &got);
        CHECK(points_apart(&a, &b) <= TOLERANCE);
    }
    tenon_doc_free(&doc->base);
    tenon_doc_free(&truth->base);
    tenon_doc_free(&model->base);
}

TEST(a_change_that_needs_the_model_says_so)
{
    tenon_bbmod *model = open_model("3.4_full");
    tenon_bbanim *doc = open_animation("2_wave");
    tenon_error err;
    CHECK(!tenon_change(&doc->base, &(tenon_change_opts){.dialect = "3.4"}, &err));
    CHECK(err.code == TENON_ERR_UNSUPPORTED);
    CHECK_STR(err.message, "baking keyframes requires the model, which was not given");
    tenon_change_opts opts = {.dialect = "3.4", .model = &model->base};
    CHECK(!tenon_change(&doc->base, &opts, &err));
    CHECK(err.code == TENON_ERR_VALUE);
    CHECK_STR(err.message, "the animation is for 5 nodes, but the model has 2");
    CHECK_STR(doc->base.dialect->name, "2");
    tenon_doc_free(&doc->base);
    doc = open_animation("3.4_spaces_4");
    CHECK(!tenon_change(&doc->base, &(tenon_change_opts){.spaces = 1}, &err));
    CHECK(err.code == TENON_ERR_UNSUPPORTED);
    tenon_doc_free(&doc->base);
    tenon_doc_free(&model->base);
}

// Version 2 moves nodes, version 1 the bones among them, which have the first numbers.
TEST(keys_of_bones_outlive_those_of_other_nodes)
{
    tenon_bbmod *model = open_model("2_skinned");
    tenon_bbanim *before = open_animation("2_wave"), *after = open_animation("2_wave");
    losses lost;
    uint32_t last = before->channel_count - 1, other = 0;
    before->channels[0].index = after->channels[0].index = (float)model->node_count - 1;
    CHECK(change(&after->base, (tenon_change_opts){.dialect = "1", .model = &model->base}, &lost));
    for (uint32_t i = 0, k = 0; i <= last; i++) {
        if (before->channels[i].index >= (float)after->model_bone_count) {
            other++;
            continue;
        }
        const tenon_bbanim_channel *was = &before->channels[i], *is = &after->channels[k++];
        CHECK(is->index == was->index && is->positions.count == was->positions.count);
        CHECK(is->rotations.count == was->rotations.count);
        CHECK(is->rotations.size == was->rotations.size &&
              memcmp(is->rotations.data, was->rotations.data, (size_t)is->rotations.size) == 0);
    }
    CHECK(other > 0 && lost.count == other && after->channel_count == last + 1 - other);
    tenon_doc_free(&after->base);
    tenon_doc_free(&before->base);
    tenon_doc_free(&model->base);
}

TEST(keys_are_baked_at_the_chosen_rate)
{
    tenon_bbmod *model = open_model("2_skinned");
    tenon_bbanim *doc = open_animation("2_wave");
    CHECK(change(&doc->base, (tenon_change_opts){.dialect = "3.4", .model = &model->base}, NULL));
    CHECK(doc->duration == 12 && doc->frame_count == 12 && doc->tics_per_second == 60);
    CHECK(doc->model_node_count == 5 && doc->model_bone_count == 2);
    CHECK(doc->channel_count == 0);
    tenon_doc_free(&doc->base);
    tenon_doc_free(&model->base);
}

int main(void)
{
    RUN(every_model_draws_the_same_in_every_version);
    RUN(an_upgrade_and_its_reverse_give_the_same_bytes);
    RUN(a_second_change_sees_what_would_be_read);
    RUN(losses_of_models_are_reported);
    RUN(what_is_never_drawn_is_not_kept_where_it_would_be);
    RUN(colors_keep_their_meaning);
    RUN(unset_boxes_are_computed_on_upgrading_and_refreshing);
    RUN(old_animations_move_upgraded_models_as_before);
    RUN(spaces_are_computed_from_each_other);
    RUN(spaces_that_are_stored_stay_as_they_are);
    RUN(losses_of_animations_are_reported);
    RUN(frames_of_a_broken_exporter_are_repaired);
    RUN(a_clip_that_was_cut_lasts_as_long_as_its_frames);
    RUN(keys_made_of_frames_move_the_same);
    RUN(a_change_that_needs_the_model_says_so);
    RUN(keys_of_bones_outlive_those_of_other_nodes);
    RUN(keys_are_baked_at_the_chosen_rate);
    TEST_END();
}
