// test_regressions.c: inputs that once made the library misbehave, reduced as far as possible.
// SPDX-License-Identifier: MIT

#include <float.h>

#include "../poke.h"
#include "../robust_properties.h"
#include "../test.h"
#include "formats/gpb/gpb_format.h"

// A model of one bone: header, no vertices, no faces, the bone, no clips.
static const uint8_t one_bone[80] = {
    'B', 'P', 'L', 'X', 1, [24] = 1, [32] = 0xff, 0xff, 0xff, 0xff};

// -- Checking

static void keep_message(void *user, const tenon_finding *finding)
{
    if (strcmp(finding->rule->id, "bplx/rotation-unit") == 0)
        snprintf(user, 64, "%s", finding->message);
}

// The length of a rotation was shown as an integer, which need not hold it.
TEST(a_rotation_can_be_longer_than_an_integer_can_hold)
{
    static const float lengths[] = {1.5f, 1e6f, 1e10f, 1e30f, FLT_MAX};
    static const char *const messages[] = {
        "the rotation has the length 1.500",
        "the rotation has the length 1000000.000",
        "the length of the rotation is more than 1000000",
        "the length of the rotation is more than 1000000",
        "the length of the rotation is more than 1000000",
    };
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        uint8_t file[sizeof one_bone];
        char message[64] = "";
        memcpy(file, one_bone, sizeof file);
        CHECK(poke_f32(file, sizeof file, "bones[0].rest_rotation[1]", lengths[i]));
        tenon_doc *doc = tenon_read(file, sizeof file, NULL, NULL);
        CHECK(doc && tenon_check(doc, NULL, keep_message, message, NULL, NULL));
        CHECK_STR(message, messages[i]);
        tenon_doc_free(doc);
    }
}

// The text of a file that ends before its first chunk was reported at 0x14, beyond the end.
TEST(a_finding_about_a_missing_text_is_in_the_file)
{
    static const uint8_t header[] = {'g', 'l', 'T', 'F', 2, 0, 0, 0, 12, 0, 0, 0};
    tenon_read_opts opts = {.format = "gltf"};
    for (size_t size = 0; size <= sizeof header; size++) {
        const char *fault = fault_in_reading(header, size, &opts, false);
        CHECK_STR(fault ? fault : "", "");
    }
}

// An animation that was cut has neither name nor target: memcmp() got null pointers.
TEST(names_that_are_not_there_are_compared)
{
    CHECK(gpb_is_named_like((tenon_str){0}, (tenon_str){0}));
    CHECK(!gpb_is_named_like((tenon_str){0}, (tenon_str){"a", 1}));
    CHECK(!gpb_is_named_like((tenon_str){"a", 1}, (tenon_str){0}));
    CHECK(gpb_is_named_like((tenon_str){"a.b", 3}, (tenon_str){"a", 1}));
}

// -- Reading

static bool lose_patience(void *user, uint64_t done, uint64_t total)
{
    (void)done;
    (void)total;
    return (*(int *)user)-- > 0;
}

// A cancelled trial returned a document whose memory the next trial had got.
TEST(a_cancelled_trial_leaves_no_document)
{
    for (int patience = 0; patience < 8; patience++) {
        int left = patience;
        tenon_error err;
        tenon_read_opts opts = {.partial = true,
                                .events = {.user = &left, .on_progress = lose_patience}};
        tenon_doc *doc = tenon_read(one_bone, sizeof one_bone, &opts, &err);
        CHECK(err.code == TENON_OK || err.code == TENON_ERR_CANCELLED);
        if (doc) CHECK(tenon_check(doc, NULL, NULL, NULL, NULL, NULL));
        tenon_doc_free(doc);
    }
}

// The dialect that would have fitted ran into the limit, and the error was that of another one.
TEST(a_limit_is_not_reported_as_a_fault_of_the_file)
{
    for (uint64_t limit = 1; limit < 2000; limit++) {
        tenon_error err;
        tenon_read_opts opts = {.max_memory = limit};
        tenon_doc *doc = tenon_read(one_bone, sizeof one_bone, &opts, &err);
        CHECK(doc || err.code == TENON_ERR_LIMIT);
        tenon_doc_free(doc);
    }
}

int main(void)
{
    RUN(a_rotation_can_be_longer_than_an_integer_can_hold);
    RUN(a_finding_about_a_missing_text_is_in_the_file);
    RUN(names_that_are_not_there_are_compared);
    RUN(a_cancelled_trial_leaves_no_document);
    RUN(a_limit_is_not_reported_as_a_fault_of_the_file);
    TEST_END();
}
