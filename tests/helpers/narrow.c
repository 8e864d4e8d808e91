/*
 * narrow: tries the system calls that a scoped profile must go on refusing, and prints
 * "NAME ERRNO" for each.  Arguments are such that nothing can come of a call that is let
 * through, and that the kernel itself says something else than EPERM where it can.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "init/kernel.h"
#include "init/own.h"

int main(void)
{
	static const struct {
		const char *name;
		long number;
		long arguments[5];
	} calls[] = {
		{ "kexec_load", SYS_kexec_load, { 0, 1 << 20, 0, -1 } },
		{ "bpf", SYS_bpf, { 9999, 0, 0 } },
		{ "open_by_handle_at", SYS_open_by_handle_at, { -1, 0, 0 } },
		{ "perf_event_open", SYS_perf_event_open, { 0, 0, -1, -1, -1 } },
		{ "add_key", SYS_add_key, { 0, 0, 0, 0, 0 } },
		{ "keyctl", SYS_keyctl, { 9999, 0, 0, 0, 0 } },
		{ "userfaultfd", SYS_userfaultfd, { -1 } },
		{ "setns", SYS_setns, { -1, CLONE_NEWUSER } },
		{ "fsopen", SYS_fsopen, { 0, -1 } },
		/* and what the delta opens, with other arguments than bwrap's */
		{ "mount", SYS_mount, { 0, 0, 0, 0, 0 } },
		{ "umount2", SYS_umount2, { 0, 1 } },
		{ "unshare", SYS_unshare, { CLONE_NEWNET | CLONE_NEWUSER } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		const long *a = calls[i].arguments;
		long r = KERNEL_CALL(calls[i].number, a[0], a[1], a[2], a[3], a[4]);

		printf("%s %s\n", calls[i].name, r < 0 ? strerrorname_np((int)-r) : "done");
	}
	return 0;
}
