/*
 * calls: system calls and errnos by name, and seccomp filters over them; for the helpers that
 * make system calls fail (refuse, inject) and for tests that do so in a child of their own.
 *
 * A rule is written CALL[/ARG&MASK]=ERRNO[@N[+]]:
 *	openat2=ENOSYS		every openat2 fails with ENOSYS
 *	renameat2/4&2=EINVAL	every renameat2 whose argument 4 (from 0) has bit 2 fails
 *	mkdirat=EIO@3		(inject only) the third mkdirat fails
 *	mkdirat=EIO@3+		(inject only) the third and all later ones fail
 *	renameat2=KILL@1	(inject only) the first renameat2 is never made: SIGKILL instead
 *	mount=KILL		(refuse only) the filter kills who calls mount: SIGSYS
 * CALL may be a number too.
 */
#pragma once

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define CALLS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CALLS_ARCH AUDIT_ARCH_AARCH64
#else
#error "calls.h knows x86-64 and aarch64"
#endif

#define CALLS_RULES_MAX 32
#define CALLS_KILL 0x10000 /* in place of an errno */

struct call_rule {
	long number;
	int error;    /* positive errno, or CALLS_KILL */
	int argument; /* -1: whatever the arguments are */
	uint32_t mask;
	unsigned long first; /* from this occurrence on, counted from 1; 0: always */
	bool and_later;
	unsigned long seen, injected; /* inject counts here */
	void (*before)(void *);       /* injector.h: called before the call is made; NULL: not */
	void *context;
};

struct call_rules {
	struct call_rule rule[CALLS_RULES_MAX];
	size_t n;
	const char *spare; /* inject: the calls of a program of this name are left alone */
};

/* clang-format off */
#define CALL(name) { #name, SYS_##name }
static const struct {
	const char *name;
	long number;
} calls_known[] = {
	CALL(openat), CALL(openat2), CALL(close), CALL(read), CALL(write), CALL(pread64),
	CALL(pwrite64), CALL(readv), CALL(writev), CALL(lseek), CALL(mkdirat), CALL(unlinkat),
	CALL(symlinkat), CALL(linkat), CALL(renameat2), CALL(readlinkat), CALL(fchmod),
	CALL(fchmodat), CALL(fchown), CALL(fchownat), CALL(fstat), CALL(newfstatat),
	CALL(statx), CALL(faccessat), CALL(faccessat2), CALL(fstatfs), CALL(statfs),
	CALL(getdents64), CALL(fcntl), CALL(dup), CALL(dup3), CALL(pipe2), CALL(ftruncate),
	CALL(fsync), CALL(ioctl), CALL(mmap), CALL(mprotect), CALL(munmap), CALL(mremap),
	CALL(brk), CALL(madvise), CALL(clone), CALL(clone3), CALL(execve), CALL(execveat),
	CALL(exit_group), CALL(wait4), CALL(waitid), CALL(kill), CALL(tgkill), CALL(getpid),
	CALL(getppid), CALL(setpgid), CALL(setsid), CALL(getpgid), CALL(getsid), CALL(setuid),
	CALL(setgid), CALL(setresuid), CALL(setresgid), CALL(setgroups), CALL(getgroups),
	CALL(setfsuid), CALL(setfsgid), CALL(capget), CALL(capset), CALL(prctl), CALL(seccomp),
	CALL(unshare), CALL(setns), CALL(mount), CALL(umount2), CALL(pivot_root), CALL(chroot),
	CALL(chdir), CALL(fchdir), CALL(getcwd), CALL(memfd_create), CALL(pidfd_open),
	CALL(pidfd_send_signal), CALL(pidfd_getfd), CALL(signalfd4), CALL(timerfd_create),
	CALL(timerfd_settime), CALL(eventfd2), CALL(epoll_create1), CALL(epoll_ctl),
	CALL(epoll_pwait), CALL(ppoll), CALL(pselect6), CALL(close_range), CALL(socket),
	CALL(socketpair), CALL(sendmsg), CALL(recvmsg), CALL(sendto), CALL(recvfrom),
	CALL(setsockopt), CALL(shutdown), CALL(rt_sigpending),
	CALL(rt_sigaction), CALL(rt_sigprocmask), CALL(rt_sigtimedwait), CALL(rt_sigqueueinfo),
	CALL(rt_sigsuspend), CALL(sigaltstack), CALL(nanosleep), CALL(clock_nanosleep),
	CALL(clock_gettime), CALL(getrandom), CALL(prlimit64), CALL(setrlimit),
	CALL(getrlimit), CALL(ptrace), CALL(process_vm_readv), CALL(umask), CALL(uname),
	CALL(getuid), CALL(geteuid), CALL(personality), CALL(sethostname), CALL(futex),
	CALL(set_robust_list), CALL(rseq), CALL(set_tid_address), CALL(mknodat),
#ifdef SYS_open
	CALL(open), CALL(stat), CALL(lstat), CALL(access), CALL(readlink), CALL(rename),
	CALL(mkdir), CALL(rmdir), CALL(unlink), CALL(symlink), CALL(poll), CALL(pipe),
	CALL(dup2), CALL(fork), CALL(vfork), CALL(chmod), CALL(epoll_wait),
#endif
#ifdef SYS_renameat
	CALL(renameat),
#endif
};
/* clang-format on */
#undef CALL

