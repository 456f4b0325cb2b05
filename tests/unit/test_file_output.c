// test_file_output.c: a file is written whole or not at all, and never replaced by mistake.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "output_help.h"

static mode_t mode_of(const char *name)
{
    struct stat st;
    return stat(scratch(name), &st) == 0 ? st.st_mode & 07777 : 0;
}

// -- New and old files

TEST(a_new_file_appears_whole)
{
    clear();
    mode_t mask = umask(027);
    CHECK(save("a", NULL, NULL));
    umask(mask);
    CHECK(holds_new("a"));
    CHECK(mode_of("a") == 0640);
    CHECK(scratch_count(".tenon-") == 0);
}

TEST(an_empty_file_can_be_written)
{
    clear();
    tn_output out;
    CHECK(tn_output_begin(&out, scratch("a"), NULL, NULL));
    CHECK(tn_output_write(&out, NULL, 0));
    CHECK(!scratch_exists("a"));
    CHECK(tn_output_commit(&out, NULL));
    CHECK(scratch_holds("a", "", 0));
}

TEST(an_existing_file_needs_force)
{
    clear();
    scratch_save("a", old, sizeof old);
    tenon_error err;
    CHECK(!save("a", NULL, &err));
    CHECK(err.code == TENON_ERR_EXISTS && err.system == 0 && err.offset == TENON_ABSENT);
    CHECK_STR(err.message + strlen(err.message) - 10, "/a' exists");
    CHECK_STR(err.note, "");
    tn_output out;
    CHECK(!tn_output_begin(&out, scratch("a"), &(tenon_write_opts){.in_place = true}, &err));
    CHECK(err.code == TENON_ERR_EXISTS);
    CHECK(holds_old("a"));
    CHECK(save("a", &(tenon_write_opts){.force = true}, NULL));
    CHECK(holds_new("a"));
    CHECK(scratch_count(".tenon-") == 0);
}

TEST(a_file_that_appears_meanwhile_is_kept)
{
    clear();
    tn_output out;
    tenon_error err;
    CHECK(tn_output_begin(&out, scratch("a"), NULL, NULL));
    CHECK(tn_output_write(&out, fresh, NEW_SIZE));
    scratch_save("a", old, sizeof old);
    CHECK(!tn_output_commit(&out, &err));
    CHECK(err.code == TENON_ERR_EXISTS);
    CHECK(holds_old("a"));
    CHECK(scratch_count(".tenon-") == 0);
}

static int note_sync(void *user, tenon_file file)
{
    strcat(user, "s");
    return tenon_system_files()->sync(user, file);
}

static int note_rename(void *user, const char *from, const char *to, bool replace)
{
    strcat(user, "r");
    return tenon_system_files()->rename(user, from, to, replace);
}

static int note_sync_name(void *user, const char *path)
{
    strcat(user, "n");
    CHECK_STR(path, scratch("a"));
    return tenon_system_files()->sync_name(user, path);
}

TEST(the_bytes_are_on_the_disk_before_the_name)
{
    clear();
    char order[8] = "";
    tenon_files files = *tenon_system_files();
    files.user = order;
    files.sync = note_sync;
    files.rename = note_rename;
    files.sync_name = note_sync_name;
    CHECK(save("a", &(tenon_write_opts){.files = &files}, NULL));
    CHECK_STR(order, "srn");
}

TEST(giving_up_leaves_nothing)
{
    clear();
    tn_output out;
    CHECK(tn_output_begin(&out, scratch("a"), NULL, NULL));
    CHECK(tn_output_write(&out, fresh, NEW_SIZE));
    CHECK(scratch_count(".tenon-") == 1);
    tn_output_abort(&out);
    CHECK(!tn_output_write(&out, fresh, 1));
    tn_output_abort(&out);
    CHECK(!scratch_exists("a") && scratch_count(".tenon-") == 0);
}

TEST(permissions_are_kept)
{
    const mode_t modes[] = {0600, 0640, 0444, 0755, 0666};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        clear();
        scratch_save("a", old, sizeof old);
        CHECK(chmod(scratch("a"), modes[i]) == 0);
        tn_output out;
        CHECK(tn_output_begin(&out, scratch("a"), &(tenon_write_opts){.force = true}, NULL));
        CHECK(mode_of(temporary_name(NULL)) == modes[i]);  // Before the first byte is in it.
        tn_output_write(&out, fresh, NEW_SIZE);
        CHECK(tn_output_commit(&out, NULL));
        CHECK(mode_of("a") == modes[i] && holds_new("a"));
    }
}

