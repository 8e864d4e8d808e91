/* secrets: see secrets.h. */
#include "probes/secrets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/own.h"
#include "probes/entries.h"

#define SECRET_READ_MAX \
	65536 /* of one file; environ of a process may be longer, one byte is enough */

/* proc_task_getattr() of the kernel: "." and ".." and one for each task. */
#define TASK_LINKS_ALONE 3

struct target {
	const struct prober_question *question;
	struct check_result *checks;
	int dir; /* the sentinel's, in /proc */
};

/* Reads once, at `offset` for mem; the bytes read, or -errno, with *ret_opened set by the open. */
static ssize_t read_entry(int dir, const char *name, off_t offset, char *buffer, size_t size,
			  bool *ret_opened)
{
	AUTO_CLOSE int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t n;

	*ret_opened = fd >= 0;
	if (fd < 0)
		return -errno;
	n = offset ? pread(fd, buffer, size, offset) : read(fd, buffer, size);
	return n < 0 ? -errno : n;
}

/* What denies: EACCES; where pids are hidden also that there is nothing, or no way in, proc(5). */
static bool is_denial(const struct prober_question *question, int error)
{
	return error == -EACCES || (question->pids_hidden && (error == -ENOENT || error == -EPERM));
}

/* Judges one try: bytes are a leak, a denial is fine, everything else is a doubt. */
static enum check_state try_state(const struct prober_question *question, ssize_t n, bool opened)
{
	if (n > 0)
		return CHECK_BAD;
	if (is_denial(question, (int)n) || (opened && n == -EPERM))
		return CHECK_OK;
	return CHECK_DOUBT;
}

/* A later try never makes a check better. */
static void merge(struct check_result *checks, enum check check, enum check_state state, int error,
		  const char *detail)
{
	const int32_t now = checks[check].state;

	if (now == CHECK_BAD || (now == CHECK_DOUBT && state != CHECK_BAD))
		return;
	if (now == CHECK_OK && state == CHECK_OK)
		return;
	check_set(checks, check, state, error, "%s", detail);
}

static void try_file(const struct target *target, enum check check, const char *name, off_t offset)
{
	char buffer[256];
	bool opened;
	ssize_t n = read_entry(target->dir, name, offset, buffer, sizeof(buffer), &opened);

	merge(target->checks, check, try_state(target->question, n, opened), n < 0 ? (int)n : 0,
	      name);
}

static void try_link(const struct target *target, enum check check, int dir, const char *name)
{
	char buffer[256];
	AUTO_CLOSE int fd = -1;
	int r = readlinkat(dir, name, buffer, sizeof(buffer)) < 0 ? -errno : 0;

	if (r < 0 && is_denial(target->question, r)) {
		fd = openat(dir, name, O_PATH | O_CLOEXEC);
		r = fd < 0 ? -errno : 0;
	}
	if (r == 0)
		merge(target->checks, check, CHECK_BAD, 0, name);
	else
		merge(target->checks, check,
		      is_denial(target->question, r) ? CHECK_OK : CHECK_DOUBT, r, name);
}

/* task/TID/environ of every task. */
static void try_tasks(const struct target *target)
{
	AUTO_ENTRIES struct entries tasks = {};
	int r = entries_open(target->dir, "task", &tasks);
	const char *name;

	if (r < 0) {
		merge(target->checks, CHECK_SENTINEL_TASK,
		      is_denial(target->question, r) ? CHECK_OK : CHECK_DOUBT, r, "task");
		return;
	}
	while ((name = entries_next(&tasks)) != NULL) {
		char path[64];

		(void)snprintf(path, sizeof(path), "task/%s/environ", name);
		try_file(target, CHECK_SENTINEL_TASK, path, 0);
	}
	if (tasks.error)
		merge(target->checks, CHECK_SENTINEL_TASK, CHECK_DOUBT, tasks.error, "task");
}

static void try_fds(const struct target *target)
{
	AUTO_ENTRIES struct entries fds = {};
	int r = entries_open(target->dir, "fd", &fds);
	const char *name;

	if (r < 0) {
		merge(target->checks, CHECK_SENTINEL_FD,
		      is_denial(target->question, r) ? CHECK_OK : CHECK_DOUBT, r, "fd");
		return;
	}
	while ((name = entries_next(&fds)) != NULL)
		try_link(target, CHECK_SENTINEL_FD, entries_fd(&fds), name);
	if (fds.error)
		merge(target->checks, CHECK_SENTINEL_FD, CHECK_DOUBT, fds.error, "fd");
}

