/*
 * checks: the one table of everything that a probe proves.  A check that fails decides the
 * verdict by its row; a check that is missing proves nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/findings.h"
#include "sandbox/sandbox.h"

enum check {
	CHECK_SENTINEL_TWIN,
	CHECK_CONTROL_BEFORE,
	CHECK_PROBER,
	CHECK_USER_NAMESPACE,
	CHECK_CAPABILITIES,
	CHECK_PID_NAMESPACE,
	CHECK_MOUNT_NAMESPACE,
	CHECK_OTHER_NAMESPACES,
	CHECK_UID_MAP,
	CHECK_ROOT,
	CHECK_SENTINEL_SEEN,
	CHECK_SENTINEL_ENVIRON,
	CHECK_SENTINEL_MAPS,
	CHECK_SENTINEL_MEM,
	CHECK_SENTINEL_AUXV,
	CHECK_SENTINEL_TASK,
	CHECK_SENTINEL_FD,
	CHECK_SENTINEL_LINKS,
	CHECK_SENTINEL_NONCE,
	CHECK_SENTINEL_ABSENT,
	CHECK_OTHERS_ENVIRON,
	CHECK_OWN_PROC,
	CHECK_PROC_READ_ONLY,
	CHECK_PROC_EMPTY,
	CHECK_RECORD,
	CHECK_SIGNALS,
	CHECK_SENTINEL_ALIVE,
	CHECK_CONTROL_AFTER,
	CHECK_COUNT,
};

/* Zero: nobody looked.  A doubt is a look that failed, BAD is what the look found. */
enum check_state { CHECK_MISSING, CHECK_DOUBT, CHECK_BAD, CHECK_OK };

/* Plain data: it travels from the prober to the runner and on to init. */
struct check_result {
	int32_t state; /* enum check_state */
	int32_t error; /* positive errno, 0 for none */
	char detail[96];
};

/* The format's own words are ours; foreign bytes in it are escaped by the caller. */
void check_set(struct check_result *checks, enum check check, enum check_state state, int error,
	       const char *format, ...) __attribute__((format(printf, 5, 6)));

/* In which shapes a check is demanded. */
#define SHAPE_TMPFS (1U << SANDBOX_PROC_TMPFS)
#define SHAPE_BIND (1U << SANDBOX_PROC_BIND)
#define SHAPE_REAL (1U << SANDBOX_PROC_REAL)

struct check_row {
	const char *id;
	const char *failed; /* half a sentence: what a failure of it means */
	enum probe_cause cause;
	bool unsafe; /* a secret or a missing boundary was seen: not only a doubt */
	bool final;  /* waiting cannot change it */
	unsigned int shapes;
};

const struct check_row *check_row(enum check check);