TEST(where_there_are_no_permissions_none_are_kept)
{
    clear();
    scratch_save("a", old, sizeof old);
    faulty_files faulty;
    faulty_begin(&faulty);
    faulty.only = "copy_mode";
    faulty.fail_at = 1;
    faulty.error = ENOSYS;
    CHECK(save("a", &(tenon_write_opts){.force = true, .files = &faulty.files}, NULL));
    CHECK(holds_new("a") && faulty.failed_calls == 1);
}

TEST(root_keeps_the_owner)
{
    clear();
    scratch_save("a", old, sizeof old);
    if (geteuid() != 0 || chown(scratch("a"), 12345, 54321) != 0) return;
    CHECK(chmod(scratch("a"), 04750) == 0);
    CHECK(save("a", &(tenon_write_opts){.force = true}, NULL));
    struct stat st;
    CHECK(stat(scratch("a"), &st) == 0 && st.st_uid == 12345 && st.st_gid == 54321);
    CHECK(mode_of("a") == 04750);
}

// -- Inputs

TEST(an_input_is_replaced_only_in_place)
{
    clear();
    scratch_save("a", old, sizeof old);
    tenon_file_id ids[2] = {{1, 1}};
    CHECK(tenon_file_identify(NULL, scratch("a"), &ids[1]));
    CHECK(link(scratch("a"), scratch("b")) == 0);
    CHECK(symlink("a", scratch("link")) == 0);
    const char *spellings[] = {"a", "b", "link", "./a", "../"};
    char round[PATH_MAX];
    snprintf(round, sizeof round, "..%s/a", strrchr(scratch_folder, '/'));
    spellings[4] = round;
    for (size_t i = 0; i < 5; i++) {
        tenon_write_opts opts = {.force = true, .inputs = ids, .input_count = 2};
        tenon_error err;
        CHECK(!save(spellings[i], &opts, &err));
        CHECK(err.code == TENON_ERR_EXISTS && strstr(err.message, "' is the input"));
        CHECK(holds_old("a") && holds_old("b"));
    }
    CHECK(
        save("link", &(tenon_write_opts){.in_place = true, .inputs = ids, .input_count = 2}, NULL));
    CHECK(holds_new("a") && holds_old("b"));
}

TEST(files_without_an_identity_are_not_inputs)
{
    clear();
    scratch_save("a", old, sizeof old);
    tenon_file_id unknown = {0, 0};
    tenon_write_opts opts = {.force = true, .inputs = &unknown, .input_count = 1};
    CHECK(save("a", &opts, NULL));
}

// -- Links, folders, devices, pipes

TEST(a_link_stays_and_its_target_is_replaced)
{
    clear();
    mkdir(scratch("inner"), 0777);
    scratch_save("inner/real", old, sizeof old);
    CHECK(symlink("inner/real", scratch("b")) == 0);
    CHECK(symlink("b", scratch("link")) == 0);
    CHECK(!save("link", NULL, NULL));
    CHECK(save("link", &(tenon_write_opts){.force = true}, NULL));
    char text[64] = "";
    CHECK(readlink(scratch("link"), text, sizeof text - 1) == 1);
    CHECK(holds_new("inner/real"));
}

TEST(a_dangling_link_gets_its_target_only_with_force)
{
    clear();
    remove(scratch("inner/real"));
    CHECK(symlink("inner/real", scratch("link")) == 0);
    tenon_error err;
    CHECK(!save("link", NULL, &err));
    CHECK(err.code == TENON_ERR_EXISTS && strstr(err.message, "/link' is a link"));
    CHECK(!scratch_exists("inner/real") && scratch_count(".tenon-") == 0);
    CHECK(save("link", &(tenon_write_opts){.force = true}, NULL));
    CHECK(holds_new("inner/real"));
    char text[64] = "";
    CHECK(readlink(scratch("link"), text, sizeof text - 1) == 10);

    remove(scratch("link"));
    char absolute[PATH_MAX];
    snprintf(absolute, sizeof absolute, "%s", scratch("b"));
    CHECK(symlink(absolute, scratch("link")) == 0);
    CHECK(!save("link", NULL, NULL) && !scratch_exists("b"));
    CHECK(save("link", &(tenon_write_opts){.force = true}, NULL));
    CHECK(holds_new("b"));
}

static int look_and_link(void *user, const char *path, tenon_file_info *info)
{
    int error = tenon_system_files()->look(user, path, info);
    if (error == ENOENT && strcmp(path, scratch("a")) == 0)
        CHECK(symlink("inner/real", scratch("a")) == 0);
    return error;
}

