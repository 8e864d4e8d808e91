/*
 * child: starts the main child as if we had never been there: mask, dispositions, limits,
 * working directory, umask and descriptors as we inherited them, a process group of its own,
 * and the terminal's foreground when it was ours.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "init/fault.h"
#include "init/inherit.h"

struct child_request {
	char *const *argv; /* NULL-terminated, at least one word */
	char *const *envp;
	const struct inherited *inherited; /* what the child gets back */
	int handoff_fd;                    /* also left open, at this number; -1: none */
	bool session;                      /* a session of its own, where no terminal was ours */
};

struct child {
	pid_t pid;
	bool held_terminal; /* the child's group got the foreground from us */
	int terminal;       /* our controlling terminal, one of 0 1 2; -1: none */
};

/* Exit statuses of a start that failed, POSIX sh and docker run. */
#define CHILD_NOT_STARTED 125
#define CHILD_NOT_EXECUTABLE 126
#define CHILD_NOT_FOUND 127

/*
 * Resolves argv[0] by PATH of `envp` before forking, forks and execs.  A text file without `#!`
 * is run by /bin/sh, as shells and execvp(3) do.  LISTEN_PID is rewritten when it named us.
 *
 * 0 with `*ret`, when the exec has succeeded; this process has then let go of all that was the
 * child's (settle.h).  -errno with `f`, and `*ret_status` 127 (not found), 126 (found, not
 * executable) or 125.  `handoff_fd` stays the caller's.
 */
int child_start(const struct child_request *request, struct child *ret, int *ret_status,
		struct fault *f);
