// test_bbmod_dialects_odd.c: changes of BBMOD files that are cut short, unusual, or too large, and
// invalid changes: each gives a file that can be read, or an error with the reason.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE

#include "model_help.h"

#include <tenon/bbmod.h>

#include <dirent.h>
#include <math.h>

#define MODELS     "tests/fixtures/bbmod/"
#define ANIMATIONS "tests/fixtures/bbanim/"
#define CUT_STEP   5  // Bytes from one cut to the next: not a divisor of the size of a field.

static tenon_doc *open_with(const char *path, const tenon_read_opts *opts)
{
    tenon_error err;
    tenon_doc *doc = tenon_read_file(path, opts, &err);
    if (doc) return doc;
    fprintf(stderr, "%s: %s\n", path, err.message);
    exit(1);
}

static tenon_bbanim *open_animation(const char *path)
{
    return tenon_as_bbanim(open_with(path, NULL));
}

// Whether what is written of `doc` is read again in its dialect.
static bool is_kept(const tenon_doc *doc)
{
    blob file = blob_written(doc);
    tenon_read_opts opts = {.format = doc->format->name, .dialect = doc->dialect->name};
    tenon_error err;
    tenon_doc *again = tenon_read(file.data, file.size, &opts, &err);
    if (!again) fprintf(stderr, "as %s: %s\n", doc->dialect->name, err.message);
    tenon_doc_free(again);
    blob_free(&file);
    return again != NULL;
}

// -- Files that are cut

static void change_part(const blob *file, size_t size, uint32_t dialect)
{
    tenon_error err;
    tenon_doc *doc = tenon_read(file->data, size, &(tenon_read_opts){.partial = true}, &err);
    if (!doc) return;
    bool is_there = dialect < doc->format->dialect_count;
    const char *name = is_there ? doc->format->dialects[dialect].name : NULL;
    tenon_change_opts opts = {.dialect = name, .refresh = true};
    if (tenon_change(doc, &opts, &err))
        CHECK(is_kept(doc));
    else
        CHECK(err.code == TENON_ERR_UNSUPPORTED);
    tenon_doc_free(doc);
}

static unsigned change_parts(const char *folder)
{
    unsigned count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        char path[600];
        if (!strstr(entry->d_name, ".bb")) continue;
        snprintf(path, sizeof path, "%s%s", folder, entry->d_name);
        blob file = blob_load(path);
        int failures = test_failures;
        for (size_t size = 6; size < file.size; size += CUT_STEP)
            for (uint32_t i = 0; i < 13; i++) change_part(&file, size, i);
        if (failures != test_failures) fprintf(stderr, "%s\n", path);
        blob_free(&file);
        count++;
    }
    if (dir) closedir(dir);
    return count;
}

TEST(what_remains_of_a_cut_file_can_be_changed)
{
    CHECK(change_parts(MODELS) >= 30);
    CHECK(change_parts(ANIMATIONS) >= 30);
}

TEST(frames_that_are_whole_outlive_a_cut)
{
    blob file = blob_load(ANIMATIONS "3.4_spaces_1.bbanim");
    tenon_error err;
    tenon_read_opts opts = {.partial = true};
    tenon_bbanim *doc = tenon_as_bbanim(tenon_read(file.data, file.size - 30, &opts, &err));
    CHECK(err.code == TENON_ERR_TRUNCATED && doc->is_cut);
    CHECK(tenon_change(&doc->base, &(tenon_change_opts){.dialect = "3.1"}, &err));
    CHECK(doc->duration == 1 && doc->frame_count == 1 && is_kept(&doc->base));
    tenon_doc_free(&doc->base);
    blob_free(&file);
}

// -- Bytes after the end

static void note_loss(void *user, const tenon_loss *loss)
{
    if (strcmp(loss->feature, "bytes after the end") == 0) *(uint64_t *)user += loss->count;
}

static void change_with_trailing(const blob *file, const tenon_dialect *dialect)
{
    uint64_t dropped = 0;
    tenon_error err;
    tenon_doc *doc = tenon_read(file->data, file->size, NULL, &err), *again = NULL;
    tenon_change_opts opts = {.dialect = dialect->name,
                              .events = {.user = &dropped, .on_loss = note_loss}};
    CHECK(doc && doc->trailing.size == 4);
    CHECK(tenon_change(doc, &opts, &err));
    blob changed = blob_written(doc);
    again = tenon_read(changed.data, changed.size, NULL, &err);
    CHECK(again && again->format == doc->format && dropped == 4);
    CHECK(again && again->trailing.size == 0);
    tenon_doc_free(again);
    tenon_doc_free(doc);
    blob_free(&changed);
}