static int create_and_link(void *user, const char *path, tenon_file *file)
{
    CHECK(symlink("inner/real", scratch("a")) == 0);
    return tenon_system_files()->create(user, path, file);
}

TEST(a_link_that_appears_meanwhile_is_not_followed)
{
    clear();
    remove(scratch("inner/real"));
    tenon_files files = *tenon_system_files();
    tenon_error err;
    files.look = look_and_link;
    CHECK(!save("a", &(tenon_write_opts){.files = &files}, &err));
    CHECK(err.code == TENON_ERR_EXISTS && !scratch_exists("inner/real"));
    clear();
    files = *tenon_system_files();
    files.create = create_and_link;
    CHECK(!save("a", &(tenon_write_opts){.files = &files}, &err));
    CHECK(err.code == TENON_ERR_EXISTS && !scratch_exists("inner/real"));
    CHECK(scratch_count(".tenon-") == 0);
}

TEST(a_link_to_a_device_needs_force)
{
    clear();
    tenon_error err;
    CHECK(symlink("/dev/null", scratch("link")) == 0);
    CHECK(!save("link", NULL, &err));
    CHECK(err.code == TENON_ERR_EXISTS && strstr(err.message, "/link' is a link"));
    CHECK(save("link", &(tenon_write_opts){.force = true}, NULL));
}

TEST(links_to_nowhere_are_errors)
{
    clear();
    tenon_error err;
    CHECK(symlink("none/none", scratch("link")) == 0);
    CHECK(!save("link", &(tenon_write_opts){.force = true}, &err));
    CHECK(err.code == TENON_ERR_IO && err.system == ENOENT);
    remove(scratch("link"));
    CHECK(symlink("link", scratch("link")) == 0);
    CHECK(!save("link", &(tenon_write_opts){.force = true}, &err));
    CHECK(err.code == TENON_ERR_IO && err.system == ELOOP);
    CHECK(scratch_exists("link"));
}

TEST(folders_are_refused)
{
    tenon_error err;
    CHECK(!save("inner", &(tenon_write_opts){.force = true}, &err));
    CHECK(err.code == TENON_ERR_IO && err.system == EISDIR && strstr(err.message, "is a folder"));
    CHECK(!save("none/a", NULL, &err));
    CHECK(err.code == TENON_ERR_IO && err.system == ENOENT);
    CHECK(strstr(err.message, "cannot create '"));
    CHECK(!save("none/", NULL, &err));
    CHECK(!save_as("", NULL, &err));
    CHECK_STR(err.message, "cannot create '': No such file or directory");
}

TEST(a_folder_without_permission_is_an_error)
{
    if (geteuid() == 0) return;  // Root may write everywhere.
    mkdir(scratch("closed"), 0555);
    tenon_error err;
    CHECK(!save("closed/a", NULL, &err));
    CHECK(err.code == TENON_ERR_IO && err.system == EACCES);
}

TEST(a_device_is_written_directly)
{
    tenon_error err;
    CHECK(save_as("/dev/null", NULL, NULL));
    if (access("/dev/full", W_OK) != 0) return;
    CHECK(!save_as("/dev/full", NULL, &err));
    CHECK(err.code == TENON_ERR_IO && err.system == ENOSPC);
    CHECK_STR(err.message, "cannot write '/dev/full': No space left on device");
    tn_output out;
    CHECK(tn_output_begin(&out, "/dev/full", NULL, NULL));
    unsigned pieces = 0;
    while (pieces < 100 && tn_output_write(&out, fresh, 1000)) pieces++;
    CHECK(pieces == TN_OUTPUT_SIZE / 1000 && out.failed);
    tn_output_abort(&out);
}

// The child wrote everything into the pipe.
static void check_received(int fd, pid_t child)
{
    static uint8_t got[NEW_SIZE + 1];
    size_t size = 0;
    for (ssize_t n; (n = read(fd, got + size, sizeof got - size)) > 0;) size += (size_t)n;
    CHECK(size == NEW_SIZE && memcmp(got, fresh, NEW_SIZE) == 0);
    close(fd);
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
}

TEST(a_pipe_is_written_directly)
{
    clear();
    int ends[2];
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        char path[32];
        snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
        _exit(!save_as(path, NULL, NULL));
    }
    close(ends[1]);
    check_received(ends[0], child);
}

