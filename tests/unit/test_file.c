// test_file.c: loading files and streams: what is refused, what may fail, and what is freed.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <tenon/files.h>

#include "../faulty_files.h"
#include "../scratch.h"
#include "../test.h"

#define BIG_SIZE 200000u

static uint8_t big[BIG_SIZE];

static bool is_big(const tenon_bytes *bytes)
{
    return bytes->size == BIG_SIZE && memcmp(bytes->data, big, BIG_SIZE) == 0;
}

static bool load(const char *name, const tenon_read_opts *opts, tenon_error *err)
{
    tenon_bytes bytes;
    bool ok = tenon_load(scratch(name), opts, &bytes, err);
    CHECK(ok == (bytes.data != NULL));
    tenon_unload(&bytes);
    return ok;
}

// The message has the scratch folder in it, which differs each time; `want` has '@' instead.
static void check_message(const tenon_error *err, const char *want)
{
    const char *at = strchr(want, '@');
    size_t head = (size_t)(at - want);
    size_t folder = strlen(scratch_folder);
    CHECK(strncmp(err->message, want, head) == 0);
    CHECK(strncmp(err->message + head, scratch_folder, folder) == 0);
    CHECK_STR(err->message + head + folder, at + 1);
    CHECK(err->offset == TENON_ABSENT);
    CHECK_STR(err->path, "");
}

typedef struct pool {
    unsigned calls, fail_at;
    size_t in_use, largest;
} pool;

static void *pool_alloc(void *user, size_t size)
{
    pool *p = user;
    if (++p->calls == p->fail_at) return NULL;
    p->in_use += size;
    if (p->largest < size) p->largest = size;
    return malloc(size);
}

static void pool_free(void *user, void *memory, size_t size)
{
    pool *p = user;
    p->in_use -= size;
    free(memory);
}

// -- Files

TEST(a_file_is_read_whole)
{
    scratch_save("big", big, BIG_SIZE);
    tenon_bytes bytes;
    CHECK(tenon_load(scratch("big"), NULL, &bytes, NULL));
    CHECK(is_big(&bytes));
    CHECK(!bytes.mapped);
    struct stat st;
    CHECK(stat(scratch("big"), &st) == 0);
    CHECK(bytes.id.device == (uint64_t)st.st_dev && bytes.id.inode == (uint64_t)st.st_ino);
    tenon_unload(&bytes);
    CHECK(bytes.data == NULL && bytes.size == 0);
    tenon_unload(&bytes);
    tenon_unload(NULL);
}

TEST(a_file_is_mapped)
{
    faulty_files faulty;
    faulty_begin(&faulty);
    tenon_read_opts opts = {.map = true, .files = &faulty.files};
    tenon_bytes bytes;
    CHECK(tenon_load(scratch("big"), &opts, &bytes, NULL));
    CHECK(bytes.mapped && faulty.map_count == 1 && faulty.open_count == 0);
    CHECK(is_big(&bytes));
    tenon_unload(&bytes);
    CHECK(faulty.map_count == 0);
}

TEST(what_cannot_be_mapped_is_read)
{
    const int errors[] = {ENODEV, ENOSYS, EACCES, ENOMEM};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        faulty_files faulty;
        faulty_begin(&faulty);
        faulty.only = "map";
        faulty.fail_at = 1;
        faulty.error = errors[i];
        tenon_bytes bytes;
        tenon_read_opts opts = {.map = true, .files = &faulty.files};
        CHECK(tenon_load(scratch("big"), &opts, &bytes, NULL));
        CHECK(!bytes.mapped && is_big(&bytes));
        tenon_unload(&bytes);
    }
}

TEST(an_empty_file_has_data_and_is_never_mapped)
{
    scratch_save("empty", "", 0);
    for (int map = 0; map < 2; map++) {
        faulty_files faulty;
        faulty_begin(&faulty);
        faulty.only = "map";
        tenon_read_opts opts = {.map = map != 0, .files = &faulty.files};
        tenon_bytes bytes;
        CHECK(tenon_load(scratch("empty"), &opts, &bytes, NULL));
        CHECK(bytes.data != NULL && bytes.size == 0 && !bytes.mapped && faulty.calls == 0);
        tenon_unload(&bytes);
    }
}

