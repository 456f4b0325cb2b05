// test_file_crash.c: failures, killed processes and other writers never leave half a file.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "output_help.h"

// -- Temporaries

TEST(long_names_fit)
{
    char name[256] = "x";
    for (size_t i = 1; i < 254; i += 2) memcpy(name + i, "\xc3\xa4", 3);
    CHECK(save(name, NULL, NULL));
    CHECK(holds_new(name));
    tn_output out;
    CHECK(tn_output_begin(&out, scratch(name), &(tenon_write_opts){.force = true}, NULL));
    const char *base = strrchr(out.temporary, '/') + 1;
    CHECK(strlen(base) == 1 + 117 + strlen(".tenon-0123456789abcdef"));
    tn_output_abort(&out);
    remove(scratch(name));

    static char path[TN_PATH_SIZE + 100];
    memset(path, '/', sizeof path - 1);
    memcpy(path + sizeof path - 2, "x", 1);
    tenon_error err;
    CHECK(!save_as(path, NULL, &err));
    CHECK(err.system == ENAMETOOLONG);
}

TEST(leftovers_in_the_folder_are_swept)
{
    static const char *const others[] = {"x.tenon-0123456789abcdef", ".a.tenon-0123456789abcde",
                                         ".a.tenon-0123456789abcdeg", ".a.tenon-0123456789ABCDEF",
                                         ".a.tenon0123456789abcdef"};
    clear();
    scratch_save(LEFTOVER_NAME, "rubbish", 7);
    scratch_save(".another.bbmod.tenon-00112233445566ff", "rubbish", 7);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        scratch_save(others[i], "kept", 4);
    tn_output out;
    CHECK(tn_output_begin(&out, scratch("a"), NULL, NULL));
    CHECK(!scratch_exists(LEFTOVER_NAME));
    CHECK(!scratch_exists(".another.bbmod.tenon-00112233445566ff"));
    tn_output_abort(&out);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        CHECK(scratch_holds(others[i], "kept", 4));
        remove(scratch(others[i]));
    }
}

// No two are equal, and one does not follow from another.
TEST(names_of_temporaries_cannot_be_guessed)
{
    clear();
    char names[64][TN_PATH_SIZE];
    bool digits[16][16] = {{0}};
    for (size_t i = 0; i < 64; i++) {
        tn_output out;
        CHECK(tn_output_begin(&out, scratch("a"), NULL, NULL));
        snprintf(names[i], sizeof names[i], "%s", out.temporary);
        tn_output_abort(&out);
        for (size_t k = 0; k < i; k++) CHECK(strcmp(names[i], names[k]) != 0);
        const char *end = names[i] + strlen(names[i]) - 16;
        for (size_t k = 0; k < 16; k++) {
            const char *digit = strchr("0123456789abcdef", end[k]);
            CHECK(digit && *digit);
            if (digit) digits[k][digit - "0123456789abcdef"] = true;
        }
    }
    // That one of 16 places has fewer than five of 16 values in 64 draws happens once in 10^29.
    for (size_t k = 0; k < 16; k++) {
        unsigned count = 0;
        for (size_t i = 0; i < 16; i++) count += digits[k][i];
        CHECK(count >= 5);
    }
}

// It may lead to the file of another writer, which would find it locked, or gone.
TEST(a_planted_link_is_neither_followed_nor_removed)
{
    clear();
    scratch_save("b", old, sizeof old);
    CHECK(symlink("b", scratch(LEFTOVER_NAME)) == 0);
    const tenon_files *files = tenon_system_files();
    tenon_file file;
    CHECK(files->open_write(files->user, scratch(LEFTOVER_NAME), &file) == ELOOP);
    CHECK(save("a", NULL, NULL));
    CHECK(holds_new("a") && holds_old("b"));
    CHECK(scratch_count(".tenon-") == 1 && scratch_exists(LEFTOVER_NAME));
}

TEST(what_is_not_a_file_is_not_swept)
{
    clear();
    CHECK(mkfifo(scratch(LEFTOVER_NAME), 0600) == 0);
    int reader = open(scratch(LEFTOVER_NAME), O_RDONLY | O_NONBLOCK);
    CHECK(save("a", NULL, NULL));
    CHECK(holds_new("a") && scratch_exists(LEFTOVER_NAME));
    close(reader);
}

TEST(every_writer_has_a_separate_name)
{
    clear();
    static tn_output outs[40];
    for (size_t i = 0; i < 40; i++) CHECK(tn_output_begin(&outs[i], scratch("a"), NULL, NULL));
    CHECK(scratch_count(".tenon-") == 40);
    CHECK(tn_output_write(&outs[7], fresh, NEW_SIZE));
    CHECK(tn_output_commit(&outs[7], NULL));
    for (size_t i = 0; i < 40; i++) tn_output_abort(&outs[i]);
    CHECK(holds_new("a") && scratch_count(".tenon-") == 0);
}

