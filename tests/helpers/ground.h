/*
 * ground: a temporary folder with `home` and `agent` in it, for the tests of the links.
 */
#pragma once

#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "init/text.h"

struct ground {
	char root[64];
};

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