TEST(files_under_proc_that_report_no_size_are_read)
{
    tenon_bytes bytes;
    if (access("/proc/self/stat", R_OK) != 0) return;
    CHECK(tenon_load("/proc/self/stat", &(tenon_read_opts){.map = true}, &bytes, NULL));
    CHECK(bytes.size > 10);
    tenon_unload(&bytes);
}

TEST(short_reads_and_signals_are_not_errors)
{
    faulty_files faulty;
    faulty_begin(&faulty);
    faulty.crumbs = true;
    scratch_save("short", big, 5000);
    tenon_bytes bytes;
    CHECK(tenon_load(scratch("short"), &(tenon_read_opts){.files = &faulty.files}, &bytes, NULL));
    CHECK(bytes.size == 5000 && memcmp(bytes.data, big, 5000) == 0);
    tenon_unload(&bytes);
}

// Reports for every file the size that `user` points to.
static int stat_lie(void *user, tenon_file file, tenon_file_info *info)
{
    const tenon_files *real = tenon_system_files();
    int error = real->stat(real->user, file, info);
    info->size = *(const uint64_t *)user;
    return error;
}

TEST(the_size_finally_read_is_what_counts)
{
    uint64_t size;
    tenon_files files = *tenon_system_files();
    files.user = &size;
    files.stat = stat_lie;
    const uint64_t sizes[] = {0, 1, BIG_SIZE / 2, BIG_SIZE - 1, BIG_SIZE, BIG_SIZE + 1, 999999};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size = sizes[i];
        tenon_bytes bytes;
        CHECK(tenon_load(scratch("big"), &(tenon_read_opts){.files = &files}, &bytes, NULL));
        CHECK(is_big(&bytes));
        tenon_unload(&bytes);
    }
}

static void *no_memory(void *user, size_t size)
{
    (void)user;
    (void)size;
    return NULL;
}

TEST(a_size_beyond_all_memory_is_an_error)
{
    uint64_t size = UINT64_MAX;
    tenon_files files = *tenon_system_files();
    files.user = &size;
    files.stat = stat_lie;
    tenon_read_opts opts = {.files = &files, .allocator = {.alloc = no_memory}};
    tenon_error err;
    for (; size != 0; size /= 2) {
        CHECK(!load("big", &opts, &err));
        CHECK(err.code == TENON_ERR_MEMORY && err.system == 0);
    }
    check_message(&err, "cannot read '@/big': out of memory");
}

// -- What is refused

TEST(a_missing_file_is_an_error)
{
    tenon_error err;
    CHECK(!load("none", NULL, &err));
    CHECK(err.code == TENON_ERR_IO && err.system == ENOENT);
    check_message(&err, "cannot open '@/none': No such file or directory");
    CHECK(!load("big/inner", NULL, &err));
    CHECK(err.system == ENOTDIR);
    CHECK(!load("none", NULL, NULL));
}

TEST(an_unreadable_file_is_an_error)
{
    if (geteuid() == 0) return;  // Root may read everything.
    scratch_save("secret", "s", 1);
    chmod(scratch("secret"), 0);
    tenon_error err;
    CHECK(!load("secret", NULL, &err));
    CHECK(err.code == TENON_ERR_IO && err.system == EACCES);
}

TEST(a_folder_is_refused)
{
    mkdir(scratch("folder"), 0777);
    tenon_error err;
    CHECK(!load("folder", NULL, &err));
    CHECK(err.code == TENON_ERR_IO && err.system == EISDIR);
    check_message(&err, "'@/folder' is a folder");
    tenon_file file;
    const tenon_files *files = tenon_system_files();
    CHECK(files->open(files->user, scratch("folder"), &file) == 0);
    tenon_bytes bytes;
    CHECK(!tenon_load_stream(file, "-", NULL, &bytes, &err));
    CHECK_STR(err.message, "'-' is a folder");
    files->close(files->user, file);
}

