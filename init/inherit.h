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

#define INHERITED_FDS_MAX 4096

struct inherited {
	uint64_t signal_mask;	 /* bit N-1 is signal N */
	uint64_t ignored_signals; /* dispositions that were SIG_IGN */
	struct rlimit core_limit; /* RLIMIT_CORE */
	int *fds;		 /* from 3 up, those that had no CLOEXEC; owned */
	size_t n_fds;
};

/*
 * The first thing of main: blocks every signal, sets SIGCHLD to its default, opens /dev/null on
 * those of 0, 1, 2 that are closed, and makes every inherited descriptor CLOEXEC.  Works without
 * /proc.  0, or -errno with `f`.
 */
int inherit_begin(struct inherited *ret, struct fault *f);
void inherited_clear(struct inherited *inherited);

/* In a probe child, after fork: closes all inherited descriptors. */
void inherited_close(const struct inherited *inherited);
