// test_file_system.c: the operations of the system: their results for paths that do not exist, are
// of another kind, or are loops of links.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include "../scratch.h"
#include "../test.h"

#include <tenon/files.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

static const tenon_files *files;

// -- Errors

TEST(what_is_not_open_is_an_error_for_every_operation)
{
    char bytes[4];
    size_t count;
    const void *memory;
    tenon_file_info info;
    CHECK(files->stat(files->user, -1, &info) == EBADF);
    CHECK(files->read(files->user, -1, bytes, sizeof bytes, &count) == EBADF);
    CHECK(files->write(files->user, -1, bytes, sizeof bytes, &count) == EBADF);
    CHECK(files->map(files->user, -1, 4096, &memory) == EBADF);
    CHECK(files->lock(files->user, -1) == EBADF);
    CHECK(files->sync(files->user, -1) == EBADF);
    CHECK(files->copy_mode(files->user, -1, scratch("")) == EBADF);
    CHECK(files->close(files->user, -1) == EBADF);
}

TEST(what_does_not_exist_is_an_error_for_every_operation)
{
    char path[64];
    tenon_file file;
    tenon_file_info info;
    const char *none = scratch("none"), *to = scratch("to"), *deep = scratch("none/deep");
    CHECK(files->open(files->user, none, &file) == ENOENT);
    CHECK(files->open_write(files->user, none, &file) == ENOENT);
    CHECK(files->create(files->user, deep, &file) == ENOENT);
    CHECK(files->look(files->user, none, &info) == ENOENT);
    CHECK(files->remove(files->user, none) == ENOENT);
    CHECK(files->rename(files->user, none, to, true) == ENOENT);
    CHECK(files->rename(files->user, none, to, false) == ENOENT);
    CHECK(files->copy_mode(files->user, 0, none) == ENOENT);
    CHECK(files->sync_name(files->user, deep) == ENOENT);
    CHECK(files->resolve(files->user, deep, path, sizeof path) == ENOENT);
}

TEST(a_name_that_is_taken_stays)
{
    scratch_save("old", "old", 3);
    scratch_save("new", "new", 3);
    tenon_file file;
    CHECK(files->create(files->user, scratch("old"), &file) == EEXIST);
    CHECK(files->rename(files->user, scratch("new"), scratch("old"), false) == EEXIST);
    CHECK(files->rename(files->user, scratch("none"), scratch("old"), false) != 0);
    CHECK(scratch_holds("old", "old", 3) && scratch_holds("new", "new", 3));
    CHECK(files->rename(files->user, scratch("new"), scratch("old"), true) == 0);
    CHECK(scratch_holds("old", "new", 3) && !scratch_exists("new"));
}

// -- Kinds

static tenon_file_kind kind_of(const char *path)
{
    tenon_file_info info = {.kind = (tenon_file_kind)99};
    CHECK(files->look(files->user, path, &info) == 0);
    return info.kind;
}

// False if the path has no room in an address.
static bool make_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return false;
    memcpy(address.sun_path, path, strlen(path));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    bool is_made = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0) close(fd);
    CHECK(is_made);
    return is_made;
}

TEST(kinds_of_files_are_recognized)
{
    scratch_save("file", "1", 1);
    CHECK(kind_of(scratch("file")) == TENON_FILE_REGULAR);
    CHECK(kind_of(scratch("")) == TENON_FILE_FOLDER);
    CHECK(mkfifo(scratch("pipe"), 0600) == 0 && kind_of(scratch("pipe")) == TENON_FILE_PIPE);
    if (make_socket(scratch("s"))) CHECK(kind_of(scratch("s")) == TENON_FILE_PIPE);
    CHECK(kind_of("/dev/null") == TENON_FILE_DEVICE);
}

// -- Streams

// That something cannot be flushed or locked is not a failure.
TEST(pipes_need_no_flushing)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    CHECK(files->sync(files->user, ends[1]) == 0);
    CHECK(files->close(files->user, ends[0]) == 0 && files->close(files->user, ends[1]) == 0);
}