TEST(devices_are_refused)
{
    const char *paths[] = {"/dev/zero", "/dev/null", "/dev/full"};
    for (size_t i = 0; i < 3; i++) {
        tenon_bytes bytes;
        tenon_error err;
        if (access(paths[i], R_OK) != 0) continue;
        CHECK(!tenon_load(paths[i], NULL, &bytes, &err));
        CHECK(err.code == TENON_ERR_IO && strstr(err.message, "is a device"));
    }
}

TEST(a_named_pipe_is_refused_without_waiting)
{
    if (mkfifo(scratch("pipe"), 0666) != 0) return;
    faulty_files faulty;
    faulty_begin(&faulty);
    faulty.only = "open";
    tenon_error err;
    alarm(2);
    CHECK(!load("pipe", &(tenon_read_opts){.files = &faulty.files}, &err));
    alarm(0);
    CHECK(err.code == TENON_ERR_IO);
    CHECK(faulty.calls == 0);  // Opening would wake a writer, and closing would kill it.
    check_message(&err, "'@/pipe' is a named pipe");
    CHECK_STR(err.note, "pipes are read from standard input and under /dev/fd");
    CHECK(symlink(scratch("pipe"), scratch("pipe_link")) == 0);
    CHECK(!load("pipe_link", NULL, &err));
}

// It becomes a pipe between stat and open.
static int look_regular(void *user, const char *path, tenon_file_info *info)
{
    (void)user;
    (void)path;
    *info = (tenon_file_info){.kind = TENON_FILE_REGULAR};
    return 0;
}

TEST(what_was_opened_is_checked_again)
{
    tenon_files files = *tenon_system_files();
    files.look = look_regular;
    tenon_error err;
    alarm(2);
    CHECK(!load("pipe", &(tenon_read_opts){.files = &files}, &err));
    CHECK(!load("folder", &(tenon_read_opts){.files = &files}, &err));
    alarm(0);
    check_message(&err, "'@/folder' is a folder");
}

TEST(names_in_messages_are_cleaned_and_shortened)
{
    tenon_error err;
    CHECK(!load("a\x1b[31m\n\xc2\x9b\xff.bplx", NULL, &err));
    check_message(&err, "cannot open '@/a?[31m???.bplx': No such file or directory");
    char name[200] = "";
    for (size_t i = 0; i + 4 < sizeof name; i += 2) memcpy(name + i, "\xc3\xa4", 3);
    const char *ends[] = {"", "x"};
    for (size_t i = 0; i < 2; i++) {
        strcat(name, ends[i]);
        CHECK(!load(name, NULL, &err));
        CHECK(strncmp(err.message, "cannot open '...\xc3\xa4", 18) == 0);
        char tail[64];
        snprintf(tail, sizeof tail, "\xc3\xa4%s': No such file or directory", ends[i]);
        CHECK_STR(err.message + strlen(err.message) - strlen(tail), tail);
    }
    for (int digits = 60; digits < 180; digits++) {  // The end is kept, however long the name is.
        snprintf(name, sizeof name, "%0*dx", digits, 0);
        CHECK(!load(name, NULL, &err));
        CHECK(strstr(err.message, "0x': No such file or directory") != NULL);
        CHECK(strlen(err.message) <= strlen("cannot open '': No such file or directory") + 143);
    }
    snprintf(name, sizeof name, "%0150dx", 0);
    CHECK(!load(name, NULL, &err));
    CHECK(strlen(err.message) == strlen("cannot open '': No such file or directory") + 143);
}

// -- Streams

// A child that writes `size` bytes of `big` into a pipe; returns the end to read from.
static int open_pipe(size_t size, pid_t *child)
{
    int ends[2];
    if (pipe(ends) != 0) return -1;
    *child = fork();
    if (*child != 0) {
        close(ends[1]);
        return ends[0];
    }
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    usleep(1000);  // So that the reader has to wait.
    for (size_t done = 0; done < size;) {
        size_t step = size - done < 7777 ? size - done : 7777;
        ssize_t put = write(ends[1], big + done, step);
        if (put < 0) break;
        done += (size_t)put;
    }
    _exit(0);
}

