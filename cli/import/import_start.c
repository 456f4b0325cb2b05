// import_start.c: finds tenon-import, and starts it with limits and only what it needs.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE  // RLIMIT_AS, syscall()

#include "import/import_start.h"

#include "import/import_format.h"
#include "input/paths.h"
#include "system/guard.h"
#include "system/sanitizer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#define PROGRAM      "tenon-import"
#define CANNOT_START 127
#define FILES_MOST   16     // The loader opens libraries; tenon-import then allows itself none.
#define CLOSED_MOST  65536  // Descriptors that are closed one by one on old kernels.

// Where it is installed, relative to the folder of the tool.
#ifndef TENON_HELPERS
#define TENON_HELPERS "../libexec/tenon"
#endif

extern char **environ;  // POSIX defines it, but no header declares it.

// -- Finding the program

static bool import_start_is_program(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

// Whether there is a program `name` in a folder; `path` gets its path.
static bool import_start_find_in_folder(const char *folder, size_t folder_size, const char *name,
                                        char *path, size_t size)
{
    int used = snprintf(path, size, "%.*s/%s", (int)folder_size, folder, name);
    return used > 0 && (size_t)used < size && import_start_is_program(path);
}

bool import_find_program(char *path, size_t size)
{
    const char *given = getenv("TENON_IMPORT");
    if (given) {
        int used = snprintf(path, size, "%s", given);
        return used > 0 && (size_t)used < size && import_start_is_program(path);
    }
    char self[PATH_SIZE];
    ssize_t self_size = readlink("/proc/self/exe", self, sizeof self - 1);
    self[self_size > 0 ? self_size : 0] = '\0';
    const char *slash = strrchr(self, '/');
    size_t self_folder = slash ? (size_t)(slash - self) : 0;
    if (slash &&
        (import_start_find_in_folder(self, self_folder, PROGRAM, path, size) ||
         import_start_find_in_folder(self, self_folder, TENON_HELPERS "/" PROGRAM, path, size)))
        return true;
    for (const char *folders = getenv("PATH"); folders && *folders;) {
        size_t folder_size = strcspn(folders, ":");
        if (folder_size > 0 &&
            import_start_find_in_folder(folders, folder_size, PROGRAM, path, size))
            return true;
        folders += folder_size + (folders[folder_size] == ':');
    }
    return false;
}

// -- The new process: between fork() and exec() only what is safe there

// What the new process reports before it becomes the importer.
typedef struct start_report {
    uint32_t lacks;
    int error;  // errno value of exec(), or of what must work before it.
} start_report;

// What the new process needs. It allocates nothing.
typedef struct start_plan {
    const char *program;
    char *environment[2];
    const import_limits *most;
    int in[2], out[2], err[2], report[2];  // Pipes.
    pid_t parent;
    sigset_t signals;  // Those that were blocked before.
} start_plan;

// Limits that are lower already stay.
static bool import_start_lower_limit(int what, uint64_t most)
{
    struct rlimit both;
    if (getrlimit(what, &both) != 0) return false;
    if (both.rlim_max > most) both.rlim_max = (rlim_t)most;
    if (both.rlim_cur > most) both.rlim_cur = (rlim_t)most;
    return setrlimit(what, &both) == 0;
}

static void import_start_close_descriptors_from(int first)
{
#if defined(SYS_close_range)
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0) return;
#endif
    long most = sysconf(_SC_OPEN_MAX);
    if (most < 0 || most > CLOSED_MOST) most = CLOSED_MOST;
    for (int fd = first; fd < (int)most; fd++) (void)close(fd);
}

