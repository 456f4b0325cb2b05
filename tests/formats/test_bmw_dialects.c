// test_bmw_dialects.c: BMW from one layout to another: what stays, what is lost; limits of the
// engine.
// SPDX-License-Identifier: MIT

#include "model_help.h"

#include <tenon/bmw.h>

#define FOLDER "tests/fixtures/bmw/"

static const char *const layouts[] = {"R4", "R3", "R2", "document", "R2a", "R1", "R0"};

#define LAYOUT_COUNT (sizeof layouts / sizeof layouts[0])

static tenon_bmw *open_fixture(const char *name)
{
    char path[256];
    tenon_error err;
    snprintf(path, sizeof path, FOLDER "%s.bmw", name);
    tenon_doc *doc = tenon_read_file(path, NULL, &err);
    if (doc) return tenon_as_bmw(doc);
    fprintf(stderr, "%s: %s\n", path, err.message);
    exit(1);
}

// -- Losses

typedef struct loss_log {
    char text[1024];  // "dropped names 4; synthesized rate 2; "
} loss_log;

static void note_loss(void *user, const tenon_loss *loss)
{
    loss_log *log = user;
    size_t used = strlen(log->text);
    snprintf(log->text + used, sizeof log->text - used, "%s %s %" PRIu64 "; ",
             tenon_loss_word(loss->kind), loss->feature, loss->count);
    CHECK(loss->why[0] != '\0');
}

static loss_log change_at_rate(tenon_bmw *doc, const char *dialect, double rate)
{
    loss_log log = {""};
    tenon_error err;
    const tenon_change_opts opts = {
        .dialect = dialect, .events = {.user = &log, .on_loss = note_loss}, .rate = rate};
    if (!tenon_change(&doc->base, &opts, &err)) {
        fprintf(stderr, "to %s: %s\n", dialect, err.message);
        test_failures++;
    }
    CHECK_STR(doc->base.dialect->name, dialect);
    return log;
}

static loss_log change(tenon_bmw *doc, const char *dialect)
{
    return change_at_rate(doc, dialect, 0);
}

// -- Every pair

// The bytes of the model in a layout are those of the fixture that the packer made, if the layouts
// on the way lose and synthesize nothing.
static bool is_lossless(const char *from, const char *to)
{
    bool short_from = strcmp(from, "R1") == 0 || strcmp(from, "R0") == 0;
    bool short_to = strcmp(to, "R1") == 0 || strcmp(to, "R0") == 0;
    if (short_to) return strcmp(from, "R0") != 0 || strcmp(to, "R0") == 0;
    return !short_from && strcmp(from, "R2a") != 0 && strcmp(to, "R4") != 0;
}

static void check_pair(const char *from, const char *to)
{
    char name[64];
    snprintf(name, sizeof name, "%s_full", from);
    tenon_bmw *doc = open_fixture(name);
    change(doc, to);
    blob got = blob_written(&doc->base);
    tenon_error err;
    // Without a bone R2, R2a and the document's layout are the same.
    tenon_read_opts opts = {.dialect = doc->animation_count ? NULL : to, .format = "bmw"};
    tenon_doc *again = tenon_read(got.data, got.size, &opts, &err);
    CHECK(again != NULL);
    if (again) CHECK_STR(again->dialect->name, to);
    tenon_doc_free(again);
    if (is_lossless(from, to)) {
        snprintf(name, sizeof name, FOLDER "%s_full.bmw", to);
        blob want = blob_load(name);
        CHECK(blob_same(&got, &want));
        blob_free(&want);
    }
    CHECK(maps_whole(&got));
    tenon_doc_free(&doc->base);
    blob_free(&got);
}

TEST(every_layout_becomes_every_other)
{
    for (size_t i = 0; i < LAYOUT_COUNT; i++)
        for (size_t k = 0; k < LAYOUT_COUNT; k++)
            if (i != k) check_pair(layouts[i], layouts[k]);
}

