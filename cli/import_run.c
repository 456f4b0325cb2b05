// import_run.c: tenon-import is started, watched, and always ended.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE  // RLIMIT_AS, strsignal()

#include "import_run.h"

#include "guard.h"
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#define MIB           ((uint64_t)1 << 20)
#define BASE_MEMORY   (256 * MIB)  // What the program takes before it has read anything.
#define MODEL_MEMORY  (768 * MIB)  // What a model may take, besides 64 times its size.
#define MEMORY_FACTOR 64
#define CPU_SECONDS   10  // And two for each MiB of the file.
#define WALL_SECONDS  60  // And four.
#define END_SECONDS   2   // To end, once it has said everything.
#define MESSAGE_SIZE  1024
#define CANNOT_START  127

// A sanitizer takes all addresses there are.
#if defined(__SANITIZE_ADDRESS__)
#define LIMITS_MEMORY 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LIMITS_MEMORY 0
#endif
#endif
#ifndef LIMITS_MEMORY
#define LIMITS_MEMORY 1
#endif

typedef struct limits {
    uint64_t memory, output;  // Bytes.
    uint64_t cpu, wall;       // Seconds.
} limits;

// The program while it runs.
typedef struct child {
    pid_t pid;
    int out, err;  // What it writes; -1 once it has ended that.
    double deadline;
    limits most;
    imported_model *result;
    size_t room;
    char message[MESSAGE_SIZE];
    size_t message_size;
    bool is_late, is_too_large, has_no_memory;
} child;

static limits limits_for(const cli_common *opts, uint64_t input_size)
{
    uint64_t memory = opts->max_memory;
    if (!memory) memory = MODEL_MEMORY + MEMORY_FACTOR * input_size;
    return (limits){.memory = BASE_MEMORY + memory,
                    .output = memory,
                    .cpu = CPU_SECONDS + 2 * (input_size / MIB),
                    .wall = WALL_SECONDS + 4 * (input_size / MIB)};
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// -- Starting: between fork() and exec() only what is safe there

static void limit(int what, uint64_t most)
{
    const struct rlimit both = {.rlim_cur = (rlim_t)most, .rlim_max = (rlim_t)most};
    (void)setrlimit(what, &both);
}

static void become(const char *program, const char *file, const limits *most, const int out[2],
                   const int err[2], const sigset_t *signals)
{
    static const char name[] = "tenon-import", dashes[] = "--";
    const char *const args[] = {name, dashes, file, NULL};
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(out[1], STDOUT_FILENO) < 0 ||
        dup2(err[1], STDERR_FILENO) < 0)
        _exit(CANNOT_START);
#if defined(__linux__)
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    // What this program catches or ignores is as usual there.
    (void)signal(SIGPIPE, SIG_DFL);
    (void)signal(SIGXFSZ, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, signals, NULL);
    if (LIMITS_MEMORY) limit(RLIMIT_AS, most->memory);
    limit(RLIMIT_CPU, most->cpu);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    // The arguments of exec() are not constant by name only.
    (void)execv(program, (char *const *)(uintptr_t)args);
    _exit(CANNOT_START);
}

// Both ends are closed in programs that are started.
static bool make_pipe(int ends[2])
{
    if (pipe(ends) != 0) return false;
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

static void close_both(const int ends[2])
{
    (void)close(ends[0]);
    (void)close(ends[1]);
}

static bool start(child *c, const char *program, const char *file)
{
    int out[2], err[2];
    sigset_t all, before;
    if (!make_pipe(out)) return false;
    if (!make_pipe(err)) {
        close_both(out);
        return false;
    }
    // A signal that ends this program must find the child, so it has to wait for its number.
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before);
    c->pid = fork();
    if (c->pid == 0) become(program, file, &c->most, out, err, &before);
    if (c->pid > 0) guard_child(c->pid);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    if (c->pid < 0) close_both(out), close_both(err);
    if (c->pid < 0) return false;
    (void)close(out[1]);
    (void)close(err[1]);
    c->out = out[0];
    c->err = err[0];
    c->deadline = now() + (double)c->most.wall;
    return true;
}

// -- Listening

static bool make_room(child *c)
{
    imported_model *r = c->result;
    if (r->size < c->room) return true;
    size_t room = c->room ? 2 * c->room : (size_t)1 << 16;
    void *longer = realloc(r->data, room);
    c->has_no_memory = !longer;
    if (!longer) return false;
    r->data = longer;
    c->room = room;
    return true;
}

// Returns false when nothing more is to be heard.
static bool take_output(child *c)
{
    imported_model *r = c->result;
    if (!make_room(c)) return false;
    ssize_t got = read(c->out, (char *)r->data + r->size, c->room - r->size);
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    r->size += (size_t)got;
    c->is_too_large = r->size > c->most.output;
    return !c->is_too_large;
}