// Version 1 would read them as names of materials, version 0 would not be recognized.
TEST(bytes_after_the_end_do_not_follow_into_another_dialect)
{
    blob file = blob_load(MODELS "3.4_static.bbmod");
    blob_add(&file, "abc", 4);
    const tenon_format *format = tenon_format_by_name("bbmod");
    for (uint32_t i = 1; i < format->dialect_count; i++)
        change_with_trailing(&file, &format->dialects[i]);
    blob_free(&file);
}

// -- Too large

// Ten minutes at 60 frames per second, of a clip of a few hundred bytes.
static bool bake_long_clip(uint64_t max_memory, tenon_bbanim **clip, tenon_error *err)
{
    tenon_doc *model = open_with(MODELS "2_skinned.bbmod", NULL);
    tenon_read_opts opts = {.max_memory = max_memory};
    *clip = tenon_as_bbanim(open_with(ANIMATIONS "2_wave.bbanim", &opts));
    (*clip)->duration = 6000;
    bool ok =
        tenon_change(&(*clip)->base, &(tenon_change_opts){.dialect = "3.4", .model = model}, err);
    tenon_doc_free(model);
    return ok;
}

TEST(a_clip_too_long_for_the_limit_says_how_much_it_needs)
{
    tenon_error err;
    tenon_bbanim *clip;
    CHECK(!bake_long_clip((uint64_t)4 << 20, &clip, &err));
    CHECK(err.code == TENON_ERR_LIMIT);
    CHECK(strstr(err.message, "the changed frames need 5760000 bytes, the memory limit of 4194304 "
                              "leaves ") == err.message);
    CHECK_STR(clip->base.dialect->name, "2");
    tenon_doc_free(&clip->base);
    CHECK(bake_long_clip((uint64_t)8 << 20, &clip, &err));
    CHECK(clip->frame_count == 36000 && clip->duration == 36000 && is_kept(&clip->base));
    tenon_doc_free(&clip->base);
}

// Change with as little memory as reading leaves, then with more and more, until it is enough.
static void change_within_limits(const char *path, const char *dialect)
{
    tenon_doc *model = open_with(MODELS "2_skinned.bbmod", NULL);
    tenon_change_opts change = {.dialect = dialect, .model = model};
    unsigned refused = 0;
    bool is_enough = false;
    for (uint64_t limit = 1024; !is_enough && limit < (uint64_t)1 << 20; limit += 64) {
        tenon_error err;
        tenon_doc *doc = tenon_read_file(path, &(tenon_read_opts){.max_memory = limit}, &err);
        is_enough = doc && tenon_change(doc, &change, &err);
        CHECK(is_enough || err.code == TENON_ERR_LIMIT);
        refused += doc && !is_enough;
        tenon_doc_free(doc);
    }
    CHECK(is_enough && refused > 0);
    tenon_doc_free(model);
}

TEST(reaching_a_limit_is_reported_as_such)
{
    static const char *const dialects[] = {"3.4", "3.1", "1a", "0", "document"};
    for (size_t i = 0; i < sizeof dialects / sizeof dialects[0]; i++)
        change_within_limits(MODELS "2_scaled.bbmod", dialects[i]);
    change_within_limits(MODELS "1a_scaled.bbmod", "3.4");
    change_within_limits(ANIMATIONS "2_root.bbanim", "3.4");
    change_within_limits(ANIMATIONS "2_root.bbanim", "1");
}

// -- Requests that make no sense

