/*
 * runner: one attempt in the making, and what its parts share: twins.c (the sentinel and the
 * control), payload.c (the prober in its sandbox) and attempt.c, which has them take turns.
 */
#pragma once

#include <stdbool.h>

#include "probes/attempt.h"
#include "probes/checks.h"
#include "probes/nonce.h"
#include "probes/twin.h"
#include "probes/verdict.h"
#include "sandbox/self.h"

struct attempt {
	const struct attempt_request *request;
	struct check_result checks[CHECK_COUNT];
	struct trouble trouble;
	struct nonce nonce;
	struct self self;
	struct twin sentinel;
	struct twin control;
	struct twin_hello sentinel_hello;
	struct sandbox_process bwrap;
	int bwrap_pidfd;
	int prober_fd; /* our end */
	int stderr_fd; /* what bwrap says, only a hint */
	pid_t prober;
};

/*
 * Ends the attempt with a cause; the first one stands.  A deadline and a shortage are causes of
 * their own whatever `cause` says.  Always -ECANCELED.
 */
int attempt_give_up(struct attempt *a, enum probe_cause cause, int error, const char *what);

/*
 * Waits until `fd` can be read.  0; -ETIMEDOUT at the deadline; -ECANCELED when init is gone;
 * -EPIPE when the sentinel ends, -ECHILD when bwrap ends (where `for_bwrap`), and `fd` has
 * nothing to say.
 */
int attempt_wait(const struct attempt *a, int fd, bool for_bwrap);

/* The steps, twins.c.  0, or the attempt has been given up. */
int twins_start(struct attempt *a);
int twins_compare(struct attempt *a);
int twins_ask_control(struct attempt *a, enum check check);
int twins_hear_control(struct attempt *a, enum check check);
int twins_ask_witness(struct attempt *a);
int twins_hear_witness(struct attempt *a);
void twins_look_alive(struct attempt *a);

/* The steps, payload.c.  0, or the attempt has been given up. */
int payload_start(struct attempt *a);
int payload_meet(struct attempt *a);
int payload_ask(struct attempt *a);
int payload_hear(struct attempt *a);
int payload_dismiss(struct attempt *a);