/* Not the file's own word but a want or a defect: what was not searched then might hold it. */
static bool is_mishap(int error)
{
	return error == -EIO || error == -ENOMEM || error == -EMFILE || error == -ENFILE ||
	       error == -EBADF || error == -EFAULT || error == -ENOSYS;
}

/* Searches all that the sentinel's directory lets us read, whatever it is called. */
static void search_nonce(const struct target *target)
{
	AUTO_ENTRIES struct entries entries = {};
	char buffer[SECRET_READ_MAX];
	int r = entries_open(target->dir, ".", &entries);
	const char *name;

	if (r < 0) {
		merge(target->checks, CHECK_SENTINEL_NONCE,
		      is_denial(target->question, r) ? CHECK_OK : CHECK_DOUBT, r, "");
		return;
	}
	while ((name = entries_next(&entries)) != NULL) {
		bool opened;
		ssize_t n = read_entry(target->dir, name, 0, buffer, sizeof(buffer), &opened);

		if (n > 0 && bytes_contain(buffer, (size_t)n, target->question->nonce.secret))
			merge(target->checks, CHECK_SENTINEL_NONCE, CHECK_BAD, 0, name);
		else if (is_mishap((int)n))
			merge(target->checks, CHECK_SENTINEL_NONCE, CHECK_DOUBT, (int)n, name);
	}
	merge(target->checks, CHECK_SENTINEL_NONCE, entries.error ? CHECK_DOUBT : CHECK_OK,
	      entries.error, "");
}

/* The tag in its command line, which everybody may read, says that this is our sentinel. */
static void see_sentinel(const struct target *target)
{
	char buffer[256];
	bool opened;
	ssize_t n = read_entry(target->dir, "cmdline", 0, buffer, sizeof(buffer), &opened);

	if (n < 0)
		check_set(target->checks, CHECK_SENTINEL_SEEN,
			  is_denial(target->question, (int)n) ? CHECK_OK : CHECK_DOUBT, (int)n,
			  "cmdline");
	else if (bytes_contain(buffer, (size_t)n, target->question->nonce.tag))
		check_set(target->checks, CHECK_SENTINEL_SEEN, CHECK_OK, 0, "%s", "");
	else
		check_set(target->checks, CHECK_SENTINEL_SEEN, CHECK_BAD, 0,
			  "its pid is another process");
}

static void all_hidden(struct check_result *checks)
{
	for (enum check check = CHECK_SENTINEL_SEEN; check <= CHECK_SENTINEL_NONCE; check++)
		check_set(checks, check, CHECK_OK, ENOENT, "hidden");
}

void secrets_of_sentinel(const struct prober_question *question, struct check_result *checks)
{
	struct target target = { .question = question, .checks = checks };
	char path[32];
	AUTO_CLOSE int dir = -1;

	(void)snprintf(path, sizeof(path), "/proc/%d", question->sentinel);
	dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 && is_denial(question, -errno)) {
		all_hidden(checks);
		return;
	}
	if (dir < 0) {
		check_set(checks, CHECK_SENTINEL_SEEN, CHECK_DOUBT, errno, "%s", path);
		return;
	}
	target.dir = dir;
	see_sentinel(&target);
	try_file(&target, CHECK_SENTINEL_ENVIRON, "environ", 0);
	try_file(&target, CHECK_SENTINEL_MAPS, "maps", 0);
	try_file(&target, CHECK_SENTINEL_MEM, "mem", (off_t)question->environ_address);
	try_file(&target, CHECK_SENTINEL_AUXV, "auxv", 0);
	try_tasks(&target);
	try_fds(&target);
	try_link(&target, CHECK_SENTINEL_LINKS, dir, "cwd");
	try_link(&target, CHECK_SENTINEL_LINKS, dir, "root");
	try_link(&target, CHECK_SENTINEL_LINKS, dir, "exe");
	search_nonce(&target);
}

