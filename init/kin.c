/* kin: see kin.h. */
#include "init/kin.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "init/file.h"
#include "init/own.h"

#define KIN_CHUNK 1024

/* The numbers of a chunk, each followed by a blank; `*pid` carries one that the chunk's end cut. */
static void kin_signal_listed(const char *list, ssize_t length, int signal_number, pid_t *pid)
{
	for (ssize_t i = 0; i < length; i++) {
		if (list[i] >= '0' && list[i] <= '9') {
			*pid = *pid * 10 + (list[i] - '0');
			continue;
		}
		if (*pid > 1)
			(void)kill(*pid, signal_number);
		*pid = 0;
	}
}

/*
 * A child in this list is unreaped, and only we reap: the number cannot have gone to another
 * process meanwhile.  proc_pid_children(5); we have one thread, so that its list is all.
 */
static int kin_signal_children(int signal_number)
{
	AUTO_CLOSE int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int result = -ESRCH;
	pid_t pid = 0;

	if (fd < 0 || !file_is_procfs(fd))
		return -ENOENT;
	for (;;) {
		char list[KIN_CHUNK];
		ssize_t n = read(fd, list, sizeof(list));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -ENOENT : result;
		kin_signal_listed(list, n, signal_number, &pid);
		result = 0;
	}
}

int kin_signal(int signal_number)
{
	if (getpid() != 1)
		return kin_signal_children(signal_number);
	return kill(-1, signal_number) < 0 && errno == ESRCH ? -ESRCH : 0;
}
