/* file: see file.h. */
#include "init/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "init/kernel.h"
#include "init/own.h"

/* Procfs reports size 0, and pread at 0 of it is a read from the start: no fstat to go by. */
int file_slurp_fd(int fd, size_t max, char **ret_data, size_t *ret_length)
{
	AUTO_FREE char *data = NULL;
	size_t length = 0;
	size_t size = 0;

	for (;;) {
		ssize_t n;

		if (length + 1 >= size) {
			char *more;

			size = size ? size * 2 : 4096;
			more = realloc(data, size);
			if (!more)
				return -ENOMEM;
			data = more;
		}
		n = pread(fd, data + length, size - length - 1, (off_t)length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		length += (size_t)n;
		if (length > max)
			return -EFBIG;
	}
	data[length] = '\0';
	if (ret_length)
		*ret_length = length;
	if (ret_data)
		*ret_data = pointer_take(&data);
	return 0;
}

int file_slurp(int dir, const char *path, size_t max, char **ret_data, size_t *ret_length)
{
	AUTO_CLOSE int fd =
		openat(dir, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) < 0)
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	return file_slurp_fd(fd, max, ret_data, ret_length);
}

int file_write_all(int fd, const void *bytes, size_t length)
{
	const char *next = bytes;

	while (length > 0) {
		ssize_t n = write(fd, next, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		next += n;
		length -= (size_t)n;
	}
	return 0;
}

bool file_is_procfs(int fd)
{
	struct statfs status;

	return fstatfs(fd, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
}