// Another process may have made a pipe that we got non-blocking.
TEST(a_full_pipe_is_waited_for)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        const tenon_files *files = tenon_system_files();
        size_t put = 0;
        for (size_t at = 0; at < NEW_SIZE; at += put) {
            if (files->write(files->user, ends[1], fresh + at, NEW_SIZE - at, &put) != 0) _exit(1);
        }
        _exit(0);
    }
    close(ends[1]);
    usleep(1000);
    check_received(ends[0], child);
}

TEST(a_pipe_without_a_reader_is_an_error)
{
    clear();
    if (mkfifo(scratch("b"), 0666) != 0) return;
    tenon_error err;
    alarm(2);
    CHECK(!save("b", NULL, &err));
    alarm(0);
    CHECK(err.code == TENON_ERR_IO && err.system == ENXIO);
    CHECK(strstr(err.message, "no program reads from it"));

    int reader = open(scratch("b"), O_RDONLY | O_NONBLOCK);
    tn_output out;
    CHECK(tn_output_begin(&out, scratch("b"), NULL, NULL));
    close(reader);
    CHECK(!tn_output_write(&out, fresh, NEW_SIZE));
    CHECK(out.failed);
    CHECK(!tn_output_commit(&out, &err));
    CHECK(err.system == EPIPE);
}

// -- Progress

static bool stop_after(void *user, uint64_t done, uint64_t total)
{
    CHECK(total == NEW_SIZE);
    return done < *(const uint64_t *)user;
}

TEST(writing_can_be_cancelled)
{
    clear();
    for (uint64_t most = 0; most <= 40000; most += 20000) {
        tenon_write_opts opts = {.events = {.user = &most, .on_progress = stop_after}};
        tn_output out;
        tenon_error err;
        CHECK(tn_output_begin(&out, scratch("a"), &opts, NULL));
        out.total = NEW_SIZE;
        CHECK(!write_pieces(&out, fresh, NEW_SIZE));
        CHECK(!tn_output_commit(&out, &err));
        CHECK(err.code == TENON_ERR_CANCELLED && strstr(err.message, "/a': cancelled"));
        CHECK(!scratch_exists("a") && scratch_count(".tenon-") == 0);
    }
}

TEST(short_writes_and_signals_are_not_errors)
{
    clear();
    faulty_files faulty;
    faulty_begin(&faulty);
    faulty.crumbs = true;
    tn_output out;
    CHECK(tn_output_begin(&out, scratch("a"), &(tenon_write_opts){.files = &faulty.files}, NULL));
    CHECK(write_pieces(&out, fresh, 30000));
    CHECK(tn_output_commit(&out, NULL));
    CHECK(scratch_holds("a", fresh, 30000));
}

static int write_nothing(void *user, tenon_file file, const void *src, size_t size, size_t *put)
{
    (void)user;
    (void)file;
    (void)src;
    *put = size * 0;
    return 0;
}

TEST(a_write_without_progress_is_an_error)
{
    clear();
    tenon_files files = *tenon_system_files();
    files.write = write_nothing;
    tenon_error err;
    CHECK(!save("a", &(tenon_write_opts){.files = &files}, &err));
    CHECK(err.system == EIO && scratch_count(".tenon-") == 0);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    umask(022);
    output_begin();
    RUN(a_new_file_appears_whole);
    RUN(an_empty_file_can_be_written);
    RUN(an_existing_file_needs_force);
    RUN(a_file_that_appears_meanwhile_is_kept);
    RUN(the_bytes_are_on_the_disk_before_the_name);
    RUN(giving_up_leaves_nothing);
    RUN(permissions_are_kept);
    RUN(where_there_are_no_permissions_none_are_kept);
    RUN(root_keeps_the_owner);
    RUN(an_input_is_replaced_only_in_place);
    RUN(files_without_an_identity_are_not_inputs);
    RUN(a_link_stays_and_its_target_is_replaced);
    RUN(a_dangling_link_gets_its_target_only_with_force);
    RUN(a_link_that_appears_meanwhile_is_not_followed);
    RUN(a_link_to_a_device_needs_force);
    RUN(links_to_nowhere_are_errors);
    RUN(folders_are_refused);
    RUN(a_folder_without_permission_is_an_error);
    RUN(a_device_is_written_directly);
    RUN(a_pipe_is_written_directly);
    RUN(a_full_pipe_is_waited_for);
    RUN(a_pipe_without_a_reader_is_an_error);
    RUN(writing_can_be_cancelled);
    RUN(short_writes_and_signals_are_not_errors);
    RUN(a_write_without_progress_is_an_error);
    scratch_end();
    TEST_END();
}
