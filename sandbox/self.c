/* self: see self.h. */
#include "sandbox/self.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/own.h"

#define SELF_PLACE "/typeclaw-init" /* inside, in bwrap's root */

void self_clear(struct self *self)
{
	fd_close(&self->fd);
}

/* True when `path` still names the file that we run, and not another of that name. */
static bool path_is_fd(const char *path, int fd)
{
	struct stat by_path;
	struct stat by_fd;

	return stat(path, &by_path) == 0 && fstat(fd, &by_fd) == 0 &&
	       by_path.st_dev == by_fd.st_dev && by_path.st_ino == by_fd.st_ino;
}

int self_find(struct self *ret)
{
	AUTO_CLOSE int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = readlink("/proc/self/exe", ret->source, sizeof(ret->source) - 1);
	if (n < 0)
		return -errno;
	ret->source[n] = '\0';
	ret->mount = (struct sandbox_mount){ .source = ret->source, .path = ret->path, .fd = fd };
	memcpy(ret->path, SELF_PLACE, sizeof(SELF_PLACE));
	if (!path_is_fd(ret->source, fd))
		ret->mount.kind = SANDBOX_MOUNT_RO_FD;
	else if (strncmp(ret->source, "/usr/", 5) == 0)
		memcpy(ret->path, ret->source, (size_t)n + 1);
	else
		ret->mount.kind = SANDBOX_MOUNT_RO_BIND;
	ret->fd = fd_take(&fd);
	return 0;
}

void self_keep_path(struct self *self)
{
	if (self->mount.kind == SANDBOX_MOUNT_RO_BIND)
		memcpy(self->path, self->source, sizeof(self->path));
}

/* What execve(2) of `path` would say: 0, 127 or 126. */
static int executable_status(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return errno == ENOENT || errno == ENOTDIR ? SELF_NOT_FOUND : SELF_NOT_EXECUTABLE;
	if (!S_ISREG(status.st_mode) || access(path, X_OK) < 0)
		return SELF_NOT_EXECUTABLE;
	return 0;
}

/* `tool` below the `length` bytes of one PATH entry. */
static int entry_status(const char *entry, size_t length, const char *tool)
{
	char candidate[PATH_MAX];
	size_t tool_length = strlen(tool);

	if (length + tool_length + 2 > sizeof(candidate))
		return SELF_NOT_FOUND;
	memcpy(candidate, entry, length);
	candidate[length] = '/';
	memcpy(candidate + length + 1, tool, tool_length + 1);
	return executable_status(candidate);
}

int self_locate(const char *tool)
{
	const char *path = getenv("PATH");
	int status = SELF_NOT_FOUND;

	if (strchr(tool, '/'))
		status = executable_status(tool);
	for (const char *entry = path; entry && !strchr(tool, '/');) {
		size_t length = strcspn(entry, ":");
		int here = entry_status(entry, length, tool);

		if (here != SELF_NOT_FOUND)
			status = here;
		entry = entry[length] ? entry + length + 1 : NULL;
	}
	/* bwrap tried and failed: a file that is there could not be executed. */
	return status == 0 ? SELF_NOT_EXECUTABLE : status;
}