TEST(names_that_are_all_taken_are_an_error)
{
    clear();
    faulty_files faulty;
    tenon_error err;
    faulty_begin(&faulty);
    faulty.only = "create";
    faulty.fail_at = 1;
    faulty.for_ever = true;
    faulty.error = EEXIST;
    CHECK(!save("a", &(tenon_write_opts){.files = &faulty.files}, &err));
    CHECK(err.code == TENON_ERR_IO && err.system == EBUSY && faulty.failed_calls == 16);
    CHECK(strstr(err.message, "/a': all names for a temporary file are taken"));
    CHECK_STR(err.note, "beside it, ending in .tenon- and 16 digits");
}

TEST(without_locks_nothing_is_swept)
{
    clear();
    scratch_save(LEFTOVER_NAME, "rubbish", 7);
    faulty_files faulty;
    faulty_begin(&faulty);
    faulty.only = "lock";
    faulty.fail_at = 1;
    faulty.for_ever = true;
    faulty.error = ENOSYS;
    CHECK(save("a", &(tenon_write_opts){.files = &faulty.files}, NULL));
    CHECK(holds_new("a") && faulty.open_count == 0);
    CHECK(scratch_holds(LEFTOVER_NAME, "rubbish", 7));
}

// As if another writer took the fresh temporary for a leftover before it was locked, and a third
// one used its name by then.
static char taken[256];

static int lock_after_sweep(void *user, tenon_file file)
{
    int *count = user;
    if ((*count)++ == 0) remove(scratch(temporary_name(NULL)));
    if (*count == 2) {
        snprintf(taken, sizeof taken, "%s", temporary_name(NULL));
        remove(scratch(taken));
        scratch_save(taken, "another's", 9);
    }
    const tenon_files *real = tenon_system_files();
    return real->lock(real->user, file);
}

TEST(a_temporary_swept_before_it_was_locked_is_given_up)
{
    clear();
    int count = 0;
    tenon_files files = *tenon_system_files();
    files.user = &count;
    files.lock = lock_after_sweep;
    tn_output out;
    CHECK(tn_output_begin(&out, scratch("a"), &(tenon_write_opts){.files = &files}, NULL));
    CHECK(count == 3 && scratch_count(".tenon-") == 2);
    CHECK_STR(out.temporary, scratch(temporary_name(taken)));
    CHECK(scratch_holds(taken, "another's", 9));
    tn_output_abort(&out);
}

// As if another writer swept the leftover and took its name while we were opening it.
static int lock_too_late(void *user, tenon_file file)
{
    int *count = user;
    if ((*count)++ == 0) {
        remove(scratch(LEFTOVER_NAME));
        scratch_save(LEFTOVER_NAME, "another's", 9);
    }
    const tenon_files *real = tenon_system_files();
    return real->lock(real->user, file);
}

TEST(a_leftover_that_has_become_a_temporary_is_left_alone)
{
    clear();
    scratch_save(LEFTOVER_NAME, "rubbish", 7);
    int count = 0;
    tenon_files files = *tenon_system_files();
    files.user = &count;
    files.lock = lock_too_late;
    CHECK(save("a", &(tenon_write_opts){.files = &files}, NULL));
    CHECK(holds_new("a") && scratch_holds(LEFTOVER_NAME, "another's", 9));
}

TEST(a_temporary_that_is_being_swept_is_left_to_the_sweeper)
{
    clear();
    faulty_files faulty;
    faulty_begin(&faulty);
    faulty.only = "lock";
    faulty.fail_at = 1;
    faulty.error = EWOULDBLOCK;
    CHECK(save("a", &(tenon_write_opts){.files = &faulty.files}, NULL));
    CHECK(holds_new("a") && scratch_holds(temporary_name(NULL), "", 0));
    CHECK(faulty.open_count == 0);
}

TEST(after_its_end_an_output_does_nothing)
{
    clear();
    static tn_output first, second;
    CHECK(tn_output_begin(&first, scratch("a"), NULL, NULL));
    CHECK(tn_output_commit(&first, NULL));
    CHECK(tn_output_begin(&second, scratch("a"), &(tenon_write_opts){.force = true}, NULL));
    tn_output_abort(&first);
    CHECK(scratch_count(".tenon-") == 1);
    tn_output_abort(&second);
    CHECK(scratch_count(".tenon-") == 0);
}

