/*
 * kernel: system calls and constants that the C library or its headers lack, or
 * hide.  Every function returns what the kernel said: a result >= 0, or -errno.
 * Signal sets are plain 64 bit words, because glibc's own wrappers silently take
 * signals 32 and 33 out of every set (they belong to its threads).
 */
#pragma once

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U /* memfd_create(2), Linux 6.3 */
#endif
#ifndef F_SEAL_EXEC
#define F_SEAL_EXEC 0x0020 /* fcntl(2), Linux 6.3 */
#endif
#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE (1 << 0)
#endif
#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE (1 << 1)
#endif
#ifndef PROC_SUPER_MAGIC
#define PROC_SUPER_MAGIC 0x9fa0
#endif
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

#define KERNEL_SIGNALS 64 /* highest signal number, signal(7) */

/* One system call; its result, or -errno. */
#define KERNEL_CALL(...)                                                \
	({                                                              \
		long kernel_call_result_ = syscall(__VA_ARGS__);        \
		kernel_call_result_ < 0 ? -errno : kernel_call_result_; \
	})

static inline uint64_t kernel_signal_bit(int signal_number)
{
	return UINT64_C(1) << (signal_number - 1);
}

/* rt_sigprocmask(2) on the kernel's own 64 bit set; either pointer may be NULL. */
static inline int kernel_sigprocmask(int how, const uint64_t *set, uint64_t *ret_old)
{
	return (int)KERNEL_CALL(SYS_rt_sigprocmask, how, set, ret_old, sizeof(uint64_t));
}

/* rt_sigtimedwait(2): the signal taken; -EAGAIN at the timeout, -EINTR.  NULL waits for ever. */
static inline int kernel_sigtimedwait(uint64_t set, siginfo_t *ret_info,
				      const struct timespec *timeout)
{
	return (int)KERNEL_CALL(SYS_rt_sigtimedwait, &set, ret_info, timeout, sizeof(set));
}

/* rt_sigqueueinfo(2): si_code must be negative and not SI_TKILL when pid is not ourselves. */
static inline int kernel_sigqueueinfo(pid_t pid, int signal_number, const siginfo_t *info)
{
	return (int)KERNEL_CALL(SYS_rt_sigqueueinfo, pid, signal_number, info);
}

/* pidfd_open(2), Linux 5.3.  The descriptor is CLOEXEC by itself. */
static inline int kernel_pidfd_open(pid_t pid)
{
	return (int)KERNEL_CALL(SYS_pidfd_open, pid, 0);
}

/* pidfd_send_signal(2), Linux 5.1. */
static inline int kernel_pidfd_send_signal(int pidfd, int signal_number)
{
	return (int)KERNEL_CALL(SYS_pidfd_send_signal, pidfd, signal_number, NULL, 0);
}

/* renameat2(2), Linux 3.15; -EINVAL where the file system lacks the flag. */
static inline int kernel_renameat2(int old_dir, const char *old_name, int new_dir,
				   const char *new_name, unsigned int flags)
{
	return (int)KERNEL_CALL(SYS_renameat2, old_dir, old_name, new_dir, new_name, flags);
}

/* close_range(2), Linux 5.9. */
static inline int kernel_close_range(unsigned int first, unsigned int last, unsigned int flags)
{
	return (int)KERNEL_CALL(SYS_close_range, first, last, flags);
}

/* pivot_root(2). */
static inline int kernel_pivot_root(const char *new_root, const char *put_old)
{
	return (int)KERNEL_CALL(SYS_pivot_root, new_root, put_old);
}

/* execveat(2) with AT_EMPTY_PATH: runs the program behind a descriptor.  Returns only -errno. */
int kernel_exec_fd(int fd, char *const argv[], char *const envp[]);

/*
 * openat2(2), Linux 5.6: as openat(2) with `flags`, and RESOLVE_NO_SYMLINKS |
 * RESOLVE_NO_MAGICLINKS | RESOLVE_BENEATH.  -ENOSYS or -EPERM where it is not to be had.
 */
int kernel_openat2_beneath(int dir, const char *path, int flags);

/* CLOCK_MONOTONIC in milliseconds, clock_gettime(2).  Never fails. */
uint64_t kernel_now_ms(void);
