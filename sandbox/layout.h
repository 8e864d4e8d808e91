/*
 * layout: the mounts of one tool call, in the order in which they are made.  It owns what its
 * mounts point to where nobody else does; what a policy judged is borrowed from it.
 */
#pragma once

#include <stddef.h>

#include "sandbox/policy.h"
#include "sandbox/sandbox.h"

#define LAYOUT_MOUNTS_MAX 960

struct layout {
	struct sandbox_mount *mounts;
	size_t n;
	char **strings; /* owned by the layout */
	size_t n_strings;
	int *fds; /* likewise */
	size_t n_fds;
	bool by_descriptor; /* bwrap can bind descriptors; else it is given the path */
	int error;          /* 0, -ENOMEM or -E2BIG: kept from the first that did not fit */
};

#define AUTO_LAYOUT __attribute__((cleanup(layout_clear)))

/* Each adds mounts; errors are kept, and asked for once with layout_error(). */

/*
 * What stands behind `fd`, an O_PATH descriptor, on `path`, by descriptor where bwrap can.  Where
 * it cannot, `source` is looked up by bwrap itself: whoever may rename in its parent folder could
 * then swap it between our look and bwrap's.  Descriptor and strings stay the caller's.
 */
void layout_bind(struct layout *layout, const char *source, const char *path, int fd,
		 bool writable);

/* By path, for what nobody but root can swap. */
void layout_bind_path(struct layout *layout, const char *source, const char *path, bool writable);

/* An empty folder, or an empty file, over whatever is there. */
void layout_cover(struct layout *layout, const char *path, enum zone_kind kind);

void layout_symlink(struct layout *layout, const char *target, const char *path);

/* Keeps a copy of `string` as long as the layout; "" when that could not be. */
const char *layout_keep(struct layout *layout, const char *string);

/* Closes `fd` together with the layout. */
void layout_keep_fd(struct layout *layout, int fd);

/*
 * The agent folder as `policy` says: read-only (or for an install writable, with all else
 * read-only again), masks, then writable zones.
 */
void layout_agent(struct layout *layout, const struct policy *policy);

/* 0 or the first error. */
int layout_error(const struct layout *layout);
void layout_clear(struct layout *layout);