static int note_close(void *user, tenon_file file)
{
    strcat(user, "c");
    return tenon_system_files()->close(user, file);
}

static int note_remove(void *user, const char *path)
{
    strcat(user, "r");
    return tenon_system_files()->remove(user, path);
}

static int no_lock(void *user, tenon_file file)
{
    (void)user;
    (void)file;
    return ENOSYS;
}

// Closed first, a locked temporary would be another's when it is removed; a system without locks
// may be one that cannot remove what is open.
TEST(the_lock_is_held_until_the_temporary_is_gone)
{
    for (int locks = 0; locks < 2; locks++) {
        clear();
        char order[8] = "";
        tenon_files files = *tenon_system_files();
        files.user = order;
        files.close = note_close;
        files.remove = note_remove;
        if (!locks) files.lock = no_lock;
        tn_output out;
        CHECK(tn_output_begin(&out, scratch("a"), &(tenon_write_opts){.files = &files}, NULL));
        tn_output_abort(&out);
        CHECK_STR(order, locks ? "rc" : "cr");
    }
}

TEST(what_a_killed_writer_left_is_swept)
{
    clear();
    scratch_save("a", old, sizeof old);
    for (int round = 0; round < 3; round++) {
        pid_t child = fork();
        if (child == 0) {
            tn_output out;
            bool ok = tn_output_begin(&out, scratch("a"), &(tenon_write_opts){.force = true}, NULL);
            if (ok && write_pieces(&out, fresh, NEW_SIZE / 2)) kill(getpid(), SIGKILL);
            _exit(1);
        }
        int status = 0;
        waitpid(child, &status, 0);
        CHECK(WIFSIGNALED(status));
        CHECK(holds_old("a") && scratch_count(".tenon-") == 1);
    }
    CHECK(save("a", &(tenon_write_opts){.force = true}, NULL));
    CHECK(holds_new("a") && scratch_count(".tenon-") == 0);
}

// -- Two writers at once

#define ROUNDS 30

// Write a file full of `letter` again and again.
static int write_letters(char letter)
{
    static uint8_t bytes[NEW_SIZE];
    memset(bytes, letter, sizeof bytes);
    faulty_files faulty;
    faulty_begin(&faulty);  // For its sync function, which costs no time.
    tenon_write_opts opts = {.force = true, .files = &faulty.files};
    for (int i = 0; i < ROUNDS; i++) {
        tn_output out;
        tenon_error err;
        if (!tn_output_begin(&out, scratch("a"), &opts, &err)) return 1;
        write_pieces(&out, bytes, sizeof bytes);
        if (!tn_output_commit(&out, &err)) return 2;
    }
    return faulty.open_count != 0;
}

static pid_t start_writer(char letter)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) _exit(write_letters(letter));
    return child;
}

// Whether the file is one letter, NEW_SIZE times.
static bool is_whole(void)
{
    tenon_bytes bytes;
    if (!tenon_load(scratch("a"), NULL, &bytes, NULL)) return false;
    const uint8_t *data = bytes.data;
    bool whole = bytes.size == NEW_SIZE && memcmp(data, data + 1, NEW_SIZE - 1) == 0;
    tenon_unload(&bytes);
    return whole;
}

TEST(writers_at_once_never_mix)
{
    clear();
    pid_t writers[3] = {start_writer('x'), start_writer('y'), start_writer('z')};
    for (size_t left = 3; left > 0;) {
        if (scratch_exists("a")) CHECK(is_whole());
        int status;
        pid_t done = waitpid(-1, &status, WNOHANG);
        if (done <= 0) continue;
        left--;
        CHECK(status == 0);
    }
    CHECK(writers[0] > 0 && is_whole());
    CHECK(scratch_count(".tenon-") == 0);
}

TEST(without_force_one_writer_wins)
{
    faulty_files quick;
    faulty_begin(&quick);
    tenon_write_opts opts = {.files = &quick.files};
    for (int round = 0; round < 10; round++) {
        clear();
        for (int i = 0; i < 3; i++) {
            if (fork() == 0) _exit(!save("a", &opts, NULL));
        }
        int status, winners = 0;
        while (waitpid(-1, &status, 0) > 0) winners += status == 0;
        CHECK(winners == 1 && holds_new("a") && scratch_count(".tenon-") == 0);
    }
}

// -- Failures

// The files that exist before each attempt of a sweep.
typedef enum scene { NOTHING, LEFTOVER, OLD, OLD_LINKED, SCENE_COUNT } scene;

