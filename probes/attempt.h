/*
 * attempt: one try of one probe, start to end, in a process of its own (the runner).  It ends
 * and reaps everything it has started before it returns.
 */
#pragma once

#include <stdint.h>

#include "probes/facts.h"
#include "probes/findings.h"
#include "sandbox/sandbox.h"

struct attempt_request {
	enum sandbox_proc shape;
	enum sandbox_network network;
	const char *bwrap; /* judged already */
	const struct facts *facts;
	uint64_t deadline_ms; /* CLOCK_MONOTONIC */
	int leash_fd;         /* hangs up when init is gone or wants an end */
};

/* Runs in the runner, as a subreaper with all signals blocked.  Never fails. */
void attempt_run(const struct attempt_request *request, struct probe_finding *ret);