TEST(a_pipe_is_read_to_its_end)
{
    pid_t child;
    int fd = open_pipe(BIG_SIZE, &child);
    fcntl(fd, F_SETFL, O_NONBLOCK);  // As a parent process might have left it.
    tenon_bytes bytes;
    CHECK(tenon_load_stream(fd, "-", &(tenon_read_opts){.map = true}, &bytes, NULL));
    CHECK(is_big(&bytes));
    CHECK(fcntl(fd, F_GETFD) >= 0);
    tenon_unload(&bytes);
    close(fd);
    waitpid(child, NULL, 0);
}

TEST(process_substitution_works)
{
    const char *folders[] = {"/dev/fd", "/proc/self/fd"};
    for (size_t i = 0; i < 2; i++) {
        pid_t child;
        int fd = open_pipe(BIG_SIZE, &child);
        char path[64];
        snprintf(path, sizeof path, "%s/%d", folders[i], fd);
        tenon_bytes bytes = {0};
        if (access(path, F_OK) == 0) {
            CHECK(tenon_load(path, NULL, &bytes, NULL));
            CHECK(is_big(&bytes));
        }
        tenon_unload(&bytes);
        close(fd);
        waitpid(child, NULL, 0);
    }
}

TEST(a_path_through_the_descriptors_is_not_a_descriptor)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "/dev/fd/../..%s", scratch("pipe"));
    tenon_bytes bytes;
    alarm(2);
    CHECK(!tenon_load(path, NULL, &bytes, NULL));
    CHECK(!tenon_load("/dev/fd/", NULL, &bytes, NULL));
    CHECK(!tenon_load("/dev/fd/99999x", NULL, &bytes, NULL));
    alarm(0);
}

