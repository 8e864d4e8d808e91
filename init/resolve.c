/* resolve: see resolve.h. */
#include "init/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "init/own.h"
#include "init/text.h"

static const char *resolve_search_path(char *const *envp)
{
	for (; *envp; envp++) {
		if (strncmp(*envp, "PATH=", 5) == 0)
			return *envp + 5;
	}
	return RESOLVE_DEFAULT_PATH;
}

/* 0 when `path` can be executed as far as can be seen without doing it. */
static int resolve_judge(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	if (!S_ISREG(status.st_mode))
		return -EACCES;
	if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0)
		return -errno;
	return 0;
}

/* One element of PATH (not NUL-terminated) and the name; -ENAMETOOLONG when it does not fit. */
static int resolve_join(const char *directory, size_t directory_length, const char *name,
			char ret[PATH_MAX])
{
	size_t name_length = strlen(name);
	size_t slash = directory_length > 0;

	if (directory_length + slash + name_length >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(ret, directory, directory_length);
	if (slash)
		ret[directory_length] = '/';
	memcpy(ret + directory_length + slash, name, name_length + 1);
	return 0;
}

/*
 * A file that is there and is not executable is remembered, as shells do: 126 and not 127 when
 * nothing better follows.  Directories that cannot be searched hold nothing that we know of.
 */
static int resolve_along_path(const char *name, const char *search, char ret[PATH_MAX])
{
	int remembered = -ENOENT;

	for (;;) {
		size_t length = strcspn(search, ":");
		char candidate[PATH_MAX];
		struct stat status;
		int r = resolve_join(search, length, name, candidate);

		if (r == 0)
			r = resolve_judge(candidate);
		if (r == 0) {
			memcpy(ret, candidate, strlen(candidate) + 1);
			return 0;
		}
		if ((r == -EACCES || r == -EISDIR) && stat(candidate, &status) == 0)
			remembered = r;
		if (!search[length])
			return remembered;
		search += length + 1;
	}
}

static int resolve_refuse(const char *action, const char *name, int error, struct fault *f)
{
	AUTO_TEXT struct text shown = {};
	struct statvfs mounted;
	bool noexec =
		error == -EACCES && statvfs(name, &mounted) == 0 && (mounted.f_flag & ST_NOEXEC);

	text_escape(&shown, name, strnlen(name, 256));
	return fault_set(f, error, "%s \"%s\"%s", action, text_error(&shown) < 0 ? "?" : shown.data,
			 noexec ? ", which lies on a noexec mount" : "");
}

int resolve_command(const char *name, char *const *envp, char ret[PATH_MAX], struct fault *f)
{
	int r;

	if (!strchr(name, '/')) {
		r = name[0] ? resolve_along_path(name, resolve_search_path(envp), ret) : -ENOENT;
		return r < 0 ? resolve_refuse("find along PATH", name, r, f) : 0;
	}
	r = strlen(name) < PATH_MAX ? resolve_judge(name) : -ENAMETOOLONG;
	if (r < 0)
		return resolve_refuse("execute", name, r, f);
	memcpy(ret, name, strlen(name) + 1);
	return 0;
}
