/* verdict: from what was seen to what it means.  Pure; the only place that says safe. */
#pragma once

#include <stdbool.h>

#include "probes/checks.h"

/* Why an attempt ended before it had looked at everything; cause none: it did not. */
struct trouble {
	enum probe_cause cause;
	int error;      /* positive errno, 0 for none */
	bool final;     /* waiting cannot change it */
	bool refused;   /* the kernel said no: real-proc is unavailable, not only in doubt */
	char what[160]; /* half a sentence, escaped */
};

/* Fills verdict, cause, final, error, evidence and checks of `ret`; the rest stays zero. */
void verdict_reach(enum sandbox_proc shape, const struct check_result checks[CHECK_COUNT],
		   const struct trouble *trouble, struct probe_finding *ret);

/* A finding without any look: the sentence says why. */
struct probe_finding verdict_without_look(enum probe_verdict verdict, enum probe_cause cause,
					  bool final, int error, const char *evidence);
