// test_file_batch.c: files that get their names together, or not at all.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#ifndef _WIN32
#include <signal.h>
#include <sys/wait.h>
#endif

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

// While they are pending, no other process takes them for leftovers.
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
    scratch_save("b", old, sizeof old);  // Another process was faster.
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

// Of two the later one would silently replace the earlier one.
TEST(no_two_outputs_are_the_same_file)
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

// -- Many files

#define MANY 300

// Files "m0" to "m299", each holding one byte, and the most that are open meanwhile.
static int save_many(const tenon_write_opts *opts, const faulty_files *faulty)
{
    int most = 0;
    for (int i = 0; i < MANY; i++) {
        char name[16];
        tenon_error err = {0};
        (void)snprintf(name, sizeof name, "m%d", i);
        bool ok = tenon_save(scratch(name), "x", 1, opts, &err);
        if (!ok) fprintf(stderr, "%s: %s\n", name, err.message);
        CHECK(ok);
        if (faulty && faulty->open_count > most) most = faulty->open_count;
    }
    return most;
}

static void remove_many(void)
{
    for (int i = 0; i < MANY; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "m%d", i);
        remove(scratch(name));
    }
}

TEST(of_many_none_stays_if_they_are_not_committed)
{
    faulty_files faulty;
    faulty_begin(&faulty);
    tenon_write_opts opts = {.files = &faulty.files};
    tenon_batch *batch = begin(&opts);
    save_many(&opts, NULL);
    tenon_batch_free(batch);
    CHECK(scratch_count("m") == 0 && faulty.open_count == 0);
}

// Long names have the same temporaries, and a batch must not take its own for leftovers.
TEST(of_many_with_long_names_none_is_mixed_up)
{
    char name[200];
    tenon_write_opts opts = {0};
    tenon_batch *batch = begin(&opts);
    save_many(&opts, NULL);
    memset(name, 'm', sizeof name);
    for (int i = 0; i < 16; i++) {
        (void)snprintf(name + 150, sizeof name - 150, "%d", i);
        CHECK(tenon_save(scratch(name), &i, sizeof i, &opts, NULL));
    }
    for (int i = 300; i < 364; i++) {
        (void)snprintf(name, sizeof name, "m%d", i);
        CHECK(tenon_save(scratch(name), "x", 1, &opts, NULL));
    }
    CHECK(tenon_batch_commit(batch, NULL));
    memset(name, 'm', sizeof name);
    for (int i = 0; i < 16; i++) {
        (void)snprintf(name + 150, sizeof name - 150, "%d", i);
        CHECK(scratch_holds(name, &i, sizeof i));
        remove(scratch(name));
    }
    for (int i = 300; i < 364; i++) {
        (void)snprintf(name, sizeof name, "m%d", i);
        remove(scratch(name));
    }
    tenon_batch_free(batch);
    remove_many();
}

// Where folders cannot be locked, these tests mean nothing.
#ifndef _WIN32
TEST(of_many_few_are_open)
{
    faulty_files faulty;
    faulty_begin(&faulty);
    tenon_write_opts opts = {.files = &faulty.files};
    tenon_batch *batch = begin(&opts);
    CHECK(save_many(&opts, &faulty) <= 65);
    CHECK(scratch_count(".tenon-") == MANY && !scratch_exists("m0"));
    CHECK(tenon_batch_commit(batch, NULL));
    CHECK(scratch_count(".tenon-") == 0 && scratch_holds("m0", "x", 1));
    CHECK(scratch_holds("m299", "x", 1) && faulty.open_count == 0);
    tenon_batch_free(batch);
    remove_many();
}