// The first words are kept, the others only read.
static bool take_message(child *c)
{
    char words[MESSAGE_SIZE];
    ssize_t got = read(c->err, words, sizeof words);
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    size_t left = sizeof c->message - 1 - c->message_size;
    size_t size = (size_t)got < left ? (size_t)got : left;
    memcpy(c->message + c->message_size, words, size);
    c->message_size += size;
    return true;
}

static void hang_up(int *end)
{
    if (*end >= 0) (void)close(*end);
    *end = -1;
}

static void listen_to(child *c)
{
    while (c->out >= 0 || c->err >= 0) {
        struct pollfd ends[2] = {{.fd = c->out, .events = POLLIN},
                                 {.fd = c->err, .events = POLLIN}};
        double left = c->deadline - now();
        c->is_late = left <= 0;
        if (c->is_late) break;
        int ready = poll(ends, 2, left < 1 ? (int)(left * 1000) + 1 : 1000);
        if (ready < 0 && errno != EINTR) break;
        if (ready <= 0) continue;
        if (ends[0].revents && !take_output(c)) hang_up(&c->out);
        if (ends[1].revents && !take_message(c)) hang_up(&c->err);
        if (c->is_too_large || c->has_no_memory) break;
    }
    hang_up(&c->out);
    hang_up(&c->err);
}

// -- Ending

// Wait a moment for it to end by itself; then it has no choice.
static int end(const child *c)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    double until = now() + END_SECONDS;
    bool is_over = c->is_late || c->is_too_large || c->has_no_memory;
    int status = 0;
    pid_t gone = 0;
    while (!is_over && (gone = waitpid(c->pid, &status, WNOHANG)) == 0 && now() < until)
        (void)nanosleep(&moment, NULL);
    if (gone != c->pid) {
        (void)kill(c->pid, SIGKILL);
        while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) continue;
    }
    guard_child(0);
    return status;
}

// What it said, in one line.
static const char *last_words(child *c)
{
    static const char prefix[] = "tenon-import: ";
    c->message[c->message_size] = '\0';
    c->message[strcspn(c->message, "\r\n")] = '\0';
    bool is_ours = strncmp(c->message, prefix, sizeof prefix - 1) == 0;
    return c->message + (is_ours ? sizeof prefix - 1 : 0);
}

static bool wants_memory(const char *words)
{
    return strstr(words, "out of memory") || strstr(words, "bad_alloc") ||
           strstr(words, "std::length_error");
}

static tenon_error explain_signal(const child *c, int number)
{
    if (number == SIGXCPU || number == SIGKILL)
        return report_make(TENON_ERR_LIMIT, "importing it takes more than %" PRIu64 " s",
                           c->most.cpu);
    return report_make(TENON_ERR_VALUE, "the importer crashed (%s): the file is damaged",
                       strsignal(number));
}

static tenon_error explain(child *c, const import_format *format, int status)
{
    const char *words = last_words(c);
    if (c->has_no_memory) return report_make(TENON_ERR_MEMORY, "out of memory");
    if (c->is_late)
        return report_make(TENON_ERR_LIMIT, "importing it takes more than %" PRIu64 " s",
                           c->most.wall);
    if (c->is_too_large)
        return report_make(TENON_ERR_LIMIT, "what is imported has more than %" PRIu64 " bytes",
                           c->most.output);
    if (wants_memory(words))
        return report_make(TENON_ERR_LIMIT,
                           "importing it takes more than %" PRIu64 " bytes of memory",
                           c->most.memory);
    if (WIFSIGNALED(status)) return explain_signal(c, WTERMSIG(status));
    if (WEXITSTATUS(status) == CANNOT_START)
        return report_make(TENON_ERR_IO, "the importer could not be started");
    return report_make(TENON_ERR_VALUE, "this is no %s that can be read: %s", format->title,
                       *words ? words : "the importer does not say why");
}

// -- All of it

static tenon_error is_not_there(const import_format *format)
{
    tenon_error err =
        report_make(TENON_ERR_IO, "%s is read by tenon-import, which is not there", format->title);
    (void)snprintf(err.note, sizeof err.note,
                   "it is built with Tenon where Assimp is installed: `apt-get install "
                   "libassimp-dev`, then build again");
    return err;
}

bool import_run(const cli_common *opts, const char *file, const import_format *format,
                uint64_t input_size, imported_model *result, tenon_error *err)
{
    char program[4096];
    child c = {.most = limits_for(opts, input_size), .result = result};
    *result = (imported_model){0};
    if (!import_find_program(program, sizeof program)) {
        *err = is_not_there(format);
        return false;
    }
    if (!start(&c, program, file)) {
        *err = report_make(TENON_ERR_IO, "the importer could not be started: %s", strerror(errno));
        return false;
    }
    listen_to(&c);
    int status = end(&c);
    bool is_whole = !c.is_late && !c.is_too_large && !c.has_no_memory;
    if (is_whole && WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    *err = explain(&c, format, status);
    free(result->data);
    *result = (imported_model){0};
    return false;
}
