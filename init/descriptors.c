/* descriptors: see descriptors.h. */
#include "init/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <unistd.h>

#include "init/kernel.h"

/* No container hands out more; a soft limit of 2^30 must not become 2^30 calls. */
#define DESCRIPTORS_MAX 65536

static void close_span(unsigned int first, unsigned int last)
{
	struct rlimit limit = { .rlim_cur = DESCRIPTORS_MAX };

	if (first > last || kernel_close_range(first, last, 0) == 0)
		return;
	(void)getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur > DESCRIPTORS_MAX)
		limit.rlim_cur = DESCRIPTORS_MAX;
	for (unsigned int fd = first; fd <= last && fd < limit.rlim_cur; fd++)
		(void)close((int)fd);
}

/* The lowest kept descriptor that is not below `from`, or INT_MAX. */
static int keep_next(const int *keep, size_t n, int from)
{
	int next = INT_MAX;

	for (size_t i = 0; i < n; i++) {
		if (keep[i] >= from && keep[i] < next)
			next = keep[i];
	}
	return next;
}

void descriptors_close_except(const int *keep, size_t n)
{
	int from = STDERR_FILENO + 1;

	for (;;) {
		int next = keep_next(keep, n, from);

		if (next == INT_MAX)
			break;
		if (next > from)
			close_span((unsigned int)from, (unsigned int)next - 1);
		from = next + 1;
	}
	close_span((unsigned int)from, UINT_MAX);
}

int descriptor_pass_on(int fd)
{
	return fcntl(fd, F_SETFD, 0) < 0 ? -errno : 0;
}