// Other processes find the folder locked, and use other names for their temporaries.
TEST(of_many_those_that_are_closed_are_not_leftovers)
{
    faulty_files faulty;
    faulty_begin(&faulty);
    tenon_write_opts opts = {.files = &faulty.files, .force = true}, alone = opts;
    tenon_batch *batch = begin(&opts);
    save_many(&opts, NULL);
    CHECK(save("m0", &alone, NULL) && holds_new("m0"));
    CHECK(scratch_count(".tenon-") == MANY);
    // They do not lock it a second time either.
    tenon_batch *other = tenon_batch_new(NULL, NULL);
    alone.batch = other;
    CHECK(save_many(&alone, &faulty) > MANY);
    CHECK(scratch_count(".tenon-") == 2 * MANY);
    CHECK(tenon_batch_commit(batch, NULL) && scratch_count(".tenon-") == MANY);
    CHECK(scratch_holds("m0", "x", 1));
    tenon_batch_free(other);
    CHECK(scratch_count(".tenon-") == 0 && faulty.open_count == 0);
    tenon_batch_free(batch);
    remove_many();
}

TEST(of_many_that_a_killed_writer_left_all_are_swept)
{
    faulty_files quick;
    faulty_begin(&quick);
    tenon_write_opts opts = {.files = &quick.files};
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        tenon_batch *killed = begin(&opts);
        save_many(&opts, NULL);
        if (killed) kill(getpid(), SIGKILL);
        _exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status) && scratch_count(".tenon-") == MANY);
    tenon_batch *batch = begin(&opts);
    save_many(&opts, NULL);
    CHECK(scratch_count(".tenon-") == MANY);
    CHECK(tenon_batch_commit(batch, NULL) && scratch_count(".tenon-") == 0);
    tenon_batch_free(batch);
    remove_many();
}

#endif

static int refuse_folder(void *user, const char *path, tenon_file *file)
{
    const tenon_files *real = tenon_system_files();
    (void)user;
    return path[strlen(path) - 1] == '/' ? EACCES : real->open(real->user, path, file);
}

// As on Windows, where they are all open, and leftovers are swept nevertheless.
TEST(folders_that_cannot_be_locked_are_done_without)
{
    faulty_files faulty;
    faulty_begin(&faulty);
    faulty.files.open = refuse_folder;
    tenon_write_opts opts = {.files = &faulty.files};
    tenon_batch *batch = begin(&opts);
    scratch_save(".m7.tenon-0123456789abcdef", "rubbish", 7);
    CHECK(save_many(&opts, &faulty) == MANY);
    CHECK(scratch_count(".tenon-") == MANY);
    CHECK(tenon_batch_commit(batch, NULL) && scratch_count(".tenon-") == 0);
    CHECK(faulty.open_count == 0);
    tenon_batch_free(batch);
    remove_many();
}

TEST(of_many_any_operation_may_fail)
{
    for (unsigned k = 1, more = true; more; k += 37) {
        faulty_files faulty;
        faulty_begin(&faulty);
        faulty.fail_at = k;
        tenon_write_opts opts = {.files = &faulty.files};
        tenon_batch *batch = begin(&opts);
        bool ok = true;
        for (int i = 0; i < MANY && ok; i++) {
            char name[16];
            (void)snprintf(name, sizeof name, "m%d", i);
            ok = tenon_save(scratch(name), "x", 1, &opts, NULL);
        }
        ok = ok && tenon_batch_commit(batch, NULL);
        tenon_batch_free(batch);
        more = faulty.failed_calls > 0;
        CHECK(faulty.open_count == 0);
        CHECK(scratch_count(".tenon-") == 0 || faulty.failed_removes);
        CHECK(scratch_exists("m0") == ok && scratch_exists("m299") == ok);
        remove_many();
    }
}

TEST(devices_are_written_at_once)
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
    RUN(no_two_outputs_are_the_same_file);
    RUN(of_many_none_stays_if_they_are_not_committed);
    RUN(of_many_with_long_names_none_is_mixed_up);
#ifndef _WIN32
    RUN(of_many_few_are_open);
    RUN(of_many_those_that_are_closed_are_not_leftovers);
    RUN(of_many_that_a_killed_writer_left_all_are_swept);
#endif
    RUN(folders_that_cannot_be_locked_are_done_without);
    RUN(of_many_any_operation_may_fail);
    RUN(devices_are_written_at_once);
    scratch_end();
    TEST_END();
}
