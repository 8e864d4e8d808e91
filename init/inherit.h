/*
 * inherit: what this process was started with, remembered before anything changes it, so that
 * the main child can be given exactly that.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "init/fault.h"

#define INHERITED_FDS_MAX 4096

/*
 * Without /proc descriptors are looked for up to this number; higher ones are made CLOEXEC
 * unseen, and so do not reach the child.
 */
#define INHERITED_FD_SCAN_MAX 65536

struct inherited {
	uint64_t signal_mask;     /* bit N-1 is signal N */
	struct rlimit core_limit; /* RLIMIT_CORE */
	int *fds;                 /* from 3 up, those that had no CLOEXEC; owned */
	size_t n_fds;
	pid_t parent;      /* getppid(2) then; 0: in another PID namespace */
	char *environment; /* the block of NAME=VALUE strings on the stack; not owned */
	size_t environment_length;
};

/*
 * The first thing of main: blocks every signal, sets SIGCHLD to its default, opens /dev/null on
 * those of 0, 1, 2 that are closed (CLOEXEC: the child finds them closed again), and makes every
 * inherited descriptor CLOEXEC.  RLIMIT_CORE of this process becomes 0.  Works without /proc.
 * 0, or -errno with `f`: -EMFILE for more than INHERITED_FDS_MAX descriptors.
 */
int inherit_begin(struct inherited *ret, struct fault *f);
void inherited_clear(struct inherited *inherited);

/* In a probe child, after fork: closes all inherited descriptors.  Async-signal-safe. */
void inherited_close(const struct inherited *inherited);

/*
 * For a command that starts no main child: gives this process its signal mask back, so that
 * Ctrl-C and a TERM end it as they should.
 */
void inherited_unblock(const struct inherited *inherited);

/*
 * In the main child, between fork and exec: gives back descriptors, RLIMIT_CORE and last of all
 * the signal mask, so that what is pending strikes only then.  Ignored signals were never changed,
 * and stay ignored by themselves; only SIGCHLD is at its default, as a shell would expect.
 * Async-signal-safe.
 */
void inherited_restore(const struct inherited *inherited);
