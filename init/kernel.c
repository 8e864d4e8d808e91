/* kernel: the calls that need more than one line; see kernel.h. */
#include "init/kernel.h"

#include <fcntl.h>
#include <linux/openat2.h>

int kernel_exec_fd(int fd, char *const argv[], char *const envp[])
{
	return (int)KERNEL_CALL(SYS_execveat, fd, "", argv, envp, AT_EMPTY_PATH);
}

int kernel_openat2_beneath(int dir, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)flags,
		.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_BENEATH,
	};

	return (int)KERNEL_CALL(SYS_openat2, dir, path, &how, sizeof(how));
}

uint64_t kernel_now_ms(void)
{
	struct timespec now = {};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}