static inline long calls_number(const char *name, size_t length)
{
	char *end;
	long number;

	for (size_t i = 0; i < sizeof(calls_known) / sizeof(calls_known[0]); i++)
		if (strlen(calls_known[i].name) == length &&
		    strncmp(calls_known[i].name, name, length) == 0)
			return calls_known[i].number;
	number = strtol(name, &end, 10);
	return end > name && (size_t)(end - name) == length ? number : -1;
}

static inline int calls_errno(const char *name, size_t length)
{
	if (length == 4 && strncmp(name, "KILL", 4) == 0)
		return CALLS_KILL;
	for (int error = 1; error < 134; error++) {
		const char *known = strerrorname_np(error);

		if (known && strlen(known) == length && strncmp(known, name, length) == 0)
			return error;
	}
	return -1;
}

/* One rule, up to a comma or the end.  True when it was understood. */
static inline bool calls_parse_rule(const char *text, struct call_rule *ret)
{
	size_t length = strcspn(text, ",");
	size_t name = strcspn(text, "/=,");
	const char *equals = memchr(text, '=', length);
	struct call_rule rule = { .argument = -1 };
	const char *end = text + length;
	size_t error;
	char *rest;

	if (!equals)
		return false;
	rule.number = calls_number(text, name);
	if (text[name] == '/') {
		rule.argument = (int)strtol(text + name + 1, &rest, 10);
		if (*rest != '&' || rule.argument < 0 || rule.argument > 5)
			return false;
		rule.mask = (uint32_t)strtoul(rest + 1, &rest, 0);
		if (rest != equals)
			return false;
	}
	error = strcspn(equals + 1, "@,");
	rule.error = calls_errno(equals + 1, error);
	if (equals + 1 + error < end) {
		rule.first = strtoul(equals + 2 + error, &rest, 10);
		rule.and_later = *rest == '+';
		if (rest + rule.and_later != end || rule.first == 0)
			return false;
	}
	*ret = rule;
	return rule.number >= 0 && rule.error > 0;
}

/* All rules of a comma-separated list.  True when all were understood. */
static inline bool calls_parse(const char *text, struct call_rules *ret)
{
	struct call_rules rules = {};

	for (;;) {
		if (rules.n == CALLS_RULES_MAX || !calls_parse_rule(text, &rules.rule[rules.n++]))
			return false;
		text += strcspn(text, ",");
		if (!*text)
			break;
		text++;
	}
	*ret = rules;
	return true;
}

/*
 * Installs a filter that answers each rule's calls: with its errno, or (`notify`) by asking the
 * listener, which is returned then.  sendmsg(2) on descriptor `gate` is never answered, so that
 * the listener can be handed over.  0 or the listener's descriptor; -errno.
 */
static inline int calls_install(const struct call_rules *rules, bool notify, int gate)
{
	struct sock_filter code[8 + CALLS_RULES_MAX * 6];
	struct sock_fprog program = { .filter = code };
	unsigned short n = 0;
	long r;

#define EMIT(...) code[n++] = (struct sock_filter)__VA_ARGS__
	EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
	EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CALLS_ARCH, 1, 0));
	EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
	EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sendmsg, 0, 3));
	EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])));
	EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)gate, 0, 1));
	EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	for (size_t i = 0; i < rules->n; i++) {
		const struct call_rule *rule = &rules->rule[i];
		uint32_t answer = notify ? SECCOMP_RET_USER_NOTIF :
				  rule->error == CALLS_KILL ?
					   SECCOMP_RET_KILL_PROCESS :
					   SECCOMP_RET_ERRNO | (uint32_t)rule->error;

		EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
		EMIT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rule->number, 0,
			      rule->argument >= 0 ? 3 : 1));
		if (rule->argument >= 0) {
			/* The low half comes first: both machines are little-endian. */
			EMIT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
				      (uint32_t)(offsetof(struct seccomp_data, args) +
						 8 * (size_t)rule->argument)));
			EMIT(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, rule->mask, 0, 1));
		}
		EMIT(BPF_STMT(BPF_RET | BPF_K, answer));
	}
	EMIT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
#undef EMIT
	program.len = n;
	/* With the capability no_new_privs is not needed, and what runs sees one change less. */
	for (int with_privs = 1; with_privs >= 0; with_privs--) {
		if (!with_privs && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
			return -errno;
		r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			    notify ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0, &program);
		if (r >= 0 || errno != EACCES)
			break;
	}
	return r < 0 ? -errno : (int)r;
}
