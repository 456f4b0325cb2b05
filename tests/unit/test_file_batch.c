// test_file_batch.c: files that get their names together, or not at all.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include "output_help.h"

static tenon_batch *begin(tenon_write_opts *opts)
{
    clear();
    tenon_batch *batch = tenon_batch_new(NULL, NULL);
    opts->batch = batch;
    return batch;
}

TEST(nothing_has_a_name_before_the_end)
{
    tenon_write_opts opts = {.force = true};
    tenon_batch *batch = begin(&opts);
    scratch_save("b", old, sizeof old);
    CHECK(save("a", &opts, NULL) && save("b", &opts, NULL));
    CHECK(!scratch_exists("a") && holds_old("b"));
    CHECK(scratch_count(".tenon-") == 2);
    CHECK(tenon_batch_commit(batch, NULL));
    CHECK(holds_new("a") && holds_new("b"));
    CHECK(scratch_count(".tenon-") == 0);
    tenon_batch_free(batch);
}

TEST(what_is_not_committed_is_gone)
{
    tenon_write_opts opts = {.force = true};
    tenon_batch *batch = begin(&opts);
    CHECK(save("a", &opts, NULL) && save("b", &opts, NULL));
    tenon_batch_free(batch);
    CHECK(!scratch_exists("a") && !scratch_exists("b"));
    CHECK(scratch_count(".tenon-") == 0);
    tenon_batch_free(NULL);
}

// While they are on their way, they are no leftovers for anybody else.
TEST(pending_files_are_locked)
{
    tenon_write_opts opts = {.force = true}, alone = {.force = true};
    tenon_batch *batch = begin(&opts);
    CHECK(save("a", &opts, NULL));
    CHECK(save("a", &alone, NULL));
    CHECK(holds_new("a") && scratch_count(".tenon-") == 1);
    CHECK(tenon_batch_commit(batch, NULL));
    CHECK(scratch_count(".tenon-") == 0);
    tenon_batch_free(batch);
}

TEST(if_one_cannot_have_its_name_new_ones_are_taken_back)
{
    tenon_error err;
    tenon_write_opts opts = {0};
    tenon_batch *batch = begin(&opts);
    CHECK(save("a", &opts, NULL) && save("b", &opts, NULL));
    scratch_save("b", old, sizeof old);  // Somebody else was faster.
    CHECK(!tenon_batch_commit(batch, &err));
    CHECK(err.code == TENON_ERR_EXISTS && strstr(err.message, "/b' exists"));
    CHECK(!scratch_exists("a") && holds_old("b"));
    CHECK(scratch_count(".tenon-") == 0);
    // And it can be used again.
    CHECK(save("a", &opts, NULL) && tenon_batch_commit(batch, NULL) && holds_new("a"));
    tenon_batch_free(batch);
}

TEST(what_was_there_before_is_not_removed)
{
    faulty_files faulty;
    faulty_begin(&faulty);
    faulty.only = "rename";
    faulty.fail_at = 2;
    tenon_error err;
    tenon_write_opts opts = {.force = true, .files = &faulty.files};
    tenon_batch *batch = begin(&opts);
    scratch_save("a", old, sizeof old);
    CHECK(save("a", &opts, NULL) && save("b", &opts, NULL));
    CHECK(!tenon_batch_commit(batch, &err) && err.system == EIO);
    CHECK(holds_new("a") && !scratch_exists("b"));
    CHECK(scratch_count(".tenon-") == 0 && faulty.open_count == 0);
    tenon_batch_free(batch);
}

// Of two the later one would replace the earlier one without a word.
TEST(no_two_lead_to_the_same_file)
{
    tenon_error err;
    tenon_write_opts opts = {.force = true};
    tenon_batch *batch = begin(&opts);
    CHECK(save("a", &opts, NULL) && !save("a", &opts, &err));
    CHECK(err.code == TENON_ERR_EXISTS && strstr(err.message, "/a' leads to the same file"));
    CHECK_STR(err.note, "give one another name");
#ifndef _WIN32
    CHECK(symlink("a", scratch("b")) == 0 && !save("b", &opts, &err));
    CHECK(err.code == TENON_ERR_EXISTS && strstr(err.message, "/b' leads to the same file"));
#endif
    CHECK(tenon_batch_commit(batch, NULL) && holds_new("a"));
    CHECK(scratch_count(".tenon-") == 0);
    CHECK(save("a", &opts, NULL) && tenon_batch_commit(batch, NULL));
    tenon_batch_free(batch);
}

TEST(devices_take_their_bytes_at_once)
{
    tenon_write_opts opts = {0};
    tenon_batch *batch = begin(&opts);
    CHECK(save_as("/dev/null", &opts, NULL));
    CHECK(tenon_batch_commit(batch, NULL));
    tenon_batch_free(batch);
}

int main(void)
{
    umask(022);
    output_begin();
    RUN(nothing_has_a_name_before_the_end);
    RUN(what_is_not_committed_is_gone);
    RUN(pending_files_are_locked);
    RUN(if_one_cannot_have_its_name_new_ones_are_taken_back);
    RUN(what_was_there_before_is_not_removed);
    RUN(no_two_lead_to_the_same_file);
    RUN(devices_take_their_bytes_at_once);
    scratch_end();
    TEST_END();
}
