/*
 * strategy: the one policy.  Pure functions from findings to decisions: no I/O, no clock, no
 * environment; every answer carries its reason.
 */
#pragma once

#include "probes/facts.h"
#include "probes/findings.h"
#include "sandbox/sandbox.h"

/* Why it is tmpfs.  Zero: it is not, or nobody chose. */
enum strategy_reason {
	REASON_NONE,
	REASON_DEFINITIVE, /* unsafe was proven: no retry will help */
	REASON_UNVERIFIED, /* no verdict within the budget: the next caller may probe again */
};

struct strategy {
	enum sandbox_proc proc; /* zero is tmpfs */
	enum strategy_reason reason;
	bool retry_helps;
	enum sandbox_usable usable;
	enum probe_cause usable_cause;
	char because[320];
};

/* All decisions are const text and short words of DESIGN section 9. */
struct decision {
	const char *word;
	char because[160];
};

/* Order and reasons of DESIGN section 7. */
struct strategy strategy_choose(bool real_proc_asked, const struct findings *findings);

/* unconfined, sufficient, blocking, unknown. */
struct decision seccomp_decide(const struct facts *facts, const struct strategy *strategy,
			       const struct findings *findings);

/* not-needed, granted, missing, unneeded-grant. */
struct decision sys_admin_decide(const struct facts *facts, bool real_proc_asked);

const char *strategy_reason_name(enum strategy_reason reason); /* NULL for REASON_NONE */
const char *sandbox_usable_name(enum sandbox_usable usable);   /* yes, no, unknown */

/* A proc-bind finding that shows a bwrap which does not sandbox at all. */
bool finding_disowns_bwrap(const struct probe_finding *proc_bind);