TEST(an_order_can_be_changed_and_changed_back)
{
    static const struct {
        const char *from, *to, *expected, *back;
    } cases[] = {
        {"R4_full", "R4-row", FOLDER "R4_row.bmw", "R4-column"},
        {"R3_row", "R3-column", FOLDER "R3_full.bmw", "R3-row"},
        {"R2_full", "R2-column", FOLDER "R2_column.bmw", "R2-row"},
        {"document_full", "document-row", FOLDER "document_row.bmw", "document-column"},
        {"R1_column", "R1-row", FOLDER "R1_full.bmw", "R1-column"},
        {"R0_full", "R0-column", FOLDER "R0_column.bmw", "R0-row"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tenon_bmw *doc = open_fixture(cases[i].from);
        blob before = blob_written(&doc->base), want = blob_load(cases[i].expected);
        CHECK_STR(change(doc, cases[i].to).text, "");
        blob turned = blob_written(&doc->base);
        CHECK(blob_same(&turned, &want));
        CHECK_STR(change(doc, cases[i].back).text, "");
        blob after = blob_written(&doc->base);
        CHECK(blob_same(&before, &after));
        tenon_doc_free(&doc->base);
        blob_free(&before);
        blob_free(&want);
        blob_free(&turned);
        blob_free(&after);
    }
}

// -- Losses of a change

static void check_losses(const char *from, const char *to, const char *losses)
{
    tenon_bmw *doc = open_fixture(from);
    CHECK_STR(change(doc, to).text, losses);
    tenon_doc_free(&doc->base);
}

TEST(losses_are_reported)
{
    check_losses("R4_full", "R3", "dropped names 4; ");
    check_losses("R4_full", "R2", "dropped names 4; ");
    check_losses("R4_full", "document", "approximated durations 2; dropped names 4; ");
    check_losses("document_full", "R2", "approximated durations 2; ");
    check_losses("document_full", "document-newline", "");
    check_losses("R2a_full", "document", "synthesized rate 2; ");
    check_losses("R4_full", "R2a", "dropped durations and rates 2; dropped names 4; ");
    check_losses("R4_full", "R1", "dropped animations 2; dropped weights 2; dropped names 4; ");
    check_losses("R4_full", "R0",
                 "dropped animations 2; dropped weights 2; dropped faces 1; dropped names 4; ");
    check_losses("R3_full", "R4", "synthesized names 4; ");
    check_losses("R3_row", "R4", "synthesized names 4; ");
    check_losses("R2a_full", "R4", "synthesized rate 2; synthesized names 4; ");
    check_losses("R1_full", "R4", "synthesized node ids 4; synthesized names 4; ");
    check_losses("R0_full", "R4",
                 "defaulted faces 2; synthesized node ids 4; synthesized names 4; ");
    check_losses("R1_turned", "R4",
                 "defaulted matrix order 1; synthesized node ids 2; synthesized names 2; ");
    check_losses("R2a_uneven", "R3", "synthesized frames 2; synthesized rate 2; ");
    check_losses("document_no_frames", "R2", "synthesized frames 2; ");
    check_losses("R4_tick_zero", "R2a",
                 "approximated matrices 2; dropped durations and rates 1; dropped names 2; ");
    check_losses("R4_full", "R4", "");
}

TEST(an_upgrade_names_the_nodes_after_their_ids)
{
    tenon_bmw *doc = open_fixture("R1_full");
    change(doc, "R4");
    CHECK(doc->name_count == 4 && doc->root.children[1].node_id == 3);
    CHECK_STR(doc->names[0].name.data, "node_0");
    CHECK_STR(doc->names[3].name.data, "node_3");
    CHECK(doc->names[3].node_id == 3 && !doc->is_row_major);
    tenon_doc_free(&doc->base);
}

TEST(a_lost_rate_is_the_one_given_or_60)
{
    static const struct {
        double given;
        uint32_t rate;
        const char *losses;
    } cases[] = {
        {0, 60, "synthesized rate 2; "},
        {24, 24, "synthesized rate 2; "},
        {29.97, 30, "synthesized rate 2; approximated rate 2; "},
        {24.4, 24, "synthesized rate 2; approximated rate 2; "},
        {0.25, 1, "synthesized rate 2; approximated rate 2; "},
        {1e12, UINT32_MAX, "synthesized rate 2; approximated rate 2; "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tenon_bmw *doc = open_fixture("R2a_full");
        loss_log log = change_at_rate(doc, "R3", cases[i].given);
        CHECK_STR(log.text, cases[i].losses);
        CHECK(doc->animations[0].rate == cases[i].rate && doc->animations[1].rate == cases[i].rate);
        CHECK(doc->animations[0].duration == 1 && doc->animations[1].duration == 0);
        tenon_doc_free(&doc->base);
    }
}

TEST(durations_count_as_the_layout_does)
{
    tenon_bmw *doc = open_fixture("R3_no_bones");
    change(doc, "document");
    CHECK(doc->animations[0].duration == 1 && doc->animations[1].duration == 4);
    change(doc, "R2");
    CHECK(doc->animations[0].duration == 0 && doc->animations[1].duration == 3);
    doc->animations[0].duration = UINT32_MAX;
    change(doc, "document");
    CHECK(doc->animations[0].duration == UINT32_MAX);
    tenon_doc_free(&doc->base);
}

// Put a matrix after the first animation that ends like those by which R2a's frames are counted.
// It consists of the head of the second animation and the frame of its first bone.
static tenon_bmw *open_uncountable(void)
{
    tenon_bmw *doc = open_fixture("R2_full");
    uint8_t *frame = tenon_doc_alloc(&doc->base, 64);
    if (!frame) abort();
    memcpy(frame + 44, "\0\0\x80\x3F", 4);  // The last number of the third row.
    doc->animations[1].bones[0].frames.data = frame;
    return doc;
}

TEST(what_could_not_be_counted_is_not_written)
{
    tenon_bmw *doc = open_uncountable();
    tenon_error err;
    CHECK(!tenon_change(&doc->base, &(tenon_change_opts){.dialect = "R2a"}, &err));
    CHECK(err.code == TENON_ERR_UNSUPPORTED);
    tenon_doc_free(&doc->base);
}

TEST(frames_of_removed_bones_do_not_count)
{
    tenon_bmw *doc = open_uncountable();
    doc->animations[1].bone_count = 0;
    loss_log log = change(doc, "R2a");
    CHECK_STR(log.text, "dropped durations and rates 2; ");
    tenon_doc_free(&doc->base);
}

TEST(a_change_without_memory_fails)
{
    blob file = blob_load(FOLDER "R2_full.bmw");
    unsigned refused = 0, done = 0;
    for (uint64_t most = 1024; most < 8192; most += 32) {
        tenon_error err;
        const tenon_read_opts opts = {.max_memory = most};
        tenon_doc *doc = tenon_read(file.data, file.size, &opts, &err);
        if (!doc) continue;
        bool ok = tenon_change(doc, &(tenon_change_opts){.dialect = "R4"}, &err);
        CHECK(ok || err.code == TENON_ERR_LIMIT);
        refused += !ok;
        done += ok;
        tenon_doc_free(doc);
    }
    CHECK(refused > 0 && done > 0);
    blob_free(&file);
}

// -- Limits of the engine

static void note_rule(void *user, const tenon_finding *finding)
{
    char *text = user;
    size_t used = strlen(text);
    snprintf(text + used, 512 - used, "%s %s; ", finding->rule->id, finding->path);
}

static void check_profile(tenon_bmw *doc, const char *profile, const char *expected)
{
    char text[512] = "";
    tenon_error err;
    CHECK(tenon_check(&doc->base, &(tenon_check_opts){.profile = profile}, note_rule, text, NULL,
                      &err));
    if (*expected ? !strstr(text, expected) : strstr(text, "bmw/layout-old") != NULL) {
        fprintf(stderr, "got \"%s\", want \"%s\"\n", text, expected);
        test_failures++;
    }
}

TEST(limits_of_the_engine_are_reported_on_request)
{
    tenon_bmw *doc = open_fixture("R2_full");
    check_profile(doc, NULL, "");
    check_profile(doc, "gameplay", "");
    check_profile(doc, "beowolf", "bmw/layout-old header; ");
    check_profile(doc, "beowolf", "bmw/node-transform root.children[0].children[0].transform; ");
    doc->meshes[1].weighted_vertices = doc->meshes[0].weighted_vertices;
    check_profile(doc, "beowolf", "bmw/weight-meshes meshes[1].weighted_vertices; ");
    doc->animations[0].bones[0].node_id = 128;
    check_profile(doc, "beowolf", "bmw/node-limit animations[0].bones[0].node_id; ");
    tenon_doc_free(&doc->base);
    doc = open_fixture("R3_full");
    check_profile(doc, "beowolf", "");
    tenon_doc_free(&doc->base);
}

int main(void)
{
    RUN(every_layout_becomes_every_other);
    RUN(an_order_can_be_changed_and_changed_back);
    RUN(losses_are_reported);
    RUN(an_upgrade_names_the_nodes_after_their_ids);
    RUN(a_lost_rate_is_the_one_given_or_60);
    RUN(durations_count_as_the_layout_does);
    RUN(what_could_not_be_counted_is_not_written);
    RUN(frames_of_removed_bones_do_not_count);
    RUN(a_change_without_memory_fails);
    RUN(limits_of_the_engine_are_reported_on_request);
    TEST_END();
}