TEST(invalid_requests_are_refused)
{
    static const struct {
        const char *path, *dialect;
        double rate;
        uint32_t spaces;
        const char *message;
    } cases[] = {
        {ANIMATIONS "3.4_spaces_1.bbanim", NULL, 0, 8,
         "the spaces must be a combination of 1, 2 and 4"},
        {ANIMATIONS "3.4_spaces_1.bbanim", "repeated", 0, 0,
         "the dialect 'repeated' is a bug of the runtime and can only be read"},
        {ANIMATIONS "repeated_parent.bbanim", NULL, 0, 3,
         "the frames must be repaired first: change the dialect to 3.4"},
        {ANIMATIONS "3.4_spaces_1.bbanim", "document", 0, 3,
         "this dialect stores frames in parent space only"},
        {ANIMATIONS "3.4_spaces_1.bbanim", "3.1", 30, 0,
         "the rate can be changed only for keyframes, not for baked frames"},
        {ANIMATIONS "2_wave.bbanim", "1", 30, 0,
         "the rate applies only if keyframes are converted to frames (version 3)"},
        {ANIMATIONS "2_wave.bbanim", NULL, 0, 1,
         "spaces can be chosen only for baked frames, not for keyframes"},
        {ANIMATIONS "3.4_empty.bbanim", "document", 0, 0,
         "this dialect stores 1 frame, but the animation has 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tenon_doc *doc = open_with(cases[i].path, NULL);
        tenon_change_opts opts = {
            .dialect = cases[i].dialect, .rate = cases[i].rate, .spaces = cases[i].spaces};
        tenon_error err;
        CHECK(!tenon_change(doc, &opts, &err));
        CHECK(err.code == TENON_ERR_UNSUPPORTED);
        CHECK_STR(err.message, cases[i].message);
        tenon_doc_free(doc);
    }
}

TEST(a_clip_without_a_length_is_not_baked)
{
    const double times[][2] = {{NAN, 10}, {1, 0}, {1, NAN}, {-1, 10}, {1e12, 10}, {INFINITY, 10}};
    tenon_doc *model = open_with(MODELS "2_skinned.bbmod", NULL);
    tenon_error err;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        tenon_bbanim *doc = open_animation(ANIMATIONS "2_wave.bbanim");
        doc->duration = times[i][0];
        doc->tics_per_second = times[i][1];
        tenon_change_opts opts = {.dialect = "3.4", .model = model};
        CHECK(!tenon_change(&doc->base, &opts, &err) && err.code == TENON_ERR_VALUE);
        tenon_doc_free(&doc->base);
    }
    CHECK_STR(err.message, "a duration of inf, 10 tics per second and 60 frames per second must "
                           "give 1 to 1000000000 frames");
    tenon_doc_free(model);
}

// -- What is computed again

TEST(refreshing_counts_nodes_wherever_they_are_counted)
{
    static const char *const paths[] = {MODELS "3.4_skinned.bbmod", MODELS "3.0_skinned.bbmod",
                                        MODELS "2_skinned.bbmod", MODELS "document_skinned.bbmod"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        tenon_error err;
        tenon_bbmod *doc = tenon_as_bbmod(open_with(paths[i], NULL));
        uint32_t count = doc->node_count;
        doc->node_count = 99;
        CHECK(tenon_change(&doc->base, &(tenon_change_opts){.refresh = true}, &err));
        CHECK(doc->node_count == count);
        tenon_doc_free(&doc->base);
    }
}

static bool has_bounds(const tenon_doc *doc, bool full)
{
    tenon_info info = {0};
    CHECK(tenon_doc_info(doc, &(tenon_info_opts){.full = full}, &info, NULL));
    bool has = info.has_bounds;
    tenon_info_free(&info);
    return has;
}

TEST(a_box_that_is_not_finite_is_ignored)
{
    tenon_bbmod *doc = tenon_as_bbmod(open_with(MODELS "3.4_static.bbmod", NULL));
    CHECK(has_bounds(&doc->base, false));
    doc->meshes[0].bbox_min[1] = NAN;
    CHECK(!has_bounds(&doc->base, false));
    doc->meshes[0].bbox_min[1] = -INFINITY;
    CHECK(!has_bounds(&doc->base, true));
    tenon_doc_free(&doc->base);
}

int main(void)
{
    RUN(what_remains_of_a_cut_file_can_be_changed);
    RUN(frames_that_are_whole_outlive_a_cut);
    RUN(bytes_after_the_end_do_not_follow_into_another_dialect);
    RUN(a_clip_too_long_for_the_limit_says_how_much_it_needs);
    RUN(reaching_a_limit_is_reported_as_such);
    RUN(invalid_requests_are_refused);
    RUN(a_clip_without_a_length_is_not_baked);
    RUN(refreshing_counts_nodes_wherever_they_are_counted);
    RUN(a_box_that_is_not_finite_is_ignored);
    TEST_END();
}
