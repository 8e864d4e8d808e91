/*
 * bwrap: which bubblewrap is run.  A program that others can replace, or that gains rights by
 * being exec'ed, is no sandbox; every doubt refuses it.
 */
#include "sandbox/sandbox.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "init/file.h"
#include "init/own.h"

#define BWRAP_SIZE_MAX ((size_t)16 << 20)
#define BWRAP_LINKS_MAX 8 /* of links that lead from one to the next */

static const char *const bwrap_places[] = { "/usr/bin/bwrap", "/usr/local/bin/bwrap" };

static int refuse(struct fault *f, const char *path, const char *why)
{
	AUTO_TEXT struct text shown = {};

	text_escape(&shown, path, strlen(path));
	return fault_say(f, -EPERM, "%s is not used as bwrap: %s",
			 text_error(&shown) < 0 ? "it" : shown.data, why);
}

static bool owner_trusted(const struct stat *status)
{
	return (status->st_uid == 0 || status->st_uid == geteuid()) &&
	       !(status->st_mode & (S_IWGRP | S_IWOTH));
}

/* True when `path` is `directory` or lies below it; both absolute and normal. */
static bool path_below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	while (length > 1 && directory[length - 1] == '/')
		length--;
	if (length <= 1)
		return true;
	return strncmp(path, directory, length) == 0 &&
	       (path[length] == '\0' || path[length] == '/');
}

static bool in_agent_dir(const char *path, const char *agent_dir)
{
	AUTO_FREE char *resolved = NULL;

	if (!agent_dir || !agent_dir[0])
		return false;
	resolved = realpath(agent_dir, NULL);
	return path_below(path, agent_dir) || (resolved && path_below(path, resolved));
}

/* Each directory above `path`, links followed: whoever may write one may swap what is below. */
static int directories_judge(const char *path, struct fault *f)
{
	char directory[PATH_MAX];
	struct stat status;

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		size_t length = slash == path ? 1 : (size_t)(slash - path);

		if (length >= sizeof(directory))
			return -ENAMETOOLONG;
		memcpy(directory, path, length);
		directory[length] = '\0';
		if (stat(directory, &status) < 0)
			return -errno;
		if (!owner_trusted(&status))
			return refuse(f, path, "a directory above it can be written by others");
	}
	return 0;
}

/* Follows the links of the last component one by one: each may be swapped by who owns its place. */
static int links_judge(const char *path, struct fault *f)
{
	char here[PATH_MAX];
	char target[PATH_MAX];
	size_t length = strlen(path);
	int r;

	if (length >= sizeof(here))
		return -ENAMETOOLONG;
	memcpy(here, path, length + 1);
	for (int i = 0; i < BWRAP_LINKS_MAX; i++) {
		size_t directory = (size_t)(strrchr(here, '/') - here) + 1;
		ssize_t n;

		r = directories_judge(here, f);
		if (r < 0)
			return r;
		n = readlink(here, target, sizeof(target));
		if (n < 0)
			return errno == EINVAL ? 0 : -errno;
		if (target[0] == '/')
			directory = 0;
		if (directory + (size_t)n >= sizeof(here))
			return -ENAMETOOLONG;
		memcpy(here + directory, target, (size_t)n);
		here[directory + (size_t)n] = '\0';
	}
	return -ELOOP;
}

static int file_judge(const char *path, struct fault *f)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return refuse(f, path, "it is not a regular file");
	if (status.st_mode & (S_ISUID | S_ISGID))
		return refuse(f, path, "it is setuid or setgid");
	if (getxattr(path, "security.capability", NULL, 0) > 0)
		return refuse(f, path, "it has file capabilities");
	if (!owner_trusted(&status))
		return refuse(f, path, "others own it or can write it");
	return 0;
}

static int bwrap_judge(const char *path, const char *agent_dir, char **ret_path, struct fault *f)
{
	AUTO_FREE char *resolved = NULL;
	int r;

	if (path[0] != '/')
		return refuse(f, path, "its path is not absolute");
	resolved = realpath(path, NULL);
	if (!resolved)
		return -errno;
	if (in_agent_dir(path, agent_dir) || in_agent_dir(resolved, agent_dir))
		return refuse(f, path, "it lies in the agent's directory");
	r = links_judge(path, f);
	if (r == 0)
		r = directories_judge(resolved, f);
	if (r == 0)
		r = file_judge(resolved, f);
	if (r < 0)
		return r;
	*ret_path = pointer_take(&resolved);
	return 0;
}

int sandbox_bwrap_find(const char *configured, const char *agent_dir, char **ret_path,
		       struct fault *f)
{
	int r = -ENOENT;

	if (configured) {
		r = bwrap_judge(configured, agent_dir, ret_path, f);
		if (r == 0 || r == -EPERM)
			return r;
		return fault_set(f, r == -ENOTDIR ? -ENOENT : r,
				 "find bwrap where it is configured");
	}
	for (size_t i = 0; i < ARRAY_SIZE(bwrap_places); i++) {
		r = bwrap_judge(bwrap_places[i], agent_dir, ret_path, f);
		if (r != -ENOENT && r != -ENOTDIR)
			break;
	}
	if (r == 0 || r == -EPERM)
		return r;
	return fault_set(f, r == -ENOTDIR ? -ENOENT : r, "find bwrap (the package is bubblewrap)");
}

bool sandbox_bwrap_binds_descriptors(const char *path)
{
	static const char option[] = "--bind-fd";
	AUTO_FREE char *program = NULL;
	size_t length;

	if (file_slurp(AT_FDCWD, path, BWRAP_SIZE_MAX, &program, &length) < 0)
		return false;
	return memmem(program, length, option, sizeof(option)) != NULL;
}
