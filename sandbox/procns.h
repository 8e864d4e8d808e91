/*
 * procns: a fresh procfs in a new PID and mount namespace, with what the engine had masked in
 * the old one masked again.  The real-proc sandbox and its probe both run in it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "init/fault.h"
#include "sandbox/sandbox.h"

#define PROCNS_MASKS_MAX 64

/* How a mount below /proc is made again; zero is the strictest. */
enum procns_mask_kind {
	PROCNS_MASK_BLANK, /* nothing is shown there: an empty tmpfs, or /dev/null */
	PROCNS_MASK_SELF,  /* the fresh procfs' own entry, mounted on itself (read-only binds) */
	PROCNS_MASK_KEEP,  /* the very mount that stood there (tmpfs, /dev/null, lxcfs) */
};

struct procns_mask {
	char *path; /* absolute, below /proc; owned */
	enum procns_mask_kind kind;
	bool read_only;
	int old_fd; /* while it is made again; -1: none */
};

struct procns_masks {
	struct procns_mask masks[PROCNS_MASKS_MAX];
	size_t n;
};

#define AUTO_MASKS __attribute__((cleanup(procns_masks_clear)))

/*
 * Reads from `mountinfo` (the text of proc_pid_mountinfo(5)) what is mounted below /proc.
 * 0; -E2BIG for more than PROCNS_MASKS_MAX; -EINVAL for what is no mountinfo; -ENOMEM.
 */
int procns_masks_parse(const char *mountinfo, struct procns_masks *ret);
void procns_masks_clear(struct procns_masks *masks);

/* As fork(2), with CLONE_NEWPID | CLONE_NEWNS, clone(2). */
pid_t procns_fork(void);

/*
 * In the new namespaces: makes all mounts private, mounts a procfs on /proc, masks again.
 * Async-signal-safe.  0, or -errno with the step that failed.
 */
int procns_mount(struct procns_masks *masks, enum sandbox_step *ret_step);

/*
 * Remounts the procfs so that a process that may not be ptraced is not seen at all, hidepid=4 of
 * proc(5), Linux 5.8.  Async-signal-safe.  0 or -errno of mount(2).
 */
int procns_hide_pids(void);
