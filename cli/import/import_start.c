// import_start.c: starts tenon-import with limits and without anything that it does not need.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE  // RLIMIT_AS, syscall()

#include "import/import_start.h"

#include "system/guard.h"
#include "system/sanitizer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#define CANNOT_START 127
#define FILES_MOST   16     // The loader opens libraries; tenon-import then allows itself none.
#define CLOSED_MOST  65536  // Descriptors that are closed one by one on old kernels.

extern char **environ;  // POSIX names it, but no header declares it.

// What the new process says about itself before it becomes another program.
typedef struct start_report {
    uint32_t lacks;
    int error;  // Of exec() and what must work before it.
} start_report;

// What the new process needs; nothing of it is allocated there.
typedef struct start_plan {
    const char *program;
    char *environment[2];
    const import_limits *most;
    int in[2], out[2], err[2], report[2];  // Pipes.
    pid_t parent;
    sigset_t signals;  // Those that were blocked before.
} start_plan;

// -- The new process: between fork() and exec() only what is safe there

// Limits that are lower already stay so.
static bool limit(int what, uint64_t most)
{
    struct rlimit both;
    if (getrlimit(what, &both) != 0) return false;
    if (both.rlim_max > most) both.rlim_max = (rlim_t)most;
    if (both.rlim_cur > most) both.rlim_cur = (rlim_t)most;
    return setrlimit(what, &both) == 0;
}

static void close_from(int first)
{
#if defined(SYS_close_range)
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0) return;
#endif
    long most = sysconf(_SC_OPEN_MAX);
    if (most < 0 || most > CLOSED_MOST) most = CLOSED_MOST;
    for (int fd = first; fd < (int)most; fd++) (void)close(fd);
}

// Returns the measures that could not be applied.
static uint32_t restrict_self(const import_limits *most)
{
    uint32_t lacks = 0;
    // AddressSanitizer reserves more addresses than any limit allows.
    if (HAS_ADDRESS_SANITIZER || !limit(RLIMIT_AS, most->memory))
        lacks |= IMPORT_LACKS_MEMORY_LIMIT;
    bool is_limited = limit(RLIMIT_CPU, most->cpu) && limit(RLIMIT_CORE, 0) &&
                      limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_NOFILE, FILES_MOST);
#if defined(RLIMIT_NPROC)
    is_limited = limit(RLIMIT_NPROC, 0) && is_limited;
#endif
    if (!is_limited) lacks |= IMPORT_LACKS_LIMITS;
#if defined(__linux__)
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) lacks |= IMPORT_LACKS_PRIVILEGE_LOCK;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) lacks |= IMPORT_LACKS_DEATH_SIGNAL;
#else
    lacks |= IMPORT_LACKS_PRIVILEGE_LOCK | IMPORT_LACKS_DEATH_SIGNAL;
#endif
    return lacks;
}

static void become_importer(const start_plan *plan)
{
    static const char name[] = "tenon-import", option[] = "--pipes";
    const char *const args[] = {name, option, NULL};
    const int report = STDERR_FILENO + 1;
    start_report said = {0};
    (void)setpgid(0, 0);
    // The standard streams are open in this program, so no pipe has their numbers.
    if (dup2(plan->in[0], STDIN_FILENO) < 0 || dup2(plan->out[1], STDOUT_FILENO) < 0 ||
        dup2(plan->err[1], STDERR_FILENO) < 0 || dup2(plan->report[1], report) < 0 ||
        fcntl(report, F_SETFD, FD_CLOEXEC) < 0)
        _exit(CANNOT_START);
    close_from(report + 1);
    // What this program catches or ignores is as usual there.
    (void)signal(SIGPIPE, SIG_DFL);
    (void)signal(SIGXFSZ, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &plan->signals, NULL);
    said.lacks = restrict_self(plan->most);
    // The parent may have ended before the signal for that was asked for.
    if (getppid() != plan->parent) _exit(CANNOT_START);
    if (write(report, &said, sizeof said) == sizeof said) {
        // The arguments of exec() are not constant by name only.
        (void)execve(plan->program, (char *const *)(uintptr_t)args, plan->environment);
        said.error = errno;
        ssize_t put = write(report, &said, sizeof said);
        (void)put;  // If that fails, the end of the pipe says enough.
    }
    _exit(CANNOT_START);
}

// -- This process

// Both ends are closed in programs that are started.
static bool make_pipe(int ends[2])
{
    if (pipe(ends) != 0) {
        ends[0] = ends[1] = -1;
        return false;
    }
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

static void close_end(int *end)
{
    if (*end >= 0) (void)close(*end);
    *end = -1;
}

// What the loader needs to find libraries in unusual places is all that is passed on.
static char *find_library_path(void)
{
    static const char name[] = "LD_LIBRARY_PATH=";
    for (char **entry = environ; entry && *entry; entry++)
        if (strncmp(*entry, name, sizeof name - 1) == 0) return *entry;
    return NULL;
}

// Wait until the new process has become the program, or could not. Returns 0, or an errno value.
static int hear_report(int from, uint32_t *lacks)
{
    start_report said = {.error = EIO};
    bool is_started = false;
    for (;;) {
        ssize_t got = read(from, &said, sizeof said);
        if (got < 0 && errno == EINTR) continue;
        if (got != sizeof said) break;
        is_started = said.error == 0;
        *lacks = said.lacks;
    }
    return is_started ? 0 : said.error ? said.error : EIO;
}

int import_start(const char *program, const import_limits *most, import_process *process)
{
    start_plan plan = {.program = program,
                       .environment = {find_library_path()},
                       .most = most,
                       .in = {-1, -1},
                       .out = {-1, -1},
                       .err = {-1, -1},
                       .report = {-1, -1},
                       .parent = getpid()};
    *process = (import_process){.pid = -1, .in = -1, .out = -1, .err = -1};
    // If the parent process has set it to be ignored, wait() could not report how the child ended.
    (void)signal(SIGCHLD, SIG_DFL);
    int error = 0;
    if (make_pipe(plan.in) && make_pipe(plan.out) && make_pipe(plan.err) &&
        make_pipe(plan.report)) {
        // A signal that ends this program must find the child, so it has to wait for its number.
        sigset_t all;
        (void)sigfillset(&all);
        (void)sigprocmask(SIG_SETMASK, &all, &plan.signals);
        process->pid = fork();
        if (process->pid == 0) become_importer(&plan);
        if (process->pid < 0) error = errno;
        if (process->pid > 0) {
            (void)setpgid(process->pid, process->pid);
            guard_child(process->pid);
        }
        (void)sigprocmask(SIG_SETMASK, &plan.signals, NULL);
    } else {
        error = errno;
    }
    close_end(&plan.in[0]);
    close_end(&plan.out[1]);
    close_end(&plan.err[1]);
    close_end(&plan.report[1]);
    if (!error) error = hear_report(plan.report[0], &process->lacks);
    close_end(&plan.report[0]);
    process->in = plan.in[1];
    process->out = plan.out[0];
    process->err = plan.err[0];
    if (!error && fcntl(process->in, F_SETFL, O_NONBLOCK) < 0) error = errno;
    if (!error) return 0;
    if (process->pid > 0) (void)import_end(process);
    close_end(&process->in);
    close_end(&process->out);
    close_end(&process->err);
    return error;
}

int import_end(const import_process *process)
{
    int status = 0;
    // The group first: until the process was waited for, no other can have its number.
    (void)kill(-process->pid, SIGKILL);
    guard_child(0);
    while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR) continue;
    return status;
}