TEST(standard_input_may_be_a_file_read_in_part)
{
    int fd = open(scratch("big"), O_RDONLY);
    CHECK(lseek(fd, 1000, SEEK_SET) == 1000);
    CHECK(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
    close(fd);
    tenon_bytes bytes;
    CHECK(tenon_load_stream(tenon_stdin(), "-", &(tenon_read_opts){.map = true}, &bytes, NULL));
    CHECK(bytes.size == BIG_SIZE - 1000 && memcmp(bytes.data, big + 1000, bytes.size) == 0);
    tenon_file_id id;
    CHECK(tenon_file_identify(NULL, scratch("big"), &id));
    CHECK(id.device == bytes.id.device && id.inode == bytes.id.inode);
    tenon_unload(&bytes);
}

TEST(a_stream_without_a_writer_is_empty)
{
    const tenon_files *files = tenon_system_files();
    tenon_file file;
    if (!scratch_exists("pipe")) return;
    alarm(2);
    CHECK(files->open(files->user, scratch("pipe"), &file) == 0);
    CHECK((fcntl((int)file, F_GETFL) & O_NONBLOCK) == 0);
    tenon_bytes bytes;
    CHECK(tenon_load_stream(file, "pipe", NULL, &bytes, NULL));
    CHECK(bytes.size == 0);
    alarm(0);
    tenon_unload(&bytes);
    files->close(files->user, file);
}

TEST(a_stream_has_a_limit)
{
    const uint64_t sizes[] = {BIG_SIZE - 1, BIG_SIZE, BIG_SIZE + 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        pid_t child;
        int fd = open_pipe(BIG_SIZE, &child);
        tenon_read_opts opts = {.max_stream = sizes[i]};
        tenon_bytes bytes;
        tenon_error err;
        CHECK(tenon_load_stream(fd, "-", &opts, &bytes, &err) == (sizes[i] >= BIG_SIZE));
        if (i == 0) {
            CHECK(err.code == TENON_ERR_LIMIT && err.system == 0);
            CHECK_STR(err.message, "'-' holds more than 199999 bytes");
        }
        tenon_unload(&bytes);
        close(fd);
        waitpid(child, NULL, 0);
    }
}

TEST(the_limit_is_for_streams_only)
{
    CHECK(load("big", &(tenon_read_opts){.max_stream = 10}, NULL));
}

TEST(an_endless_stream_ends_at_the_limit)
{
    int fd = open("/dev/zero", O_RDONLY);
    if (fd < 0) return;
    pool p = {0};
    tenon_read_opts opts = {.max_stream = 3000000, .allocator = {pool_alloc, pool_free, &p}};
    tenon_bytes bytes;
    tenon_error err;
    CHECK(!tenon_load_stream(fd, "-", &opts, &bytes, &err));
    CHECK(err.code == TENON_ERR_LIMIT);
    CHECK(p.in_use == 0 && p.largest == 3000001);
    close(fd);
}

// -- Cancelling, memory, failures

typedef struct watch {
    unsigned steps, stop_at;
    uint64_t done, total;
} watch;

static bool watch_step(void *user, uint64_t done, uint64_t total)
{
    watch *w = user;
    CHECK(done >= w->done);
    w->done = done;
    w->total = total;
    return ++w->steps != w->stop_at;
}

TEST(loading_can_be_cancelled)
{
    for (unsigned stop_at = 1; stop_at < 4; stop_at++) {
        faulty_files faulty;
        faulty_begin(&faulty);
        faulty.crumbs = true;
        watch w = {.stop_at = stop_at};
        tenon_read_opts opts = {.files = &faulty.files,
                                .events = {.user = &w, .on_progress = watch_step}};
        tenon_error err;
        CHECK(!load("big", &opts, &err));
        CHECK(err.code == TENON_ERR_CANCELLED && err.system == 0);
        check_message(&err, "cannot read '@/big': cancelled");
        CHECK(w.steps == stop_at && w.total == BIG_SIZE && faulty.open_count == 0);
    }
}

TEST(long_work_is_reported_every_8_MiB)
{
    const uint64_t size = 20u << 20;
    scratch_save("hole", "", 0);
    CHECK(truncate(scratch("hole"), (off_t)size) == 0);
    watch w = {0};
    tenon_read_opts opts = {.events = {.user = &w, .on_progress = watch_step}};
    CHECK(load("hole", &opts, NULL));
    CHECK(w.steps >= 4 && w.done == size && w.total == size);
}

TEST(every_allocation_may_fail)
{
    bool done = false;
    for (unsigned fail_at = 1; !done; fail_at++) {
        pid_t child;
        int fd = open_pipe(BIG_SIZE, &child);
        pool p = {.fail_at = fail_at};
        tenon_read_opts opts = {.allocator = {pool_alloc, pool_free, &p}};
        tenon_bytes bytes;
        tenon_error err;
        done = tenon_load_stream(fd, "-", &opts, &bytes, &err);
        CHECK(done == (p.calls < fail_at));
        CHECK(done || err.code == TENON_ERR_MEMORY);
        tenon_unload(&bytes);
        CHECK(p.in_use == 0);
        close(fd);
        waitpid(child, NULL, 0);
    }
}

// Load with the operation number `fail_at` failing. Returns false once there are fewer.
static bool load_with_fault(unsigned fail_at, bool for_ever, bool map, int error)
{
    faulty_files faulty;
    faulty_begin(&faulty);
    faulty.fail_at = fail_at;
    faulty.for_ever = for_ever;
    faulty.error = error;
    pool p = {0};
    tenon_read_opts opts = {
        .allocator = {pool_alloc, pool_free, &p}, .files = &faulty.files, .map = map};
    tenon_bytes bytes;
    tenon_error err = {0};
    bool ok = tenon_load(scratch("big"), &opts, &bytes, &err);
    if (ok) CHECK(is_big(&bytes));
    if (!ok) CHECK(err.code == TENON_ERR_IO && err.system == error && err.message[0]);
    tenon_unload(&bytes);
    CHECK(faulty.open_count == 0 && faulty.map_count == 0 && p.in_use == 0);
    return faulty.failed_calls > 0;
}

TEST(every_operation_may_fail)
{
    for (int variant = 0; variant < 4; variant++) {
        bool for_ever = variant & 1, map = variant & 2;
        unsigned k = 1;
        while (load_with_fault(k, for_ever, map, EIO)) k++;
        CHECK(k > 5);
        for (k = 1; load_with_fault(k, for_ever, map, ENOENT); k++) {
        }
    }
}

TEST(a_stream_that_fails_says_how)
{
    static const char *const operations[] = {"stat", "read"};
    for (size_t i = 0; i < 2; i++) {
        faulty_files faulty;
        faulty_begin(&faulty);
        faulty.fail_at = 1;
        faulty.error = EIO;
        faulty.only = operations[i];
        tenon_read_opts opts = {.files = &faulty.files};
        tenon_bytes bytes;
        tenon_error err = {0};
        int fd = open(scratch("big"), O_RDONLY);
        CHECK(!tenon_load_stream(fd, "input", &opts, &bytes, &err));
        CHECK(faulty.failed_calls == 1 && err.code == TENON_ERR_IO && err.system == EIO);
        CHECK(strncmp(err.message, "cannot read 'input': ", 21) == 0);
        CHECK(!bytes.data);
        close(fd);
    }
}

TEST(files_never_get_the_numbers_of_the_standard_streams)
{
    pid_t child = fork();
    if (child == 0) {
        for (int fd = 0; fd < 3; fd++) close(fd);
        const tenon_files *files = tenon_system_files();
        tenon_file in = -1, out = -1;
        bool ok = files->open(files->user, scratch("big"), &in) == 0 && in > 2 &&
                  files->create(files->user, scratch("fresh"), &out) == 0 && out > 2;
        _exit(!ok);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
}

TEST(hard_links_and_other_spellings_are_the_same_file)
{
    tenon_file_id a = {0}, b = {0};
    CHECK(tenon_file_identify(NULL, scratch("big"), &a));
    CHECK(tenon_file_identify(NULL, scratch("folder/../big"), &b));
    CHECK(a.device == b.device && a.inode == b.inode);
    if (link(scratch("big"), scratch("twin")) == 0) {
        CHECK(tenon_file_identify(NULL, scratch("twin"), &b));
        CHECK(a.inode == b.inode);
    }
    CHECK(!tenon_file_identify(NULL, scratch("none"), &b));
}

int main(void)
{
    for (size_t i = 0; i < BIG_SIZE; i++) big[i] = (uint8_t)(i * 2654435761u >> 13);
    scratch_begin();
    RUN(a_file_is_read_whole);
    RUN(a_file_is_mapped);
    RUN(what_cannot_be_mapped_is_read);
    RUN(an_empty_file_has_data_and_is_never_mapped);
    RUN(files_under_proc_that_report_no_size_are_read);
    RUN(short_reads_and_signals_are_not_errors);
    RUN(the_size_finally_read_is_what_counts);
    RUN(a_size_beyond_all_memory_is_an_error);
    RUN(a_missing_file_is_an_error);
    RUN(an_unreadable_file_is_an_error);
    RUN(a_folder_is_refused);
    RUN(devices_are_refused);
    RUN(a_named_pipe_is_refused_without_waiting);
    RUN(what_was_opened_is_checked_again);
    RUN(names_in_messages_are_cleaned_and_shortened);
    RUN(a_pipe_is_read_to_its_end);
    RUN(process_substitution_works);
    RUN(a_path_through_the_descriptors_is_not_a_descriptor);
    RUN(standard_input_may_be_a_file_read_in_part);
    RUN(a_stream_without_a_writer_is_empty);
    RUN(a_stream_has_a_limit);
    RUN(the_limit_is_for_streams_only);
    RUN(an_endless_stream_ends_at_the_limit);
    RUN(loading_can_be_cancelled);
    RUN(long_work_is_reported_every_8_MiB);
    RUN(every_allocation_may_fail);
    RUN(every_operation_may_fail);
    RUN(a_stream_that_fails_says_how);
    RUN(files_never_get_the_numbers_of_the_standard_streams);
    RUN(hard_links_and_other_spellings_are_the_same_file);
    scratch_end();
    TEST_END();
}
