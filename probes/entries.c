/* entries: see entries.h. */
#include "probes/entries.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "init/own.h"
#include "init/text.h"

int entries_open(int dir, const char *path, struct entries *ret)
{
	AUTO_CLOSE int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *directory;

	if (fd < 0)
		return -errno;
	directory = fdopendir(fd);
	if (!directory)
		return -errno;
	(void)fd_take(&fd);
	*ret = (struct entries){ .directory = directory };
	return 0;
}

const char *entries_next(struct entries *entries)
{
	const struct dirent *entry;

	if (!entries->directory || entries->error)
		return NULL;
	do {
		errno = 0;
		entry = readdir(entries->directory);
	} while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
	if (!entry)
		entries->error = -errno;
	return entry ? entry->d_name : NULL;
}

void entries_close(struct entries *entries)
{
	if (entries->directory)
		(void)closedir(entries->directory);
	entries->directory = NULL;
}

int entries_fd(const struct entries *entries)
{
	return dirfd(entries->directory);
}

int64_t entry_number(const char *name)
{
	uint64_t value;

	return number_parse(name, 0, INT_MAX, &value) < 0 ? -1 : (int64_t)value;
}