// Returns the measures that could not be applied.
static uint32_t import_start_restrict_self(const import_limits *most)
{
    uint32_t lacks = 0;
    // AddressSanitizer reserves more address space than any limit allows.
    if (HAS_ADDRESS_SANITIZER || !import_start_lower_limit(RLIMIT_AS, most->memory))
        lacks |= IMPORT_LACKS_MEMORY_LIMIT;
    bool is_limited = import_start_lower_limit(RLIMIT_CPU, most->cpu) &&
                      import_start_lower_limit(RLIMIT_CORE, 0) &&
                      import_start_lower_limit(RLIMIT_FSIZE, 0) &&
                      import_start_lower_limit(RLIMIT_NOFILE, FILES_MOST);
#if defined(RLIMIT_NPROC)
    is_limited = import_start_lower_limit(RLIMIT_NPROC, 0) && is_limited;
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

static void import_start_become_importer(const start_plan *plan)
{
    static const char name[] = PROGRAM, option[] = "--pipes";
    const char *const args[] = {name, option, NULL};
    const int report = STDERR_FILENO + 1;
    start_report message = {0};
    (void)setpgid(0, 0);
    // The standard streams are open in this program, so no pipe has their numbers.
    if (dup2(plan->in[0], STDIN_FILENO) < 0 || dup2(plan->out[1], STDOUT_FILENO) < 0 ||
        dup2(plan->err[1], STDERR_FILENO) < 0 || dup2(plan->report[1], report) < 0 ||
        fcntl(report, F_SETFD, FD_CLOEXEC) < 0)
        _exit(CANNOT_START);
    import_start_close_descriptors_from(report + 1);
    // Signals that this program catches or ignores have their default effect there.
    (void)signal(SIGPIPE, SIG_DFL);
    (void)signal(SIGXFSZ, SIG_DFL);
    (void)pthread_sigmask(SIG_SETMASK, &plan->signals, NULL);
    message.lacks = import_start_restrict_self(plan->most);
    // The parent may have ended before the signal for that was requested.
    if (getppid() != plan->parent) _exit(CANNOT_START);
    if (write(report, &message, sizeof message) == sizeof message) {
        // execve() does not change its arguments, though its prototype does not say so.
        (void)execve(plan->program, (char *const *)(uintptr_t)args, plan->environment);
        message.error = errno;
        ssize_t sent = write(report, &message, sizeof message);
        (void)sent;  // If that fails, the end of the pipe says enough.
    }
    _exit(CANNOT_START);
}

// -- This process

// Create a pipe whose ends are closed in programs that are started.
static bool import_start_make_pipe(int ends[2])
{
    if (pipe(ends) != 0) {
        ends[0] = ends[1] = -1;
        return false;
    }
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

void import_close(int *end)
{
    if (*end >= 0) (void)close(*end);
    *end = -1;
}

// Wait until the new process has become the importer, or has failed to. Returns 0, or an errno
// value.
static int import_wait_for_start(int pipe_end, uint32_t *lacks)
{
    start_report message = {.error = EIO};
    bool is_started = false;
    for (;;) {
        ssize_t got = read(pipe_end, &message, sizeof message);
        if (got < 0 && errno == EINTR) continue;
        if (got != sizeof message) break;
        is_started = message.error == 0;
        *lacks = message.lacks;
    }
    return is_started ? 0 : message.error ? message.error : EIO;
}

int import_start(const char *program, const import_limits *most, import_process *process)
{
    // The only variable that is passed on: the loader needs it for libraries in unusual places.
    static const char library_path[] = "LD_LIBRARY_PATH=";
    char **variable = environ;
    while (variable && *variable && strncmp(*variable, library_path, sizeof library_path - 1) != 0)
        variable++;
    start_plan plan = {.program = program,
                       .environment = {variable ? *variable : NULL},
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
    if (import_start_make_pipe(plan.in) && import_start_make_pipe(plan.out) &&
        import_start_make_pipe(plan.err) && import_start_make_pipe(plan.report)) {
        // A signal that ends this program must also end the child, so it waits until the child's
        // process id is known.
        sigset_t all;
        (void)sigfillset(&all);
        (void)pthread_sigmask(SIG_SETMASK, &all, &plan.signals);
        process->pid = fork();
        if (process->pid == 0) import_start_become_importer(&plan);
        if (process->pid < 0) error = errno;
        if (process->pid > 0) {
            (void)setpgid(process->pid, process->pid);
            guard_child(process->pid);
        }
        (void)pthread_sigmask(SIG_SETMASK, &plan.signals, NULL);
    } else {
        error = errno;
    }
    import_close(&plan.in[0]);
    import_close(&plan.out[1]);
    import_close(&plan.err[1]);
    import_close(&plan.report[1]);
    if (!error) error = import_wait_for_start(plan.report[0], &process->lacks);
    import_close(&plan.report[0]);
    process->in = plan.in[1];
    process->out = plan.out[0];
    process->err = plan.err[0];
    if (!error && fcntl(process->in, F_SETFL, O_NONBLOCK) < 0) error = errno;
    if (!error) return 0;
    if (process->pid > 0) (void)import_end(process);
    import_close(&process->in);
    import_close(&process->out);
    import_close(&process->err);
    return error;
}

int import_end(const import_process *process)
{
    int status = 0;
    // Kill the group before waiting: after waitpid() another process could get the same id.
    (void)kill(-process->pid, SIGKILL);
    guard_child(0);
    while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR) continue;
    return status;
}
