/*
 * zombies: processes that ended and that a live parent does not reap.  No init can help there,
 * they are not its children; all that can be done is to name the parent.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "init/fault.h"

#define ZOMBIE_PARENTS_MAX 16

struct zombie_parent {
	pid_t pid;
	unsigned int zombies;
	char name[64]; /* of the parent, escaped; "?" when it was gone before it was read */
};

struct zombies {
	unsigned int total; /* of all parents, those that did not fit too */
	struct zombie_parent parents[ZOMBIE_PARENTS_MAX];
	size_t n_parents;
};

/*
 * Reads proc/PID/stat below the directory descriptor `root`, proc_pid_stat(5).  Zombies whose
 * parent is `except` are left out: they are about to be reaped (0: none).  A leader that ended
 * before its threads looks like one and is none.  A zombie is normal for a moment: who accuses a
 * parent looks twice.  0, or -errno with `f` when there is no /proc to read.
 */
int zombies_find(int root, pid_t except, struct zombies *ret, struct fault *f);
