/*
 * walk: going down a path one component at a time from a directory descriptor, never through a
 * link, whatever is swapped meanwhile.  Makes missing folders on the way when asked to.
 *
 * Two sides, two rules.  Below the agent folder everything is hostile, so nothing found there
 * is trusted and only the descriptor counts; made folders get their parent's owner.  The
 * parents of `from` must be ours or root's and closed to others, or whoever can write there
 * could bend the link later.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "init/text.h"
#include "symlinks/links.h"

enum walk_side { WALK_TARGET, WALK_FROM };

struct walk {
	enum walk_side side;
	const char *path;         /* absolute and normalised; borrowed */
	size_t end;               /* bytes of it to walk */
	size_t reached;           /* bytes of it that `fd` stands for */
	size_t base;              /* bytes of it that are the agent folder (WALK_TARGET) */
	size_t private_below;     /* made folders longer than this are 0700; 0: none is */
	const struct stat *avoid; /* a folder that must not be met; NULL: none */
	int fd;                   /* O_PATH; owned */
	bool shared;              /* the folder reached is sticky and others may write it */
};

#define AUTO_WALK __attribute__((cleanup(walk_stop)))

void walk_stop(struct walk *walk);

/*
 * Opens "/", the start of every walk; `walk` is filled in but for reached, fd and shared.
 * LINK_NONE, or why not with `detail`.
 */
enum link_code walk_start(struct walk *walk, struct text *detail);

/*
 * Goes on to `walk->end`.  LINK_NONE when that was reached, or (`make` false) when the next
 * component does not exist: `reached` < `end` tells.  Else the code of the side
 * (target-is-link, parent-writable, ...), raced or error, with what was found in `detail`.
 * With `make` missing folders are made, mkdir(2): 0755 or 0700, less the umask.
 */
enum link_code walk_on(struct walk *walk, bool make, struct text *detail);
