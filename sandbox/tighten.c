/* tighten: see tighten.h. */
#include "sandbox/tighten.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "init/file.h"
#include "init/kernel.h"
#include "init/own.h"
#include "init/text.h"

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#define FOREIGN_BIT 0x40000000 /* x32: other numbers for the same calls */
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#define FOREIGN_BIT 0
#else
#error "no system call numbers for this machine"
#endif

#define NAMESPACES                                                                     \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
	 CLONE_NEWPID | CLONE_NEWNET)
#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080 /* unshare(2) only: clone(2) keeps its signal there */
#endif

/* Since Linux 5.x all machines share these numbers; Debian 12's headers lack the last. */
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_open_tree_attr
#define SYS_open_tree_attr 467
#endif

#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
/* The low half of the first argument; both machines are little-endian. */
#define LOAD_FLAGS BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]))
#define UNLESS(number, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, (skip))
#define UNLESS_ANY(bits, skip) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, (skip))
#define DENY(number) UNLESS(number, 1), REFUSE(EPERM)

static const struct sock_filter program[] = {
	LOAD(arch),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 1, 0),
	KILL,
	LOAD(nr),
#if FOREIGN_BIT
	UNLESS_ANY(FOREIGN_BIT, 1),
	KILL,
#endif
	UNLESS(SYS_clone, 4),
	LOAD_FLAGS,
	UNLESS_ANY(NAMESPACES, 1),
	REFUSE(EPERM),
	ALLOW,
	UNLESS(SYS_unshare, 4),
	LOAD_FLAGS,
	UNLESS_ANY(NAMESPACES | CLONE_NEWTIME, 1),
	REFUSE(EPERM),
	ALLOW,
	UNLESS(SYS_clone3, 1),
	REFUSE(ENOSYS),
	DENY(SYS_setns),
	DENY(SYS_mount),
	DENY(SYS_umount2),
	DENY(SYS_pivot_root),
	DENY(SYS_chroot),
	DENY(SYS_open_tree),
	DENY(SYS_open_tree_attr),
	DENY(SYS_move_mount),
	DENY(SYS_fsopen),
	DENY(SYS_fsconfig),
	DENY(SYS_fsmount),
	DENY(SYS_fspick),
	DENY(SYS_mount_setattr),
	DENY(SYS_ptrace),
	DENY(SYS_process_vm_readv),
	DENY(SYS_process_vm_writev),
	DENY(SYS_keyctl),
	DENY(SYS_add_key),
	DENY(SYS_request_key),
	DENY(SYS_io_uring_setup),
	DENY(SYS_io_uring_enter),
	DENY(SYS_io_uring_register),
	DENY(SYS_bpf),
	DENY(SYS_perf_event_open),
	DENY(SYS_userfaultfd),
	ALLOW,
};

size_t tighten_program(void *ret, size_t size)
{
	if (size >= sizeof(program))
		memcpy(ret, program, sizeof(program));
	return sizeof(program);
}

int tighten_syscalls(int *ret_fd, struct fault *f)
{
	AUTO_CLOSE int fd = memfd_create("seccomp", MFD_CLOEXEC);
	int r;

	if (fd < 0)
		return fault_set(f, -errno, "make a memory file for the seccomp program");
	r = file_write_all(fd, program, sizeof(program));
	if (r < 0)
		return fault_set(f, r, "write the seccomp program");
	*ret_fd = fd_take(&fd);
	return 0;
}

int tighten_limit_parse(const char *word, struct sandbox_limit *ret, struct fault *f)
{
	static const struct {
		const char *name;
		int resource;
	} names[] = {
		{ "nproc", RLIMIT_NPROC }, { "nofile", RLIMIT_NOFILE }, { "as", RLIMIT_AS },
		{ "fsize", RLIMIT_FSIZE }, { "cpu", RLIMIT_CPU },       { "stack", RLIMIT_STACK },
	};
	size_t length = strcspn(word, "=");

	for (size_t i = 0; word[length] && i < ARRAY_SIZE(names); i++) {
		struct sandbox_limit limit = { .resource = names[i].resource };

		if (strlen(names[i].name) != length || memcmp(word, names[i].name, length) != 0)
			continue;
		if (number_parse(word + length + 1, 1, INT64_MAX, &limit.value) < 0)
			break;
		*ret = limit;
		return 0;
	}
	return fault_say(f, -EINVAL,
			 "--limit needs NAME=NUMBER, one of nproc nofile as fsize cpu stack");
}

/* proc(5): "hidepid=4" until Linux 5.8 said "hidepid=ptraceable"; mountinfo(5) shows the word. */
bool tighten_pids_hidden(const char *mountinfo)
{
	bool hidden = false;

	while (*mountinfo) {
		size_t length = strcspn(mountinfo, "\n");
		AUTO_FREE char *line = strndup(mountinfo, length);

		if (!line)
			return false;
		/* The last mount on /proc is the one that is seen. */
		if (strstr(line, " / /proc ") && strstr(line, " - proc "))
			hidden = strstr(line, "hidepid=ptraceable") || strstr(line, "hidepid=4");
		mountinfo += length + (mountinfo[length] == '\n');
	}
	return hidden;
}
