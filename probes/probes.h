/*
 * probes: finds out which ways of showing /proc to a sandbox are possible and safe here, by
 * running the very command line of sandbox/ with our own prober inside.  Both probes run side
 * by side under one event loop with deadlines and the retry schedule; nothing of them outlives
 * the call.
 */
#pragma once

#include "init/fault.h"
#include "probes/facts.h"
#include "probes/findings.h"
#include "sandbox/sandbox.h"

#define PROBES_RETRIES_MAX 16

struct probes_request {
	bool real_proc;        /* probe real-proc */
	bool proc_bind;        /* probe proc-bind */
	bool tmpfs;            /* and the tmpfs shape when no stronger one held */
	const char *bwrap;     /* configured path; NULL: the places of sandbox_bwrap_find */
	const char *agent_dir; /* a bwrap at or below it is refused */
	enum sandbox_network network;
	uint64_t retry_backoff_ms[PROBES_RETRIES_MAX];
	size_t n_retries;
	uint64_t attempt_timeout_ms;
	uint64_t budget_ms;
};

/*
 * Runs what was asked for.  Signals must all be blocked; SIGTERM or SIGINT ends the run at once.
 * 0 with `*ret`; the number of the signal that stopped it (everything is killed and reaped then,
 * and the signal was taken); -errno only when the loop itself could not be set up.
 */
int probes_run(const struct probes_request *request, const struct facts *facts,
	       struct findings *ret, struct fault *f);

/*
 * The hidden commands that the probes exec this binary as (sentinel, control, prober).
 * Returns the exit status when argv[1] names one, or -1 when it does not.  Must be called
 * before anything else looks at argv; reads nothing of the environment but its own nonce.
 */
int probes_main(int argc, char *argv[]);