static const char *set_scene(scene s)
{
    clear();
    if (s == LEFTOVER) scratch_save(LEFTOVER_NAME, "rubbish", 7);
    if (s == OLD || s == OLD_LINKED) scratch_save("a", old, sizeof old);
    if (s == OLD_LINKED) CHECK(symlink("a", scratch("link")) == 0);
    return s == OLD_LINKED ? "link" : "a";
}

// Whether an error says only that the operation failed.
static bool is_plain(int error)
{
    return error == EIO || error == ENOSPC || error == EACCES;
}

// One attempt with a fault. Returns false once there are fewer operations than `faulty->fail_at`.
static bool try_with_fault(scene s, faulty_files *faulty)
{
    const char *name = set_scene(s);
    bool was_there = scratch_exists("a");
    tenon_write_opts opts = {.force = was_there, .files = &faulty->files};
    tenon_error err = {0};
    bool ok = save(name, &opts, &err);
    CHECK(ok ? holds_new("a") : was_there ? holds_old("a") : !scratch_exists("a"));
    bool all_taken = err.system == EBUSY && !is_plain(faulty->error);
    CHECK(ok || err.code == TENON_ERR_EXISTS || err.system == faulty->error || all_taken);
    CHECK(faulty->open_count == 0);
    if (s == OLD_LINKED) {
        struct stat st;
        CHECK(lstat(scratch("link"), &st) == 0 && S_ISLNK(st.st_mode));
    }
    return faulty->failed_calls > 0;
}

// A plain failure leaves no temporary, unless it was there before or removing it was what failed.
// What the fault makes look like the work of another writer is left alone. The next writer sweeps
// them all.
static void check_leftovers(scene s, const faulty_files *faulty)
{
    if (is_plain(faulty->error) && faulty->failed_removes == 0)
        CHECK(scratch_count(".tenon-") == 0 ||
              (s == LEFTOVER && scratch_holds(LEFTOVER_NAME, "rubbish", 7)));
    faulty_files quick;
    faulty_begin(&quick);
    remove(scratch("a"));  // Replacing it makes some file systems sync.
    CHECK(save("a", &(tenon_write_opts){.files = &quick.files}, NULL));
    CHECK(holds_new("a"));
    CHECK(scratch_count(".tenon-") == 0);
}

static void sweep_faults(scene s, int error, bool for_ever)
{
    bool more = true;
    for (unsigned k = 1; more; k++) {
        faulty_files faulty;
        faulty_begin(&faulty);
        faulty.fail_at = k;
        faulty.for_ever = for_ever;
        faulty.error = error;
        more = try_with_fault(s, &faulty);
        check_leftovers(s, &faulty);
        CHECK(more || k > 12);
    }
}

TEST(every_operation_may_fail)
{
    const int errors[] = {EIO, ENOSPC, ENOENT, EEXIST, EACCES, ENOSYS, EWOULDBLOCK};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        for (scene s = NOTHING; s < SCENE_COUNT; s++) {
            if (s == OLD_LINKED && errors[i] == ENOSYS) continue;  // A system without links.
            sweep_faults(s, errors[i], false);
            sweep_faults(s, errors[i], true);
        }
    }
}

TEST(every_operation_on_a_device_may_fail)
{
    bool more = true;
    for (unsigned k = 1; more; k++) {
        faulty_files faulty;
        faulty_begin(&faulty);
        faulty.fail_at = k;
        tenon_error err;
        bool ok = save_as("/dev/null", &(tenon_write_opts){.files = &faulty.files}, &err);
        more = faulty.failed_calls > 0;
        CHECK(ok == !more && faulty.open_count == 0);
    }
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    umask(022);
    output_begin();
    RUN(long_names_fit);
    RUN(leftovers_in_the_folder_are_swept);
    RUN(names_of_temporaries_cannot_be_guessed);
    RUN(a_planted_link_is_neither_followed_nor_removed);
    RUN(what_is_not_a_file_is_not_swept);
    RUN(every_writer_has_a_separate_name);
    RUN(names_that_are_all_taken_are_an_error);
    RUN(without_locks_nothing_is_swept);
    RUN(a_temporary_swept_before_it_was_locked_is_given_up);
    RUN(a_leftover_that_has_become_a_temporary_is_left_alone);
    RUN(a_temporary_that_is_being_swept_is_left_to_the_sweeper);
    RUN(after_its_end_an_output_does_nothing);
    RUN(the_lock_is_held_until_the_temporary_is_gone);
    RUN(what_a_killed_writer_left_is_swept);
    RUN(writers_at_once_never_mix);
    RUN(without_force_one_writer_wins);
    RUN(every_operation_may_fail);
    RUN(every_operation_on_a_device_may_fail);
    scratch_end();
    TEST_END();
}
