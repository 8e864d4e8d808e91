/* record: see record.h. */
#include "entrypoint/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "init/file.h"
#include "init/handoff.h"
#include "init/kernel.h"
#include "init/own.h"

#define RECORD_RUN "/run"
#define RECORD_FOLDER "typeclaw"
#define RECORD_NAME "strategy.json"
#define RECORD_TEMPORARY "strategy.json.new"
#define STAT_MAX 4096
#define STAT_START_TICKS 22

/* Field 22 counts from behind the last ')': the name before it may hold anything. */
static int stat_start_ticks(const char *path, uint64_t *ret)
{
	AUTO_FREE char *stat = NULL;
	int r = file_slurp(AT_FDCWD, path, STAT_MAX, &stat, NULL);
	const char *cursor = stat ? strrchr(stat, ')') : NULL;
	struct word skipped;

	if (r < 0)
		return r;
	if (!cursor++)
		return -EINVAL;
	for (int field = 3; field < STAT_START_TICKS; field++)
		if (!word_next(&cursor, &skipped))
			return -EINVAL;
	return word_next_number(&cursor, 0, UINT64_MAX, ret);
}

int identity_read_self(struct identity *ret)
{
	struct identity identity = { .pid = getpid() };
	struct stat status;
	int r = stat_start_ticks("/proc/self/stat", &identity.start_ticks);

	if (r < 0)
		return r;
	if (stat("/proc/self/ns/pid", &status) < 0)
		return -errno;
	identity.pid_ns = status.st_ino;
	*ret = identity;
	return 0;
}

int identity_verify(const struct identity *identity)
{
	struct identity self;
	uint64_t start_ticks;
	char path[64];
	int r = identity_read_self(&self);

	if (r < 0)
		return r;
	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)identity->pid);
	r = stat_start_ticks(path, &start_ticks);
	if (r < 0 || start_ticks != identity->start_ticks || self.pid_ns != identity->pid_ns)
		return -ESTALE;
	return 0;
}

/* Root's or our own, and writable by nobody else. */
static int record_judge(int fd, mode_t type)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return -errno;
	if ((status.st_mode & S_IFMT) != type || (status.st_mode & 0022) ||
	    (status.st_uid != 0 && status.st_uid != geteuid()))
		return -EPERM;
	return 0;
}

/* /run/typeclaw, judged; -ELOOP or -ENOTDIR for a link. */
static int record_open_folder(void)
{
	AUTO_CLOSE int run = open(RECORD_RUN, O_PATH | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int folder = -1;
	int r;

	if (run < 0)
		return -errno;
	folder = openat(run, RECORD_FOLDER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return -errno;
	r = record_judge(folder, S_IFDIR);
	return r < 0 ? r : fd_take(&folder);
}

int record_remove(void)
{
	AUTO_CLOSE int folder = record_open_folder();

	if (folder < 0)
		return folder == -ENOENT ? 0 : folder;
	(void)unlinkat(folder, RECORD_TEMPORARY, 0);
	if (unlinkat(folder, RECORD_NAME, 0) < 0 && errno != ENOENT)
		return -errno;
	return 0;
}

static int record_write_in(int folder, const char *document, size_t length)
{
	AUTO_CLOSE int fd = openat(folder, RECORD_TEMPORARY,
				   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	int r;

	if (fd < 0)
		return -errno;
	r = file_write_all(fd, document, length);
	if (r == 0 && fchmod(fd, 0644) < 0)
		r = -errno;
	if (r == 0 && renameat(folder, RECORD_TEMPORARY, folder, RECORD_NAME) < 0)
		r = -errno;
	if (r < 0)
		(void)unlinkat(folder, RECORD_TEMPORARY, 0);
	return r;
}

int record_write(const char *document, size_t length)
{
	AUTO_CLOSE int folder = -1;

	if (mkdir(RECORD_RUN "/" RECORD_FOLDER, 0755) < 0 && errno != EEXIST)
		return -errno;
	folder = record_open_folder();
	if (folder < 0)
		return folder;
	(void)unlinkat(folder, RECORD_TEMPORARY, 0);
	return record_write_in(folder, document, length);
}

int record_read(char **ret_document, size_t *ret_length)
{
	AUTO_CLOSE int folder = record_open_folder();
	AUTO_CLOSE int fd = -1;
	int r;

	if (folder < 0)
		return folder;
	fd = openat(folder, RECORD_NAME,
		    O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return errno == ELOOP ? -EPERM : -errno;
	r = record_judge(fd, S_IFREG);
	if (r < 0)
		return r;
	return file_slurp_fd(fd, HANDOFF_MAX, ret_document, ret_length);
}
