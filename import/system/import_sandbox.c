// import_sandbox.c: limits of zero new files and processes, and a system call filter.
// SPDX-License-Identifier: MIT
//
// The filter is a list of allowed calls. Calls that libraries try but do not need are refused with
// an error. All others end the program, since it makes them only if it was taken over.

#define _GNU_SOURCE  // syscall numbers, RLIMIT_NPROC

#include "import_sandbox.h"

#include "../../cli/system/sanitizer.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__AARCH64EL__))
#define HAS_FILTER
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#define FILES_OPEN 3  // The standard streams.

#if defined(HAS_FILTER)

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define INSTRUCTIONS_MOST 256
#define REFUSE            (SECCOMP_RET_ERRNO | EPERM)

// The sanitizer runtime tries many calls when it reports an error, and can handle refusals.
#if HAS_ADDRESS_SANITIZER
#define OTHERWISE REFUSE
#else
#define OTHERWISE SECCOMP_RET_KILL_PROCESS
#endif

// Memory, pipes, time, own signal handling, exit.
static const uint32_t allowed[] = {
    SYS_read,          SYS_write,           SYS_readv,        SYS_writev,
    SYS_close,         SYS_fstat,           SYS_lseek,        SYS_brk,
    SYS_munmap,        SYS_mremap,          SYS_madvise,      SYS_futex,
    SYS_sched_yield,   SYS_getpid,          SYS_gettid,       SYS_getrandom,
    SYS_clock_gettime, SYS_clock_getres,    SYS_gettimeofday, SYS_rt_sigaction,
    SYS_rt_sigreturn,  SYS_rt_sigprocmask,  SYS_sigaltstack,  SYS_exit,
    SYS_exit_group,    SYS_restart_syscall,
#if defined(SYS_time)
    SYS_time,
#endif
};

// Calls of the C library that query the machine, terminals and files, or set options.
static const uint32_t refused[] = {
    SYS_openat,
    SYS_newfstatat,
    SYS_statx,
    SYS_readlinkat,
    SYS_faccessat,
    SYS_getcwd,
    SYS_ioctl,
    SYS_fcntl,
    SYS_uname,
    SYS_sysinfo,
    SYS_getrlimit,
    SYS_prlimit64,
    SYS_getrusage,
    SYS_prctl,
    SYS_sched_getaffinity,
    SYS_membarrier,
    SYS_set_robust_list,
#if defined(SYS_open)
    SYS_open,
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
#endif
#if defined(SYS_openat2)
    SYS_openat2,
#endif
#if defined(SYS_faccessat2)
    SYS_faccessat2,
#endif
#if defined(SYS_rseq)
    SYS_rseq,
#endif
};

typedef struct call_filter {
    struct sock_filter code[INSTRUCTIONS_MOST];
    unsigned short size;
} call_filter;

static void import_sandbox_add(call_filter *filter, struct sock_filter instruction)
{
    if (filter->size < INSTRUCTIONS_MOST) filter->code[filter->size] = instruction;
    filter->size++;
}

static void import_sandbox_add_load(call_filter *filter, size_t offset)
{
    import_sandbox_add(filter,
                       (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

// Skip `if_true` or `if_false` instructions, by a test of the loaded number against `value`.
static void import_sandbox_add_branch(call_filter *filter, uint16_t test, uint32_t value,
                                      uint8_t if_true, uint8_t if_false)
{
    import_sandbox_add(filter, (struct sock_filter)BPF_JUMP((uint16_t)(BPF_JMP | test | BPF_K),
                                                            value, if_true, if_false));
}

static void import_sandbox_add_verdict(call_filter *filter, uint32_t verdict)
{
    import_sandbox_add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict));
}

static void import_sandbox_add_calls(call_filter *filter, const uint32_t *calls, size_t count,
                                     uint32_t verdict)
{
    for (size_t i = 0; i < count; i++) {
        import_sandbox_add_branch(filter, BPF_JEQ, calls[i], 0, 1);
        import_sandbox_add_verdict(filter, verdict);
    }
}

// The verdict on a call depends on a test of one of its arguments.
static void import_sandbox_add_call_with(call_filter *filter, uint32_t call, int argument,
                                         uint16_t test, uint32_t value, uint32_t if_true,
                                         uint32_t if_false)
{
    import_sandbox_add_branch(filter, BPF_JEQ, call, 0, 4);
    // The low half of an argument is first on both architectures.
    import_sandbox_add_load(filter, offsetof(struct seccomp_data, args) +
                                        (size_t)argument * sizeof(uint64_t));
    import_sandbox_add_branch(filter, test, value, 0, 1);
    import_sandbox_add_verdict(filter, if_true);
    import_sandbox_add_verdict(filter, if_false);
}

static bool import_sandbox_install_filter(void)
{
    call_filter filter = {.size = 0};
    import_sandbox_add_load(&filter, offsetof(struct seccomp_data, arch));
    import_sandbox_add_branch(&filter, BPF_JEQ, ARCHITECTURE, 1, 0);
    import_sandbox_add_verdict(&filter, SECCOMP_RET_KILL_PROCESS);
    import_sandbox_add_load(&filter, offsetof(struct seccomp_data, nr));
    import_sandbox_add_calls(&filter, allowed, sizeof allowed / sizeof allowed[0],
                             SECCOMP_RET_ALLOW);
    // No new executable memory; abort() sends a signal to the program itself.
    import_sandbox_add_call_with(&filter, SYS_mmap, 2, BPF_JSET, PROT_EXEC, REFUSE,
                                 SECCOMP_RET_ALLOW);
    import_sandbox_add_call_with(&filter, SYS_mprotect, 2, BPF_JSET, PROT_EXEC, REFUSE,
                                 SECCOMP_RET_ALLOW);
    import_sandbox_add_call_with(&filter, SYS_tgkill, 0, BPF_JEQ, (uint32_t)getpid(),
                                 SECCOMP_RET_ALLOW, REFUSE);
    import_sandbox_add_calls(&filter, refused, sizeof refused / sizeof refused[0], REFUSE);
    import_sandbox_add_verdict(&filter, OTHERWISE);
    const struct sock_fprog program = {.len = filter.size, .filter = filter.code};
    return filter.size <= INSTRUCTIONS_MOST && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#endif  // HAS_FILTER

bool sandbox_enter(char *missing, size_t size)
{
    // Without a filter, this still stops code that opens a file, a socket or a pipe.
    (void)setrlimit(RLIMIT_NOFILE, &(struct rlimit){FILES_OPEN, FILES_OPEN});
#if defined(RLIMIT_NPROC)
    (void)setrlimit(RLIMIT_NPROC, &(struct rlimit){0, 0});
#endif
#if defined(HAS_FILTER)
    if (import_sandbox_install_filter()) return true;
    (void)snprintf(missing, size, "no system call filter: the kernel refuses it: %s",
                   strerror(errno));
#else
    (void)snprintf(missing, size, "no system call filter: there is none for this system");
#endif
    return false;
}