void secrets_sentinel_absent(const struct prober_question *question, struct check_result *checks)
{
	AUTO_ENTRIES struct entries processes = {};
	int r = entries_open(AT_FDCWD, "/proc", &processes);
	const char *name;

	if (r < 0) {
		check_set(checks, CHECK_SENTINEL_ABSENT, CHECK_DOUBT, r, "/proc");
		return;
	}
	while ((name = entries_next(&processes)) != NULL) {
		char path[64];
		char buffer[256];
		bool opened;
		ssize_t n;

		if (entry_number(name) < 0)
			continue;
		(void)snprintf(path, sizeof(path), "%s/cmdline", name);
		n = read_entry(entries_fd(&processes), path, 0, buffer, sizeof(buffer), &opened);
		if (n > 0 && bytes_contain(buffer, (size_t)n, question->nonce.tag))
			merge(checks, CHECK_SENTINEL_ABSENT, CHECK_BAD, 0, name);
		else if (is_mishap((int)n))
			merge(checks, CHECK_SENTINEL_ABSENT, CHECK_DOUBT, (int)n, name);
	}
	merge(checks, CHECK_SENTINEL_ABSENT, processes.error ? CHECK_DOUBT : CHECK_OK,
	      processes.error, "");
}

/* One environ of somebody else.  That it is empty, denied or gone is fine. */
static void try_other(const struct prober_question *question, int dir, const char *path,
		      struct check_result *checks)
{
	char buffer[SECRET_READ_MAX];
	bool opened;
	ssize_t n = read_entry(dir, path, 0, buffer, sizeof(buffer), &opened);

	if (n > 0) {
		merge(checks, CHECK_OTHERS_ENVIRON, CHECK_BAD, 0, path);
		if (bytes_contain(buffer, (size_t)n, question->nonce.secret))
			merge(checks, CHECK_SENTINEL_NONCE, CHECK_BAD, 0, path);
	} else if (n != 0 && n != -EACCES && n != -EPERM && n != -ENOENT && n != -ESRCH) {
		merge(checks, CHECK_OTHERS_ENVIRON, CHECK_DOUBT, (int)n, path);
	}
}

static void try_process(const struct prober_question *question, int proc, const char *pid,
			struct check_result *checks)
{
	AUTO_ENTRIES struct entries tasks = {};
	struct stat status;
	char path[96];
	const char *task;
	int r;

	(void)snprintf(path, sizeof(path), "%s/environ", pid);
	try_other(question, proc, path, checks);
	(void)snprintf(path, sizeof(path), "%s/task", pid);
	if (fstatat(proc, path, &status, 0) == 0 && status.st_nlink == TASK_LINKS_ALONE)
		return;
	r = entries_open(proc, path, &tasks);
	if (r < 0 && r != -ENOENT && r != -ESRCH && r != -EACCES && r != -EPERM)
		merge(checks, CHECK_OTHERS_ENVIRON, CHECK_DOUBT, r, path);
	while ((task = entries_next(&tasks)) != NULL) {
		if (strcmp(task, pid) == 0)
			continue;
		(void)snprintf(path, sizeof(path), "%s/task/%s/environ", pid, task);
		try_other(question, proc, path, checks);
	}
	if (tasks.error && tasks.error != -ENOENT && tasks.error != -ESRCH)
		merge(checks, CHECK_OTHERS_ENVIRON, CHECK_DOUBT, tasks.error, pid);
}

void secrets_of_others(const struct prober_question *question, struct check_result *checks)
{
	AUTO_ENTRIES struct entries processes = {};
	char self[24] = {};
	int r = entries_open(AT_FDCWD, "/proc", &processes);
	unsigned int looked_at = 0;
	const char *name;

	if (r < 0) {
		check_set(checks, CHECK_OTHERS_ENVIRON, CHECK_DOUBT, r, "/proc");
		return;
	}
	if (readlinkat(entries_fd(&processes), "self", self, sizeof(self) - 1) < 0) {
		check_set(checks, CHECK_OTHERS_ENVIRON, CHECK_DOUBT, errno, "/proc/self");
		return;
	}
	while ((name = entries_next(&processes)) != NULL) {
		if (entry_number(name) < 0 || strcmp(name, self) == 0)
			continue;
		try_process(question, entries_fd(&processes), name, checks);
		looked_at++;
	}
	if (processes.error || looked_at == 0)
		merge(checks, CHECK_OTHERS_ENVIRON, CHECK_DOUBT, processes.error,
		      "no other process was shown");
	merge(checks, CHECK_OTHERS_ENVIRON, CHECK_OK, 0, "");
	if (question->shape == SANDBOX_PROC_REAL)
		merge(checks, CHECK_SENTINEL_NONCE, CHECK_OK, 0, "");
}
