/*
 * supervise: the life after the child has started.  Forwards signals, reaps everything, ends
 * when the contract says so, and returns the status to exit with.  No allocation, no new
 * descriptor, no wake-up without a cause from here on.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "init/child.h"
#include "init/log.h"

enum supervise_forward { FORWARD_CHILD, FORWARD_GROUP, FORWARD_ALL };
enum supervise_wait { WAIT_MAIN, WAIT_ALL };

#define REWRITE_NONE (-1)

/* All zero is the default but for the grace: see supervise_defaults(). */
struct supervise_options {
	enum supervise_forward forward;
	enum supervise_wait wait;
	uint64_t kill_grace_ms;
	uint64_t stop_timeout_ms; /* 0: leave it to the engine */
	int8_t rewrite[65];       /* [from] = to, 0 drops, REWRITE_NONE as it is */
	uint64_t exit_ok[4];      /* bit set of statuses that count as 0 */
	int parent_death_signal;  /* 0: none (-p) */
	pid_t parent;             /* who must not have died: inherited.parent; 0: unknown */
	bool subreaper;           /* ask for it even when not needed (-s) */
	bool warn_on_reap;        /* -w */
	bool stop_self;           /* after a TSTP, TTIN or TTOU was forwarded, as dumb-init does */
};

struct supervise_options supervise_defaults(void);

/*
 * Becomes the reaper: nothing as PID 1, else PR_SET_CHILD_SUBREAPER, silently, prctl(2).
 * Called before the first fork, so that no orphan is missed.
 */
void supervise_adopt_orphans(void);

/* Reaps orphans and runs nothing, until INT or TERM; 0.  The pause of a pod. */
int supervise_pause(void);

/* Supervises until the end; the exit status (0-255).  All signals are blocked already. */
int supervise(const struct child *child, const struct supervise_options *options,
	      const struct log *log);
