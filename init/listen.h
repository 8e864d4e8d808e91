/*
 * listen: socket activation, sd_listen_fds(3).  The descriptors pass through us untouched; the
 * variable that says whom they are for must name the child, and its number is known only there.
 */
#pragma once

struct listen_variables {
	char pid[sizeof("LISTEN_PID=-2147483648")]; /* stands in the child's environment */
	char **envp;                                /* NULL: nothing to rewrite; owned */
};

#define AUTO_LISTEN __attribute__((cleanup(listen_clear)))

/*
 * A copy of the array `envp` whose LISTEN_PID is ours to fill in, when it names this process.
 * LISTEN_PIDFDID, which would contradict it, is left out.  0 or -ENOMEM.  `ret` must stay where
 * it is while the copy is in use.
 */
int listen_prepare(char *const *envp, struct listen_variables *ret);
void listen_clear(struct listen_variables *variables);

/* In the child, between fork and exec: puts its own number in.  Async-signal-safe. */
void listen_name_self(struct listen_variables *variables);