TEST(an_empty_pipe_is_waited_for)
{
    int ends[2];
    char bytes[8];
    size_t got = 0;
    CHECK(pipe(ends) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    pid_t child = fork();
    if (child == 0) {
        usleep(50 * 1000);
        _exit(write(ends[1], "late", 4) == 4 ? 0 : 1);
    }
    CHECK(files->read(files->user, ends[0], bytes, sizeof bytes, &got) == 0);
    CHECK(got == 4 && memcmp(bytes, "late", 4) == 0);
    CHECK(waitpid(child, NULL, 0) == child);
    close(ends[0]);
    close(ends[1]);
}

// With a standard stream closed, its number is the first that is free.
TEST(files_do_not_take_the_place_of_a_closed_stream)
{
    tenon_file file = -1;
    scratch_save("file", "1", 1);
    int kept = fcntl(STDIN_FILENO, F_DUPFD, 20);
    close(STDIN_FILENO);
    CHECK(files->open(files->user, scratch("file"), &file) == 0);
    CHECK(file > STDERR_FILENO && files->close(files->user, file) == 0);
    CHECK(fcntl(STDIN_FILENO, F_GETFD) == -1);
    if (kept >= 0) dup2(kept, STDIN_FILENO);
    if (kept >= 0) close(kept);
}

// -- Paths

TEST(paths_without_room_or_name_are_errors)
{
    static char path[PATH_MAX + 100];
    char out[PATH_MAX];
    memset(path, 'a', sizeof path - 1);
    CHECK(files->resolve(files->user, path, out, sizeof out) == ENAMETOOLONG);
    CHECK(files->sync_name(files->user, scratch("folder/")) == ENAMETOOLONG);
    path[sizeof path - 2] = '/';
    CHECK(files->sync_name(files->user, path) == ENAMETOOLONG);
    CHECK(files->resolve(files->user, scratch("file"), out, 4) == ENAMETOOLONG);
    CHECK(files->resolve(files->user, scratch("none/"), out, sizeof out) == ENOENT);
    CHECK(files->resolve(files->user, "/tenon-none", out, sizeof out) == 0);
    CHECK_STR(out, "/tenon-none");
    CHECK(files->sync_name(files->user, "here") == 0);
}

TEST(links_are_followed_to_where_they_lead)
{
    char out[PATH_MAX], want[PATH_MAX];
    scratch_save("file", "1", 1);
    CHECK(symlink("file", scratch("near")) == 0 && symlink("late", scratch("early")) == 0);
    CHECK(symlink(scratch("late"), scratch("far")) == 0);
    CHECK(symlink("b", scratch("a")) == 0 && symlink("a", scratch("b")) == 0);
    snprintf(want, sizeof want, "%s", scratch("late"));
    CHECK(files->resolve(files->user, scratch("near"), out, sizeof out) == 0);
    CHECK_STR(out, scratch("file"));
    CHECK(files->resolve(files->user, scratch("early"), out, sizeof out) == 0);
    CHECK_STR(out, want);
    CHECK(files->resolve(files->user, scratch("far"), out, sizeof out) == 0);
    CHECK_STR(out, want);
    CHECK(files->resolve(files->user, scratch("a"), out, sizeof out) == ELOOP);
    CHECK(files->resolve(files->user, scratch("file/x"), out, sizeof out) == ENOTDIR);
}

// A chain of links, each leading to the next, the last to nothing: longer than any system follows.
TEST(chains_of_links_end)
{
    char from[32], to[32], out[PATH_MAX];
    for (int i = 0; i < 100; i++) {
        snprintf(from, sizeof from, "link%d", i);
        snprintf(to, sizeof to, "link%d", i + 1);
        CHECK(symlink(to, scratch(from)) == 0);
    }
    CHECK(files->resolve(files->user, scratch("link0"), out, sizeof out) == ELOOP);
    CHECK(files->resolve(files->user, scratch("link98"), out, sizeof out) == 0);
    CHECK_STR(out, scratch("link100"));
}

int main(void)
{
    files = tenon_system_files();
    scratch_begin();
    RUN(what_is_not_open_is_an_error_for_every_operation);
    RUN(what_does_not_exist_is_an_error_for_every_operation);
    RUN(a_name_that_is_taken_stays);
    RUN(kinds_of_files_are_recognized);
    RUN(pipes_need_no_flushing);
    RUN(an_empty_pipe_is_waited_for);
    RUN(files_do_not_take_the_place_of_a_closed_stream);
    RUN(paths_without_room_or_name_are_errors);
    RUN(links_are_followed_to_where_they_lead);
    RUN(chains_of_links_end);
    scratch_end();
    TEST_END();
}
