// import_try.c: tries what the sandbox forbids.
// SPDX-License-Identifier: MIT

#define _GNU_SOURCE  // syscall()

#include "import_sandbox.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__)

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define MISSING_SIZE 200

// The exit status of an attempt, unless the filter ends it.
enum { WAS_REFUSED = 10, WAS_NOT_REFUSED, NO_SANDBOX };

typedef struct call_attempt {
    const char *what;
    long call;
    long args[6];
} call_attempt;

// Enter the sandbox, make one call, and exit with the result.
static void import_try_make_attempt(const call_attempt *attempt)
{
    char missing[MISSING_SIZE];
    if (!sandbox_enter(missing, sizeof missing)) {
        (void)printf("%s\n", missing);
        exit(NO_SANDBOX);
    }
    errno = 0;
    long result = syscall(attempt->call, attempt->args[0], attempt->args[1], attempt->args[2],
                          attempt->args[3], attempt->args[4], attempt->args[5]);
    // The filter returns EPERM. Without it, these calls work or fail for another reason.
    _exit(result == -1 && errno == EPERM ? WAS_REFUSED : WAS_NOT_REFUSED);
}

// Make each attempt in a new process, since the sandbox cannot be left.
static int import_try_exit_status_of(const call_attempt *attempt)
{
    int status;
    (void)fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) import_try_make_attempt(attempt);
    if (pid < 0 || waitpid(pid, &status, 0) != pid) return EXIT_FAILURE;
    if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGSYS ? WAS_REFUSED : EXIT_FAILURE;
    return WEXITSTATUS(status);
}

int sandbox_try(void)
{
    static const char root[] = "/", name[] = "tenon-import-try";
    const long here = AT_FDCWD, slash = (long)(uintptr_t)root, file = (long)(uintptr_t)name;
    const long self = (long)getpid();  // The parent of the processes that try.
    struct stat info;
    int ends[2];
    const long out_stat = (long)(uintptr_t)&info, out_pipe = (long)(uintptr_t)ends;
    const long page = 4096, is_private = MAP_PRIVATE | MAP_ANONYMOUS;
    void *memory = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, (int)is_private, -1, 0);
    const call_attempt attempts[] = {
        {"open a file", SYS_openat, {here, slash, O_RDONLY}},
        {"create a file", SYS_openat, {here, file, O_WRONLY | O_CREAT | O_EXCL, 0600}},
        {"look at a file", SYS_newfstatat, {here, slash, out_stat}},
        {"remove a file", SYS_unlinkat, {here, file}},
        {"rename a file", SYS_renameat2, {here, file, here, file}},
        {"make a folder", SYS_mkdirat, {here, slash, 0700}},
        {"change the folder", SYS_chdir, {slash}},
        {"open an internet socket", SYS_socket, {AF_INET, SOCK_STREAM}},
        {"open a local socket", SYS_socket, {AF_UNIX, SOCK_STREAM}},
        {"make a pipe", SYS_pipe2, {out_pipe}},
        {"make a file in memory", SYS_memfd_create, {file}},
        {"start a process", SYS_clone, {SIGCHLD}},
#if defined(SYS_clone3)
        {"start a process with clone3", SYS_clone3, {0}},
#endif
        {"start a program", SYS_execve, {slash, 0, 0}},
        {"start a program from a descriptor", SYS_execveat, {here, slash, 0, 0}},
        {"trace a process", SYS_ptrace, {PTRACE_TRACEME}},
        {"read the memory of a process", SYS_process_vm_readv, {self}},
        {"signal a process", SYS_kill, {self, 0}},
        {"signal a thread of a process", SYS_tgkill, {self, self, 0}},
        {"leave its process group", SYS_setpgid, {0, 0}},
        {"raise a limit", SYS_prlimit64, {0, 0, 0, out_stat}},
        {"make executable memory", SYS_mmap, {0, page, PROT_READ | PROT_EXEC, is_private, -1, 0}},
        {"make memory executable",
         SYS_mprotect,
         {(long)(uintptr_t)memory, page, PROT_READ | PROT_EXEC}},
        {"leave its namespaces", SYS_unshare, {0}},
#if defined(SYS_io_uring_setup)
        {"use an io_uring", SYS_io_uring_setup, {1}},
#endif
    };
    int status = EXIT_SUCCESS;
    for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++) {
        int ended = import_try_exit_status_of(&attempts[i]);
        if (ended == NO_SANDBOX) return 3;
        (void)printf("%s: %s\n", attempts[i].what,
                     ended == WAS_REFUSED ? "refused" : "NOT refused");
        if (ended != WAS_REFUSED) status = EXIT_FAILURE;
    }
    return status;
}

#else

int sandbox_try(void)
{
    (void)puts("no system call filter: there is none for this system");
    return 3;
}

#endif
