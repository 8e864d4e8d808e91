/* termination: see termination.h. */
#include "init/termination.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "init/own.h"

/* O_NONBLOCK: opening a FIFO that nobody reads fails at once (ENXIO) instead of waiting. */
int termination_write(const char *path, const char *message)
{
	size_t length = strlen(message);
	AUTO_CLOSE int fd = -1;
	struct iovec line[2];
	struct stat status;

	if (length >= TERMINATION_MESSAGE_MAX)
		return -E2BIG;
	fd = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENXIO ? -EINVAL : -errno;
	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	line[0] = (struct iovec){ (char *)message, length };
	line[1] = (struct iovec){ (char[]){ '\n' }, 1 };
	if (writev(fd, line, 2) != (ssize_t)length + 1)
		return -EIO;
	return 0;
}
