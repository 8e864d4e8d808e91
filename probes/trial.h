/*
 * trial: bwrap's chain of system calls, tried by ourselves in a short-lived child, so that the
 * kernel's own errno names the cause.  A filter may kill for a call: only that child dies.
 */
#pragma once

#include "probes/facts.h"
#include "probes/verdict.h"
#include "sandbox/sandbox.h"

enum trial_step {
	TRIAL_NONE,        /* the whole chain worked */
	TRIAL_FORK,        /* not even a child */
	TRIAL_PROC_NS,     /* real-proc: the PID and mount namespace */
	TRIAL_PROC_MOUNT,  /* real-proc: the fresh procfs */
	TRIAL_PROC_MASKED, /* the same, where a tmpfs could be mounted */
	TRIAL_USERNS,
	TRIAL_UID_MAP,
	TRIAL_MOUNT,
	TRIAL_PIVOT_ROOT,
	TRIAL_UMOUNT,
	TRIAL_SECOND_USERNS, /* bwrap's second one, for other users than root */
};

struct trial {
	enum trial_step step; /* where it ended */
	int error;            /* positive errno; EPERM also when a filter killed the child */
	bool killed;
};

/* Tries what bwrap does for this shape.  Never fails: what went wrong is the result. */
struct trial trial_run(enum sandbox_proc shape, enum sandbox_network network);

/* What the trial means; pure.  Cause none when the chain worked. */
struct trouble trial_judge(const struct trial *trial, const struct facts *facts);
