/* inherit: see inherit.h. */
#include "init/inherit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/entry.h"
#include "init/file.h"
#include "init/kernel.h"
#include "init/own.h"
#include "init/text.h"

/* getdents64(2): glibc has the structure under this name with large files only. */
struct directory_entry {
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

/* An inherited SIG_IGN of SIGCHLD would make the kernel reap behind our back, wait(2). */
static int inherit_signals(struct inherited *inherited, struct fault *f)
{
	const uint64_t all = UINT64_MAX;
	struct sigaction action = { .sa_handler = SIG_DFL };
	int r = 0;

	if (!entry_taken(&inherited->signal_mask))
		r = kernel_sigprocmask(SIG_SETMASK, &all, &inherited->signal_mask);
	if (r < 0)
		return fault_set(f, r, "block all signals");
	if (sigaction(SIGCHLD, &action, NULL) < 0)
		return fault_set(f, -errno, "set SIGCHLD to its default");
	return 0;
}

/* A descriptor of nothing, for where /dev/null is not: reads and writes fail with EBADF. */
static int inherit_open_standard(int wanted)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fd == wanted)
		return 0;
	(void)close(fd);
	return -EBADF;
}

static int inherit_standard_fds(struct fault *f)
{
	for (int fd = 0; fd <= 2; fd++) {
		int r;

		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		r = inherit_open_standard(fd);
		if (r < 0)
			return fault_set(f, r, "open /dev/null as descriptor %d", fd);
	}
	return 0;
}

/* Takes note of one descriptor, if it is to reach the child, and makes it CLOEXEC. */
static int inherit_fd(struct inherited *inherited, int fd)
{
	int flags = fcntl(fd, F_GETFD);

	if (flags < 0 || (flags & FD_CLOEXEC))
		return 0;
	if (inherited->n_fds == INHERITED_FDS_MAX)
		return -EMFILE;
	if (inherited->n_fds % 64 == 0) {
		int *more = realloc(inherited->fds, (inherited->n_fds + 64) * sizeof(int));

		if (!more)
			return -ENOMEM;
		inherited->fds = more;
	}
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return -errno;
	inherited->fds[inherited->n_fds++] = fd;
	return 0;
}

static int inherit_entries(struct inherited *inherited, int directory, const char *entries,
			   long length)
{
	for (long at = 0; at < length;) {
		const struct directory_entry *entry = (const void *)(entries + at);
		uint64_t fd;
		int r;

		at += entry->length;
		if (number_parse(entry->name, 3, INT32_MAX, &fd) < 0 || (int)fd == directory)
			continue;
		r = inherit_fd(inherited, (int)fd);
		if (r < 0)
			return r;
	}
	return 0;
}

/*
 * From /proc, where it is one: a directory that merely stands there could hide descriptors.
 * -ENOENT without it.
 */
static int inherit_fds_listed(struct inherited *inherited)
{
	AUTO_CLOSE int directory = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char entries[2048] __attribute__((aligned(8)));

	if (directory < 0 || !file_is_procfs(directory))
		return -ENOENT;
	for (;;) {
		long length = KERNEL_CALL(SYS_getdents64, directory, entries, sizeof(entries));
		int r;

		if (length < 0)
			return inherited->n_fds ? (int)length : -ENOENT;
		if (length == 0)
			return 0;
		r = inherit_entries(inherited, directory, entries, length);
		if (r < 0)
			return r;
	}
}

/* Without /proc: poll(2) tells open from closed for many numbers in one call. */
static int inherit_fds_polled(struct inherited *inherited)
{
	struct pollfd polled[256];
	struct rlimit limit = {};

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_max > INHERITED_FD_SCAN_MAX)
		limit.rlim_max = INHERITED_FD_SCAN_MAX;
	for (int first = 3; first < (int)limit.rlim_max; first += (int)ARRAY_SIZE(polled)) {
		for (int i = 0; i < (int)ARRAY_SIZE(polled); i++)
			polled[i] = (struct pollfd){ .fd = first + i };
		if (poll(polled, ARRAY_SIZE(polled), 0) < 0)
			memset(polled, 0, sizeof(polled)); /* RLIMIT_NOFILE is lower: try each */
		for (int i = 0; i < (int)ARRAY_SIZE(polled); i++) {
			int r;

			if (polled[i].revents & POLLNVAL)
				continue;
			r = inherit_fd(inherited, first + i);
			if (r < 0)
				return r;
		}
	}
	(void)kernel_close_range((unsigned int)limit.rlim_max, ~0U, CLOSE_RANGE_CLOEXEC);
	return 0;
}

static int inherit_fds(struct inherited *inherited, struct fault *f)
{
	int r = inherit_fds_listed(inherited);

	if (r == -ENOENT)
		r = inherit_fds_polled(inherited);
	if (r == -EMFILE)
		return fault_say(f, r, "more than %d descriptors were inherited; close some",
				 INHERITED_FDS_MAX);
	if (r < 0)
		return fault_set(f, r, "make the inherited descriptors close-on-exec");
	return 0;
}

/* A core of PID 1 would hold the environment's secrets, and nobody debugs it. */
static void inherit_core_limit(struct inherited *inherited)
{
	struct rlimit none;

	if (getrlimit(RLIMIT_CORE, &inherited->core_limit) < 0)
		return;
	none = inherited->core_limit;
	none.rlim_cur = 0;
	if (inherited->core_limit.rlim_cur != 0)
		(void)setrlimit(RLIMIT_CORE, &none);
}

/* The strings lie one after the other, execve(2); what is elsewhere was put there later. */
static void inherit_environment(struct inherited *inherited)
{
	char *end = environ ? environ[0] : NULL;

	inherited->environment = end;
	for (char **variable = environ; variable && *variable == end && end; variable++)
		end += strlen(end) + 1;
	inherited->environment_length = (size_t)(end - inherited->environment);
}

int inherit_begin(struct inherited *ret, struct fault *f)
{
	struct inherited inherited = {};
	int r = inherit_signals(&inherited, f);

	if (r == 0)
		r = inherit_standard_fds(f);
	if (r == 0)
		r = inherit_fds(&inherited, f);
	if (r < 0) {
		inherited_clear(&inherited);
		return r;
	}
	inherit_core_limit(&inherited);
	inherit_environment(&inherited);
	inherited.parent = getppid();
	*ret = inherited;
	return 0;
}

void inherited_clear(struct inherited *inherited)
{
	free(inherited->fds);
	*inherited = (struct inherited){};
}

void inherited_close(const struct inherited *inherited)
{
	for (size_t i = 0; i < inherited->n_fds; i++)
		(void)close(inherited->fds[i]);
}

void inherited_unblock(const struct inherited *inherited)
{
	(void)kernel_sigprocmask(SIG_SETMASK, &inherited->signal_mask, NULL);
}

void inherited_restore(const struct inherited *inherited)
{
	for (size_t i = 0; i < inherited->n_fds; i++)
		(void)fcntl(inherited->fds[i], F_SETFD, 0);
	if (inherited->core_limit.rlim_cur != 0)
		(void)setrlimit(RLIMIT_CORE, &inherited->core_limit);
	inherited_unblock(inherited);
}
