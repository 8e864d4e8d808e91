/*
 * ground: a temporary folder with `home` and `agent` in it, for the tests of the links.
 */
#pragma once

#include <errno.h>
#include <ftw.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/text.h"

/* AddressSanitizer, as gcc and as clang say it. */
#if defined(__SANITIZE_ADDRESS__)
#define GROUND_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GROUND_SANITIZED 1
#endif
#endif
#ifndef GROUND_SANITIZED
#define GROUND_SANITIZED 0
#endif

struct ground {
	char root[64];
};

/*
 * Puts a tmpfs on /tmp for this process and its children alone: ext4 is slow at finding free
 * inodes among many that were just freed, which is not what is tested.
 */
static inline bool ground_on_tmpfs(void)
{
	return unshare(CLONE_NEWNS) == 0 &&
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("tmpfs", "/tmp", "tmpfs", 0, "mode=1777") == 0;
}

/* PATH below the ground; the caller frees it. */
static inline char *ground_path(const struct ground *ground, const char *path)
{
	struct text t = {};

	text_add(&t, "%s/%s", ground->root, path);
	return text_take(&t);
}

/* `umask` is 022 in what follows.  True when it stands. */
static inline bool ground_begin(struct ground *ground)
{
	static const struct {
		const char *name;
		mode_t mode;
	} folders[] = { { "home", 0700 }, { "agent", 0755 } };

	(void)umask(022);
	(void)snprintf(ground->root, sizeof(ground->root), "/tmp/ground.XXXXXX");
	if (!mkdtemp(ground->root) || chmod(ground->root, 0755) < 0)
		return false;
	for (size_t i = 0; i < 2; i++) {
		char *path = ground_path(ground, folders[i].name);
		int r = mkdir(path, folders[i].mode);

		free(path);
		if (r < 0)
			return false;
	}
	return true;
}

static inline int ground_remove(const char *path, const struct stat *status, int kind,
				struct FTW *where)
{
	(void)status;
	(void)kind;
	(void)where;
	return remove(path);
}

/* Removes it and all that is in it. */
static inline bool ground_end(const struct ground *ground)
{
	return nftw(ground->root, ground_remove, 16, FTW_DEPTH | FTW_PHYS) == 0;
}

/* nftw(3) hands nothing through; a test has one thread. */
static struct text *ground_listing;

static inline int ground_list(const char *path, const struct stat *status, int kind,
			      struct FTW *where)
{
	char says[4096] = "";

	(void)kind;
	(void)where;
	if (S_ISLNK(status->st_mode) && readlink(path, says, sizeof(says) - 1) < 0)
		return -1;
	text_add(ground_listing, "%s %o %u:%u %lu.%09lu %s\n", path, status->st_mode,
		 status->st_uid, status->st_gid, (unsigned long)status->st_ctim.tv_sec,
		 (unsigned long)status->st_ctim.tv_nsec, says);
	return 0;
}

/* All that is in it, with the times of the last change; the caller frees it. */
static inline char *ground_read(const struct ground *ground)
{
	struct text t = {};

	ground_listing = &t;
	if (nftw(ground->root, ground_list, 16, FTW_PHYS) != 0)
		t.error = -EIO;
	return text_take(&t);
}
