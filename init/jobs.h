/*
 * jobs: what Ctrl-Z does to the main child on a terminal.  Its group is stopped, and somebody has
 * to wake it up again: the shell above us, which sees only us, or nobody.
 */
#pragma once

#include <stdbool.h>

#include "init/child.h"

struct jobs {
	const struct child *child;
	bool holds;    /* the child's group is in the foreground because we put it there */
	bool mirrored; /* we stopped as the child did; the next SIGCONT is for its group */
};

struct jobs jobs_begin(const struct child *child);

/*
 * The main child was stopped by `signal_number`.  A stop that no terminal sent is somebody's wish
 * and stays.  As PID 1 or leader of the session nobody above us does job control, and a SIGTSTP
 * is undone at once.  Else we give the terminal back and stop as well, by the same signal, so
 * that our parent sees it; the call returns when somebody continued us.
 *
 * Only the main child's own stop is seen, as by any shell: one that waits in vfork(2) for a child
 * which was stopped before its exec does not stop itself, and nobody is told.
 */
void jobs_stopped(struct jobs *jobs, int signal_number);

/*
 * A SIGCONT came.  True when it was the shell's answer to a mirrored stop: the child's group has
 * the terminal again, if ours had it, and was continued; nothing is left to forward.
 */
bool jobs_continued(struct jobs *jobs);

/* The end: a terminal that we held goes back to our group. */
void jobs_end(struct jobs *jobs);
